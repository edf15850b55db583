/* Connect Four: the rules on a board that fits a `plane`, an unsigned type of 64 or 128 bits.
 *
 * Included once by each of connect4_narrow.c, connect4_lanes.c and connect4_wide.c. They define what a `plane` is and
 * the names of the rules and of the function that makes a game (CONNECT4_RULES, CONNECT4_NEW). connect4.h describes
 * positions, the layout and keys. With CONNECT4_LANES, AVX2 finds lines in all four directions at once; a debug build
 * compares that with one direction after the other.
 *
 * `mine` are the stones of the side to move, `mask` all stones. The mirror images of the two boards cost two operations
 * a move and make the key, `canon` and `unique_moves` nearly free.
 *
 * Invariants. mine is a subset of mask; plies is the number of stones of mask, and of turns that were passed
 * (board_flip_side); *_mirror are the mirror images. */
#pragma once

#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "solver/games/connect4.h"
#include "solver/games/groups.h"

struct state {
	plane mine, mask;
	plane mine_mirror, mask_mirror;
	plane plies; /* as wide as the rest, so that there is no padding */
};

_Static_assert(sizeof(struct state) <= GAME_STATE_MAX, "a state fits into GAME_STATE_MAX bytes");

enum { COLUMNS_MAX = 4 * sizeof(plane) < CONNECT4_COLUMNS_MAX ? 4 * sizeof(plane) : CONNECT4_COLUMNS_MAX };

struct board {
	struct connect4 head;
#ifdef CONNECT4_LANES
	/* Distances between neighbours of a line in each direction: vertical, then as in `across`. The vertical entry
	 * of `down` is 64, because no line is completed at its bottom and a shift by 64 clears a lane. */
	uint64_t up[4], down[4];
#endif
	unsigned across[3];             /* distances between neighbours of a line: row and both diagonals */
	plane squares;                  /* width * height */
	plane board, bottom;            /* all squares; those of the lowest row */
	uint8_t order[COLUMNS_MAX];     /* columns, centre first, and left before right */
	plane ordered_top[COLUMNS_MAX]; /* topmost square of order[i] */
	plane foot[COLUMNS_MAX], foot_mirror[COLUMNS_MAX]; /* lowest square of a column and of its mirror image */
};

static const struct board *board_of(const struct game *game)
{
	return (const struct board *)game;
}

/* Number of set bits. */
static inline unsigned count_of(plane x)
{
	unsigned count = text_count((uint64_t)x);
	if (sizeof(plane) > sizeof(uint64_t))
		count += text_count((uint64_t)(x >> 32 >> 32));
	return count;
}

/* The bits of the first column, the one above its squares included. */
static inline plane column_of_bits(const struct board *c)
{
	return ((plane)2 << (c->head.stride - 1)) - 1;
}

/* --- lines -------------------------------------------------------------------------------- */

static inline plane find_pairs(plane x, unsigned distance)
{
	plane two = x & x >> distance;
	return two & two >> 2 * distance;
}

static inline bool has_four_in_turn(const struct board *c, plane x)
{
	return (find_pairs(x, 1) | find_pairs(x, c->across[0]) | find_pairs(x, c->across[1]) |
		find_pairs(x, c->across[2])) != 0;
}

/* Squares that complete a line of three stones of x, `distance` apart. */
static inline plane find_gaps(plane x, unsigned distance)
{
	plane up = x << distance, down = x >> distance;
	plane two_up = up & up << distance, two_down = down & down >> distance;
	return (two_up & (two_up << distance | down)) | (two_down & (two_down >> distance | up));
}

static inline plane winning_squares_in_turn(const struct board *c, plane x)
{
	plane upwards = x << 1 & x << 2 & x << 3;
	return upwards | find_gaps(x, c->across[0]) | find_gaps(x, c->across[1]) | find_gaps(x, c->across[2]);
}

#ifdef CONNECT4_LANES

/* find_pairs in all directions. */
static inline bool has_four(const struct board *c, plane x)
{
	const __m256i by = _mm256_loadu_si256((const __m256i *)c->up);
	__m256i all = _mm256_set1_epi64x((long long)x), two = all & _mm256_srlv_epi64(all, by);
	bool four = !_mm256_testz_si256(two, _mm256_srlv_epi64(two, by + by));
	PD_DEBUG_ASSERT(four == has_four_in_turn(c, x));
	return four;
}

