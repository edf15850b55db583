/* m,n,k: the rules on a board that fits a plane (plane.h).
 *
 * Included once by each of mnk_plain.c, mnk_turns.c and mnk_wide.c. They define the number of squares (PLANE_SQUARES),
 * whether turns have one stone and overlines win (MNK_PLAIN), and the names of the rules and of the function that makes
 * a game (MNK_RULES, MNK_NEW). mnk.h describes positions and keys.
 *
 * Layout. Two planes, square = row * width + column, without gaps. A line of k is found by shifting a plane onto itself
 * and looking only at squares where a line can start, so a line that runs over the edge is never seen:
 *
 *      6 7 8      start squares of a line to the right, k = 2:   6 7 .
 *      3 4 5                                                     3 4 .
 *      0 1 2                                                     0 1 .
 *
 * With `exact` a start counts only if neither the square before it nor the one after the line has a stone of the same
 * side. On boards of one word grid.h looks images up, on larger ones they are made stone by stone.
 *
 * Invariants. The planes do not overlap; plies counts their stones, except where MNK_SET_UP is added. */
#pragma once

#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "solver/games/grid.h"
#include "solver/games/groups.h"
#include "solver/games/mnk.h"
#include "solver/games/mnk_lines.h"
#include "solver/games/plane.h"

enum {
	SQUARES_MAX = PLANE_SQUARES,
	STEPS_MAX = 8 /* shifts that find a run of up to 64: six doublings and a remainder */
};

/* Added to the plies of a position that cannot be reached in a game, whose key has the other form: greater than any
 * number of stones, and even. Where turns are not of one stone it is added only by board_flip_side, and the sides of
 * all turns are exchanged. */
#define MNK_SET_UP (UINT64_C(1) << 32)

struct state {
	plane stones[2]; /* First's and Second's */
	uint64_t plies;  /* stones; of a position that is set up see complete_state */
};

_Static_assert(sizeof(struct state) <= GAME_STATE_MAX, "a state fits into GAME_STATE_MAX bytes");
_Static_assert((int)SQUARES_MAX <= (int)GAME_MOVES_MAX, "GAME_MOVES_MAX is large enough");

/* A direction in which k stones fit on the board. */
struct direction {
	plane start;       /* squares where a line begins */
	unsigned distance; /* bits from one square of a line to the next */
	unsigned steps;
	uint16_t shift[STEPS_MAX];  /* x &= x >> shift, in turn, leaves the squares where a run of k begins */
	plane place[MNK_SIDE_MAX];  /* squares that can be the i-th of a line */
	plane has_before, has_next; /* starts with a square before the line, and after it */
	unsigned beyond;            /* bits from the start to the square after the line; 0 when has_next is empty */
#if PLANE_SQUARES <= 64
	plane line[SQUARES_MAX]; /* by its start */
#endif
};

struct board {
	struct mnk mnk;
	unsigned symmetries;
	uint64_t soonest; /* the least number of stones with which a side can have k */
	plane full;
	unsigned directions;
	struct direction direction[4];
	uint8_t mover[SQUARES_MAX + 1];                          /* the side that puts each stone, from 0 */
	uint16_t left[SQUARES_MAX + 1];                          /* stones of its turn from that one on */
	square_number order[SQUARES_MAX];                        /* squares, nearest to the centre first */
	square_number rank[SQUARES_MAX];                         /* index of a square in order */
	square_number map[GRID_SYMMETRIES_MAX][SQUARES_MAX];     /* the image of a square */
	square_number inverse[GRID_SYMMETRIES_MAX][SQUARES_MAX]; /* the square with that image */
	plane later[GRID_SYMMETRIES_MAX];                        /* squares whose image is earlier in order */
#if PLANE_SQUARES <= 64
	struct grid_tables tables;
#endif
};

static const struct board *board_of(const struct game *game)
{
	return (const struct board *)game;
}

static inline bool is_set_up(const struct state *s)
{
	return s->plies >> 31 != 0;
}

/* The side that puts a stone when there are `plies`, MNK_SET_UP added. */
static inline unsigned side_of_set_up(const struct board *b, uint64_t plies)
{
	return mnk_alternates(&b->mnk.shape) ? plies & 1 : !b->mover[plies - MNK_SET_UP];
}

