/* drops:WxH of tests/support/drops.c for proofcheck, from that comment alone: a second implementation.
 * at: 0 empty, 1 king, 2 and 3 the attacker's rook and bishop, 4 and 5 the defender's. node: the attacker's hand,
 * rooks + 3 * bishops. turn 1: the defender is to move. */
#include <proofd/checker.h>

#include <stdlib.h>
#include <string.h>

static unsigned in_hand(const struct ck_position *p, unsigned kind)
{
	return kind ? p->node / 3 : p->node % 3;
}

static unsigned on_board(const struct ck_game *g, const struct ck_position *p, unsigned man)
{
	unsigned n = 0;
	for (unsigned i = 0; i < g->width * g->height; i++)
		n += p->at[i] == man;
	return n;
}

/* Whether nothing stands between two squares of a row, a column (or, `slant`, a diagonal). */
static bool is_free_line(const struct ck_game *g, const struct ck_position *p, unsigned a, unsigned b, bool slant)
{
	int w = (int)g->width, x = (int)a % w, y = (int)a / w, to_x = (int)b % w, to_y = (int)b / w;
	int dx = (to_x > x) - (to_x < x), dy = (to_y > y) - (to_y < y);
	if (a == b || (slant ? abs(to_x - x) != abs(to_y - y) : dx && dy))
		return false;
	for (x += dx, y += dy; x != to_x || y != to_y; x += dx, y += dy)
		if (p->at[y * w + x])
			return false;
	return true;
}

static bool is_in_check(const struct ck_game *g, const struct ck_position *p)
{
	unsigned king = (unsigned)((const uint8_t *)memchr(p->at, 1, g->width * g->height) - p->at);
	for (unsigned i = 0; i < g->width * g->height; i++)
		if ((p->at[i] == 2 || p->at[i] == 3) && is_free_line(g, p, i, king, p->at[i] == 3))
			return true;
	return false;
}

static bool is_valid(const struct ck_game *g, const struct ck_position *p)
{
	return on_board(g, p, 1) == 1 && on_board(g, p, 2) + on_board(g, p, 4) + in_hand(p, 0) <= 2 &&
	       on_board(g, p, 3) + on_board(g, p, 5) + in_hand(p, 1) <= 2 && (p->turn || !is_in_check(g, p));
}

static const char *read_position(const struct ck_game *g, const char *text, struct ck_position *p)
{
	char side, rooks, bishops;
	const char *t = text, *letter;
	*p = (struct ck_position){.at = {0}};
	if (!*text) {
		p->at[g->width * g->height - 1] = 1;
		p->node = 1 + 3;
		return NULL;
	}
	for (unsigned y = g->height; y-- > 0; t += *t == '/')
		for (unsigned x = 0; x < g->width; x++, t++) {
			if (!*t || !(letter = strchr(".kRBrb", *t)))
				return "a square is . k R B r b";
			p->at[y * g->width + x] = (uint8_t)(letter - ".kRBrb");
		}
	if (strlen(t) != 6 || sscanf(t, " %c %c %c", &side, &rooks, &bishops) != 3 || !strchr("ad", side) ||
	    !strchr("012", rooks) || !strchr("012", bishops))
		return "rows, side to move and hand look like .k./.../.R. a 1 0";
	p->turn = side == 'd';
	p->node = (uint32_t)(rooks - '0' + 3 * (bishops - '0'));
	return is_valid(g, p) ? NULL : "one king, two rooks, two bishops, no check yet";
}

static void print_position(const struct ck_game *g, const struct ck_position *p, char out[CK_TEXT_MAX])
{
	for (unsigned y = g->height; y-- > 0; *out++ = y ? '/' : ' ')
		for (unsigned x = 0; x < g->width; x++)
			*out++ = ".kRBrb"[p->at[y * g->width + x]];
	snprintf(out, 8, "%c %u %u", "ad"[p->turn], in_hand(p, 0) % 10, in_hand(p, 1) % 10);
}

static size_t encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t out[CK_KEY_MAX])
{
	unsigned n = g->width * g->height;
	uint8_t image[16];
	for (unsigned i = 0; i < n; i++)
		image[i] = p->at[i / g->width * g->width + g->width - 1 - i % g->width];
	memcpy(out, memcmp(image, p->at, n) < 0 ? image : p->at, n);
	out[n] = p->turn;
	out[n + 1] = (uint8_t)in_hand(p, 0);
	out[n + 2] = (uint8_t)in_hand(p, 1);
	return n + 3;
}