/* find_gaps in all directions. */
static inline __m256i lanes_of_gaps(const struct board *c, plane x)
{
	const __m256i higher = _mm256_loadu_si256((const __m256i *)c->up);
	const __m256i lower = _mm256_loadu_si256((const __m256i *)c->down);
	__m256i all = _mm256_set1_epi64x((long long)x);
	__m256i up = _mm256_sllv_epi64(all, higher), down = _mm256_srlv_epi64(all, lower);
	__m256i two_up = up & _mm256_sllv_epi64(up, higher), two_down = down & _mm256_srlv_epi64(down, lower);
	return (two_up & (_mm256_sllv_epi64(two_up, higher) | down)) |
	       (two_down & (_mm256_srlv_epi64(two_down, lower) | up));
}

static inline plane winning_squares(const struct board *c, plane x)
{
	__m256i lanes = lanes_of_gaps(c, x);
	__m128i half = _mm256_castsi256_si128(lanes) | _mm256_extracti128_si256(lanes, 1);
	plane squares = (plane)(_mm_cvtsi128_si64(half) | _mm_extract_epi64(half, 1));
	PD_DEBUG_ASSERT(squares == winning_squares_in_turn(c, x));
	return squares;
}

static inline bool wins_on(const struct board *c, plane x, plane squares)
{
	bool wins = !_mm256_testz_si256(lanes_of_gaps(c, x), _mm256_set1_epi64x((long long)squares));
	PD_DEBUG_ASSERT(wins == ((winning_squares_in_turn(c, x) & squares) != 0));
	return wins;
}

#else

static inline bool has_four(const struct board *c, plane x)
{
	return has_four_in_turn(c, x);
}

/* All squares, taken or not, that would complete four of x. An upward line can only be completed at its top. */
static inline plane winning_squares(const struct board *c, plane x)
{
	return winning_squares_in_turn(c, x);
}

/* True if one of the squares would complete four of x. */
static inline bool wins_on(const struct board *c, plane x, plane squares)
{
	return (winning_squares(c, x) & squares) != 0;
}

#endif

/* --- inner loop --------------------------------------------------------------------------- */

static bool board_first_to_move(const struct game *game, const void *state)
{
	const struct state *s = state;
	return (s->plies & 1) == 0;
}

static bool board_terminal(const struct game *game, const void *state, int *value)
{
	const struct board *c = board_of(game);
	const struct state *s = state;
	if (has_four(c, s->mine ^ s->mask)) {
		*value = s->plies & 1 ? 1 : -1;
		return true;
	}
	if (s->mask == c->board) {
		*value = 0;
		return true;
	}
	return false;
}

static unsigned board_moves(const struct game *game, const void *state, game_move *out)
{
	const struct board *c = board_of(game);
	const struct state *s = state;
	if (has_four(c, s->mine ^ s->mask))
		return 0;
	unsigned n = 0;
	for (unsigned i = 0; i < c->head.base.width; i++) {
		out[n] = c->order[i];
		n += (s->mask & c->ordered_top[i]) == 0;
	}
	return n;
}

static bool is_symmetric(const struct state *s)
{
	return s->mine == s->mine_mirror && s->mask == s->mask_mirror;
}

/* Only a symmetric position has twins: in any other, two children that are mirror images of each other would both need
 * the one stone that makes the position symmetric. */
static unsigned board_distinct(const struct game *game, const void *state, game_move *out)
{
	unsigned count = board_moves(game, state, out);
	if (!is_symmetric(state))
		return count;
	unsigned half = (board_of(game)->head.base.width + 1) / 2, n = 0;
	for (unsigned i = 0; i < count; i++)
		if (out[i] < half)
			out[n++] = out[i];
	return n;
}

static void board_play(const struct game *game, void *state, game_move move)
{
	const struct board *c = board_of(game);
	struct state *s = state;
	PD_DEBUG_ASSERT(move < c->head.base.width && s->mask != c->board);
	PD_DEBUG_ASSERT((s->mine & ~s->mask) == 0);
	s->mine ^= s->mask;
	s->mine_mirror ^= s->mask_mirror;
	s->mask |= s->mask + c->foot[move];
	s->mask_mirror |= s->mask_mirror + c->foot_mirror[move];
	s->plies++;
}

/* The stones no longer tell who is to move, plies still does. */
static void board_flip_side(const struct game *game, void *state)
{
	struct state *s = state;
	(void)game;
	s->mine ^= s->mask;
	s->mine_mirror ^= s->mask_mirror;
	s->plies++;
}

