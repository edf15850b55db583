/* Hex: the rules on a board that fits a `plane`, an unsigned type of 64 or 128 bits.
 *
 * Included once each by hex.c and hex_wide.c, which say before what a `plane` is, and give the rules and the maker
 * their names (HEX_RULES, HEX_NEW). hex_variant.h has the rules of the game, the numbering of cells and the keys.
 *
 * Layout. Bit = cell, without gaps, so turning the board by 180 degrees reverses the order of bits. The neighbours of
 * a set are six shifts; cells of the first column have none to the left, those of the last none to the right:
 *
 *      -W  -W+1
 *   -1   x   +1
 *     W-1  W
 *
 * Chains. Besides the stones of each side a state keeps two sets: the cells that are next to one edge of that side, or
 * to a stone that has a chain to it. `near` therefore says of a new stone in one step whether it is joined to an edge,
 * and of an empty cell whether a stone there would join both: that is an immediate win. A stone that is near no edge
 * changes neither set; otherwise the group of the new stone is filled, mostly in no step or one.
 *
 * Invariants. The stones do not overlap; plies counts them; near[side][e] is edge e and all neighbours (some beyond the
 * board's last bit) of the side's stones that are in it. Both follow from the stones alone. */
#ifndef GAMES_HEX_BOARD_H
#define GAMES_HEX_BOARD_H

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "solver/game.h"
#include "solver/games/hex_variant.h"
#include "solver/games/text.h"

struct state {
	plane plies;      /* as wide as the rest, so that there is no padding */
	plane stones[2];  /* First's and Second's */
	plane near[2][2]; /* by side and edge: top and bottom for First, first and last column for Second */
};

struct board {
	struct hex hex;
	plane full;                  /* all cells */
	plane not_first, not_last;   /* all cells but those of the first column, of the last column */
	plane edge[2][2];            /* as `near` of an empty board */
	plane later;                 /* cells whose image stands earlier in the order of moves */
	plane around[HEX_CELLS_MAX]; /* the neighbours of a cell */
};

static const struct board *of(const struct game *game)
{
	return (const struct board *)game;
}

/* --- planes ------------------------------------------------------------------------------- */

static inline plane bit(unsigned cell)
{
	return (plane)1 << cell;
}

/* The upper half; 0 when there is none. */
static inline uint64_t upper(plane x)
{
	return (uint64_t)(x >> 32 >> 32);
}

static unsigned count_of(plane x)
{
	return text_count((uint64_t)x) + text_count(upper(x));
}

