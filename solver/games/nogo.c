/* NoGo: Go in which nothing may be captured. RULES.md has the rules and the notation.
 *
 * A position may have any stones as long as all blocks have liberties, and either side may be to move. stones.h
 * describes keys and codes of moves.
 *
 * A stone on a free point is legal if it takes no block's last liberty and has a liberty itself: an adjacent free
 * point, or another liberty of an own block that it joins. */
#include "solver/games/stones.h"

#include "proto/base/assert.h"
#include "solver/games/margin.h"

static void derive_legal(const struct grid *g, struct stones *s)
{
	struct stones_blocks blocks = stones_scan(g, s);
	uint64_t free = stones_free(g, s), open = grid_neighbours(g, free);
	PD_DEBUG_ASSERT(!blocks.none[0] && !blocks.none[1]);
	for (unsigned side = 0; side < 2; side++)
		s->legal[side] = free & ~blocks.last[!side] & (open | blocks.among[side]);
}

static const char *find_fault(const struct grid *g, const struct stones *s)
{
	struct stones_blocks blocks = stones_scan(g, s);
	return blocks.none[0] || blocks.none[1] ? "a block of stones has no liberty" : NULL;
}

/* A stone takes at most six points from the opponent: its own point; for each of its four neighbours one point, a free
 * neighbour that loses its last free neighbour, or the other liberty of an opponent's block that had two; and the last
 * liberty of its own block. */
static bool nogo_immediate_win(const struct game *game, const void *state, int *value)
{
	enum { TAKEN_MAX = 6 };
	const struct grid *g = &stones_of(game)->grid;
	const struct stones *s = state;
	if (text_count(s->legal[!s->side]) > TAKEN_MAX)
		return false;
	for (uint64_t set = s->legal[s->side]; set; set &= set - 1) {
		struct stones child = *s;
		child.on[s->side] |= set & (~set + 1);
		derive_legal(g, &child);
		if (child.legal[!s->side])
			continue;
		*value = s->side ? -1 : 1;
		return true;
	}
	return false;
}

/* Initial numbers by the margin of moves; points where only one side may play count twice. */
static void nogo_initial_numbers(const struct game *game, const void *state, int threshold, uint32_t num[2])
{
	const struct stones *s = state;
	unsigned mover = (unsigned)s->side;
	int ahead = mover ? -1 : 1;
	ahead += (int)text_count(s->legal[0]) + (int)text_count(s->legal[0] & ~s->legal[1]);
	ahead -= (int)text_count(s->legal[1]) + (int)text_count(s->legal[1] & ~s->legal[0]);
	margin_numbers(MARGIN_MOVE * ahead, mover, text_count(s->legal[mover]), num);
}

static int nogo_open(const struct game_rules *rules, const char *params, const struct game_host *host,
		     struct game **out, struct pd_fail *fail)
{
	static const struct stones_game how = {.derive = derive_legal, .fault = find_fault};
	return stones_open(rules, params, &how, out, fail);
}

const struct game_rules game_nogo_rules = {
	STONES_RULES,
	.name = "nogo",
	.title = "NoGo",
	.example = "nogo:5x5",
	.open = nogo_open,
	.immediate_win = nogo_immediate_win,
	.initial_numbers = nogo_initial_numbers,
};
