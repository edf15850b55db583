/* Grid: boards of at most 64 squares, at most 63 in a row, as words of 64 bits, with their symmetries.
 *
 * Bit = square = row * width + column, row by row from the bottom left, without gaps. Symmetries are numbered by three
 * bits: 1 mirrors the columns, 2 then mirrors the rows, 4 then swaps columns and rows (square boards only). Images are
 * looked up a byte at a time in one table for each of the three. The canonical image of a position of several words is
 * the one whose words, compared as numbers one after the other, are smallest. If several symmetries give the same
 * words, the one with the smallest number is used, so a canonical position is its own frame. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	GRID_SQUARES_MAX = 64,
	GRID_COLUMNS_MAX = 63, /* so that a shift leads to the row above */
	GRID_SYMMETRIES_MAX = 8,
	GRID_MIRROR_COLUMNS = 1,
	GRID_MIRROR_ROWS = 2,
	GRID_SWAP = 4,
	GRID_WORDS_MAX = 2 /* of a key */
};

/* The images of each byte of a board: columns mirrored, rows mirrored, swapped. */
struct grid_tables {
	unsigned bytes; /* of a board */
	uint64_t table[3][GRID_SQUARES_MAX / 8][256];
};

struct grid {
	unsigned width, height, squares;
	unsigned symmetries;                                    /* 4, or all 8 */
	uint64_t full, not_first, not_last;                     /* all squares; less the first column; less the last */
	uint8_t map[GRID_SYMMETRIES_MAX][GRID_SQUARES_MAX];     /* the image of a square */
	uint8_t inverse[GRID_SYMMETRIES_MAX][GRID_SQUARES_MAX]; /* the square with that image */
	uint8_t order[GRID_SQUARES_MAX];                        /* squares, nearest to the centre first */
	uint8_t rank[GRID_SQUARES_MAX];                         /* index of a square in order */
	uint64_t later[GRID_SYMMETRIES_MAX];                    /* squares whose image is earlier in order */
	struct grid_tables tables;
};

/* The image of a square, on boards of any size. */
static inline unsigned grid_map(unsigned width, unsigned height, unsigned symmetry, unsigned square)
{
	unsigned column = square % width, row = square / width;
	if (symmetry & GRID_MIRROR_COLUMNS)
		column = width - 1 - column;
	if (symmetry & GRID_MIRROR_ROWS)
		row = height - 1 - row;
	return symmetry & GRID_SWAP ? column * width + row : row * width + column;
}

/* Twice the distance of a square from the centre, squared. */
unsigned grid_eccentricity(unsigned width, unsigned height, unsigned square);
/* Writes the squares of a board of any size in the order of a measure, equal ones in the order of their numbers. */
void grid_order(unsigned width, unsigned height, unsigned (*measure)(unsigned width, unsigned height, unsigned square),
		uint16_t *order);

/* Fills tables that are all zero. */
void grid_tables_prepare(struct grid_tables *t, unsigned width, unsigned height, unsigned symmetries);
/* Fills a grid that is all zero. `swap`: square boards have eight symmetries; other boards have four. */
void grid_prepare(struct grid *g, unsigned width, unsigned height, bool swap);

static inline uint64_t grid_look_up(const struct grid_tables *t, unsigned which, uint64_t x)
{
	uint64_t image = 0;
	for (unsigned i = 0; i < t->bytes; i++)
		image |= t->table[which][i][x >> 8 * i & 0xff];
	return image;
}

static inline void grid_images(const struct grid_tables *t, unsigned symmetries, uint64_t x,
			       uint64_t out[GRID_SYMMETRIES_MAX])
{
	out[0] = x;
	out[1] = grid_look_up(t, 0, x);
	out[2] = grid_look_up(t, 1, x);
	out[3] = grid_look_up(t, 1, out[1]);
	for (unsigned i = 4; i < symmetries; i++)
		out[i] = grid_look_up(t, 2, out[i - 4]);
}

static inline uint64_t grid_image(const struct grid_tables *t, unsigned symmetry, uint64_t x)
{
	if (symmetry & GRID_MIRROR_COLUMNS)
		x = grid_look_up(t, 0, x);
	if (symmetry & GRID_MIRROR_ROWS)
		x = grid_look_up(t, 1, x);
	return symmetry & GRID_SWAP ? grid_look_up(t, 2, x) : x;
}

/* The squares adjacent to a set. */
static inline uint64_t grid_neighbours(const struct grid *g, uint64_t x)
{
	return ((x << g->width | x >> g->width) & g->full) | (x & g->not_first) >> 1 | (x & g->not_last) << 1;
}

/* Finds the symmetry that maps one or two words to their canonical image, which is written to `least`. */
unsigned grid_canonical(const struct grid *g, const uint64_t *words, unsigned count, uint64_t *least);

/* Writes words of `squares` bits one after the other, then `last` as one more bit: a string of bits, lowest first, in
 * as few bytes as hold it. Returns their number. */
size_t grid_pack(const struct grid *g, const uint64_t *words, unsigned count, bool last, uint8_t *out);
/* Reads such a string; false if the size is wrong or a bit after the string is set. */
bool grid_unpack(const struct grid *g, const uint8_t *key, size_t size, uint64_t *words, unsigned count, bool *last);
static inline size_t grid_packed(const struct grid *g, unsigned count)
{
	return (count * g->squares + 8) / 8;
}
