/* Domineering: dominoes on a board, upright for one player and flat for the other. RULES.md has the rules and the
 * notation.
 *
 * Layout. One word of free squares, and who is to move. A move's code is the lower or left one of its two squares.
 *
 * Key. The free squares that have a free neighbour (no move will ever cover another one) as a number, bit = square,
 * smallest among the images under the four symmetries that keep upright dominoes upright; then one bit, set when
 * Second is to move (grid_pack). */
#include "solver/games/game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/cells.h"
#include "solver/games/grid.h"
#include "solver/games/margin.h"

struct state {
	uint64_t free;
	uint64_t side; /* to move: 0 First, vertical; 1 Second, horizontal */
};

struct domineering {
	struct game game;
	struct grid grid;
	struct cells_form form;
};

static const struct domineering *domineering_of(const struct game *game)
{
	return (const struct domineering *)game;
}

/* --- inner loop --------------------------------------------------------------------------- */

/* The lower squares of free upright pairs, the left ones of free flat pairs. */
static inline uint64_t free_pairs(const struct grid *g, uint64_t free, unsigned side)
{
	return side ? free & (free & g->not_first) >> 1 : free & free >> g->width;
}

/* Both squares of a move. */
static inline uint64_t domino_squares(const struct grid *g, unsigned side, unsigned square)
{
	return UINT64_C(1) << square | UINT64_C(1) << (square + (side ? 1 : g->width));
}

static bool domineering_first_to_move(const struct game *game, const void *state)
{
	return ((const struct state *)state)->side == 0;
}

static bool domineering_terminal(const struct game *game, const void *state, int *value)
{
	const struct state *s = state;
	if (free_pairs(&domineering_of(game)->grid, s->free, (unsigned)s->side))
		return false;
	*value = s->side ? 1 : -1;
	return true;
}

static unsigned domineering_moves(const struct game *game, const void *state, game_move *out)
{
	const struct domineering *d = domineering_of(game);
	const struct state *s = state;
	unsigned n = 0;
	for (uint64_t set = free_pairs(&d->grid, s->free, (unsigned)s->side); set; set &= set - 1)
		out[n++] = (game_move)__builtin_ctzll(set);
	return n;
}

static unsigned domineering_count(const struct game *game, const void *state)
{
	const struct state *s = state;
	return text_count(free_pairs(&domineering_of(game)->grid, s->free, (unsigned)s->side));
}

static void domineering_play(const struct game *game, void *state, game_move move)
{
	struct state *s = state;
	uint64_t both = domino_squares(&domineering_of(game)->grid, (unsigned)s->side, move);
	PD_DEBUG_ASSERT((s->free & both) == both);
	s->free &= ~both;
	s->side ^= 1;
}

/* A domino lies on two squares, and each of them is in two pairs of the other side at most. */
static bool domineering_immediate_win(const struct game *game, const void *state, int *value)
{
	const struct grid *g = &domineering_of(game)->grid;
	const struct state *s = state;
	unsigned side = (unsigned)s->side;
	uint64_t others = free_pairs(g, s->free, !side);
	bool found = !others;
	if (text_count(others) > 4)
		return false;
	for (uint64_t set = free_pairs(g, s->free, side); set && !found; set &= set - 1)
		found = !free_pairs(g, s->free & ~domino_squares(g, side, (unsigned)__builtin_ctzll(set)), !side);
	if (found)
		*value = side ? -1 : 1;
	return found;
}

/* --- bounds --------------------------------------------------------------------------------- */

/* How many dominoes of a side fit on a set of squares at once: half of each run, rounded down, from its lower or left
 * end. */
static unsigned count_fitting(const struct grid *g, uint64_t set, unsigned side)
{
	unsigned n = 0;
	uint64_t lower = free_pairs(g, set, side);
	uint64_t next = lower & ~(side ? lower << 1 : lower << g->width);
	while (next) {
		n += text_count(next);
		next = (side ? (next << 1 & lower) << 1 : (next << g->width & lower) << g->width) & lower;
	}
	return n;
}

/* What is certain of a side: `most`, the dominoes that fit on the free squares at once, is an upper bound of its moves,
 * since no square is ever freed. `safe` is how many fit on squares that the opponent can no longer cover; these stay.
 * `other` is how many fit on the rest. */
struct bounds {
	unsigned most, safe, other;
};

static inline struct bounds bounds_of(const struct grid *g, uint64_t free, unsigned side)
{
	uint64_t pair = free_pairs(g, free, !side), exposed = pair | (side ? pair << g->width : pair << 1);
	return (struct bounds){count_fitting(g, free, side), count_fitting(g, free & ~exposed, side),
			       count_fitting(g, free & exposed, side)};
}