static bool board_immediate_win(const struct game *game, const void *state, int *value)
{
	const struct board *c = board_of(game);
	const struct state *s = state;
	plane playable = (s->mask + c->bottom) & c->board;
	if (!wins_on(c, s->mine, playable))
		return false;
	*value = s->plies & 1 ? -1 : 1;
	return true;
}

/* Initial numbers: the number of the mover's moves that do not lose at once. Two open threats of the opponent cannot
 * both be blocked, one forces the reply, and a stone below a threat loses. */
static void board_initial_numbers(const struct game *game, const void *state, int threshold, uint32_t num[2])
{
	const struct board *c = board_of(game);
	const struct state *s = state;
	plane playable = (s->mask + c->bottom) & c->board, threats = winning_squares(c, s->mine ^ s->mask);
	plane forced = playable & threats;
	if (forced)
		playable = forced & (forced - 1) ? 0 : forced;
	playable &= ~(threats >> 1);
	unsigned moves = count_of(playable);
	num[0] = num[1] = 1;
	num[!(s->plies & 1)] = moves ? moves : 1;
}

/* --- theorems ----------------------------------------------------------------------------- */

/* THEOREMS.md states and proves T1 and T2, and defines the words used here. */
struct follow_up {
	plane empty, waits, mover; /* empty squares; stones of the side that waits, and of the side to move */
	plane his, mine;           /* rows of the side that waits, and of the side to move */
	plane bases;               /* base squares of the columns with an odd number of empty squares */
};

static struct follow_up prepare_follow_up(const struct board *c, const struct state *s)
{
	struct follow_up f = {.empty = c->board & ~s->mask, .waits = s->mine ^ s->mask, .mover = s->mine};
	for (unsigned i = 0; i < c->head.base.height; i++) {
		plane row = c->bottom << i;
		if ((i ^ c->head.base.height) & 1)
			f.his |= row;
		else
			f.mine |= row;
	}
	f.bases = (s->mask + c->bottom) & c->board & f.his;
	return f;
}

static inline unsigned first_of(plane x)
{
	uint64_t low = (uint64_t)x;
	return sizeof(plane) == sizeof(uint64_t) || low ? (unsigned)__builtin_ctzll(low)
							: 64 + (unsigned)__builtin_ctzll((uint64_t)(x >> 32 >> 32));
}

static uint64_t columns_of(const struct board *c, plane squares)
{
	uint64_t columns = 0;
	for (; squares; squares &= squares - 1)
		columns |= UINT64_C(1) << first_of(squares) / c->head.stride;
	return columns;
}

/* What each side gets for certain, stones included, and the bases, of which each side gets one of each pair. */
struct shares {
	plane mover, waits, bases;
};

/* Whether a line of the side to move comes too late: the side that waits has a line in its stones and the squares that
 * it gets below those of that line. The line starts in the square `start` and lies across columns: below an upward
 * line that the side to move could complete there is no square that the other side gets. */
static bool comes_too_late(const struct board *c, const struct follow_up *f, const struct shares *all, plane line,
			   unsigned start)
{
	unsigned stride = c->head.stride, foot = start / stride * stride;
	plane feet = (((plane)1 << 3 * stride) | ((plane)1 << 2 * stride) | ((plane)1 << stride) | 1) << foot;
	return has_four(c, f->waits | (all->waits & (line - feet)));
}

/* Adds to the question the lines of the side to move in one direction that do not come too late: their base squares, as
 * columns. False when one of them has fewer than two, or when there are too many lines. */
static bool add_lines(const struct board *c, const struct follow_up *f, const struct shares *all, unsigned distance,
		      struct groups *g)
{
	bool late = distance > 1 && has_four(c, all->waits);
	plane four = ((plane)1 << 3 * distance) | ((plane)1 << 2 * distance) | ((plane)1 << distance) | 1;
	for (plane starts = find_pairs(all->mover | all->bases, distance); starts; starts &= starts - 1) {
		unsigned start = first_of(starts);
		plane line = four << start, bases = line & all->bases;
		if (late && comes_too_late(c, f, all, line, start))
			continue;
		if (!(bases & (bases - 1)) || g->lines == GROUPS_LINES_MAX)
			return false;
		g->line[g->lines++] = columns_of(c, bases);
	}
	return true;
}