/* The side that puts the next stone, and the one that put the last (meaningless on the empty board). */
static inline unsigned next_side(const struct board *b, const struct state *s)
{
	return MNK_PLAIN ? s->plies & 1 : is_set_up(s) ? side_of_set_up(b, s->plies) : b->mover[s->plies];
}

static inline unsigned last_side(const struct board *b, const struct state *s)
{
	return MNK_PLAIN      ? ~s->plies & 1
	       : is_set_up(s) ? side_of_set_up(b, s->plies - (s->plies != MNK_SET_UP))
			      : b->mover[s->plies ? s->plies - 1 : 0];
}

static inline plane empty_of(const struct board *b, const struct state *s)
{
	return plane_minus(b->full, plane_or(s->stones[0], s->stones[1]));
}

/* --- lines -------------------------------------------------------------------------------- */

/* The starts of lines that have no stone of the side before or after them. */
static inline plane bare_starts(const struct direction *d, plane stones)
{
	plane touched = plane_and(plane_up(stones, d->distance), d->has_before);
	touched = plane_or(touched, plane_and(plane_down(stones, d->beyond), d->has_next));
	return plane_minus(d->start, touched);
}

static bool has_line(const struct board *b, plane stones)
{
	for (unsigned i = 0; i < b->directions; i++) {
		const struct direction *d = &b->direction[i];
		plane x = stones;
		for (unsigned j = 0; j < d->steps; j++)
			x = plane_and(x, plane_down(x, d->shift[j]));
		if (plane_any(plane_and(x, !MNK_PLAIN && b->mnk.shape.exact ? bare_starts(d, stones) : d->start)))
			return true;
	}
	return false;
}

/* The squares of `empty` on which a stone would complete a line of `stones` in one direction. For every place i in a
 * line: i stones before the square and k - 1 - i after it. */
static inline __attribute__((always_inline)) plane find_completions(const struct board *b, const struct direction *d,
								    unsigned k, plane stones, plane empty)
{
	plane behind[MNK_SIDE_MAX];
	bool exact = !MNK_PLAIN && b->mnk.shape.exact;
	plane open = exact ? bare_starts(d, stones) : d->start;
	behind[0] = empty;
	for (unsigned j = 1; j < k; j++)
		behind[j] = plane_and(behind[j - 1], plane_down(stones, j * d->distance));
	plane before = plane_max(), hit = plane_and(behind[k - 1], exact ? open : d->place[0]);
	for (unsigned j = 1; j < k; j++) {
		before = plane_and(before, plane_up(stones, j * d->distance));
		plane place = exact ? plane_up(open, j * d->distance) : d->place[j];
		hit = plane_or(hit, plane_and(plane_and(before, behind[k - 1 - j]), place));
	}
	return hit;
}

static inline __attribute__((always_inline)) bool has_completion(const struct board *b, unsigned k, plane stones,
								 plane empty)
{
	for (unsigned i = 0; i < b->directions; i++)
		if (plane_any(find_completions(b, &b->direction[i], k, stones, empty)))
			return true;
	return false;
}

/* True if a stone on one of the squares `empty` would complete a line of `stones`. The usual lengths are passed as
 * constants, so that the compiler unrolls the loops over a line. */
static inline bool can_complete(const struct board *b, plane stones, plane empty)
{
	unsigned k = b->mnk.shape.k;
	if (MNK_PLAIN && k == 4)
		return has_completion(b, 4, stones, empty);
	if (MNK_PLAIN && k == 5)
		return has_completion(b, 5, stones, empty);
	return has_completion(b, k, stones, empty);
}

/* --- symmetries --------------------------------------------------------------------------- */

#if PLANE_SQUARES <= 64

static plane image_of(const struct board *b, unsigned symmetry, plane x)
{
	return grid_image(&b->tables, symmetry, x);
}

static void images_of(const struct board *b, plane x, plane out[GRID_SYMMETRIES_MAX])
{
	grid_images(&b->tables, b->symmetries, x, out);
}

#else

static plane image_of(const struct board *b, unsigned symmetry, plane x)
{
	plane image = plane_none();
	for (unsigned i = 0; i < PLANE_WORDS; i++)
		for (uint64_t rest = x.word[i]; rest; rest &= rest - 1) {
			unsigned to = b->map[symmetry][64 * i + (unsigned)__builtin_ctzll(rest)];
			image.word[to / 64] |= UINT64_C(1) << to % 64;
		}
	return image;
}

