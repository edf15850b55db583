/* Hex: the rules on a board that fits a plane (plane.h).
 *
 * Included once by each of hex_narrow.c, hex_wide.c and hex_large.c. They define the number of cells (PLANE_SQUARES)
 * and the names of the rules and of the function that makes a game (HEX_RULES, HEX_NEW). hex.h describes cells and
 * keys.
 *
 * Layout. Bit = cell, without gaps, so turning the board by 180 degrees reverses the order of bits. The neighbours of a
 * set are six shifts; cells of the first column have none to the left, those of the last none to the right:
 *
 *      -W  -W+1
 *   -1   x   +1
 *     W-1  W
 *
 * Chains. Besides the stones of each side a state keeps two sets for each: the cells that are adjacent to one of its
 * edges, or to a stone connected with that edge. `near` therefore tells in one step whether a new stone is connected
 * with an edge, and whether a stone on an empty cell would connect both edges, an immediate win. A stone that is near
 * no edge changes neither set; otherwise the group of the new stone is filled, mostly in no step or one.
 *
 * Invariants. The stones do not overlap; near[side][e] is edge e and all neighbours (some beyond the board's last bit)
 * of the side's stones in it. Both follow from the stones alone. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "solver/games/grid.h"
#include "solver/games/hex.h"
#include "solver/games/plane.h"

struct state {
	uint64_t plies;   /* stones, less one if the side to move would otherwise be wrong; odd: Second is to move */
	uint64_t set_up;  /* 1: moves cannot reach the position, so its key has the other form */
	plane stones[2];  /* First's and Second's */
	plane near[2][2]; /* by side and edge: top and bottom for First, first and last column for Second */
};

_Static_assert(sizeof(struct state) <= GAME_STATE_MAX, "a state fits into GAME_STATE_MAX bytes");

enum { BOARD_CELLS_MAX = PLANE_SQUARES < HEX_CELLS_MAX ? PLANE_SQUARES : HEX_CELLS_MAX };

struct board {
	struct hex hex;
	plane full;                    /* all cells */
	plane not_first, not_last;     /* all cells except the first column; except the last column */
	plane edge[2][2];              /* as `near` of an empty board */
	plane later;                   /* cells whose image is earlier in the order of moves */
	plane around[BOARD_CELLS_MAX]; /* the neighbours of a cell */
};

static const struct board *board_of(const struct game *game)
{
	return (const struct board *)game;
}

/* --- planes ------------------------------------------------------------------------------- */

/* The board turned by 180 degrees. */
static inline plane turn_plane(const struct board *b, plane x)
{
	return plane_down(plane_reversed(x), 64 * PLANE_WORDS - b->hex.cells);
}

/* Makes six sets, the neighbours of x in each direction; cells beyond the board may be set as well. */
static inline void ways_from(const struct board *b, plane x, plane way[6])
{
	unsigned width = b->hex.base.width;
	plane left = plane_and(x, b->not_first), right = plane_and(x, b->not_last);
	way[0] = plane_up(x, width);
	way[1] = plane_down(x, width);
	way[2] = plane_down(left, 1);
	way[3] = plane_down(plane_up(left, width), 1);
	way[4] = plane_up(right, 1);
	way[5] = plane_up(plane_down(right, width), 1);
}

/* The neighbours of a set; cells beyond the board may be set as well. */
static inline plane neighbours_of(const struct board *b, plane x)
{
	unsigned width = b->hex.base.width;
	plane left = plane_and(x, b->not_first), right = plane_and(x, b->not_last);
	plane down = plane_or(plane_up(x, width), plane_down(x, width));
	left = plane_down(plane_or(left, plane_up(left, width)), 1);
	right = plane_up(plane_or(right, plane_down(right, width)), 1);
	return plane_or(down, plane_or(left, right));
}

static inline plane empty_of(const struct board *b, const struct state *s)
{
	return plane_minus(b->full, plane_or(s->stones[0], s->stones[1]));
}

/* --- inner loop --------------------------------------------------------------------------- */

