#include "solver/games/mnk.h"

#include <string.h>

/* Pieces are crosses and rings in squares; where five or more win, and on large boards, they are stones on points. */
void mnk_board(const struct game *game, struct game_board *out)
{
	static const struct game_piece marks[] = {{'x', GAME_FIRST, GAME_CROSS, "cross", NULL},
						  {'o', GAME_SECOND, GAME_RING, "nought", NULL}};
	static const struct game_piece stones[] = {{'x', GAME_FIRST, GAME_DISC, "black stone", NULL},
						   {'o', GAME_SECOND, GAME_DISC, "white stone", NULL}};
	const struct mnk_shape *shape = &((const struct mnk *)game)->shape;
	bool points = shape->k >= 5 || (shape->width >= MNK_POINTS_FROM && shape->height >= MNK_POINTS_FROM);
	game_board_grid(out, shape->width, shape->height, points ? GAME_POINT : GAME_SQUARE);
	for (unsigned i = 0; i < out->places; i++)
		out->place[i].shade = 0;
	out->side[0] = points ? "Black (x)" : "X";
	out->side[1] = points ? "White (o)" : "O";
	for (unsigned i = 0; i < 2; i++)
		out->piece[out->pieces++] = points ? stones[i] : marks[i];
}

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
	return (out->exact || !*p) && out->width >= 1 && out->height >= 1 && out->width <= MNK_SIDE_MAX &&
	       out->height <= MNK_SIDE_MAX && out->width * out->height <= MNK_WIDE_MAX && out->k >= 1 &&
	       out->k <= MNK_SIDE_MAX && out->turn >= 1 && out->opening >= 1 && out->turn <= MNK_WIDE_MAX &&
	       out->opening <= MNK_WIDE_MAX;
}

static void write_name(const struct mnk_shape *shape, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	text_printf(&line, "mnk:%u,%u,%u", shape->width, shape->height, shape->k);
	if (!mnk_alternates(shape))
		text_printf(&line, ",%u,%u", shape->turn, shape->opening);
	if (shape->exact)
		text_printf(&line, ",exact");
}

int mnk_open(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
	     struct pd_fail *fail)
{
	struct mnk_shape shape;
	if (!read_shape(params, &shape))
		return cells_refuse_params(rules, params, fail);
	unsigned squares = shape.width * shape.height;
	struct mnk *m = squares > MNK_NARROW_MAX                 ? mnk_wide_new(&shape, fail)
			: mnk_alternates(&shape) && !shape.exact ? mnk_plain_new(&shape, fail)
								 : mnk_turns_new(&shape, fail);
	if (!m)
		return PD_E_NO_MEMORY;
	m->key_size = (2 * squares + 7) / 8;
	m->base.game.key_size_max = m->key_size + mnk_alternates(&shape);
	m->base.game.moves_max = m->base.game.plies_max = squares;
	write_name(&shape, m->base.game.name, sizeof m->base.game.name);
	*out = &m->base.game;
	return PD_OK;
}
