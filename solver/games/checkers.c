/* English draughts on square boards of 4, 6 or 8 rows: `checkers:8` is the usual one. RULES.md has the rules and the
 * notation. First is Black, who begins.
 *
 * Squares. The dark squares are numbered from 0, row by row from Black's side; in texts they count from 1. In row r,
 * from 0, the i-th of them is in column 2i + 1 if r is even, in column 2i if it is odd. The directions are 0 towards
 * White and to the column before, 1 towards White and to the column after, 2 and 3 the same towards Black. A man goes
 * away from its own side.
 *
 * Move code. A step: from + 32 * direction. A capture: from + 32 * (3 + k) for the k-th trail of `from`, counted from
 * 1. A trail is a sequence of jumps on an empty board, at least one, in which no square is jumped twice; the trails of
 * a square are numbered depth first: a trail, then those that continue it, in the order of the directions. So a code
 * names the path of a capture. Two paths that take the same men and end on the same square are two moves.
 *
 * Key. Black's men and kings as a number, bit = square, White's in as many bits, the kings of both in as many, then one
 * bit, 1 when White is to move; one string of bits, lowest first, in as few bytes as hold it. There is no symmetry: the
 * half turn also swaps the sides, and with them the values.
 *
 * Invariants. The boards of the sides do not overlap; kings are a part of them; no man is on its last row; a side has
 * no more pieces than it begins with; the side that is not to move has at least one. */
#include "solver/games/checkers.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"

enum {
	BLACK = CHECKERS_BLACK,
	WHITE = CHECKERS_WHITE,
	SQUARES_MAX = CHECKERS_SQUARES,
	WAYS = 4,
	ROWS_MAX = 8,
	TRAILS_MAX = 52,  /* of a square, and one for no jump: at most 51 on 8 rows, counted by prepare_trails */
	JUMPS_MAX = 9,    /* of a trail */
	MOVES_MAX = 192,  /* of 12 pieces: 4 steps each; captures end in different leaves of the trails, at most 184 */
	CHAIN = WAYS - 1, /* added to the number of a trail in move codes */
	WHITE_MAN = 2     /* pieces, as in diagrams: 1 black man, 2 white man, 3 black king, 4 white king */
};

/* A jump of a trail, the last one; number 0 is the trail without jumps. Trails that continue it follow it, up to
 * `next`. */
struct trail {
	uint32_t man;   /* the square jumped by the last jump, as a set */
	uint32_t taken; /* all squares jumped */
	uint8_t way, to;
	uint8_t parent, next;
};

struct checkers {
	struct cells_game base;
	unsigned squares;
	uint32_t full;
	uint32_t last[2];               /* the row in which a side's men become kings */
	uint32_t starts[WAYS][2];       /* squares in even and in odd rows from which a step leads to a square */
	uint8_t shift[WAYS][2];         /* of such steps, upwards for directions 0 and 1 */
	int8_t near[SQUARES_MAX][WAYS]; /* the adjacent squares; -1 off the board */
	struct trail trail[SQUARES_MAX][TRAILS_MAX];
};

_Static_assert(sizeof(struct checkers_state) == 16 && (int)MOVES_MAX <= (int)GAME_MOVES_MAX, "plain and small");

static inline const struct checkers *checkers_of(const struct game *game)
{
	return (const struct checkers *)game;
}

static inline uint32_t bit_of(unsigned square)
{
	return UINT32_C(1) << square;
}

/* --- moves -------------------------------------------------------------------------------- */

/* The squares that a step in that direction leads to from a set. */
static inline uint32_t step_set(const struct checkers *c, unsigned way, uint32_t set)
{
	uint32_t even = set & c->starts[way][0], odd = set & c->starts[way][1];
	return way < 2 ? even << c->shift[way][0] | odd << c->shift[way][1]
		       : even >> c->shift[way][0] | odd >> c->shift[way][1];
}

/* The pieces of the side to move that may go in that direction. */
static inline uint32_t pieces_that_go(const struct checkers_state *s, unsigned way)
{
	return s->men[s->side] & (way / 2 == s->side ? UINT32_MAX : s->kings);
}

