#include "clients/proofcheck/plain_form.h"

#include <inttypes.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"

enum { BLOCK_RECORDS = 64 };

void ck_tour_count(const struct ck_tour *t, struct ck_counts *c)
{
	*c = (struct ck_counts){.positions = t->entries, .blocks = (t->entries + BLOCK_RECORDS - 1) / BLOCK_RECORDS};
	for (size_t i = 0; i < t->entries; i++)
		for (unsigned upper = 0; upper < 2; upper++) {
			const struct ck_why *why = &t->entry[i].why[upper];
			c->reasons += why->rank > 0;
			c->cards += why->rank && why->way == CK_BY_CARD;
		}
}

/* --- header ------------------------------------------------------------------------------- */

static void put_text(struct pd_buf *out, const char *name, struct ck_text text)
{
	pd_buf_puts(out, name);
	pd_buf_puts(out, ": ");
	pd_buf_put(out, text.at, text.size);
	pd_buf_puts(out, "\n");
}

static void put_bound(struct pd_buf *out, const char *name, const struct ck_bound *bound)
{
	if (bound->there)
		pd_buf_printf(out, "%s: %" PRId64 "\n", name, bound->value);
	else
		pd_buf_printf(out, "%s: -\n", name);
}

void ck_plain_head(const struct ck_header *h, unsigned format, const struct ck_counts *counts, const char *digest,
		   struct pd_buf *out)
{
	pd_buf_printf(out, "proofd certificate %u\n", format);
	put_text(out, "game", h->game);
	pd_buf_printf(out, "rules: %" PRIu64 "\n", h->rules);
	if (h->plugin.size)
		put_text(out, "plugin", h->plugin);
	put_text(out, "engine", h->engine);
	put_text(out, "position", h->position);
	pd_buf_puts(out, "root: ");
	for (size_t i = 0; i < h->root_size; i++)
		pd_buf_printf(out, "%02x", h->root[i]);
	pd_buf_puts(out, "\n");
	put_text(out, "claim", h->claim);
	put_text(out, "status", h->status);
	put_bound(out, "lo", &h->lo);
	put_bound(out, "hi", &h->hi);
	pd_buf_printf(out, "detail: full\npositions: %" PRIu64 "\nreasons: %" PRIu64 "\nleaves: 0\n", counts->positions,
		      counts->reasons);
	pd_buf_printf(out, "cards: %" PRIu64 "\nblocks: %" PRIu64 "\ngraph: %" PRIu64 "\ndigest: %s\n\n", counts->cards,
		      counts->blocks, h->graph, digest);
}

/* --- blocks ------------------------------------------------------------------------------- */

static void put_varint(struct pd_buf *out, uint64_t n)
{
	uint8_t bytes[PD_VARINT_MAX];
	pd_buf_put(out, bytes, (size_t)(pd_put_varint(bytes, n) - bytes));
}

static void put_reason(struct pd_buf *out, const struct ck_why *why, bool upper, int64_t bound)
{
	const uint8_t flags = (uint8_t)(CK_FLAG_RANK | (upper ? CK_FLAG_UPPER : 0) |
					(why->way == CK_BY_MOVE   ? CK_FLAG_MOVE
					 : why->way == CK_BY_CARD ? CK_FLAG_CARD
								  : 0));
	pd_buf_put(out, &flags, 1);
	put_varint(out, pd_zigzag(bound));
	put_varint(out, why->rank);
	if (why->way == CK_BY_MOVE)
		put_varint(out, why->move);
	if (why->way != CK_BY_CARD)
		return;
	put_varint(out, why->theorem);
	put_varint(out, why->size);
	pd_buf_put(out, why->witness, why->size);
}

/* `before` NULL: the record opens a block. */
static void put_record(struct pd_buf *out, const struct ck_tour *t, const struct ck_entry *e,
		       const struct ck_entry *before)
{
	size_t shared = 0;
	while (before && shared < e->key_size && shared < before->key_size && e->key[shared] == before->key[shared])
		shared++;
	put_varint(out, shared);
	put_varint(out, e->key_size - shared);
	pd_buf_put(out, e->key + shared, e->key_size - shared);
	put_varint(out, (e->why[0].rank > 0) + (e->why[1].rank > 0));
	for (unsigned upper = 0; upper < 2; upper++)
		if (e->why[upper].rank)
			put_reason(out, &e->why[upper], upper, t->bound[upper]);
}

static void put_block(struct pd_buf *out, const struct ck_tour *t, size_t first)
{
	size_t begin = out->size, count = t->entries - first < BLOCK_RECORDS ? t->entries - first : BLOCK_RECORDS;
	const uint8_t nothing[CK_BLOCK_HEAD] = {0};
	pd_buf_put(out, nothing, sizeof nothing);
	for (size_t i = 0; i < count; i++)
		put_record(out, t, &t->entry[first + i], i ? &t->entry[first + i - 1] : NULL);
	if (out->failed)
		return;
	uint8_t *head = (uint8_t *)out->data + begin;
	PD_ASSERT(out->size - begin - 4 <= UINT32_MAX);
	pd_put_le32(head, (uint32_t)(out->size - begin - 4));
	pd_put_le16(head + 4, (uint16_t)count);
}

void ck_plain_body(const struct ck_tour *t, struct pd_buf *out)
{
	struct pd_buf index;
	pd_buf_init(&index, SIZE_MAX / 2);
	for (size_t i = 0; i < t->entries; i += BLOCK_RECORDS) {
		uint8_t offset[8];
		pd_put_le64(offset, out->size);
		pd_buf_put(&index, offset, sizeof offset);
		put_block(out, t, i);
	}
	pd_buf_put(out, index.data, index.size);
	out->failed = out->failed || index.failed;
	pd_buf_fini(&index);
}