/* Finds one matching of the base squares with which the side to move has no line in time. */
static bool match_bases(const struct board *c, const struct follow_up *f, const struct shares *all, struct groups *g)
{
	g->size = 2;
	g->lines = g->count = 0;
	if (!has_four(c, all->mover | all->bases))
		return true;
	return (!has_four(c, all->mover) || has_four(c, all->waits)) && add_lines(c, f, all, 1, g) &&
	       add_lines(c, f, all, c->across[0], g) && add_lines(c, f, all, c->across[1], g) &&
	       add_lines(c, f, all, c->across[2], g) && groups_find(g);
}

/* T2: a column of an odd number of empty squares in which the side that waits has a threat. Returns the square of the
 * threat. */
static plane find_zugzwang(const struct board *c, const struct follow_up *f, struct groups *g)
{
	plane threats = winning_squares(c, f->waits) & f->empty & f->mine;
	for (unsigned i = 0; threats && i < c->head.base.width; i++) {
		plane column = (column_of_bits(c) << i * c->head.stride) & c->board, there = threats & column;
		if (!there || !(f->bases & column))
			continue;
		plane threat = there & -there, below = (threat - 1) & column;
		plane mover = (f->mine & ~column) | (f->his & below), bases = f->bases & ~column;
		plane waits = (f->his & ~column & ~bases) | (f->mine & below) | threat;
		struct shares all = {f->mover | (f->empty & mover), f->waits | (f->empty & waits), bases};
		if (match_bases(c, f, &all, g))
			return threat;
	}
	return 0;
}

/* Cell of a square, as the board numbers its places. */
static uint16_t place_of(const struct board *c, unsigned square)
{
	return (uint16_t)(square % c->head.stride * c->head.base.width + square / c->head.stride);
}

/* Writes the pairs, those of base squares that no line needs included, and before them the threat, if any. */
static unsigned write_pairs(const struct board *c, plane bases, plane threat, const struct groups *g, uint8_t *out)
{
	uint64_t group[GROUPS_MAX + 1], rest = columns_of(c, bases);
	uint16_t place[64] = {0};
	uint16_t at = place_of(c, threat ? first_of(threat) : 0);
	for (plane left = bases; left; left &= left - 1)
		place[first_of(left) / c->head.stride] = place_of(c, first_of(left));
	for (unsigned i = 0; i < g->count; i++) {
		group[i] = g->group[i];
		rest &= ~group[i];
	}
	unsigned count = g->count, size = threat ? groups_write(&(uint64_t){1}, 1, &at, out) : 0;
	for (; rest; rest = (rest & (rest - 1)) & ((rest & (rest - 1)) - 1)) {
		uint64_t others = rest & (rest - 1);
		group[count++] = (rest & -rest) | (others & -others);
	}
	return size + groups_write(group, count, place, out + size);
}

static bool board_theorem(const struct game *game, const void *state, int threshold, struct game_theorem *out,
			  uint8_t *witness)
{
	const struct board *c = board_of(game);
	const struct state *s = state;
	unsigned left = (unsigned)(c->squares - s->plies);
	bool first_waits = s->plies & 1, wins = threshold == first_waits;
	struct groups g;
	plane threat = 0;
	if ((threshold != 0 && threshold != 1) || left < 2)
		return false;
	struct follow_up f = prepare_follow_up(c, s);
	if (left % 2 == 0) {
		struct shares all = {f.mover | (f.empty & f.mine), f.waits | (f.empty & f.his & ~f.bases), f.bases};
		if ((wins && !has_four(c, all.waits)) || !match_bases(c, &f, &all, &g))
			return false;
	} else {
		threat = find_zugzwang(c, &f, &g);
		if (!threat)
			return false;
		f.bases &= ~(column_of_bits(c) << first_of(threat) / c->head.stride * c->head.stride);
	}
	*out = (struct game_theorem){.proved = first_waits,
				     .number = left % 2 ? 2 : 1,
				     .plies = (uint16_t)left,
				     .effort = groups_effort(left)};
	if (witness)
		out->witness = (uint16_t)write_pairs(c, f.bases, threat, &g, witness);
	return true;
}

#include "solver/games/connect4_policy.h"

/* --- keys --------------------------------------------------------------------------------- */

