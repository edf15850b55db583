/* Ultimate tic-tac-toe. RULES.md has the rules and the notation.
 *
 * Positions. Each local board has the stated state and could have been reached by itself. X has as many marks as O, or
 * one more when O is to move. Only the side that moved last may have three boards in line, and all its lines share a
 * board. While all boards are open, the opponent has a mark on some board that sends to the board to play in, and only
 * the initial position has no such board. Whether some order of moves leads there is not checked.
 *
 * The rules do not distinguish the marks in a decided board; whether the only open board must or may be played in; and
 * where to play when the game is over. The key leaves these out. The state keeps the marks for people; `unkey` makes
 * some up in the right numbers.
 *
 * Key. The lexicographically smallest image of the position under the eight symmetries of the square, which act on the
 * global board and on each local board alike:
 *
 *	3 bytes, big-endian                       nine states of two bits, board a in the highest (0 open, 1 X, 2 O,
 *	                                          3 drawn); 4 bits: 0 any open board, else 1 + the board to play in;
 *	                                          1 bit: O is to move
 *	2 bytes, big-endian, for each open board  its squares as digits of base 3, square a the highest (1 X, 2 O)
 *
 * Symmetries are numbered as in grid.h. The states of the boards nearly always decide which image is smallest, and they
 * seldom change, so the state carries their smallest image and the symmetries (`frames`) that give it.
 *
 * The code of a move is 16 * board + square. */

#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/groups.h"
#include "solver/games/uttt_board.h"
#include "solver/games/uttt_text.h"

/* --- inner loop --------------------------------------------------------------------------- */

static bool uttt_first_to_move(const struct game *game, const void *state)
{
	const struct uttt_state *s = state;
	return s->side == 0;
}

static bool uttt_terminal(const struct game *game, const void *state, int *value)
{
	const struct uttt_state *s = state;
	if (!s->over)
		return false;
	*value = s->value;
	return true;
}

static unsigned uttt_moves(const struct game *game, const void *state, game_move *out)
{
	const struct uttt_state *s = state;
	unsigned n = 0;
	if (s->over)
		return 0;
	for (unsigned boards = uttt_allowed(s); boards; boards &= boards - 1) {
		unsigned board = (unsigned)__builtin_ctz(boards);
		for (unsigned squares = ALL & ~uttt_taken(s, board); squares; squares &= squares - 1)
			out[n++] = (game_move)(16 * board + (unsigned)__builtin_ctz(squares));
	}
	return n;
}

/* Removes the board that the side to move has just filled or won from the open ones. */
static void close_board(const struct uttt *u, struct uttt_state *s, unsigned board, unsigned left)
{
	unsigned bit = 1u << board, side = s->side;
	s->open &= (uint16_t)~bit;
	s->near[0] &= (uint16_t)~bit;
	s->near[1] &= (uint16_t)~bit;
	s->hope[0] &= (uint16_t)~bit;
	s->hope[1] &= (uint16_t)~bit;
	s->empty = (uint8_t)(s->empty - left);
	if (u->line[s->stones[side][board]]) {
		s->won[side] |= (uint16_t)bit;
		if (u->line[s->won[side]]) {
			s->over = 1;
			s->value = side ? -1 : 1;
		}
	} else {
		s->drawn |= (uint16_t)bit;
	}
	s->over |= !s->open;
	uttt_find_frames(u, s);
}

static void uttt_play(const struct game *game, void *state, game_move move)
{
	const struct uttt *u = uttt_of(game);
	struct uttt_state *s = state;
	unsigned board = move >> 4, square = move & 15, side = s->side;
	PD_DEBUG_ASSERT(board < 9 && square < 9 && side < 2);
	PD_DEBUG_ASSERT(!((s->stones[0][board] | s->stones[1][board]) >> square & 1));
	unsigned mine = s->stones[side][board] |= (uint16_t)(1u << square), theirs = s->stones[!side][board];
	unsigned left = ALL & ~(mine | theirs);
	s->empty--;
	if (u->line[mine] || !left) {
		close_board(u, s, board, text_count(left));
	} else {
		unsigned rest = ALL & ~(1u << board);
		s->near[side] = (uint16_t)((s->near[side] & rest) | (unsigned)((u->gap[mine] & left) != 0) << board);
		s->near[!side] =
			(uint16_t)((s->near[!side] & rest) | (unsigned)((u->gap[theirs] & left) != 0) << board);
		s->hope[!side] &= (uint16_t)(rest | (unsigned)u->line[ALL & ~mine] << board);
	}
	s->forced = (s->open >> square & !s->over) ? (uint8_t)square : FREE;
	s->side = (uint8_t)!side;
}

