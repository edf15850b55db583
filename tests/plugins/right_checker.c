/* right-long:N of wrong.c for proofcheck: keys of N bytes. In `at` stand the heaps as they are written. */
#include <proofd/checker.h>

#include <stdlib.h>
#include <string.h>

enum { MOST = 4 };

static const char *read(const struct ck_game *g, const char *text, struct ck_position *p)
{
	unsigned a = MOST, b = MOST - 1;
	char side = 'x';
	(void)g;
	if (*text && (sscanf(text, "%1u,%1u %c", &a, &b, &side) != 3 || a > MOST || b > MOST))
		return "heaps and side to move look like this: 3,2 x";
	*p = (struct ck_position){.at = {(uint8_t)a, (uint8_t)b}, .turn = side == 'o'};
	return NULL;
}

static void print_position(const struct ck_game *g, const struct ck_position *p, char out[CK_TEXT_MAX])
{
	(void)g;
	snprintf(out, CK_TEXT_MAX, "%u,%u %c", p->at[0], p->at[1], p->turn ? 'o' : 'x');
}

static size_t encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t out[CK_KEY_MAX])
{
	memset(out, 7, g->key_max);
	out[0] = p->at[0] > p->at[1] ? p->at[0] : p->at[1];
	out[g->key_max - 2] = p->at[0] > p->at[1] ? p->at[1] : p->at[0];
	out[g->key_max - 1] = p->turn;
	return g->key_max;
}

static bool decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	if (size != g->key_max || key[0] > MOST || key[size - 2] > key[0] || key[size - 1] > 1)
		return false;
	*p = (struct ck_position){.at = {key[0], key[size - 2]}, .turn = key[size - 1]};
	return true;
}

static bool is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	(void)g;
	*value = p->turn ? 1 : -1;
	return !p->at[0] && !p->at[1];
}

static bool first_moves(const struct ck_game *g, const struct ck_position *p)
{
	(void)g;
	return !p->turn;
}

static unsigned list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned n = 0;
	(void)g;
	for (unsigned code = 1; code <= 10 + MOST; code++)
		if (code % 10 >= 1 && code % 10 <= p->at[code / 10])
			out[n++] = (uint16_t)code;
	return n;
}

static void play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	(void)g;
	p->at[move / 10] = (uint8_t)(p->at[move / 10] - move % 10);
	p->turn ^= 1;
}

static int open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size, struct pd_fail *fail)
{
	(void)graph;
	(void)graph_size;
	(void)fail;
	g->version = 1, g->worst = -1, g->best = 1, g->step = 2, g->infinite = -1;
	g->key_max = (unsigned)strtoul(params, NULL, 10);
	return PD_OK;
}

static const struct ck_rules rules = {.name = "right-long",
				      .open = open_game,
				      .read = read,
				      .print = print_position,
				      .encode = encode_key,
				      .decode = decode_key,
				      .over = is_over,
				      .first_moves = first_moves,
				      .moves = list_moves,
				      .play = play_move};
static const struct ck_rules *const games[] = {&rules, NULL};
CK_PLUGIN(games, "tests/plugins");
