/* Breakthrough as text and on its board; see the essay of breakthrough.c. */
#include "solver/games/breakthrough.h"

#include <string.h>

/* --- text --------------------------------------------------------------------------------- */

static bool is_blank(char c)
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

/* The legal push straight to a square that stands for itself, b4; NULL on success, otherwise what is wrong. */
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

/* Reads a legal move at *text and moves behind it. NULL on success, otherwise what is wrong. */
static const char *read_move(const struct breakthrough *b, const struct breakthrough_state *s, const char **text,
			     game_move *out)
{
	unsigned from = 0, to, side = (unsigned)s->side, column = (unsigned)(**text - 'a');
	bool short_form = column < b->width && ((*text)[1] == 'x' || (unsigned)((*text)[1] - 'a') < b->width);
	if (short_form)
		++*text; /* axb4, ab4: the column where the man stands */
	else if (!read_square(b, text, &from))
		return "a move is two squares of the board, as in a2b3";
	if (!short_form && (!**text || is_blank(**text)))
		return read_push(b, s, from, out);
	char between = **text;
	*text += between == 'x' || between == '-';
	if (!read_square(b, text, &to) || (**text && !is_blank(**text)))
		return "a move is two squares of the board, as in a2b3";
	if (short_form)
		from = (side ? to / b->width + 1 : to / b->width - 1) * b->width + column;
	if (from >= b->squares)
		return "the side to move has no man there";
	if (has_lost(b, s))
		return "the game is over before this move";
	if (!(s->men[side] & bit_of(from)))
		return "the side to move has no man there";
	for (unsigned direction = 0; direction < DIRECTIONS; direction++)
		if ((men_that_step(b, s, direction) & bit_of(from)) && target_of(b, side, from, direction) == to) {
			*out = (game_move)(from + 64 * direction);
			bool takes = s->men[!side] & bit_of(to);
			return between == 'x' && !takes  ? "there is nothing to take on that square"
			       : between == '-' && takes ? "a man stands on that square: taking it is written with x"
							 : NULL;
		}
	return "the man cannot move there: it goes one row forward, straight onto an empty square, diagonally onto one "
	       "that no man of its own side has";
}

int breakthrough_move_parse(const struct game *game, const void *state, const char *text, game_move *out,
			    struct pd_fail *fail)
{
	const char *p = text;
	game_move move;
	const char *wrong = read_move(breakthrough_of(game), state, &p, &move);
	if (!wrong && *p)
		wrong = "something follows the move";
	if (wrong)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%s': %s", text_excerpt(text, 16).text, wrong);
	*out = move;
	return PD_OK;
}

size_t breakthrough_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	const struct breakthrough *b = breakthrough_of(game);
	const struct breakthrough_state *s = state;
	unsigned from = move % 64, to = target_of(b, (unsigned)s->side, from, move / 64);
	struct text_line line = text_line(out, size);
	text_printf(&line, "%c%u%c%u", 'a' + (int)(from % b->width), b->row[from] + 1u, 'a' + (int)(to % b->width),
		    b->row[to] + 1u);
	return line.length;
}

