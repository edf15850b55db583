/* Breakthrough on boards of 2 to 16 columns and 4 to 32 rows, at most 64 squares: `breakthrough:8x8` is the usual one.
 *
 * Rules (Dan Troyka 2000). Each side begins with its men on the two rows nearest to it: First has White, at the bottom,
 * and moves first. A man moves one square straight or diagonally forward onto an empty square, and takes an enemy man
 * by moving diagonally onto it; it cannot take straight ahead. The side that first brings a man to its far row has won,
 * and so has a side that has taken all enemy men.
 *
 * Decided here.
 *  - A side to move always has a move, so there is no rule for one that has not: its foremost man is not on the far row
 *    yet (the game would be over), has at least one square diagonally ahead, and no man of its own can stand there.
 *  - A position may be given with any men, at most as many as a side begins with, whether a game leads to it or not. In
 *    a position that is over, the side to move is the one that has lost; one man stands on the winner's far row, or the
 *    loser has none left.
 *
 * Sources: the rules as Zillions of Games and littlegolem.net have them; A. Saffidine, N. Jouandeau, T. Cazenave,
 * Solving Breakthrough with Race Patterns and Job-Level Proof Number Search (2012), for the boards' sizes and for what
 * a race can decide. Move counts: Fairy-Stockfish.
 *
 * Notation. A square is a column letter and a row from the bottom, as in b3. A move is the squares where it begins and
 * ends, a2b3; a2xb3 and a2-b3 are read as well. A position is a board as in chess, rows from the top separated by '/',
 * P for White's men, p for Black's, numbers for runs of empty squares, then a blank and the side to move, w or b; or
 * the moves from the start, separated by blanks or commas.
 *
 * Move code. from + 64 * direction; from is row from the bottom * W + column, direction 0 goes to the column before, 1
 * straight, 2 to the column behind.
 *
 * Key. First's men as a number, bit = square, then Second's in as many bits, then one bit, 1 when Second is to move;
 * one string of bits, lowest first, in as few bytes as hold it. The only symmetry mirrors the columns: of the two
 * images the one counts whose First's number is smaller, and if these are equal whose Second's is.
 *
 * Layout. Two boards of 64 bits, square = row * W + column, without gaps, and their mirror images, which cost two
 * operations a move and make the key nearly free.
 *
 * Knowledge (static_solve). A man is a runner if it gets to its far row by going straight ahead whatever the enemy
 * does. Let it stand on column c with d rows to go and the enemy to move. Before the runner's move number k + 1 an
 * enemy man has made at most k + 1 moves, each one row towards it and at most one column aside; so the squares from
 * which it can take the runner, or stand in its way, are the `cone` of the runner's square. The last step needs no
 * straight way: one diagonal is always open. If no enemy man stands in the cone, no own man ahead in the column, and
 * the enemy's foremost man needs more than d moves, the runner wins in 2d plies. One ply earlier the side to move may
 * make any step that leads to such a runner. And two men one step from their far row win: only one of them can be
 * taken.
 *
 * Invariants. The boards do not overlap; `mirror` are the mirror images; the side to move has no man on its far row,
 * and the other side has at least one man. */
#include "solver/game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "solver/games/text.h"

enum {
	SQUARES_MAX = 64,
	MEN_MAX = 32,            /* of a side: two rows of at most 16, on four rows or more */
	MOVES_MAX = 3 * MEN_MAX, /* of a position */
	SIDES = 2,               /* First is 0 */
	DIRECTIONS = 3,          /* to the column before, straight, to the column behind */
	STRAIGHT = 1,
	RUN_MAX = 4, /* rows to go, of runners that are looked for */
	EFFORT_MAX = 1000000
};

struct state {
	uint64_t men[SIDES];
	uint64_t mirror[SIDES];
	uint64_t side; /* to move */
};

_Static_assert(sizeof(struct state) <= GAME_STATE_MAX, "a state fits the room of searches");
_Static_assert((int)MOVES_MAX <= (int)GAME_MOVES_MAX, "game.h has room for the moves");

