/* m,n,k: the rules on a board that fits a plane (plane.h).
 *
 * Included once each by mnk.c, mnk_turns.c and mnk_wide.c, which say before how many squares there are (PLANE_SQUARES),
 * whether turns are of one stone and overlines win (MNK_PLAIN), and the names of the rules and their maker (MNK_RULES,
 * MNK_NEW). mnk.h has the rules of the game, the notation and the keys.
 *
 * Layout. Two planes, square = row * width + column, without gaps. A line of k is found by shifting a plane onto itself
 * and looking only at squares where a line can start, so a line that runs over the edge is never seen:
 *
 *      6 7 8      start squares of a line to the right, k = 2:   6 7 .
 *      3 4 5                                                     3 4 .
 *      0 1 2                                                     0 1 .
 *
 * With `exact` a start counts only if neither the square before it nor the one behind the line has a stone of the same
 * side. On boards of one word images are looked up a byte of the board at a time in one table for each of the three
 * basic symmetries, on larger ones stone by stone.
 *
 * Invariants. The planes do not overlap; plies counts their stones, except where MNK_SET_UP is added. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "solver/games/game.h"
#include "solver/games/plane.h"
#include "solver/games/mnk.h"
#include "solver/games/text.h"

enum {
	SQUARES_MAX = PLANE_SQUARES,
	BYTES_MAX = MNK_NARROW_MAX / 8,
	STEPS_MAX = 8, /* shifts that find a run of up to 64: six doublings and a rest */
	SYMMETRIES_MAX = 8,
	MIRROR_COLUMNS = 1,
	MIRROR_ROWS = 2,
	SWAP = 4
};

/* Added to the plies of a position that does not come up in a game, whose key has the other form: greater than any
 * number of stones, and even. */
#define MNK_SET_UP (UINT64_C(1) << 32)

struct state {
	plane stones[2]; /* First's and Second's */
	uint64_t plies;  /* stones; of a position that is set up see `complete` */
};

_Static_assert(sizeof(struct state) <= GAME_STATE_MAX, "a state fits the room of searches");
_Static_assert((int)SQUARES_MAX <= (int)GAME_MOVES_MAX, "game.h has room for the moves");

/* A direction in which k stones fit on the board. */
struct direction {
	plane start;       /* squares where a line begins */
	unsigned distance; /* bits from one square of a line to the next */
	unsigned steps;
	uint16_t shift[STEPS_MAX];  /* x &= x >> shift, in turn, leaves the squares where a run of k begins */
	plane place[MNK_SIDE_MAX];  /* squares that can be the i-th of a line */
	plane has_before, has_next; /* starts with a square before the line, and behind it */
	unsigned beyond;            /* bits from the start to the square behind; 0 when has_next is empty */
};