static inline uint64_t reversed(uint64_t x)
{
	x = (x >> 1 & UINT64_C(0x5555555555555555)) | (x & UINT64_C(0x5555555555555555)) << 1;
	x = (x >> 2 & UINT64_C(0x3333333333333333)) | (x & UINT64_C(0x3333333333333333)) << 2;
	x = (x >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (x & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
	return __builtin_bswap64(x);
}

/* The board turned by 180 degrees. */
static inline plane turned(const struct board *b, plane x)
{
	plane all = reversed((uint64_t)x);
	if (sizeof(plane) > sizeof(uint64_t))
		all = all << 32 << 32 | reversed(upper(x));
	return all >> (8 * sizeof(plane) - b->hex.cells);
}

/* The neighbours of a set; plane behind the board may be set as well. */
static inline plane neighbours(const struct board *b, plane x)
{
	unsigned width = b->hex.width;
	plane left = x & b->not_first, right = x & b->not_last;
	return x << width | x >> width | (left | left << width) >> 1 | (right | right >> width) << 1;
}

static inline plane empty_of(const struct board *b, const struct state *s)
{
	return b->full & ~(s->stones[0] | s->stones[1]);
}

/* --- inner loop --------------------------------------------------------------------------- */

static bool board_first_to_move(const struct game *game, const void *state)
{
	(void)game;
	const struct state *s = state;
	return (s->plies & 1) == 0;
}

/* Whether the side has a chain from edge to edge. */
static inline bool joined(const struct state *s, unsigned side)
{
	return (s->stones[side] & s->near[side][0] & s->near[side][1]) != 0;
}

/* Whether the player who moved last has won. */
static inline bool lost(const struct state *s)
{
	return joined(s, ~(unsigned)s->plies & 1);
}

static bool board_terminal(const struct game *game, const void *state, int *value)
{
	(void)game;
	const struct state *s = state;
	if (!lost(s))
		return false;
	*value = s->plies & 1 ? 1 : -1;
	return true;
}

/* Writes the cells of a set in the order of moves. */
static unsigned list(const struct board *b, plane set, game_move *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < b->hex.cells; i++) {
		out[n] = b->hex.order[i];
		n += (unsigned)(set >> b->hex.order[i]) & 1;
	}
	return n;
}

static unsigned board_moves(const struct game *game, const void *state, game_move *out)
{
	const struct state *s = state;
	plane empty = empty_of(of(game), s);
	return !empty || lost(s) ? 0 : list(of(game), empty, out);
}

/* Two moves have children with one key only if the position is its own image: without that both would have to be the
 * one stone that makes it so. */
static unsigned board_distinct(const struct game *game, const void *state, game_move *out)
{
	const struct board *b = of(game);
	const struct state *s = state;
	plane empty = empty_of(b, s);
	if (!empty || lost(s))
		return 0;
	bool symmetric = turned(b, s->stones[0]) == s->stones[0] && turned(b, s->stones[1]) == s->stones[1];
	return list(b, symmetric ? empty & ~b->later : empty, out);
}

/* Adds the stones of `own` in `around`, and all that hang on them, to *group. Returns `around` with what is next to
 * these. */
static inline plane fill(const struct board *b, plane around, plane own, plane *group)
{
	plane more;
	while ((more = around & own & ~*group) != 0) {
		*group |= more;
		around |= neighbours(b, more);
	}
	return around;
}

/* Puts a stone of that side on an empty cell. */
static inline void put(const struct board *b, struct state *s, unsigned side, unsigned cell)
{
	plane stone = bit(cell), *near = s->near[side], own = s->stones[side] |= stone;
	bool first = (near[0] & stone) != 0, second = (near[1] & stone) != 0;
	s->plies++;
	if (!first && !second)
		return;
	plane group = stone, around = fill(b, b->around[cell], own, &group);
	near[0] |= first ? around : 0;
	near[1] |= second ? around : 0;
}

static void board_play(const struct game *game, void *state, game_move move)
{
	struct state *s = state;
	PD_DEBUG_ASSERT(move < of(game)->hex.cells);
	put(of(game), s, (unsigned)s->plies & 1, move);
}

/* Empty cells on which a stone of the side would complete a chain. */
static inline plane threats(const struct board *b, const struct state *s, unsigned side)
{
	return s->near[side][0] & s->near[side][1] & empty_of(b, s);
}

static bool board_immediate_win(const struct game *game, const void *state, int *value)
{
	const struct state *s = state;
	if (!threats(of(game), s, (unsigned)s->plies & 1))
		return false;
	*value = s->plies & 1 ? -1 : 1;
	return true;
}

/* --- chains of bridges -------------------------------------------------------------------- */

#include "solver/games/hex_bridges.h"

/* The mover wins with a chain that one stone makes, or the one who waits with a chain that is there. The effort, four
 * times every order in which a stone may go into the empty cells for each bridge, is what a search by the rules takes
 * on the average or less; the most that was seen is eleven times as much (random games on boards of 4 to 6). */
static bool board_decided(const struct game *game, const void *state, struct game_static *out)
{
	const struct board *b = of(game);
	const struct state *s = state;
	unsigned mover = (unsigned)s->plies & 1, winner = mover, bridges = chain_after_a_stone(b, s, mover), stone = 1;
	if (!bridges) {
		winner = !mover;
		bridges = chain_of_bridges(b, s, winner);
		stone = 0;
	}
	if (!bridges)
		return false;
	uint32_t left = b->hex.cells - (uint32_t)s->plies;
	out->value = winner ? -1 : 1;
	out->plies = 2 * bridges + stone;
	out->effort = 4;
	while (bridges-- && out->effort < 1 << 24)
		out->effort *= left;
	return true;
}

/* --- initial numbers ------------------------------------------------------------------------ */

/* The neighbours of a set, and of the groups of own stones that it touches. */
static inline plane neighbours_through(const struct board *b, plane x, plane own)
{
	plane group = 0;
	return fill(b, neighbours(b, x), own, &group);
}

/* An estimate of the work of a side to win: its two-distance (van Rijswijck, Hex evaluation in Queenbee), which takes
 * the opponent to answer, as a power, divided by how many cells there are in which shortest ways meet.
 *
 * A cell is at distance 1 from an edge when a stone there is joined to it, and at most at k + 1 when two of its
 * neighbours are at most at k, because the opponent can spoil but one of them. Own stones count for the cells that
 * they touch. Both edges' sets grow in turn until they meet in an empty cell. Where no cell has two such neighbours a
 * set grows by plain steps, which count twice. */
static uint32_t work_of(const struct board *b, const struct state *s, unsigned side)
{
	static const uint32_t power[] = {1, 6, 36, 216, 1296, 7776, 46656, 279936};
	const plane *near = s->near[side];
	plane empty = empty_of(b, s), own = s->stones[side], apart = own & ~(near[0] | near[1]);
	plane set[2] = {near[0] & empty, near[1] & empty}, meet;
	unsigned steps = 0, turn = 0;
	while ((meet = set[0] & set[1]) == 0) {
		plane old = set[turn], pairs = next_to_two(b, old);
		plane grown = old | next_to_two(b, old | (apart & neighbours(b, old)));
		if (pairs & own)
			grown |= neighbours_through(b, pairs & own, own);
		grown &= empty;
		if (grown == old) {
			grown |= neighbours_through(b, old, own) & empty;
			steps++;
			if (grown == old) /* cut off, and so the game is over */
				break;
		}
		set[turn] = grown;
		turn = !turn;
		steps++;
	}
	unsigned ways = count_of(meet);
	uint32_t work = power[steps < 8 ? steps : 7] / (1 + (ways < 8 ? ways : 8));
	return work ? work : 1;
}

/* Initial numbers: for either side the work of winning; for the one who waits times half of the moves of the other,
 * which are one where he has to meet a threat.
 *
 * Measured by pds-pn before chains of bridges were known, with all moves instead of half (half of them took a third
 * less time afterwards, 6x6 after c3 c4 and c3 d2, 5x6 and 6x5), millions of nodes, medians of three seeds (a node
 * takes two to three times as long as with mobility):
 *
 *                       5x5 empty   c3 b3   a5 c3   b4 c3   6x5 c3   6x6 c3 c4 d3 b4
 *      1 and 1             86.6      2.64    4.39    2.48   over 300
 *      mobility            18.7      0.54    3.41    3.32     80.5    over 200
 *      plain distance       7.3      0.20    3.75    0.89     79.2    over 200
 *      this                 1.8      0.13    0.16    0.20     12.7      6.7
 *
 * Plain distance is the number of stones on the shortest way. Without counting the ways, powers of 4 needed half as
 * much again to twice as much, and powers of 2, 8, 16 and 64 more than those. */
static void board_initial_numbers(const struct game *game, const void *state, int threshold, uint32_t num[2])
{
	const struct board *b = of(game);
	const struct state *s = state;
	unsigned mover = (unsigned)s->plies & 1;
	(void)threshold;
	num[mover] = work_of(b, s, mover);
	num[!mover] = 1;
	if (threats(b, s, !mover))
		return;
	uint32_t work = work_of(b, s, !mover) * ((1 + b->hex.cells - (uint32_t)s->plies) / 2);
	num[!mover] = work < 1000000 ? work : 1000000;
}

/* --- keys --------------------------------------------------------------------------------- */

/* The stones in the frame of the key; true when that is the position turned by 180 degrees. */
static inline bool canonical(const struct board *b, const struct state *s, plane pair[2])
{
	pair[0] = turned(b, s->stones[0]);
	pair[1] = turned(b, s->stones[1]);
	if (pair[0] < s->stones[0] || (pair[0] == s->stones[0] && pair[1] < s->stones[1]))
		return true;
	pair[0] = s->stones[0];
	pair[1] = s->stones[1];
	return false;
}

static size_t board_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct board *b = of(game);
	plane pair[2];
	uint8_t bytes[4 * sizeof(uint64_t)] = {0};
	canonical(b, state, pair);
	unsigned cells = b->hex.cells, all = 8 * sizeof(plane);
	plane low = pair[0], high = pair[1];
	if (cells < all) {
		low |= pair[1] << cells;
		high = pair[1] >> (all - cells);
	}
	uint8_t *behind = bytes + sizeof(plane);
	pd_put_le64(bytes, (uint64_t)low);
	pd_put_le64(behind, (uint64_t)high);
	if (sizeof(plane) > sizeof(uint64_t)) {
		pd_put_le64(bytes + 8, upper(low));
		pd_put_le64(behind + 8, upper(high));
	}
	memcpy(out, bytes, game->key_size_max);
	return game->key_size_max;
}

