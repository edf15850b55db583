/* Lines of Action, on square boards of 4 to 8 rows: `loa:8` is the usual one.
 *
 * Rules (Claude Soucie; Sid Sackson, A Gamut of Games; as played at the Mind Sports Olympiad and written down by Mark
 * Winands, rules.html of his Lines of Action pages). First has Black, who moves first. Black's men stand on the bottom
 * and the top row, White's on the left and the right file, the corners are empty. A man moves along a row, column or
 * diagonal exactly as many squares as there are men of both colours on that whole line. It may jump over men of its own
 * side, not over enemy men; it may not land on its own, and takes an enemy man by landing on it. Whoever has all men
 * connected, by the eight neighbours of a square, has won; a single man is connected.
 *
 * Disputed points, decided by options in the name, the default first:
 *  - `simultaneous=draw` (Winands, rule 8; Olympiad): a move that connects both sides is a draw. `simultaneous=mover`
 *    (Sackson, second edition; OpenSpiel): it wins for the side that made it.
 *  - `nomove=pass` (Winands): who has no legal move passes, and the pass is then the one move. `nomove=loss`
 * (OpenSpiel): who has no legal move has lost. A game that never ends is a draw. Rule books call the third appearance
 * of a position a draw, others the second; the value of a position is the same under each of them, since who can win
 * can do so without repeating. A position may be given with any men, at least one a side, whether a game leads to it or
 * not. If somebody is connected in it, it is over; who moved last is the side that is not to move.
 *
 * Notation. A square is a column letter and a row from the bottom, as in b3. A move is `c1-c3`, with a capture `a3xc1`;
 * both signs are read either way. A position is a board, rows from the top separated by '/', b and w for men, digits
 * for runs of empty squares, then a blank and the side to move, as in `1bb1/w2w/w2w/1bb1 b`; or the moves from the
 * start, separated by blanks or commas.
 *
 * Key. Byte 0: the side to move, 0 Black, 1 White. Then the cells row by row from the top row, left to right, 2 bits
 * each (0 empty, 1 Black, 2 White), four cells a byte, the first cell in the lowest bits, the last byte padded with
 * zeros. Of the 8 symmetric images of the board (identity, rotations, reflections) the one with the lexicographically
 * smallest byte string.
 *
 * Move code. from * 64 + to, a square being row from the bottom * N + column; the pass is 0xfffe, which is no move of
 * two squares since from is not to.
 *
 * Layout. Two boards of 64 bits, bit = square. Beside them a state carries what a move changes little:
 *  - The number of men on each line, four bits each, a word for each of the four directions of lines.
 *  - The eight images of the board as they stand in the key, each as two words whose numeric order is the order of the
 *    byte strings. So a key is the least of eight pairs, and a move changes two or three fields of two bits in each.
 *  - How the game ended, if it did.
 *
 * Symmetries are numbered by three bits: 1 mirrors the columns, 2 then mirrors the rows, 4 then swaps columns and rows.
 * Of those that give the same smallest string the one with the smallest number counts, so a canonical position is its
 * own frame.
 *
 * Invariants. The boards do not overlap and none is empty: a side with one man is connected, so it never loses that
 * one. Counts, images and end are functions of boards and side. */
#include "solver/game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/games/text.h"

enum {
	SIDE_MIN = 4,
	SIDE_MAX = 8,
	SQUARES_MAX = 64,
	LINES = 4,                   /* directions of lines: rows, columns, the two diagonals */
	WAYS = 8,                    /* directions of movement: two a line, way / 2 is the line */
	MOVES_MAX = 4 * SQUARES_MAX, /* of a line's L squares at most L / 2 have men that can move one way */
	SYMMETRIES = 8,
	MIRROR_COLUMNS = 1,
	MIRROR_ROWS = 2,
	SWAP = 4,
	WORDS = 2 * SYMMETRIES, /* of the images: 2 * symmetry is the first word of one, 2 * symmetry + 1 the second */
	NEAR = 4,               /* cells that two moves can make up for */
	PASS = 0xfffe
};

