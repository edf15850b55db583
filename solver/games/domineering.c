/* Domineering: dominoes on a board, upright for one player and flat for the other. RULES.md has the rules and the
 * notation.
 *
 * Layout. One word of free squares, and who is to move. Square = row * columns + column, row 0 the lowest. A move's
 * code is the lower or left one of its two squares.
 *
 * Key. The free squares that have a free neighbour (no move will ever cover another one) as a number, bit = square,
 * smallest among the images under the four symmetries that keep upright dominoes upright; bit rows * columns of it is
 * set when Second is to move. The number is written lowest byte first. */
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "solver/games/cells.h"
#include "solver/games/grid.h"
#include "solver/games/groups.h"
#include "solver/games/margin.h"

struct state {
	uint64_t free;
	uint64_t side; /* to move: 0 First, vertical; 1 Second, horizontal */
};

struct domineering {
	struct cells_game base;
	struct grid grid;
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

/* A domino covers two squares, each of which is in at most two pairs of the other side. */
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

/* As many dominoes of a side as fit on a set of squares at once: half of each run, rounded down, from its lower or left
 * end. Returns their lower or left squares. */
static inline uint64_t find_fitting(const struct grid *g, uint64_t set, unsigned side)
{
	uint64_t lower = free_pairs(g, set, side), found = 0;
	uint64_t next = lower & ~(side ? lower << 1 : lower << g->width);
	while (next) {
		found |= next;
		next = (side ? (next << 1 & lower) << 1 : (next << g->width & lower) << g->width) & lower;
	}
	return found;
}

static inline unsigned count_fitting(const struct grid *g, uint64_t set, unsigned side)
{
	return text_count(find_fitting(g, set, side));
}

/* Bounds for the moves of a side. `most`, the number of dominoes that fit on the free squares at once, is an upper
 * bound, because no square is ever freed. `safe` of them fit on squares that the opponent can no longer cover, and
 * `other` on the rest. */
struct bounds {
	unsigned most, safe, other;
};

/* The free squares that the opponent of a side can still cover. */
static inline uint64_t exposed_squares(const struct grid *g, uint64_t free, unsigned side)
{
	uint64_t pair = free_pairs(g, free, !side);
	return pair | (side ? pair << g->width : pair << 1);
}

static inline struct bounds bounds_of(const struct grid *g, uint64_t free, unsigned side)
{
	uint64_t exposed = exposed_squares(g, free, side);
	return (struct bounds){count_fitting(g, free, side), count_fitting(g, free & ~exposed, side),
			       count_fitting(g, free & exposed, side)};
}

/* The number of moves that a side can make whatever the opponent does. Let n dominoes fit without overlap on exposed
 * squares. A domino of the opponent hits at most two of them. So if the side plays one of them as long as one is left,
 * each round of an opponent's move and its own uses up at most three, and it makes n / 3 moves, rounded down; if it
 * begins, 1 + (n - 1) / 3. Then it plays its safe dominoes, whose squares no domino has touched. */
static inline unsigned count_certain(struct bounds b, bool begins)
{
	return b.safe + (b.other + (begins ? 2 : 0)) / 3;
}

/* Writes the first dominoes of a set, at most `limit`, each as a group. Returns the end of what it wrote. */
static uint8_t *write_dominoes(const struct grid *g, uint64_t lower, unsigned side, unsigned limit, uint8_t *out)
{
	for (; lower && limit; lower &= lower - 1, limit--, out += 5) {
		unsigned square = (unsigned)__builtin_ctzll(lower);
		out[0] = 2;
		pd_put_le16(out + 1, (uint16_t)square);
		pd_put_le16(out + 3, (uint16_t)(square + (side ? 1 : g->width)));
	}
	return out;
}

/* Writes the witness of T9: the upper or right square of each domino that the loser can fit, which all its dominoes
 * touch; and as many dominoes of the winner as are needed, the safe ones first. Returns its size. */
static unsigned write_certain(const struct grid *g, uint64_t free, unsigned winner, bool begins, uint8_t *out)
{
	uint64_t exposed = exposed_squares(g, free, winner), lower = find_fitting(g, free, !winner);
	uint64_t cover = winner ? lower << g->width : lower << 1, safe = find_fitting(g, free & ~exposed, winner);
	unsigned need = text_count(cover) + begins, sure = text_count(safe) < need ? text_count(safe) : need;
	PD_ASSERT(cover);
	uint8_t *at = out + groups_write(&cover, 1, NULL, out);
	at = write_dominoes(g, safe, winner, sure, at);
	at = write_dominoes(g, find_fitting(g, free & exposed, winner), winner,
			    need > sure ? 3 * (need - sure) - (begins ? 2 : 0) : 0, at);
	return (unsigned)(at - out);
}

/* T9 of THEOREMS.md. The side that is not to move wins if it can answer every move: if it is sure of at least as many
 * moves as the other side can ever make. The side to move needs one more. The effort is four times the number of orders
 * in which the loser may move; if that is too much, nothing is claimed. */
static bool domineering_theorem(const struct game *game, const void *state, int threshold, struct game_theorem *out,
				uint8_t *witness)
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
	uint32_t effort = 4;
	for (unsigned i = 0; i < most && effort <= EFFORT_MAX; i++)
		effort *= moves - i;
	if (effort > EFFORT_MAX)
		return false;
	*out = (struct game_theorem){.proved = (winner ? -1 : 1) >= threshold,
				     .number = 9,
				     .plies = (uint16_t)(2 * most + (winner == mover)),
				     .effort = effort};
	if (witness)
		out->witness = (uint16_t)write_certain(g, s->free, winner, winner == mover, witness);
	return true;
}

