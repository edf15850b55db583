/* Breakthrough on boards of 2 to 16 columns and 4 to 32 rows, at most 64 squares: `breakthrough:8x8` is the usual one.
 * RULES.md has the rules and the notation.
 *
 * Move code. from + 64 * direction; from is row from the bottom * W + column, direction 0 goes to the column before, 1
 * straight, 2 to the column after.
 *
 * Key. First's men as a number, bit = square, then Second's in as many bits, then one bit, 1 when Second is to move;
 * one string of bits, lowest first, in as few bytes as hold it. The only symmetry mirrors the columns. Of the two
 * images, the key uses the one whose number for First is smaller, or, if these are equal, whose number for Second is
 * smaller.
 *
 * Layout. Two boards of 64 bits, square = row * W + column, without gaps, and their mirror images, which cost two
 * operations a move and make the key nearly free.
 *
 * Knowledge: T10 of THEOREMS.md, runners. The squares from which an enemy man can stop a man that runs ahead are the
 * `cone` of its square.
 *
 * Invariants. The boards do not overlap; `mirror` are the mirror images; the side to move has no man on its far row,
 * and the other side has at least one man. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "solver/games/cells.h"

enum {
	SQUARES_MAX = 64,
	MEN_MAX = 32,            /* of a side: two rows of at most 16 squares */
	MOVES_MAX = 3 * MEN_MAX, /* of a position */
	SIDES = 2,               /* First is 0 */
	DIRECTIONS = 3,          /* to the column before, straight, to the column after */
	STRAIGHT = 1,
	RUN_MAX = 4, /* rows that a runner may have to go to be recognised */
	EFFORT_MAX = 1000000
};

struct breakthrough_state {
	uint64_t men[SIDES];
	uint64_t mirror[SIDES];
	uint64_t side; /* to move */
};

_Static_assert(sizeof(struct breakthrough_state) <= GAME_STATE_MAX, "a state fits into GAME_STATE_MAX bytes");
_Static_assert((int)MOVES_MAX <= (int)GAME_MOVES_MAX, "GAME_MOVES_MAX is large enough");

struct breakthrough {
	struct cells_game base;
	unsigned width, height, squares;
	uint64_t full;
	uint64_t far[SIDES];       /* the row that a side wants to reach */
	uint64_t begin[SIDES];     /* initial men */
	uint64_t from[DIRECTIONS]; /* squares from which a step leads to a column of the board */
	uint8_t shift[DIRECTIONS]; /* of First's steps; Second's are those of 2 - direction, reversed */
	uint8_t row[SQUARES_MAX];
	uint8_t mirrored[SQUARES_MAX];
	uint64_t ahead[SIDES][SQUARES_MAX]; /* squares of the column in front of a man */
	uint64_t cone[SIDES][SQUARES_MAX];  /* squares where an enemy man, to move, stops a runner */
};

static inline const struct breakthrough *breakthrough_of(const struct game *game)
{
	return (const struct breakthrough *)game;
}

static inline uint64_t bit_of(unsigned square)
{
	return UINT64_C(1) << square;
}

static inline bool has_several(uint64_t set)
{
	return (set & (set - 1)) != 0;
}

/* --- steps -------------------------------------------------------------------------------- */

/* The squares that the men of a set reach by a step in that direction. */
static inline uint64_t step_men(const struct breakthrough *b, unsigned side, unsigned direction, uint64_t men)
{
	men &= b->from[direction];
	return side ? men >> b->shift[2 - direction] : men << b->shift[direction];
}

/* The reverse: the squares from which a step in that direction leads to a set. */
static inline uint64_t stepped_back(const struct breakthrough *b, unsigned side, unsigned direction, uint64_t squares)
{
	return (side ? squares << b->shift[2 - direction] : squares >> b->shift[direction]) & b->from[direction];
}

static inline unsigned target_of(const struct breakthrough *b, unsigned side, unsigned from, unsigned direction)
{
	return side ? from - b->shift[2 - direction] : from + b->shift[direction];
}

/* Squares that a side's man may step onto in that direction. */
static inline uint64_t open_to(const struct breakthrough *b, const struct breakthrough_state *s, unsigned side,
			       unsigned direction)
{
	return b->full & ~(direction == STRAIGHT ? s->men[0] | s->men[1] : s->men[side]);
}