enum { BLACK, WHITE };
enum { OPEN, WON, DRAWN = WON + 2 }; /* WON + side: that side has won */

/* No padding: equal states are equal bytes. */
struct state {
	uint64_t men[2];        /* Black's and White's */
	uint64_t counts[LINES]; /* men on every line, four bits each */
	uint64_t image[WORDS];
	uint32_t side; /* to move: BLACK or WHITE */
	uint32_t end;  /* OPEN, or how the game ended */
};

struct loa {
	struct game game;
	unsigned n, squares, bytes; /* bytes of the cells in a key */
	bool mover_wins;            /* simultaneous=mover */
	bool stuck_loses;           /* nomove=loss */
	uint64_t not_first_column, not_last_column;
	int step[WAYS];
	uint8_t reach[SQUARES_MAX][WAYS];         /* squares between a square and the edge */
	uint64_t ray[SQUARES_MAX][WAYS];          /* those squares */
	uint8_t shift[SQUARES_MAX][LINES];        /* where the count of a square's line stands in its word */
	uint64_t bit[SQUARES_MAX][WORDS];         /* the low bit of a square's cell in every image */
	uint8_t map[SYMMETRIES][SQUARES_MAX];     /* where a symmetry takes a square */
	uint8_t inverse[SYMMETRIES][SQUARES_MAX]; /* where it came from */
};

static const struct loa *of(const struct game *game)
{
	return (const struct loa *)game;
}

static uint64_t bit_of(unsigned square)
{
	return UINT64_C(1) << square;
}

/* A set and all neighbours of it, and perhaps bits beyond the board. */
static uint64_t near(const struct loa *m, uint64_t set)
{
	uint64_t row = set | (set & m->not_last_column) << 1 | (set & m->not_first_column) >> 1;
	return row | row << m->n | row >> m->n;
}

/* The men connected with those of `seed`. */
static uint64_t group(const struct loa *m, uint64_t men, uint64_t seed)
{
	for (;;) {
		uint64_t grown = near(m, seed) & men;
		if (grown == seed)
			return seed;
		seed = grown;
	}
}

static bool connected(const struct loa *m, uint64_t men)
{
	return group(m, men, men & (~men + 1)) == men;
}

/* --- moves ------------------------------------------------------------------------------------ */

/* Writes the moves of one man, at most eight. */
static unsigned man_moves(const struct loa *m, const struct state *s, unsigned from, game_move *out)
{
	uint64_t own = s->men[s->side], enemy = s->men[!s->side];
	unsigned n = 0;
	for (unsigned way = 0; way < WAYS; way++) {
		unsigned far = s->counts[way / 2] >> m->shift[from][way / 2] & 15;
		if (far > m->reach[from][way])
			continue;
		unsigned to = (unsigned)((int)from + (int)far * m->step[way]);
		uint64_t between = m->ray[from][way] & ~m->ray[to][way] & ~bit_of(to);
		if ((own & bit_of(to)) || (enemy & between))
			continue;
		out[n++] = (game_move)(from * SQUARES_MAX + to);
	}
	return n;
}

static unsigned all_moves(const struct loa *m, const struct state *s, game_move *out)
{
	unsigned n = 0;
	for (uint64_t men = s->men[s->side]; men; men &= men - 1)
		n += man_moves(m, s, (unsigned)__builtin_ctzll(men), out + n);
	return n;
}

static bool can_move(const struct loa *m, const struct state *s)
{
	game_move moves[WAYS];
	for (uint64_t men = s->men[s->side]; men; men &= men - 1)
		if (man_moves(m, s, (unsigned)__builtin_ctzll(men), moves))
			return true;
	return false;
}

/* How the game stands, given who is connected: `last` is the side that moved last, the other is to move. */
static uint32_t end_of(const struct loa *m, const struct state *s, bool last, bool other)
{
	if (last && other)
		return m->mover_wins ? WON + !s->side : DRAWN;
	if (last || other)
		return WON + (last ? !s->side : s->side);
	return m->stuck_loses && !can_move(m, s) ? WON + !s->side : OPEN;
}

