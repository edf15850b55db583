/* Grid: boards of at most 64 squares, 63 in a row, as words of 64 bits, with their symmetries.
 *
 * Bit = square = row * width + column, row by row from the bottom left, without gaps. Symmetries are numbered by three
 * bits: 1 mirrors the columns, 2 then mirrors the rows, 4 then swaps columns and rows (square boards only). Images are
 * looked up a byte at a time in one table for each of the three. A position of several words has as its canonical image
 * the one whose words, compared as numbers one after the other, are smallest; of symmetries that give the same words
 * the one with the smallest number counts, so a canonical position is its own frame. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	GRID_SQUARES_MAX = 64,
	GRID_COLUMNS_MAX = 63, /* so that a row up is a shift */
	GRID_BYTES_MAX = GRID_SQUARES_MAX / 8,
	GRID_SYMMETRIES_MAX = 8,
	GRID_MIRROR_COLUMNS = 1,
	GRID_MIRROR_ROWS = 2,
	GRID_SWAP = 4,
	GRID_WORDS_MAX = 2 /* of a key */
};

struct grid {
	unsigned width, height, squares, bytes;
	unsigned symmetries;                                    /* the first ones of eight */
	uint64_t full, not_first, not_last;                     /* all squares; less the first column; less the last */
	uint8_t map[GRID_SYMMETRIES_MAX][GRID_SQUARES_MAX];     /* where a symmetry takes a square */
	uint8_t inverse[GRID_SYMMETRIES_MAX][GRID_SQUARES_MAX]; /* where it came from */
	uint8_t order[GRID_SQUARES_MAX];                        /* squares, nearest to the centre first */
	uint8_t rank[GRID_SQUARES_MAX];                         /* place of a square in order */
	uint64_t later[GRID_SYMMETRIES_MAX];                    /* squares that a symmetry takes to an earlier one */
	uint64_t table[3][GRID_BYTES_MAX][256];
};

/* Reads "WxH", the size of a board that fits; NULL, or what is wrong. */
const char *grid_size_read(const char *params, unsigned *width, unsigned *height);

/* Fills a grid that is all zero. The size is one that grid_size_read accepts; `swap`: square boards have eight
 * symmetries, else four. */
void grid_prepare(struct grid *g, unsigned width, unsigned height, bool swap);

static inline uint64_t grid_look_up(const struct grid *g, unsigned which, uint64_t x)
{
	uint64_t image = 0;
	for (unsigned i = 0; i < g->bytes; i++)
		image |= g->table[which][i][x >> 8 * i & 0xff];
	return image;
}

static inline void grid_images(const struct grid *g, uint64_t x, uint64_t out[GRID_SYMMETRIES_MAX])
{
	out[0] = x;
	out[1] = grid_look_up(g, 0, x);
	out[2] = grid_look_up(g, 1, x);
	out[3] = grid_look_up(g, 1, out[1]);
	for (unsigned i = 4; i < g->symmetries; i++)
		out[i] = grid_look_up(g, 2, out[i - 4]);
}

static inline uint64_t grid_image(const struct grid *g, unsigned symmetry, uint64_t x)
{
	if (symmetry & GRID_MIRROR_COLUMNS)
		x = grid_look_up(g, 0, x);
	if (symmetry & GRID_MIRROR_ROWS)
		x = grid_look_up(g, 1, x);
	return symmetry & GRID_SWAP ? grid_look_up(g, 2, x) : x;
}

/* The squares next to a set. */
static inline uint64_t grid_neighbours(const struct grid *g, uint64_t x)
{
	return ((x << g->width | x >> g->width) & g->full) | (x & g->not_first) >> 1 | (x & g->not_last) << 1;
}

/* The symmetry that takes one or two words to their canonical image, which is written to `least`. */
unsigned grid_canonical(const struct grid *g, const uint64_t *words, unsigned count, uint64_t *least);

/* Writes words of `squares` bits each one after the other, then `last` as one more bit: a string of bits, lowest first,
 * in as many bytes as hold it; returns how many. */
size_t grid_pack(const struct grid *g, const uint64_t *words, unsigned count, bool last, uint8_t *out);
/* The reverse; false when there are other bytes or bits. */
bool grid_unpack(const struct grid *g, const uint8_t *key, size_t size, uint64_t *words, unsigned count, bool *last);
static inline size_t grid_packed(const struct grid *g, unsigned count)
{
	return (count * g->squares + 8) / 8;
}
