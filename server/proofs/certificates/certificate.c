#include "server/proofs/certificates/certificate.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/part_file.h"

enum {
	BLOCK_RECORDS = 64,
	DIGEST_DIGITS = 32,
	HEADER_MAX = 1 << 20, /* bytes */
	WITNESS_MAX = 512     /* bytes */
};
enum { FLAG_UPPER = 1, FLAG_RANK = 2, FLAG_MOVE = 4, FLAG_EFFORT = 8, FLAG_CARD = 16 }; /* of a reason */

/* --- the frames of a compressed certificate (proto/CERTIFICATE.md) ------------------------- */

/* What follows the header is cut into pieces of equal size, and each becomes a frame of zstd: one piece can be unpacked
 * without the others. A piece that zstd makes no smaller, or smaller than the format allows, is stored uncompressed. */
enum {
	PACK_LEVEL = 9,
	PACK_PIECE = 1 << 18, /* bytes of a piece: larger ones compress hardly better */
	PACK_RATIO = 64       /* bytes of content for one byte of a frame, at most */
};

struct sv_pack {
	void *context;     /* owned: zstd's */
	char *piece;       /* owned: content that is not written yet */
	char *frame;       /* owned */
	size_t used, room; /* bytes in `piece`; bytes that `frame` can take */
	struct pd_buf index;
	uint64_t content, written; /* bytes */
	bool no_memory;            /* a function failed for lack of memory; else errno says why */
};

static bool lacks_memory(struct sv_pack *p)
{
	p->no_memory = true;
	return false;
}

/* False without memory; pack_fini follows in any case. */
static bool pack_init(struct sv_pack *p)
{
	*p = (struct sv_pack){.room = ZSTD_compressBound(PACK_PIECE)};
	pd_buf_init(&p->index, SIZE_MAX / 2);
	p->context = ZSTD_createCCtx();
	p->piece = malloc(PACK_PIECE);
	p->frame = malloc(p->room);
	if (!p->context || !p->piece || !p->frame ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(p->context, ZSTD_c_compressionLevel, PACK_LEVEL)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(p->context, ZSTD_c_checksumFlag, 1)))
		return lacks_memory(p);
	return true;
}

static void pack_fini(struct sv_pack *p)
{
	ZSTD_freeCCtx(p->context);
	free(p->piece);
	free(p->frame);
	pd_buf_fini(&p->index);
}

static bool write_packed(struct sv_pack *p, FILE *file, const void *data, size_t size)
{
	p->written += size;
	return !size || fwrite(data, 1, size, file) == size;
}

static bool end_piece(struct sv_pack *p, FILE *file)
{
	uint8_t bytes[4];
	PD_ASSERT(p->used >= 1 && p->used <= PACK_PIECE);
	size_t size = ZSTD_compress2(p->context, p->frame, p->room, p->piece, p->used);
	if (ZSTD_isError(size)) /* with room for any frame, only memory can fail */
		return lacks_memory(p);
	bool good = size < p->used && size * PACK_RATIO >= p->used;
	size = good ? size : p->used;
	pd_put_le32(bytes, (uint32_t)size);
	pd_buf_put(&p->index, bytes, sizeof bytes);
	p->content += p->used;
	p->used = 0;
	if (p->index.failed)
		return lacks_memory(p);
	return write_packed(p, file, good ? p->frame : p->piece, size);
}

static bool pack_put(struct sv_pack *p, FILE *file, const void *data, size_t size)
{
	const char *from = data;
	while (size) {
		size_t part = PACK_PIECE - p->used < size ? PACK_PIECE - p->used : size;
		memcpy(p->piece + p->used, from, part);
		p->used += part;
		from += part;
		size -= part;
		if (p->used == PACK_PIECE && !end_piece(p, file))
			return false;
	}
	return true;
}

/* Writes what is left and the index. */
static bool pack_end(struct sv_pack *p, FILE *file)
{
	uint8_t trailer[16];
	if (p->used && !end_piece(p, file))
		return false;
	PD_ASSERT(p->index.size / 4 <= UINT32_MAX);
	pd_put_le64(trailer, p->content);
	pd_put_le32(trailer + 8, PACK_PIECE);
	pd_put_le32(trailer + 12, (uint32_t)(p->index.size / 4));
	return write_packed(p, file, p->index.data, p->index.size) && write_packed(p, file, trailer, sizeof trailer);
}

/* --- the file ----------------------------------------------------------------------------- */

static int no_memory(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a certificate");
}