static unsigned loa_moves(const struct game *game, const void *state, game_move *out)
{
	const struct loa *m = of(game);
	const struct state *s = state;
	if (s->end)
		return 0;
	unsigned n = all_moves(m, s, out);
	if (!n)
		out[n++] = PASS; /* with nomove=loss the game would be over */
	return n;
}

static bool loa_first_to_move(const struct game *game, const void *state)
{
	(void)game;
	return ((const struct state *)state)->side == BLACK;
}

static bool loa_terminal(const struct game *game, const void *state, int *value)
{
	(void)game;
	const struct state *s = state;
	if (s->end)
		*value = s->end == DRAWN ? 0 : s->end == WON + BLACK ? 1 : -1;
	return s->end != OPEN;
}

/* Moves a man in all images. */
static void move_images(const struct loa *m, uint64_t image[WORDS], unsigned side, unsigned from, unsigned to,
			bool takes)
{
	for (unsigned i = 0; i < WORDS; i++)
		image[i] ^= (m->bit[from][i] ^ m->bit[to][i]) << side;
	if (takes)
		for (unsigned i = 0; i < WORDS; i++)
			image[i] ^= m->bit[to][i] << !side;
}

static void loa_play(const struct game *game, void *state, game_move move)
{
	const struct loa *m = of(game);
	struct state *s = state;
	unsigned side = s->side, from = move / SQUARES_MAX, to = move % SQUARES_MAX;
	s->side = !side;
	if (move == PASS)
		return;
	bool takes = s->men[!side] & bit_of(to);
	s->men[side] ^= bit_of(from) | bit_of(to);
	s->men[!side] &= ~bit_of(to);
	for (unsigned i = 0; i < LINES; i++) {
		s->counts[i] -= UINT64_C(1) << m->shift[from][i];
		if (!takes)
			s->counts[i] += UINT64_C(1) << m->shift[to][i];
	}
	move_images(m, s->image, side, from, to, takes);
	s->end = end_of(m, s, connected(m, s->men[side]), takes && connected(m, s->men[!side]));
}

/* --- moves that win at once ------------------------------------------------------------------- */

/* Squares that touch every group of a side's men except perhaps one. Only there can a man that moves connect the rest:
 * all groups but its own are as they were, and each needs the newcomer. */
static uint64_t joints(const struct loa *m, uint64_t men)
{
	uint64_t missed = 0, missed_twice = 0;
	while (men && ~missed_twice) {
		uint64_t one = group(m, men, men & (~men + 1)), away = ~near(m, one);
		missed_twice |= missed & away;
		missed |= away;
		men &= ~one;
	}
	return ~missed_twice;
}

/* Whether a move connects the mover's men and wins by that. */
static bool connects(const struct loa *m, const struct state *s, unsigned from, unsigned to)
{
	uint64_t own = s->men[s->side] ^ (bit_of(from) | bit_of(to)), enemy = s->men[!s->side];
	if (!connected(m, own))
		return false;
	return m->mover_wins || !(enemy & bit_of(to)) || !connected(m, enemy & ~bit_of(to));
}

static bool can_connect(const struct loa *m, const struct state *s)
{
	uint64_t aims = joints(m, s->men[s->side]);
	for (uint64_t men = aims ? s->men[s->side] : 0; men; men &= men - 1) {
		game_move moves[WAYS];
		unsigned from = (unsigned)__builtin_ctzll(men), n = man_moves(m, s, from, moves);
		for (unsigned i = 0; i < n; i++) {
			unsigned to = moves[i] % SQUARES_MAX;
			if ((aims & bit_of(to)) && connects(m, s, from, to))
				return true;
		}
	}
	return false;
}

/* Whether some move ends the game with `end`, by trying all: where a side can also win by leaving the other no move. */
static bool can_end(const struct loa *m, const struct state *s, uint32_t end)
{
	game_move moves[MOVES_MAX];
	struct state child = {0};
	for (unsigned n = all_moves(m, s, moves); n > 0 && child.end != end; n--) {
		child = *s;
		loa_play(&m->game, &child, moves[n - 1]);
	}
	return child.end == end;
}

