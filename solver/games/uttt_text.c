#include "solver/games/uttt_text.h"

#include <string.h>

#include "solver/games/uttt_board.h"

/* Indices in the text of a position. */
enum { GLOBAL = 2, LOCAL = GLOBAL + BOARDS + 1, LENGTH = LOCAL + BOARDS * (BOARDS + 1) - 1 };

static int wrong_at(const char *text, unsigned index, const char *wanted, struct pd_fail *fail)
{
	if (!text[index])
		return pd_fail_set(fail, PD_E_POSITION, "position", "the text ends at index %u (counted from 0): %s",
				   index, wanted);
	return pd_fail_set(fail, PD_E_POSITION, "position", "at index %u (counted from 0), '%s': %s", index,
			   text_excerpt(text + index, 1).text, wanted);
}

/* What is wrong with a local board of the stated state `is` (X, O, #, . or @); NULL if nothing is. */
static const char *local_fault(const struct uttt *u, const struct uttt_state *s, unsigned board, char is)
{
	unsigned x = s->stones[0][board], o = s->stones[1][board];
	if (u->line[x] && u->line[o])
		return "both sides have three in line";
	if ((u->line[x] && !uttt_one_move_made(u, x)) || (u->line[o] && !uttt_one_move_made(u, o)))
		return "play in it went on after three in line";
	if (is == 'X' && !u->line[x])
		return "it is marked X in the global state, but X has no three in line";
	if (is == 'O' && !u->line[o])
		return "it is marked O in the global state, but O has no three in line";
	if (u->line[x] || u->line[o])
		return is == 'X' || is == 'O' ? NULL : "it is won, but the global state does not say so";
	if (is == '#')
		return (x | o) == ALL ? NULL : "it is marked # in the global state, but is not full";
	return (x | o) == ALL ? "it is full, but the global state does not say so: # for a draw" : NULL;
}

static int parse_global(const char *text, struct uttt_state *s, struct pd_fail *fail)
{
	s->side = text[0] == 'O';
	s->forced = FREE;
	if (text[0] != 'X' && text[0] != 'O')
		return wrong_at(text, 0, "a position begins with the side to move, X or O", fail);
	if (text[1] != ';')
		return wrong_at(text, 1, "a ; follows the side to move", fail);
	for (unsigned board = 0; board < BOARDS; board++) {
		unsigned index = GLOBAL + board;
		char c = text[index];
		if (!c || !strchr("XO#.@", c))
			return wrong_at(text, index,
					"the state of a local board is X, O, #, . or @, and there are nine of them",
					fail);
		if (c == '@' && s->forced != FREE)
			return wrong_at(text, index, "a second board to play in; at most one is possible", fail);
		if (c == '@')
			s->forced = (uint8_t)board;
		if (c == '#')
			s->drawn |= (uint16_t)(1u << board);
		if (c == 'X' || c == 'O')
			s->won[c == 'O'] |= (uint16_t)(1u << board);
	}
	return text[LOCAL - 1] == ';' ? PD_OK
				      : wrong_at(text, LOCAL - 1, "a ; follows the nine states of boards", fail);
}

static int parse_local(const struct uttt *u, const char *text, struct uttt_state *s, struct pd_fail *fail)
{
	for (unsigned board = 0; board < BOARDS; board++) {
		unsigned index = LOCAL + board * (BOARDS + 1), place;
		if (!uttt_read_marks(text + index, s, board, &place))
			return wrong_at(text, index + place, "a local board has nine squares, each X, O or .", fail);
		index += BOARDS;
		if (board + 1 < BOARDS && text[index] != '/')
			return wrong_at(text, index, "a / separates local boards, of nine squares each", fail);
		if (board + 1 == BOARDS && text[index])
			return wrong_at(text, index, "a position ends after the ninth square of the ninth board", fail);
	}
	for (unsigned board = 0; board < BOARDS; board++) {
		const char *wrong = local_fault(u, s, board, text[GLOBAL + board]);
		if (wrong)
			return pd_fail_set(fail, PD_E_POSITION, "position",
					   "local board %c (from index %u, counted from 0): %s", 'a' + board,
					   LOCAL + board * (BOARDS + 1), wrong);
	}
	return PD_OK;
}