/* Writes a part of the body. */
static int write_bytes(struct sv_certificate *c, const void *data, size_t size, struct pd_fail *fail)
{
	bool good = c->pack ? pack_put(c->pack, c->file, data, size) : !size || fwrite(data, 1, size, c->file) == size;
	if (!good)
		return c->pack && c->pack->no_memory ? no_memory(fail) : pd_fail_errno(fail, "file", "write", c->part);
	c->offset += size;
	XXH3_128bits_update(c->digest, data, size);
	return PD_OK;
}

static void print_bound(struct pd_buf *out, const char *name, bool has, int bound)
{
	if (has)
		pd_buf_printf(out, "%s: %d\n", name, bound);
	else
		pd_buf_printf(out, "%s: -\n", name);
}

/* Prints the header up to its digest line. */
static void print_header(struct pd_buf *out, const struct sv_certificate_head *h)
{
	pd_buf_printf(out, "proofd certificate %d\ngame: %s\nrules: %" PRIu64 "\n",
		      h->cards ? SV_CERTIFICATE_CARDS : SV_CERTIFICATE_RULES, h->game, h->rules);
	if (h->plugin)
		pd_buf_printf(out, "plugin: %016" PRIx64 "\n", h->plugin);
	pd_buf_printf(out, "engine: proofd %s\n", PD_VERSION);
	pd_buf_printf(out, "position: %s\nroot: ", h->position);
	for (size_t i = 0; i < h->root_size; i++)
		pd_buf_printf(out, "%02x", h->root[i]);
	pd_buf_printf(out, "\nclaim: %s\nstatus: %s\n", h->claim, h->status);
	print_bound(out, "lo", h->has_lo, h->lo);
	print_bound(out, "hi", h->has_hi, h->hi);
	pd_buf_printf(out, "detail: %s\npositions: %" PRIu64 "\nreasons: %" PRIu64 "\nleaves: %" PRIu64 "\n",
		      h->full ? "full" : "frontier", h->positions, h->reasons, h->leaves);
	if (h->cards)
		pd_buf_printf(out, "cards: %" PRIu64 "\n", h->with_card);
	pd_buf_printf(out, "blocks: %" PRIu64 "\ngraph: %" PRIu64 "\n",
		      (h->positions + BLOCK_RECORDS - 1) / BLOCK_RECORDS, h->graph_size);
}

/* Writes the header, with zeros for the digest, which is that of the certificate before it is compressed. */
static int write_header(struct sv_certificate *c, const struct sv_certificate_head *head, struct pd_fail *fail)
{
	static const char first[] = "proofd certificate ", name[] = "digest: ";
	struct pd_buf text;
	pd_buf_init(&text, HEADER_MAX);
	print_header(&text, head);
	if (!text.failed)
		XXH3_128bits_update(c->digest, text.data, text.size);
	if (!text.failed && head->compress)
		text.data[sizeof first - 1]++;
	c->digest_at = (long)text.size + (long)sizeof name - 1;
	pd_buf_printf(&text, "%s%0*d\n\n", name, DIGEST_DIGITS, 0);
	c->header = c->offset = text.size;
	int rc = text.failed                                             ? no_memory(fail)
		 : fwrite(text.data, 1, text.size, c->file) != text.size ? pd_fail_errno(fail, "file", "write", c->part)
									 : PD_OK;
	pd_buf_fini(&text);
	return rc;
}

static int begin_pack(struct sv_certificate *c, struct pd_fail *fail)
{
	c->pack = malloc(sizeof *c->pack);
	return c->pack && pack_init(c->pack) ? PD_OK : no_memory(fail);
}

/* Completes the frames of a compressed certificate. */
static int end_pack(struct sv_certificate *c, struct pd_fail *fail)
{
	if (!c->pack || pack_end(c->pack, c->file))
		return PD_OK;
	return c->pack->no_memory ? no_memory(fail) : pd_fail_errno(fail, "file", "write", c->part);
}

struct copying {
	struct sv_certificate *certificate;
	struct pd_fail *fail;
};

static int copy_piece(void *ctx, const char *data, size_t size)
{
	struct copying *c = ctx;
	return write_bytes(c->certificate, data, size, c->fail);
}

static int write_graph(struct sv_certificate *c, const struct sv_certificate_head *head, struct pd_fail *fail)
{
	struct copying copying = {c, fail};
	PD_ASSERT(!head->graph_file || head->graph_size == head->graph_file->bytes);
	return head->graph_file ? pr_graph_copy(head->graph_file, copy_piece, &copying, fail)
				: write_bytes(c, head->graph, head->graph_size, fail);
}