static void images_of(const struct board *b, plane x, plane out[GRID_SYMMETRIES_MAX])
{
	for (unsigned i = 0; i < b->symmetries; i++)
		out[i] = i ? image_of(b, i, x) : x;
}

#endif

/* The symmetry that gives the smallest pair, and the pair. */
static unsigned find_canonical(const struct board *b, const struct state *s, plane pair[2])
{
	plane first[GRID_SYMMETRIES_MAX];
	unsigned best = 0;
	images_of(b, s->stones[0], first);
	plane least = s->stones[0];
	for (unsigned i = 1; i < b->symmetries; i++)
		least = plane_less(first[i], least) ? first[i] : least;
	plane second = plane_max(); /* greater than any board */
	for (unsigned i = 0; i < b->symmetries; i++) {
		if (!plane_same(first[i], least))
			continue;
		plane other = image_of(b, i, s->stones[1]);
		if (plane_less(other, second)) {
			second = other;
			best = i;
		}
	}
	pair[0] = least;
	pair[1] = second;
	return best;
}

/* --- inner loop --------------------------------------------------------------------------- */

static bool board_first_to_move(const struct game *game, const void *state)
{
	return next_side(board_of(game), state) == 0;
}

/* The player who put the last stone has won. */
static bool has_lost(const struct board *b, const struct state *s)
{
	return s->plies >= b->soonest && has_line(b, s->stones[last_side(b, s)]);
}

static bool board_terminal(const struct game *game, const void *state, int *value)
{
	const struct board *b = board_of(game);
	const struct state *s = state;
	if (has_lost(b, s)) {
		*value = last_side(b, s) ? -1 : 1;
		return true;
	}
	if (s->plies >= b->mnk.squares && !plane_any(empty_of(b, s))) {
		*value = 0;
		return true;
	}
	return false;
}

/* Writes the squares of a set in the order of moves. */
static unsigned list_squares(const struct board *b, plane set, game_move *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < b->mnk.squares; i++) {
		out[n] = b->order[i];
		n += plane_has(set, b->order[i]);
	}
	return n;
}

static unsigned board_moves(const struct game *game, const void *state, game_move *out)
{
	const struct board *b = board_of(game);
	const struct state *s = state;
	plane empty = empty_of(b, s);
	return !plane_any(empty) || has_lost(b, s) ? 0 : list_squares(b, empty, out);
}

/* Finds the moves that have a twin earlier in the order. Two moves a and b have children with the same key if a
 * symmetry maps one child to the other. That symmetry keeps the waiting side's stones. Either it also keeps the mover's
 * stones and maps a to b; or it moves exactly one of them: then a is mapped to the square that this stone leaves, and b
 * is the square that it reaches. The second case needs a quarter turn, because for a symmetry that is its own inverse a
 * and b are then the same square. */
static plane find_twins(const struct board *b, const struct state *s)
{
	unsigned side = next_side(b, s);
	plane mover = s->stones[side], waiting = s->stones[!side], drop = plane_none();
	plane images[GRID_SYMMETRIES_MAX];
	images_of(b, waiting, images);
	for (unsigned i = 1; i < b->symmetries; i++) {
		if (!plane_same(images[i], waiting))
			continue;
		plane image = image_of(b, i, mover);
		plane gone = plane_minus(mover, image), come = plane_minus(image, mover);
		if (!plane_any(gone)) {
			drop = plane_or(drop, b->later[i]);
		} else if (!plane_any(plane_without_first(gone))) {
			unsigned from = b->inverse[i][plane_first(gone)], to = plane_first(come);
			if (from != to)
				drop = plane_or(drop, plane_bit(b->rank[from] > b->rank[to] ? from : to));
		}
	}
	return drop;
}

static unsigned board_distinct(const struct game *game, const void *state, game_move *out)
{
	const struct board *b = board_of(game);
	const struct state *s = state;
	plane empty = empty_of(b, s);
	return !plane_any(empty) || has_lost(b, s) ? 0 : list_squares(b, plane_minus(empty, find_twins(b, s)), out);
}

static void board_play(const struct game *game, void *state, game_move move)
{
	struct state *s = state;
	PD_DEBUG_ASSERT(move < SQUARES_MAX && !plane_has(plane_or(s->stones[0], s->stones[1]), move));
	plane *mine = &s->stones[next_side(board_of(game), s)];
	*mine = plane_or(*mine, plane_bit(move));
	s->plies++;
}

