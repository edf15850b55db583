/* Othello on boards of 4, 6 and 8 rows: `othello:8` is the usual one. RULES.md has the rules and the notation.
 *
 * Move code. The square, row from the top * N + column; the pass is 0xfffe.
 *
 * Key. First's discs as a number, bit = square, N * N bits; then as many bits for the squares that are taken, of which
 * one, the square of row N/2 and column N/2, which is taken always, is 0 instead when Second is to move; one string of
 * bits, lowest first, in as few bytes as hold it. Of the 8 symmetric images the one whose First's number is smallest,
 * and among those the one whose Second's number is. When the game is over the side to move is First.
 *
 * Layout. Two boards of 64 bits; on every board a row takes 8 bits, so one set of shifts and masks serves all. (Only in
 * keys and codes a row takes N.) The legal moves stand in the state, since almost everything asks for them; they are
 * found by parallel prefix fills along the eight directions.
 *
 * Symmetries are numbered by three bits: 1 mirrors the columns, 2 then mirrors the rows, 4 then swaps columns and rows.
 * Of those that give the same smallest pair the one with the smallest number counts, so a canonical position is its own
 * frame.
 *
 * Invariants. The boards do not overlap and cover the centre; `moves` and `over` are functions of boards and side. */
#include "solver/games/game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "solver/games/text.h"

enum {
	SIDES = 2, /* First is 0 */
	ROW = 8,   /* bits of a row */
	SYMMETRIES = 8,
	MIRROR_COLUMNS = 1,
	MIRROR_ROWS = 2,
	SWAP = 4,
	RANKS = 4, /* of squares in the order of moves */
	PASS = 0xfffe
};

#define NOT_AT_SIDES UINT64_C(0x7e7e7e7e7e7e7e7e)

struct state {
	uint64_t disc[SIDES];
	uint64_t moves; /* squares where the side to move may play */
	uint32_t side;  /* to move; 0 when the game is over */
	uint32_t over;
};

_Static_assert(sizeof(struct state) <= GAME_STATE_MAX, "a state fits the room of searches");

struct othello {
	struct game game;
	unsigned n;
	bool for_winner; /* empty squares count for the winner */
	uint64_t full, centre, marker;
	uint64_t rank[RANKS]; /* squares in the order of moves: corners first, their neighbours last */
};

static const struct othello *othello_of(const struct game *game)
{
	return (const struct othello *)game;
}

static inline uint64_t bit_of(unsigned square)
{
	return UINT64_C(1) << square;
}

/* Between a square's bit and the number that players and codes give it. */
static inline unsigned square_of(const struct othello *o, unsigned code)
{
	return o->n == ROW ? code : code / o->n * ROW + code % o->n;
}

static inline unsigned code_of(const struct othello *o, unsigned square)
{
	return o->n == ROW ? square : square / ROW * o->n + square % ROW;
}

/* --- discs -------------------------------------------------------------------------------- */

/* Ends of lines over `theirs` that begin at a disc of `mine`, in both directions along `step`. At most six discs lie
 * between: one, two, four, six are reached. */
static inline uint64_t find_ends(uint64_t mine, uint64_t theirs, unsigned step)
{
	uint64_t up = theirs & mine << step, down = theirs & mine >> step;
	uint64_t pair_up = theirs & theirs << step, pair_down = theirs & theirs >> step;
	up |= theirs & up << step;
	down |= theirs & down >> step;
	up |= pair_up & up << 2 * step;
	down |= pair_down & down >> 2 * step;
	up |= pair_up & up << 2 * step;
	down |= pair_down & down >> 2 * step;
	return up << step | down >> step;
}

/* A line that goes on over a side of the board would use a disc in the first or last column as one between. */
static inline uint64_t legal_squares(uint64_t mine, uint64_t theirs, uint64_t full)
{
	uint64_t inner = theirs & NOT_AT_SIDES;
	uint64_t hits = find_ends(mine, theirs, ROW) | find_ends(mine, inner, 1) | find_ends(mine, inner, ROW - 1) |
			find_ends(mine, inner, ROW + 1);
	return hits & full & ~(mine | theirs);
}

