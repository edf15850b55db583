#include "clients/proofcheck/liberties.h"

#include <string.h>

#include "proto/base/assert.h"

enum { POINTS_MAX = 64 };

static const int steps[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};

/* The point one step away; -1: off the board. */
static int next_to(const struct ck_game *g, unsigned point, unsigned way)
{
	return ck_square_at(g, (int)(point % g->width) + steps[way][0], (int)(point / g->width) + steps[way][1]);
}

bool ck_has_liberty(const struct ck_game *g, const struct ck_position *p, unsigned point)
{
	bool reached[POINTS_MAX] = {false};
	unsigned list[POINTS_MAX], count = 0;
	PD_ASSERT(p->at[point] == 1 || p->at[point] == 2);
	list[count++] = point;
	reached[point] = true;
	for (unsigned done = 0; done < count; done++)
		for (unsigned way = 0; way < 4; way++) {
			int next = next_to(g, list[done], way);
			if (next < 0)
				continue;
			if (!p->at[next])
				return true;
			if (p->at[next] == p->at[point] && !reached[next]) {
				reached[next] = true;
				list[count++] = (unsigned)next;
			}
		}
	return false;
}

bool ck_all_have_liberties(const struct ck_game *g, const struct ck_position *p, unsigned kind)
{
	for (unsigned i = 0; i < g->width * g->height; i++)
		if ((p->at[i] == 1 || p->at[i] == 2) && (!kind || p->at[i] == kind) && !ck_has_liberty(g, p, i))
			return false;
	return true;
}

bool ck_captures(const struct ck_game *g, const struct ck_position *p, unsigned point)
{
	for (unsigned way = 0; way < 4; way++) {
		int next = next_to(g, point, way);
		if (next >= 0 && p->at[next] == 3 - p->at[point] && !ck_has_liberty(g, p, (unsigned)next))
			return true;
	}
	return false;
}

const char *ck_stones_read(const struct ck_game *g, const char *text, struct ck_position *out)
{
	memset(out, 0, sizeof *out);
	return strchr(text, '/') ? ck_rows_read(g, text, "xo#", CK_SIDES("x", "o"), out, NULL)
				 : ck_moves_read(g, text, out, NULL);
}

void ck_stones_print(const struct ck_game *g, const struct ck_position *p, char out[CK_TEXT_MAX])
{
	size_t size = ck_board_print(p->at, g->width, g->height, "xo#", out);
	memcpy(out + size, p->turn ? " o" : " x", 3);
}

static const struct ck_key_form form = {.sets = 2, .symmetries = CK_ALL_SYMMETRIES, .most = 3, .turn = true};

size_t ck_stones_encode(const struct ck_game *g, const struct ck_position *p, uint8_t out[CK_KEY_MAX])
{
	return ck_key_write(g, &form, p, out);
}

bool ck_stones_decode(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	return ck_key_read(g, &form, key, size, p);
}

int ck_stones_open(struct ck_game *g, const char *params, const char *graph, size_t graph_size, struct pd_fail *fail)
{
	if (!ck_size_read(&params, &g->width, &g->height) || *params || g->width * g->height > POINTS_MAX ||
	    g->width > 63)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "%s takes columns x rows, 1 to 63 columns and 1 to 64 points", g->rules->name);
	g->step = 2;
	g->key_max = ck_key_size(g, &form);
	return PD_OK;
}