static bool loa_wins_at_once(const struct game *game, const void *state, int *value)
{
	const struct loa *m = of(game);
	const struct state *s = state;
	if (!(m->stuck_loses ? can_end(m, s, WON + s->side) : can_connect(m, s)))
		return false;
	*value = s->side == BLACK ? 1 : -1;
	return true;
}

/* --- keys ------------------------------------------------------------------------------------- */

/* The symmetry that gives the smallest string. */
static unsigned canonical(const uint64_t image[WORDS])
{
	unsigned best = 0;
	for (unsigned i = 2; i < WORDS; i += 2)
		if (image[i] < image[best] || (image[i] == image[best] && image[i + 1] < image[best + 1]))
			best = i;
	return best / 2;
}

static size_t loa_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct loa *m = of(game);
	const struct state *s = state;
	const uint64_t *pair = s->image + 2 * canonical(s->image);
	out[0] = (uint8_t)s->side;
	for (unsigned i = 0; i < m->bytes; i++)
		out[1 + i] = (uint8_t)(pair[i / 8] >> 8 * (7 - i % 8));
	return 1 + m->bytes;
}

static game_move loa_canon(const struct game *game, const void *state, game_move move, bool back)
{
	const struct loa *m = of(game);
	unsigned symmetry = canonical(((const struct state *)state)->image);
	const uint8_t *map = back ? m->inverse[symmetry] : m->map[symmetry];
	if (move == PASS)
		return PASS;
	return (game_move)(map[move / SQUARES_MAX] * SQUARES_MAX + map[move % SQUARES_MAX]);
}

/* Fills in what follows from boards and side. */
static void complete(const struct loa *m, struct state *s)
{
	memset(s->counts, 0, sizeof s->counts);
	memset(s->image, 0, sizeof s->image);
	for (unsigned side = BLACK; side <= WHITE; side++)
		for (uint64_t men = s->men[side]; men; men &= men - 1) {
			unsigned square = (unsigned)__builtin_ctzll(men);
			for (unsigned i = 0; i < LINES; i++)
				s->counts[i] += UINT64_C(1) << m->shift[square][i];
			for (unsigned i = 0; i < WORDS; i++)
				s->image[i] |= m->bit[square][i] << side;
		}
	s->end = end_of(m, s, connected(m, s->men[!s->side]), connected(m, s->men[s->side]));
}

/* The square of the i-th cell of a key, and of a board's text. */
static unsigned square_of_cell(const struct loa *m, unsigned i)
{
	return (m->n - 1 - i / m->n) * m->n + i % m->n;
}

static int loa_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	const struct loa *m = of(game);
	struct state s = {0};
	if (size != 1 + m->bytes || key[0] > 1)
		return PD_E_CORRUPT;
	s.side = key[0];
	for (unsigned i = 0; i < 4 * m->bytes; i++) {
		unsigned cell = key[1 + i / 4] >> 2 * (i % 4) & 3;
		if (cell == 3 || (cell && i >= m->squares))
			return PD_E_CORRUPT;
		if (cell)
			s.men[cell - 1] |= bit_of(square_of_cell(m, i));
	}
	if (!s.men[BLACK] || !s.men[WHITE])
		return PD_E_CORRUPT;
	complete(m, &s);
	if (canonical(s.image) != 0)
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* Whether some image differs from the board in so few cells that two moves could have children with one key: a symmetry
 * that takes one child to the other takes the board to itself, but for the squares of the two moves. */
static bool almost_symmetric(const struct state *s)
{
	const uint64_t low = UINT64_C(0x5555555555555555);
	for (unsigned i = 2; i < WORDS; i += 2) {
		uint64_t a = s->image[i] ^ s->image[0], b = s->image[i + 1] ^ s->image[1];
		uint64_t cells = ((a | a >> 1) & low) | ((b | b >> 1) & low) << 1;
		for (unsigned n = 0; n < NEAR; n++)
			cells &= cells - 1;
		if (!cells)
			return true;
	}
	return false;
}

