#include "clients/proofcheck/images.h"

#include <string.h>

#include "clients/proofcheck/board.h"
#include "proto/base/assert.h"

unsigned ck_images_key_size(unsigned squares, unsigned count)
{
	unsigned bits = count * squares + 1;
	return bits / 8 + (bits % 8 != 0);
}

/* The sets mirrored left to right, top to bottom, and along the diagonal, as asked. */
static struct ck_sets image_of(const struct ck_sets *from, bool across, bool down, bool turned)
{
	struct ck_sets image = *from;
	for (unsigned row = 0; row < from->height; row++)
		for (unsigned column = 0; column < from->width; column++) {
			unsigned x = across ? from->width - 1 - column : column;
			unsigned y = down ? from->height - 1 - row : row;
			unsigned to = turned ? x * from->width + y : y * from->width + x;
			for (unsigned i = 0; i < from->count; i++)
				image.set[i][to] = from->set[i][row * from->width + column];
		}
	return image;
}

/* Whether the numbers of a are smaller: the first difference from the top decides. */
static bool is_smaller(const struct ck_sets *a, const struct ck_sets *b)
{
	for (unsigned i = 0; i < a->count; i++)
		for (unsigned square = a->width * a->height; square-- > 0;)
			if (a->set[i][square] != b->set[i][square])
				return a->set[i][square] < b->set[i][square];
	return false;
}

size_t ck_images_key(const struct ck_sets *sets, bool last, uint8_t *out)
{
	unsigned squares = sets->width * sets->height, size = ck_images_key_size(squares, sets->count), bit = 0;
	struct ck_sets best = *sets;
	PD_ASSERT(squares >= 1 && squares <= CK_IMAGE_SQUARES_MAX && sets->count >= 1 && sets->count <= 2);
	for (unsigned way = 1; way < (sets->turns && sets->width == sets->height ? 8u : 4u); way++) {
		struct ck_sets image = image_of(sets, way % 2 == 1, way / 2 % 2 == 1, way >= 4);
		if (is_smaller(&image, &best))
			best = image;
	}
	memset(out, 0, size);
	for (unsigned i = 0; i < sets->count; i++)
		for (unsigned square = 0; square < squares; square++, bit++)
			if (best.set[i][square])
				out[bit / 8] |= (uint8_t)(1u << bit % 8);
	if (last)
		out[bit / 8] |= (uint8_t)(1u << bit % 8);
	return size;
}

bool ck_images_read(struct ck_sets *sets, const uint8_t *key, size_t size, bool *last)
{
	unsigned squares = sets->width * sets->height, end = sets->count * squares;
	PD_ASSERT(squares >= 1 && squares <= CK_IMAGE_SQUARES_MAX && sets->count >= 1 && sets->count <= 2);
	if (size != ck_images_key_size(squares, sets->count))
		return false;
	memset(sets->set, 0, sizeof sets->set);
	*last = false;
	for (unsigned bit = 0; bit < 8 * size; bit++) {
		if (!(key[bit / 8] >> bit % 8 & 1))
			continue;
		if (bit > end)
			return false;
		if (bit == end)
			*last = true;
		else
			sets->set[bit / squares][bit % squares] = 1;
	}
	return true;
}

bool ck_size_read(const char *params, unsigned *width, unsigned *height)
{
	const char *p = params;
	return ck_number(&p, width) && *p++ == 'x' && ck_number(&p, height) && !*p && *width < 64 &&
	       *width * *height <= CK_IMAGE_SQUARES_MAX;
}

bool ck_square_read(const char **text, unsigned width, unsigned height, unsigned *square)
{
	unsigned column = 0, row, letters = 0;
	for (; **text >= 'a' && **text <= 'z' && letters < 2; letters++)
		column = column * 26 + (unsigned)(*(*text)++ - 'a') + 1;
	if (!letters || !ck_number(text, &row) || column > width || row > height)
		return false;
	*square = (row - 1) * width + column - 1;
	return true;
}