/* Moves that a side can make whatever the opponent does. Let n dominoes lie apart from each other on exposed squares. A
 * domino of the opponent hits two of them at most. So if the side plays one of them whenever one is left, each round of
 * an opponent's move and its own uses up three at most, and it makes n / 3 moves, rounded down; if it begins,
 * 1 + (n - 1) / 3. After that it has its safe ones, which neither its own dominoes nor the opponent's have touched. */
static inline unsigned count_certain(struct bounds b, bool begins)
{
	return b.safe + (b.other + (begins ? 2 : 0)) / 3;
}

/* The side that waits wins if it can answer every move of the other: if it is certain of as many moves as the other can
 * make at most. The side to move needs one more. The effort is four times the orders in which the loser may make his
 * moves; where that is much, the search looks further. */
static bool domineering_decided(const struct game *game, const void *state, struct game_static *out)
{
	enum { EFFORT_MAX = 1 << 14 };
	const struct grid *g = &domineering_of(game)->grid;
	const struct state *s = state;
	unsigned mover = (unsigned)s->side, winner = mover;
	struct bounds own = bounds_of(g, s->free, mover), opposite = bounds_of(g, s->free, !mover);
	if (count_certain(own, true) <= opposite.most) {
		winner = !mover;
		if (count_certain(opposite, false) < own.most)
			return false;
	}
	unsigned most = winner == mover ? opposite.most : own.most;
	unsigned moves = text_count(free_pairs(g, s->free, !winner));
	PD_DEBUG_ASSERT(most <= moves);
	out->value = winner ? -1 : 1;
	out->plies = 2 * most + (winner == mover);
	out->effort = 4;
	for (unsigned i = 0; i < most && out->effort <= EFFORT_MAX; i++)
		out->effort *= moves - i;
	return out->effort <= EFFORT_MAX;
}

/* Initial numbers by the margin of moves: how many each side has at most, and a third of its safe ones and of all that
 * it could choose from now.
 *
 * Measured by pds-pn, first-wins from the empty board, thousands of nodes:
 *
 *                                    5x5     6x5       6x6
 *      mobility, no bounds          90.7     891    93,073
 *      mobility and bounds           8.3      20    11,326
 *      this, no bounds              34.5     448    12,604
 *      this and bounds               6.4      15     1,130 */
static void domineering_initial_numbers(const struct game *game, const void *state, int threshold, uint32_t num[2])
{
	const struct grid *g = &domineering_of(game)->grid;
	const struct state *s = state;
	unsigned mover = (unsigned)s->side, count[2];
	struct bounds b[2];
	for (unsigned i = 0; i < 2; i++) {
		b[i] = bounds_of(g, s->free, i);
		count[i] = text_count(free_pairs(g, s->free, i));
	}
	int ahead = MARGIN_MOVE * ((int)b[0].most - (int)b[1].most) + (int)b[0].safe - (int)b[1].safe + (int)count[0] -
		    (int)count[1] + (mover ? -MARGIN_MOVE : MARGIN_MOVE);
	margin_numbers(ahead, mover, count[mover], num);
}

/* --- keys --------------------------------------------------------------------------------- */

/* The squares that some move may still cover. */
static inline uint64_t live_squares(const struct grid *g, uint64_t free)
{
	return free & grid_neighbours(g, free);
}

static size_t domineering_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct grid *g = &domineering_of(game)->grid;
	const struct state *s = state;
	uint64_t word = live_squares(g, s->free), least;
	grid_canonical(g, &word, 1, &least);
	return grid_pack(g, &least, 1, s->side, out);
}

static int domineering_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	const struct grid *g = &domineering_of(game)->grid;
	struct state s = {0};
	uint64_t least;
	bool side;
	if (!grid_unpack(g, key, size, &s.free, 1, &side) || live_squares(g, s.free) != s.free ||
	    grid_canonical(g, &s.free, 1, &least) != 0)
		return PD_E_CORRUPT;
	s.side = side;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* The image of a move: the lower or left square of the image of its domino. */
static game_move image_of(const struct grid *g, const uint8_t *map, unsigned side, game_move move)
{
	unsigned far = move + (side ? 1 : g->width);
	if (move >= g->squares || far >= g->squares)
		return move; /* no move at all */
	return map[move] < map[far] ? map[move] : map[far];
}

static game_move domineering_canon(const struct game *game, const void *state, game_move move, bool back)
{
	const struct grid *g = &domineering_of(game)->grid;
	const struct state *s = state;
	uint64_t word = live_squares(g, s->free), least;
	unsigned symmetry = grid_canonical(g, &word, 1, &least);
	return image_of(g, back ? g->inverse[symmetry] : g->map[symmetry], (unsigned)s->side, move);
}