static bool uttt_immediate_win(const struct game *game, const void *state, int *value)
{
	const struct uttt_state *s = state;
	if (!(uttt_of(game)->gap[s->won[s->side]] & s->near[s->side] & uttt_allowed(s)))
		return false;
	*value = s->side ? -1 : 1;
	return true;
}

/* Initial numbers: mobility, without listing the moves. */
static void uttt_initial_numbers(const struct game *game, const void *state, int threshold, uint32_t num[2])
{
	const struct uttt_state *s = state;
	num[s->side] = 1;
	num[!s->side] = s->forced == FREE ? s->empty : 9 - text_count(uttt_taken(s, s->forced));
}

/* T7 of THEOREMS.md: a side without a global line left gets at most a draw. */
static bool uttt_theorem(const struct game *game, const void *state, int threshold, struct game_theorem *out,
			 uint8_t *witness)
{
	const struct uttt_state *s = state;
	unsigned side = threshold <= 0; /* the side that cannot win: the claim is refuted, or proved */
	PD_DEBUG_ASSERT(!s->over);
	if (uttt_of(game)->line[s->won[side] | s->hope[side]] || s->empty < 2)
		return false;
	*out = (struct game_theorem){.proved = side, .number = 7, .plies = s->empty, .effort = groups_effort(s->empty)};
	return true;
}

/* --- keys --------------------------------------------------------------------------------- */

/* The code of an open board under a symmetry. */
static inline unsigned code_of(const struct uttt *u, const struct uttt_state *s, unsigned symmetry, unsigned board)
{
	const uint16_t *code = u->code[symmetry];
	return code[s->stones[0][board]] + 2u * code[s->stones[1][board]];
}

/* The board to play in if that matters; FREE if only one is open. */
static inline unsigned forced_of(const struct uttt_state *s)
{
	return s->open & (s->open - 1) ? s->forced : FREE;
}

/* The symmetries in `frames` with the smallest image of the board to play in. */
static unsigned least_forced(const struct uttt *u, unsigned forced, unsigned frames)
{
	unsigned least = FREE, out = 0;
	for (unsigned rest = frames; rest; rest &= rest - 1) {
		unsigned i = (unsigned)__builtin_ctz(rest), image = u->map[i][forced];
		if (image < least) {
			least = image;
			out = 0;
		}
		if (image == least)
			out |= 1u << i;
	}
	return out;
}

/* The symmetries in `frames` with the smallest images of the open boards. */
static unsigned least_boards(const struct uttt *u, const struct uttt_state *s, unsigned frames)
{
	for (unsigned place = 0; place < BOARDS && frames & (frames - 1); place++) {
		unsigned least = CODES, out = 0;
		for (unsigned rest = frames; rest; rest &= rest - 1) {
			unsigned i = (unsigned)__builtin_ctz(rest), board = u->inverse[i][place];
			unsigned code = s->open >> board & 1 ? code_of(u, s, i, board) : 0;
			if (code < least) {
				least = code;
				out = 0;
			}
			if (code == least)
				out |= 1u << i;
		}
		frames = out;
	}
	return frames;
}

/* The symmetry that gives the key: of several the one with the smallest number, so a canonical position is its own
 * frame. */
static unsigned frame_of(const struct uttt *u, const struct uttt_state *s)
{
	unsigned frames = s->frames;
	if (frames & (frames - 1)) {
		frames = least_forced(u, forced_of(s), frames);
		frames = least_boards(u, s, frames);
	}
	return (unsigned)__builtin_ctz(frames);
}

_Static_assert(sizeof(struct uttt_state) <= GAME_STATE_MAX && HEADER + 2 * BOARDS <= GAME_KEY_MAX,
	       "game_rules.h has room");