/* The side's men that can step in that direction. */
static inline uint64_t men_that_step(const struct breakthrough *b, const struct breakthrough_state *s,
				     unsigned direction)
{
	unsigned side = (unsigned)s->side;
	return s->men[side] & stepped_back(b, side, direction, open_to(b, s, side, direction));
}

/* Squares that men attack diagonally, whatever stands there. */
static inline uint64_t attacked_squares(const struct breakthrough *b, unsigned side, uint64_t men)
{
	return step_men(b, side, 0, men) | step_men(b, side, 2, men);
}

/* Steps that the foremost man of a side needs to reach its far row. */
static inline unsigned least_distance(const struct breakthrough *b, unsigned side, uint64_t men)
{
	return side ? b->row[__builtin_ctzll(men)] : b->height - 1 - b->row[63 - __builtin_clzll(men)];
}

/* True if the side that has just moved has won. */
static inline bool has_lost(const struct breakthrough *b, const struct breakthrough_state *s)
{
	return !s->men[s->side] || (s->men[!s->side] & b->far[!s->side]);
}

/* --- inner loop --------------------------------------------------------------------------- */

static bool breakthrough_first_to_move(const struct game *game, const void *state)
{
	const struct breakthrough_state *s = state;
	return s->side == 0;
}

static bool breakthrough_terminal(const struct game *game, const void *state, int *value)
{
	const struct breakthrough_state *s = state;
	if (!has_lost(breakthrough_of(game), s))
		return false;
	*value = s->side ? 1 : -1;
	return true;
}

/* Lists the moves of the foremost men first, each in the order of the directions. */
static unsigned breakthrough_moves(const struct game *game, const void *state, game_move *out)
{
	const struct breakthrough *b = breakthrough_of(game);
	const struct breakthrough_state *s = state;
	unsigned n = 0;
	if (has_lost(b, s))
		return 0;
	uint64_t can[DIRECTIONS] = {men_that_step(b, s, 0), men_that_step(b, s, 1), men_that_step(b, s, 2)};
	for (uint64_t rest = can[0] | can[1] | can[2]; rest;) {
		unsigned from = (unsigned)(s->side ? __builtin_ctzll(rest) : 63 - __builtin_clzll(rest));
		rest ^= bit_of(from);
		for (unsigned direction = 0; direction < DIRECTIONS; direction++) {
			out[n] = (game_move)(from + 64 * direction);
			n += can[direction] >> from & 1;
		}
	}
	PD_DEBUG_ASSERT(n);
	return n;
}

static unsigned breakthrough_count(const struct game *game, const void *state)
{
	const struct breakthrough *b = breakthrough_of(game);
	const struct breakthrough_state *s = state;
	if (has_lost(b, s))
		return 0;
	return text_count(men_that_step(b, s, 0)) + text_count(men_that_step(b, s, 1)) +
	       text_count(men_that_step(b, s, 2));
}

static void breakthrough_play(const struct game *game, void *state, game_move move)
{
	const struct breakthrough *b = breakthrough_of(game);
	struct breakthrough_state *s = state;
	unsigned side = (unsigned)s->side, from = move % 64, to = target_of(b, side, from, move / 64);
	unsigned mirror_from = b->mirrored[from], mirror_to = b->mirrored[to];
	PD_DEBUG_ASSERT(s->men[side] & bit_of(from) && !(s->men[side] & bit_of(to)));
	s->men[side] ^= bit_of(from) | bit_of(to);
	s->men[!side] &= ~bit_of(to);
	s->mirror[side] ^= bit_of(mirror_from) | bit_of(mirror_to);
	s->mirror[!side] &= ~bit_of(mirror_to);
	s->side = !side;
}

/* A side wins at once by moving a man to the far row, or by capturing the last enemy man. */
static bool breakthrough_immediate_win(const struct game *game, const void *state, int *value)
{
	const struct breakthrough *b = breakthrough_of(game);
	const struct breakthrough_state *s = state;
	unsigned side = (unsigned)s->side;
	if (least_distance(b, side, s->men[side]) > 1 &&
	    (has_several(s->men[!side]) || !(attacked_squares(b, side, s->men[side]) & s->men[!side])))
		return false;
	*value = side ? -1 : 1;
	return true;
}

/* --- knowledge ---------------------------------------------------------------------------- */

/* The nodes that a search by the rules needs for a run of that many steps: the enemy's replies to all steps but the
 * last. */