/* Initial numbers by the margin of moves: the most that a side can have, plus a third of its safe ones and a third of
 * its legal moves.
 *
 * Thousands of nodes of pds-pn for first-wins from the empty board:
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

/* The squares that a move may still cover. */
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
		return move; /* not a move */
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

/* Twins are found by the keys of children: besides those of symmetric positions there are many in narrow places, where
 * either of two moves leaves a square that can no longer be covered. */
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

/* --- cells -------------------------------------------------------------------------------- */

static const char *read_move(const struct game *game, const void *state, const char **text, game_move *out)
{
	const struct domineering *d = domineering_of(game);
	const struct state *s = state;
	unsigned a, b, step = s->side ? 1 : d->grid.width;
	const char *wrong = cells_place_read(&d->base, text, &a);
	if (!wrong && (!**text || cells_blank(**text)))
		wrong = "a move is the two squares of a domino, as in a1a2";
	if (!wrong)
		wrong = cells_place_read(&d->base, text, &b);
	if (wrong)
		return wrong;
	unsigned low = a < b ? a : b, high = a < b ? b : a;
	*out = (game_move)low;
	if (high - low != step || (s->side && low / d->grid.width != high / d->grid.width))
		return s->side ? "the player to move puts dominoes on two squares side by side"
			       : "the player to move puts dominoes on two squares one above the other";
	return free_pairs(&d->grid, s->free, (unsigned)s->side) >> low & 1 ? NULL : "a square is covered already";
}

static int from_cells(const struct game *game, const struct cells *cells, void *state, struct pd_fail *fail)
{
	struct state s = {.side = cells->turn};
	for (unsigned i = 0; i < domineering_of(game)->grid.squares; i++)
		s.free |= (uint64_t)!cells->at[i] << i;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

static void to_cells(const struct game *game, const void *state, struct cells *out)
{
	const struct state *s = state;
	out->turn = (uint8_t)s->side;
	for (unsigned i = 0; i < domineering_of(game)->grid.squares; i++)
		out->at[i] = !(s->free >> i & 1);
}

static size_t domineering_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	const struct domineering *d = domineering_of(game);
	struct text_line line = text_line(out, size);
	cells_place_print(&d->base, move, &line);
	cells_place_print(&d->base, move + (((const struct state *)state)->side ? 1 : d->grid.width), &line);
	return line.length;
}

static void domineering_board(const struct game *game, struct game_board *out)
{
	game_board_grid(out, domineering_of(game)->base.width, domineering_of(game)->base.height, GAME_SQUARE);
	out->side[0] = "Vertical";
	out->side[1] = "Horizontal";
	out->piece[out->pieces++] = (struct game_piece){'#', GAME_NO_SIDE, GAME_FILL, "covered square", NULL};
}

static unsigned domineering_move_places(const struct game *game, const void *state, game_move move,
					uint16_t out[GAME_MOVE_PLACES_MAX])
{
	const struct state *s = state;
	out[0] = move;
	out[1] = (uint16_t)(move + (s->side ? 1 : domineering_of(game)->grid.width));
	return 2;
}

/* --- opening ------------------------------------------------------------------------------ */

static void domineering_start(const struct game *game, void *state)
{
	struct state s = {.free = domineering_of(game)->grid.full};
	memcpy(state, &s, sizeof s);
}

static int domineering_open(const struct game_rules *rules, const char *params, const struct game_host *host,
			    struct game **out, struct pd_fail *fail)
{
	static const struct cells_form form = {
		.letters = "#", .sides = "vh", .read_move = read_move, .to_cells = to_cells, .from_cells = from_cells};
	unsigned width, height;
	if (!cells_size_read(params, &width, &height) || width > GRID_COLUMNS_MAX || height > GRID_SQUARES_MAX / width)
		return cells_refuse_params(rules, params, fail);
	struct domineering *d = cells_new(rules, &form, sizeof *d, fail);
	if (!d)
		return PD_E_NO_MEMORY;
	struct game *game = &d->base.game;
	d->base.width = width;
	d->base.height = height;
	grid_prepare(&d->grid, width, height, false);
	game->state_size = sizeof(struct state);
	game->key_size_max = (uint32_t)grid_packed(&d->grid, 1);
	game->moves_max = d->grid.squares;
	game->plies_max = d->grid.squares / 2;
	game->value_step = 2;
	snprintf(game->name, sizeof game->name, "domineering:%ux%u", width, height);
	*out = game;
	return PD_OK;
}

const struct game_rules game_domineering_rules = {
	CELLS_BOARD,
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
	CELLS_RULES(domineering),
	.move_print = domineering_move_print,
	.canon = domineering_canon,
	.unique_moves = domineering_unique,
	.immediate_win = domineering_immediate_win,
	.theorem = domineering_theorem,
	.initial_numbers = domineering_initial_numbers,
	.count = domineering_count,
	.board = domineering_board,
	.move_places = domineering_move_places,
	.move_square = cells_move_square,
};