static game_move board_canon(const struct game *game, const void *state, game_move move, bool back)
{
	(void)back; /* a turn by 180 degrees is its own inverse */
	const struct board *b = of(game);
	plane pair[2];
	return canonical(b, state, pair) ? (game_move)(b->hex.cells - 1 - move) : move;
}

/* The state with these stones. */
static struct state with_stones(const struct board *b, plane first, plane second)
{
	struct state s = {.near = {{b->edge[0][0], b->edge[0][1]}, {b->edge[1][0], b->edge[1][1]}}};
	for (unsigned cell = 0; cell < b->hex.cells; cell++)
		if ((first | second) & bit(cell))
			put(b, &s, (second & bit(cell)) != 0, cell);
	return s;
}

/* The stone that all chains of the side that has won need, or `cells` when there is none. */
static unsigned last_stone(const struct board *b, const struct state *s)
{
	unsigned side = joined(s, 1), cell = 0;
	for (; cell < b->hex.cells; cell++) {
		plane left[2] = {s->stones[0], s->stones[1]};
		if (!(left[side] & bit(cell)))
			continue;
		left[side] &= ~bit(cell);
		struct state before = with_stones(b, left[0], left[1]);
		if (!joined(&before, side))
			break;
	}
	return cell;
}

/* What is wrong with a position; NULL when nothing is: then it can come up. */
static const char *fault(const struct board *b, const struct state *s)
{
	unsigned first = count_of(s->stones[0]), second = count_of(s->stones[1]);
	if (first != second && first != second + 1)
		return "First has as many stones as Second, or one more";
	if (joined(s, (unsigned)s->plies & 1))
		return "the side to move has a chain already";
	return lost(s) && last_stone(b, s) == b->hex.cells ? "the game went on after a chain" : NULL;
}