static bool board_immediate_win(const struct game *game, const void *state, int *value)
{
	const struct board *b = board_of(game);
	const struct state *s = state;
	unsigned side = next_side(b, s);
	if (s->plies + 1 < b->soonest || !can_complete(b, s->stones[side], empty_of(b, s)))
		return false;
	*value = side ? -1 : 1;
	return true;
}

/* Where turns are of one stone, parity tells who is to move. */
static void board_flip_side(const struct game *game, void *state)
{
	struct state *s = state;
	if (!mnk_alternates(&board_of(game)->mnk.shape))
		s->plies ^= MNK_SET_UP;
	else
		s->plies += is_set_up(s) ? 1 : MNK_SET_UP - 1;
}

#if !MNK_PLAIN
#include "solver/games/mnk_chances.h"
#endif
#include "solver/games/mnk_policy.h"
#include "solver/games/mnk_theorem.h"

/* --- keys --------------------------------------------------------------------------------- */

static size_t board_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct board *b = board_of(game);
	uint64_t words[2 * PLANE_WORDS + 1] = {0};
	uint8_t bytes[sizeof words];
	plane pair[2];
	unsigned word = b->mnk.squares / 64, shift = b->mnk.squares % 64;
	find_canonical(b, state, pair);
	for (unsigned i = 0; i < PLANE_WORDS; i++)
		words[i] = plane_word(pair[0], i);
	for (unsigned i = 0; i < PLANE_WORDS; i++) {
		words[word + i] |= plane_word(pair[1], i) << shift;
		words[word + i + 1] |= plane_word(pair[1], i) >> 1 >> (63 - shift);
	}
	for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
		pd_put_le64(bytes + 8 * i, words[i]);
	size_t size = b->mnk.key_size;
	memcpy(out, bytes, size);
	if (is_set_up(state) && mnk_alternates(&b->mnk.shape))
		out[size++] = (uint8_t)next_side(b, state);
	return size;
}

static game_move board_canon(const struct game *game, const void *state, game_move move, bool back)
{
	const struct board *b = board_of(game);
	plane pair[2];
	unsigned symmetry = find_canonical(b, state, pair);
	if (move >= SQUARES_MAX) /* not a move */
		return move;
	return back ? b->inverse[symmetry][move] : b->map[symmetry][move];
}

/* The reason why a position cannot be reached in a game; NULL if it can. */
static const char *find_fault(const struct board *b, const struct state *s)
{
	unsigned first = 0;
	for (unsigned i = 0; i < s->plies; i++)
		first += !b->mover[i];
	if (plane_count(s->stones[0]) != first)
		return MNK_PLAIN ? "First has as many stones as Second, or one more"
				 : "the sides do not have the stones that their turns give them";
	unsigned side = last_side(b, s);
	if (has_line(b, s->stones[!side]))
		return MNK_PLAIN ? "the side to move has a winning line already"
				 : "the side that did not put the last stone has a winning line already";
	plane last = s->stones[side];
	if (!has_line(b, last))
		return NULL;
	for (plane rest = last; plane_any(rest); rest = plane_without_first(rest))
		if (!has_line(b, plane_minus(last, plane_bit(plane_first(rest)))))
			return NULL;
	return "the game went on after a winning line";
}

/* Completes a position with stones. `turn` is the side to move; GAME_NO_SIDE means the one that follows from the number
 * of stones. If a side has a line, the other is to move in any case. Returns NULL, or what is wrong. */
static const char *complete_state(const struct board *b, struct state *s, unsigned turn)
{
	s->plies = plane_count(plane_or(s->stones[0], s->stones[1]));
	const char *wrong = find_fault(b, s);
	bool line[2] = {has_line(b, s->stones[0]), has_line(b, s->stones[1])};
	if (!wrong && (turn == GAME_NO_SIDE || turn == next_side(b, s) || line[0] || line[1]))
		return NULL;
	if (!mnk_alternates(&b->mnk.shape))
		return wrong ? wrong : "with these stones the other side is to move";
	if (line[0] && line[1])
		return "both sides have a winning line";
	if (line[0] || line[1])
		turn = line[0] ? GAME_SECOND : GAME_FIRST;
	else if (turn == GAME_NO_SIDE && s->plies < b->mnk.squares)
		return "the number of stones does not tell who is to move: name the side";
	else if (turn == GAME_NO_SIDE)
		turn = next_side(b, s);
	/* Parity tells who is to move, here as well. */
	s->plies += MNK_SET_UP - (turn != next_side(b, s));
	PD_ASSERT(is_set_up(s) && next_side(b, s) == turn);
	return NULL;
}

