#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/proofcheck/text.h"
#include "proto/base/assert.h"
#include "proto/base/buf.h"
#include "proto/base/bytes.h"
#include "proto/base/hash.h"

enum {
	HEADER_LINES_MAX = 32,
	HEADER_MAX = HEADER_LINES_MAX * (CK_LINE_MAX + 64),
	LINE_BYTES_MAX = 1 << 24,
	DIGITS = 32
};

static const char first_line[] = "proofd certificate text 1";

struct reader {
	FILE *in;
	char *line; /* owned: the current line, without its newline */
	size_t room, size;
	uint64_t number; /* of the line, from 1 */
	const char *at;  /* in the line */
	struct ck_text_fault *fault;
	struct pd_buf head; /* the header */
	struct ck_header header;
	FILE *out;
	XXH3_state_t *digest; /* owned */
	uint64_t offset;      /* bytes written */
	struct pd_buf block, index;
	unsigned records; /* in the block */
	bool open;        /* the line `block` was read */
	struct ck_sums sums;
	uint64_t blocks;
	uint8_t key[CK_KEY_MAX]; /* of the record before */
	size_t key_size;
};

/* A fault at r->at. */
static bool report_wrong(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool report_wrong(struct reader *r, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(r->fault->text, sizeof r->fault->text, format, args);
	va_end(args);
	r->fault->line = r->number;
	r->fault->column = r->line && r->at ? (uint64_t)(r->at - r->line) + 1 : 1;
	return false;
}

static bool report_unwritten(struct reader *r)
{
	report_wrong(r, "the file cannot be written: %s", strerror(errno));
	r->fault->line = 0;
	return false;
}

/* --- lines -------------------------------------------------------------------------------- */

static bool next_line(struct reader *r)
{
	int c = 0;
	r->size = 0;
	r->number++;
	for (;;) {
		if (r->size + 1 >= r->room) {
			size_t room = r->room ? 2 * r->room : 1 << 10;
			char *more = room <= 2 * (size_t)LINE_BYTES_MAX ? realloc(r->line, room) : NULL;
			r->at = NULL;
			if (!more)
				return report_wrong(r, "the line has more than %d bytes, or there is no memory for it",
						    LINE_BYTES_MAX);
			r->line = more;
			r->room = room;
		}
		c = getc_unlocked(r->in);
		if (c == EOF || c == '\n')
			break;
		r->line[r->size++] = (char)c;
	}
	r->line[r->size] = 0;
	r->at = r->line;
	if (c == EOF)
		return report_wrong(r, "the text ends within a line, or before the line 'end'");
	return strlen(r->line) == r->size || report_wrong(r, "the line has a zero byte");
}

/* Reads a decimal number without leading zeros. */
static bool read_number(struct reader *r, uint64_t low, uint64_t high, const char *what, uint64_t *out)
{
	const char *begin = r->at;
	uint64_t n = 0;
	bool good = *begin >= '0' && *begin <= '9' && !(begin[0] == '0' && begin[1] >= '0' && begin[1] <= '9');
	for (; good && *r->at >= '0' && *r->at <= '9'; r->at++) {
		uint64_t digit = (uint64_t)(*r->at - '0');
		good = n <= (UINT64_MAX - digit) / 10;
		n = n * 10 + digit;
	}
	if (good && n >= low && n <= high) {
		*out = n;
		return true;
	}
	r->at = begin;
	return report_wrong(r, "%s should be a number from %" PRIu64 " to %" PRIu64, what, low, high);
}

/* --- the header --------------------------------------------------------------------------- */

/* Puts a fault of the header where it is in the text, whose header begins on the second line. */
static bool wrong_header(struct reader *r, const struct ck_fault *fault)
{
	uint64_t line = 2, column = 1;
	for (uint64_t i = 0; i < fault->offset && i < r->head.size; i++) {
		column = r->head.data[i] == '\n' ? 1 : column + 1;
		line += r->head.data[i] == '\n';
	}
	report_wrong(r, "%s", fault->text);
	r->fault->line = line;
	r->fault->column = column;
	return false;
}

static bool read_header(struct reader *r)
{
	struct ck_fault fault;
	uint64_t end;
	if (!next_line(r))
		return false;
	if (strcmp(r->line, first_line) != 0)
		return report_wrong(r, "the first line should be '%s'", first_line);
	for (unsigned i = 0; i < HEADER_LINES_MAX; i++) {
		if (!next_line(r))
			return false;
		pd_buf_put(&r->head, r->line, r->size);
		pd_buf_put(&r->head, "\n", 1);
		if (!r->size)
			break;
	}
	if (r->head.failed)
		return report_wrong(r, "the header is too long, or there is no memory");
	if (!ck_header_read((const uint8_t *)r->head.data, r->head.size, &r->header, &end, &fault))
		return wrong_header(r, &fault);
	if (r->header.format > 2)
		return wrong_header(r, &(struct ck_fault){.text = "a text stands for a certificate of format 2"});
	PD_ASSERT(end == r->head.size);
	return true;
}

/* A count of the header that is not what was read. */
static bool wrong_count(struct reader *r, const char *name, uint64_t said, uint64_t found)
{
	struct ck_fault fault = {.offset = 0};
	char line[32];
	snprintf(line, sizeof line, "\n%s: ", name);
	const char *at = strstr(r->head.data, line);
	fault.offset = at ? (uint64_t)(at - r->head.data) + strlen(line) : 0;
	snprintf(fault.text, sizeof fault.text, "the header says %" PRIu64 " %s, but there are %" PRIu64, said, name,
		 found);
	return wrong_header(r, &fault);
}

/* --- writing ------------------------------------------------------------------------------ */

static bool put_bytes(struct reader *r, const void *bytes, size_t size)
{
	if (size && fwrite(bytes, 1, size, r->out) != size)
		return report_unwritten(r);
	r->offset += size;
	XXH3_128bits_update(r->digest, bytes, size);
	return true;
}

static bool put_header(struct reader *r)
{
	if (fwrite(r->head.data, 1, r->head.size, r->out) != r->head.size)
		return report_unwritten(r);
	r->offset = r->head.size;
	XXH3_128bits_update(r->digest, r->head.data, r->header.digest_line);
	return true;
}

/* The graph's bytes follow as they are, and a newline. */
static bool copy_graph(struct reader *r)
{
	char bytes[1 << 12];
	uint64_t left = r->header.graph;
	r->at = NULL;
	for (size_t size; left; left -= size) {
		size = fread(bytes, 1, left < sizeof bytes ? left : sizeof bytes, r->in);
		if (!size)
			return report_wrong(r, "the text ends within the graph, %" PRIu64 " bytes before its end",
					    left);
		for (size_t i = 0; i < size; i++)
			r->number += bytes[i] == '\n';
		if (!put_bytes(r, bytes, size))
			return false;
	}
	if (!r->header.graph)
		return true;
	r->number++;
	return getc(r->in) == '\n' || report_wrong(r, "a newline should follow the graph's last byte");
}

static bool end_block(struct reader *r)
{
	uint8_t head[CK_BLOCK_HEAD], offset[8];
	if (!r->open)
		return true;
	if (!r->records)
		return report_wrong(r, "the block before this line has no records");
	if (r->block.failed || r->index.failed || r->block.size > UINT32_MAX - 2)
		return report_wrong(r, "there is no memory for a block, or it is too long");
	pd_put_le64(offset, r->offset);
	pd_buf_put(&r->index, offset, sizeof offset);
	pd_put_le32(head, (uint32_t)r->block.size + 2);
	pd_put_le16(head + 4, (uint16_t)r->records);
	r->blocks++;
	bool good = put_bytes(r, head, sizeof head) && put_bytes(r, r->block.data, r->block.size);
	pd_buf_reset(&r->block);
	r->records = 0;
	return good;
}

/* --- records ------------------------------------------------------------------------------ */

static bool read_key(struct reader *r, uint8_t key[CK_KEY_MAX], size_t *size)
{
	size_t n = 0;
	for (; ck_nibble(r->at[0]) >= 0; r->at += 2) {
		if (n == CK_KEY_MAX || ck_nibble(r->at[1]) < 0)
			return report_wrong(r, "a key has 1 to %d bytes, two digits each", CK_KEY_MAX);
		key[n++] = (uint8_t)(ck_nibble(r->at[0]) << 4 | ck_nibble(r->at[1]));
	}
	if (!n || *r->at != ' ')
		return report_wrong(
			r, "a key in lower-case hexadecimal and a blank should stand here, or 'block', or 'end'");
	size_t least = n < r->key_size ? n : r->key_size;
	int order = memcmp(key, r->key, least);
	if (r->key_size && (order ? order < 0 : n <= r->key_size)) {
		r->at = r->line;
		return report_wrong(r, "the key is not greater than the one before it");
	}
	*size = n;
	return true;
}

/* Reads ",x" and a number, if it stands there. */
static bool read_option(struct reader *r, char letter, uint64_t low, uint64_t high, bool *there, uint64_t *out)
{
	static const char *const names[] = {"the rank", "the move", "the effort"};
	*there = r->at[0] == ',' && r->at[1] == letter;
	if (!*there)
		return true;
	r->at += 2;
	return read_number(r, low, high, names[letter == 'r' ? 0 : letter == 'm' ? 1 : 2], out);
}

static bool read_reason(struct reader *r, struct ck_reason *out)
{
	uint64_t n;
	memset(out, 0, sizeof *out);
	out->upper = r->at[0] == '<';
	if ((r->at[0] != '<' && r->at[0] != '>') || r->at[1] != '=')
		return report_wrong(r, "a reason should stand here: >= or <=, the bound, and ,r ,m ,e with numbers");
	r->at += 2;
	bool minus = *r->at == '-';
	r->at += minus;
	if (!read_number(r, minus, 32767u + minus, "the bound", &n))
		return false;
	out->bound = minus ? -(int64_t)n : (int64_t)n;
	return read_option(r, 'r', 1, CK_RANK_MAX, &out->has_rank, &out->rank) &&
	       read_option(r, 'm', 0, CK_MOVE_MAX, &out->has_move, &out->move) &&
	       read_option(r, 'e', 1, UINT64_MAX, &out->has_effort, &out->effort);
}

static void put_reason(struct pd_buf *out, const struct ck_reason *r)
{
	uint8_t bytes[1 + 4 * PD_VARINT_MAX], *p = bytes;
	*p++ = (uint8_t)((r->upper ? CK_FLAG_UPPER : 0) | (r->has_rank ? CK_FLAG_RANK : 0) |
			 (r->has_move ? CK_FLAG_MOVE : 0) | (r->has_effort ? CK_FLAG_EFFORT : 0));
	p = pd_put_varint(p, pd_zigzag(r->bound));
	if (r->has_rank)
		p = pd_put_varint(p, r->rank);
	if (r->has_move)
		p = pd_put_varint(p, r->move);
	if (r->has_effort)
		p = pd_put_varint(p, r->effort);
	pd_buf_put(out, bytes, (size_t)(p - bytes));
}

static void put_key(struct reader *r, const uint8_t *key, size_t size)
{
	uint8_t bytes[2 * PD_VARINT_MAX], *p = bytes;
	size_t shared = 0;
	while (r->records && shared < size && shared < r->key_size && key[shared] == r->key[shared])
		shared++;
	p = pd_put_varint(p, shared);
	p = pd_put_varint(p, size - shared);
	pd_buf_put(&r->block, bytes, (size_t)(p - bytes));
	pd_buf_put(&r->block, key + shared, size - shared);
	memcpy(r->key, key, size);
	r->key_size = size;
}

static bool read_record(struct reader *r, struct pd_buf *reasons)
{
	uint8_t key[CK_KEY_MAX], bytes[PD_VARINT_MAX];
	struct ck_reason reason;
	size_t size = 0;
	unsigned count = 0;
	pd_buf_reset(reasons);
	if (!r->open || r->records == CK_BLOCK_RECORDS_MAX)
		return report_wrong(r, "a record stands in a block of at most %d: a line 'block' is missing",
				    CK_BLOCK_RECORDS_MAX);
	if (!read_key(r, key, &size))
		return false;
	while (*r->at == ' ' && r->at[1] != ':') {
		r->at++;
		if (count == CK_REASONS_MAX)
			return report_wrong(r, "a record has at most %d reasons", CK_REASONS_MAX);
		if (!read_reason(r, &reason))
			return false;
		put_reason(reasons, &reason);
		r->sums.leaves += reason.has_effort;
		count++;
	}
	if (!count || (*r->at && strncmp(r->at, " : ", 3) != 0))
		return report_wrong(r, "a reason, ' : ' with the position, or the end of the line should stand here");
	put_key(r, key, size);
	pd_buf_put(&r->block, bytes, (size_t)(pd_put_varint(bytes, count) - bytes));
	pd_buf_put(&r->block, reasons->data, reasons->size);
	r->records++;
	r->sums.positions++;
	r->sums.reasons += count;
	return !reasons->failed || report_wrong(r, "there is no memory for a record");
}

static bool read_records(struct reader *r)
{
	struct pd_buf reasons;
	bool good = true, end = false;
	pd_buf_init(&reasons, UINT32_MAX);
	while (good && !end) {
		good = next_line(r);
		end = good && !strcmp(r->line, "end");
		bool begin = good && !strcmp(r->line, "block");
		if (good && (begin || end)) {
			good = end_block(r);
			r->open = true;
		} else if (good) {
			good = read_record(r, &reasons);
		}
	}
	pd_buf_fini(&reasons);
	return good;
}

/* --- the whole ---------------------------------------------------------------------------- */

static bool read_end(struct reader *r, bool digest)
{
	const struct ck_header *h = &r->header;
	char text[DIGITS + 1];
	if (getc(r->in) != EOF) {
		r->number++;
		r->at = NULL;
		return report_wrong(r, "nothing should follow the line 'end'");
	}
	if (h->positions != r->sums.positions)
		return wrong_count(r, "positions", h->positions, r->sums.positions);
	if (h->reasons != r->sums.reasons)
		return wrong_count(r, "reasons", h->reasons, r->sums.reasons);
	if (h->leaves != r->sums.leaves)
		return wrong_count(r, "leaves", h->leaves, r->sums.leaves);
	if (h->blocks != r->blocks)
		return wrong_count(r, "blocks", h->blocks, r->blocks);
	if (!put_bytes(r, r->index.data, r->index.size))
		return false;
	XXH128_hash_t hash = XXH3_128bits_digest(r->digest);
	snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64, (uint64_t)hash.low64);
	if (!memcmp(text, h->digest.at, DIGITS))
		return true;
	if (digest) {
		struct ck_fault fault = {.offset = h->digest_line + strlen("digest: ")};
		snprintf(fault.text, sizeof fault.text,
			 "the digest of what was read is %s; with --no-digest the file gets that", text);
		return wrong_header(r, &fault);
	}
	long place = (long)(h->digest_line + strlen("digest: "));
	return (!fseek(r->out, place, SEEK_SET) && fwrite(text, 1, DIGITS, r->out) == DIGITS) || report_unwritten(r);
}