static size_t uttt_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct uttt *u = uttt_of(game);
	const struct uttt_state *s = state;
	unsigned frame = frame_of(u, s), forced = forced_of(s), n = HEADER;
	uint32_t header = s->status << 5 | (forced == FREE ? 0 : u->map[frame][forced] + 1u) << 1 | s->side;
	PD_DEBUG_ASSERT(frame < SYMMETRIES && header >> 24 == 0);
	out[0] = (uint8_t)(header >> 16);
	out[1] = (uint8_t)(header >> 8);
	out[2] = (uint8_t)header;
	for (unsigned place = 0; place < BOARDS; place++) {
		unsigned board = u->inverse[frame][place];
		if (!(s->open >> board & 1))
			continue;
		unsigned code = code_of(u, s, frame, board);
		out[n++] = (uint8_t)(code >> 8);
		out[n++] = (uint8_t)code;
	}
	return n;
}

static game_move uttt_canon(const struct game *game, const void *state, game_move move, bool back)
{
	const struct uttt *u = uttt_of(game);
	unsigned frame = frame_of(u, state);
	const uint8_t *to = back ? u->inverse[frame] : u->map[frame];
	if (move >> 4 >= BOARDS || (move & 15) >= BOARDS) /* not a move */
		return move;
	return (game_move)(16 * to[move >> 4] + to[move & 15]);
}

/* --- twins -------------------------------------------------------------------------------- */

/* True if some symmetry that keeps the states of the boards also keeps the marks in all but at most two open boards. */
static bool nearly_symmetric(const struct uttt *u, const struct uttt_state *s)
{
	unsigned first = (unsigned)__builtin_ctz(s->frames);
	for (unsigned rest = s->frames & (s->frames - 1u); rest; rest &= rest - 1) {
		unsigned other = (unsigned)__builtin_ctz(rest), differ = 0;
		for (unsigned place = 0; place < BOARDS && differ <= 2; place++) {
			unsigned a = u->inverse[first][place], b = u->inverse[other][place];
			differ += s->open >> a & 1 && code_of(u, s, first, a) != code_of(u, s, other, b);
		}
		if (differ <= 2)
			return true;
	}
	return false;
}

/* True if a move decides its local board. */
static bool move_decides(const struct uttt *u, const struct uttt_state *s, game_move move)
{
	unsigned board = move >> 4, square = move & 15;
	return u->gap[s->stones[s->side][board]] >> square & 1 || (uttt_taken(s, board) | 1u << square) == ALL;
}

/* True if two or more moves win local boards, or two or more fill them. */
static bool many_decide(const struct uttt *u, const struct uttt_state *s)
{
	unsigned wins = 0, fills = 0, side = s->side;
	for (unsigned boards = s->near[side] & uttt_allowed(s); boards; boards &= boards - 1) {
		unsigned board = (unsigned)__builtin_ctz(boards);
		wins += text_count(u->gap[s->stones[side][board]] & ~uttt_taken(s, board));
	}
	for (unsigned boards = uttt_allowed(s) & ~s->near[side]; boards; boards &= boards - 1) {
		unsigned left = ALL & ~uttt_taken(s, (unsigned)__builtin_ctz(boards));
		fills += (left & (left - 1)) == 0;
	}
	return wins > 1 || fills > 1;
}

/* Two moves that decide no board can be twins only if the symmetry between their children keeps the states of the
 * boards and maps the position to itself except for at most one mark. After two moves that decide boards the marks
 * there do not matter; there are few such moves, so their children are compared. Moves of different kinds are not
 * twins. */
static unsigned uttt_distinct(const struct game *game, const void *state, game_move *out)
{
	const struct uttt *u = uttt_of(game);
	const struct uttt_state *s = state;
	uint8_t keys[BOARDS * BOARDS][HEADER + 2 * BOARDS], sizes[BOARDS * BOARDS];
	unsigned count = uttt_moves(game, state, out), compared = 0, kept = 0;
	bool all = nearly_symmetric(u, s);
	if (!all && !many_decide(u, s))
		return count;
	for (unsigned i = 0; i < count; i++) {
		game_move move = out[i];
		out[kept++] = move;
		if (!all && !move_decides(u, s, move))
			continue;
		struct uttt_state child = *s;
		uttt_play(game, &child, move);
		uint8_t *key = keys[compared];
		unsigned size = (unsigned)uttt_key(game, &child, key), twin = 0;
		while (twin < compared && (sizes[twin] != size || memcmp(keys[twin], key, size) != 0))
			twin++;
		kept -= twin < compared;
		sizes[compared] = (uint8_t)size;
		compared += twin == compared;
	}
	return kept;
}

