/* Atari Go, also called the capture game or Ponnuki-Go: who captures first wins. RULES.md has the rules and the
 * notation.
 *
 * A position may have any stones, as long as all blocks have liberties; or it is one that a capture has ended, and then
 * all blocks have liberties when the capturing stone is taken off. solver/games/stones.h says how positions are written
 * and what a key and a move's code are. `mark` is the set of points where the player to move captures. */
#include "solver/games/stones.h"

#include <string.h>

#include "proto/base/assert.h"

static void derive_legal(const struct grid *g, struct stones *s)
{
	struct stones_blocks blocks = stones_scan(g, s);
	uint64_t free = stones_free(g, s), open = grid_neighbours(g, free);
	for (unsigned side = 0; side < 2; side++)
		s->legal[side] = free & (blocks.last[!side] | open | blocks.among[side]);
	s->mark = blocks.last[!s->side];
	if (!blocks.none[0] && !blocks.none[1])
		return;
	PD_DEBUG_ASSERT(blocks.none[s->side]);
	s->legal[0] = s->legal[1] = s->mark = 0;
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
	return "blocks without a liberty, but no last move that captured them";
}

static bool atari_terminal(const struct game *game, const void *state, int *value)
{
	const struct stones *s = state;
	if (s->legal[s->side])
		return false;
	*value = s->side ? 1 : -1;
	return true;
}

/* A capture; or a move that leaves the opponent none. A stone that captures nothing takes at most five points from the
 * opponent: its own; and of its four neighbours a free one that loses its last free neighbour, or the other liberty of
 * a block that had two. (It joins no block that the opponent could have captured elsewhere: that block's last liberty
 * was its point.) */
static bool atari_immediate_win(const struct game *game, const void *state, int *value)
{
	enum { TAKEN_MAX = 5 };
	const struct grid *g = &stones_of(game)->grid;
	const struct stones *s = state;
	bool found = s->mark != 0;
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

static int atari_open(const struct game_rules *rules, const char *params, const struct game_host *host,
		      struct game **out, struct pd_fail *fail)
{
	struct stones_game *b;
	int rc = stones_open(rules, params, &b, fail);
	if (rc)
		return rc;
	b->derive = derive_legal;
	b->fault = find_fault;
	*out = &b->game;
	return PD_OK;
}

const struct game_rules game_atari_go_rules = {
	.abi = GAME_ABI,
	.size = sizeof(struct game_rules),
	.name = "atari-go",
	.title = "Atari Go (first capture wins)",
	.params = "WxH: columns and rows, at most 64 points",
	.notation =
		"A position is the points played from the start, separated by blanks or commas, as in c3 b2; or a "
		"board, rows from the top separated by /, x for First, o for Second, # for a blocked point, numbers "
		"for runs of free points, and x or o for the player to move, as in 2x/1ox/3 o (a board of one row "
		"has a / at its end). A move is a point.",
	.example = "atari-go:5x5",
	.open = atari_open,
	.close = stones_close,
	.start = stones_start,
	.parse = stones_parse,
	.print = stones_print,
	.move_parse = stones_move_parse,
	.move_print = stones_move_print,
	.first_to_move = stones_first_to_move,
	.terminal = atari_terminal,
	.moves = stones_moves,
	.play = stones_play,
	.key = stones_key,
	.unkey = stones_unkey,
	.canon = stones_canon,
	.unique_moves = stones_unique,
	.immediate_win = atari_immediate_win,
	.count = stones_count,
	.board = stones_board,
	.diagram = stones_diagram,
	.move_places = stones_move_places,
	.set_up = stones_set_up,
	.records = GAME_RECORD_SGF,
	.sgf = &(const struct game_sgf){.number = 1, .letters = true},
};