/* Discs that are turned along `step` by a disc put on `at`, a single square. */
static inline uint64_t turned_along(uint64_t mine, uint64_t theirs, uint64_t at, unsigned step)
{
	uint64_t up = theirs & at << step, down = theirs & at >> step;
	uint64_t pair_up = theirs & theirs << step, pair_down = theirs & theirs >> step;
	up |= theirs & up << step;
	down |= theirs & down >> step;
	up |= pair_up & up << 2 * step;
	down |= pair_down & down >> 2 * step;
	up |= pair_up & up << 2 * step;
	down |= pair_down & down >> 2 * step;
	return (up << step & mine ? up : 0) | (down >> step & mine ? down : 0);
}

static inline uint64_t discs_turned(uint64_t mine, uint64_t theirs, uint64_t at)
{
	uint64_t inner = theirs & NOT_AT_SIDES;
	return turned_along(mine, theirs, at, ROW) | turned_along(mine, inner, at, 1) |
	       turned_along(mine, inner, at, ROW - 1) | turned_along(mine, inner, at, ROW + 1);
}

/* Fills in what follows from boards and side. */
static inline void derive_state(const struct othello *o, struct state *s)
{
	s->moves = legal_squares(s->disc[s->side], s->disc[!s->side], o->full);
	s->over = !s->moves && !legal_squares(s->disc[!s->side], s->disc[s->side], o->full);
	if (s->over)
		s->side = 0;
}

/* --- inner loop --------------------------------------------------------------------------- */

static bool othello_first_to_move(const struct game *game, const void *state)
{
	const struct state *s = state;
	return s->side == 0;
}

static bool othello_terminal(const struct game *game, const void *state, int *value)
{
	const struct othello *o = othello_of(game);
	const struct state *s = state;
	if (!s->over)
		return false;
	int first = (int)text_count(s->disc[0]), second = (int)text_count(s->disc[1]);
	int empty = (int)(o->n * o->n) - first - second, lead = first - second;
	if (o->for_winner)
		lead += lead > 0 ? empty : lead < 0 ? -empty : 0;
	*value = lead;
	return true;
}

static unsigned othello_moves(const struct game *game, const void *state, game_move *out)
{
	const struct othello *o = othello_of(game);
	const struct state *s = state;
	unsigned n = 0;
	for (unsigned i = 0; i < RANKS; i++)
		for (uint64_t rest = s->moves & o->rank[i]; rest; rest &= rest - 1)
			out[n++] = (game_move)code_of(o, (unsigned)__builtin_ctzll(rest));
	if (!n && !s->over)
		out[n++] = PASS;
	return n;
}

static unsigned othello_count(const struct game *game, const void *state)
{
	const struct state *s = state;
	return s->moves ? text_count(s->moves) : !s->over;
}

static void othello_play(const struct game *game, void *state, game_move move)
{
	const struct othello *o = othello_of(game);
	struct state *s = state;
	uint64_t *mine = &s->disc[s->side], *theirs = &s->disc[!s->side];
	if (move != PASS) {
		uint64_t at = bit_of(square_of(o, move)), over = discs_turned(*mine, *theirs, at);
		PD_DEBUG_ASSERT((s->moves & at) && over);
		*mine |= at | over;
		*theirs &= ~over;
	}
	s->side = !s->side;
	derive_state(o, s);
}

/* Initial numbers: the third power of the mover's mobility against its opponent, the square of the opponent's against
 * the mover. With 13 to 15 empty squares that takes between a half and a third of the nodes that mobility alone takes;
 * corners, frontiers, parity and the discs as they stand did not help. */
static void othello_initial_numbers(const struct game *game, const void *state, int threshold, uint32_t num[2])
{
	const struct othello *o = othello_of(game);
	const struct state *s = state;
	uint32_t mine = text_count(s->moves),
		 theirs = text_count(legal_squares(s->disc[!s->side], s->disc[s->side], o->full));
	PD_DEBUG_ASSERT(mine <= 60 && theirs <= 60);
	num[!s->side] = mine ? mine * mine * mine : 1;
	num[s->side] = theirs ? theirs * theirs : 1;
}

/* --- symmetries --------------------------------------------------------------------------- */

static inline uint64_t exchange_bits(uint64_t x, unsigned distance, uint64_t low)
{
	uint64_t difference = (x ^ x >> distance) & low;
	return x ^ difference ^ difference << distance;
}