static unsigned loa_distinct(const struct game *game, const void *state, game_move *out)
{
	const struct loa *m = of(game);
	const struct state *s = state;
	unsigned count = loa_moves(game, state, out), kept = 0;
	uint64_t pairs[MOVES_MAX][2];
	if (count < 2 || !almost_symmetric(s))
		return count;
	for (unsigned i = 0; i < count; i++) {
		uint64_t image[WORDS];
		unsigned from = out[i] / SQUARES_MAX, to = out[i] % SQUARES_MAX, twin = 0;
		memcpy(image, s->image, sizeof image);
		move_images(m, image, s->side, from, to, s->men[!s->side] & bit_of(to));
		memcpy(pairs[kept], image + 2 * canonical(image), sizeof pairs[kept]);
		while (pairs[twin][0] != pairs[kept][0] || pairs[twin][1] != pairs[kept][1])
			twin++;
		if (twin == kept)
			out[kept++] = out[i];
	}
	return kept;
}

/* --- moves as text ---------------------------------------------------------------------------- */

static bool blank(char c)
{
	return c == ' ' || c == ',' || c == '\t';
}

/* Reads a square at *text and moves behind it; false when there is none on the board. */
static bool read_square(const struct loa *m, const char **text, unsigned *square)
{
	unsigned column = (unsigned)(**text - 'a'), row = column < m->n ? (unsigned)((*text)[1] - '1') : 0;
	if (column >= m->n || row >= m->n)
		return false;
	*square = row * m->n + column;
	*text += 2;
	return true;
}

/* Reads a move at *text, whether it is legal or not, and moves behind it. NULL on success, otherwise what is wrong. */
static const char *read_move(const struct loa *m, const char **text, game_move *out)
{
	unsigned from, to;
	*out = PASS;
	if (!strncmp(*text, "pass", 4)) {
		*text += 4;
	} else {
		if (!read_square(m, text, &from) || (**text != '-' && **text != 'x') ||
		    (++*text, !read_square(m, text, &to)))
			return "a move is two squares of the board with - or x between them, as in c1-c3, or pass";
		*out = (game_move)(from * SQUARES_MAX + to);
	}
	return **text && !blank(**text) ? "something follows the move" : NULL;
}

/* What is wrong with a move in a position; NULL when it is legal. */
static const char *illegal(const struct loa *m, const struct state *s, game_move move)
{
	game_move moves[MOVES_MAX];
	if (s->end)
		return "the game is over before this move";
	unsigned count = loa_moves(&m->game, s, moves), i = 0;
	while (i < count && moves[i] != move)
		i++;
	if (i < count)
		return NULL;
	if (move == PASS)
		return "nobody may pass who has a legal move";
	if (moves[0] == PASS)
		return "the side to move has no legal move and passes";
	if (!(s->men[s->side] & bit_of(move / SQUARES_MAX)))
		return "the side to move has no man there";
	return "the man cannot move there: it goes as many squares as there are men on the line, not over enemy men, "
	       "not "
	       "onto its own";
}

static int loa_move_parse(const struct game *game, const void *state, const char *text, game_move *out,
			  struct pd_fail *fail)
{
	const char *p = text;
	game_move move;
	const char *wrong = read_move(of(game), &p, &move);
	if (!wrong && *p)
		wrong = "something follows the move";
	if (!wrong)
		wrong = illegal(of(game), state, move);
	if (wrong)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%s': %s", text_excerpt(text, 16).text, wrong);
	*out = move;
	return PD_OK;
}

static size_t loa_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	unsigned n = of(game)->n, from = move / SQUARES_MAX, to = move % SQUARES_MAX;
	const struct state *s = state;
	struct text_line line = text_line(out, size);
	if (move == PASS)
		text_printf(&line, "pass");
	else
		text_printf(&line, "%c%u%c%c%u", 'a' + (int)(from % n), from / n + 1,
			    s->men[!s->side] & bit_of(to) ? 'x' : '-', 'a' + (int)(to % n), to / n + 1);
	return line.length;
}

