/* Othello on boards of 4, 6 and 8 rows: `othello:8` is the usual one. RULES.md has the rules and the notation.
 *
 * Move code. The square, row from the top * N + column; the pass is 0xfffe.
 *
 * Key. First's discs as a number, bit = square, N * N bits; then as many bits for the taken squares; one string of
 * bits, lowest first, in as few bytes as hold it. The square of row N/2 and column N/2 is always taken; its bit is 0
 * instead if Second is to move. Of the 8 symmetric images, the key uses the one whose number for First is smallest,
 * and among equal ones whose number for Second is smallest. When the game is over the side to move is First.
 *
 * Layout. Two boards of 64 bits. On boards of all sizes a row takes 8 bits, so one set of shifts and masks serves all;
 * only in keys and codes it takes N. The state holds the legal moves, because almost every function needs them; they
 * are found by parallel prefix fills along the eight directions.
 *
 * Symmetries are numbered as in grid.h. If several give the same smallest pair, the one with the smallest number is
 * used, so a canonical position is its own frame.
 *
 * Invariants. The boards do not overlap and cover the centre; `moves` and `over` are functions of boards and side. */
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "solver/games/cells.h"
#include "solver/games/grid.h"

enum {
	SIDES = 2, /* First is 0 */
	ROW = 8,   /* bits of a row */
	SYMMETRIES = GRID_SYMMETRIES_MAX,
	RANKS = 4, /* classes of squares in the order of moves */
	PASS = 0xfffe
};

#define NOT_AT_SIDES UINT64_C(0x7e7e7e7e7e7e7e7e)

struct state {
	uint64_t disc[SIDES];
	uint64_t moves; /* squares where the side to move may play */
	uint32_t side;  /* to move; 0 when the game is over */
	uint32_t over;
};

_Static_assert(sizeof(struct state) <= GAME_STATE_MAX, "a state fits into GAME_STATE_MAX bytes");