static int board_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	const struct board *b = of(game);
	unsigned cells = b->hex.cells;
	plane pair[2] = {0}, again[2];
	if (size != game->key_size_max)
		return PD_E_CORRUPT;
	for (unsigned i = 0; i < 8 * size; i++) {
		if (!(key[i / 8] >> i % 8 & 1))
			continue;
		if (i >= 2 * cells)
			return PD_E_CORRUPT;
		pair[i >= cells] |= bit(i % cells);
	}
	if (pair[0] & pair[1])
		return PD_E_CORRUPT;
	struct state s = with_stones(b, pair[0], pair[1]);
	if (fault(b, &s) || canonical(b, &s, again))
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* --- text --------------------------------------------------------------------------------- */

/* Plays the cell at *text and moves behind it. NULL on success, otherwise what is wrong. */
static const char *play_text(const struct board *b, struct state *s, const char **text, unsigned *cell)
{
	const char *wrong = hex_cell_read(&b->hex, text, cell);
	if (wrong)
		return wrong;
	if (lost(s))
		return "the game is over before this move";
	if ((s->stones[0] | s->stones[1]) & bit(*cell))
		return "the cell is taken";
	board_play(&b->hex.game, s, (game_move)*cell);
	return NULL;
}

static int board_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail)
{
	const struct board *b = of(game);
	struct state s = with_stones(b, 0, 0);
	const char *p = text;
	for (;;) {
		unsigned cell;
		while (hex_blank(*p))
			p++;
		if (!*p)
			break;
		const char *start = p, *wrong = play_text(b, &s, &p, &cell);
		char corner[8];
		hex_cell_name(&b->hex, b->hex.cells - 1, corner);
		if (wrong)
			return pd_fail_set(fail, PD_E_POSITION, "position",
					   "at index %zu (counted from 0), '%s': %s; the cells are a1 to %s",
					   (size_t)(start - text), text_excerpt(start, strcspn(start, " ,\t")).text,
					   wrong, corner);
	}
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

static void letters_of(const struct board *b, const struct state *s, char out[HEX_CELLS_MAX])
{
	for (unsigned cell = 0; cell < b->hex.cells; cell++)
		out[cell] = s->stones[0] & bit(cell) ? 'x' : s->stones[1] & bit(cell) ? 'o' : '.';
}

static size_t board_print(const struct game *game, const void *state, char *out, size_t size)
{
	const struct board *b = of(game);
	char letters[HEX_CELLS_MAX];
	letters_of(b, state, letters);
	return hex_print_letters(&b->hex, letters, lost(state) ? last_stone(b, state) : b->hex.cells, out, size);
}

static void board_diagram(const struct game *game, const void *state, struct game_diagram *out)
{
	const struct board *b = of(game);
	char letters[HEX_CELLS_MAX];
	letters_of(b, state, letters);
	for (unsigned cell = 0; cell < b->hex.cells; cell++)
		out->on[cell] = letters[cell] == 'x' ? 1 : letters[cell] == 'o' ? 2 : 0;
	out->to_move = text_turn(game, state);
}

static int board_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail)
{
	const struct board *b = of(game);
	plane stones[2] = {0};
	for (unsigned cell = 0; cell < b->hex.cells; cell++) {
		unsigned on = diagram->on[cell];
		if (on > 2)
			return pd_fail_set(fail, PD_E_POSITION, "position", "there is no such piece");
		if (on)
			stones[on - 1] |= bit(cell);
	}
	struct state s = with_stones(b, stones[0], stones[1]);
	const char *wrong = fault(b, &s);
	if (wrong)
		return pd_fail_set(fail, PD_E_POSITION, "position", "this board cannot come up: %s", wrong);
	int rc = text_check_turn(game, diagram, &s, fail);
	if (!rc)
		memcpy(state, &s, sizeof s);
	return rc;
}