struct breakthrough {
	struct game game;
	unsigned width, height, squares;
	uint64_t full;
	uint64_t far[SIDES];       /* the row that a side wants to reach */
	uint64_t begin[SIDES];     /* where its men begin */
	uint64_t from[DIRECTIONS]; /* squares from which a step leads to a column of the board */
	uint8_t shift[DIRECTIONS]; /* of First's steps; Second's lead back: its step to the column before is First's
				       step to the column behind, taken back */
	uint8_t row[SQUARES_MAX];
	uint8_t mirrored[SQUARES_MAX];
	uint64_t ahead[SIDES][SQUARES_MAX]; /* squares of the column in front of a man */
	uint64_t cone[SIDES][SQUARES_MAX];  /* where an enemy man, to move, stops a man that runs from there */
};

static const struct breakthrough *of(const struct game *game)
{
	return (const struct breakthrough *)game;
}

static inline uint64_t bit(unsigned square)
{
	return UINT64_C(1) << square;
}

static inline bool several(uint64_t set)
{
	return (set & (set - 1)) != 0;
}

/* --- steps -------------------------------------------------------------------------------- */

/* Where the men of a set come by a step in that direction. */
static inline uint64_t stepped(const struct breakthrough *b, unsigned side, unsigned direction, uint64_t men)
{
	men &= b->from[direction];
	return side ? men >> b->shift[2 - direction] : men << b->shift[direction];
}

/* The same back: from where a step in that direction leads to the squares of a set. */
static inline uint64_t stepped_back(const struct breakthrough *b, unsigned side, unsigned direction, uint64_t squares)
{
	return (side ? squares << b->shift[2 - direction] : squares >> b->shift[direction]) & b->from[direction];
}

static inline unsigned target_of(const struct breakthrough *b, unsigned side, unsigned from, unsigned direction)
{
	return side ? from - b->shift[2 - direction] : from + b->shift[direction];
}

/* Squares that a side's man may step onto in that direction. */
static inline uint64_t open_to(const struct breakthrough *b, const struct state *s, unsigned side, unsigned direction)
{
	return b->full & ~(direction == STRAIGHT ? s->men[0] | s->men[1] : s->men[side]);
}

/* The side's men that can step in that direction. */
static inline uint64_t movers(const struct breakthrough *b, const struct state *s, unsigned direction)
{
	unsigned side = (unsigned)s->side;
	return s->men[side] & stepped_back(b, side, direction, open_to(b, s, side, direction));
}

/* Squares onto which men can step diagonally: what they attack, men of their own included. */
static inline uint64_t attacked(const struct breakthrough *b, unsigned side, uint64_t men)
{
	return stepped(b, side, 0, men) | stepped(b, side, 2, men);
}

/* Steps that the foremost man of a side needs to reach its far row. */
static inline unsigned distance(const struct breakthrough *b, unsigned side, uint64_t men)
{
	return side ? b->row[__builtin_ctzll(men)] : b->height - 1 - b->row[63 - __builtin_clzll(men)];
}

/* --- inner loop --------------------------------------------------------------------------- */

static bool breakthrough_first_to_move(const struct game *game, const void *state)
{
	(void)game;
	const struct state *s = state;
	return s->side == 0;
}

/* The side that has just moved has won. */
static inline bool lost(const struct breakthrough *b, const struct state *s)
{
	return !s->men[s->side] || (s->men[!s->side] & b->far[!s->side]);
}

static bool breakthrough_terminal(const struct game *game, const void *state, int *value)
{
	const struct state *s = state;
	if (!lost(of(game), s))
		return false;
	*value = s->side ? 1 : -1;
	return true;
}

