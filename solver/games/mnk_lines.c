#include "solver/games/mnk_lines.h"

#include "proto/base/assert.h"
#include "solver/games/groups.h"
#include "solver/games/text.h"

enum {
	WEIGHT_BITS = 40, /* weights are in units of 2^-40, rounded up */
	FIRST_MAX = 4,    /* first squares */
	FIRST_TRIES = 2,  /* squares tried as the first of them, unless a line dictates them */
	FORCED_STEPS = 24 /* stones tried in a search for a forced win */
};

/* The lines without the squares `filled`, but for those that have a square of `taken`. */
static void copy_lines(const struct mnk_lines *from, uint64_t filled, uint64_t taken, struct mnk_lines *to)
{
	to->count = 0;
	for (unsigned i = 0; i < from->count; i++) {
		to->line[to->count] = from->line[i] & ~filled;
		to->count += !(from->line[i] & taken);
	}
}

/* --- groups and weights ------------------------------------------------------------------- */

static inline uint64_t weight_of(uint64_t line)
{
	unsigned squares = text_count(line);
	return UINT64_C(1) << (squares < WEIGHT_BITS ? WEIGHT_BITS - squares : 0);
}

/* Adds up the weights of the lines through each square. Returns the greatest. *all becomes the squares of the lines;
 * no weight is written for other squares. */
static uint64_t weigh_squares(const struct mnk_lines *lines, uint64_t weight[64], uint64_t *all)
{
	uint64_t most = 0;
	*all = 0;
	for (unsigned i = 0; i < lines->count; i++)
		*all |= lines->line[i];
	for (uint64_t x = *all; x; x &= x - 1)
		weight[__builtin_ctzll(x)] = 0;
	for (unsigned i = 0; i < lines->count; i++) {
		uint64_t more = weight_of(lines->line[i]);
		for (uint64_t x = lines->line[i]; x; x &= x - 1) {
			uint64_t *sum = &weight[__builtin_ctzll(x)];
			*sum += more;
			most = *sum > most ? *sum : most;
		}
	}
	return most;
}

/* Whether lines can be left to their weights, whose sum is `sum`. */
static bool are_light(const struct mnk_lines *lines, uint64_t sum)
{
	const uint64_t one = UINT64_C(1) << WEIGHT_BITS;
	uint64_t weight[64], all;
	return sum < one / 2 || (sum < one && sum + weigh_squares(lines, weight, &all) < one);
}

/* Gives a group to every line, the shortest first, or leaves what remains to its weights. The lines have no square of
 * the groups that are there. */
static bool serve_lines(struct mnk_hold *h, const struct mnk_lines *lines)
{
	struct groups_choices choices = {lines->line, lines->count, 0};
	struct mnk_lines left;
	unsigned best = 0, least = 65;
	uint64_t sum = 0;
	if (!lines->count)
		return true;
	for (unsigned i = 0; i < lines->count; i++) {
		unsigned squares = text_count(lines->line[i]);
		sum += weight_of(lines->line[i]);
		best = squares < least ? i : best;
		least = squares < least ? squares : least;
	}
	if (least < h->size)
		return false;
	h->weighed = h->weighs && are_light(lines, sum);
	if (h->weighed)
		return true;
	if (h->count == MNK_GROUPS_MAX || ++h->steps > MNK_LINES_STEPS)
		return false;
	groups_list_choices(&choices, 0, lines->line[best], h->size);
	for (unsigned j = 0; j < choices.count && h->steps <= MNK_LINES_STEPS; j++) {
		uint64_t group = choices.choice[j].group;
		left.count = 0;
		for (unsigned i = 0; i < lines->count; i++) {
			left.line[left.count] = lines->line[i] & ~group;
			left.count += (lines->line[i] & group) != group;
		}
		h->group[h->count++] = group;
		if (serve_lines(h, &left))
			return true;
		h->count--;
	}
	return false;
}

/* Puts `more` of the defender's stones besides those on `put`: where a line is too short for a group, or else on the
 * squares with the greatest weights. */