static int board_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	const struct board *b = board_of(game);
	struct state s = {0};
	bool set_up = size == b->mnk.key_size + 1u && mnk_alternates(&b->mnk.shape);
	if (!set_up && size != b->mnk.key_size)
		return PD_E_CORRUPT;
	for (unsigned i = 8 * b->mnk.key_size; i-- > 0;) {
		if (!(key[i / 8] >> i % 8 & 1))
			continue;
		if (i >= 2 * b->mnk.squares)
			return PD_E_CORRUPT; /* a bit after the second board */
		plane *stones = &s.stones[i >= b->mnk.squares];
		*stones = plane_or(*stones, plane_bit(i % b->mnk.squares));
	}
	if (plane_any(plane_and(s.stones[0], s.stones[1])) || (set_up && key[size - 1] > 1))
		return PD_E_CORRUPT;
	plane pair[2];
	if (complete_state(b, &s, set_up ? key[size - 1] : GAME_NO_SIDE) || set_up != is_set_up(&s) ||
	    (set_up && next_side(b, &s) != key[size - 1]) || find_canonical(b, &s, pair) != 0)
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* --- boards ------------------------------------------------------------------------------- */

static void board_to_cells(const struct game *game, const void *state, struct cells *out)
{
	const struct state *s = state;
	out->turn = is_set_up(s) ? (uint8_t)next_side(board_of(game), s) : GAME_NO_SIDE;
	for (unsigned i = 0; i < board_of(game)->mnk.squares; i++)
		out->at[i] =
			(uint8_t)(plane_has(s->stones[0], i) * CELLS_FIRST + plane_has(s->stones[1], i) * CELLS_SECOND);
}

static int board_from_cells(const struct game *game, const struct cells *cells, void *state, struct pd_fail *fail)
{
	struct state s = {0};
	for (unsigned i = 0; i < board_of(game)->mnk.squares; i++)
		if (cells->at[i]) {
			plane *stones = &s.stones[cells->at[i] == CELLS_SECOND];
			*stones = plane_or(*stones, plane_bit(i));
		}
	const char *wrong = complete_state(board_of(game), &s, cells->turn);
	if (!wrong)
		memcpy(state, &s, sizeof s);
	return cells_refuse(fail, wrong);
}

/* --- opening ------------------------------------------------------------------------------ */

static void board_start(const struct game *game, void *state)
{
	memset(state, 0, sizeof(struct state));
}

static void add_direction(struct board *b, int right, int up)
{
	struct direction d = {.distance = (unsigned)(up * (int)b->mnk.shape.width + right)};
	int width = (int)b->mnk.shape.width, height = (int)b->mnk.shape.height, k = (int)b->mnk.shape.k;
	for (int row = 0; row < height; row++)
		for (int column = 0; column < width; column++) {
			int far = column + right * (k - 1), before = column - right, next = column + right * k;
			if (far < 0 || far >= width || row + up * (k - 1) >= height)
				continue;
			plane start = plane_bit((unsigned)(row * width + column));
			d.start = plane_or(d.start, start);
			for (int i = 0; i < k; i++) {
				plane square = plane_bit((unsigned)((row + up * i) * width + column + right * i));
				d.place[i] = plane_or(d.place[i], square);
#if PLANE_SQUARES <= 64
				d.line[row * width + column] |= square;
#endif
			}
			if (before >= 0 && before < width && row >= up)
				d.has_before = plane_or(d.has_before, start);
			if (next >= 0 && next < width && row + up * k < height) {
				d.has_next = plane_or(d.has_next, start);
				d.beyond = (unsigned)k * d.distance;
			}
		}
	if (!plane_any(d.start))
		return;
	if (k == 1 && !plane_any(d.has_before))
		d.distance = 0; /* a line has no second square here, and the distance could be too large for a shift */
	unsigned run = 1;
	for (; 2 * run <= b->mnk.shape.k; run *= 2)
		d.shift[d.steps++] = (uint16_t)(run * d.distance);
	if (run < b->mnk.shape.k)
		d.shift[d.steps++] = (uint16_t)((b->mnk.shape.k - run) * d.distance);
	b->direction[b->directions++] = d;
}