static bool board_first_to_move(const struct game *game, const void *state)
{
	const struct state *s = state;
	return (s->plies & 1) == 0;
}

/* True if the side has a chain from edge to edge. */
static inline bool has_chain(const struct state *s, unsigned side)
{
	return plane_any(plane_and(s->stones[side], plane_and(s->near[side][0], s->near[side][1])));
}

/* True if the player who moved last has won. */
static inline bool has_lost(const struct state *s)
{
	return has_chain(s, ~(unsigned)s->plies & 1);
}

static bool board_terminal(const struct game *game, const void *state, int *value)
{
	const struct state *s = state;
	if (!has_lost(s))
		return false;
	*value = s->plies & 1 ? 1 : -1;
	return true;
}

/* Writes the cells of a set in the order of moves. */
static unsigned list_cells(const struct board *b, plane set, game_move *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < b->hex.cells; i++) {
		out[n] = b->hex.order[i];
		n += plane_has(set, b->hex.order[i]);
	}
	return n;
}

static unsigned board_moves(const struct game *game, const void *state, game_move *out)
{
	const struct state *s = state;
	plane empty = empty_of(board_of(game), s);
	return !plane_any(empty) || has_lost(s) ? 0 : list_cells(board_of(game), empty, out);
}

/* Two moves have children with the same key only if the position is its own image: otherwise both moves would have to
 * be the one stone that makes it so. */
static unsigned board_distinct(const struct game *game, const void *state, game_move *out)
{
	const struct board *b = board_of(game);
	const struct state *s = state;
	plane empty = empty_of(b, s);
	if (!plane_any(empty) || has_lost(s))
		return 0;
	bool symmetric = plane_same(turn_plane(b, s->stones[0]), s->stones[0]) &&
			 plane_same(turn_plane(b, s->stones[1]), s->stones[1]);
	return list_cells(b, symmetric ? plane_minus(empty, b->later) : empty, out);
}

/* Adds the stones of `own` in `around`, and all stones connected with them, to *group. Returns `around` and their
 * neighbours. */
static inline plane fill_group(const struct board *b, plane around, plane own, plane *group)
{
	plane more;
	while (plane_any(more = plane_minus(plane_and(around, own), *group))) {
		*group = plane_or(*group, more);
		around = plane_or(around, neighbours_of(b, more));
	}
	return around;
}

/* Puts a stone of that side on an empty cell. */
static inline void put_stone(const struct board *b, struct state *s, unsigned side, unsigned cell)
{
	plane stone = plane_bit(cell), *near = s->near[side], own = s->stones[side] = plane_or(s->stones[side], stone);
	bool first = plane_any(plane_and(near[0], stone)), second = plane_any(plane_and(near[1], stone));
	s->plies++;
	if (!first && !second)
		return;
	plane group = stone, around = fill_group(b, b->around[cell], own, &group);
	near[0] = plane_or(near[0], first ? around : plane_none());
	near[1] = plane_or(near[1], second ? around : plane_none());
}

static void board_play(const struct game *game, void *state, game_move move)
{
	struct state *s = state;
	PD_DEBUG_ASSERT(move < board_of(game)->hex.cells);
	put_stone(board_of(game), s, (unsigned)s->plies & 1, move);
}

static void board_flip_side(const struct game *game, void *state)
{
	struct state *s = state;
	(void)game;
	s->plies ^= 1;
	s->set_up = 1;
}

/* Empty cells on which a stone of the side would complete a chain. */
static inline plane find_threats(const struct board *b, const struct state *s, unsigned side)
{
	return plane_and(plane_and(s->near[side][0], s->near[side][1]), empty_of(b, s));
}

static bool board_immediate_win(const struct game *game, const void *state, int *value)
{
	const struct state *s = state;
	if (!plane_any(find_threats(board_of(game), s, (unsigned)s->plies & 1)))
		return false;
	*value = s->plies & 1 ? -1 : 1;
	return true;
}

/* --- chains of bridges -------------------------------------------------------------------- */

#include "solver/games/hex_bridges.h"