/* The board lies in the corner of the 8 by 8 that it takes part of, and is brought back there. */
static inline uint64_t mirror_columns(const struct othello *o, uint64_t x)
{
	x = exchange_bits(x, 1, UINT64_C(0x5555555555555555));
	x = exchange_bits(x, 2, UINT64_C(0x3333333333333333));
	x = exchange_bits(x, 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
	return x >> (ROW - o->n);
}

static inline uint64_t mirror_rows(const struct othello *o, uint64_t x)
{
	return __builtin_bswap64(x) >> ROW * (ROW - o->n);
}

static inline uint64_t transpose_board(uint64_t x)
{
	x = exchange_bits(x, 7, UINT64_C(0x00aa00aa00aa00aa));
	x = exchange_bits(x, 14, UINT64_C(0x0000cccc0000cccc));
	return exchange_bits(x, 28, UINT64_C(0x00000000f0f0f0f0));
}

static uint64_t image_of(const struct othello *o, unsigned symmetry, uint64_t x)
{
	if (symmetry & MIRROR_COLUMNS)
		x = mirror_columns(o, x);
	if (symmetry & MIRROR_ROWS)
		x = mirror_rows(o, x);
	return symmetry & SWAP ? transpose_board(x) : x;
}

/* The symmetry that gives the smallest pair, and the pair. Numbers in rows of 8 bits compare as those in rows of N. */
static unsigned find_canonical(const struct othello *o, const struct state *s, uint64_t pair[2])
{
	uint64_t image[SYMMETRIES] = {s->disc[0]}, least = s->disc[0], second = ~UINT64_C(0);
	image[1] = mirror_columns(o, image[0]);
	image[2] = mirror_rows(o, image[0]);
	image[3] = mirror_rows(o, image[1]);
	for (unsigned i = 0; i < 4; i++)
		image[4 + i] = transpose_board(image[i]);
	for (unsigned i = 1; i < SYMMETRIES; i++)
		least = image[i] < least ? image[i] : least;
	unsigned best = SYMMETRIES;
	for (unsigned i = 0; i < SYMMETRIES; i++) {
		if (image[i] != least)
			continue;
		uint64_t other = image_of(o, i, s->disc[1]);
		if (best == SYMMETRIES || other < second) {
			second = other;
			best = i;
		}
	}
	pair[0] = least;
	pair[1] = second;
	return best;
}

/* Where a symmetry takes a square, or with `back` where it came from: then the swap goes first, and which of the
 * mirrors is meant changes with it. */
static unsigned map_square(const struct othello *o, unsigned symmetry, unsigned code, bool back)
{
	unsigned column = code % o->n, row = code / o->n, last = o->n - 1, kept = column;
	if (back && (symmetry & SWAP)) {
		column = row;
		row = kept;
	}
	if (symmetry & MIRROR_COLUMNS)
		column = last - column;
	if (symmetry & MIRROR_ROWS)
		row = last - row;
	return !back && (symmetry & SWAP) ? column * o->n + row : row * o->n + column;
}

static game_move othello_canon(const struct game *game, const void *state, game_move move, bool back)
{
	const struct othello *o = othello_of(game);
	uint64_t pair[2];
	if (move >= o->n * o->n) /* a pass, or no move at all */
		return move;
	return (game_move)map_square(o, find_canonical(o, state, pair), move, back);
}

/* --- keys --------------------------------------------------------------------------------- */

/* A board with rows of N bits, and back. */
static inline uint64_t pack_rows(const struct othello *o, uint64_t x)
{
	uint64_t out = 0;
	if (o->n == ROW)
		return x;
	for (unsigned row = 0; row < o->n; row++)
		out |= (x >> ROW * row & ((1u << o->n) - 1)) << o->n * row;
	return out;
}

static uint64_t unpack_rows(const struct othello *o, uint64_t x)
{
	uint64_t out = 0;
	for (unsigned row = 0; row < o->n; row++)
		out |= (x >> o->n * row & ((1u << o->n) - 1)) << ROW * row;
	return out;
}

static size_t othello_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct othello *o = othello_of(game);
	const struct state *s = state;
	uint64_t pair[2];
	unsigned squares = o->n * o->n;
	find_canonical(o, s, pair);
	uint64_t taken = (pair[0] | pair[1]) ^ (s->side ? o->marker : 0);
	uint64_t low = pack_rows(o, pair[0]), high = pack_rows(o, taken);
	uint8_t bytes[16];
	if (squares < 64) {
		low |= high << squares;
		high >>= 64 - squares;
	}
	pd_put_le64(bytes, low);
	pd_put_le64(bytes + 8, high);
	memcpy(out, bytes, game->key_size_max);
	return game->key_size_max;
}

