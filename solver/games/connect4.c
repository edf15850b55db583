#include "solver/games/connect4.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/processor.h"

/* --- text --------------------------------------------------------------------------------- */

static const struct connect4 *head_of(const struct game *game)
{
	return (const struct connect4 *)game;
}

static char column_letter(unsigned column)
{
	PD_ASSERT(column < CONNECT4_COLUMNS_MAX);
	return (char)(column < 9 ? '1' + column : 'a' + (column - 9));
}

/* Sets the state to that board. */
static int set_board(const struct connect4 *c, const struct cells_xo *board, void *state, struct pd_fail *fail)
{
	unsigned stones[3] = {0};
	for (unsigned row = 1; row < c->height; row++)
		for (unsigned column = 0; column < c->width; column++)
			if (board->at[row * c->width + column] && !board->at[(row - 1) * c->width + column])
				return pd_fail_set(
					fail, PD_E_POSITION, "position",
					"the stone in column %c, row %u from the bottom lies on an empty square",
					column_letter(column), row + 1);
	for (unsigned i = 0; i < c->width * c->height; i++)
		stones[board->at[i]]++;
	if (stones[CELLS_XO_FIRST] != stones[CELLS_XO_SECOND] && stones[CELLS_XO_FIRST] != stones[CELLS_XO_SECOND] + 1)
		return pd_fail_set(fail, PD_E_POSITION, "position",
				   "x has %u stones and o has %u, and x has as many as o, or one more",
				   stones[CELLS_XO_FIRST], stones[CELLS_XO_SECOND]);
	_Alignas(16) uint8_t made[GAME_STATE_MAX];
	const char *wrong = c->from_letters(c, board, made);
	if (wrong)
		return pd_fail_set(fail, PD_E_POSITION, "position", "this board cannot come up: %s", wrong);
	int rc = cells_check_turn(&c->game, board->turn, made, fail);
	if (!rc)
		memcpy(state, made, c->game.state_size);
	return rc;
}

static int parse_columns(const struct connect4 *c, const char *text, void *state, struct pd_fail *fail)
{
	_Alignas(16) uint8_t s[GAME_STATE_MAX];
	size_t at;
	c->game.rules->start(&c->game, s);
	const char *wrong = c->drop(c, s, text, SIZE_MAX, &at);
	if (wrong)
		return pd_fail_set(fail, PD_E_POSITION, "position",
				   "at index %zu (counted from 0), column '%s': %s; the columns are 1 to %c", at,
				   text_excerpt(text + at, 1).text, wrong, column_letter(c->width - 1));
	memcpy(state, s, c->game.state_size);
	return PD_OK;
}

int connect4_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail)
{
	const struct connect4 *c = head_of(game);
	struct cells_xo board = {.width = c->width, .height = c->height};
	if (!text_is_board(text))
		return parse_columns(c, text, state, fail);
	int rc = cells_xo_parse(&board, text, fail);
	return rc ? rc : set_board(c, &board, state, fail);
}

size_t connect4_print(const struct game *game, const void *state, char *out, size_t size)
{
	struct cells_xo board;
	head_of(game)->letters(head_of(game), state, &board);
	return cells_xo_print(&board, out, size);
}

int connect4_move_parse(const struct game *game, const void *state, const char *text, game_move *out,
			struct pd_fail *fail)
{
	const struct connect4 *c = head_of(game);
	_Alignas(16) uint8_t s[GAME_STATE_MAX];
	size_t at;
	memcpy(s, state, game->state_size);
	const char *wrong = text[0] && text[1] ? "a move is one character" : c->drop(c, s, text, 1, &at);
	if (!text[0])
		wrong = "there is no such column";
	if (wrong)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%s': %s; the columns are 1 to %c",
				   text_excerpt(text, 16).text, wrong, column_letter(c->width - 1));
	*out = (game_move)connect4_column(c, text[0]);
	return PD_OK;
}

size_t connect4_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	text_char(&line, column_letter(move));
	return line.length;
}

