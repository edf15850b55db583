/* fill:N of fill.c for proofcheck. at: 1 x, 2 o. With OLD as an older header had it: without the members that people
 * see, which the struct below ends before. */
#include <proofd/checker.h>

#include <stdlib.h>
#include <string.h>

static const char *read(const struct ck_game *g, const char *text, struct ck_position *p)
{
	const char *letter;
	memset(p, 0, sizeof *p);
	for (unsigned i = 0; *text && i < g->width; i++) {
		if (!text[i] || !(letter = strchr(".xo", text[i])))
			return "a square is . x or o";
		p->at[i] = (uint8_t)(letter - ".xo");
	}
	p->turn = *text && text[g->width] == ' ' && text[g->width + 1] == 'o';
	return *text && strlen(text) != g->width + 2 ? "there are too few or too many squares" : NULL;
}

static void print_position(const struct ck_game *g, const struct ck_position *p, char out[CK_TEXT_MAX])
{
	for (unsigned i = 0; i < g->width; i++)
		*out++ = ".xo"[p->at[i]];
	memcpy(out, p->turn ? " o" : " x", 3);
}

static size_t encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t out[CK_KEY_MAX])
{
	char text[CK_TEXT_MAX];
	print_position(g, p, text);
	memcpy(out, text, g->width + 2);
	return g->width + 2;
}

static bool decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	char text[CK_KEY_MAX + 1];
	memcpy(text, key, size);
	text[size] = 0;
	return size == g->width + 2 && strlen(text) == size && !read(g, text, p);
}

static bool first_moves(const struct ck_game *g, const struct ck_position *p)
{
	(void)g;
	return !p->turn;
}

static bool is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	*value = p->turn ? 1 : -1;
	return !memchr(p->at, 0, g->width);
}

static unsigned list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t out[CK_MOVES_MAX])
{
	unsigned n = 0;
	for (unsigned i = 0; i < g->width; i++)
		if (!p->at[i])
			out[n++] = (uint16_t)i;
	return n;
}

static void play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	(void)g;
	p->at[move] = p->turn ? 2 : 1;
	p->turn = !p->turn;
}

static int open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size, struct pd_fail *fail)
{
	(void)graph, (void)graph_size;
	g->width = strlen(params) == 1 ? (unsigned)(*params - '0') : 0;
	if (g->width < 1 || g->width > 9)
		return game_fail(fail, PD_E_GAME, "game", "fill takes 1 to 9 squares");
	g->version = 1, g->height = 1, g->worst = -1, g->best = 1, g->step = 2, g->infinite = -1;
	g->key_max = g->width + 2;
	return PD_OK;
}

static const struct ck_rules rules = {
	.name = "fill",
	.open = open_game,
	.read = read,
	.print = print_position,
	.encode = encode_key,
	.decode = decode_key,
	.over = is_over,
	.first_moves = first_moves,
	.moves = list_moves,
	.play = play_move,
#ifdef OLD
	.grid = (const struct ck_grid *)(uintptr_t)1 /* not looked at */
#else
	.grid = &(const struct ck_grid){.letters = ".xo"}
#endif
};
static const struct ck_rules *const games[] = {&rules, NULL};

#ifdef OLD
extern const struct ck_plugin proofd_checker_plugin;
const struct ck_plugin proofd_checker_plugin = {CK_ABI,
						sizeof(struct ck_plugin),
						offsetof(struct ck_rules, grid),
						sizeof(struct ck_game),
						sizeof(struct ck_position),
						sizeof(struct pd_fail),
						"tests/plugins",
						games};
#else
CK_PLUGIN(games, "tests/plugins");
#endif