/* Moves whose children have the key of an earlier one's are found by their keys: besides twins in symmetric positions
 * there are many in narrow places, where either of two moves leaves a square that can no longer be covered. */
static unsigned domineering_unique(const struct game *game, const void *state, game_move *out)
{
	const struct grid *g = &domineering_of(game)->grid;
	const struct state *s = state;
	uint64_t seen[GRID_SQUARES_MAX];
	unsigned n = 0;
	for (uint64_t set = free_pairs(g, s->free, (unsigned)s->side); set; set &= set - 1) {
		unsigned move = (unsigned)__builtin_ctzll(set), i = 0;
		uint64_t word = live_squares(g, s->free & ~domino_squares(g, (unsigned)s->side, move));
		grid_canonical(g, &word, 1, &seen[n]);
		while (seen[i] != seen[n])
			i++;
		out[n] = (game_move)move;
		n += i == n;
	}
	return n;
}

/* --- text --------------------------------------------------------------------------------- */

static void name_move(const struct domineering *d, unsigned side, game_move move, struct text_line *line)
{
	cells_square_print(&d->form, move, line);
	cells_square_print(&d->form, move + (side ? 1 : d->grid.width), line);
}

static const char two_squares[] = "a move is the two squares of a domino, as in a1a2";

/* Reads a legal move of the position. */
static const char *read_move(const struct domineering *d, const struct state *s, const char **text, unsigned *move)
{
	unsigned a, b, step = s->side ? 1 : d->grid.width;
	const char *p = *text, *wrong = cells_square_read(&d->form, &p, &a);
	if (!wrong && *p && !cells_blank(*p))
		wrong = cells_square_read(&d->form, &p, &b);
	else if (!wrong)
		wrong = two_squares;
	if (wrong)
		return wrong;
	if (*p && !cells_blank(*p))
		return two_squares;
	*move = a < b ? a : b;
	if ((a < b ? b - a : a - b) != step || (s->side && b / d->grid.width != a / d->grid.width))
		return s->side ? "the player to move puts dominoes on two squares side by side"
			       : "the player to move puts dominoes on two squares one above the other";
	if (!(free_pairs(&d->grid, s->free, (unsigned)s->side) >> *move & 1))
		return "a square is covered already";
	*text = p;
	return NULL;
}

static const char *read_moves(const struct domineering *d, const char **text, struct state *s)
{
	for (;;) {
		unsigned move;
		while (cells_blank(**text))
			++*text;
		if (!**text)
			return NULL;
		const char *wrong = read_move(d, s, text, &move);
		if (wrong)
			return wrong;
		domineering_play(&d->game, s, (game_move)move);
	}
}

static const char *read_board(const struct domineering *d, const char **text, struct state *s)
{
	uint8_t cells[GRID_SQUARES_MAX];
	unsigned side;
	const char *wrong = cells_read(&d->form, text, cells);
	if (!wrong)
		wrong = cells_side_read(text, "vh", &side);
	if (wrong)
		return wrong;
	*s = (struct state){.side = side};
	for (unsigned i = 0; i < d->grid.squares; i++)
		s->free |= (uint64_t)!cells[i] << i;
	return NULL;
}

static void domineering_start(const struct game *game, void *state)
{
	struct state s = {.free = domineering_of(game)->grid.full};
	memcpy(state, &s, sizeof s);
}

static int domineering_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail)
{
	const struct domineering *d = domineering_of(game);
	const char *p = text;
	struct state s;
	domineering_start(game, &s);
	const char *wrong = text_is_board(text) ? read_board(d, &p, &s) : read_moves(d, &p, &s);
	if (wrong)
		return cells_fail(fail, text, p, wrong);
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

static size_t domineering_print(const struct game *game, const void *state, char *out, size_t size)
{
	const struct domineering *d = domineering_of(game);
	const struct state *s = state;
	struct text_line line = text_line(out, size);
	uint8_t cells[GRID_SQUARES_MAX];
	for (unsigned i = 0; i < d->grid.squares; i++)
		cells[i] = !(s->free >> i & 1);
	cells_print(&d->form, cells, &line);
	text_printf(&line, s->side ? " h" : " v");
	return line.length;
}

static int domineering_move_parse(const struct game *game, const void *state, const char *text, game_move *out,
				  struct pd_fail *fail)
{
	unsigned move;
	const char *p = text, *wrong = read_move(domineering_of(game), state, &p, &move);
	if (!wrong && *p)
		wrong = two_squares;
	if (wrong)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%s': %s", text_excerpt(text, 16).text, wrong);
	*out = (game_move)move;
	return PD_OK;
}

static size_t domineering_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	const struct state *s = state;
	struct text_line line = text_line(out, size);
	name_move(domineering_of(game), (unsigned)s->side, move, &line);
	return line.length;
}