/* Fills in which side puts which stone. */
static void prepare_turns(struct board *b)
{
	unsigned left = b->mnk.shape.opening, side = 0, stones[2] = {0, 0};
	b->soonest = UINT64_MAX;
	for (unsigned i = 0; i <= b->mnk.squares; i++) {
		if (!left--) {
			side = !side;
			left = b->mnk.shape.turn - 1;
		}
		b->mover[i] = (uint8_t)side;
		b->left[i] = (uint16_t)(left + 1);
		if (++stones[side] == b->mnk.shape.k && b->soonest == UINT64_MAX)
			b->soonest = i + 1;
	}
}

static void prepare_symmetries(struct board *b)
{
	uint16_t order[SQUARES_MAX];
	b->symmetries = b->mnk.shape.width == b->mnk.shape.height ? 8 : 4;
	grid_order(b->mnk.shape.width, b->mnk.shape.height, grid_eccentricity, order);
	for (unsigned i = 0; i < b->mnk.squares; i++) {
		b->order[i] = (square_number)order[i];
		b->rank[order[i]] = (square_number)i;
	}
	for (unsigned i = 0; i < b->symmetries; i++)
		for (unsigned square = 0; square < b->mnk.squares; square++) {
			unsigned to = grid_map(b->mnk.shape.width, b->mnk.shape.height, i, square);
			b->map[i][square] = (square_number)to;
			b->inverse[i][to] = (square_number)square;
			if (b->rank[to] < b->rank[square])
				b->later[i] = plane_or(b->later[i], plane_bit(square));
		}
#if PLANE_SQUARES <= 64
	grid_tables_prepare(&b->tables, b->mnk.shape.width, b->mnk.shape.height, b->symmetries);
#endif
}

struct mnk *MNK_NEW(const struct mnk_shape *shape, struct pd_fail *fail)
{
	static const struct cells_form form = {.letters = "xo",
					       .sides = "xo",
					       .side_optional = true,
					       .read_move = cells_read_place_move,
					       .to_cells = board_to_cells,
					       .from_cells = board_from_cells};
	struct board *b = cells_new(&MNK_RULES, &form, sizeof *b, fail);
	if (!b)
		return NULL;
	b->mnk.shape = *shape;
	b->mnk.squares = shape->width * shape->height;
	b->mnk.base.width = shape->width;
	b->mnk.base.height = shape->height;
	b->mnk.base.game.state_size = sizeof(struct state);
	PD_ASSERT(!MNK_PLAIN || (shape->turn == 1 && shape->opening == 1 && !shape->exact));
	PD_ASSERT(shape->k >= 1 && shape->k <= MNK_SIDE_MAX && b->mnk.squares <= SQUARES_MAX);
	for (unsigned i = 0; i < b->mnk.squares; i++)
		b->full = plane_or(b->full, plane_bit(i));
	add_direction(b, 1, 0);
	if (shape->k > 1 || shape->exact) { /* a single stone is a line in one direction as well as in four */
		add_direction(b, 0, 1);
		add_direction(b, 1, 1);
		add_direction(b, -1, 1);
	}
	prepare_turns(b);
	prepare_symmetries(b);
	return &b->mnk;
}

const struct game_rules MNK_RULES = {
	CELLS_BOARD,
	.name = "mnk",
	.title = "Tic-tac-toe, K in a row",
	.params = MNK_PARAMS,
	.notation = MNK_NOTATION,
	.example = "mnk:3,3,3",
	.open = mnk_open,
	CELLS_RULES(board),
	.move_print = cells_move_print,
	.canon = board_canon,
	.unique_moves = board_distinct,
	.immediate_win = board_immediate_win,
#if !MNK_PLAIN
	.initial_numbers = board_initial_numbers,
	.turn_win = board_turn_win,
#endif
	.flip_side = board_flip_side,
	.board = mnk_board,
	.move_places = cells_move_places,
	.move_square = cells_move_square,
	.policy_moves = board_policy_moves,
	.threats = board_threats,
	.records = GAME_RECORD_SGF,
	.sgf = &(const struct game_sgf){.number = 4, .letters = true},
	.theorem = board_theorem,
};