/* Writes the witness of T8: the stone, if the chain needs one more, and the bridges. Returns its size. */
static unsigned write_chain(const uint16_t *cells, unsigned bridges, const unsigned *stone, uint8_t *out)
{
	uint8_t *at = out;
	if (stone) {
		*at++ = 1;
		pd_put_le16(at, (uint16_t)*stone);
		at += 2;
	}
	for (unsigned i = 0; i < bridges; i++, at += 5) {
		at[0] = 2;
		pd_put_le16(at + 1, cells[2 * i]);
		pd_put_le16(at + 3, cells[2 * i + 1]);
	}
	return (unsigned)(at - out);
}

/* T8 of THEOREMS.md. The mover wins with a chain that one stone completes, the other side with a chain that exists. The
 * effort is four times the number of ways to put one stone for each bridge into the empty cells. On average a search by
 * the rules takes no more than that; the worst case seen was eleven times as much (random games on boards of 4 to
 * 6). */
static bool board_theorem(const struct game *game, const void *state, int threshold, struct game_theorem *out,
			  uint8_t *witness)
{
	enum { BRIDGES_MAX = (GAME_WITNESS_MAX - 3) / 5 };
	const struct board *b = board_of(game);
	const struct state *s = state;
	uint16_t room[BOARD_CELLS_MAX], *cells = witness ? room : NULL;
	unsigned mover = (unsigned)s->plies & 1, winner = mover, stone = 0,
		 bridges = chain_after_a_stone(b, s, mover, cells, &stone);
	if (!bridges) {
		winner = !mover;
		bridges = chain_of_bridges(b, s, winner, cells);
	}
	if (!bridges || bridges > BRIDGES_MAX)
		return false;
	*out = (struct game_theorem){.proved = (winner ? -1 : 1) >= threshold,
				     .number = 8,
				     .plies = (uint16_t)(2 * bridges + (winner == mover)),
				     .effort = 4};
	if (witness)
		out->witness = (uint16_t)write_chain(cells, bridges, winner == mover ? &stone : NULL, witness);
	uint32_t left = b->hex.cells - (uint32_t)s->plies;
	while (bridges-- && out->effort < 1 << 24)
		out->effort *= left;
	return true;
}

/* --- initial numbers ------------------------------------------------------------------------ */

/* The neighbours of a set, and of the own groups that it touches. */
static inline plane neighbours_through(const struct board *b, plane x, plane own)
{
	plane group = plane_none();
	return fill_group(b, neighbours_of(b, x), own, &group);
}

/* Estimates the work of a side to win: a power of its two-distance (van Rijswijck, Hex evaluation in Queenbee), which
 * assumes that the opponent answers, divided by the number of cells in which shortest ways meet.
 *
 * A cell is at distance 1 from an edge if a stone there is connected with it, and at most at k + 1 if two of its
 * neighbours are at most at k, because the opponent can block only one of them. Own stones count for the cells that
 * they touch. The sets of both edges grow in turn until they meet in an empty cell. If no cell has two such neighbours,
 * a set grows by plain steps, which count twice. */
static uint32_t work_of(const struct board *b, const struct state *s, unsigned side)
{
	static const uint32_t power[] = {1, 6, 36, 216, 1296, 7776, 46656, 279936};
	const plane *near = s->near[side];
	plane empty = empty_of(b, s), own = s->stones[side], apart = plane_minus(own, plane_or(near[0], near[1]));
	plane set[2] = {plane_and(near[0], empty), plane_and(near[1], empty)}, meet;
	unsigned steps = 0, turn = 0;
	while (!plane_any(meet = plane_and(set[0], set[1]))) {
		plane old = set[turn], pairs = plane_and(next_to_two(b, old), own);
		plane grown = plane_or(old, next_to_two(b, plane_or(old, plane_and(apart, neighbours_of(b, old)))));
		if (plane_any(pairs))
			grown = plane_or(grown, neighbours_through(b, pairs, own));
		grown = plane_and(grown, empty);
		if (plane_same(grown, old)) {
			grown = plane_or(grown, plane_and(neighbours_through(b, old, own), empty));
			steps++;
			if (plane_same(grown, old)) /* cut off: the game is over */
				break;
		}
		set[turn] = grown;
		turn = !turn;
		steps++;
	}
	unsigned ways = plane_count(meet);
	uint32_t work = power[steps < 8 ? steps : 7] / (1 + (ways < 8 ? ways : 8));
	return work ? work : 1;
}

