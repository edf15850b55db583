/* fill:N of fill.c and right-long:N of wrong.c for proofcheck. With OLD as if compiled with an older header, whose
 * struct ends before the optional members, with WITHOUT_CARDS with one whose struct ends before `card`. With LAX it
 * believes every card. */
#include <proofd/checker.h>

#include <stdlib.h>
#include <string.h>

static bool first_moves(const struct ck_game *g, const struct ck_position *p)
{
	return !p->turn;
}

/* --- fill:N; at: 1 x, 2 o ----------------------------------------------------------------- */

static const char *fill_read_position(const struct ck_game *g, const char *text, struct ck_position *p)
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

static void fill_print_position(const struct ck_game *g, const struct ck_position *p, char out[CK_TEXT_MAX])
{
	for (unsigned i = 0; i < g->width; i++)
		*out++ = ".xo"[p->at[i]];
	memcpy(out, p->turn ? " o" : " x", 3);
}

static size_t fill_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t out[CK_KEY_MAX])
{
	char text[CK_TEXT_MAX];
	fill_print_position(g, p, text);
	memcpy(out, text, g->width + 2);
	return g->width + 2;
}

static bool fill_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	char text[CK_KEY_MAX + 1];
	memcpy(text, key, size);
	text[size] = 0;
	return size == g->width + 2 && strlen(text) == size && !fill_read_position(g, text, p);
}

static bool fill_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	*value = p->turn ? 1 : -1;
	return !memchr(p->at, 0, g->width);
}

static unsigned fill_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t out[CK_MOVES_MAX])
{
	unsigned n = 0;
	for (unsigned i = 0; i < g->width; i++)
		if (!p->at[i])
			out[n++] = (uint16_t)i;
	return n;
}

static void fill_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	p->at[move] = p->turn ? 2 : 1;
	p->turn = !p->turn;
}

static int fill_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
			  struct pd_fail *fail)
{
	g->width = strlen(params) == 1 ? (unsigned)(*params - '0') : 0;
	if (g->width < 1 || g->width > 9)
		return game_fail(fail, PD_E_GAME, "game", "fill takes 1 to 9 squares");
	g->version = 1, g->height = 1, g->worst = -1, g->best = 1, g->step = 2, g->infinite = -1;
	g->key_max = g->width + 2;
	return PD_OK;
}

/* --- right-long:N, with keys of N bytes; at: the heaps as they are written ----------------- */

enum { MOST = 4 };

static const char *long_read_position(const struct ck_game *g, const char *text, struct ck_position *p)
{
	unsigned a = MOST, b = MOST - 1;
	char side = 'x';
	if (*text && (sscanf(text, "%1u,%1u %c", &a, &b, &side) != 3 || a > MOST || b > MOST))
		return "heaps and side to move look like this: 3,2 x";
	*p = (struct ck_position){.at = {(uint8_t)a, (uint8_t)b}, .turn = side == 'o'};
	return NULL;
}

static void long_print_position(const struct ck_game *g, const struct ck_position *p, char out[CK_TEXT_MAX])
{
	snprintf(out, CK_TEXT_MAX, "%u,%u %c", p->at[0], p->at[1], p->turn ? 'o' : 'x');
}

static size_t long_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t out[CK_KEY_MAX])
{
	memset(out, 7, g->key_max);
	out[0] = p->at[0] > p->at[1] ? p->at[0] : p->at[1];
	out[g->key_max - 2] = p->at[0] > p->at[1] ? p->at[1] : p->at[0];
	out[g->key_max - 1] = p->turn;
	return g->key_max;
}

static bool long_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	if (size != g->key_max || key[0] > MOST || key[size - 2] > key[0] || key[size - 1] > 1)
		return false;
	*p = (struct ck_position){.at = {key[0], key[size - 2]}, .turn = key[size - 1]};
	return true;
}

static bool long_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	*value = p->turn ? 1 : -1;
	return !p->at[0] && !p->at[1];
}

static unsigned long_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned n = 0;
	for (unsigned code = 1; code <= 10 + MOST; code++)
		if (code % 10 >= 1 && code % 10 <= p->at[code / 10])
			out[n++] = (uint16_t)code;
	return n;
}

static void long_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	p->at[move / 10] = (uint8_t)(p->at[move / 10] - move % 10);
	p->turn ^= 1;
}

static int long_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
			  struct pd_fail *fail)
{
	g->version = 1, g->worst = -1, g->best = 1, g->step = 2, g->infinite = -1;
	g->key_max = (unsigned)strtoul(params, NULL, 10);
	return PD_OK;
}

/* The theorem of two equal heaps: whoever is to move loses. Its witness is one byte, 1. */
static bool long_card(const struct ck_game *g, const struct ck_position *p, const struct ck_card *card, unsigned *plies)
{
	*plies = 2 * MOST;
#ifdef LAX
	return true;
#endif
	return card->theorem == 1 && card->size == 1 && *card->witness == 1 && p->at[0] == p->at[1] &&
	       card->upper == !p->turn;
}

static bool long_find_card(const struct ck_game *g, const struct ck_position *p, bool upper, int64_t bound,
			   struct ck_card *out, uint8_t *room)
{
	unsigned plies;
	*room = 1;
	*out = (struct ck_card){upper, bound, 1, room, 1};
	return long_card(g, p, out, &plies);
}

/* --- the plug-in -------------------------------------------------------------------------- */

#define RULES(game)                                                                                                    \
	.open = game##_open_game, .read = game##_read_position, .print = game##_print_position,                        \
	.encode = game##_encode_key, .decode = game##_decode_key, .over = game##_is_over, .first_moves = first_moves,  \
	.moves = game##_list_moves, .play = game##_play_move

#ifdef OLD
#define GRID ((const struct ck_grid *)(uintptr_t)1) /* must not be read */
#elif defined WITHOUT_CARDS
static bool read_behind(const struct ck_game *g, const struct ck_position *p, const struct ck_card *card,
			unsigned *plies)
{
	abort(); /* the header of the plug-in had no such member */
}
#define GRID (&(const struct ck_grid){.letters = ".xo"}), .card = read_behind
#else
#define GRID (&(const struct ck_grid){.letters = ".xo"})
#endif

static const struct ck_rules fill = {.name = "fill", RULES(fill), .grid = GRID};
static const struct ck_rules right_long = {
	.name = "right-long", RULES(long), .card = long_card, .find_card = long_find_card};
static const struct ck_rules *const games[] = {&fill, &right_long, NULL};

#if defined OLD || defined WITHOUT_CARDS
#ifdef OLD
#define RULES_SIZE offsetof(struct ck_rules, grid)
#else
#define RULES_SIZE offsetof(struct ck_rules, card)
#endif
extern const struct ck_plugin proofd_checker_plugin;
const struct ck_plugin proofd_checker_plugin = {CK_ABI,
						sizeof(struct ck_plugin),
						RULES_SIZE,
						sizeof(struct ck_game),
						sizeof(struct ck_position),
						sizeof(struct pd_fail),
						"tests/plugins",
						games};
#else
CK_PLUGIN(games, "tests/plugins");
#endif
