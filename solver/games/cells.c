#include "solver/games/cells.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"

static const char follows[] = "something follows the move", off_board[] = "the square is not on the board";

static const struct cells_game *cells_of(const struct game *game)
{
	return (const struct cells_game *)game;
}

bool cells_blank(char c)
{
	return c == ' ' || c == ',' || c == '\t';
}

int cells_refuse(struct pd_fail *fail, const char *wrong)
{
	return wrong ? pd_fail_set(fail, PD_E_POSITION, "position", "%s", wrong) : PD_OK;
}

/* The end of an error about a square off the board: the range of squares. Empty for other errors. */
struct range {
	char text[32];
};

static struct range range_of(const struct cells_game *g, const char *wrong)
{
	struct range r = {""};
	struct text_line line = text_line(r.text, sizeof r.text);
	if (wrong == off_board) {
		text_printf(&line, "; the squares are a1 to ");
		cells_place_print(g, g->width * g->height - 1, &line);
	}
	return r;
}

uint8_t cells_turn(const struct game *game, const void *state)
{
	int value;
	if (game->rules->terminal(game, state, &value))
		return GAME_NO_SIDE;
	return game->rules->first_to_move(game, state) ? GAME_FIRST : GAME_SECOND;
}

/* --- boards ------------------------------------------------------------------------------- */

/* The row of the board that is the i-th one from the end of a text. */
static unsigned row_of(const struct cells_game *g, unsigned i)
{
	return g->form->from_top ? g->height - 1 - i : i;
}

static const char *read_row(const struct cells_game *g, const char **text, uint8_t *row)
{
	const char *letters = g->form->letters;
	unsigned column = 0;
	while (column < g->width) {
		const char *letter = **text ? strchr(letters, **text) : NULL, *start = *text;
		unsigned run = (unsigned)(**text - '0');
		if (letter) {
			row[column++] = (uint8_t)(letter - letters + 1);
			++*text;
		} else if (**text >= '1' && **text <= '9') {
			*text += g->width <= 9;
			if ((g->width > 9 && !text_number(text, &run)) || run > g->width - column) {
				*text = start;
				return "the row is longer than the board is wide";
			}
			memset(row + column, 0, run);
			column += run;
		} else if (**text == '/' || !**text || **text == ' ') {
			return "the row is shorter than the board is wide";
		} else {
			return "a row is made of letters for pieces and numbers for runs of empty squares";
		}
	}
	return NULL;
}

const char *cells_read(const struct cells_game *g, const char **text, uint8_t *at)
{
	PD_ASSERT(g->width && g->height);
	for (unsigned i = g->height; i-- > 0;) {
		const char *wrong = read_row(g, text, at + row_of(g, i) * g->width);
		bool slash = i > 0 || g->height == 1;
		if (wrong)
			return wrong;
		if (slash && **text != '/')
			return **text && **text != ' ' ? "the row is longer than the board is wide"
						       : "the board has more rows";
		*text += slash;
	}
	return **text && **text != ' ' ? "the board has no more rows, and the last one is complete" : NULL;
}

void cells_print_rows(const struct cells_game *g, const uint8_t *at, struct text_line *line)
{
	for (unsigned i = g->height; i-- > 0;) {
		const uint8_t *row = at + row_of(g, i) * g->width;
		for (unsigned column = 0, run = 0; column < g->width; column++) {
			bool last = column + 1 == g->width;
			run += !row[column];
			if (run && (row[column] || last))
				text_printf(line, "%u", run);
			if (row[column]) {
				text_char(line, g->form->letters[row[column] - 1]);
				run = 0;
			}
		}
		if (i > 0 || g->height == 1)
			text_char(line, '/');
	}
}