static int board_move_parse(const struct game *game, const void *state, const char *text, game_move *out,
			    struct pd_fail *fail)
{
	const struct board *b = of(game);
	struct state s;
	unsigned cell;
	const char *p = text;
	char corner[8];
	memcpy(&s, state, sizeof s);
	hex_cell_name(&b->hex, b->hex.cells - 1, corner);
	const char *wrong = play_text(b, &s, &p, &cell);
	if (!wrong && *p)
		wrong = "a move is one cell";
	if (wrong)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%s': %s; the cells are a1 to %s",
				   text_excerpt(text, 16).text, wrong, corner);
	*out = (game_move)cell;
	return PD_OK;
}

static size_t board_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	(void)state;
	struct text_line line = text_line(out, size);
	char name[8];
	hex_cell_name(&of(game)->hex, move, name);
	text_printf(&line, "%s", name);
	return line.length;
}

/* --- opening ------------------------------------------------------------------------------ */

static void board_start(const struct game *game, void *state)
{
	struct state s = with_stones(of(game), 0, 0);
	memcpy(state, &s, sizeof s);
}

/* Steps between a cell and its image turned by 180 degrees: how far from the centre it is. */
static unsigned eccentricity(const struct hex *h, unsigned cell)
{
	int x = 2 * (int)(cell % h->width) + 1 - (int)h->width, y = 2 * (int)(cell / h->width) + 1 - (int)h->height;
	int z = x + y;
	return (unsigned)((abs(x) + abs(y) + abs(z)) / 2);
}