static inline uint32_t empty_squares(const struct checkers *c, const struct checkers_state *s)
{
	return c->full & ~(s->men[BLACK] | s->men[WHITE]);
}

/* The pieces that can step, and those that can jump, in that direction. */
static inline uint32_t pieces_that_step(const struct checkers *c, const struct checkers_state *s, unsigned way)
{
	return pieces_that_go(s, way) & step_set(c, 3 - way, empty_squares(c, s));
}

static inline uint32_t pieces_that_jump(const struct checkers *c, const struct checkers_state *s, unsigned way)
{
	uint32_t before = s->men[!s->side] & step_set(c, 3 - way, empty_squares(c, s));
	return pieces_that_go(s, way) & step_set(c, 3 - way, before);
}

/* A piece that captures. */
struct captor {
	const struct trail *trail; /* of its square */
	unsigned from;
	uint32_t enemy, empty; /* the square from which it comes is empty */
	bool way[WAYS];        /* where it may go */
};

/* Appends the captures that begin with trail `at` and are played to their end. */
static game_move *add_captures(const struct captor *c, unsigned at, game_move *out)
{
	game_move *begin = out;
	for (unsigned i = at + 1; i < c->trail[at].next; i = c->trail[i].next) {
		const struct trail *t = &c->trail[i];
		if (c->way[t->way] && (t->man & c->enemy) && (bit_of(t->to) & c->empty))
			out = add_captures(c, i, out);
	}
	if (out == begin && at > 0)
		*out++ = (game_move)(c->from + 32 * (CHAIN + at));
	return out;
}

static unsigned checkers_moves(const struct game *game, const void *state, game_move *out)
{
	const struct checkers *c = checkers_of(game);
	const struct checkers_state *s = state;
	game_move *begin = out;
	uint32_t captors = pieces_that_jump(c, s, 0) | pieces_that_jump(c, s, 1) | pieces_that_jump(c, s, 2) |
			   pieces_that_jump(c, s, 3);
	for (uint32_t rest = captors; rest; rest &= rest - 1) {
		unsigned from = (unsigned)__builtin_ctz(rest);
		bool king = s->kings >> from & 1;
		struct captor captor = {.trail = c->trail[from],
					.from = from,
					.enemy = s->men[!s->side],
					.empty = empty_squares(c, s) | bit_of(from)};
		for (unsigned way = 0; way < WAYS; way++)
			captor.way[way] = king || way / 2 == s->side;
		out = add_captures(&captor, 0, out);
	}
	for (unsigned way = 0; !captors && way < WAYS; way++)
		for (uint32_t rest = pieces_that_step(c, s, way); rest; rest &= rest - 1)
			*out++ = (game_move)((unsigned)__builtin_ctz(rest) + 32 * way);
	PD_DEBUG_ASSERT(out - begin <= MOVES_MAX);
	return (unsigned)(out - begin);
}

static unsigned checkers_count(const struct game *game, const void *state)
{
	const struct checkers *c = checkers_of(game);
	const struct checkers_state *s = state;
	game_move moves[MOVES_MAX];
	if (pieces_that_jump(c, s, 0) | pieces_that_jump(c, s, 1) | pieces_that_jump(c, s, 2) |
	    pieces_that_jump(c, s, 3))
		return checkers_moves(game, state, moves);
	return text_count(pieces_that_step(c, s, 0)) + text_count(pieces_that_step(c, s, 1)) +
	       text_count(pieces_that_step(c, s, 2)) + text_count(pieces_that_step(c, s, 3));
}

static bool checkers_first_to_move(const struct game *game, const void *state)
{
	return ((const struct checkers_state *)state)->side == BLACK;
}

static bool checkers_terminal(const struct game *game, const void *state, int *value)
{
	const struct checkers *c = checkers_of(game);
	const struct checkers_state *s = state;
	for (unsigned way = 0; way < WAYS; way++)
		if (pieces_that_step(c, s, way) | pieces_that_jump(c, s, way))
			return false;
	*value = s->side == BLACK ? -1 : 1;
	return true;
}

