#include "clients/proofcheck/keys.h"

#include <string.h>

#include "proto/base/assert.h"

unsigned ck_key_size(const struct ck_game *g, const struct ck_key_form *form)
{
	return (form->sets * g->width * g->height + form->turn + 7) / 8;
}

static void make_image(const struct ck_game *g, const uint8_t *at, unsigned symmetry, uint8_t *image)
{
	for (unsigned row = 0; row < g->height; row++)
		for (unsigned column = 0; column < g->width; column++) {
			unsigned x = symmetry & 1 ? g->width - 1 - column : column;
			unsigned y = symmetry & 2 ? g->height - 1 - row : row;
			image[symmetry & 4 ? x * g->width + y : y * g->width + x] = at[row * g->width + column];
		}
}

/* Whether a's numbers are smaller: the first sets decide, or if they are equal the second ones; within a set the
 * highest square that differs. */
static bool is_smaller(const uint8_t *a, const uint8_t *b, unsigned squares)
{
	for (unsigned set = 0; set < 2; set++)
		for (unsigned i = squares; i-- > 0;)
			if ((a[i] ^ b[i]) >> set & 1)
				return b[i] >> set & 1;
	return false;
}

void ck_smallest_image(const struct ck_game *g, const uint8_t *at, unsigned symmetries, uint8_t best[CK_SQUARES_MAX])
{
	uint8_t image[CK_SQUARES_MAX];
	unsigned squares = g->width * g->height;
	PD_ASSERT(squares >= 1 && squares <= CK_SQUARES_MAX && symmetries & 1);
	memcpy(best, at, squares);
	for (unsigned symmetry = 1; symmetry < (g->width == g->height ? 8u : 4u); symmetry++) {
		if (!(symmetries >> symmetry & 1))
			continue;
		make_image(g, at, symmetry, image);
		if (is_smaller(image, best, squares))
			memcpy(best, image, squares);
	}
}

size_t ck_key_write(const struct ck_game *g, const struct ck_key_form *form, const struct ck_position *p, uint8_t *out)
{
	uint8_t best[CK_SQUARES_MAX];
	unsigned squares = g->width * g->height, end = form->sets * squares, size = ck_key_size(g, form);
	ck_smallest_image(g, p->at, form->symmetries, best);
	memset(out, 0, size);
	for (unsigned i = 0; i < end; i++)
		if (best[i % squares] >> i / squares & 1)
			out[i / 8] |= (uint8_t)(1u << i % 8);
	if (form->turn && p->turn)
		out[end / 8] |= (uint8_t)(1u << end % 8);
	return size;
}

bool ck_key_read(const struct ck_game *g, const struct ck_key_form *form, const uint8_t *key, size_t size,
		 struct ck_position *p)
{
	unsigned squares = g->width * g->height, end = form->sets * squares;
	if (size != ck_key_size(g, form))
		return false;
	for (unsigned i = 0; i < 8 * size; i++) {
		if (!(key[i / 8] >> i % 8 & 1))
			continue;
		if (i < end)
			p->at[i % squares] |= (uint8_t)(1u << i / squares);
		else if (i == end && form->turn)
			p->turn = 1;
		else
			return false;
	}
	for (unsigned i = 0; i < squares; i++)
		if (p->at[i] > form->most)
			return false;
	return true;
}