/* Foremost men first, each in the order of the directions. */
static unsigned breakthrough_moves(const struct game *game, const void *state, game_move *out)
{
	const struct breakthrough *b = of(game);
	const struct state *s = state;
	unsigned n = 0;
	if (lost(b, s))
		return 0;
	uint64_t can[DIRECTIONS] = {movers(b, s, 0), movers(b, s, 1), movers(b, s, 2)};
	for (uint64_t rest = can[0] | can[1] | can[2]; rest;) {
		unsigned from = (unsigned)(s->side ? __builtin_ctzll(rest) : 63 - __builtin_clzll(rest));
		rest ^= bit(from);
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
	const struct breakthrough *b = of(game);
	const struct state *s = state;
	if (lost(b, s))
		return 0;
	return text_count(movers(b, s, 0)) + text_count(movers(b, s, 1)) + text_count(movers(b, s, 2));
}

static void breakthrough_play(const struct game *game, void *state, game_move move)
{
	const struct breakthrough *b = of(game);
	struct state *s = state;
	unsigned side = (unsigned)s->side, from = move % 64, to = target_of(b, side, from, move / 64);
	unsigned mirror_from = b->mirrored[from], mirror_to = b->mirrored[to];
	PD_DEBUG_ASSERT(s->men[side] & bit(from) && !(s->men[side] & bit(to)));
	s->men[side] ^= bit(from) | bit(to);
	s->men[!side] &= ~bit(to);
	s->mirror[side] ^= bit(mirror_from) | bit(mirror_to);
	s->mirror[!side] &= ~bit(mirror_to);
	s->side = !side;
}

/* A man one step from the far row wins: see the first point of what is decided. So does taking the last man. */
static bool breakthrough_immediate_win(const struct game *game, const void *state, int *value)
{
	const struct breakthrough *b = of(game);
	const struct state *s = state;
	unsigned side = (unsigned)s->side;
	if (distance(b, side, s->men[side]) > 1 &&
	    (several(s->men[!side]) || !(attacked(b, side, s->men[side]) & s->men[!side])))
		return false;
	*value = side ? -1 : 1;
	return true;
}

/* --- knowledge ---------------------------------------------------------------------------- */

/* Nodes that it takes to see a run of that many steps by the rules: the enemy's replies to each but the last. */
static uint32_t effort_of(const struct state *s, unsigned enemy, unsigned steps)
{
	uint64_t replies = 3 * (uint64_t)text_count(s->men[enemy]), nodes = 4;
	for (unsigned i = 1; i < steps && nodes < EFFORT_MAX; i++)
		nodes *= replies;
	return (uint32_t)(nodes < EFFORT_MAX ? nodes : EFFORT_MAX);
}

/* Men of a side that stand `steps` before its far row. */
static inline uint64_t men_at(const struct breakthrough *b, unsigned side, uint64_t men, unsigned steps)
{
	return men & (side ? b->far[1] << steps * b->width : b->far[0] >> steps * b->width);
}

/* A runner of `side`, the other to move, with at most that many steps to go: its steps; 0 when there is none. */
static unsigned runs(const struct breakthrough *b, const struct state *s, unsigned side, unsigned steps_max)
{
	uint64_t mine = s->men[side], theirs = s->men[!side];
	for (unsigned steps = 1; steps <= steps_max; steps++)
		for (uint64_t rest = men_at(b, side, mine, steps); rest; rest &= rest - 1) {
			unsigned square = (unsigned)__builtin_ctzll(rest);
			if (!(theirs & b->cone[side][square]) && !(mine & b->ahead[side][square]))
				return steps;
		}
	return 0;
}

/* A step of the side to move that makes a runner: its steps with this one; 0 when there is none. */
static unsigned starts(const struct breakthrough *b, const struct state *s, unsigned steps_max)
{
	unsigned side = (unsigned)s->side;
	uint64_t mine = s->men[side], theirs = s->men[!side];
	for (unsigned steps = 2; steps <= steps_max; steps++)
		for (unsigned direction = 0; direction < DIRECTIONS; direction++) {
			uint64_t to = stepped(b, side, direction, men_at(b, side, mine, steps)) &
				      open_to(b, s, side, direction);
			for (; to; to &= to - 1) {
				unsigned square = (unsigned)__builtin_ctzll(to);
				if (!(theirs & b->cone[side][square]) && !(mine & b->ahead[side][square]))
					return steps;
			}
		}
	return 0;
}

static bool breakthrough_static_solve(const struct game *game, const void *state, struct game_static *out)
{
	const struct breakthrough *b = of(game);
	const struct state *s = state;
	unsigned side = (unsigned)s->side;
	unsigned mine = distance(b, side, s->men[side]), theirs = distance(b, !side, s->men[!side]), steps;
	if (theirs == 1) {
		/* The enemy wins with its next move unless the last man that can do so is taken. */
		uint64_t last = men_at(b, !side, s->men[!side], 1);
		if (!several(last) && (attacked(b, side, s->men[side]) & last))
			return false;
		*out = (struct game_static){side ? 1 : -1, 2, effort_of(s, side, 2)};
		return true;
	}
	if ((steps = starts(b, s, theirs < RUN_MAX ? theirs : RUN_MAX))) {
		*out = (struct game_static){side ? -1 : 1, 2 * steps - 1, effort_of(s, !side, steps)};
		return true;
	}
	if ((steps = runs(b, s, !side, mine - 1 < RUN_MAX ? mine - 1 : RUN_MAX))) {
		*out = (struct game_static){side ? 1 : -1, 2 * steps, effort_of(s, side, steps + 1)};
		return true;
	}
	return false;
}

/* --- initial numbers ---------------------------------------------------------------------- */

/* Mobility, times 8 for each man that the side which has to show something is behind, or divided by 8 for each that it
 * is ahead: a third of the nodes that mobility alone takes, on boards of 20 to 25 squares. A search by the rules alone
 * is shown to the runners, which it would otherwise find behind all captures. */
static void breakthrough_initial_numbers(const struct game *game, const void *state, int threshold, uint32_t num[2])
{
	enum { EVEN = 64, MAN = 3, DIFFERENCE_MAX = 4, NUMBER_MAX = 1000000 };
	const struct state *s = state;
	struct game_static known;
	(void)threshold;
	if (breakthrough_static_solve(game, state, &known)) {
		num[known.value > 0 ? 0 : 1] = 1;
		num[known.value > 0 ? 1 : 0] = NUMBER_MAX;
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

static inline bool is_mirrored(const struct state *s)
{
	return s->mirror[0] < s->men[0] || (s->mirror[0] == s->men[0] && s->mirror[1] < s->men[1]);
}

static size_t breakthrough_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct state *s = state;
	const uint64_t *men = is_mirrored(s) ? s->mirror : s->men;
	unsigned squares = of(game)->squares;
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
		image |= bit(b->mirrored[__builtin_ctzll(men)]);
	return image;
}

/* What is wrong with a position; NULL when nothing is. */
static const char *fault(const struct breakthrough *b, const struct state *s)
{
	if (text_count(s->men[0]) > 2 * b->width || text_count(s->men[1]) > 2 * b->width)
		return "a side has more men than it begins with";
	if (!s->men[!s->side])
		return "the side that is not to move has no men";
	if (s->men[s->side] & b->far[s->side])
		return "the side to move has reached its far row already";
	if (several(s->men[!s->side] & b->far[!s->side]))
		return "the game went on after a man had reached its far row";
	return NULL;
}

/* Fills in the mirror images. */
static void complete(const struct breakthrough *b, struct state *s)
{
	s->mirror[0] = mirror_image(b, s->men[0]);
	s->mirror[1] = mirror_image(b, s->men[1]);
}

static int breakthrough_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	const struct breakthrough *b = of(game);
	struct state s = {0};
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
			s.men[i / b->squares] |= bit(i % b->squares);
	}
	complete(b, &s);
	if ((s.men[0] & s.men[1]) || fault(b, &s) || is_mirrored(&s))
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

static game_move breakthrough_canon(const struct game *game, const void *state, game_move move, bool back)
{
	(void)back; /* a mirror is its own inverse */
	const struct breakthrough *b = of(game);
	if (move >= 64 * DIRECTIONS || move % 64u >= b->squares || !is_mirrored(state))
		return move;
	return (game_move)(b->mirrored[move % 64] + 64 * (2 - move / 64));
}

/* Two children have one key if they are equal, which two different moves never make them, or mirror images of each
 * other: then the position and its mirror image differ by the men that two moves displace, at most, and by the men that
 * they take. */
static unsigned breakthrough_distinct(const struct game *game, const void *state, game_move *out)
{
	const struct state *s = state;
	struct state child[MOVES_MAX];
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

/* --- text --------------------------------------------------------------------------------- */

static bool blank(char c)
{
	return c == ' ' || c == ',' || c == '\t';
}

/* Reads a square at *text and moves behind it; false when there is none on the board. */
static bool read_square(const struct breakthrough *b, const char **text, unsigned *square)
{
	unsigned column = (unsigned)(**text - 'a'), row;
	const char *p = *text + 1;
	if (column >= b->width || !text_number(&p, &row) || row < 1 || row > b->height)
		return false;
	*square = (row - 1) * b->width + column;
	*text = p;
	return true;
}

/* Reads a legal move at *text and moves behind it. NULL on success, otherwise what is wrong. */
static const char *read_move(const struct breakthrough *b, const struct state *s, const char **text, game_move *out)
{
	unsigned from, to, side = (unsigned)s->side;
	if (!read_square(b, text, &from))
		return "a move is two squares of the board, as in a2b3";
	char between = **text;
	*text += between == 'x' || between == '-';
	if (!read_square(b, text, &to) || (**text && !blank(**text)))
		return "a move is two squares of the board, as in a2b3";
	if (lost(b, s))
		return "the game is over before this move";
	if (!(s->men[side] & bit(from)))
		return "the side to move has no man there";
	for (unsigned direction = 0; direction < DIRECTIONS; direction++)
		if ((movers(b, s, direction) & bit(from)) && target_of(b, side, from, direction) == to) {
			*out = (game_move)(from + 64 * direction);
			bool takes = s->men[!side] & bit(to);
			return between == 'x' && !takes  ? "there is nothing to take on that square"
			       : between == '-' && takes ? "a man stands on that square: taking it is written with x"
							 : NULL;
		}
	return "the man cannot move there: it goes one row forward, straight onto an empty square, diagonally onto one "
	       "that no man of its own side has";
}

static int breakthrough_move_parse(const struct game *game, const void *state, const char *text, game_move *out,
				   struct pd_fail *fail)
{
	const char *p = text;
	game_move move;
	const char *wrong = read_move(of(game), state, &p, &move);
	if (!wrong && *p)
		wrong = "something follows the move";
	if (wrong)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%s': %s", text_excerpt(text, 16).text, wrong);
	*out = move;
	return PD_OK;
}

static size_t breakthrough_move_print(const struct game *game, const void *state, game_move move, char *out,
				      size_t size)
{
	const struct breakthrough *b = of(game);
	const struct state *s = state;
	unsigned from = move % 64, to = target_of(b, (unsigned)s->side, from, move / 64);
	struct text_line line = text_line(out, size);
	text_printf(&line, "%c%u%c%u", 'a' + (int)(from % b->width), b->row[from] + 1u, 'a' + (int)(to % b->width),
		    b->row[to] + 1u);
	return line.length;
}

static void breakthrough_start(const struct game *game, void *state)
{
	const struct breakthrough *b = of(game);
	struct state s = {.men = {b->begin[0], b->begin[1]}};
	complete(b, &s);
	memcpy(state, &s, sizeof s);
}

static int parse_moves(const struct breakthrough *b, const char *text, struct state *s, struct pd_fail *fail)
{
	const char *p = text;
	breakthrough_start(&b->game, s);
	for (;;) {
		while (blank(*p))
			p++;
		if (!*p)
			return PD_OK;
		game_move move;
		const char *start = p, *wrong = read_move(b, s, &p, &move);
		if (wrong)
			return pd_fail_set(fail, PD_E_POSITION, "position", "at index %zu (counted from 0), '%s': %s",
					   (size_t)(start - text), text_excerpt(start, strcspn(start, " ,\t")).text,
					   wrong);
		breakthrough_play(&b->game, s, move);
	}
}

/* Reads one row at *text and moves behind it. NULL on success, otherwise what is wrong at *text. */
static const char *read_row(const struct breakthrough *b, unsigned row, const char **text, uint64_t men[SIDES])
{
	for (unsigned column = 0; column < b->width;) {
		const char *p = *text;
		unsigned run;
		if (*p == 'P' || *p == 'p') {
			men[*p == 'p'] |= bit(row * b->width + column++);
			p++;
		} else if (*p >= '1' && *p <= '9') {
			if (!text_number(&p, &run) || run > b->width - column)
				return "the row is longer than the board is wide";
			column += run;
		} else {
			return *p == '/' || *p == ' ' || !*p ? "the row is shorter than the board is wide"
							     : "a row is made of P, p and numbers of empty squares";
		}
		*text = p;
	}
	return NULL;
}

/* Reads rows and side; *text is then behind them, or at what is wrong. */
static const char *read_board(const struct breakthrough *b, const char **text, struct state *s)
{
	for (unsigned row = b->height; row-- > 0;) {
		const char *wrong = read_row(b, row, text, s->men);
		if (wrong)
			return wrong;
		if (**text == '/' ? row == 0 : row > 0)
			return row ? "a / and the board's next row are missing" : "the board has no more rows";
		*text += row > 0;
	}
	if (**text != ' ' || ((*text)[1] != 'w' && (*text)[1] != 'b'))
		return "a blank and the side to move, w or b, follow the board";
	s->side = (*text)[1] == 'b';
	*text += 2;
	return **text ? "nothing follows the side to move" : NULL;
}

static int breakthrough_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail)
{
	const struct breakthrough *b = of(game);
	struct state s = {0};
	if (text_is_board(text)) {
		const char *p = text, *wrong = read_board(b, &p, &s);
		if (wrong)
			return pd_fail_set(fail, PD_E_POSITION, "position", "at index %zu (counted from 0): %s",
					   (size_t)(p - text), wrong);
		wrong = fault(b, &s);
		if (wrong)
			return pd_fail_set(fail, PD_E_POSITION, "position", "this board cannot come up: %s", wrong);
		complete(b, &s);
	} else {
		int rc = parse_moves(b, text, &s, fail);
		if (rc)
			return rc;
	}
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

static size_t breakthrough_print(const struct game *game, const void *state, char *out, size_t size)
{
	const struct breakthrough *b = of(game);
	const struct state *s = state;
	struct text_line line = text_line(out, size);
	for (unsigned row = b->height; row-- > 0;) {
		unsigned run = 0;
		for (unsigned column = 0; column <= b->width; column++) {
			uint64_t square = column < b->width ? bit(row * b->width + column) : 0;
			if (square && !((s->men[0] | s->men[1]) & square)) {
				run++;
				continue;
			}
			if (run)
				text_printf(&line, "%u", run);
			if (square)
				text_printf(&line, "%c", s->men[0] & square ? 'P' : 'p');
			run = 0;
		}
		text_printf(&line, row > 0 ? "/" : " %c", s->side ? 'b' : 'w');
	}
	return line.length;
}

/* --- the board as data -------------------------------------------------------------------- */

static void breakthrough_board(const struct game *game, struct game_board *out)
{
	const struct breakthrough *b = of(game);
	out->side[0] = "White";
	out->side[1] = "Black";
	out->colour[0] = "white";
	out->colour[1] = "black";
	out->pieces = SIDES;
	out->piece[0] = (struct game_piece){'P', GAME_FIRST, GAME_DISC, "white man", NULL};
	out->piece[1] = (struct game_piece){'p', GAME_SECOND, GAME_DISC, "black man", NULL};
	game_board_grid(out, b->width, b->height, GAME_SQUARE);
}

static void breakthrough_diagram(const struct game *game, const void *state, struct game_diagram *out)
{
	const struct breakthrough *b = of(game);
	const struct state *s = state;
	for (unsigned i = 0; i < b->squares; i++)
		out->on[i] = s->men[0] & bit(i) ? 1 : s->men[1] & bit(i) ? 2 : 0;
	out->to_move = lost(b, s) ? GAME_NO_SIDE : s->side ? GAME_SECOND : GAME_FIRST;
}

static unsigned breakthrough_move_places(const struct game *game, const void *state, game_move move,
					 uint16_t out[GAME_MOVE_PLACES_MAX])
{
	const struct state *s = state;
	out[0] = move % 64;
	out[1] = (uint16_t)target_of(of(game), (unsigned)s->side, move % 64, move / 64);
	return 2;
}

static int breakthrough_set_up(const struct game *game, const struct game_diagram *diagram, void *state,
			       struct pd_fail *fail)
{
	const struct breakthrough *b = of(game);
	struct state s = {0};
	for (unsigned i = 0; i < b->squares; i++) {
		if (diagram->on[i] > SIDES)
			return pd_fail_set(fail, PD_E_POSITION, "position", "there is no such piece");
		if (diagram->on[i])
			s.men[diagram->on[i] - 1] |= bit(i);
	}
	if (diagram->note[0])
		return pd_fail_set(fail, PD_E_POSITION, "position", "a position has no note");
	s.side = diagram->to_move == GAME_SECOND;
	const char *wrong = fault(b, &s);
	if (wrong && diagram->to_move == GAME_NO_SIDE) { /* when the game is over the loser is to move */
		s.side = 1;
		wrong = fault(b, &s);
	}
	if (!wrong && diagram->to_move == GAME_NO_SIDE && !lost(b, &s))
		wrong = "the game is not over, and no side is to move";
	if (wrong)
		return pd_fail_set(fail, PD_E_POSITION, "position", "this board cannot come up: %s", wrong);
	complete(b, &s);
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* --- opening ------------------------------------------------------------------------------ */

/* Whether an enemy man `rows` in front of a runner and `columns` to the side of it, the enemy to move, may take the
 * runner or stand in its way; it has `steps` to go. Before step k + 1 the enemy has made k + 1 moves. */
static bool stops(unsigned rows, unsigned columns, unsigned steps)
{
	for (unsigned k = 0; k < steps; k++) {
		/* Taking it where it stands after k steps: by a move that is not straight. */
		unsigned moves = rows - k;
		if (rows > k && moves <= k + 1 && columns <= moves && (columns || moves > 1))
			return true;
		/* On the square of step k + 1, but for the last step. */
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
					b->ahead[side][from] |= bit(other);
				if (stops((unsigned)rows, (unsigned)abs(across), steps))
					b->cone[side][from] |= bit(other);
			}
		}
}

static void prepare(struct breakthrough *b)
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
		b->from[0] |= column > 0 ? bit(i) : 0;
		b->from[1] |= bit(i);
		b->from[2] |= column + 1 < b->width ? bit(i) : 0;
	}
	for (unsigned direction = 0; direction < DIRECTIONS; direction++)
		b->shift[direction] = (uint8_t)(b->width + direction - 1);
	prepare_runs(b);
	PD_ASSERT(2 * b->width <= MEN_MAX && !(b->begin[0] & b->begin[1]));
}