static bool read_all(struct reader *r, bool digest)
{
	return read_header(r) && put_header(r) && copy_graph(r) && read_records(r) && read_end(r, digest);
}

bool ck_text_read(FILE *in, const char *file, bool digest, struct ck_text_fault *fault)
{
	struct reader r = {.in = in, .fault = fault};
	char part[4096];
	bool good = snprintf(part, sizeof part, "%s.part", file) < (int)sizeof part;
	errno = good ? 0 : ENAMETOOLONG;
	r.out = good ? fopen(part, "wb") : NULL;
	r.digest = XXH3_createState();
	if (!r.out || !r.digest) {
		report_unwritten(&r);
		XXH3_freeState(r.digest);
		if (r.out)
			fclose(r.out);
		return false;
	}
	XXH3_128bits_reset(r.digest);
	pd_buf_init(&r.head, HEADER_MAX);
	pd_buf_init(&r.block, UINT32_MAX);
	pd_buf_init(&r.index, SIZE_MAX / 2);
	good = read_all(&r, digest);
	if (good && (fflush(r.out) || fsync(fileno(r.out))))
		good = report_unwritten(&r);
	if (fclose(r.out) && good)
		good = report_unwritten(&r);
	if (good && rename(part, file))
		good = report_unwritten(&r);
	if (!good)
		unlink(part);
	XXH3_freeState(r.digest);
	pd_buf_fini(&r.head);
	pd_buf_fini(&r.block);
	pd_buf_fini(&r.index);
	free(r.line);
	return good;
}