static size_t board_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct state *s = state;
	plane key = s->mine + s->mask, mirror = s->mine_mirror + s->mask_mirror;
	size_t size = game->key_size_max;
	key = key < mirror ? key : mirror;
	if (sizeof(plane) > sizeof(uint64_t)) { /* more than 64 bits */
		PD_DEBUG_ASSERT(size > 8);
		pd_put_le64(out, (uint64_t)key);
		pd_put_le64(out + size - 8, (uint64_t)(key >> 8 * (size - 8)));
	} else if (size >= 4) { /* two overlapping stores: a loop over bytes costs several times as much */
		pd_put_le32(out, (uint32_t)key);
		pd_put_le32(out + size - 4, (uint32_t)(key >> 8 * (size - 4)));
	} else {
		for (size_t i = 0; i < size; i++)
			out[i] = (uint8_t)(key >> 8 * i);
	}
	return size;
}

static game_move board_canon(const struct game *game, const void *state, game_move move, bool back)
{
	(void)back; /* a mirror is its own inverse */
	const struct state *s = state;
	bool mirrored = s->mine_mirror + s->mask_mirror < s->mine + s->mask;
	return mirrored ? (game_move)(board_of(game)->head.base.width - 1 - move) : move;
}

static plane mirror_image(const struct board *c, plane x)
{
	plane column = column_of_bits(c), image = 0;
	for (unsigned i = 0; i < c->head.base.width; i++)
		image |= (x >> i * c->head.stride & column) << (c->head.base.width - 1 - i) * c->head.stride;
	return image;
}

/* What is wrong with a position whose stones lie on stones; NULL if nothing is. */
static const char *find_fault(const struct board *c, const struct state *s)
{
	plane theirs = s->mine ^ s->mask;
	if (count_of(s->mine) != s->plies / 2)
		return "First has as many stones as Second, or one more";
	if (has_four(c, s->mine))
		return "the side to move has four in a row already";
	if (!has_four(c, theirs))
		return NULL;
	for (unsigned i = 0; i < c->head.base.width; i++) {
		plane column = column_of_bits(c) << i * c->head.stride;
		plane top = (s->mask & column) + c->foot[i]; /* the square above the column's stones */
		if (top != c->foot[i] && !has_four(c, theirs & ~(top >> 1)))
			return NULL;
	}
	return "the game went on after four in a row";
}

/* Fills in what follows from mine and mask. */
static void derive_state(const struct board *c, struct state *s)
{
	s->mine_mirror = mirror_image(c, s->mine);
	s->mask_mirror = mirror_image(c, s->mask);
	s->plies = count_of(s->mask);
}

static int board_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	const struct board *c = board_of(game);
	struct state s = {0};
	plane sum = 0;
	if (size != game->key_size_max)
		return PD_E_CORRUPT;
	for (size_t i = 0; i < size; i++)
		sum |= (plane)key[i] << 8 * i;
	plane column = column_of_bits(c), seen = 0;
	for (unsigned i = 0; i < c->head.base.width; i++) {
		plane value = sum >> i * c->head.stride & column;
		if (value == column)
			return PD_E_CORRUPT;
		plane stones = 1; /* becomes 2^h - 1 for the h with 2^h - 1 <= value < 2^(h+1) - 1 */
		while (stones <= value)
			stones = stones << 1 | 1;
		stones >>= 1;
		s.mask |= stones << i * c->head.stride;
		s.mine |= (value - stones) << i * c->head.stride;
		seen |= column << i * c->head.stride;
	}
	derive_state(c, &s);
	if ((sum & ~seen) || s.mine_mirror + s.mask_mirror < sum || find_fault(c, &s))
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* --- boards ------------------------------------------------------------------------------- */

/* Cells are numbered by rows, the squares of a state by columns. */
static void board_to_cells(const struct connect4 *head, const void *state, struct cells *out)
{
	const struct board *c = (const struct board *)head;
	const struct state *s = state;
	plane first = s->plies & 1 ? s->mine ^ s->mask : s->mine;
	out->turn = GAME_NO_SIDE;
	for (unsigned column = 0; column < head->base.width; column++)
		for (unsigned row = 0; row < head->base.height; row++) {
			plane bit = c->foot[column] << row;
			out->at[row * head->base.width + column] = !(s->mask & bit) ? 0
								   : first & bit    ? CELLS_FIRST
										    : CELLS_SECOND;
		}
}

static const char *board_from_stones(const struct connect4 *head, const struct cells *cells, void *state)
{
	const struct board *c = (const struct board *)head;
	struct state s = {0};
	plane first = 0;
	for (unsigned column = 0; column < head->base.width; column++)
		for (unsigned row = 0; row < head->base.height; row++) {
			unsigned stone = cells->at[row * head->base.width + column];
			plane bit = c->foot[column] << row;
			s.mask |= stone ? bit : 0;
			first |= stone == CELLS_FIRST ? bit : 0;
		}
	PD_ASSERT((s.mask & (s.mask + c->bottom) & c->board) == 0); /* stones lie on stones */
	s.mine = count_of(s.mask) & 1 ? s.mask ^ first : first;
	derive_state(c, &s);
	const char *wrong = find_fault(c, &s);
	if (!wrong)
		memcpy(state, &s, sizeof s);
	return wrong;
}