static int breakthrough_open(const struct game_rules *rules, const char *params, const struct game_host *host,
			     struct game **out, struct pd_fail *fail)
{
	(void)host;
	const char *p = params;
	unsigned width, height;
	if (!text_number(&p, &width) || *p++ != 'x' || !text_number(&p, &height) || *p)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "breakthrough takes columns and rows, as in breakthrough:8x8");
	if (width < 2 || height < 4 || width > 16 || height > 32 || width * height > SQUARES_MAX)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "a board has at least 2 columns and 4 rows and at most 64 squares, not %ux%u", width,
				   height);
	struct breakthrough *b = calloc(1, sizeof *b);
	if (!b)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a game of breakthrough");
	b->width = width;
	b->height = height;
	prepare(b);
	b->game = (struct game){
		.rules = rules,
		.rules_version = 1,
		.state_size = sizeof(struct state),
		.key_size_max = (2 * b->squares + 8) / 8,
		.moves_max = 6 * width,
		/* Each man goes to the row before its far row at most, and one goes further; of 2 W men on different
		 * squares, W have at most H - 2 steps to that row, and W at most H - 3. */
		.plies_max = 2 * width * (2 * height - 5) + 1,
		.value_min = -1,
		.value_max = 1,
		.value_step = 2,
		.acyclic = true,
	};
	snprintf(b->game.name, sizeof b->game.name, "breakthrough:%ux%u", width, height);
	*out = &b->game;
	return PD_OK;
}

