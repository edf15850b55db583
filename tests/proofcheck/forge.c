#include "tests/proofcheck/forge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/bytes.h"
#include "proto/base/hash.h"
#include "tests/support/walk.h"

enum { RECORDS_MAX = 1024 }; /* of a block */

static const char magic[] = "proofd certificate ";

static const char *const names[] = {
#define X(name) #name,
	FORGE_LINES(X)
#undef X
};

static void *require_memory(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

void forge_fini(struct forge *f)
{
	for (unsigned i = 0; i < FORGE_LINE_COUNT; i++)
		free(f->line[i]);
	free(f->graph);
	free(f->record);
	memset(f, 0, sizeof *f);
}

void forge_copy(struct forge *to, const struct forge *from)
{
	*to = *from;
	for (unsigned i = 0; i < FORGE_LINE_COUNT; i++)
		to->line[i] = require_memory(strdup(from->line[i]));
	to->graph = require_memory(malloc(from->graph_size + 1));
	memcpy(to->graph, from->graph ? from->graph : "", from->graph_size);
	to->capacity = from->count + 8;
	to->record = require_memory(calloc(to->capacity, sizeof *to->record));
	if (from->count)
		memcpy(to->record, from->record, from->count * sizeof *to->record);
}

void forge_set(struct forge *f, enum forge_line line, const char *format, ...)
{
	char text[8192];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	free(f->line[line]);
	f->line[line] = require_memory(strdup(text));
}

/* --- writing ------------------------------------------------------------------------------ */

/* Appends bytes, which may be none. */
static void append_bytes(struct pd_buf *out, const char *data, size_t size)
{
	if (size)
		pd_buf_put(out, data, size);
}

static void put_varint(struct pd_buf *out, uint64_t n)
{
	uint8_t bytes[PD_VARINT_MAX];
	pd_buf_put(out, bytes, (size_t)(pd_put_varint(bytes, n) - bytes));
}

static void put_reason(struct pd_buf *out, const struct forge_reason *r)
{
	uint8_t flags = (uint8_t)r->flags;
	pd_buf_put(out, &flags, 1);
	put_varint(out, (uint64_t)r->bound << 1 ^ (r->bound < 0 ? UINT64_MAX : 0));
	if (r->flags & 2)
		put_varint(out, r->rank);
	if (r->flags & 4)
		put_varint(out, r->move);
	if (r->flags & 8)
		put_varint(out, r->effort);
	if (r->flags & 16) {
		put_varint(out, r->theorem);
		put_varint(out, r->size);
		append_bytes(out, (const char *)r->witness, r->size);
	}
}

static void put_record(struct pd_buf *out, const struct forge_record *r, const struct forge_record *before)
{
	size_t shared = 0;
	uint8_t count = (uint8_t)r->count;
	while (before && shared < r->key_size && shared < before->key_size && r->key[shared] == before->key[shared])
		shared++;
	put_varint(out, shared);
	put_varint(out, r->key_size - shared);
	pd_buf_put(out, r->key + shared, r->key_size - shared);
	pd_buf_put(out, &count, 1);
	for (unsigned i = 0; i < r->count; i++)
		put_reason(out, &r->reason[i]);
}

static void put_block(struct pd_buf *out, const struct forge *f, size_t begin, size_t end)
{
	struct pd_buf block;
	uint8_t head[6];
	pd_buf_init(&block, SIZE_MAX);
	for (size_t i = begin; i < end; i++)
		put_record(&block, &f->record[i], i > begin ? &f->record[i - 1] : NULL);
	pd_put_le32(head, (uint32_t)block.size + 2);
	pd_put_le16(head + 4, (uint16_t)(end - begin));
	pd_buf_put(out, head, sizeof head);
	append_bytes(out, block.data, block.size);
	pd_buf_fini(&block);
}

/* Writes the blocks and the index; `body` is the offset of the body, whose graph is already in `out`. */
static void put_blocks(struct pd_buf *out, const struct forge *f, size_t body)
{
	struct pd_buf index;
	pd_buf_init(&index, SIZE_MAX);
	for (size_t begin = 0, end; begin < f->count; begin = end) {
		uint8_t offset[8];
		end = begin + 1;
		while (end < f->count && end - begin < RECORDS_MAX && !f->record[end].opens)
			end++;
		pd_put_le64(offset, body + out->size);
		pd_buf_put(&index, offset, sizeof offset);
		put_block(out, f, begin, end);
	}
	append_bytes(out, index.data, index.size);
	pd_buf_fini(&index);
}

static void put_header(struct pd_buf *out, const struct forge *f)
{
	pd_buf_printf(out, "%s%u\n", magic, f->format == 4 ? 4 : 2);
	for (unsigned i = 0; i < FORGE_LINE_COUNT; i++)
		if (i != FORGE_cards || f->format == 4)
			pd_buf_printf(out, "%s: %s\n", names[i], f->line[i]);
	pd_buf_puts(out, "\n");
}

void forge_write(struct forge *f, bool fit, struct pd_buf *out)
{
	struct pd_buf header, body;
	pd_buf_init(&header, SIZE_MAX);
	pd_buf_init(&body, SIZE_MAX);
	if (fit)
		forge_set(f, FORGE_digest, "%032d", 0);
	put_header(&header, f);
	append_bytes(&body, f->graph, f->graph_size);
	put_blocks(&body, f, header.size);
	if (fit) {
		struct pd_buf covered;
		pd_buf_init(&covered, SIZE_MAX);
		/* The header without its last line, a digest of 32 digits, and without the empty line. */
		append_bytes(&covered, header.data, header.size - strlen("digest: \n\n") - 32);
		append_bytes(&covered, body.data, body.size);
		XXH128_hash_t hash = XXH3_128bits(covered.size ? covered.data : "", covered.size);
		pd_buf_fini(&covered);
		forge_set(f, FORGE_digest, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64, (uint64_t)hash.low64);
		pd_buf_reset(&header);
		put_header(&header, f);
	}
	pd_buf_reset(out);
	append_bytes(out, header.data, header.size);
	append_bytes(out, body.data, body.size);
	if (header.failed || body.failed || out->failed)
		abort();
	pd_buf_fini(&header);
	pd_buf_fini(&body);
}

void forge_fit(struct forge *f)
{
	uint64_t reasons = 0, leaves = 0, cards = 0, blocks = 0, room = 0;
	for (size_t i = 0; i < f->count; i++, room++) {
		blocks += !i || f->record[i].opens || room == RECORDS_MAX;
		room = !i || f->record[i].opens || room == RECORDS_MAX ? 0 : room;
		reasons += f->record[i].count;
		for (unsigned k = 0; k < f->record[i].count; k++) {
			leaves += (f->record[i].reason[k].flags & 8) != 0;
			cards += (f->record[i].reason[k].flags & 16) != 0;
		}
	}
	forge_set(f, FORGE_positions, "%zu", f->count);
	forge_set(f, FORGE_reasons, "%" PRIu64, reasons);
	forge_set(f, FORGE_leaves, "%" PRIu64, leaves);
	forge_set(f, FORGE_cards, "%" PRIu64, cards);
	forge_set(f, FORGE_blocks, "%" PRIu64, blocks);
	forge_set(f, FORGE_graph, "%zu", f->graph_size);
}

void forge_cut(struct forge *f, uint64_t *seed)
{
	unsigned length = 1 + walk_below(seed, 40);
	for (size_t i = 0; i < f->count; i++)
		f->record[i].opens = i && walk_below(seed, length) == 0;
}

/* --- reading ------------------------------------------------------------------------------ */

struct source {
	const uint8_t *p, *end;
};

static bool get_varint(struct source *s, uint64_t *n)
{
	const uint8_t *p = pd_get_varint(s->p, s->end, n);
	s->p = p ? p : s->p;
	return p != NULL;
}

static bool get_reason(struct source *s, struct forge_reason *r)
{
	uint64_t bound;
	memset(r, 0, sizeof *r);
	if (s->p == s->end)
		return false;
	r->flags = *s->p++;
	if (!get_varint(s, &bound))
		return false;
	r->bound = (int64_t)(bound >> 1) ^ -(int64_t)(bound & 1);
	uint64_t size = 0;
	if ((r->flags & 2 && !get_varint(s, &r->rank)) || (r->flags & 4 && !get_varint(s, &r->move)) ||
	    (r->flags & 8 && !get_varint(s, &r->effort)) ||
	    (r->flags & 16 && (!get_varint(s, &r->theorem) || !get_varint(s, &size))) || size > FORGE_WITNESS_MAX ||
	    size > (uint64_t)(s->end - s->p))
		return false;
	memcpy(r->witness, s->p, size);
	r->size = (unsigned)size;
	s->p += size;
	return true;
}

static bool get_record(struct source *s, struct forge_record *r, const struct forge_record *before)
{
	uint64_t shared, rest;
	memset(r, 0, sizeof *r);
	if (!get_varint(s, &shared) || !get_varint(s, &rest) || shared > (before ? before->key_size : 0) ||
	    rest > (uint64_t)(s->end - s->p) || rest > sizeof r->key - shared)
		return false;
	memcpy(r->key, before ? before->key : s->p, shared);
	memcpy(r->key + shared, s->p, rest);
	r->key_size = shared + rest;
	s->p += rest;
	if (s->p == s->end)
		return false;
	r->count = *s->p++;
	if (r->count > sizeof r->reason / sizeof r->reason[0])
		return false;
	for (unsigned i = 0; i < r->count; i++)
		if (!get_reason(s, &r->reason[i]))
			return false;
	return true;
}

static struct forge_record *make_room(struct forge *f)
{
	if (f->count == f->capacity) {
		f->capacity = 2 * f->capacity + 64;
		f->record = require_memory(realloc(f->record, f->capacity * sizeof *f->record));
	}
	struct forge_record *r = &f->record[f->count++];
	memset(r, 0, sizeof *r);
	return r;
}

static bool get_lines(struct forge *f, struct source *s)
{
	size_t size = sizeof magic - 1;
	if ((size_t)(s->end - s->p) < size + 2 || memcmp(s->p, magic, size) ||
	    (s->p[size] != '2' && s->p[size] != '4') || s->p[size + 1] != '\n')
		return false;
	f->format = s->p[size] - '0';
	s->p += size + 2;
	for (unsigned i = 0; i < FORGE_LINE_COUNT; i++) {
		if (i == FORGE_cards && f->format == 2) {
			forge_set(f, i, "0");
			continue;
		}
		const uint8_t *newline = memchr(s->p, '\n', (size_t)(s->end - s->p));
		size = strlen(names[i]);
		if (!newline || (size_t)(newline - s->p) < size + 2 || memcmp(s->p, names[i], size) ||
		    memcmp(s->p + size, ": ", 2))
			return false;
		f->line[i] =
			require_memory(strndup((const char *)s->p + size + 2, (size_t)(newline - s->p) - size - 2));
		s->p = newline + 1;
	}
	return s->p < s->end && *s->p++ == '\n';
}

/* Reads blocks until the index, which is not read: writing everything again shows whether it is right. */
static bool get_blocks(struct forge *f, struct source *s, uint64_t blocks)
{
	for (uint64_t i = 0; i < blocks; i++) {
		if (s->end - s->p < 6)
			return false;
		unsigned count = pd_get_le16(s->p + 4);
		s->p += 6;
		for (unsigned k = 0; k < count; k++) {
			struct forge_record *r = make_room(f);
			if (!get_record(s, r, k ? &f->record[f->count - 2] : NULL))
				return false;
			r->opens = i && !k;
		}
	}
	return true;
}

static bool read_parts(struct forge *f, struct source *s)
{
	if (!get_lines(f, s))
		return false;
	uint64_t graph = strtoull(f->line[FORGE_graph], NULL, 10), blocks = strtoull(f->line[FORGE_blocks], NULL, 10);
	if (graph > (uint64_t)(s->end - s->p) || blocks > (uint64_t)(s->end - s->p))
		return false;
	f->graph = require_memory(malloc(graph + 1));
	memcpy(f->graph, s->p, graph);
	f->graph_size = graph;
	s->p += graph;
	return get_blocks(f, s, blocks);
}

bool forge_read(struct forge *f, const void *bytes, size_t size)
{
	struct source s = {bytes, (const uint8_t *)bytes + size};
	struct pd_buf again;
	memset(f, 0, sizeof *f);
	bool good = read_parts(f, &s);
	pd_buf_init(&again, SIZE_MAX);
	if (good) {
		forge_write(f, false, &again);
		good = again.size == size && !memcmp(again.data, bytes, size);
	}
	pd_buf_fini(&again);
	if (!good)
		forge_fini(f);
	return good;
}