int uttt_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail)
{
	const struct uttt *u = uttt_of(game);
	struct uttt_state s = {0};
	if (!*text) {
		game->rules->start(game, state);
		return PD_OK;
	}
	int rc = parse_global(text, &s, fail);
	if (!rc)
		rc = parse_local(u, text, &s, fail);
	if (rc)
		return rc;
	unsigned count[2] = {0, 0};
	for (unsigned board = 0; board < BOARDS; board++)
		for (unsigned side = 0; side < 2; side++)
			count[side] += text_count(s.stones[side][board]);
	if (count[0] != count[1] + s.side)
		return pd_fail_set(fail, PD_E_POSITION, "position", "with %s to move X has %s, not %u marks against %u",
				   s.side ? "O" : "X", s.side ? "one mark more than O" : "as many marks as O", count[0],
				   count[1]);
	uttt_complete(u, &s);
	const char *wrong = uttt_fault(u, &s);
	if (wrong)
		return cells_refuse(fail, wrong);
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

static char mark_of(const struct uttt_state *s, unsigned board, unsigned square)
{
	return s->stones[0][board] >> square & 1 ? 'X' : s->stones[1][board] >> square & 1 ? 'O' : '.';
}

size_t uttt_print(const struct game *game, const void *state, char *out, size_t size)
{
	const struct uttt_state *s = state;
	char text[LENGTH + 1] = "X;.........;", *p = text + LOCAL;
	text[0] = s->side ? 'O' : 'X';
	for (unsigned board = 0; board < BOARDS; board++) {
		text[GLOBAL + board] = ".XO#"[uttt_state_of(s, board)];
		for (unsigned square = 0; square < BOARDS; square++)
			*p++ = mark_of(s, board, square);
		*p++ = board + 1 < BOARDS ? '/' : 0;
	}
	if (s->forced != FREE)
		text[GLOBAL + s->forced] = '@';
	struct text_line line = text_line(out, size);
	text_printf(&line, "%s", text);
	return line.length;
}

/* The nine boards in place, and the global board next to them. */
size_t uttt_picture(const struct game *game, const void *state, char *out, size_t size)
{
	const struct uttt_state *s = state;
	struct text_line line = text_line(out, size);
	for (unsigned row = 0; row < BOARDS; row++) {
		if (row % 3 == 0 && row)
			text_printf(&line, " ------+-------+------\n");
		for (unsigned column = 0; column < BOARDS; column++)
			text_printf(&line, "%s %c", column % 3 == 0 && column ? " |" : "",
				    mark_of(s, row / 3 * 3 + column / 3, row % 3 * 3 + column % 3));
		for (unsigned column = 0; column < 3 && row % 3 == 1; column++) {
			unsigned board = row / 3 * 3 + column;
			text_printf(&line, "%s%c", column ? " " : "     ",
				    board == s->forced ? '@' : ".XO#"[uttt_state_of(s, board)]);
		}
		text_printf(&line, "\n");
	}
	return line.length;
}

const char *uttt_read_move(const struct game *game, const void *state, const char **text, game_move *out)
{
	const struct uttt_state *s = state;
	const char *p = *text;
	if (p[0] < 'a' || p[0] > 'i' || p[1] < 'a' || p[1] > 'i')
		return "a move is two letters from a to i, the local board and its square";
	unsigned board = (unsigned)(p[0] - 'a'), square = (unsigned)(p[1] - 'a');
	*text += 2;
	*out = (game_move)(16 * board + square);
	if (s->over)
		return "the game is over";
	if (!(s->open >> board & 1))
		return "that local board is decided";
	if (!(uttt_allowed(s) >> board & 1))
		return "the last move sends to another local board";
	return uttt_taken(s, board) >> square & 1 ? "the square is taken" : NULL;
}

size_t uttt_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	text_printf(&line, "%c%c", 'a' + (move >> 4), 'a' + (move & 15));
	return line.length;
}

/* --- the board ---------------------------------------------------------------------------- */

enum { CELL = 12, SIDE = 9 };

static const char note_head[] = "boards ";

