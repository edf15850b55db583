/* Atari Go, also called the capture game or Ponnuki-Go: the first capture wins. RULES.md has the rules and the
 * notation.
 *
 * A position may have any stones as long as all blocks have liberties. If a capture has ended the game, all blocks have
 * liberties once the capturing stone is removed. stones.h describes keys and codes of moves. `mark` is, for
 * each side, the set of points where it captures if it is to move. */
#include "solver/games/stones.h"

#include "proto/base/assert.h"

static void derive_legal(const struct grid *g, struct stones *s)
{
	struct stones_blocks blocks = stones_scan(g, s);
	uint64_t free = stones_free(g, s), open = grid_neighbours(g, free);
	for (unsigned side = 0; side < 2; side++)
		s->legal[side] = free & (blocks.last[!side] | open | blocks.among[side]);
	s->mark[0] = blocks.last[1];
	s->mark[1] = blocks.last[0];
	if (!blocks.none[0] && !blocks.none[1])
		return;
	PD_DEBUG_ASSERT(blocks.none[s->side]);
	s->legal[0] = s->legal[1] = s->mark[0] = s->mark[1] = 0;
}

static const char *find_fault(const struct grid *g, const struct stones *s)
{
	struct stones_blocks blocks = stones_scan(g, s);
	if (!blocks.none[0] && !blocks.none[1])
		return NULL;
	if (!blocks.none[s->side])
		return "a block of the side that has moved has no liberty";
	for (uint64_t set = s->on[!s->side]; set; set &= set - 1) {
		struct stones before = *s;
		before.on[!s->side] &= ~(set & (~set + 1));
		blocks = stones_scan(g, &before);
		if (!blocks.none[0] && !blocks.none[1])
			return NULL;
	}
	return "some blocks have no liberty, but no last move can have captured them";
}

/* A capture wins, and so does a move that leaves the opponent no move. A stone that captures nothing takes at most five
 * points from the opponent: its own point, and for each of its four neighbours one point: a free neighbour that loses
 * its last free neighbour, or the other liberty of a block that had two. (It joins no block that the opponent could
 * have captured elsewhere, because the last liberty of such a block was this point.) */
static bool atari_immediate_win(const struct game *game, const void *state, int *value)
{
	enum { TAKEN_MAX = 5 };
	const struct grid *g = &stones_of(game)->grid;
	const struct stones *s = state;
	bool found = s->mark[s->side] != 0;
	if (!found && text_count(s->legal[!s->side]) > TAKEN_MAX)
		return false;
	for (uint64_t set = s->legal[s->side]; set && !found; set &= set - 1) {
		struct stones child = *s;
		child.on[s->side] |= set & (~set + 1);
		child.side ^= 1;
		derive_legal(g, &child);
		found = !child.legal[child.side];
	}
	if (found)
		*value = s->side ? -1 : 1;
	return found;
}

/* Initial numbers: mobility; a player with a block in atari has one move, since any other loses it (a capture of its
 * own would win at once). This takes an eighth to a third of the nodes of mobility on boards of 16 to 25 points. To
 * weigh the liberties of both sides as well takes no fewer. */
static void atari_initial_numbers(const struct game *game, const void *state, int threshold, uint32_t num[2])
{
	const struct stones *s = state;
	unsigned mover = (unsigned)s->side, moves = text_count(s->legal[mover]);
	num[mover] = 1;
	num[!mover] = s->mark[!mover] || !moves ? 1 : moves;
}

static int atari_open(const struct game_rules *rules, const char *params, const struct game_host *host,
		      struct game **out, struct pd_fail *fail)
{
	static const struct stones_game how = {.derive = derive_legal, .fault = find_fault};
	return stones_open(rules, params, &how, out, fail);
}

const struct game_rules game_atari_go_rules = {
	STONES_RULES,
	.name = "atari-go",
	.title = "Atari Go (first capture wins)",
	.example = "atari-go:5x5",
	.open = atari_open,
	.immediate_win = atari_immediate_win,
	.initial_numbers = atari_initial_numbers,
};