/* What a move does. */
struct deed {
	unsigned from, to;
	uint32_t taken;
};

static inline struct deed deed_of(const struct checkers *c, game_move move)
{
	unsigned from = move % 32, kind = move / 32;
	if (kind < WAYS)
		return (struct deed){from, (unsigned)c->near[from][kind], 0};
	const struct trail *t = &c->trail[from][kind - CHAIN];
	return (struct deed){from, t->to, t->taken};
}

static void checkers_play(const struct game *game, void *state, game_move move)
{
	const struct checkers *c = checkers_of(game);
	struct checkers_state *s = state;
	struct deed d = deed_of(c, move);
	unsigned side = s->side;
	bool king = (s->kings >> d.from & 1) | (c->last[side] >> d.to & 1);
	PD_DEBUG_ASSERT((s->men[side] >> d.from & 1) && (s->men[!side] & d.taken) == d.taken);
	s->men[side] = (s->men[side] & ~bit_of(d.from)) | bit_of(d.to);
	s->men[!side] &= ~d.taken;
	s->kings = (s->kings & ~(d.taken | bit_of(d.from))) | (uint32_t)king << d.to;
	s->side = !side;
}

/* A capture, or the move of a man. */
static bool checkers_irreversible(const struct game *game, const void *state, game_move move)
{
	return move / 32 > CHAIN || !(((const struct checkers_state *)state)->kings >> move % 32 & 1);
}

/* Leaves out captures that differ from an earlier one only in the path. */
static unsigned checkers_distinct(const struct game *game, const void *state, game_move *out)
{
	struct checkers_state child[MOVES_MAX];
	unsigned count = checkers_moves(game, state, out), n = 0;
	if (count < 2 || out[0] / 32 <= CHAIN)
		return count;
	for (unsigned i = 0; i < count; i++) {
		unsigned twin = 0;
		child[n] = *(const struct checkers_state *)state;
		checkers_play(game, &child[n], out[i]);
		while (memcmp(&child[twin], &child[n], sizeof child[n]) != 0)
			twin++;
		if (twin == n)
			out[n++] = out[i];
	}
	return n;
}

/* --- keys --------------------------------------------------------------------------------- */

static size_t checkers_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct checkers_state *s = state;
	unsigned n = checkers_of(game)->squares;
	uint8_t bytes[16];
	uint64_t low = s->men[BLACK] | (uint64_t)s->men[WHITE] << n, high = s->kings | (uint64_t)s->side << n;
	pd_put_le64(bytes, n < SQUARES_MAX ? low | high << 2 * n : low);
	pd_put_le64(bytes + 8, high);
	memcpy(out, bytes, game->key_size_max);
	return game->key_size_max;
}

/* What is wrong with a position; NULL if nothing is. */
static const char *find_fault(const struct checkers *c, const struct checkers_state *s)
{
	unsigned most = c->base.width / 2 * (c->base.height / 2 - 1);
	if ((s->men[BLACK] & ~s->kings & c->last[BLACK]) || (s->men[WHITE] & ~s->kings & c->last[WHITE]))
		return "a man on the last row would be a king";
	if (text_count(s->men[BLACK]) > most || text_count(s->men[WHITE]) > most)
		return "a side has more pieces than it begins with";
	if (!s->men[!s->side])
		return "the side that is not to move has no pieces";
	return NULL;
}

static int checkers_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	const struct checkers *c = checkers_of(game);
	struct checkers_state s = {0};
	uint32_t *const sets[4] = {&s.men[BLACK], &s.men[WHITE], &s.kings, &s.side};
	if (size != game->key_size_max)
		return PD_E_CORRUPT;
	for (unsigned i = 0; i < 8 * size; i++) {
		if (!(key[i / 8] >> i % 8 & 1))
			continue;
		if (i > 3 * c->squares)
			return PD_E_CORRUPT;
		*sets[i / c->squares] |= bit_of(i % c->squares);
	}
	if ((s.men[BLACK] & s.men[WHITE]) || (s.kings & ~(s.men[BLACK] | s.men[WHITE])) || find_fault(c, &s))
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* --- texts -------------------------------------------------------------------------------- */

