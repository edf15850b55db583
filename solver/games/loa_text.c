/* Lines of Action as text: moves, boards and lists of moves; see the essay of loa.c. */
#include "solver/games/loa.h"

#include <string.h>

#include "solver/games/text.h"

/* --- moves as text ------------------------------------------------------------------------ */

static bool is_blank(char c)
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
	return **text && !is_blank(**text) ? "something follows the move" : NULL;
}

/* What is wrong with a move in a position; NULL when it is legal. */
static const char *find_illegal(const struct loa *m, const struct loa_state *s, game_move move)
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
		return "a side that has a legal move may not pass";
	if (moves[0] == PASS)
		return "the side to move has no legal move and passes";
	if (!(s->men[s->side] & loa_bit(move / SQUARES_MAX)))
		return "the side to move has no man there";
	return "the man cannot move there: it goes as many squares as there are men on the line, not over enemy men, "
	       "not "
	       "onto its own";
}

int loa_move_parse(const struct game *game, const void *state, const char *text, game_move *out, struct pd_fail *fail)
{
	const char *p = text;
	game_move move;
	const char *wrong = read_move(loa_of(game), &p, &move);
	if (!wrong && *p)
		wrong = "something follows the move";
	if (!wrong)
		wrong = find_illegal(loa_of(game), state, move);
	if (wrong)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%s': %s", text_excerpt(text, 16).text, wrong);
	*out = move;
	return PD_OK;
}

size_t loa_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	unsigned n = loa_of(game)->n, from = move / SQUARES_MAX, to = move % SQUARES_MAX;
	const struct loa_state *s = state;
	struct text_line line = text_line(out, size);
	if (move == PASS)
		text_printf(&line, "pass");
	else
		text_printf(&line, "%c%u%c%c%u", 'a' + (int)(from % n), from / n + 1,
			    s->men[!s->side] & loa_bit(to) ? 'x' : '-', 'a' + (int)(to % n), to / n + 1);
	return line.length;
}

/* --- positions as text -------------------------------------------------------------------- */

static int parse_moves(const struct loa *m, const char *text, struct loa_state *s, struct pd_fail *fail)
{
	const char *p = text;
	loa_start(&m->game, s);
	for (;;) {
		while (is_blank(*p))
			p++;
		if (!*p)
			return PD_OK;
		const char *start = p;
		game_move move;
		const char *wrong = read_move(m, &p, &move);
		if (!wrong)
			wrong = find_illegal(m, s, move);
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
			men[c == 'w'] |= loa_bit(loa_square(m, row * m->n + i++));
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
static const char *read_board(const struct loa *m, const char **text, struct loa_state *s)
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

/* What is wrong with the men; NULL when nothing is. */
static const char *find_fault(const struct loa_state *s)
{
	return !s->men[BLACK]   ? "Black has no men; each side has one at least"
	       : !s->men[WHITE] ? "White has no men; each side has one at least"
				: NULL;
}

static int parse_board(const struct loa *m, const char *text, struct loa_state *s, struct pd_fail *fail)
{
	const char *p = text, *wrong = read_board(m, &p, s);
	if (wrong)
		return pd_fail_set(fail, PD_E_POSITION, "position",
				   "at index %zu (counted from 0): %s; the board has %u rows and columns",
				   (size_t)(p - text), wrong, m->n);
	wrong = find_fault(s);
	if (wrong)
		return pd_fail_set(fail, PD_E_POSITION, "position", "%s", wrong);
	loa_complete(m, s);
	return PD_OK;
}

int loa_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail)
{
	const struct loa *m = loa_of(game);
	struct loa_state s = {0};
	int rc = text_is_board(text) ? parse_board(m, text, &s, fail) : parse_moves(m, text, &s, fail);
	if (!rc)
		memcpy(state, &s, sizeof s);
	return rc;
}

/* 'b', 'w', or 0 for an empty square. */
static char man_at(const struct loa_state *s, unsigned square)
{
	if (s->men[BLACK] & loa_bit(square))
		return 'b';
	return s->men[WHITE] & loa_bit(square) ? 'w' : 0;
}

size_t loa_print(const struct game *game, const void *state, char *out, size_t size)
{
	const struct loa *m = loa_of(game);
	const struct loa_state *s = state;
	struct text_line line = text_line(out, size);
	for (unsigned i = 0, run = 0; i < m->squares; i++) {
		char c = man_at(s, loa_square(m, i));
		bool last = (i + 1) % m->n == 0;
		run += !c;
		if (run && (c || last))
			text_printf(&line, "%u", run);
		run = c || last ? 0 : run;
		if (c)
			text_char(&line, c);
		if (last)
			text_printf(&line, i + 1 < m->squares ? "/" : " ");
	}
	text_char(&line, s->side == BLACK ? 'b' : 'w');
	return line.length;
}

/* --- the board ---------------------------------------------------------------------------- */

void loa_board(const struct game *game, struct game_board *out)
{
	game_board_grid(out, loa_of(game)->n, loa_of(game)->n, GAME_SQUARE);
	out->side[BLACK] = "Black";
	out->side[WHITE] = "White";
	out->piece[out->pieces++] = (struct game_piece){'b', GAME_FIRST, GAME_DISC, "black man", NULL};
	out->piece[out->pieces++] = (struct game_piece){'w', GAME_SECOND, GAME_DISC, "white man", NULL};
}

void loa_diagram(const struct game *game, const void *state, struct game_diagram *out)
{
	const struct loa_state *s = state;
	for (unsigned square = 0; square < loa_of(game)->squares; square++)
		out->on[square] = s->men[BLACK] & loa_bit(square) ? 1 : s->men[WHITE] & loa_bit(square) ? 2 : 0;
	out->to_move = s->end ? GAME_NO_SIDE : s->side == BLACK ? GAME_FIRST : GAME_SECOND;
}

unsigned loa_move_places(const struct game *game, const void *state, game_move move, uint16_t out[GAME_MOVE_PLACES_MAX])
{
	if (move == PASS)
		return 0;
	out[0] = move / SQUARES_MAX;
	out[1] = move % SQUARES_MAX;
	return 2;
}

int loa_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail)
{
	const struct loa *m = loa_of(game);
	struct loa_state s = {0};
	for (unsigned square = 0; square < m->squares; square++) {
		unsigned on = diagram->on[square];
		if (on > 2)
			return pd_fail_set(fail, PD_E_POSITION, "position", "there is no such piece");
		if (on)
			s.men[on == 2] |= loa_bit(square);
	}
	if (diagram->to_move >= GAME_NO_SIDE)
		return pd_fail_set(fail, PD_E_POSITION, "position", "it is not said who is to move");
	s.side = diagram->to_move == GAME_FIRST ? BLACK : WHITE;
	const char *wrong = find_fault(&s);
	if (wrong)
		return pd_fail_set(fail, PD_E_POSITION, "position", "%s", wrong);
	loa_complete(m, &s);
	memcpy(state, &s, sizeof s);
	return PD_OK;
}