/* --- the board ---------------------------------------------------------------------------- */

static void domineering_board(const struct game *game, struct game_board *out)
{
	const struct grid *g = &domineering_of(game)->grid;
	game_board_grid(out, g->width, g->height, GAME_SQUARE);
	out->side[0] = "Vertical";
	out->side[1] = "Horizontal";
	out->piece[out->pieces++] =
		(struct game_piece){.letter = '#', .side = GAME_NO_SIDE, .look = GAME_FILL, .name = "covered square"};
}

static void domineering_diagram(const struct game *game, const void *state, struct game_diagram *out)
{
	const struct grid *g = &domineering_of(game)->grid;
	const struct state *s = state;
	int value;
	for (unsigned i = 0; i < g->squares; i++)
		out->on[i] = !(s->free >> i & 1);
	out->to_move = domineering_terminal(game, state, &value) ? GAME_NO_SIDE : s->side ? GAME_SECOND : GAME_FIRST;
}

static unsigned domineering_move_places(const struct game *game, const void *state, game_move move,
					uint16_t out[GAME_MOVE_PLACES_MAX])
{
	const struct state *s = state;
	out[0] = move;
	out[1] = (uint16_t)(move + (s->side ? 1 : domineering_of(game)->grid.width));
	return 2;
}

static int domineering_set_up(const struct game *game, const struct game_diagram *diagram, void *state,
			      struct pd_fail *fail)
{
	const struct grid *g = &domineering_of(game)->grid;
	struct state s = {.side = diagram->to_move == GAME_SECOND};
	int value;
	for (unsigned i = 0; i < g->squares; i++)
		s.free |= (uint64_t)!diagram->on[i] << i;
	/* Who has lost is the player without a move; with neither a move the vertical one. */
	if (diagram->to_move == GAME_NO_SIDE && !domineering_terminal(game, &s, &value)) {
		s.side = 1;
		if (!domineering_terminal(game, &s, &value))
			return pd_fail_set(fail, PD_E_POSITION, "position",
					   "both players have moves: say who is to move");
	}
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* --- opening ------------------------------------------------------------------------------ */

static int domineering_open(const struct game_rules *rules, const char *params, const struct game_host *host,
			    struct game **out, struct pd_fail *fail)
{
	unsigned width, height;
	const char *wrong = grid_size_read(params, &width, &height);
	if (wrong)
		return pd_fail_set(fail, PD_E_GAME, "game", "domineering: %s", wrong);
	struct domineering *d = calloc(1, sizeof *d);
	if (!d)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a game of domineering");
	grid_prepare(&d->grid, width, height, false);
	d->form = (struct cells_form){width, height, "#"};
	d->game = (struct game){
		.rules = rules,
		.rules_version = 1,
		.state_size = sizeof(struct state),
		.key_size_max = (uint32_t)grid_packed(&d->grid, 1),
		.moves_max = d->grid.squares,
		.plies_max = d->grid.squares / 2,
		.value_min = -1,
		.value_max = 1,
		.value_step = 2,
		.acyclic = true,
	};
	snprintf(d->game.name, sizeof d->game.name, "domineering:%ux%u", width, height);
	*out = &d->game;
	return PD_OK;
}

static void domineering_close(struct game *game)
{
	free(game);
}

const struct game_rules game_domineering_rules = {
	.abi = GAME_ABI,
	.size = sizeof(struct game_rules),
	.name = "domineering",
	.title = "Domineering",
	.params = "WxH: columns and rows, at most 64 squares",
	.notation =
		"A position is the moves from the start, separated by blanks or commas, as in a1a2 b1c1; or a board, "
		"rows from the top separated by /, # for a covered square, numbers for runs of free squares, and v or "
		"h for the player to move (vertical, who is First, or horizontal), as in 2#1/4/4 h (a board of one "
		"row has a / at its end). A move is the two squares of a domino.",
	.example = "domineering:6x6",
	.open = domineering_open,
	.close = domineering_close,
	.start = domineering_start,
	.parse = domineering_parse,
	.print = domineering_print,
	.move_parse = domineering_move_parse,
	.move_print = domineering_move_print,
	.first_to_move = domineering_first_to_move,
	.terminal = domineering_terminal,
	.moves = domineering_moves,
	.play = domineering_play,
	.key = domineering_key,
	.unkey = domineering_unkey,
	.canon = domineering_canon,
	.unique_moves = domineering_unique,
	.immediate_win = domineering_immediate_win,
	.static_solve = domineering_decided,
	.initial_numbers = domineering_initial_numbers,
	.count = domineering_count,
	.board = domineering_board,
	.diagram = domineering_diagram,
	.move_places = domineering_move_places,
	.set_up = domineering_set_up,
};
