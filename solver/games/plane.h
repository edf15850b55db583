/* Planes: sets of squares, one bit a square, for the boards of mnk_board.h and hex_board.h.
 *
 * The includer defines PLANE_SQUARES. A plane of up to 128 squares is one integer, a larger one an array of words. Bits
 * shifted beyond either end are lost. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/text.h"

enum { PLANE_WORDS = (PLANE_SQUARES + 63) / 64 };

#if PLANE_SQUARES <= 128

#if PLANE_SQUARES <= 64
typedef uint64_t plane;
#else
typedef unsigned __int128 plane;
#endif
typedef uint8_t square_number;

static inline uint64_t plane_word(plane x, unsigned i)
{
	return (uint64_t)(i ? x >> 32 >> 32 : x);
}

static inline plane plane_of_words(const uint64_t word[PLANE_WORDS])
{
	plane x = word[PLANE_WORDS - 1];
	return PLANE_WORDS > 1 ? x << 32 << 32 | word[0] : x;
}

static inline plane plane_bit(unsigned square)
{
	return (plane)1 << square;
}

/* 1 if the square is in the set, else 0; a number, because a bool costs the inner loop an instruction a square. */
static inline unsigned plane_has(plane x, unsigned square)
{
	return (unsigned)(x >> square & 1);
}

static inline plane plane_and(plane a, plane b)
{
	return a & b;
}

static inline plane plane_or(plane a, plane b)
{
	return a | b;
}

/* The squares of a that are not in b. */
static inline plane plane_minus(plane a, plane b)
{
	return a & ~b;
}

static inline plane plane_up(plane x, unsigned by)
{
	return x << by;
}

static inline plane plane_down(plane x, unsigned by)
{
	return x >> by;
}

static inline bool plane_any(plane x)
{
	return x != 0;
}

/* Compares planes as numbers. */
static inline bool plane_less(plane a, plane b)
{
	return a < b;
}

static inline plane plane_max(void)
{
	return ~(plane)0;
}

static inline unsigned plane_count(plane x)
{
	return text_count(plane_word(x, 0)) + (PLANE_WORDS > 1 ? text_count(plane_word(x, 1)) : 0);
}

/* The lowest square of a non-empty set, and the set without it. */
static inline unsigned plane_first(plane x)
{
	uint64_t low = plane_word(x, 0);
	return PLANE_WORDS == 1 || low ? (unsigned)__builtin_ctzll(low)
				       : 64 + (unsigned)__builtin_ctzll(plane_word(x, 1));
}

static inline plane plane_without_first(plane x)
{
	return x & (x - 1);
}

#else

typedef struct {
	uint64_t word[PLANE_WORDS]; /* lowest first */
} plane;
typedef uint16_t square_number;

static inline uint64_t plane_word(plane x, unsigned i)
{
	return x.word[i];
}

static inline plane plane_of_words(const uint64_t word[PLANE_WORDS])
{
	plane x;
	memcpy(x.word, word, sizeof x.word);
	return x;
}

static inline plane plane_bit(unsigned square)
{
	plane x = {{0}};
	x.word[square / 64] = UINT64_C(1) << square % 64;
	return x;
}

static inline unsigned plane_has(plane x, unsigned square)
{
	return (unsigned)(x.word[square / 64] >> square % 64 & 1);
}

static inline plane plane_and(plane a, plane b)
{
	for (unsigned i = 0; i < PLANE_WORDS; i++)
		a.word[i] &= b.word[i];
	return a;
}

static inline plane plane_or(plane a, plane b)
{
	for (unsigned i = 0; i < PLANE_WORDS; i++)
		a.word[i] |= b.word[i];
	return a;
}

static inline plane plane_minus(plane a, plane b)
{
	for (unsigned i = 0; i < PLANE_WORDS; i++)
		a.word[i] &= ~b.word[i];
	return a;
}

static inline plane plane_up(plane x, unsigned by)
{
	uint64_t room[2 * PLANE_WORDS] = {0}; /* the plane, and empty words below it */
	unsigned words = by / 64, bits = by % 64;
	plane out;
	PD_DEBUG_ASSERT(words < PLANE_WORDS);
	memcpy(room + PLANE_WORDS, x.word, sizeof x.word);
	const uint64_t *from = room + PLANE_WORDS - words;
	for (unsigned i = 0; i < PLANE_WORDS; i++)
		out.word[i] = from[i] << bits | from[(int)i - 1] >> 1 >> (63 - bits);
	return out;
}

static inline plane plane_down(plane x, unsigned by)
{
	uint64_t room[2 * PLANE_WORDS + 1] = {0}; /* the plane, and empty words above it */
	unsigned words = by / 64, bits = by % 64;
	plane out;
	PD_DEBUG_ASSERT(words < PLANE_WORDS);
	memcpy(room, x.word, sizeof x.word);
	const uint64_t *from = room + words;
	for (unsigned i = 0; i < PLANE_WORDS; i++)
		out.word[i] = from[i] >> bits | from[i + 1] << 1 << (63 - bits);
	return out;
}

static inline bool plane_any(plane x)
{
	uint64_t all = 0;
	for (unsigned i = 0; i < PLANE_WORDS; i++)
		all |= x.word[i];
	return all != 0;
}

static inline bool plane_less(plane a, plane b)
{
	for (unsigned i = PLANE_WORDS; i-- > 0;)
		if (a.word[i] != b.word[i])
			return a.word[i] < b.word[i];
	return false;
}

static inline plane plane_max(void)
{
	plane x;
	memset(&x, 0xff, sizeof x);
	return x;
}

static inline unsigned plane_count(plane x)
{
	unsigned count = 0;
	for (unsigned i = 0; i < PLANE_WORDS; i++)
		count += text_count(x.word[i]);
	return count;
}

static inline unsigned plane_first(plane x)
{
	unsigned i = 0;
	while (!x.word[i])
		i++;
	return 64 * i + (unsigned)__builtin_ctzll(x.word[i]);
}

static inline plane plane_without_first(plane x)
{
	unsigned i = 0;
	while (i + 1 < PLANE_WORDS && !x.word[i])
		i++;
	x.word[i] &= x.word[i] - 1;
	return x;
}

#endif

static inline plane plane_none(void)
{
	return plane_minus(plane_max(), plane_max());
}

static inline bool plane_same(plane a, plane b)
{
	return !plane_any(plane_minus(a, b)) && !plane_any(plane_minus(b, a));
}

/* Reverses the order of the squares. */
static inline plane plane_reversed(plane x)
{
	uint64_t word[PLANE_WORDS];
	for (unsigned i = 0; i < PLANE_WORDS; i++) {
		uint64_t w = plane_word(x, PLANE_WORDS - 1 - i);
		w = (w >> 1 & UINT64_C(0x5555555555555555)) | (w & UINT64_C(0x5555555555555555)) << 1;
		w = (w >> 2 & UINT64_C(0x3333333333333333)) | (w & UINT64_C(0x3333333333333333)) << 2;
		w = (w >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (w & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
		word[i] = __builtin_bswap64(w);
	}
	return plane_of_words(word);
}