static void breakthrough_close(struct game *game)
{
	free(game);
}

const struct game_rules game_breakthrough_rules = {
	.abi = GAME_ABI,
	.size = sizeof(struct game_rules),
	.name = "breakthrough",
	.title = "Breakthrough",
	.params = "WxH: columns (from 2) and rows (from 4), together at most 64 squares; two rows of men a side",
	.notation =
		"A position is a board as in chess, rows from the top separated by /, P for White's men, p for "
		"Black's, numbers for runs of empty squares, then the side to move, as in pppp/pppp/PPPP/PPPP w; or "
		"the moves from the start, separated by blanks or commas. A move is two squares, a2b3; a2xb3 is "
		"read as well.",
	.example = "breakthrough:5x5",
	.open = breakthrough_open,
	.close = breakthrough_close,
	.start = breakthrough_start,
	.parse = breakthrough_parse,
	.print = breakthrough_print,
	.move_parse = breakthrough_move_parse,
	.move_print = breakthrough_move_print,
	.first_to_move = breakthrough_first_to_move,
	.terminal = breakthrough_terminal,
	.moves = breakthrough_moves,
	.play = breakthrough_play,
	.key = breakthrough_key,
	.unkey = breakthrough_unkey,
	.canon = breakthrough_canon,
	.unique_moves = breakthrough_distinct,
	.immediate_win = breakthrough_immediate_win,
	.count = breakthrough_count,
	.initial_numbers = breakthrough_initial_numbers,
	.static_solve = breakthrough_static_solve,
	.board = breakthrough_board,
	.diagram = breakthrough_diagram,
	.move_places = breakthrough_move_places,
	.set_up = breakthrough_set_up,
};