static uint32_t effort_of(const struct breakthrough_state *s, unsigned enemy, unsigned steps)
{
	uint64_t replies = 3 * (uint64_t)text_count(s->men[enemy]), nodes = 4;
	for (unsigned i = 1; i < steps && nodes < EFFORT_MAX; i++)
		nodes *= replies;
	return (uint32_t)(nodes < EFFORT_MAX ? nodes : EFFORT_MAX);
}

/* The men of a side that are `steps` rows from its far row. */
static inline uint64_t men_at(const struct breakthrough *b, unsigned side, uint64_t men, unsigned steps)
{
	return men & (side ? b->far[1] << steps * b->width : b->far[0] >> steps * b->width);
}

/* A win by T10 of THEOREMS.md. */
struct known_win {
	unsigned side;  /* which wins */
	unsigned steps; /* it has to go, from now on */
	uint16_t square[2];
	unsigned squares; /* 1: its runner; 2: from and to of the step that makes one, or its two men */
};

/* The steps to go of a runner of `side`, the other to move, at most steps_max; 0 for none. Writes its square. */
static unsigned runner_steps(const struct breakthrough *b, const struct breakthrough_state *s, unsigned side,
			     unsigned steps_max, uint16_t *runner)
{
	uint64_t mine = s->men[side], theirs = s->men[!side];
	for (unsigned steps = 1; steps <= steps_max; steps++)
		for (uint64_t rest = men_at(b, side, mine, steps); rest; rest &= rest - 1) {
			*runner = (uint16_t)__builtin_ctzll(rest);
			if (!(theirs & b->cone[side][*runner]) && !(mine & b->ahead[side][*runner]))
				return steps;
		}
	return 0;
}

/* The steps to go of a runner that a step of the mover makes, this step included; 0: none. Writes from and to. */
static unsigned new_runner_steps(const struct breakthrough *b, const struct breakthrough_state *s, unsigned steps_max,
				 uint16_t step[2])
{
	unsigned side = (unsigned)s->side;
	uint64_t mine = s->men[side], theirs = s->men[!side];
	for (unsigned steps = 2; steps <= steps_max; steps++)
		for (unsigned direction = 0; direction < DIRECTIONS; direction++) {
			uint64_t to = step_men(b, side, direction, men_at(b, side, mine, steps)) &
				      open_to(b, s, side, direction);
			for (; to; to &= to - 1) {
				step[1] = (uint16_t)__builtin_ctzll(to);
				step[0] = (uint16_t)target_of(b, !side, step[1], 2 - direction);
				if (!(theirs & b->cone[side][step[1]]) && !(mine & b->ahead[side][step[1]]))
					return steps;
			}
		}
	return 0;
}

/* False when no win is known; at a position that is neither over nor an immediate win. */
static bool find_win(const struct breakthrough *b, const struct breakthrough_state *s, struct known_win *win)
{
	unsigned side = (unsigned)s->side;
	unsigned mine = least_distance(b, side, s->men[side]), theirs = least_distance(b, !side, s->men[!side]);
	*win = (struct known_win){.side = !side, .squares = 1};
	if (theirs == 1) {
		uint64_t last = men_at(b, !side, s->men[!side], 1);
		win->steps = 1;
		win->square[0] = (uint16_t)__builtin_ctzll(last);
		if (has_several(last)) {
			win->square[1] = (uint16_t)__builtin_ctzll(last & (last - 1));
			win->squares = 2;
			return true;
		}
		return !(attacked_squares(b, side, s->men[side]) & last);
	}
	if ((win->steps = new_runner_steps(b, s, theirs < RUN_MAX ? theirs : RUN_MAX, win->square))) {
		win->side = side;
		win->squares = 2;
		return true;
	}
	win->steps = runner_steps(b, s, !side, mine - 1 < RUN_MAX ? mine - 1 : RUN_MAX, win->square);
	return win->steps != 0;
}