/* Initial numbers: the work of each side to win. For the side that is not to move it is multiplied by half the number
 * of the mover's moves, or by one if the mover has to block a threat.
 *
 * Millions of nodes of pds-pn, medians of three seeds, measured without chains of bridges and with all moves instead of
 * half of them (which took a third less time later); a node takes two to three times as long as with mobility:
 *
 *                       5x5 empty   c3 b3   a5 c3   b4 c3   6x5 c3   6x6 c3 c4 d3 b4
 *      1 and 1             86.6      2.64    4.39    2.48   over 300
 *      mobility            18.7      0.54    3.41    3.32     80.5    over 200
 *      plain distance       7.3      0.20    3.75    0.89     79.2    over 200
 *      this                 1.8      0.13    0.16    0.20     12.7      6.7
 *
 * Plain distance is the number of stones on the shortest way. Without the number of ways, powers of 4 needed 1.5 to 2
 * times as many nodes, and powers of 2, 8, 16 and 64 more than that. */
static void board_initial_numbers(const struct game *game, const void *state, int threshold, uint32_t num[2])
{
	const struct board *b = board_of(game);
	const struct state *s = state;
	unsigned mover = (unsigned)s->plies & 1;
	num[mover] = work_of(b, s, mover);
	num[!mover] = 1;
	if (plane_any(find_threats(b, s, !mover)))
		return;
	uint32_t work = work_of(b, s, !mover) * ((1 + b->hex.cells - (uint32_t)s->plies) / 2);
	num[!mover] = work < 1000000 ? work : 1000000;
}

/* --- keys --------------------------------------------------------------------------------- */

/* Writes the stones in the frame of the key; true if that is the position turned by 180 degrees. */
static inline bool find_canonical(const struct board *b, const struct state *s, plane pair[2])
{
	pair[0] = turn_plane(b, s->stones[0]);
	pair[1] = turn_plane(b, s->stones[1]);
	if (plane_less(pair[0], s->stones[0]) ||
	    (plane_same(pair[0], s->stones[0]) && plane_less(pair[1], s->stones[1])))
		return true;
	pair[0] = s->stones[0];
	pair[1] = s->stones[1];
	return false;
}

static size_t board_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct board *b = board_of(game);
	plane pair[2];
	uint8_t bytes[2 * sizeof(plane)];
	find_canonical(b, state, pair);
	unsigned cells = b->hex.cells, all = 64 * PLANE_WORDS;
	plane low = pair[0], high = pair[1];
	if (cells < all) {
		low = plane_or(low, plane_up(pair[1], cells));
		high = plane_down(pair[1], all - cells);
	}
	for (unsigned i = 0; i < PLANE_WORDS; i++) {
		pd_put_le64(bytes + 8 * i, plane_word(low, i));
		pd_put_le64(bytes + sizeof(plane) + 8 * i, plane_word(high, i));
	}
	size_t size = b->hex.key_size;
	memcpy(out, bytes, size);
	if (((const struct state *)state)->set_up)
		out[size++] = (uint8_t)(((const struct state *)state)->plies & 1);
	return size;
}

static game_move board_canon(const struct game *game, const void *state, game_move move, bool back)
{
	(void)back; /* a turn by 180 degrees is its own inverse */
	const struct board *b = board_of(game);
	plane pair[2];
	return find_canonical(b, state, pair) ? (game_move)(b->hex.cells - 1 - move) : move;
}