int sv_certificate_begin(struct sv_certificate *c, const char *path, const struct sv_certificate_head *head,
			 struct pd_fail *fail)
{
	*c = (struct sv_certificate){0};
	if (strlen(path) >= sizeof c->path)
		return pd_fail_set(fail, PD_E_PARAMS, "file", "a file's name has at most %zu bytes",
				   sizeof c->path - 1);
	snprintf(c->path, sizeof c->path, "%s", path);
	snprintf(c->part, sizeof c->part, "%s.part", path);
	int rc = pd_part_open(c->part, &c->file, fail);
	if (rc)
		return rc;
	c->digest = XXH3_createState();
	if (!c->digest || ftruncate(fileno(c->file), 0)) {
		rc = c->digest ? pd_fail_errno(fail, "file", "write", c->part) : no_memory(fail);
		XXH3_freeState(c->digest);
		unlink(c->part);
		fclose(c->file);
		return rc;
	}
	XXH3_128bits_reset(c->digest);
	c->positions = head->positions;
	c->reasons = head->reasons;
	c->leaves = head->leaves;
	c->cards = head->cards;
	c->with_card = head->with_card;
	pd_buf_init(&c->block, UINT32_MAX - 2); /* its size is a u32 */
	pd_buf_init(&c->index, SIZE_MAX / 2);
	rc = write_header(c, head, fail);
	if (!rc && head->compress)
		rc = begin_pack(c, fail);
	if (!rc)
		rc = write_graph(c, head, fail);
	if (rc)
		sv_certificate_end(c, false, NULL, fail);
	return rc;
}

/* Writes the current block unless it is empty. */
static int end_block(struct sv_certificate *c, struct pd_fail *fail)
{
	uint8_t head[6], at[8];
	if (!c->records)
		return PD_OK;
	if (c->block.failed || c->index.failed)
		return no_memory(fail);
	pd_put_le64(at, c->offset);
	pd_buf_put(&c->index, at, sizeof at);
	pd_put_le32(head, (uint32_t)(c->block.size + 2));
	pd_put_le16(head + 4, (uint16_t)c->records);
	int rc = write_bytes(c, head, sizeof head, fail);
	if (!rc)
		rc = write_bytes(c, c->block.data, c->block.size, fail);
	pd_buf_reset(&c->block);
	c->records = 0;
	return rc;
}

/* A card in the buffer: its bytes as in a certificate, after their number in two bytes. */
uint32_t sv_certificate_card(struct pd_buf *cards, unsigned theorem, const uint8_t *witness, unsigned size)
{
	uint8_t bytes[2 + 2 * PD_VARINT_MAX], *p = pd_put_varint(bytes + 2, theorem);
	size_t at = cards->size;
	PD_ASSERT(theorem >= 1 && theorem <= UINT16_MAX && size <= WITNESS_MAX);
	p = pd_put_varint(p, size);
	pd_put_le16(bytes, (uint16_t)((size_t)(p - bytes) - 2 + size));
	pd_buf_put(cards, bytes, (size_t)(p - bytes));
	pd_buf_put(cards, witness, size);
	return cards->failed || cards->size > UINT32_MAX ? 0 : (uint32_t)at + 1;
}

static void put_card(struct pd_buf *out, const struct pd_buf *cards, uint32_t place)
{
	PD_ASSERT(cards && place <= cards->size);
	const uint8_t *card = (const uint8_t *)cards->data + place - 1;
	pd_buf_put(out, card + 2, pd_get_le16(card));
}

static void put_reason(struct pd_buf *out, const struct pd_reason *r, const struct pd_buf *cards)
{
	uint8_t bytes[1 + 4 * PD_VARINT_MAX], *p = bytes;
	bool ranked = r->rank != PD_RANK_NONE, moved = !r->effort && r->move != PD_NO_MOVE;
	PD_ASSERT(!r->job || (!moved && !r->effort));
	*p++ = (uint8_t)((r->side == PD_HI ? FLAG_UPPER : 0) | (ranked ? FLAG_RANK : 0) | (moved ? FLAG_MOVE : 0) |
			 (r->effort ? FLAG_EFFORT : 0) | (r->job ? FLAG_CARD : 0));
	p = pd_put_varint(p, pd_zigzag(r->bound));
	if (ranked)
		p = pd_put_varint(p, r->rank);
	if (moved)
		p = pd_put_varint(p, r->move);
	if (r->effort)
		p = pd_put_varint(p, r->effort);
	pd_buf_put(out, bytes, (size_t)(p - bytes));
	if (r->job)
		put_card(out, cards, r->job);
}

