#include "clients/proofcheck/range.h"

#include "proto/base/assert.h"

enum { HALF = 1 << 15, LEAST = 32, SEEN_MAX = 30 };

void ck_range_write(struct ck_range *r, struct pd_buf *out)
{
	*r = (struct ck_range){.out = out, .high = UINT32_MAX};
}

/* The next byte of the code; zeros follow the last one. */
static uint32_t read_byte(const struct ck_range *r, uint64_t at)
{
	return at < r->size ? r->in[at] : 0;
}

void ck_range_read(struct ck_range *r, const uint8_t *in, uint64_t size)
{
	*r = (struct ck_range){.in = in, .size = size, .high = UINT32_MAX};
	for (unsigned i = 0; i < 4; i++)
		r->code = r->code << 8 | read_byte(r, i);
}

static void learn_bit(struct ck_chance *c, unsigned bit)
{
	int32_t chance = (uint16_t)(c->offset + HALF), rate = c->seen + 2;
	chance += bit ? (2 * HALF - chance) / rate : -(chance / rate);
	chance = chance < LEAST ? LEAST : chance > 2 * HALF - LEAST ? 2 * HALF - LEAST : chance;
	c->offset = (uint16_t)(chance - HALF);
	c->seen += c->seen < SEEN_MAX;
}

unsigned ck_range_bit(struct ck_range *r, struct ck_chance *chance, unsigned bit)
{
	uint32_t one = (uint16_t)(chance->offset + HALF);
	uint32_t middle = r->low + (uint32_t)((uint64_t)(r->high - r->low) * one >> 16);
	PD_ASSERT(r->low <= middle && middle < r->high && bit <= 1);
	if (!r->out)
		bit = r->code <= middle;
	if (bit)
		r->high = middle;
	else
		r->low = middle + 1;
	learn_bit(chance, bit);
	for (; (r->low ^ r->high) >> 24 == 0; r->low <<= 8, r->high = r->high << 8 | 0xff, r->used++) {
		const uint8_t byte = (uint8_t)(r->low >> 24);
		if (r->out)
			pd_buf_put(r->out, &byte, 1);
		else
			r->code = r->code << 8 | read_byte(r, r->used + 4);
	}
	r->bad = r->bad || (!r->out && r->used >= r->size);
	return bit;
}

unsigned ck_range_tree(struct ck_range *r, struct ck_chance *tree, unsigned bits, unsigned number)
{
	unsigned node = 1;
	PD_ASSERT(bits >= 1 && number < 1u << bits);
	for (unsigned i = bits; i--;)
		node = node << 1 | ck_range_bit(r, &tree[node], number >> i & 1);
	return node - (1u << bits);
}

bool ck_range_end(struct ck_range *r)
{
	const uint8_t last = (uint8_t)((r->low >> 24) + 1); /* with zeros behind it, between low and high */
	PD_ASSERT((r->low >> 24) < (r->high >> 24));
	if (!r->out)
		return !r->bad && r->used + 1 == r->size;
	pd_buf_put(r->out, &last, 1);
	return true;
}