/* Reads blanks, the letter of the side to move and the end of the text. */
static const char *read_side(const struct cells_form *form, const char **text, uint8_t *turn)
{
	*turn = GAME_NO_SIDE;
	if (!**text && form->side_optional)
		return NULL;
	if (**text != ' ')
		return "a blank and the side to move follow the board";
	*text += strspn(*text, " ");
	if (!**text || !strchr(form->sides, **text))
		return "the side to move is one letter at the end of the text";
	*turn = **text == form->sides[GAME_FIRST] ? GAME_FIRST : GAME_SECOND;
	const char *rest = *text + 1;
	if (*rest && form->read_rest) {
		*text = rest;
		return form->read_rest(text);
	}
	return *rest ? "the side to move is one letter at the end of the text" : NULL;
}

static const char *read_moves(const struct game *game, const char **text, void *state)
{
	const struct cells_form *form = cells_of(game)->form;
	for (;;) {
		while (cells_blank(**text))
			++*text;
		if (!**text)
			return NULL;
		if (form->play_omitted)
			form->play_omitted(game, *text, state);
		game_move move;
		const char *p = *text, *wrong = form->read_move(game, state, &p, &move);
		if (!wrong && *p && !cells_blank(*p) && !form->no_blanks)
			wrong = follows;
		if (wrong)
			return wrong;
		game->rules->play(game, state, move);
		*text = p;
	}
}

int cells_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail)
{
	const struct cells_form *form = cells_of(game)->form;
	_Alignas(16) uint8_t s[GAME_STATE_MAX] = {0};
	struct cells cells;
	const char *p = text, *wrong;
	size_t quoted = 12;
	if (form->is_board ? form->is_board(text) : strchr(text, '/') != NULL) {
		wrong = form->read_board ? form->read_board(game, &p, s) : cells_read(cells_of(game), &p, cells.at);
		if (!wrong && !form->read_board) {
			wrong = read_side(form, &p, &cells.turn);
			int rc = wrong ? PD_OK : form->from_cells(game, &cells, s, fail);
			if (rc)
				return rc;
		}
	} else {
		game->rules->start(game, s);
		wrong = read_moves(game, &p, s);
		quoted = form->no_blanks ? 2 : strcspn(p, " ,\t");
	}
	if (wrong)
		return pd_fail_set(fail, PD_E_POSITION, "position", "at index %zu (counted from 0), '%s': %s%s",
				   (size_t)(p - text), text_excerpt(p, quoted).text, wrong,
				   range_of(cells_of(game), wrong).text);
	memcpy(state, s, game->state_size);
	return PD_OK;
}

size_t cells_print(const struct game *game, const void *state, char *out, size_t size)
{
	const struct cells_form *form = cells_of(game)->form;
	struct text_line line = text_line(out, size);
	struct cells cells;
	form->to_cells(game, state, &cells);
	cells_print_rows(cells_of(game), cells.at, &line);
	if (cells.turn < GAME_NO_SIDE)
		text_printf(&line, " %c", form->sides[cells.turn]);
	return line.length;
}

void cells_diagram(const struct game *game, const void *state, struct game_diagram *out)
{
	const struct cells_game *g = cells_of(game);
	struct cells cells;
	g->form->to_cells(game, state, &cells);
	memcpy(out->on, cells.at, g->width * g->height);
	out->to_move = cells_turn(game, state);
}

/* Makes the state of a game that is over, in which the side to move is not stated. */
static int from_finished(const struct game *game, struct cells *cells, void *state, struct pd_fail *fail)
{
	const struct cells_form *form = cells_of(game)->form;
	for (unsigned i = 0; i < 2; i++) {
		cells->turn = i != form->second_first;
		if (!form->from_cells(game, cells, state, fail) && cells_turn(game, state) == GAME_NO_SIDE)
			return PD_OK;
	}
	return cells_refuse(fail, "the game is not over: name the side to move");
}

int cells_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail)
{
	const struct cells_game *g = cells_of(game);
	_Alignas(16) uint8_t s[GAME_STATE_MAX];
	struct cells cells = {.turn = diagram->to_move < GAME_NO_SIDE ? diagram->to_move : GAME_NO_SIDE};
	const char *wrong = diagram->note[0] ? "positions of this game have no note" : NULL;
	for (unsigned i = 0; i < g->width * g->height && !wrong; i++) {
		cells.at[i] = diagram->on[i];
		if (cells.at[i] > strlen(g->form->letters))
			wrong = "the game has no such piece";
	}
	int rc = wrong                                                   ? cells_refuse(fail, wrong)
		 : cells.turn == GAME_NO_SIDE && !g->form->side_optional ? from_finished(game, &cells, s, fail)
									 : g->form->from_cells(game, &cells, s, fail);
	if (!rc)
		memcpy(state, s, game->state_size);
	return rc;
}