struct board {
	struct mnk mnk;
	unsigned bytes, symmetries;
	uint64_t soonest; /* stones after which a side can have k */
	plane full;
	unsigned directions;
	struct direction direction[4];
	uint8_t mover[SQUARES_MAX + 1];                     /* who puts the stone of that number, from 0 */
	uint16_t left[SQUARES_MAX + 1];                     /* stones of its turn from that one on */
	square_number order[SQUARES_MAX];                   /* squares, nearest to the centre first */
	square_number rank[SQUARES_MAX];                    /* place of a square in order */
	square_number map[SYMMETRIES_MAX][SQUARES_MAX];     /* where a symmetry takes a square */
	square_number inverse[SYMMETRIES_MAX][SQUARES_MAX]; /* where it came from */
	plane later[SYMMETRIES_MAX]; /* squares that a symmetry takes to an earlier one in order */
#if PLANE_SQUARES <= 64
	plane table[3][BYTES_MAX][256]; /* images of the bytes of a board: columns, rows, swap */
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

/* Who puts the next stone, and who put the last one (meaningless on the empty board). */
static inline unsigned next_side(const struct board *b, const struct state *s)
{
	return MNK_PLAIN || is_set_up(s) ? s->plies & 1 : b->mover[s->plies];
}

static inline unsigned last_side(const struct board *b, const struct state *s)
{
	return MNK_PLAIN || is_set_up(s) ? ~s->plies & 1 : b->mover[s->plies ? s->plies - 1 : 0];
}

static inline plane empty_of(const struct board *b, const struct state *s)
{
	return plane_minus(b->full, plane_or(s->stones[0], s->stones[1]));
}

/* --- lines -------------------------------------------------------------------------------- */

/* The starts of lines that have no stone of the side before them or behind. */
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
 * line: i stones before the square and k - 1 - i behind it. */
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

/* Whether a stone on one of the squares `empty` would complete a line of `stones`. For the usual lengths the compiler
 * unrolls the loops over a line: two fifths of the instructions. */
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

static plane look_up(const struct board *b, unsigned which, plane x)
{
	plane image = 0;
	for (unsigned i = 0; i < b->bytes; i++)
		image |= b->table[which][i][x >> 8 * i & 0xff];
	return image;
}

static plane image_of(const struct board *b, unsigned symmetry, plane x)
{
	if (symmetry & MIRROR_COLUMNS)
		x = look_up(b, 0, x);
	if (symmetry & MIRROR_ROWS)
		x = look_up(b, 1, x);
	if (symmetry & SWAP)
		x = look_up(b, 2, x);
	return x;
}

static void images_of(const struct board *b, plane x, plane out[SYMMETRIES_MAX])
{
	out[0] = x;
	out[1] = look_up(b, 0, x);
	out[2] = look_up(b, 1, x);
	out[3] = look_up(b, 1, out[1]);
	for (unsigned i = 4; i < b->symmetries; i++)
		out[i] = look_up(b, 2, out[i - 4]);
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

static void images_of(const struct board *b, plane x, plane out[SYMMETRIES_MAX])
{
	for (unsigned i = 0; i < b->symmetries; i++)
		out[i] = i ? image_of(b, i, x) : x;
}

#endif

/* The symmetry that gives the smallest pair, and the pair. */
static unsigned find_canonical(const struct board *b, const struct state *s, plane pair[2])
{
	plane first[SYMMETRIES_MAX];
	unsigned best = 0;
	images_of(b, s->stones[0], first);
	plane least = s->stones[0];
	for (unsigned i = 1; i < b->symmetries; i++)
		least = plane_less(first[i], least) ? first[i] : least;
	plane second = plane_max(); /* no board is more */
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

/* Moves that have a twin earlier in order. Two moves a and b have children with one key if a symmetry takes the one
 * child to the other. Then it leaves the waiting side's stones as they are, and either it does so with the mover's
 * stones and takes a to b, or it moves exactly one of them: a goes where that stone was, and b is where it is now. The
 * second case needs a quarter turn, since for a symmetry that is its own inverse a and b are then the same square. */
static plane find_twins(const struct board *b, const struct state *s)
{
	unsigned side = next_side(b, s);
	plane mover = s->stones[side], waiting = s->stones[!side], drop = plane_none();
	plane images[SYMMETRIES_MAX];
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

#if !MNK_PLAIN
#include "solver/games/mnk_chances.h"
#endif

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
	if (is_set_up(state))
		out[size++] = (uint8_t)next_side(b, state);
	return size;
}

static game_move board_canon(const struct game *game, const void *state, game_move move, bool back)
{
	const struct board *b = board_of(game);
	plane pair[2];
	unsigned symmetry = find_canonical(b, state, pair);
	if (move >= SQUARES_MAX) /* no move at all */
		return move;
	return back ? b->inverse[symmetry][move] : b->map[symmetry][move];
}

/* Why a position does not come up in a game; NULL when it does. */
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

/* Fills in the rest of a position with stones. `turn` is the side to move, or GAME_NO_SIDE for the one that it would be
 * after moves from the start; where a side has a line it is always the other. NULL, or what is wrong. */
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
		return "the number of stones does not tell who is to move: say it";
	else if (turn == GAME_NO_SIDE)
		turn = next_side(b, s);
	/* Parity says who is to move, here as well. */
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
			return PD_E_CORRUPT; /* a bit behind the second board */
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

static void board_letters(const struct mnk *m, const void *state, struct cells_xo *out)
{
	const struct state *s = state;
	*out = (struct cells_xo){.width = m->shape.width, .height = m->shape.height, .turn = GAME_NO_SIDE};
	if (is_set_up(s))
		out->turn = (uint8_t)next_side((const struct board *)m, s);
	for (unsigned i = 0; i < m->squares; i++)
		out->at[i] = (uint8_t)(plane_has(s->stones[0], i) * CELLS_XO_FIRST +
				       plane_has(s->stones[1], i) * CELLS_XO_SECOND);
}

static const char *board_from_letters(const struct mnk *m, const struct cells_xo *letters, void *state)
{
	struct state s = {0};
	for (unsigned i = 0; i < m->squares; i++)
		if (letters->at[i]) {
			plane *stones = &s.stones[letters->at[i] == CELLS_XO_SECOND];
			*stones = plane_or(*stones, plane_bit(i));
		}
	const char *wrong = complete_state((const struct board *)m, &s, letters->turn);
	if (!wrong)
		memcpy(state, &s, sizeof s);
	return wrong;
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
			for (int i = 0; i < k; i++)
				d.place[i] = plane_or(
					d.place[i], plane_bit((unsigned)((row + up * i) * width + column + right * i)));
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
		d.distance = 0; /* there is no second square in this direction, and it could be too large to shift by */
	unsigned run = 1;
	for (; 2 * run <= b->mnk.shape.k; run *= 2)
		d.shift[d.steps++] = (uint16_t)(run * d.distance);
	if (run < b->mnk.shape.k)
		d.shift[d.steps++] = (uint16_t)((b->mnk.shape.k - run) * d.distance);
	b->direction[b->directions++] = d;
}

/* Who puts which stone. */
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

/* Where a symmetry takes a square. */
static unsigned map_square(const struct mnk_shape *shape, unsigned symmetry, unsigned square)
{
	unsigned column = square % shape->width, row = square / shape->width;
	if (symmetry & MIRROR_COLUMNS)
		column = shape->width - 1 - column;
	if (symmetry & MIRROR_ROWS)
		row = shape->height - 1 - row;
	return symmetry & SWAP ? column * shape->width + row : row * shape->width + column;
}

/* Twice the distance from the centre, squared. */
static unsigned measure_eccentricity(const struct mnk_shape *shape, unsigned square)
{
	int x = 2 * (int)(square % shape->width) + 1 - (int)shape->width;
	int y = 2 * (int)(square / shape->width) + 1 - (int)shape->height;
	return (unsigned)(x * x + y * y);
}

static void prepare_order(struct board *b)
{
	const struct mnk_shape *shape = &b->mnk.shape;
	PD_ASSERT(b->mnk.squares >= 1 && b->mnk.squares <= SQUARES_MAX);
	for (unsigned i = 0; i < b->mnk.squares; i++) {
		unsigned place = i; /* insertion sort; equal ones stay in the order of their numbers */
		for (; place > 0 && measure_eccentricity(shape, b->order[place - 1]) > measure_eccentricity(shape, i);
		     place--)
			b->order[place] = b->order[place - 1];
		b->order[place] = (square_number)i;
	}
	for (unsigned i = 0; i < b->mnk.squares; i++)
		b->rank[b->order[i]] = (square_number)i;
}

static void prepare_symmetries(struct board *b)
{
	b->symmetries = b->mnk.shape.width == b->mnk.shape.height ? 8 : 4;
	for (unsigned i = 0; i < b->symmetries; i++)
		for (unsigned square = 0; square < b->mnk.squares; square++) {
			unsigned to = map_square(&b->mnk.shape, i, square);
			b->map[i][square] = (square_number)to;
			b->inverse[i][to] = (square_number)square;
			if (b->rank[to] < b->rank[square])
				b->later[i] = plane_or(b->later[i], plane_bit(square));
		}
#if PLANE_SQUARES <= 64
	for (unsigned which = 0; which < 3 && 1u << which < b->symmetries; which++)
		for (unsigned square = 0; square < b->mnk.squares; square++)
			for (unsigned byte = 0; byte < 256; byte++)
				if (byte >> square % 8 & 1)
					b->table[which][square / 8][byte] |= plane_bit(b->map[1u << which][square]);
#endif
}

struct mnk *MNK_NEW(const struct mnk_shape *shape)
{
	struct board *b = calloc(1, sizeof *b);
	if (!b)
		return NULL;
	b->mnk.shape = *shape;
	b->mnk.squares = shape->width * shape->height;
	b->mnk.letters = board_letters;
	b->mnk.from_letters = board_from_letters;
	b->mnk.game.rules = &MNK_RULES;
	b->mnk.game.state_size = sizeof(struct state);
	PD_ASSERT(!MNK_PLAIN || (shape->turn == 1 && shape->opening == 1 && !shape->exact));
	PD_ASSERT(shape->k >= 1 && shape->k <= MNK_SIDE_MAX && b->mnk.squares <= SQUARES_MAX);
	b->bytes = (b->mnk.squares + 7) / 8;
	for (unsigned i = 0; i < b->mnk.squares; i++)
		b->full = plane_or(b->full, plane_bit(i));
	add_direction(b, 1, 0);
	if (shape->k > 1 || shape->exact) { /* a single stone is a line in one direction as well as in four */
		add_direction(b, 0, 1);
		add_direction(b, 1, 1);
		add_direction(b, -1, 1);
	}
	prepare_turns(b);
	prepare_order(b);
	prepare_symmetries(b);
	return &b->mnk;
}

const struct game_rules MNK_RULES = {
	.abi = GAME_ABI,
	.size = sizeof(struct game_rules),
	.name = "mnk",
	.title = "Tic-tac-toe, K in a row",
	.params = MNK_PARAMS,
	.notation = MNK_NOTATION,
	.example = "mnk:3,3,3",
	.open = mnk_open,
	.close = mnk_close,
	.start = board_start,
	.parse = mnk_parse,
	.print = mnk_print,
	.move_parse = mnk_move_parse,
	.move_print = mnk_move_print,
	.first_to_move = board_first_to_move,
	.terminal = board_terminal,
	.moves = board_moves,
	.play = board_play,
	.key = board_key,
	.unkey = board_unkey,
	.canon = board_canon,
	.unique_moves = board_distinct,
	.immediate_win = board_immediate_win,
#if !MNK_PLAIN
	.initial_numbers = board_initial_numbers,
#endif
	.board = mnk_board,
	.diagram = mnk_diagram,
	.move_places = mnk_move_places,
	.set_up = mnk_set_up,
	.records = GAME_RECORD_SGF,
	.sgf = &(const struct game_sgf){.number = 4, .letters = true},
};