/* The squares that a move names, from first to last; returns how many. */
static unsigned squares_of(const struct checkers *c, game_move move, unsigned out[JUMPS_MAX + 1])
{
	unsigned from = move % 32, n = 0;
	out[n++] = from;
	if (move / 32 < WAYS) {
		out[n++] = (unsigned)c->near[from][move / 32];
		return n;
	}
	unsigned jumps = text_count(c->trail[from][move / 32 - CHAIN].taken), at = move / 32 - CHAIN;
	for (unsigned i = jumps; i > 0; i--, at = c->trail[from][at].parent)
		out[i] = c->trail[from][at].to;
	return jumps + 1;
}

/* Whether a legal move can be written as those squares: from and to, and some of the squares between. */
static bool is_written(const struct checkers *c, game_move move, const unsigned *square, unsigned count)
{
	unsigned own[JUMPS_MAX + 1], n = squares_of(c, move, own), found = 1;
	if (own[0] != square[0] || own[n - 1] != square[count - 1])
		return false;
	for (unsigned i = 1; i < n && found < count; i++)
		found += own[i] == square[found] && (found + 1 < count || i + 1 == n);
	return found == count;
}

/* Reads a legal move: 11-15, 22x15x8, or 22x8 if that names only one capture. */
static const char *read_move(const struct game *game, const void *state, const char **text, game_move *out)
{
	const struct checkers *c = checkers_of(game);
	unsigned square[JUMPS_MAX + 1], count = 0, legal, value, found = 0;
	game_move moves[MOVES_MAX];
	char sign = '-';
	for (bool more = true; more; count++) {
		if (count > JUMPS_MAX || !text_number(text, &value) || value < 1 || value > c->squares)
			return "a move is the numbers of its squares, as in 11-15 and 22x15x8";
		square[count] = value - 1;
		more = **text == 'x' || **text == '-';
		if (more)
			sign = *(*text)++;
	}
	legal = count > 1 ? checkers_distinct(game, state, moves) : 0;
	for (unsigned i = 0; i < legal; i++)
		if (is_written(c, moves[i], square, count))
			moves[found++] = moves[i];
	if (!found) { /* the same capture by another path */
		legal = count > 1 ? checkers_moves(game, state, moves) : 0;
		for (unsigned i = 0; i < legal && !found; i++)
			if (is_written(c, moves[i], square, count))
				moves[found++] = moves[i];
	}
	if (!found)
		return "this is not a legal move; a side that can capture must do so, and play the capture to its end";
	if (found > 1)
		return "this can mean several captures: name all squares on which the piece lands";
	if (sign == 'x' && moves[0] / 32 < WAYS)
		return "this move takes nothing: write it with - instead of x";
	*out = moves[0];
	return NULL;
}

static size_t checkers_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	unsigned square[JUMPS_MAX + 1], count = squares_of(checkers_of(game), move, square);
	for (unsigned i = 0; i < count; i++)
		text_printf(&line, "%s%u", !i ? "" : move / 32 < WAYS ? "-" : "x", square[i] + 1);
	return line.length;
}

static bool is_fen(const char *text)
{
	return strchr(text, ':') != NULL;
}

/* Reads the pieces of a side, K before each king, with commas between them. */
static const char *read_pieces(const struct checkers *c, const char **text, unsigned side, struct checkers_state *s)
{
	for (bool more = **text && **text != ':' && **text != '.'; more;) {
		unsigned value;
		bool king = **text == 'K';
		*text += king;
		if (!text_number(text, &value) || value < 1 || value > c->squares)
			return "a piece is the number of its square, after K for a king";
		uint32_t bit = bit_of(value - 1);
		if ((s->men[BLACK] | s->men[WHITE]) & bit)
			return "two pieces are on one square";
		s->men[side] |= bit;
		s->kings |= king ? bit : 0;
		more = **text == ',';
		*text += more;
	}
	return NULL;
}