/* --- positions from keys ------------------------------------------------------------------ */

/* Reads the two bytes of an open board; false if they are malformed. */
static bool read_code(const struct uttt *u, const uint8_t *bytes, struct uttt_state *s, unsigned board)
{
	unsigned code = (unsigned)bytes[0] << 8 | bytes[1];
	if (code >= CODES)
		return false;
	for (unsigned place = BOARDS; place-- > 0; code /= 3)
		if (code % 3)
			s->stones[code % 3 - 1][board] |= (uint16_t)(1u << place);
	return !u->line[s->stones[0][board]] && !u->line[s->stones[1][board]] && uttt_taken(s, board) != ALL;
}

static int uttt_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	const struct uttt *u = uttt_of(game);
	struct uttt_state s = {0};
	uint8_t again[HEADER + 2 * BOARDS];
	if (size < HEADER || size > game->key_size_max)
		return PD_E_CORRUPT;
	uint32_t header = (uint32_t)key[0] << 16 | (uint32_t)key[1] << 8 | key[2];
	unsigned forced = header >> 1 & 15, at = HEADER;
	s.side = header & 1;
	for (unsigned board = 0; board < BOARDS; board++) {
		unsigned is = header >> (5 + 2 * (BOARDS - 1 - board)) & 3;
		uint16_t *boards = is == DRAWN ? &s.drawn : &s.won[is == 2];
		if (is)
			*boards |= (uint16_t)(1u << board);
		else if (at + 2 > size || !read_code(u, key + at, &s, board))
			return PD_E_CORRUPT;
		at += is ? 0 : 2;
	}
	s.forced = (uint8_t)(forced ? forced - 1 : FREE);
	if (at != size || forced > BOARDS || (forced && uttt_state_of(&s, forced - 1)))
		return PD_E_CORRUPT;
	uttt_complete(u, &s);
	if (uttt_fault(u, &s) || uttt_key(game, &s, again) != size || memcmp(key, again, size) != 0)
		return PD_E_CORRUPT;
	uttt_make_up_marks(&s);
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* --- opening ------------------------------------------------------------------------------ */

static void uttt_start(const struct game *game, void *state)
{
	struct uttt_state s = {.forced = FREE};
	uttt_complete(uttt_of(game), &s);
	memcpy(state, &s, sizeof s);
}

static int uttt_open(const struct game_rules *rules, const char *params, const struct game_host *host,
		     struct game **out, struct pd_fail *fail)
{
	static const struct cells_form form = {.read_move = uttt_read_move};
	if (*params)
		return cells_refuse_params(rules, params, fail);
	struct uttt *u = cells_new(rules, &form, sizeof *u, fail);
	if (!u)
		return PD_E_NO_MEMORY;
	struct game *game = &u->base.game;
	uttt_prepare(u);
	game->state_size = sizeof(struct uttt_state);
	game->key_size_max = HEADER + 2 * BOARDS;
	game->moves_max = game->plies_max = BOARDS * BOARDS;
	memcpy(game->name, "uttt", sizeof "uttt");
	*out = game;
	return PD_OK;
}

const struct game_rules game_uttt_rules = {
	.abi = GAME_ABI,
	.size = sizeof(struct game_rules),
	.name = "uttt",
	.title = "Ultimate tic-tac-toe",
	.params = "none",
	.notation =
		"A position is side;global;boards: the side to move, X or O (X is First); the states of the nine local "
		"boards in reading order, X or O = won, # = drawn, . = open, @ = open and to be played in; the nine "
		"boards, separated by /, each nine characters X, O or . in reading order. A move is two letters from a "
		"to i, the local board and its square, as in ea.",
	.example = "uttt",
	.open = uttt_open,
	.close = cells_close,
	CELLS_RULES(uttt),
	.parse = uttt_parse,
	.print = uttt_print,
	.move_parse = cells_move_parse,
	.picture = uttt_picture,
	.move_print = uttt_move_print,
	.canon = uttt_canon,
	.unique_moves = uttt_distinct,
	.immediate_win = uttt_immediate_win,
	.initial_numbers = uttt_initial_numbers,
	.board = uttt_board,
	.diagram = uttt_diagram,
	.move_places = uttt_move_places,
	.set_up = uttt_set_up,
	.theorem = uttt_theorem,
};