/* --- moves -------------------------------------------------------------------------------- */

const char *cells_place_read(const struct cells_game *g, const char **text, unsigned *place)
{
	const char *p = *text;
	unsigned column = 0, row, letters = 0;
	while (*p >= 'a' && *p <= 'z' && letters++ < 2)
		column = column * 26 + (unsigned)(*p++ - 'a') + 1;
	if (!column || !text_number(&p, &row))
		return "a square is a column letter and a row number, as in b3";
	if (column > g->width || row < 1 || row > g->height)
		return off_board;
	*text = p;
	*place = (row - 1) * g->width + column - 1;
	return NULL;
}

void cells_place_print(const struct cells_game *g, unsigned place, struct text_line *line)
{
	unsigned column = place % g->width;
	PD_ASSERT(column < CELLS_COLUMNS_MAX);
	if (column >= 26)
		text_char(line, (char)('a' + (column / 26 - 1)));
	text_printf(line, "%c%u", (char)('a' + column % 26), place / g->width + 1);
}

int cells_move_parse(const struct game *game, const void *state, const char *text, game_move *out, struct pd_fail *fail)
{
	game_move move;
	const char *p = text, *wrong = cells_of(game)->form->read_move(game, state, &p, &move);
	if (!wrong && *p)
		wrong = follows;
	if (wrong)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%s': %s%s", text_excerpt(text, 16).text, wrong,
				   range_of(cells_of(game), wrong).text);
	*out = move;
	return PD_OK;
}

const char *cells_read_place_move(const struct game *game, const void *state, const char **text, game_move *out)
{
	struct cells cells;
	unsigned place;
	int value;
	const char *wrong = cells_place_read(cells_of(game), text, &place);
	if (wrong)
		return wrong;
	if (game->rules->terminal(game, state, &value))
		return "the game is over before this move";
	cells_of(game)->form->to_cells(game, state, &cells);
	*out = (game_move)place;
	return cells.at[place] ? "the square is taken" : NULL;
}

size_t cells_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	cells_place_print(cells_of(game), move, &line);
	return line.length;
}

unsigned cells_move_places(const struct game *game, const void *state, game_move move,
			   uint16_t out[GAME_MOVE_PLACES_MAX])
{
	out[0] = move;
	return 1;
}

unsigned cells_move_square(const struct game *game, const void *state, game_move move)
{
	(void)game;
	(void)state;
	return move;
}

unsigned cells_last_place(const struct game *game, const void *state, game_move move)
{
	uint16_t places[GAME_MOVE_PLACES_MAX];
	unsigned count = game->rules->move_places(game, state, move, places);
	return count ? places[count - 1] : GAME_PLACES_MAX;
}

/* --- opening ------------------------------------------------------------------------------ */

void *cells_new(const struct game_rules *rules, const struct cells_form *form, size_t size, struct pd_fail *fail)
{
	struct cells_game *g = calloc(1, size);
	if (!g) {
		pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a game of %s", rules->name);
		return NULL;
	}
	g->form = form;
	g->game = (struct game){
		.rules = rules, .rules_version = 1, .value_min = -1, .value_max = 1, .value_step = 1, .acyclic = true};
	return g;
}

void cells_close(struct game *game)
{
	free(game);
}

int cells_refuse_params(const struct game_rules *rules, const char *params, struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_GAME, "game", "bad parameters '%s': %s takes %s", text_excerpt(params, 24).text,
			   rules->name, rules->params);
}

bool cells_size_read(const char *params, unsigned *width, unsigned *height)
{
	return text_number(&params, width) && *params++ == 'x' && text_number(&params, height) && !*params && *width &&
	       *height;
}
