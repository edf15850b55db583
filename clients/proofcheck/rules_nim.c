/* Nim: the players take turns to remove one or more counters from one heap. A player who cannot move loses.
 *
 * at: the counters of each heap, the heaps in ascending order of their sizes at the start. Move code: 64 times the heap
 * plus the counters left in it. */
#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/board.h"
#include "proto/base/assert.h"

enum { HEAPS_MAX = 8, COUNTERS_MAX = 63 };

/* Reads the sizes at the start from the game's parameters. Returns the number of heaps; 0 when the parameters are
 * wrong. */
static unsigned read_start(const char *params, uint8_t heaps[HEAPS_MAX])
{
	for (unsigned n = 0; n < HEAPS_MAX; n++) {
		unsigned size;
		if (!ck_number(&params, &size) || size > COUNTERS_MAX)
			return 0;
		heaps[n] = (uint8_t)size;
		if (!*params)
			return n + 1;
		if (*params++ != ',')
			return 0;
	}
	return 0;
}

static void sort_heaps(uint8_t *heaps, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		for (unsigned j = i + 1; j < count; j++)
			if (heaps[j] < heaps[i]) {
				uint8_t size = heaps[i];
				heaps[i] = heaps[j];
				heaps[j] = size;
			}
}

static void set_start(const struct ck_game *g, struct ck_position *p)
{
	memset(p, 0, sizeof *p);
	unsigned count = read_start(strchr(g->name, ':') + 1, p->at);
	PD_ASSERT(count == g->width);
	sort_heaps(p->at, count);
}

static unsigned nim_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned n = 0;
	for (unsigned heap = 0; heap < g->width; heap++)
		for (unsigned left = p->at[heap]; left-- > 0;)
			out[n++] = (uint16_t)(64 * heap + left);
	return n;
}

static bool nim_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	*value = p->turn ? 1 : -1;
	return ck_count_kind(p->at, g->width, 0) == g->width;
}

static void nim_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	PD_ASSERT(move / 64u < g->width && move % 64 < p->at[move / 64]);
	p->at[move / 64] = (uint8_t)(move % 64);
	p->turn = !p->turn;
}

static const char *read_moves(const struct ck_game *g, const char *text, struct ck_position *p)
{
	for (;;) {
		unsigned left;
		text += strspn(text, " ");
		if (!*text)
			return NULL;
		int heap = *text++ - 'a';
		if (heap < 0 || heap >= (int)g->width || !ck_number_or_0(&text, &left) || (*text && *text != ' '))
			return "there is no such move";
		if (left >= p->at[heap])
			return "a move takes at least one counter";
		nim_play_move(g, p, (uint16_t)(64 * heap + (int)left));
	}
}

static const char *nim_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	set_start(g, out);
	if (*text < '0' || *text > '9')
		return read_moves(g, text, out);
	for (unsigned heap = 0; heap < g->width; heap++) {
		unsigned size;
		if (!ck_number_or_0(&text, &size) || size > out->at[heap])
			return "the size of a heap is wrong";
		out->at[heap] = (uint8_t)size;
		if (heap + 1 < g->width && *text++ != ',')
			return "there are too few heaps";
	}
	if (strcmp(text, " x") != 0 && strcmp(text, " o") != 0)
		return "the side to move, x or o, must follow the heaps";
	out->turn = text[1] == 'o';
	return NULL;
}

static void nim_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	for (unsigned heap = 0; heap < g->width; heap++)
		out += sprintf(out, heap ? ",%u" : "%u", p->at[heap]);
	sprintf(out, p->turn ? " o" : " x");
}

static size_t nim_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	memcpy(out, p->at, g->width);
	sort_heaps(out, g->width);
	out[g->width] = p->turn;
	return g->width + 1;
}

static bool nim_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	struct ck_position start;
	set_start(g, &start);
	if (size != g->width + 1 || key[g->width] > 1)
		return false;
	for (unsigned heap = 0; heap < g->width; heap++) {
		if (key[heap] > start.at[heap])
			return false;
		p->at[heap] = key[heap];
	}
	p->turn = key[g->width];
	return true;
}

static int nim_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
			 struct pd_fail *fail)
{
	uint8_t heaps[HEAPS_MAX];
	g->width = read_start(params, heaps);
	if (!g->width)
		return pd_fail_set(fail, PD_E_GAME, "game", "nim takes the sizes of up to 8 heaps, each 1 to 63");
	g->step = 2;
	g->key_max = g->width + 1;
	return PD_OK;
}

static void nim_draw_board(const struct ck_game *g, const struct ck_position *p, char out[CK_PICTURE_MAX])
{
	for (unsigned heap = 0; heap < g->width; heap++)
		out += sprintf(out, "  %c %.*s %u\n", 'a' + heap, p->at[heap],
			       "***************************************************************", p->at[heap]);
}

static void nim_name_move(const struct ck_game *g, const struct ck_position *p, uint16_t move, char out[CK_MOVE_TEXT])
{
	sprintf(out, "%c%u", 'a' + (move / 64 & 7), move % 64);
}

const struct ck_rules ck_nim = {
	.name = "nim",
	CK_RULES(nim),
	.over = nim_is_over,
	.first_moves = ck_turn_0_moves,
	.picture = nim_draw_board,
	.move_name = nim_name_move,
};