/* --- the board ---------------------------------------------------------------------------- */

/* Squares have no names: players call a move by its column. */
void connect4_board(const struct game *game, struct game_board *out)
{
	const struct connect4 *c = head_of(game);
	game_board_grid(out, c->width, c->height, GAME_SQUARE);
	out->labels = (uint16_t)c->width;
	for (unsigned i = 0; i < c->width; i++)
		snprintf(out->label[i].text, sizeof out->label[i].text, "%c", column_letter(i));
	for (unsigned i = 0; i < out->places; i++) {
		out->place[i].name[0] = 0;
		out->place[i].shade = 0;
	}
	out->side[0] = "Red (x)";
	out->side[1] = "Yellow (o)";
	out->colour[0] = "#d22f27";
	out->colour[1] = "#f2c511";
	out->piece[out->pieces++] = (struct game_piece){'x', GAME_FIRST, GAME_DISC, "red disc", NULL};
	out->piece[out->pieces++] = (struct game_piece){'o', GAME_SECOND, GAME_DISC, "yellow disc", NULL};
}

void connect4_diagram(const struct game *game, const void *state, struct game_diagram *out)
{
	struct cells_xo board;
	head_of(game)->letters(head_of(game), state, &board);
	cells_xo_show(&board, out);
	out->to_move = cells_turn(game, state);
}

/* The square where the stone comes to lie. */
unsigned connect4_move_places(const struct game *game, const void *state, game_move move,
			      uint16_t out[GAME_MOVE_PLACES_MAX])
{
	const struct connect4 *c = head_of(game);
	struct cells_xo board;
	unsigned row = 0;
	c->letters(c, state, &board);
	while (row + 1 < c->height && board.at[row * c->width + move])
		row++;
	out[0] = (uint16_t)(row * c->width + move);
	return 1;
}

int connect4_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail)
{
	struct cells_xo board = {.width = head_of(game)->width, .height = head_of(game)->height};
	int rc = cells_xo_from(&board, diagram, fail);
	return rc ? rc : set_board(head_of(game), &board, state, fail);
}

/* --- opening ------------------------------------------------------------------------------ */

static struct connect4 *new_board(unsigned width, unsigned height)
{
	if (width * (height + 1) > CONNECT4_NARROW_MAX)
		return connect4_wide_new(width, height);
#ifdef __x86_64__
	if (processor_has_avx2())
		return connect4_lanes_new(width, height);
#endif
	return connect4_narrow_new(width, height);
}

int connect4_open(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
		  struct pd_fail *fail)
{
	const char *p = params;
	unsigned width, height;
	if (!text_number(&p, &width) || *p++ != 'x' || !text_number(&p, &height) || *p)
		return pd_fail_set(fail, PD_E_GAME, "game", "connect4 takes columns and rows, as in connect4:7x6");
	if (width < 1 || height < 1 || width > CONNECT4_COLUMNS_MAX || height > CONNECT4_ROWS_MAX ||
	    width * (height + 1) > CONNECT4_BITS_MAX)
		return pd_fail_set(
			fail, PD_E_GAME, "game",
			"a board of %ux%u does not fit: there are at most %d columns and %d rows, and columns "
			"* (rows + 1) is 2 to %d",
			width, height, CONNECT4_COLUMNS_MAX, CONNECT4_ROWS_MAX, CONNECT4_BITS_MAX);
	unsigned bits = width * (height + 1);
	struct connect4 *c = new_board(width, height);
	if (!c)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a game of connect4");
	c->game = (struct game){
		.rules = c->game.rules,
		.rules_version = 1,
		.state_size = c->game.state_size,
		.key_size_max = (bits + 7) / 8,
		.moves_max = width,
		.plies_max = width * height,
		.value_min = -1,
		.value_max = 1,
		.value_step = 1,
		.acyclic = true,
	};
	snprintf(c->game.name, sizeof c->game.name, "connect4:%ux%u", width, height);
	*out = &c->game;
	return PD_OK;
}

void connect4_close(struct game *game)
{
	free(game);
}