/* Place = 9 * local board + square. */
void uttt_board(const struct game *game, struct game_board *out)
{
	static const struct game_piece marks[] = {{'X', GAME_FIRST, GAME_CROSS, "cross", NULL},
						  {'O', GAME_SECOND, GAME_RING, "nought", NULL}};
	for (unsigned i = 0; i < BOARDS * BOARDS; i++) {
		unsigned board = i / BOARDS, square = i % BOARDS;
		unsigned column = board % 3 * 3 + square % 3, row = board / 3 * 3 + square / 3;
		out->place[out->places++] = (struct game_place){
			.x = (int16_t)(CELL * column),
			.y = (int16_t)(CELL * row),
			.shape = GAME_SQUARE,
			.region = (uint8_t)(1 + board),
			.name = {(char)('a' + board), (char)('a' + square)},
		};
	}
	for (int i = 1; i < 3; i++) {
		int16_t at = (int16_t)(CELL * 3 * i - CELL / 2), end = CELL * SIDE - CELL / 2;
		out->stroke[out->strokes++] = (struct game_stroke){at, -CELL / 2, at, end, GAME_NO_SIDE, 1};
		out->stroke[out->strokes++] = (struct game_stroke){-CELL / 2, at, end, at, GAME_NO_SIDE, 1};
	}
	/* Letters of the outer local boards, around the global one; the squares of each board have the same letters. */
	for (unsigned board = 0; board < BOARDS; board++) {
		int x = (int)(board % 3) - 1, y = (int)(board / 3) - 1, edge = CELL * SIDE / 2 + 5;
		if (!x && !y)
			continue;
		struct game_label *l = &out->label[out->labels++];
		l->x = (int16_t)(CELL * (SIDE - 1) / 2 + (y ? 3 * CELL * x : edge * x));
		l->y = (int16_t)(CELL * (SIDE - 1) / 2 + edge * y);
		l->text[0] = (char)('a' + board);
	}
	out->side[0] = "X";
	out->side[1] = "O";
	out->pieces = 2;
	memcpy(out->piece, marks, sizeof marks);
}

/* The note is the states of the local boards, as in a position. */
void uttt_diagram(const struct game *game, const void *state, struct game_diagram *out)
{
	const struct uttt_state *s = state;
	char text[LENGTH + 1];
	for (unsigned i = 0; i < BOARDS * BOARDS; i++) {
		char mark = mark_of(s, i / BOARDS, i % BOARDS);
		out->on[i] = mark == 'X' ? 1 : mark == 'O' ? 2 : 0;
		out->playable[i] = !s->over && mark == '.' && (uttt_allowed(s) >> i / BOARDS & 1);
	}
	out->to_move = s->over ? GAME_NO_SIDE : s->side ? GAME_SECOND : GAME_FIRST;
	uttt_print(game, state, text, sizeof text);
	struct text_line line = text_line(out->note, sizeof out->note);
	text_printf(&line, "%s%.*s", note_head, (int)BOARDS, text + GLOBAL);
}

unsigned uttt_move_places(const struct game *game, const void *state, game_move move,
			  uint16_t out[GAME_MOVE_PLACES_MAX])
{
	out[0] = (uint16_t)((move >> 4) * BOARDS + (move & 15));
	return 1;
}

/* The state of a local board, from its marks alone. */
static char shown_state(const struct uttt *u, const char *marks)
{
	unsigned stones[2] = {0, 0};
	for (unsigned i = 0; i < BOARDS; i++)
		if (marks[i] != '.')
			stones[marks[i] == 'O'] |= 1u << i;
	if (u->line[stones[0]] || u->line[stones[1]])
		return u->line[stones[0]] ? 'X' : 'O';
	return (stones[0] | stones[1]) == ALL ? '#' : '.';
}

int uttt_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail)
{
	char text[LENGTH + 1], *p = text + LOCAL;
	bool noted = !strncmp(diagram->note, note_head, sizeof note_head - 1) &&
		     strlen(diagram->note) == sizeof note_head - 1 + BOARDS;
	if (diagram->to_move >= GAME_NO_SIDE || (diagram->note[0] && !noted))
		return cells_refuse(fail, noted || !diagram->note[0]
						  ? "name the side to move"
						  : "the note is 'boards' and the states of nine boards");
	text[0] = diagram->to_move == GAME_FIRST ? 'X' : 'O';
	text[1] = text[LOCAL - 1] = ';';
	for (unsigned board = 0; board < BOARDS; board++) {
		char *marks = p;
		for (unsigned square = 0; square < BOARDS; square++) {
			unsigned on = diagram->on[board * BOARDS + square];
			if (on > 2)
				return cells_refuse(fail, "the game has no such piece");
			*p++ = ".XO"[on];
		}
		text[GLOBAL + board] =
			noted ? diagram->note[sizeof note_head - 1 + board] : shown_state(uttt_of(game), marks);
		*p++ = board + 1 < BOARDS ? '/' : 0;
	}
	return uttt_parse(game, text, state, fail);
}