static int othello_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	const struct othello *o = othello_of(game);
	uint8_t bytes[16] = {0};
	unsigned squares = o->n * o->n;
	uint64_t pair[2];
	if (size != game->key_size_max)
		return PD_E_CORRUPT;
	memcpy(bytes, key, size);
	uint64_t low = pd_get_le64(bytes), high = pd_get_le64(bytes + 8);
	if (squares < 64) {
		high = high << (64 - squares) | low >> squares;
		low &= ~(~UINT64_C(0) << squares);
	}
	struct state s = {.disc = {unpack_rows(o, low)}};
	uint64_t taken = unpack_rows(o, high);
	s.side = !(taken & o->marker);
	taken |= o->marker;
	if ((s.disc[0] | o->centre) & ~taken)
		return PD_E_CORRUPT;
	s.disc[1] = taken & ~s.disc[0];
	bool second = s.side;
	derive_state(o, &s);
	if (second != (s.side == 1) || find_canonical(o, &s, pair) != 0)
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* --- text --------------------------------------------------------------------------------- */

/* Reads a pass at *text and moves behind it. */
static bool read_pass(const char **text)
{
	static const char *const words[] = {"pass", "ps", "pa", "--"};
	for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
		if (!strncmp(*text, words[i], strlen(words[i]))) {
			*text += strlen(words[i]);
			return true;
		}
	return false;
}

/* Reads a legal move at *text and moves behind it. NULL on success, otherwise what is wrong. */
static const char *read_move(const struct othello *o, const struct state *s, const char **text, game_move *out)
{
	const char *p = *text;
	bool pass = read_pass(&p);
	unsigned column = 0, row = 0;
	if (!pass) {
		column = (unsigned)(p[0] | 0x20) - 'a';
		row = column < o->n ? (unsigned)(p[1] - '1') : o->n;
		if (row >= o->n)
			return "a move is a square of the board, as in d3, or pass";
		p += 2;
	}
	if (s->over)
		return "the game is over before this move";
	if (pass && s->moves)
		return "a side that has a move may not pass";
	if (!pass && !s->moves)
		return "the side to move has no move and passes";
	if (!pass && !(s->moves & bit_of(row * ROW + column)))
		return "a disc there turns none over, or the square is taken";
	*text = p;
	*out = (game_move)(pass ? PASS : row * o->n + column);
	return NULL;
}

static int othello_move_parse(const struct game *game, const void *state, const char *text, game_move *out,
			      struct pd_fail *fail)
{
	const char *p = text;
	game_move move;
	const char *wrong = read_move(othello_of(game), state, &p, &move);
	if (!wrong && *p)
		wrong = "something follows the move";
	if (wrong)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%s': %s", text_excerpt(text, 16).text, wrong);
	*out = move;
	return PD_OK;
}

static size_t othello_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	unsigned n = othello_of(game)->n;
	struct text_line line = text_line(out, size);
	if (move == PASS)
		text_printf(&line, "pass");
	else
		text_printf(&line, "%c%u", 'a' + (int)(move % n), move / n + 1);
	return line.length;
}

static void othello_start(const struct game *game, void *state)
{
	const struct othello *o = othello_of(game);
	unsigned up = o->n / 2 - 1, down = o->n / 2;
	struct state s = {.disc = {bit_of(up * ROW + down) | bit_of(down * ROW + up),
				   bit_of(up * ROW + up) | bit_of(down * ROW + down)}};
	derive_state(o, &s);
	memcpy(state, &s, sizeof s);
}

static int parse_moves(const struct othello *o, const char *text, struct state *s, struct pd_fail *fail)
{
	const char *p = text;
	othello_start(&o->game, s);
	for (;;) {
		p += strspn(p, " ,\t");
		if (!*p)
			return PD_OK;
		const char *start = p;
		if (!s->moves && !s->over && !read_pass(&p)) /* a pass that is left out */
			othello_play(&o->game, s, PASS);
		game_move move;
		p = start;
		const char *wrong = read_move(o, s, &p, &move);
		if (wrong)
			return pd_fail_set(fail, PD_E_POSITION, "position", "at index %zu (counted from 0), '%s': %s",
					   (size_t)(start - text), text_excerpt(start, 2).text, wrong);
		othello_play(&o->game, s, move);
	}
}