/* --- positions as text ------------------------------------------------------------------------ */

static void loa_start(const struct game *game, void *state)
{
	const struct loa *m = of(game);
	struct state s = {.side = BLACK};
	for (unsigned i = 1; i + 1 < m->n; i++) {
		s.men[BLACK] |= bit_of(i) | bit_of((m->n - 1) * m->n + i);
		s.men[WHITE] |= bit_of(i * m->n) | bit_of(i * m->n + m->n - 1);
	}
	complete(m, &s);
	memcpy(state, &s, sizeof s);
}

static int parse_moves(const struct loa *m, const char *text, struct state *s, struct pd_fail *fail)
{
	const char *p = text;
	loa_start(&m->game, s);
	for (;;) {
		while (blank(*p))
			p++;
		if (!*p)
			return PD_OK;
		const char *start = p;
		game_move move;
		const char *wrong = read_move(m, &p, &move);
		if (!wrong)
			wrong = illegal(m, s, move);
		if (wrong)
			return pd_fail_set(fail, PD_E_POSITION, "position", "at index %zu (counted from 0), '%s': %s",
					   (size_t)(start - text), text_excerpt(start, strcspn(start, " ,\t")).text,
					   wrong);
		loa_play(&m->game, s, move);
	}
}

/* Reads one row from the top at *text and moves behind it. NULL on success, otherwise what is wrong at *text. */
static const char *read_row(const struct loa *m, unsigned row, const char **text, uint64_t men[2])
{
	for (unsigned i = 0; i < m->n; ++*text) {
		char c = **text;
		if (c == 'b' || c == 'w') {
			men[c == 'w'] |= bit_of(square_of_cell(m, row * m->n + i++));
		} else if (c >= '1' && c <= '9') {
			if ((unsigned)(c - '0') > m->n - i)
				return "the row is longer than the board is wide";
			i += (unsigned)(c - '0');
		} else {
			return c == '/' || c == ' ' || !c ? "the row is shorter than the board is wide"
							  : "a row is made of b, w and digits for empty squares";
		}
	}
	return NULL;
}

/* Reads rows and side; *text is then behind them, or at what is wrong. */
static const char *read_board(const struct loa *m, const char **text, struct state *s)
{
	for (unsigned row = 0; row < m->n; row++) {
		bool last = row + 1 == m->n;
		const char *wrong = read_row(m, row, text, s->men);
		if (wrong)
			return wrong;
		if (**text == (last ? '/' : ' ') || (!last && !**text))
			return last ? "the board has no more rows" : "the board has more rows";
		if (**text != (last ? ' ' : '/') && **text)
			return "the row is longer than the board is wide";
		if (**text)
			++*text;
	}
	if ((**text != 'b' && **text != 'w') || (*text)[-1] != ' ')
		return "behind the board stand a blank and the side to move, b or w";
	s->side = **text == 'w';
	++*text;
	return **text ? "something follows the side to move" : NULL;
}

static int parse_board(const struct loa *m, const char *text, struct state *s, struct pd_fail *fail)
{
	const char *p = text, *wrong = read_board(m, &p, s);
	if (wrong)
		return pd_fail_set(fail, PD_E_POSITION, "position",
				   "at index %zu (counted from 0): %s; the board has %u rows and columns",
				   (size_t)(p - text), wrong, m->n);
	if (!s->men[BLACK] || !s->men[WHITE])
		return pd_fail_set(fail, PD_E_POSITION, "position", "%s has no men; each side has one at least",
				   s->men[BLACK] ? "White" : "Black");
	complete(m, s);
	return PD_OK;
}

static int loa_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail)
{
	const struct loa *m = of(game);
	struct state s = {0};
	int rc = text_is_board(text) ? parse_board(m, text, &s, fail) : parse_moves(m, text, &s, fail);
	if (!rc)
		memcpy(state, &s, sizeof s);
	return rc;
}