static bool put_first(struct mnk_hold *h, const struct mnk_lines *lines, uint64_t put, unsigned more)
{
	struct mnk_lines left;
	uint64_t weight[64], room;
	unsigned tries = put ? 1 : FIRST_TRIES;
	if (!more || !lines->count) {
		h->count = put != 0;
		h->group[0] = put;
		h->steps = 0;
		return serve_lines(h, lines);
	}
	weigh_squares(lines, weight, &room);
	for (unsigned i = 0; i < lines->count; i++)
		if (text_count(lines->line[i]) < h->size) {
			room = lines->line[i];
			tries = h->size;
			break;
		}
	for (; tries && room; tries--) {
		uint64_t best = room & -room;
		for (uint64_t x = room & (room - 1); x; x &= x - 1)
			if (weight[__builtin_ctzll(x)] > weight[__builtin_ctzll(best)])
				best = x & -x;
		room &= ~best;
		copy_lines(lines, 0, best, &left);
		if (put_first(h, &left, put | best, more - 1))
			return true;
	}
	return false;
}

bool mnk_hold_find(struct mnk_hold *h, const struct mnk_lines *attacker)
{
	PD_ASSERT(h->size >= 2 && h->size <= MNK_GROUP_MAX && attacker->count <= MNK_LINES_MAX);
	h->weighed = false;
	return put_first(h, attacker, 0, h->first < FIRST_MAX ? h->first : FIRST_MAX);
}

/* --- forced wins -------------------------------------------------------------------------- */

/* The squares on which one stone completes a line. */
static uint64_t find_last_squares(const struct mnk_lines *lines)
{
	uint64_t found = 0;
	for (unsigned i = 0; i < lines->count; i++)
		found |= lines->line[i] & (lines->line[i] - 1) ? 0 : lines->line[i];
	return found;
}

/* The attacker is to move, and has no line that lacks only one stone. It puts a stone on a line that lacks two, where
 * the defender has to answer on the other square; two such squares win. */
static bool force_win(struct mnk_forced *f, const struct mnk_lines *attacker, const struct mnk_lines *defender)
{
	struct mnk_lines mine, theirs;
	uint64_t answer[64], room = 0, pair[MNK_LINES_MAX], must = find_last_squares(defender);
	unsigned pairs = 0;
	for (unsigned i = 0; i < attacker->count; i++)
		if (text_count(attacker->line[i]) == 2)
			room |= pair[pairs++] = attacker->line[i];
	for (uint64_t x = room; x; x &= x - 1)
		answer[__builtin_ctzll(x)] = 0;
	for (unsigned i = 0; i < pairs; i++) {
		uint64_t low = pair[i] & -pair[i], high = pair[i] ^ low;
		answer[__builtin_ctzll(low)] |= high;
		answer[__builtin_ctzll(high)] |= low;
	}
	if (must)
		room = must & (must - 1) ? 0 : room & must;
	if (!room || f->count == MNK_STONES_MAX)
		return false;
	for (uint64_t x = room; x; x &= x - 1) {
		unsigned stone = (unsigned)__builtin_ctzll(x);
		if (answer[stone] & (answer[stone] - 1)) {
			f->stone[f->count++] = (uint8_t)stone;
			return true;
		}
	}
	for (uint64_t x = room; x && f->steps < FORCED_STEPS; x &= x - 1) {
		unsigned stone = (unsigned)__builtin_ctzll(x);
		f->steps++;
		copy_lines(attacker, x & -x, answer[stone], &mine);
		copy_lines(defender, answer[stone], x & -x, &theirs);
		f->stone[f->count++] = (uint8_t)stone;
		if (force_win(f, &mine, &theirs))
			return true;
		f->count--;
	}
	return false;
}

bool mnk_forced_find(struct mnk_forced *f, const struct mnk_lines *attacker, const struct mnk_lines *defender)
{
	struct mnk_lines mine, theirs;
	f->count = f->steps = 0;
	if (!f->waits)
		return force_win(f, attacker, defender);
	uint64_t last = find_last_squares(attacker);
	if (last & (last - 1))
		return true;
	if (!last)
		return false;
	copy_lines(attacker, 0, last, &mine);
	copy_lines(defender, last, 0, &theirs);
	return force_win(f, &mine, &theirs);
}
