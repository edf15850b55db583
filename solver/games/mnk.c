#include "solver/games/mnk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"

/* --- text --------------------------------------------------------------------------------- */

static const struct mnk *head_of(const struct game *game)
{
	return (const struct mnk *)game;
}

static void name_column(unsigned column, char out[4])
{
	if (column < 26)
		snprintf(out, 4, "%c", (char)('a' + column));
	else
		snprintf(out, 4, "%c%c", (char)('a' + (column / 26 - 1) % 26), (char)('a' + column % 26));
}

static bool is_blank(char c)
{
	return c == ' ' || c == ',' || c == '\t';
}

/* Reads a square at *text and moves behind it. NULL on success, otherwise what is wrong. */
static const char *read_square(const struct mnk *m, const char **text, unsigned *square)
{
	const char *p = *text;
	unsigned column = 0, row, letters = 0;
	while (*p >= 'a' && *p <= 'z' && letters++ < 2)
		column = column * 26 + (unsigned)(*p++ - 'a') + 1;
	if (!column || !text_number(&p, &row) || (*p && !is_blank(*p)))
		return "a square is a column letter and a row number, as in b3";
	if (column > m->shape.width || row < 1 || row > m->shape.height)
		return "the square is not on the board";
	*text = p;
	*square = (row - 1) * m->shape.width + column - 1;
	return NULL;
}

/* Plays the square at *text and moves behind it. NULL on success, otherwise what is wrong. */
static const char *play_text(const struct mnk *m, void *state, const char **text, unsigned *square)
{
	const struct game_rules *rules = m->game.rules;
	struct cells_xo board;
	int value;
	const char *wrong = read_square(m, text, square);
	if (wrong)
		return wrong;
	if (rules->terminal(&m->game, state, &value))
		return "the game is over before this move";
	m->letters(m, state, &board);
	if (board.at[*square])
		return "the square is taken";
	rules->play(&m->game, state, (game_move)*square);
	return NULL;
}

static int parse_moves(const struct mnk *m, const char *text, void *state, struct pd_fail *fail)
{
	_Alignas(16) uint8_t s[GAME_STATE_MAX];
	const char *p = text;
	m->game.rules->start(&m->game, s);
	for (;;) {
		unsigned square;
		while (is_blank(*p))
			p++;
		if (!*p)
			break;
		const char *start = p, *wrong = play_text(m, s, &p, &square);
		if (wrong)
			return pd_fail_set(fail, PD_E_POSITION, "position", "at index %zu (counted from 0), '%s': %s",
					   (size_t)(start - text), text_excerpt(start, strcspn(start, " ,\t")).text,
					   wrong);
	}
	memcpy(state, s, m->game.state_size);
	return PD_OK;
}

static int set_board(const struct mnk *m, const struct cells_xo *board, void *state, struct pd_fail *fail)
{
	const char *wrong = m->from_letters(m, board, state);
	return wrong ? pd_fail_set(fail, PD_E_POSITION, "position", "%s", wrong) : PD_OK;
}

int mnk_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail)
{
	const struct mnk *m = head_of(game);
	struct cells_xo board = {.width = m->shape.width, .height = m->shape.height};
	if (!text_is_board(text))
		return parse_moves(m, text, state, fail);
	int rc = cells_xo_parse(&board, text, fail);
	return rc ? rc : set_board(m, &board, state, fail);
}

size_t mnk_print(const struct game *game, const void *state, char *out, size_t size)
{
	struct cells_xo board;
	head_of(game)->letters(head_of(game), state, &board);
	return cells_xo_print(&board, out, size);
}

int mnk_move_parse(const struct game *game, const void *state, const char *text, game_move *out, struct pd_fail *fail)
{
	_Alignas(16) uint8_t s[GAME_STATE_MAX];
	unsigned square;
	const char *p = text;
	memcpy(s, state, game->state_size);
	const char *wrong = play_text(head_of(game), s, &p, &square);
	if (!wrong && *p)
		wrong = "a move is one square";
	if (wrong)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%s': %s", text_excerpt(text, 16).text, wrong);
	*out = (game_move)square;
	return PD_OK;
}

size_t mnk_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	const struct mnk *m = head_of(game);
	struct text_line line = text_line(out, size);
	char name[4];
	name_column(move % m->shape.width, name);
	text_printf(&line, "%s%u", name, move / m->shape.width + 1);
	return line.length;
}

/* --- the board ---------------------------------------------------------------------------- */