static int parse_moves(const struct breakthrough *b, const char *text, struct breakthrough_state *s,
		       struct pd_fail *fail)
{
	const char *p = text;
	breakthrough_start(&b->game, s);
	for (;;) {
		while (is_blank(*p))
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
			men[*p == 'p'] |= bit_of(row * b->width + column++);
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

/* What FEN has behind the side to move: castling rights and en passant, - each, and two counters. */
static const char *read_rest(const char **text)
{
	unsigned number;
	for (unsigned field = 0; **text && field < 4; field++) {
		if (**text != ' ')
			break;
		++*text;
		if (field < 2 ? *(*text)++ != '-' : !text_number(text, &number))
			return "behind the side to move may stand what a FEN has there, - - and two counters";
	}
	return **text ? "nothing follows the side to move and the fields of a FEN, - - and two counters" : NULL;
}

/* Reads rows and side; *text is then behind them, or at what is wrong. */
static const char *read_board(const struct breakthrough *b, const char **text, struct breakthrough_state *s)
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
	return read_rest(text);
}

int breakthrough_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail)
{
	const struct breakthrough *b = breakthrough_of(game);
	struct breakthrough_state s = {0};
	if (text_is_board(text)) {
		const char *p = text, *wrong = read_board(b, &p, &s);
		if (wrong)
			return pd_fail_set(fail, PD_E_POSITION, "position", "at index %zu (counted from 0): %s",
					   (size_t)(p - text), wrong);
		wrong = breakthrough_fault(b, &s);
		if (wrong)
			return pd_fail_set(fail, PD_E_POSITION, "position", "this board cannot come up: %s", wrong);
		breakthrough_complete(b, &s);
	} else {
		int rc = parse_moves(b, text, &s, fail);
		if (rc)
			return rc;
	}
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

size_t breakthrough_print(const struct game *game, const void *state, char *out, size_t size)
{
	const struct breakthrough *b = breakthrough_of(game);
	const struct breakthrough_state *s = state;
	struct text_line line = text_line(out, size);
	for (unsigned row = b->height; row-- > 0;) {
		unsigned run = 0;
		for (unsigned column = 0; column <= b->width; column++) {
			uint64_t square = column < b->width ? bit_of(row * b->width + column) : 0;
			if (square && !((s->men[0] | s->men[1]) & square)) {
				run++;
				continue;
			}
			if (run)
				text_printf(&line, "%u", run);
			if (square)
				text_char(&line, s->men[0] & square ? 'P' : 'p');
			run = 0;
		}
		text_printf(&line, row > 0 ? "/" : " %c", s->side ? 'b' : 'w');
	}
	return line.length;
}

/* --- the board as data -------------------------------------------------------------------- */

void breakthrough_board(const struct game *game, struct game_board *out)
{
	const struct breakthrough *b = breakthrough_of(game);
	out->side[0] = "White";
	out->side[1] = "Black";
	out->colour[0] = "white";
	out->colour[1] = "black";
	out->pieces = SIDES;
	out->piece[0] = (struct game_piece){'P', GAME_FIRST, GAME_DISC, "white man", NULL};
	out->piece[1] = (struct game_piece){'p', GAME_SECOND, GAME_DISC, "black man", NULL};
	game_board_grid(out, b->width, b->height, GAME_SQUARE);
}

void breakthrough_diagram(const struct game *game, const void *state, struct game_diagram *out)
{
	const struct breakthrough *b = breakthrough_of(game);
	const struct breakthrough_state *s = state;
	for (unsigned i = 0; i < b->squares; i++)
		out->on[i] = s->men[0] & bit_of(i) ? 1 : s->men[1] & bit_of(i) ? 2 : 0;
	out->to_move = has_lost(b, s) ? GAME_NO_SIDE : s->side ? GAME_SECOND : GAME_FIRST;
}

unsigned breakthrough_move_places(const struct game *game, const void *state, game_move move,
				  uint16_t out[GAME_MOVE_PLACES_MAX])
{
	const struct breakthrough_state *s = state;
	out[0] = move % 64;
	out[1] = (uint16_t)target_of(breakthrough_of(game), (unsigned)s->side, move % 64, move / 64);
	return 2;
}

int breakthrough_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail)
{
	const struct breakthrough *b = breakthrough_of(game);
	struct breakthrough_state s = {0};
	for (unsigned i = 0; i < b->squares; i++) {
		if (diagram->on[i] > SIDES)
			return pd_fail_set(fail, PD_E_POSITION, "position", "there is no such piece");
		if (diagram->on[i])
			s.men[diagram->on[i] - 1] |= bit_of(i);
	}
	if (diagram->note[0])
		return pd_fail_set(fail, PD_E_POSITION, "position", "a position has no note");
	s.side = diagram->to_move == GAME_SECOND;
	const char *wrong = breakthrough_fault(b, &s);
	if (wrong && diagram->to_move == GAME_NO_SIDE) { /* when the game is over the loser is to move */
		s.side = 1;
		wrong = breakthrough_fault(b, &s);
	}
	if (!wrong && diagram->to_move == GAME_NO_SIDE && !has_lost(b, &s))
		wrong = "the game is not over, and no side is to move";
	if (wrong)
		return pd_fail_set(fail, PD_E_POSITION, "position", "this board cannot come up: %s", wrong);
	breakthrough_complete(b, &s);
	memcpy(state, &s, sizeof s);
	return PD_OK;
}