/* 'b', 'w', or 0 for an empty square. */
static char man(const struct state *s, unsigned square)
{
	if (s->men[BLACK] & bit_of(square))
		return 'b';
	return s->men[WHITE] & bit_of(square) ? 'w' : 0;
}

static size_t loa_print(const struct game *game, const void *state, char *out, size_t size)
{
	const struct loa *m = of(game);
	const struct state *s = state;
	struct text_line line = text_line(out, size);
	for (unsigned i = 0, run = 0; i < m->squares; i++) {
		char c = man(s, square_of_cell(m, i));
		bool last = (i + 1) % m->n == 0;
		run += !c;
		if (run && (c || last))
			text_printf(&line, "%u", run);
		run = c || last ? 0 : run;
		if (c)
			text_printf(&line, "%c", c);
		if (last)
			text_printf(&line, i + 1 < m->squares ? "/" : " ");
	}
	text_printf(&line, "%c", s->side == BLACK ? 'b' : 'w');
	return line.length;
}

static size_t loa_picture(const struct game *game, const void *state, char *out, size_t size)
{
	const struct loa *m = of(game);
	const struct state *s = state;
	struct text_line line = text_line(out, size);
	for (unsigned i = 0; i < m->squares; i++) {
		char c = man(s, square_of_cell(m, i));
		if (i % m->n == 0)
			text_printf(&line, "%u", m->n - i / m->n);
		text_printf(&line, " %c%s", c ? c : '.', (i + 1) % m->n ? "" : "\n");
	}
	text_printf(&line, "  %.*s\n", 2 * (int)m->n - 1, "a b c d e f g h");
	if (!s->end)
		text_printf(&line, "%s to move\n", s->side == BLACK ? "Black" : "White");
	return line.length;
}

/* --- opening ---------------------------------------------------------------------------------- */

static void prepare_lines(struct loa *m)
{
	static const int right[WAYS] = {1, -1, 0, 0, 1, -1, -1, 1}, up[WAYS] = {0, 0, 1, -1, 1, -1, 1, -1};
	int n = (int)m->n;
	for (int row = 0; row < n; row++)
		for (int column = 0; column < n; column++) {
			int square = row * n + column;
			m->shift[square][0] = (uint8_t)(4 * row);
			m->shift[square][1] = (uint8_t)(4 * column);
			m->shift[square][2] = (uint8_t)(4 * (row - column + n - 1));
			m->shift[square][3] = (uint8_t)(4 * (row + column));
			m->not_first_column |= column > 0 ? bit_of((unsigned)square) : 0;
			m->not_last_column |= column < n - 1 ? bit_of((unsigned)square) : 0;
			for (unsigned way = 0; way < WAYS; way++) {
				int r = row + up[way], c = column + right[way];
				for (; r >= 0 && r < n && c >= 0 && c < n; r += up[way], c += right[way]) {
					m->reach[square][way]++;
					m->ray[square][way] |= bit_of((unsigned)(r * n + c));
				}
			}
		}
	for (unsigned way = 0; way < WAYS; way++)
		m->step[way] = up[way] * n + right[way];
}

/* Where a symmetry takes a square. */
static unsigned mapped(const struct loa *m, unsigned symmetry, unsigned square)
{
	unsigned column = square % m->n, row = square / m->n;
	if (symmetry & MIRROR_COLUMNS)
		column = m->n - 1 - column;
	if (symmetry & MIRROR_ROWS)
		row = m->n - 1 - row;
	return symmetry & SWAP ? column * m->n + row : row * m->n + column;
}

static void prepare_images(struct loa *m)
{
	for (unsigned i = 0; i < SYMMETRIES; i++)
		for (unsigned cell = 0; cell < m->squares; cell++) {
			unsigned to = square_of_cell(m, cell), byte = cell / 4;
			for (unsigned square = 0; square < m->squares; square++)
				if (mapped(m, i, square) == to) {
					m->map[i][square] = (uint8_t)to;
					m->inverse[i][to] = (uint8_t)square;
					m->bit[square][2 * i + byte / 8] = bit_of(8 * (7 - byte % 8) + 2 * (cell % 4));
				}
		}
}