/* Crosses and rings in squares; from five in a row on, and on large boards, stones on points. */
void mnk_board(const struct game *game, struct game_board *out)
{
	const struct mnk_shape *shape = &head_of(game)->shape;
	bool stones = shape->k >= 5 || (shape->width >= MNK_POINTS_FROM && shape->height >= MNK_POINTS_FROM);
	game_board_grid(out, shape->width, shape->height, stones ? GAME_POINT : GAME_SQUARE);
	for (unsigned i = 0; i < out->places; i++)
		out->place[i].shade = 0;
	out->side[0] = stones ? "Black (x)" : "X";
	out->side[1] = stones ? "White (o)" : "O";
	out->piece[out->pieces++] = stones ? (struct game_piece){'x', GAME_FIRST, GAME_DISC, "black stone", NULL}
					   : (struct game_piece){'x', GAME_FIRST, GAME_CROSS, "cross", NULL};
	out->piece[out->pieces++] = stones ? (struct game_piece){'o', GAME_SECOND, GAME_DISC, "white stone", NULL}
					   : (struct game_piece){'o', GAME_SECOND, GAME_RING, "nought", NULL};
}

void mnk_diagram(const struct game *game, const void *state, struct game_diagram *out)
{
	struct cells_xo board;
	head_of(game)->letters(head_of(game), state, &board);
	cells_xo_show(&board, out);
	out->to_move = cells_turn(game, state);
}

unsigned mnk_move_places(const struct game *game, const void *state, game_move move, uint16_t out[GAME_MOVE_PLACES_MAX])
{
	PD_ASSERT(move < head_of(game)->squares);
	out[0] = move;
	return 1;
}

int mnk_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail)
{
	const struct mnk_shape *shape = &head_of(game)->shape;
	struct cells_xo board = {.width = shape->width, .height = shape->height};
	int rc = cells_xo_from(&board, diagram, fail);
	return rc ? rc : set_board(head_of(game), &board, state, fail);
}

/* --- opening ------------------------------------------------------------------------------ */

/* Reads W,H,K[,P,Q][,exact]; false when it is something else. */
static bool read_shape(const char *p, struct mnk_shape *out)
{
	*out = (struct mnk_shape){.turn = 1, .opening = 1};
	if (!text_number(&p, &out->width) || *p++ != ',' || !text_number(&p, &out->height) || *p++ != ',' ||
	    !text_number(&p, &out->k))
		return false;
	if (*p == ',' && p[1] != 'e') {
		p++;
		if (!text_number(&p, &out->turn) || *p++ != ',' || !text_number(&p, &out->opening))
			return false;
	}
	out->exact = !strcmp(p, ",exact");
	return out->exact || !*p;
}

static void write_name(const struct mnk_shape *shape, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	text_printf(&line, "mnk:%u,%u,%u", shape->width, shape->height, shape->k);
	if (shape->turn != 1 || shape->opening != 1)
		text_printf(&line, ",%u,%u", shape->turn, shape->opening);
	if (shape->exact)
		text_printf(&line, ",exact");
}

int mnk_open(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
	     struct pd_fail *fail)
{
	struct mnk_shape shape;
	if (!read_shape(params, &shape))
		return pd_fail_set(
			fail, PD_E_GAME, "game",
			"mnk takes columns, rows and stones in a row, as in mnk:3,3,3; then the stones of "
			"a turn and of the first turn, and exact, as in mnk:19,19,6,2,1 and mnk:15,15,5,exact");
	if (shape.width < 1 || shape.height < 1 || shape.width > MNK_SIDE_MAX || shape.height > MNK_SIDE_MAX ||
	    shape.width * shape.height > MNK_WIDE_MAX || shape.k < 1 || shape.k > MNK_SIDE_MAX)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "a board has 1 to %d columns and rows and at most %d squares, and 1 to %d stones "
				   "win, not %ux%u squares and %u stones",
				   MNK_SIDE_MAX, MNK_WIDE_MAX, MNK_SIDE_MAX, shape.width, shape.height, shape.k);
	if (shape.turn < 1 || shape.opening < 1 || shape.turn > MNK_WIDE_MAX || shape.opening > MNK_WIDE_MAX)
		return pd_fail_set(fail, PD_E_GAME, "game", "a turn has 1 to %d stones, not %u and %u", MNK_WIDE_MAX,
				   shape.turn, shape.opening);
	unsigned squares = shape.width * shape.height;
	bool plain = shape.turn == 1 && shape.opening == 1 && !shape.exact;
	struct mnk *m = squares > MNK_NARROW_MAX ? mnk_wide_new(&shape)
			: plain                  ? mnk_plain_new(&shape)
						 : mnk_turns_new(&shape);
	if (!m)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a game of mnk");
	m->key_size = (2 * squares + 7) / 8;
	m->game = (struct game){
		.rules = m->game.rules,
		.rules_version = 1,
		.state_size = m->game.state_size,
		.key_size_max = m->key_size + mnk_alternates(&shape),
		.moves_max = squares,
		.plies_max = squares,
		.value_min = -1,
		.value_max = 1,
		.value_step = 1,
		.acyclic = true,
	};
	write_name(&shape, m->game.name, sizeof m->game.name);
	*out = &m->game;
	return PD_OK;
}

void mnk_close(struct game *game)
{
	free(game);
}
