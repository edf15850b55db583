/* kayles:N for proofcheck, written from the comment at the top of game.c. A position's `at` is its text. */
#include <proofd/checker.h>
#include <string.h>

static bool decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	memset(p, 0, sizeof *p);
	memcpy(p->at, key, size < g->key_max ? size : g->key_max);
	return size == g->key_max && strspn((char *)p->at, "|.") >= g->width && strchr("xo", p->at[g->width]);
}
static size_t encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	return memcpy(out, p->at, g->key_max), g->key_max;
}
static const char *read_position(const struct ck_game *g, const char *text, struct ck_position *p)
{
	char first[62] = "";
	first[g->width] = 'x';
	text = *text ? text : memset(first, '|', g->width);
	return decode_key(g, (const uint8_t *)text, strlen(text), p) ? NULL
								     : "a position is | or . for each pin, then x or o";
}
static void print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	out[encode_key(g, p, (uint8_t *)out)] = 0;
}
static bool first_moves(const struct ck_game *g, const struct ck_position *p)
{
	return p->at[g->width] == 'x';
}
static unsigned list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned n = 0;
	for (unsigned code = 0; code < 2 * g->width; code++)
		if (p->at[code / 2] == '|' && p->at[code / 2 + code % 2] == '|')
			out[n++] = (uint16_t)code;
	return n;
}
static bool is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	*value = first_moves(g, p) ? -1 : 1;
	return !strchr((const char *)p->at, '|');
}
static void play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	p->at[move / 2] = p->at[move / 2 + move % 2] = '.';
	p->at[g->width] ^= 'x' ^ 'o';
}
static int open_game(struct ck_game *g, const char *params, const char *graph, size_t size, struct pd_fail *fail)
{
	if (graph && size ? true : sscanf(params, "%2u", &g->width) != 1 || !g->width || g->width > 60)
		return game_fail(fail, PD_E_GAME, "game", "kayles takes a number of pins from 1 to 60");
	g->version = 1, g->worst = -1, g->best = 1, g->step = 2, g->infinite = -1, g->key_max = g->width + 1;
	return PD_OK;
}
static const struct ck_rules kayles = {.name = "kayles",
				       open_game,
				       read_position,
				       print_position,
				       encode_key,
				       decode_key,
				       is_over,
				       first_moves,
				       list_moves,
				       play_move};
static const struct ck_rules *const games[] = {&kayles, NULL};
CK_PLUGIN(games, "the proofd project");
