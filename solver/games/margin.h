/* Margin: initial numbers for games in which a player without a move loses.
 *
 * A position is judged by the difference between the sides' numbers of moves. The work that a side needs to win is
 * assumed to be 10 when both are level, and to grow by a seventh with every third of a move that the side is behind. */
#pragma once

#include <stdint.h>

enum { MARGIN_MIN = -32, MARGIN_MAX = 80, MARGIN_MOVE = 3 };

/* 10 * (8/7)^behind, at least 1, for a number of thirds of a move. */
static inline uint32_t margin_work(int behind)
{
	static const uint32_t work[MARGIN_MAX - MARGIN_MIN + 1] = {
		1,      1,      1,      1,      1,      1,      1,      1,      1,     1,     1,      1,      1,
		1,      1,      1,      1,      1,      2,      2,      2,      2,     3,     3,      3,      4,
		4,      5,      6,      7,      8,      9,      10,     11,     13,    15,    17,     19,     22,
		25,     29,     33,     38,     43,     50,     57,     65,     74,    85,    97,     111,    126,
		144,    165,    189,    216,    246,    282,    322,    368,    421,   481,   549,    628,    717,
		820,    937,    1071,   1224,   1399,   1598,   1827,   2088,   2386,  2727,  3116,   3562,   4070,
		4652,   5316,   6076,   6944,   7936,   9070,   10365,  11846,  13538, 15472, 17683,  20209,  23096,
		26395,  30166,  34475,  39400,  45029,  51462,  58813,  67215,  76818, 87791, 100333, 114666, 131047,
		149768, 171164, 195616, 223561, 255498, 291998, 333712, 381385, 435869};
	behind = behind < MARGIN_MIN ? MARGIN_MIN : behind > MARGIN_MAX ? MARGIN_MAX : behind;
	return work[behind - MARGIN_MIN];
}

/* Writes the numbers of a leaf. `ahead` is First's lead in thirds of a move, the turn included; the side that is not to
 * move has to answer each of the mover's `moves`. */
static inline void margin_numbers(int ahead, unsigned mover, unsigned moves, uint32_t num[2])
{
	num[0] = margin_work(-ahead);
	num[1] = margin_work(ahead);
	num[!mover] *= moves;
	num[!mover] = num[!mover] < 1000000 ? num[!mover] : 1000000;
}