/* W:W18,24,K27:B12,K16, in which the sides may change places and a full stop may follow. */
static const char *read_fen(const struct game *game, const char **text, void *state)
{
	static const char letters[] = "BW", form[] = "a position is the side to move and the pieces of both sides, as "
						     "in W:W18,24,K27:B12,16";
	const struct checkers *c = checkers_of(game);
	struct checkers_state s = {0};
	const char *side = memchr(letters, **text, 2);
	bool given[2] = {false, false};
	if (!side)
		return form;
	s.side = (uint32_t)(side - letters);
	++*text;
	for (unsigned i = 0; i < 2; i++) {
		side = **text == ':' ? memchr(letters, (*text)[1], 2) : NULL;
		if (!side || given[side - letters])
			return form;
		given[side - letters] = true;
		*text += 2;
		const char *wrong = read_pieces(c, text, (unsigned)(side - letters), &s);
		if (wrong)
			return wrong;
	}
	*text += **text == '.';
	const char *wrong = **text ? "the text goes on after the position" : find_fault(c, &s);
	if (!wrong)
		memcpy(state, &s, sizeof s);
	return wrong;
}

static size_t checkers_print(const struct game *game, const void *state, char *out, size_t size)
{
	const struct checkers_state *s = state;
	struct text_line line = text_line(out, size);
	text_char(&line, "BW"[s->side]);
	for (unsigned i = 0; i < 2; i++) {
		unsigned side = i ? BLACK : WHITE;
		text_printf(&line, ":%c", "BW"[side]);
		for (uint32_t rest = s->men[side]; rest; rest &= rest - 1) {
			unsigned square = (unsigned)__builtin_ctz(rest);
			text_printf(&line, "%s%u%s", s->kings >> square & 1 ? "K" : "", square + 1,
				    rest & (rest - 1) ? "," : "");
		}
	}
	return line.length;
}

/* --- boards ------------------------------------------------------------------------------- */

/* The place of a square on the board, row by row from White's side. */
static unsigned place_of(const struct checkers *c, unsigned square)
{
	unsigned n = c->base.width, row = square / (n / 2), i = square % (n / 2);
	PD_ASSERT(row < n);
	return (n - 1 - row) * n + 2 * i + (row % 2 == 0);
}

static int from_cells(const struct game *game, const struct cells *cells, void *state, struct pd_fail *fail)
{
	const struct checkers *c = checkers_of(game);
	struct checkers_state s = {.side = cells->turn};
	unsigned pieces = 0;
	for (unsigned i = 0; i < c->base.width * c->base.height; i++)
		pieces += cells->at[i] != 0;
	for (unsigned i = 0; i < c->squares; i++) {
		unsigned piece = cells->at[place_of(c, i)];
		if (!piece)
			continue;
		s.men[piece % 2 ? BLACK : WHITE] |= bit_of(i);
		s.kings |= piece > WHITE_MAN ? bit_of(i) : 0;
		pieces--;
	}
	const char *wrong = pieces ? "a piece is not on a dark square" : find_fault(c, &s);
	if (!wrong)
		memcpy(state, &s, sizeof s);
	return cells_refuse(fail, wrong);
}

static void to_cells(const struct game *game, const void *state, struct cells *out)
{
	const struct checkers *c = checkers_of(game);
	const struct checkers_state *s = state;
	*out = (struct cells){.turn = (uint8_t)s->side};
	for (unsigned i = 0; i < c->squares; i++)
		if ((s->men[BLACK] | s->men[WHITE]) >> i & 1)
			out->at[place_of(c, i)] = (uint8_t)(1 + (s->men[WHITE] >> i & 1) + 2 * (s->kings >> i & 1));
}

static void write_number(unsigned number, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	text_printf(&line, "%u", number);
}