enum { FIRST_FOUR = 7 }; /* the least number of stones with four of one side */

static const char *board_drop(const struct connect4 *head, void *state, const char *letters, size_t most, size_t *at)
{
	const struct board *c = (const struct board *)head;
	struct state *s = state;
	for (size_t i = 0; i < most && letters[i]; i++) {
		unsigned column = connect4_column(head, letters[i]);
		*at = i;
		if (column == head->base.width)
			return "there is no such column";
		if ((s->plies >= FIRST_FOUR && has_four(c, s->mine ^ s->mask)) || s->mask == c->board)
			return "the game is over before this move";
		if (s->mask & c->foot[column] << (head->base.height - 1))
			return "the column is full";
		board_play(&head->base.game, s, (game_move)column);
	}
	return NULL;
}

/* --- opening ------------------------------------------------------------------------------ */

static void board_start(const struct game *game, void *state)
{
	memset(state, 0, sizeof(struct state));
}

struct connect4 *CONNECT4_NEW(unsigned width, unsigned height, const struct cells_form *form, struct pd_fail *fail)
{
	struct board *c = cells_new(&CONNECT4_RULES, form, sizeof *c, fail);
	if (!c)
		return NULL;
	c->head.base.width = width;
	c->head.base.height = height;
	c->head.base.game.state_size = sizeof(struct state);
	c->head.stride = height + 1;
	c->squares = width * height;
	c->head.to_cells = board_to_cells;
	c->head.from_stones = board_from_stones;
	c->head.drop = board_drop;
	PD_ASSERT(width <= COLUMNS_MAX && width * (height + 1) <= 8 * sizeof(plane));
	for (unsigned i = 0; i < width; i++) {
		c->foot[i] = (plane)1 << i * c->head.stride;
		c->foot_mirror[i] = (plane)1 << (width - 1 - i) * c->head.stride;
		c->bottom |= c->foot[i];
	}
	for (unsigned row = 0; row < height; row++)
		c->board |= c->bottom << row;
	for (unsigned i = 0; i < width; i++) {
		/* 3 2 4 1 5 0 6, or 1 2 0 3: left before right, so that `unique_moves` keeps the left one of twins. */
		unsigned middle = (width - 1) / 2, step = (i + 1) / 2;
		c->order[i] = (uint8_t)((i + width) % 2 == 0 ? middle - step : middle + step);
		c->ordered_top[i] = c->foot[c->order[i]] << (height - 1);
	}
	/* On boards of fewer than four columns only vertical lines exist, and other distances could be too large for a
	 * shift. */
	bool wide = width >= 4;
	c->across[0] = wide ? c->head.stride : 1;
	c->across[1] = wide ? c->head.stride - 1 : 1;
	c->across[2] = wide ? c->head.stride + 1 : 1;
#ifdef CONNECT4_LANES
	c->up[0] = 1;
	c->down[0] = 64;
	for (unsigned i = 0; i < 3; i++)
		c->up[i + 1] = c->down[i + 1] = c->across[i];
#endif
	return &c->head;
}

const struct game_rules CONNECT4_RULES = {
	.abi = GAME_ABI,
	.size = sizeof(struct game_rules),
	.name = "connect4",
	.title = "Connect Four",
	.params = CONNECT4_PARAMS,
	.notation = CONNECT4_NOTATION,
	.example = "connect4:7x6",
	.open = connect4_open,
	.close = cells_close,
	CELLS_RULES(board),
	.parse = connect4_parse,
	.print = cells_print,
	.move_parse = cells_move_parse,
	.move_print = connect4_move_print,
	.canon = board_canon,
	.unique_moves = board_distinct,
	.immediate_win = board_immediate_win,
	.initial_numbers = board_initial_numbers,
	.board = connect4_board,
	.diagram = cells_diagram,
	.set_up = cells_set_up,
	.move_places = connect4_move_places,
	.theorem = board_theorem,
	.flip_side = board_flip_side,
	.move_square = board_move_square,
	.policy_moves = board_policy_moves,
	.threats = board_threats,
};
