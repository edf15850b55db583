#include "solver/games/connect4.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/processor.h"

static const struct connect4 *head_of(const struct game *game)
{
	return (const struct connect4 *)game;
}

static char column_letter(unsigned column)
{
	PD_ASSERT(column < CONNECT4_COLUMNS_MAX);
	return (char)(column < 9 ? '1' + column : 'a' + (column - 9));
}

/* --- positions and moves ------------------------------------------------------------------ */

/* PD_E_POSITION if a stone lies on an empty square, or the sides have wrong numbers of stones. */
static int check_stones(const struct cells_game *g, const struct cells *cells, struct pd_fail *fail)
{
	unsigned stones[3] = {0};
	for (unsigned i = 0; i < g->width * g->height; i++) {
		stones[cells->at[i]]++;
		if (i >= g->width && cells->at[i] && !cells->at[i - g->width])
			return pd_fail_set(fail, PD_E_POSITION, "position",
					   "the stone in column %c, row %u from the bottom lies on an empty square",
					   column_letter(i % g->width), i / g->width + 1);
	}
	if (stones[CELLS_FIRST] == stones[CELLS_SECOND] || stones[CELLS_FIRST] == stones[CELLS_SECOND] + 1)
		return PD_OK;
	return pd_fail_set(fail, PD_E_POSITION, "position",
			   "x has %u stones and o has %u, but x must have as many as o, or one more",
			   stones[CELLS_FIRST], stones[CELLS_SECOND]);
}

static int from_cells(const struct game *game, const struct cells *cells, void *state, struct pd_fail *fail)
{
	_Alignas(16) uint8_t made[GAME_STATE_MAX];
	int rc = check_stones(&head_of(game)->base, cells, fail);
	if (!rc)
		rc = cells_refuse(fail, head_of(game)->from_stones(head_of(game), cells, made));
	uint8_t turn = rc ? GAME_NO_SIDE : cells_turn(game, made);
	if (turn != GAME_NO_SIDE && cells->turn != GAME_NO_SIDE && cells->turn != turn)
		rc = pd_fail_set(fail, PD_E_POSITION, "position", "with these stones %s is to move",
				 turn == GAME_FIRST ? "First" : "Second");
	if (!rc)
		memcpy(state, made, game->state_size);
	return rc;
}

static void to_cells(const struct game *game, const void *state, struct cells *out)
{
	head_of(game)->to_cells(head_of(game), state, out);
}

static const char *read_move(const struct game *game, const void *state, const char **text, game_move *out)
{
	_Alignas(16) uint8_t s[GAME_STATE_MAX];
	size_t at;
	if (!**text)
		return "a move is a column";
	memcpy(s, state, game->state_size);
	*out = (game_move)connect4_column(head_of(game), **text);
	return head_of(game)->drop(head_of(game), s, (*text)++, 1, &at);
}

static const struct cells_form form = {.letters = "xo",
				       .sides = "xo",
				       .side_optional = true,
				       .read_move = read_move,
				       .to_cells = to_cells,
				       .from_cells = from_cells};

/* Lists of columns are frequent in queries, so `drop` plays them at once. */
int connect4_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail)
{
	const struct connect4 *c = head_of(game);
	_Alignas(16) uint8_t s[GAME_STATE_MAX];
	size_t at;
	if (strchr(text, '/'))
		return cells_parse(game, text, state, fail);
	game->rules->start(game, s);
	const char *wrong = c->drop(c, s, text, SIZE_MAX, &at);
	if (wrong)
		return pd_fail_set(fail, PD_E_POSITION, "position",
				   "at index %zu (counted from 0), column '%s': %s; the columns are 1 to %c", at,
				   text_excerpt(text + at, 1).text, wrong, column_letter(c->base.width - 1));
	memcpy(state, s, game->state_size);
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
	static const struct game_piece discs[] = {{'x', GAME_FIRST, GAME_DISC, "red disc", NULL},
						  {'o', GAME_SECOND, GAME_DISC, "yellow disc", NULL}};
	const struct cells_game *g = &head_of(game)->base;
	game_board_grid(out, g->width, g->height, GAME_SQUARE);
	out->labels = (uint16_t)g->width;
	for (unsigned i = 0; i < g->width; i++)
		snprintf(out->label[i].text, sizeof out->label[i].text, "%c", column_letter(i));
	for (unsigned i = 0; i < out->places; i++) {
		out->place[i].name[0] = 0;
		out->place[i].shade = 0;
	}
	out->side[0] = "Red (x)";
	out->side[1] = "Yellow (o)";
	out->colour[0] = "#d22f27";
	out->colour[1] = "#f2c511";
	out->pieces = 2;
	memcpy(out->piece, discs, sizeof discs);
}

/* The lowest empty square of the column. */
unsigned connect4_move_places(const struct game *game, const void *state, game_move move,
			      uint16_t out[GAME_MOVE_PLACES_MAX])
{
	const struct cells_game *g = &head_of(game)->base;
	struct cells cells;
	unsigned row = 0;
	to_cells(game, state, &cells);
	while (row + 1 < g->height && cells.at[row * g->width + move])
		row++;
	out[0] = (uint16_t)(row * g->width + move);
	return 1;
}

/* --- opening ------------------------------------------------------------------------------ */

static struct connect4 *new_board(unsigned width, unsigned height, struct pd_fail *fail)
{
	if (width * (height + 1) > CONNECT4_NARROW_MAX)
		return connect4_wide_new(width, height, &form, fail);
#ifdef __x86_64__
	if (processor_has_avx2())
		return connect4_lanes_new(width, height, &form, fail);
#endif
	return connect4_narrow_new(width, height, &form, fail);
}

int connect4_open(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
		  struct pd_fail *fail)
{
	unsigned width, height;
	if (!cells_size_read(params, &width, &height) || width > CONNECT4_COLUMNS_MAX || height > CONNECT4_ROWS_MAX ||
	    width * (height + 1) > CONNECT4_BITS_MAX)
		return cells_refuse_params(rules, params, fail);
	struct connect4 *c = new_board(width, height, fail);
	if (!c)
		return PD_E_NO_MEMORY;
	struct game *game = &c->base.game;
	game->key_size_max = (width * (height + 1) + 7) / 8;
	game->moves_max = width;
	game->plies_max = width * height;
	snprintf(game->name, sizeof game->name, "connect4:%ux%u", width, height);
	*out = game;
	return PD_OK;
}