/* The state with these stones. */
static struct state with_stones(const struct board *b, plane first, plane second)
{
	struct state s = {.near = {{b->edge[0][0], b->edge[0][1]}, {b->edge[1][0], b->edge[1][1]}}};
	for (unsigned cell = 0; cell < b->hex.cells; cell++)
		if (plane_has(plane_or(first, second), cell))
			put_stone(b, &s, plane_has(second, cell), cell);
	return s;
}

/* The stone that all chains of the side that has won need, or `cells` when there is none. */
static unsigned last_stone(const struct board *b, const struct state *s)
{
	unsigned side = has_chain(s, 1), cell = 0;
	for (; cell < b->hex.cells; cell++) {
		plane left[2] = {s->stones[0], s->stones[1]};
		if (!plane_has(left[side], cell))
			continue;
		left[side] = plane_minus(left[side], plane_bit(cell));
		struct state before = with_stones(b, left[0], left[1]);
		if (!has_chain(&before, side))
			break;
	}
	return cell;
}

/* Makes the position with these stones. `turn` is the side to move; GAME_NO_SIDE means the one that follows from the
 * number of stones. If a side has a chain, the other is to move in any case. Returns NULL, or what is wrong. */
static const char *with_turn(const struct board *b, const plane stones[2], unsigned turn, struct state *out)
{
	struct state s = with_stones(b, stones[0], stones[1]);
	unsigned first = plane_count(stones[0]), second = plane_count(stones[1]);
	bool over = has_chain(&s, 0) || has_chain(&s, 1);
	if (over)
		turn = has_chain(&s, 0) ? GAME_SECOND : GAME_FIRST;
	else if (turn == GAME_NO_SIDE && first != second && first != second + 1)
		return "the number of stones does not tell who is to move: name the side";
	else if (turn == GAME_NO_SIDE)
		turn = first == second ? GAME_FIRST : GAME_SECOND;
	if ((s.plies & 1) != turn)
		s.plies--;
	s.set_up = first != second + turn || (over && last_stone(b, &s) == b->hex.cells);
	PD_ASSERT(has_lost(&s) == over && (s.plies & 1) == turn);
	*out = s;
	return NULL;
}

static int board_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	const struct board *b = board_of(game);
	unsigned cells = b->hex.cells;
	plane pair[2] = {plane_none(), plane_none()}, again[2];
	bool set_up = size == b->hex.key_size + 1u;
	if (!set_up && size != b->hex.key_size)
		return PD_E_CORRUPT;
	for (unsigned i = 0; i < 8 * b->hex.key_size; i++) {
		if (!(key[i / 8] >> i % 8 & 1))
			continue;
		if (i >= 2 * cells)
			return PD_E_CORRUPT;
		pair[i >= cells] = plane_or(pair[i >= cells], plane_bit(i % cells));
	}
	if (plane_any(plane_and(pair[0], pair[1])) || (set_up && key[size - 1] > 1))
		return PD_E_CORRUPT;
	struct state s;
	if (with_turn(b, pair, set_up ? key[size - 1] : GAME_NO_SIDE, &s) || s.set_up != set_up ||
	    (set_up && (s.plies & 1) != key[size - 1]) || find_canonical(b, &s, again))
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* --- cells -------------------------------------------------------------------------------- */

static void board_to_cells(const struct game *game, const void *state, struct cells *out)
{
	const struct state *s = state;
	out->turn = s->plies & 1;
	for (unsigned cell = 0; cell < board_of(game)->hex.cells; cell++)
		out->at[cell] = (uint8_t)(plane_has(s->stones[0], cell) * CELLS_FIRST +
					  plane_has(s->stones[1], cell) * CELLS_SECOND);
}

static int board_from_cells(const struct game *game, const struct cells *cells, void *state, struct pd_fail *fail)
{
	const struct board *b = board_of(game);
	plane stones[2] = {plane_none(), plane_none()};
	for (unsigned cell = 0; cell < b->hex.cells; cell++)
		if (cells->at[cell]) {
			plane *mine = &stones[cells->at[cell] == CELLS_SECOND];
			*mine = plane_or(*mine, plane_bit(cell));
		}
	struct state s;
	const char *wrong = with_turn(b, stones, cells->turn, &s);
	if (!wrong)
		memcpy(state, &s, sizeof s);
	return cells_refuse(fail, wrong);
}