/* Reads board and side; *text is then behind them, or at what is wrong. */
static const char *read_board(const struct othello *o, const char **text, struct state *s)
{
	for (unsigned i = 0; i < o->n * o->n; i++, ++*text) {
		const char *of_sides[SIDES] = {"Xx*", "Oo"};
		char c = **text;
		for (unsigned side = 0; side < SIDES && c; side++)
			if (strchr(of_sides[side], c))
				s->disc[side] |= bit_of(square_of(o, i));
		if (!c || !strchr("Xx*Oo-.", c))
			return c ? "a square is X, O or -" : "the board has more squares";
	}
	if (**text != ' ' || ((*text)[1] != 'X' && (*text)[1] != 'O'))
		return "a blank and the side to move, X or O, follow the board";
	s->side = (*text)[1] == 'O';
	*text += 2;
	return **text ? "nothing follows the side to move" : NULL;
}

static const char centre_is_empty[] = "the four squares in the centre are never empty";

static int othello_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail)
{
	const struct othello *o = othello_of(game);
	struct state s = {0};
	if (text[0] && strchr("Xx*Oo-.", text[0])) {
		const char *p = text, *wrong = read_board(o, &p, &s);
		if (wrong)
			return pd_fail_set(fail, PD_E_POSITION, "position", "at index %zu (counted from 0): %s",
					   (size_t)(p - text), wrong);
		if (o->centre & ~(s.disc[0] | s.disc[1]))
			return pd_fail_set(fail, PD_E_POSITION, "position", "this board cannot come up: %s",
					   centre_is_empty);
		derive_state(o, &s);
	} else {
		int rc = parse_moves(o, text, &s, fail);
		if (rc)
			return rc;
	}
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

static size_t othello_print(const struct game *game, const void *state, char *out, size_t size)
{
	const struct othello *o = othello_of(game);
	const struct state *s = state;
	struct text_line line = text_line(out, size);
	for (unsigned i = 0; i < o->n * o->n; i++) {
		uint64_t at = bit_of(square_of(o, i));
		text_char(&line, s->disc[0] & at ? 'X' : s->disc[1] & at ? 'O' : '-');
	}
	text_printf(&line, " %c", s->side ? 'O' : 'X');
	return line.length;
}

/* --- the board as data -------------------------------------------------------------------- */

/* Row 1 is the upper one. */
static void othello_board(const struct game *game, struct game_board *out)
{
	const struct othello *o = othello_of(game);
	out->side[0] = "Black";
	out->side[1] = "White";
	out->colour[0] = "black";
	out->colour[1] = "white";
	out->pieces = SIDES;
	out->piece[0] = (struct game_piece){'X', GAME_FIRST, GAME_DISC, "black disc", NULL};
	out->piece[1] = (struct game_piece){'O', GAME_SECOND, GAME_DISC, "white disc", NULL};
	game_board_grid(out, o->n, o->n, GAME_SQUARE);
	for (unsigned i = 0; i < out->places; i++) {
		out->place[i].y = (int16_t)(12 * (int)(o->n - 1) - out->place[i].y);
		out->place[i].shade = 0;
	}
	for (unsigned i = 0; i < out->labels; i++)
		out->label[i].y = (int16_t)(12 * (int)(o->n - 1) - out->label[i].y);
}

static void othello_diagram(const struct game *game, const void *state, struct game_diagram *out)
{
	const struct othello *o = othello_of(game);
	const struct state *s = state;
	for (unsigned i = 0; i < o->n * o->n; i++) {
		uint64_t at = bit_of(square_of(o, i));
		out->on[i] = s->disc[0] & at ? 1 : s->disc[1] & at ? 2 : 0;
		out->playable[i] = (s->moves & at) != 0;
	}
	out->to_move = s->over ? GAME_NO_SIDE : s->side ? GAME_SECOND : GAME_FIRST;
}

static unsigned othello_move_places(const struct game *game, const void *state, game_move move,
				    uint16_t out[GAME_MOVE_PLACES_MAX])
{
	out[0] = move;
	return move != PASS;
}

static int othello_set_up(const struct game *game, const struct game_diagram *diagram, void *state,
			  struct pd_fail *fail)
{
	const struct othello *o = othello_of(game);
	struct state s = {.side = diagram->to_move == GAME_SECOND};
	const char *wrong = diagram->note[0] ? "a position has no note" : NULL;
	for (unsigned i = 0; i < o->n * o->n && !wrong; i++) {
		if (diagram->on[i] > SIDES)
			wrong = "there is no such piece";
		else if (diagram->on[i])
			s.disc[diagram->on[i] - 1] |= bit_of(square_of(o, i));
	}
	if (!wrong && (o->centre & ~(s.disc[0] | s.disc[1])))
		wrong = centre_is_empty;
	derive_state(o, &s);
	if (!wrong && diagram->to_move == GAME_NO_SIDE && !s.over)
		wrong = "the game is not over, and no side is to move";
	if (wrong)
		return pd_fail_set(fail, PD_E_POSITION, "position", "this board cannot come up: %s", wrong);
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* --- opening ------------------------------------------------------------------------------ */

static void prepare_board(struct othello *o)
{
	unsigned middle = o->n / 2 - 1, last = o->n - 1;
	for (unsigned i = 0; i < o->n * o->n; i++) {
		unsigned column = i % o->n, row = i / o->n;
		unsigned x = column < o->n / 2 ? column : last - column, y = row < o->n / 2 ? row : last - row;
		unsigned rank = x + y == 0 ? 0 : x <= 1 && y <= 1 ? (x + y == 1 ? 2 : 3) : 1;
		o->rank[rank] |= bit_of(square_of(o, i));
		o->full |= bit_of(square_of(o, i));
	}
	o->marker = bit_of(middle * ROW + middle);
	o->centre = o->marker * (1 + 2) * (1 + (UINT64_C(1) << ROW));
	PD_ASSERT(!(o->centre & ~o->full));
}

static int othello_open(const struct game_rules *rules, const char *params, const struct game_host *host,
			struct game **out, struct pd_fail *fail)
{
	const char *p = params;
	unsigned n;
	bool number = text_number(&p, &n), for_winner = !*p || !strcmp(p, ",empties=winner");
	if (!number || (n != 4 && n != 6 && n != 8) || (!for_winner && strcmp(p, ",empties=none") != 0))
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "othello takes 4, 6 or 8 rows, and which side empty squares count for at the end, "
				   "as in othello:8 or othello:4,empties=none");
	struct othello *o = calloc(1, sizeof *o);
	if (!o)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a game of othello");
	o->n = n;
	o->for_winner = for_winner;
	prepare_board(o);
	int squares = (int)(n * n);
	o->game = (struct game){
		.rules = rules,
		.rules_version = 1,
		.state_size = sizeof(struct state),
		.key_size_max = (uint32_t)squares / 4,
		.moves_max = (uint32_t)squares - 4,
		.plies_max = 2 * ((uint32_t)squares - 4), /* no two passes follow each other */
		.value_min = (int16_t)-squares,
		.value_max = (int16_t)squares,
		.value_step = for_winner ? 2 : 1,
		.acyclic = true,
	};
	snprintf(o->game.name, sizeof o->game.name, "othello:%u%s", n, for_winner ? "" : ",empties=none");
	*out = &o->game;
	return PD_OK;
}

static void othello_close(struct game *game)
{
	free(game);
}

const struct game_rules game_othello_rules = {
	.abi = GAME_ABI,
	.size = sizeof(struct game_rules),
	.name = "othello",
	.title = "Othello",
	.params = "N[,empties=none]: rows and columns, 4, 6 or 8; by default squares that stay empty count for the "
		  "winner (empties=winner)",
	.notation = "A position is the squares row by row from the top, X for Black, O for White, - for empty ones, "
		    "then the side to move, as in -----OX--XO----- X; or the moves from the start, as in f5d6c3. A "
		    "move is a square, row 1 being the upper one, or pass.",
	.example = "othello:8",
	.open = othello_open,
	.close = othello_close,
	.start = othello_start,
	.parse = othello_parse,
	.print = othello_print,
	.move_parse = othello_move_parse,
	.move_print = othello_move_print,
	.first_to_move = othello_first_to_move,
	.terminal = othello_terminal,
	.moves = othello_moves,
	.play = othello_play,
	.key = othello_key,
	.unkey = othello_unkey,
	.canon = othello_canon,
	.initial_numbers = othello_initial_numbers,
	.count = othello_count,
	.board = othello_board,
	.diagram = othello_diagram,
	.move_places = othello_move_places,
	.set_up = othello_set_up,
	.records = GAME_RECORD_SGF | GAME_RECORD_GGF,
	.sgf = &(const struct game_sgf){.number = 2},
};