static bool is_greater(const struct sv_certificate *c, const uint8_t *key, size_t size)
{
	int order = memcmp(key, c->key, size < c->key_size ? size : c->key_size);
	return order ? order > 0 : size > c->key_size;
}

int sv_certificate_put(struct sv_certificate *c, const uint8_t *key, size_t size, const struct pd_reason *reasons,
		       unsigned count, struct pd_fail *fail)
{
	uint8_t bytes[2 * PD_VARINT_MAX], *p;
	size_t shared = 0;
	PD_ASSERT(size >= 1 && size <= sizeof c->key && count >= 1);
	PD_ASSERT(!c->key_size || is_greater(c, key, size));
	PD_ASSERT(c->positions >= 1 && c->reasons >= count);
	c->positions--;
	c->reasons -= count;
	while (c->records && shared < size && shared < c->key_size && key[shared] == c->key[shared])
		shared++;
	p = pd_put_varint(bytes, shared);
	p = pd_put_varint(p, size - shared);
	pd_buf_put(&c->block, bytes, (size_t)(p - bytes));
	pd_buf_put(&c->block, key + shared, size - shared);
	pd_buf_put(&c->block, bytes, (size_t)(pd_put_varint(bytes, count) - bytes));
	for (unsigned i = 0; i < count; i++) {
		PD_ASSERT(!reasons[i].effort || c->leaves >= 1);
		PD_ASSERT(!reasons[i].job || c->with_card >= 1);
		c->leaves -= reasons[i].effort > 0;
		c->with_card -= reasons[i].job > 0;
		put_reason(&c->block, &reasons[i], c->cards);
	}
	memcpy(c->key, key, size);
	c->key_size = size;
	return ++c->records == BLOCK_RECORDS ? end_block(c, fail) : PD_OK;
}

/* Writes the digest into the header and syncs the file. */
static int write_digest(struct sv_certificate *c, struct pd_fail *fail)
{
	XXH128_canonical_t digest;
	XXH128_canonicalFromHash(&digest, XXH3_128bits_digest(c->digest));
	if (fseek(c->file, c->digest_at, SEEK_SET))
		return pd_fail_errno(fail, "file", "write", c->part);
	for (unsigned i = 0; i < sizeof digest.digest; i++)
		fprintf(c->file, "%02x", digest.digest[i]);
	if (fflush(c->file) || ferror(c->file) || fsync(fileno(c->file)))
		return pd_fail_errno(fail, "file", "write", c->part);
	return PD_OK;
}

/* Syncs the file's directory, and the directory above, because the first may be new as well. */
static int sync_name(const char *path, struct pd_fail *fail)
{
	static const char *const up[] = {"", "/.."};
	char copy[sizeof((struct sv_certificate *)0)->path], directory[sizeof copy + 8];
	int rc = PD_OK;
	snprintf(copy, sizeof copy, "%s", path);
	const char *parent = dirname(copy);
	for (unsigned i = 0; i < 2 && !rc; i++) {
		snprintf(directory, sizeof directory, "%s%s", parent, up[i]);
		int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && fsync(fd) && errno != EINVAL) /* some directories cannot be read or synced */
			rc = pd_fail_errno(fail, "file", "sync", directory);
		if (fd >= 0)
			close(fd);
	}
	return rc;
}

int sv_certificate_rename(const char *from, const char *to, struct pd_fail *fail)
{
	return rename(from, to) ? pd_fail_errno(fail, "file", "rename", from) : sync_name(to, fail);
}

int sv_certificate_end(struct sv_certificate *c, bool good, uint64_t *bytes, struct pd_fail *fail)
{
	int rc = good ? end_block(c, fail) : PD_OK;
	PD_ASSERT(!good || (!c->positions && !c->reasons && !c->leaves && !c->with_card));
	if (good && !rc)
		rc = write_bytes(c, c->index.data, c->index.size, fail);
	if (good && !rc)
		rc = end_pack(c, fail);
	if (good && !rc)
		rc = write_digest(c, fail);
	if (good && !rc)
		rc = sv_certificate_rename(c->part, c->path, fail);
	if (!good || rc)
		unlink(c->part);
	fclose(c->file); /* and unlocks it; what it holds is on disk */
	if (good && !rc && bytes)
		*bytes = c->pack ? c->header + c->pack->written : c->offset;
	XXH3_freeState(c->digest);
	if (c->pack)
		pack_fini(c->pack);
	free(c->pack);
	pd_buf_fini(&c->block);
	pd_buf_fini(&c->index);
	return rc;
}