static size_t board_print(const struct game *game, const void *state, char *out, size_t size)
{
	const struct board *b = board_of(game);
	const struct state *s = state;
	struct cells cells;
	if (s->set_up)
		return cells_print(game, state, out, size);
	board_to_cells(game, state, &cells);
	return hex_print_moves(&b->hex, &cells, has_lost(s) ? last_stone(b, s) : b->hex.cells, out, size);
}

/* --- opening ------------------------------------------------------------------------------ */

static void board_start(const struct game *game, void *state)
{
	struct state s = with_stones(board_of(game), plane_none(), plane_none());
	memcpy(state, &s, sizeof s);
}

/* The steps between a cell and its image turned by 180 degrees, which measure its distance from the centre. */
static unsigned hex_eccentricity(unsigned width, unsigned height, unsigned cell)
{
	int x = 2 * (int)(cell % width) + 1 - (int)width, y = 2 * (int)(cell / width) + 1 - (int)height;
	return (unsigned)((abs(x) + abs(y) + abs(x + y)) / 2);
}

struct hex *HEX_NEW(unsigned width, unsigned height, struct pd_fail *fail)
{
	static const struct cells_form form = {.letters = "xo",
					       .sides = "xo",
					       .from_top = true,
					       .side_optional = true,
					       .read_move = cells_read_place_move,
					       .to_cells = board_to_cells,
					       .from_cells = board_from_cells};
	struct board *b = cells_new(&HEX_RULES, &form, sizeof *b, fail);
	uint16_t rank[HEX_CELLS_MAX];
	if (!b)
		return NULL;
	b->hex.base.width = width;
	b->hex.base.height = height;
	b->hex.base.game.state_size = sizeof(struct state);
	b->hex.cells = width * height;
	for (unsigned i = 0; i < b->hex.cells; i++) {
		unsigned row = i / width, column = i % width;
		bool at_edge[2][2] = {{row == 0, row == height - 1}, {column == 0, column == width - 1}};
		for (unsigned edge = 0; edge < 4; edge++)
			if (at_edge[edge / 2][edge % 2])
				b->edge[edge / 2][edge % 2] = plane_or(b->edge[edge / 2][edge % 2], plane_bit(i));
		b->full = plane_or(b->full, plane_bit(i));
	}
	b->not_first = plane_minus(b->full, b->edge[1][0]);
	b->not_last = plane_minus(b->full, b->edge[1][1]);
	for (unsigned i = 0; i < b->hex.cells; i++)
		b->around[i] = plane_and(neighbours_of(b, plane_bit(i)), b->full);
	grid_order(width, height, hex_eccentricity, b->hex.order);
	for (unsigned i = 0; i < b->hex.cells; i++)
		rank[b->hex.order[i]] = (uint16_t)i;
	for (unsigned i = 0; i < b->hex.cells; i++)
		if (rank[b->hex.cells - 1 - i] < rank[i])
			b->later = plane_or(b->later, plane_bit(i));
	return &b->hex;
}

const struct game_rules HEX_RULES = {
	CELLS_TEXT,
	.name = "hex",
	.title = "Hex",
	.params = HEX_PARAMS,
	.notation = HEX_NOTATION,
	.example = "hex:5",
	.open = hex_open,
	CELLS_RULES(board),
	.print = board_print,
	.move_print = cells_move_print,
	.canon = board_canon,
	.unique_moves = board_distinct,
	.immediate_win = board_immediate_win,
	.initial_numbers = board_initial_numbers,
	.board = hex_board,
	.diagram = cells_diagram,
	.move_places = cells_move_places,
	.move_square = cells_move_square,
	.set_up = cells_set_up,
	.records = GAME_RECORD_SGF,
	.sgf = &(const struct game_sgf){.number = 11, .swap = true},
	.theorem = board_theorem,
	.flip_side = board_flip_side,
};