static bool breakthrough_theorem(const struct game *game, const void *state, int threshold, struct game_theorem *out,
				 uint8_t *witness)
{
	const struct breakthrough_state *s = state;
	struct known_win win;
	if (!find_win(breakthrough_of(game), s, &win))
		return false;
	bool begins = win.side == s->side;
	*out = (struct game_theorem){.proved = (win.side ? -1 : 1) >= threshold,
				     .number = 10,
				     .plies = (uint16_t)(2 * win.steps - begins),
				     .effort = effort_of(s, !win.side, win.steps + !begins)};
	if (witness) {
		witness[0] = (uint8_t)win.squares;
		for (unsigned i = 0; i < win.squares; i++)
			pd_put_le16(witness + 1 + 2 * i, win.square[i]);
		out->witness = (uint16_t)(1 + 2 * win.squares);
	}
	return true;
}

/* --- initial numbers ---------------------------------------------------------------------- */

/* Initial numbers: mobility, times 8 for each man that a side is behind, or divided by 8 for each that it is ahead.
 * This takes a third of the nodes of mobility alone on boards of 20 to 25 squares. Known wins get extreme numbers,
 * because a search by the rules would otherwise find runners only after all captures. */
static void breakthrough_initial_numbers(const struct game *game, const void *state, int threshold, uint32_t num[2])
{
	enum { EVEN = 64, MAN = 3, DIFFERENCE_MAX = 4, NUMBER_MAX = 1000000 };
	const struct breakthrough_state *s = state;
	struct known_win win;
	if (find_win(breakthrough_of(game), s, &win)) {
		num[win.side] = 1;
		num[!win.side] = NUMBER_MAX;
		return;
	}
	int ahead = (int)text_count(s->men[0]) - (int)text_count(s->men[1]);
	ahead = ahead > DIFFERENCE_MAX ? DIFFERENCE_MAX : ahead < -DIFFERENCE_MAX ? -DIFFERENCE_MAX : ahead;
	uint32_t more = (uint32_t)EVEN << MAN * abs(ahead), less = (uint32_t)EVEN >> MAN * abs(ahead);
	num[0] = ahead > 0 ? less : more;
	num[1] = ahead > 0 ? more : less;
	num[!s->side] *= breakthrough_count(game, state);
	for (unsigned i = 0; i < 2; i++)
		num[i] = num[i] < 1 ? 1 : num[i] > NUMBER_MAX ? NUMBER_MAX : num[i];
}

/* --- keys --------------------------------------------------------------------------------- */

static inline bool is_mirrored(const struct breakthrough_state *s)
{
	return s->mirror[0] < s->men[0] || (s->mirror[0] == s->men[0] && s->mirror[1] < s->men[1]);
}

static size_t breakthrough_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct breakthrough_state *s = state;
	const uint64_t *men = is_mirrored(s) ? s->mirror : s->men;
	unsigned squares = breakthrough_of(game)->squares;
	uint8_t bytes[24];
	uint64_t low = men[0], high = men[1], side = s->side;
	if (squares < 64) {
		low |= high << squares;
		high = high >> (64 - squares);
		if (2 * squares >= 64)
			high |= side << (2 * squares - 64);
		else
			low |= side << 2 * squares;
	}
	pd_put_le64(bytes, low);
	pd_put_le64(bytes + 8, high);
	bytes[16] = (uint8_t)side;
	memcpy(out, bytes, game->key_size_max);
	return game->key_size_max;
}

static uint64_t mirror_image(const struct breakthrough *b, uint64_t men)
{
	uint64_t image = 0;
	for (; men; men &= men - 1)
		image |= bit_of(b->mirrored[__builtin_ctzll(men)]);
	return image;
}

/* What is wrong with a position; NULL if nothing is. */
static const char *find_fault(const struct breakthrough *b, const struct breakthrough_state *s)
{
	if (text_count(s->men[0]) > 2 * b->width || text_count(s->men[1]) > 2 * b->width)
		return "a side has more men than it begins with";
	if (!s->men[!s->side])
		return "the side that is not to move has no men";
	if (s->men[s->side] & b->far[s->side])
		return "the side to move has reached its far row already";
	if (has_several(s->men[!s->side] & b->far[!s->side]))
		return "the game went on after a man had reached its far row";
	return NULL;
}

/* Fills in the mirror images. */
static void derive_state(const struct breakthrough *b, struct breakthrough_state *s)
{
	s->mirror[0] = mirror_image(b, s->men[0]);
	s->mirror[1] = mirror_image(b, s->men[1]);
}

