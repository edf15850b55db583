#include "clients/proofcheck/liberties.h"

#include <string.h>

#include "clients/proofcheck/board.h"
#include "clients/proofcheck/images.h"
#include "proto/base/assert.h"

static const int steps[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};

/* The point a step away; -1 beyond the edge. */
static int next_to(const struct ck_game *g, unsigned point, unsigned way)
{
	int column = (int)(point % g->width) + steps[way][0], row = (int)(point / g->width) + steps[way][1];
	if (column < 0 || row < 0 || column >= (int)g->width || row >= (int)g->height)
		return -1;
	return row * (int)g->width + column;
}

bool ck_has_liberty(const struct ck_game *g, const struct ck_position *p, unsigned point)
{
	bool reached[CK_IMAGE_SQUARES_MAX] = {false};
	unsigned list[CK_IMAGE_SQUARES_MAX], count = 0;
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

void ck_stones_play(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	PD_ASSERT(move < g->width * g->height && !p->at[move]);
	p->at[move] = p->turn ? 2 : 1;
	p->turn = !p->turn;
}

static bool may_play(const struct ck_game *g, const struct ck_position *p, unsigned point)
{
	uint16_t list[CK_MOVES_MAX];
	int value;
	unsigned n = g->rules->over(g, p, &value) ? 0 : g->rules->moves(g, p, list);
	while (n > 0)
		if (list[--n] == point)
			return true;
	return false;
}

const char *ck_stones_read(const struct ck_game *g, const char *text, struct ck_position *out)
{
	memset(out, 0, sizeof *out);
	if (strchr(text, '/')) {
		size_t size = strcspn(text, " ");
		const char *wrong = ck_board_read(text, size, g->width, g->height, "xo#", out->at), *side = text + size;
		side += strspn(side, " ");
		if (wrong)
			return wrong;
		if ((*side != 'x' && *side != 'o') || side[1])
			return "x or o, the player to move, must stand behind the board";
		out->turn = *side == 'o';
		return NULL;
	}
	for (;;) {
		unsigned point;
		text += strspn(text, " ,\t");
		if (!*text)
			return NULL;
		if (!ck_square_read(&text, g->width, g->height, &point) || !strchr(" ,\t", *text))
			return "there is no such point";
		if (!may_play(g, out, point))
			return "a move that is not legal";
		ck_stones_play(g, out, (uint16_t)point);
	}
}

void ck_stones_print(const struct ck_game *g, const struct ck_position *p, char out[CK_TEXT_MAX])
{
	size_t size = ck_board_print(p->at, g->width, g->height, "xo#", out);
	memcpy(out + size, p->turn ? " o" : " x", 3);
}

static struct ck_sets sets_of(const struct ck_game *g)
{
	return (struct ck_sets){.width = g->width, .height = g->height, .count = 2, .turns = true};
}

size_t ck_stones_encode(const struct ck_game *g, const struct ck_position *p, uint8_t out[CK_KEY_MAX])
{
	struct ck_sets sets = sets_of(g);
	for (unsigned i = 0; i < g->width * g->height; i++) {
		sets.set[0][i] = p->at[i] == 1 || p->at[i] == 3;
		sets.set[1][i] = p->at[i] == 2 || p->at[i] == 3;
	}
	return ck_images_key(&sets, p->turn, out);
}

bool ck_stones_decode(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	struct ck_sets sets = sets_of(g);
	bool second;
	if (!ck_images_read(&sets, key, size, &second))
		return false;
	for (unsigned i = 0; i < g->width * g->height; i++)
		p->at[i] = (uint8_t)(sets.set[0][i] + 2 * sets.set[1][i]);
	p->turn = second;
	return true;
}

int ck_stones_open(struct ck_game *g, const char *params, const char *graph, size_t graph_size, struct pd_fail *fail)
{
	if (!ck_size_read(params, &g->width, &g->height))
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "%s takes columns x rows, 1 to 63 columns and 1 to 64 points", g->rules->name);
	g->step = 2;
	g->key_max = ck_images_key_size(g->width * g->height, 2);
	return PD_OK;
}