struct othello {
	struct cells_game base;
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

/* Converts between a square's bit and its number in codes. */
static inline unsigned square_of(const struct othello *o, unsigned code)
{
	return o->n == ROW ? code : code / o->n * ROW + code % o->n;
}

static inline unsigned code_of(const struct othello *o, unsigned square)
{
	return o->n == ROW ? square : square / ROW * o->n + square % ROW;
}

/* --- discs -------------------------------------------------------------------------------- */

/* Finds the ends of lines over `theirs` that begin at a disc of `mine`, in both directions along `step`. At most six
 * discs lie in between: the fills reach one, two, four, six. */
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

/* A line that wraps around a side of the board would pass a disc in the first or last column, so these are masked. */
static inline uint64_t legal_squares(uint64_t mine, uint64_t theirs, uint64_t full)
{
	uint64_t inner = theirs & NOT_AT_SIDES;
	uint64_t hits = find_ends(mine, theirs, ROW) | find_ends(mine, inner, 1) | find_ends(mine, inner, ROW - 1) |
			find_ends(mine, inner, ROW + 1);
	return hits & full & ~(mine | theirs);
}

/* The discs turned along `step` by a disc put on `at`, a single square. */
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

/* Initial numbers: the cube of the mover's mobility for the opponent, the square of the opponent's for the mover. With
 * 13 to 15 empty squares this takes between a half and a third of the nodes of mobility alone; corners, frontiers,
 * parity and the numbers of discs did not help. */
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

/* A smaller board lies in a corner of the 8 by 8 squares; the shifts bring its image back there. */
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
	if (symmetry & GRID_MIRROR_COLUMNS)
		x = mirror_columns(o, x);
	if (symmetry & GRID_MIRROR_ROWS)
		x = mirror_rows(o, x);
	return symmetry & GRID_SWAP ? transpose_board(x) : x;
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

static game_move othello_canon(const struct game *game, const void *state, game_move move, bool back)
{
	const struct othello *o = othello_of(game);
	uint64_t pair[2];
	if (move >= o->n * o->n) /* a pass, or not a move */
		return move;
	unsigned symmetry = find_canonical(o, state, pair);
	if (back && (symmetry & GRID_SWAP)) /* the inverse swaps first, which exchanges the mirrors */
		symmetry = GRID_SWAP | (symmetry & GRID_MIRROR_ROWS ? GRID_MIRROR_COLUMNS : 0) |
			   (symmetry & GRID_MIRROR_COLUMNS ? GRID_MIRROR_ROWS : 0);
	return (game_move)grid_map(o->n, o->n, symmetry, move);
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

/* Reads a pass; false if there is none. */
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

/* Reads a legal move, a square with a letter of either case or a pass. */
static const char *read_move(const struct game *game, const void *state, const char **text, game_move *out)
{
	const struct othello *o = othello_of(game);
	const struct state *s = state;
	const char *p = *text;
	bool pass = read_pass(text);
	unsigned column = 0, row = 0;
	if (!pass) {
		column = (unsigned)(p[0] | 0x20) - 'a';
		row = column < o->n ? (unsigned)(p[1] - '1') : o->n;
		if (row >= o->n)
			return "a move is a square of the board, as in d3, or pass";
		*text += 2;
	}
	*out = (game_move)(pass ? PASS : row * o->n + column);
	if (s->over)
		return "the game is over before this move";
	if (pass && s->moves)
		return "a side that has a move may not pass";
	if (!pass && !s->moves)
		return "the side to move has no move and passes";
	if (!pass && !(s->moves & bit_of(row * ROW + column)))
		return "a disc there turns none over, or the square is taken";
	return NULL;
}

static size_t othello_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	if (move == PASS)
		text_printf(&line, "pass");
	else
		cells_place_print(&othello_of(game)->base, move, &line);
	return line.length;
}

static void play_omitted_pass(const struct game *game, const char *text, void *state)
{
	const struct state *s = state;
	if (!s->moves && !s->over && !read_pass(&text))
		othello_play(game, state, PASS);
}

/* Makes the state of cells; NULL, or what is wrong. */
static const char *fill_state(const struct othello *o, const struct cells *cells, struct state *s)
{
	*s = (struct state){.side = cells->turn};
	for (unsigned i = 0; i < o->n * o->n; i++)
		if (cells->at[i])
			s->disc[cells->at[i] - 1] |= bit_of(square_of(o, i));
	if (o->centre & ~(s->disc[0] | s->disc[1]))
		return "the four squares in the centre are never empty";
	derive_state(o, s);
	return NULL;
}

static int from_cells(const struct game *game, const struct cells *cells, void *state, struct pd_fail *fail)
{
	struct state s;
	const char *wrong = fill_state(othello_of(game), cells, &s);
	if (!wrong)
		memcpy(state, &s, sizeof s);
	return cells_refuse(fail, wrong);
}

static void to_cells(const struct game *game, const void *state, struct cells *out)
{
	const struct othello *o = othello_of(game);
	const struct state *s = state;
	out->turn = (uint8_t)s->side;
	for (unsigned i = 0; i < o->n * o->n; i++) {
		uint64_t at = bit_of(square_of(o, i));
		out->at[i] = s->disc[0] & at ? CELLS_FIRST : s->disc[1] & at ? CELLS_SECOND : 0;
	}
}

static bool is_board(const char *text)
{
	return text[0] && strchr("Xx*Oo-.", text[0]);
}

/* Reads the squares row by row from the top, and the side to move. */
static const char *read_board(const struct game *game, const char **text, void *state)
{
	const struct othello *o = othello_of(game);
	struct cells cells;
	for (unsigned i = 0; i < o->n * o->n; i++, ++*text) {
		char c = **text;
		if (!c || !strchr("Xx*Oo-.", c))
			return c ? "a square is X, O or -" : "the board has more squares";
		cells.at[i] = strchr("Xx*", c) ? CELLS_FIRST : strchr("Oo", c) ? CELLS_SECOND : 0;
	}
	if (**text != ' ' || ((*text)[1] != 'X' && (*text)[1] != 'O'))
		return "a blank and the side to move, X or O, follow the board";
	cells.turn = (*text)[1] == 'O';
	*text += 2;
	return **text ? "nothing may follow the side to move" : fill_state(o, &cells, state);
}

static size_t othello_print(const struct game *game, const void *state, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	struct cells cells;
	to_cells(game, state, &cells);
	for (unsigned i = 0; i < othello_of(game)->n * othello_of(game)->n; i++)
		text_char(&line, "-XO"[cells.at[i]]);
	text_printf(&line, " %c", cells.turn ? 'O' : 'X');
	return line.length;
}

/* --- the board as data -------------------------------------------------------------------- */

/* Row 1 is the upper one. */
static void othello_board(const struct game *game, struct game_board *out)
{
	static const struct game_piece discs[] = {{'X', GAME_FIRST, GAME_DISC, "black disc", NULL},
						  {'O', GAME_SECOND, GAME_DISC, "white disc", NULL}};
	const struct othello *o = othello_of(game);
	out->side[0] = "Black";
	out->side[1] = "White";
	out->colour[0] = "black";
	out->colour[1] = "white";
	out->pieces = SIDES;
	memcpy(out->piece, discs, sizeof discs);
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
	cells_diagram(game, state, out);
	for (unsigned i = 0; i < o->n * o->n; i++)
		out->playable[i] = ((const struct state *)state)->moves >> square_of(o, i) & 1;
}

static unsigned othello_move_places(const struct game *game, const void *state, game_move move,
				    uint16_t out[GAME_MOVE_PLACES_MAX])
{
	out[0] = move;
	return move != PASS;
}

/* --- opening ------------------------------------------------------------------------------ */

static void othello_start(const struct game *game, void *state)
{
	const struct othello *o = othello_of(game);
	unsigned up = o->n / 2 - 1, down = o->n / 2;
	struct state s = {.disc = {bit_of(up * ROW + down) | bit_of(down * ROW + up),
				   bit_of(up * ROW + up) | bit_of(down * ROW + down)}};
	derive_state(o, &s);
	memcpy(state, &s, sizeof s);
}

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
	static const struct cells_form form = {.letters = "XO",
					       .no_blanks = true,
					       .read_move = read_move,
					       .play_omitted = play_omitted_pass,
					       .to_cells = to_cells,
					       .from_cells = from_cells,
					       .is_board = is_board,
					       .read_board = read_board};
	const char *p = params;
	unsigned n;
	bool number = text_number(&p, &n), for_winner = !*p || !strcmp(p, ",empties=winner");
	if (!number || (n != 4 && n != 6 && n != 8) || (!for_winner && strcmp(p, ",empties=none") != 0))
		return cells_refuse_params(rules, params, fail);
	struct othello *o = cells_new(rules, &form, sizeof *o, fail);
	if (!o)
		return PD_E_NO_MEMORY;
	struct game *game = &o->base.game;
	int squares = (int)(n * n);
	o->n = o->base.width = o->base.height = n;
	o->for_winner = for_winner;
	prepare_board(o);
	game->state_size = sizeof(struct state);
	game->key_size_max = (uint32_t)squares / 4;
	game->moves_max = (uint32_t)squares - 4;
	game->plies_max = 2 * game->moves_max; /* no two passes follow each other */
	game->value_min = (int16_t)-squares;
	game->value_max = (int16_t)squares;
	game->value_step = for_winner ? 2 : 1;
	snprintf(game->name, sizeof game->name, "othello:%u%s", n, for_winner ? "" : ",empties=none");
	*out = game;
	return PD_OK;
}

const struct game_rules game_othello_rules = {
	CELLS_TEXT,
	.name = "othello",
	.title = "Othello",
	.params = "N[,empties=none]: rows and columns, 4, 6 or 8; by default squares that stay empty count for the "
		  "winner (empties=winner)",
	.notation = "A position is the squares row by row from the top, X for Black, O for White, - for empty ones, "
		    "then the side to move, as in -----OX--XO----- X; or the moves from the start, as in f5d6c3. A "
		    "move is a square, row 1 being the upper one, or pass.",
	.example = "othello:8",
	.open = othello_open,
	CELLS_RULES(othello),
	.print = othello_print,
	.move_print = othello_move_print,
	.canon = othello_canon,
	.initial_numbers = othello_initial_numbers,
	.count = othello_count,
	.board = othello_board,
	.diagram = othello_diagram,
	.move_places = othello_move_places,
	.move_square = cells_last_place,
	.set_up = cells_set_up,
	.records = GAME_RECORD_SGF | GAME_RECORD_GGF,
	.sgf = &(const struct game_sgf){.number = 2},
};