static bool decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	unsigned n = g->width * g->height;
	*p = (struct ck_position){.at = {0}};
	if (size != n + 3 || key[n] > 1 || key[n + 1] > 2 || key[n + 2] > 2)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (key[i] > 5)
			return false;
	memcpy(p->at, key, n);
	p->turn = key[n];
	p->node = key[n + 1] + 3u * key[n + 2];
	return is_valid(g, p);
}

static void play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	unsigned from = move / 16, to = move % 16;
	if (!p->turn && p->at[to] > 3)
		p->node += p->at[to] == 4 ? 1 : 3;
	if (from >= 12) {
		p->at[to] = (uint8_t)(from - 12 + (p->turn ? 4 : 2));
		if (!p->turn)
			p->node -= from == 12 ? 1 : 3;
	} else {
		p->at[to] = p->at[from];
		p->at[from] = 0;
	}
	p->turn = !p->turn;
}

static bool can_reach(const struct ck_game *g, const struct ck_position *p, unsigned from, unsigned to)
{
	unsigned man = p->at[from], taken = p->at[to], w = g->width;
	bool mine = p->turn ? man == 1 || man > 3 : man == 2 || man == 3;
	if (!mine || taken == 1 || (p->turn ? taken > 3 : taken == 2 || taken == 3))
		return false;
	if (man == 1)
		return from != to && abs((int)(from % w) - (int)(to % w)) < 2 &&
		       abs((int)(from / w) - (int)(to / w)) < 2;
	return is_free_line(g, p, from, to, man == 3 || man == 5);
}

static unsigned list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t out[CK_MOVES_MAX])
{
	unsigned n = 0, squares = g->width * g->height;
	for (unsigned from = 0; from < 14; from++)
		for (unsigned to = 0; to < squares; to++) {
			unsigned kind = from - 12;
			struct ck_position next = *p;
			if (from < 12 ? from >= squares || !can_reach(g, p, from, to)
				      : p->at[to] || !(p->turn ? 2 - on_board(g, p, 2 + kind) -
									 on_board(g, p, 4 + kind) - in_hand(p, kind)
							       : in_hand(p, kind)))
				continue;
			play_move(g, &next, (uint16_t)(from * 16 + to));
			if (is_in_check(g, &next) != p->turn)
				out[n++] = (uint16_t)(from * 16 + to);
		}
	return n;
}

static bool is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	uint16_t moves[CK_MOVES_MAX];
	*value = p->turn ? 1 : -1;
	return !list_moves(g, p, moves);
}

static bool first_moves(const struct ck_game *g, const struct ck_position *p)
{
	return !p->turn;
}

/* The same board, and the attacker holds at least as much of both (the defender: at most as much). */
static bool position_dominates(const struct ck_game *g, const struct ck_position *a, const struct ck_position *b,
			       int64_t bound, bool upper)
{
	const struct ck_position *more = upper ? b : a, *less = upper ? a : b;
	return !memcmp(a->at, b->at, sizeof a->at) && a->turn == b->turn && in_hand(more, 0) >= in_hand(less, 0) &&
	       in_hand(more, 1) >= in_hand(less, 1);
}

static int open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size, struct pd_fail *fail)
{
	unsigned width = 0, height = 0;
	char more;
	if (sscanf(params, "%1u%*[x]%1u%c", &width, &height, &more) != 2 || strlen(params) != 3 || width < 2 ||
	    width > 4 || height < 2 || height > 3)
		return game_fail(fail, PD_E_GAME, "game", "drops takes columns 2 to 4 and rows 2 to 3");
	g->width = width, g->height = height;
	g->version = 1, g->worst = -1, g->best = 1, g->step = 2, g->infinite = -1, g->repeats = true;
	g->key_max = width * height + 3;
	return PD_OK;
}

static const struct ck_rules drops = {.name = "drops",
				      .open = open_game,
				      .read = read_position,
				      .print = print_position,
				      .encode = encode_key,
				      .decode = decode_key,
				      .over = is_over,
				      .first_moves = first_moves,
				      .moves = list_moves,
				      .play = play_move,
				      .dominates = position_dominates};
static const struct ck_rules *const games[] = {&drops, NULL};
CK_PLUGIN(games, "tests/plugins");
