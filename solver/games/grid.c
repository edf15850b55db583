#include "solver/games/grid.h"

#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"

unsigned grid_eccentricity(unsigned width, unsigned height, unsigned square)
{
	int x = 2 * (int)(square % width) + 1 - (int)width, y = 2 * (int)(square / width) + 1 - (int)height;
	return (unsigned)(x * x + y * y);
}

void grid_order(unsigned width, unsigned height, unsigned (*measure)(unsigned width, unsigned height, unsigned square),
		uint16_t *order)
{
	for (unsigned i = 0; i < width * height; i++) {
		unsigned place = i;
		for (; place > 0 && measure(width, height, order[place - 1]) > measure(width, height, i); place--)
			order[place] = order[place - 1];
		order[place] = (uint16_t)i;
	}
}

void grid_tables_prepare(struct grid_tables *t, unsigned width, unsigned height, unsigned symmetries)
{
	t->bytes = (width * height + 7) / 8;
	for (unsigned which = 0; which < 3 && 1u << which < symmetries; which++)
		for (unsigned square = 0; square < width * height; square++) {
			uint64_t image = UINT64_C(1) << grid_map(width, height, 1u << which, square);
			for (unsigned byte = 0; byte < 256; byte++)
				if (byte >> square % 8 & 1)
					t->table[which][square / 8][byte] |= image;
		}
}

void grid_prepare(struct grid *g, unsigned width, unsigned height, bool swap)
{
	uint16_t order[GRID_SQUARES_MAX];
	PD_ASSERT(width >= 1 && width <= GRID_COLUMNS_MAX && height >= 1 && height <= GRID_SQUARES_MAX / width);
	g->width = width;
	g->height = height;
	g->squares = width * height;
	g->full = ~UINT64_C(0) >> (64 - g->squares);
	g->symmetries = swap && width == height ? 8 : 4;
	grid_tables_prepare(&g->tables, width, height, g->symmetries);
	grid_order(width, height, grid_eccentricity, order);
	for (unsigned i = 0; i < g->squares; i++) {
		g->order[i] = (uint8_t)order[i];
		g->rank[order[i]] = (uint8_t)i;
		g->not_first |= (uint64_t)(i % width != 0) << i;
		g->not_last |= (uint64_t)(i % width != width - 1) << i;
	}
	for (unsigned i = 0; i < g->symmetries; i++)
		for (unsigned square = 0; square < g->squares; square++) {
			unsigned to = grid_map(width, height, i, square);
			g->map[i][square] = (uint8_t)to;
			g->inverse[i][to] = (uint8_t)square;
			g->later[i] |= (uint64_t)(g->rank[to] < g->rank[square]) << square;
		}
}

unsigned grid_canonical(const struct grid *g, const uint64_t *words, unsigned count, uint64_t *least)
{
	uint64_t images[GRID_SYMMETRIES_MAX];
	unsigned best = 0;
	PD_DEBUG_ASSERT(count >= 1 && count <= GRID_WORDS_MAX);
	grid_images(&g->tables, g->symmetries, words[0], images);
	least[0] = images[0];
	for (unsigned i = 1; i < g->symmetries; i++)
		least[0] = images[i] < least[0] ? images[i] : least[0];
	bool found = false;
	for (unsigned i = 0; i < g->symmetries; i++) {
		if (images[i] != least[0])
			continue;
		uint64_t second = count > 1 ? grid_image(&g->tables, i, words[1]) : 0;
		if (found && (count < 2 || second >= least[1]))
			continue;
		found = true;
		best = i;
		if (count > 1)
			least[1] = second;
	}
	return best;
}

static void put_word(uint8_t *out, unsigned at, uint64_t word)
{
	uint8_t *p = out + at / 8;
	unsigned shift = at % 8;
	pd_put_le64(p, pd_get_le64(p) | word << shift);
	if (shift)
		p[8] |= (uint8_t)(word >> (64 - shift));
}

static uint64_t get_word(const uint8_t *in, unsigned at)
{
	unsigned shift = at % 8;
	const uint8_t *p = in + at / 8;
	return shift ? pd_get_le64(p) >> shift | (uint64_t)p[8] << (64 - shift) : pd_get_le64(p);
}

enum { PACKED_ROOM = (GRID_WORDS_MAX + 1) * 8 + 8 };

size_t grid_pack(const struct grid *g, const uint64_t *words, unsigned count, bool last, uint8_t *out)
{
	uint8_t bytes[PACKED_ROOM] = {0};
	for (unsigned i = 0; i < count; i++)
		put_word(bytes, i * g->squares, words[i]);
	bytes[count * g->squares / 8] |= (uint8_t)(last << count * g->squares % 8);
	memcpy(out, bytes, grid_packed(g, count));
	return grid_packed(g, count);
}

bool grid_unpack(const struct grid *g, const uint8_t *key, size_t size, uint64_t *words, unsigned count, bool *last)
{
	uint8_t bytes[PACKED_ROOM] = {0};
	PD_ASSERT(count <= GRID_WORDS_MAX);
	if (size != grid_packed(g, count))
		return false;
	memcpy(bytes, key, size);
	for (unsigned i = 0; i < count; i++)
		words[i] = get_word(bytes, i * g->squares) & g->full;
	uint64_t rest = get_word(bytes, count * g->squares);
	*last = rest & 1;
	return rest <= 1;
}