static int breakthrough_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	const struct breakthrough *b = breakthrough_of(game);
	struct breakthrough_state s = {0};
	if (size != game->key_size_max)
		return PD_E_CORRUPT;
	for (unsigned i = 0; i < 8 * size; i++) {
		if (!(key[i / 8] >> i % 8 & 1))
			continue;
		if (i > 2 * b->squares)
			return PD_E_CORRUPT;
		if (i == 2 * b->squares)
			s.side = 1;
		else
			s.men[i / b->squares] |= bit_of(i % b->squares);
	}
	derive_state(b, &s);
	if ((s.men[0] & s.men[1]) || find_fault(b, &s) || is_mirrored(&s))
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

static game_move breakthrough_canon(const struct game *game, const void *state, game_move move, bool back)
{
	(void)back; /* a mirror is its own inverse */
	const struct breakthrough *b = breakthrough_of(game);
	if (move >= 64 * DIRECTIONS || move % 64u >= b->squares || !is_mirrored(state))
		return move;
	return (game_move)(b->mirrored[move % 64] + 64 * (2 - move / 64));
}

/* Two different moves have children with the same key only if these are mirror images of each other. Then the position
 * and its mirror image differ at most by the men that two moves displace and take. */
static unsigned breakthrough_distinct(const struct game *game, const void *state, game_move *out)
{
	const struct breakthrough_state *s = state;
	struct breakthrough_state child[MOVES_MAX];
	unsigned count = breakthrough_moves(game, state, out), n = 0, side = (unsigned)s->side;
	if (text_count(s->men[side] ^ s->mirror[side]) > 4 || text_count(s->men[!side] ^ s->mirror[!side]) > 2)
		return count;
	PD_DEBUG_ASSERT(count <= MOVES_MAX);
	for (unsigned i = 0; i < count; i++) {
		unsigned j = 0;
		child[n] = *s;
		breakthrough_play(game, &child[n], out[i]);
		while (j < n && (child[j].men[0] != child[n].mirror[0] || child[j].men[1] != child[n].mirror[1]))
			j++;
		if (j == n)
			out[n++] = out[i];
	}
	return n;
}

static void breakthrough_start(const struct game *game, void *state)
{
	const struct breakthrough *b = breakthrough_of(game);
	struct breakthrough_state s = {.men = {b->begin[0], b->begin[1]}};
	derive_state(b, &s);
	memcpy(state, &s, sizeof s);
}

/* --- cells -------------------------------------------------------------------------------- */

/* Finds the legal push to a square, written b4. Returns NULL, or what is wrong. */
static const char *read_push(const struct breakthrough *b, const struct breakthrough_state *s, unsigned to,
			     game_move *out)
{
	unsigned side = (unsigned)s->side, from = side ? to + b->width : to - b->width;
	if (has_lost(b, s))
		return "the game is over before this move";
	if (from >= b->squares || !(men_that_step(b, s, STRAIGHT) & bit_of(from)))
		return "no man can be pushed straight to that square";
	*out = (game_move)(from + 64 * STRAIGHT);
	return NULL;
}

/* Reads a legal move: a2b3, a2xb3, b3, axb3 or ab3. */
static const char *read_move(const struct game *game, const void *state, const char **text, game_move *out)
{
	static const char two_squares[] = "a move is two squares of the board, as in a2b3";
	const struct breakthrough *b = breakthrough_of(game);
	const struct breakthrough_state *s = state;
	unsigned from = 0, to, side = (unsigned)s->side, column = (unsigned)(**text - 'a');
	bool short_form = column < b->width && ((*text)[1] == 'x' || (unsigned)((*text)[1] - 'a') < b->width);
	if (short_form)
		++*text; /* axb4, ab4: the column of the man */
	else if (cells_place_read(&b->base, text, &from))
		return two_squares;
	if (!short_form && (!**text || cells_blank(**text)))
		return read_push(b, s, from, out);
	char between = **text;
	*text += between == 'x' || between == '-';
	if (cells_place_read(&b->base, text, &to))
		return two_squares;
	if (short_form)
		from = (side ? to / b->width + 1 : to / b->width - 1) * b->width + column;
	if (has_lost(b, s))
		return "the game is over before this move";
	if (from >= b->squares || !(s->men[side] & bit_of(from)))
		return "the side to move has no man there";
	for (unsigned direction = 0; direction < DIRECTIONS; direction++)
		if ((men_that_step(b, s, direction) & bit_of(from)) && target_of(b, side, from, direction) == to) {
			*out = (game_move)(from + 64 * direction);
			bool takes = s->men[!side] & bit_of(to);
			return between == 'x' && !takes  ? "there is nothing to take on that square"
			       : between == '-' && takes ? "there is a man on that square: a capture is written with x"
							 : NULL;
		}
	return "the man cannot move there: it goes one row forward, straight onto an empty square or diagonally onto "
	       "one without a man of its own side";
}