/* Moves behind an option at *text; false when it is another. */
static bool read_option(const char **text, const char *option)
{
	size_t length = strlen(option);
	bool same = !strncmp(*text, option, length) && (!(*text)[length] || (*text)[length] == ',');
	*text += same ? length : 0;
	return same;
}

/* Reads the options behind the number of rows, each at most once; false when they are not options. */
static bool read_options(struct loa *m, const char *text)
{
	bool draw = false, pass = false;
	while (*text) {
		bool decided = draw || m->mover_wins;
		if (!decided && ((draw = read_option(&text, ",simultaneous=draw")) ||
				 (m->mover_wins = read_option(&text, ",simultaneous=mover"))))
			continue;
		decided = pass || m->stuck_loses;
		if (decided || !((pass = read_option(&text, ",nomove=pass")) ||
				 (m->stuck_loses = read_option(&text, ",nomove=loss"))))
			return false;
	}
	return true;
}

static int loa_open(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
		    struct pd_fail *fail)
{
	(void)host;
	const char *p = params;
	struct loa wanted = {0};
	if (!text_number(&p, &wanted.n))
		return pd_fail_set(fail, PD_E_GAME, "game", "loa takes the number of rows, as in loa:8");
	if (wanted.n < SIDE_MIN || wanted.n > SIDE_MAX)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "a board of loa has %d to %d rows and as many columns, not %u", SIDE_MIN, SIDE_MAX,
				   wanted.n);
	if (!read_options(&wanted, p))
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "'%s': behind the rows of loa stand ,simultaneous=draw or ,simultaneous=mover and "
				   ",nomove=pass or ,nomove=loss, each at most once",
				   text_excerpt(p, 40).text);
	struct loa *m = malloc(sizeof *m);
	if (!m)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a game of loa");
	*m = wanted;
	m->squares = m->n * m->n;
	m->bytes = (m->squares + 3) / 4;
	prepare_lines(m);
	prepare_images(m);
	m->game = (struct game){
		.rules = rules,
		.rules_version = 1,
		.state_size = sizeof(struct state),
		.key_size_max = 1 + m->bytes,
		.moves_max = 4 * m->squares,
		.value_min = -1,
		.value_max = 1,
		.value_step = 1,
		.acyclic = false,
		.infinite_value = 0,
	};
	snprintf(m->game.name, sizeof m->game.name, "loa:%u%s%s", m->n, m->mover_wins ? ",simultaneous=mover" : "",
		 m->stuck_loses ? ",nomove=loss" : "");
	*out = &m->game;
	return PD_OK;
}

static void loa_close(struct game *game)
{
	free(game);
}

const struct game_rules game_loa_rules = {
	.abi = GAME_ABI,
	.size = sizeof(struct game_rules),
	.name = "loa",
	.title = "Lines of Action",
	.params = "N: rows and columns, 4 to 8; then perhaps ,simultaneous=mover (a move that connects both sides wins "
		  "for who made it; otherwise a draw) and ,nomove=loss (who cannot move has lost; otherwise passes)",
	.notation = "A position is a board, rows from the top separated by /, b for Black (First), w for White, digits "
		    "for empty "
		    "squares, then a blank and the side to move, as in 1bb1/w2w/w2w/1bb1 b; or the moves from the "
		    "start, separated by blanks "
		    "or commas. A move is c1-c3, with a capture a3xc1 (row 1 is the lowest), or pass.",
	.example = "loa:8",
	.open = loa_open,
	.close = loa_close,
	.start = loa_start,
	.parse = loa_parse,
	.print = loa_print,
	.picture = loa_picture,
	.move_parse = loa_move_parse,
	.move_print = loa_move_print,
	.first_to_move = loa_first_to_move,
	.terminal = loa_terminal,
	.moves = loa_moves,
	.play = loa_play,
	.key = loa_key,
	.unkey = loa_unkey,
	.canon = loa_canon,
	.distinct = loa_distinct,
	.wins_at_once = loa_wins_at_once,
};