/* The squares are named by their numbers; the labels are the numbers of the first and the last square of each row. */
static void checkers_board(const struct game *game, struct game_board *out)
{
	static const struct game_piece pieces[] = {{'b', GAME_FIRST, GAME_DISC, "black man", NULL},
						   {'w', GAME_SECOND, GAME_DISC, "white man", NULL},
						   {'B', GAME_FIRST, GAME_GLYPH, "black king", "\u265a"},
						   {'W', GAME_SECOND, GAME_GLYPH, "white king", "\u2654"}};
	const struct checkers *c = checkers_of(game);
	unsigned n = c->base.width;
	game_board_grid(out, n, n, GAME_SQUARE);
	out->labels = (uint16_t)(2 * n);
	for (unsigned i = 0; i < n * n; i++)
		out->place[i].name[0] = 0;
	for (unsigned i = 0; i < c->squares; i++)
		write_number(i + 1, out->place[place_of(c, i)].name, sizeof out->place[0].name);
	for (unsigned i = 0; i < 2 * n; i++) {
		struct game_label *l = &out->label[i];
		*l = (struct game_label){.x = i % 2 ? (int16_t)(12 * n - 2) : -10, .y = (int16_t)(12 * (i / 2))};
		write_number(i / 2 * (n / 2) + (i % 2 ? n / 2 : 1), l->text, sizeof l->text);
	}
	out->side[BLACK] = "Black";
	out->side[WHITE] = "White";
	out->pieces = sizeof pieces / sizeof *pieces;
	memcpy(out->piece, pieces, sizeof pieces);
}

static unsigned checkers_move_places(const struct game *game, const void *state, game_move move,
				     uint16_t out[GAME_MOVE_PLACES_MAX])
{
	const struct checkers *c = checkers_of(game);
	unsigned square[JUMPS_MAX + 1], count = squares_of(c, move, square);
	for (unsigned i = 0; i < count; i++)
		out[i] = (uint16_t)place_of(c, square[i]);
	return count;
}

/* --- opening ------------------------------------------------------------------------------ */

static void checkers_start(const struct game *game, void *state)
{
	const struct checkers *c = checkers_of(game);
	unsigned men = c->base.width / 2 * (c->base.height / 2 - 1);
	struct checkers_state s = {.men = {bit_of(men) - 1, (bit_of(men) - 1) << (c->squares - men)}};
	memcpy(state, &s, sizeof s);
}

static void prepare_steps(struct checkers *c)
{
	int half = (int)c->base.width / 2, rows = (int)c->base.height;
	for (int row = 0; row < rows; row++)
		for (int i = 0; i < half; i++)
			for (unsigned way = 0; way < WAYS; way++) {
				/* In even rows the column before has the same i, in odd rows the one after has it. */
				int to_row = way < 2 ? row + 1 : row - 1, from = row * half + i;
				int to = row % 2 ? i - (way % 2 == 0) : i + (way % 2 == 1);
				c->near[from][way] = -1;
				if (to_row < 0 || to_row >= rows || to < 0 || to >= half)
					continue;
				to += to_row * half;
				c->near[from][way] = (int8_t)to;
				c->starts[way][row % 2] |= bit_of((unsigned)from);
				c->shift[way][row % 2] = (uint8_t)(way < 2 ? to - from : from - to);
			}
}

/* Adds trail `number` of a square, whose last jump is filled in, and all that continue it; returns the next number. */
static unsigned add_trail(struct checkers *c, unsigned square, unsigned number)
{
	struct trail *all = c->trail[square], *t = &all[number];
	unsigned next = number + 1;
	for (unsigned way = 0; way < WAYS; way++) {
		int man = c->near[t->to][way], to = man < 0 ? -1 : c->near[man][way];
		if (to < 0 || (t->taken >> man & 1))
			continue;
		PD_ASSERT(next < TRAILS_MAX);
		all[next] = (struct trail){.man = bit_of((unsigned)man),
					   .taken = t->taken | bit_of((unsigned)man),
					   .way = (uint8_t)way,
					   .to = (uint8_t)to,
					   .parent = (uint8_t)number};
		next = add_trail(c, square, next);
	}
	t->next = (uint8_t)next;
	return next;
}