static size_t breakthrough_move_print(const struct game *game, const void *state, game_move move, char *out,
				      size_t size)
{
	const struct breakthrough *b = breakthrough_of(game);
	struct text_line line = text_line(out, size);
	cells_place_print(&b->base, move % 64, &line);
	cells_place_print(
		&b->base,
		target_of(b, (unsigned)((const struct breakthrough_state *)state)->side, move % 64, move / 64), &line);
	return line.length;
}

/* Reads the other fields of a FEN: castling rights and en passant, - each, and two counters. */
static const char *read_rest(const char **text)
{
	unsigned number;
	for (unsigned field = 0; **text == ' ' && field < 4; field++) {
		const char *p = *text + 1;
		if (field < 2 ? *p != '-' : !text_number(&p, &number))
			break;
		*text = p + (field < 2);
	}
	return **text ? "only the fields of a FEN, - - and two counters, may follow the side to move" : NULL;
}

static int from_cells(const struct game *game, const struct cells *cells, void *state, struct pd_fail *fail)
{
	const struct breakthrough *b = breakthrough_of(game);
	struct breakthrough_state s = {.side = cells->turn};
	for (unsigned i = 0; i < b->squares; i++)
		if (cells->at[i])
			s.men[cells->at[i] - 1] |= bit_of(i);
	const char *wrong = find_fault(b, &s);
	if (!wrong) {
		derive_state(b, &s);
		memcpy(state, &s, sizeof s);
	}
	return cells_refuse(fail, wrong);
}

static void to_cells(const struct game *game, const void *state, struct cells *out)
{
	const struct breakthrough_state *s = state;
	out->turn = (uint8_t)s->side;
	for (unsigned i = 0; i < breakthrough_of(game)->squares; i++)
		out->at[i] = s->men[0] & bit_of(i) ? CELLS_FIRST : s->men[1] & bit_of(i) ? CELLS_SECOND : 0;
}

static void breakthrough_board(const struct game *game, struct game_board *out)
{
	static const struct game_piece men[] = {{'P', GAME_FIRST, GAME_DISC, "white man", NULL},
						{'p', GAME_SECOND, GAME_DISC, "black man", NULL}};
	game_board_grid(out, breakthrough_of(game)->width, breakthrough_of(game)->height, GAME_SQUARE);
	out->side[0] = "White";
	out->side[1] = "Black";
	out->colour[0] = "white";
	out->colour[1] = "black";
	out->pieces = SIDES;
	memcpy(out->piece, men, sizeof men);
}

static unsigned breakthrough_move_places(const struct game *game, const void *state, game_move move,
					 uint16_t out[GAME_MOVE_PLACES_MAX])
{
	const struct breakthrough_state *s = state;
	out[0] = move % 64;
	out[1] = (uint16_t)target_of(breakthrough_of(game), (unsigned)s->side, move % 64, move / 64);
	return 2;
}

/* --- opening ------------------------------------------------------------------------------ */

/* True if an enemy man, to move, `rows` ahead of a runner and `columns` aside of it, can take the runner or stand in
 * its way; the runner has `steps` to go. Before its step k + 1 the enemy has made k + 1 moves. */
static bool can_stop(unsigned rows, unsigned columns, unsigned steps)
{
	for (unsigned k = 0; k < steps; k++) {
		/* It takes the runner after k steps, by a diagonal move. */
		unsigned moves = rows - k;
		if (rows > k && moves <= k + 1 && columns <= moves && (columns || moves > 1))
			return true;
		/* It stands on the square of step k + 1, unless that is the last step. */
		if (k + 1 < steps && rows >= k + 1 && rows - k - 1 <= k + 1 && columns <= rows - k - 1)
			return true;
	}
	return false;
}