static void prepare_order(struct board *b)
{
	struct hex *h = &b->hex;
	uint8_t rank[HEX_CELLS_MAX];
	PD_ASSERT(h->cells >= 1 && h->cells <= HEX_CELLS_MAX);
	for (unsigned i = 0; i < h->cells; i++) {
		unsigned place = i; /* insertion sort; equal ones stay in the order of their numbers */
		for (; place > 0 && eccentricity(h, h->order[place - 1]) > eccentricity(h, i); place--)
			h->order[place] = h->order[place - 1];
		h->order[place] = (uint8_t)i;
	}
	for (unsigned i = 0; i < h->cells; i++)
		rank[h->order[i]] = (uint8_t)i;
	for (unsigned i = 0; i < h->cells; i++)
		if (rank[h->cells - 1 - i] < rank[i])
			b->later |= bit(i);
}

struct hex *HEX_NEW(unsigned width, unsigned height)
{
	struct board *b = calloc(1, sizeof *b);
	if (!b)
		return NULL;
	b->hex.width = width;
	b->hex.height = height;
	b->hex.cells = width * height;
	for (unsigned row = 0; row < height; row++) {
		b->edge[1][0] |= bit(row * width);
		b->edge[1][1] |= bit(row * width + width - 1);
	}
	for (unsigned column = 0; column < width; column++) {
		b->edge[0][0] |= bit(column);
		b->edge[0][1] |= bit((height - 1) * width + column);
	}
	for (unsigned i = 0; i < b->hex.cells; i++)
		b->full |= bit(i);
	b->not_first = b->full & ~b->edge[1][0];
	b->not_last = b->full & ~b->edge[1][1];
	for (unsigned i = 0; i < b->hex.cells; i++)
		b->around[i] = neighbours(b, bit(i)) & b->full;
	prepare_order(b);
	b->hex.game.state_size = sizeof(struct state);
	return &b->hex;
}

const struct game_rules HEX_RULES = {
	.abi = GAME_ABI,
	.size = sizeof(struct game_rules),
	.name = "hex",
	.title = "Hex",
	.params = HEX_PARAMS,
	.notation = HEX_NOTATION,
	.example = "hex:5",
	.open = hex_open,
	.close = hex_close,
	.start = board_start,
	.parse = board_parse,
	.print = board_print,
	.move_parse = board_move_parse,
	.move_print = board_move_print,
	.first_to_move = board_first_to_move,
	.terminal = board_terminal,
	.moves = board_moves,
	.play = board_play,
	.key = board_key,
	.unkey = board_unkey,
	.canon = board_canon,
	.unique_moves = board_distinct,
	.immediate_win = board_immediate_win,
	.initial_numbers = board_initial_numbers,
	.static_solve = board_decided,
	.board = hex_board,
	.diagram = board_diagram,
	.move_places = hex_move_places,
	.set_up = board_set_up,
};

#endif