static int checkers_open(const struct game_rules *rules, const char *params, const struct game_host *host,
			 struct game **out, struct pd_fail *fail)
{
	static const struct cells_form form = {.letters = "bwBW",
					       .sides = "BW",
					       .read_move = read_move,
					       .to_cells = to_cells,
					       .from_cells = from_cells,
					       .is_board = is_fen,
					       .read_board = read_fen};
	unsigned n = ROWS_MAX;
	const char *rest = params;
	if (*params && (!text_number(&rest, &n) || *rest || n < 4 || n > ROWS_MAX || n % 2))
		return cells_refuse_params(rules, params, fail);
	struct checkers *c = cells_new(rules, &form, sizeof *c, fail);
	if (!c)
		return PD_E_NO_MEMORY;
	struct game *game = &c->base.game;
	c->base.width = c->base.height = n;
	c->squares = n * n / 2;
	c->full = UINT32_MAX >> (SQUARES_MAX - c->squares);
	c->last[WHITE] = bit_of(n / 2) - 1;
	c->last[BLACK] = c->last[WHITE] << (c->squares - n / 2);
	prepare_steps(c);
	for (unsigned i = 0; i < c->squares; i++) {
		c->trail[i][0].to = (uint8_t)i;
		add_trail(c, i, 0);
	}
	game->state_size = sizeof(struct checkers_state);
	game->key_size_max = (3 * c->squares + 8) / 8;
	game->moves_max = MOVES_MAX;
	game->acyclic = false;
	snprintf(game->name, sizeof game->name, "checkers:%u", n);
	*out = game;
	return PD_OK;
}

/* In how many ways at most `men` of the pieces may be men, and the others kings. */
static uint64_t count_kinds(unsigned pieces, unsigned men)
{
	uint64_t ways = 1, choose = 1;
	for (unsigned i = 1; i <= men && i <= pieces; i++) {
		choose = choose * (pieces + 1 - i) / i;
		ways += choose;
	}
	return ways;
}

/* The number of positions in which each side has at most as many pieces and men as here; men on any square. */
static uint64_t checkers_reach(const struct game *game, const void *state)
{
	const struct checkers_state *s = state;
	unsigned pieces[2], men[2], squares = checkers_of(game)->squares;
	uint64_t reach = 0, black = 1;
	for (unsigned side = 0; side < 2; side++) {
		pieces[side] = (unsigned)__builtin_popcount(s->men[side]);
		men[side] = (unsigned)__builtin_popcount(s->men[side] & ~s->kings);
	}
	for (unsigned b = 1; b <= pieces[BLACK]; b++) {
		uint64_t white = 1;
		black = black * (squares + 1 - b) / b;
		for (unsigned w = 1; w <= pieces[WHITE] && b + w <= squares; w++) {
			white = white * (squares + 1 - b - w) / w;
			reach += 2 * black * count_kinds(b, men[BLACK]) * white * count_kinds(w, men[WHITE]);
			if (reach >> 40)
				return 0;
		}
	}
	return reach;
}

const struct game_rules game_checkers_rules = {
	CELLS_TEXT,
	.name = "checkers",
	.title = "Checkers (English draughts)",
	.params = "N: rows and columns, 4, 6 or 8; 8 when it is left out",
	.notation = "A position is a FEN of PDN: the side to move, then the squares of White's and Black's pieces, K "
		    "before a king, as in W:W18,24,K27:B12,16; or the moves from the start, separated by blanks or "
		    "commas. A move is 11-15, a capture 22x15x8 (22x8 is read if only one capture is meant).",
	.example = "checkers:8",
	.open = checkers_open,
	CELLS_RULES(checkers),
	.print = checkers_print,
	.move_print = checkers_move_print,
	.unique_moves = checkers_distinct,
	.count = checkers_count,
	.irreversible = checkers_irreversible,
	.board = checkers_board,
	.diagram = cells_diagram,
	.set_up = cells_set_up,
	.move_places = checkers_move_places,
	.records = GAME_RECORD_PGN | GAME_RECORD_PDN,
	.classes = &checkers_classes,
	.reach = checkers_reach,
};