static void prepare_runs(struct breakthrough *b)
{
	for (unsigned from = 0; from < b->squares; from++)
		for (unsigned other = 0; other < b->squares; other++) {
			int across = (int)(other % b->width) - (int)(from % b->width);
			int up = (int)b->row[other] - (int)b->row[from];
			for (unsigned side = 0; side < SIDES; side++) {
				int rows = side ? -up : up;
				unsigned steps = side ? b->row[from] : b->height - 1 - b->row[from];
				if (rows <= 0)
					continue;
				if (!across)
					b->ahead[side][from] |= bit_of(other);
				if (can_stop((unsigned)rows, (unsigned)abs(across), steps))
					b->cone[side][from] |= bit_of(other);
			}
		}
}

static void prepare_board(struct breakthrough *b)
{
	b->squares = b->width * b->height;
	b->full = ~UINT64_C(0) >> (64 - b->squares);
	uint64_t row = ~UINT64_C(0) >> (64 - b->width);
	b->far[1] = row;
	b->far[0] = row << (b->height - 1) * b->width;
	b->begin[0] = row | row << b->width;
	b->begin[1] = b->far[0] | b->far[0] >> b->width;
	for (unsigned i = 0; i < b->squares; i++) {
		unsigned column = i % b->width;
		b->row[i] = (uint8_t)(i / b->width);
		b->mirrored[i] = (uint8_t)(i - column + b->width - 1 - column);
		b->from[0] |= column > 0 ? bit_of(i) : 0;
		b->from[1] |= bit_of(i);
		b->from[2] |= column + 1 < b->width ? bit_of(i) : 0;
	}
	for (unsigned direction = 0; direction < DIRECTIONS; direction++)
		b->shift[direction] = (uint8_t)(b->width + direction - 1);
	prepare_runs(b);
	PD_ASSERT(2 * b->width <= MEN_MAX && !(b->begin[0] & b->begin[1]));
}

static int breakthrough_open(const struct game_rules *rules, const char *params, const struct game_host *host,
			     struct game **out, struct pd_fail *fail)
{
	static const struct cells_form form = {.letters = "Pp",
					       .sides = "wb",
					       .read_move = read_move,
					       .to_cells = to_cells,
					       .from_cells = from_cells,
					       .read_rest = read_rest};
	unsigned width, height;
	if (!cells_size_read(params, &width, &height) || width < 2 || height < 4 || width > 16 || height > 32 ||
	    width * height > SQUARES_MAX)
		return cells_refuse_params(rules, params, fail);
	struct breakthrough *b = cells_new(rules, &form, sizeof *b, fail);
	if (!b)
		return PD_E_NO_MEMORY;
	struct game *game = &b->base.game;
	b->width = b->base.width = width;
	b->height = b->base.height = height;
	prepare_board(b);
	game->state_size = sizeof(struct breakthrough_state);
	game->key_size_max = (2 * b->squares + 8) / 8;
	game->moves_max = 6 * width;
	/* Each man goes at most to the row before its far row, and one goes further. Of the 2 W men of a side, W have
	 * at most H - 2 steps to that row, and W at most H - 3. */
	game->plies_max = 2 * width * (2 * height - 5) + 1;
	game->value_step = 2;
	snprintf(game->name, sizeof game->name, "breakthrough:%ux%u", width, height);
	*out = game;
	return PD_OK;
}

const struct game_rules game_breakthrough_rules = {
	CELLS_BOARD,
	.name = "breakthrough",
	.title = "Breakthrough",
	.params = "WxH: columns (from 2) and rows (from 4), together at most 64 squares; two rows of men a side",
	.notation =
		"A position is a board as in chess, rows from the top separated by /, P for White's men, p for "
		"Black's, numbers for runs of empty squares, then the side to move, as in pppp/pppp/PPPP/PPPP w; or "
		"the moves from the start, separated by blanks or commas. A move is two squares, a2b3; a2xb3, and b3 "
		"and axb3 as in chess, are read as well.",
	.example = "breakthrough:5x5",
	.open = breakthrough_open,
	CELLS_RULES(breakthrough),
	.move_print = breakthrough_move_print,
	.canon = breakthrough_canon,
	.unique_moves = breakthrough_distinct,
	.immediate_win = breakthrough_immediate_win,
	.count = breakthrough_count,
	.initial_numbers = breakthrough_initial_numbers,
	.board = breakthrough_board,
	.move_places = breakthrough_move_places,
	.move_square = cells_last_place,
	.records = GAME_RECORD_PGN | GAME_RECORD_EPD,
	.theorem = breakthrough_theorem,
};
