/* clobber:WxH for proofcheck: the rules a second time, square by square. The comment of game.c defines what both share:
 * notation, symmetries, dead stones, bytes of a key, codes of moves. This file was written from that comment alone and
 * shares no line with game.c.
 *
 * at[square] is 0 for an empty square, 1 for x, 2 for o; `turn` is 0 when First (x) is to move. */
#include <proofd/checker.h>

#include <stdlib.h>
#include <string.h>

enum { SQUARES_MAX = 128, NOWHERE = -1 };

/* The square one step away: up, right, down, left. */
static int next_to(const struct ck_game *g, int square, int direction)
{
	int width = (int)g->width, column = square % width;
	switch (direction) {
	case 0:
		return square + width < width * (int)g->height ? square + width : NOWHERE;
	case 1:
		return column + 1 < width ? square + 1 : NOWHERE;
	case 2:
		return square >= width ? square - width : NOWHERE;
	default:
		return column > 0 ? square - 1 : NOWHERE;
	}
}

static int squares_of(const struct ck_game *g)
{
	return (int)(g->width * g->height);
}

static unsigned list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t out[CK_MOVES_MAX])
{
	unsigned n = 0;
	int mine = p->turn ? 2 : 1;
	for (int square = 0; square < squares_of(g); square++)
		for (int d = 0; d < 4; d++) {
			int there = next_to(g, square, d);
			if (p->at[square] == mine && there != NOWHERE && p->at[there] == 3 - mine)
				out[n++] = (uint16_t)(4 * square + d);
		}
	return n;
}

static bool is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	uint16_t list[CK_MOVES_MAX];
	*value = p->turn ? 1 : -1;
	return list_moves(g, p, list) == 0;
}

static bool first_moves(const struct ck_game *g, const struct ck_position *p)
{
	(void)g;
	return p->turn == 0;
}

static void play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	p->at[next_to(g, move / 4, move % 4)] = p->at[move / 4];
	p->at[move / 4] = 0;
	p->turn = !p->turn;
}

static const char *read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	int width = (int)g->width, row = (int)g->height - 1, column = 0;
	memset(out, 0, sizeof *out);
	for (int i = 0; !*text && i < squares_of(g); i++)
		out->at[i] = (i / width + i % width) % 2 ? 2 : 1;
	if (!*text)
		return NULL;
	for (; *text && *text != ' '; text++) {
		int run = 1;
		if (*text == '/') {
			if (column != width || row-- == 0)
				return "a row is too short, or there are too many rows";
			column = 0;
			continue;
		}
		if (*text >= '0' && *text <= '9') {
			run = atoi(text);
			while (text[1] >= '0' && text[1] <= '9')
				text++;
		} else if (!strchr("xo.", *text)) {
			return "a row consists of x, o, . and numbers";
		}
		if (run < 0 || run > width - column)
			return "a row is too long";
		if (*text == 'x' || *text == 'o')
			out->at[row * width + column] = *text == 'x' ? 1 : 2;
		column += run;
	}
	if (row || column != width)
		return "there are too few squares";
	if (*text && strcmp(text, " x") && strcmp(text, " o"))
		return "a blank and the side to move, x or o, must follow the board";
	out->turn = *text && text[1] == 'o';
	return NULL;
}

static void print_position(const struct ck_game *g, const struct ck_position *p, char out[CK_TEXT_MAX])
{
	for (int row = (int)g->height - 1; row >= 0; row--) {
		for (int column = 0; column < (int)g->width; column++)
			*out++ = ".xo"[p->at[row * (int)g->width + column]];
		*out++ = row ? '/' : ' ';
	}
	*out++ = p->turn ? 'o' : 'x';
	*out = 0;
}

/* Removes dead stones: those that no chain connects with the other side. */
static void remove_dead_stones(const struct ck_game *g, struct ck_position *p)
{
	bool alive[SQUARES_MAX] = {false}, more = true;
	while (more) {
		more = false;
		for (int square = 0; square < squares_of(g); square++)
			for (int d = 0; d < 4; d++) {
				int there = next_to(g, square, d);
				if (alive[square] || !p->at[square] || there == NOWHERE || !p->at[there])
					continue;
				if (alive[there] || p->at[there] != p->at[square])
					alive[square] = more = true;
			}
	}
	for (int square = 0; square < squares_of(g); square++)
		if (!alive[square])
			p->at[square] = 0;
}

/* The square that symmetry i maps a square to: bit 0 of i mirrors columns, bit 1 rows, bit 2 then swaps the two. */
static int image_of(const struct ck_game *g, int square, int i)
{
	int width = (int)g->width, height = (int)g->height, x = square % width, y = square / width;
	if (i & 1)
		x = width - 1 - x;
	if (i & 2)
		y = height - 1 - y;
	return i & 4 ? x * width + y : y * width + x;
}

/* Whether a comes before b: compares the sets of x as numbers (the highest square decides), then the sets of o. */
static bool is_less(const struct ck_game *g, const struct ck_position *a, const struct ck_position *b)
{
	for (int stone = 1; stone <= 2; stone++)
		for (int square = squares_of(g) - 1; square >= 0; square--)
			if ((a->at[square] == stone) != (b->at[square] == stone))
				return b->at[square] == stone;
	return false;
}

static size_t encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t out[CK_KEY_MAX])
{
	struct ck_position plain = *p, best, image;
	int squares = squares_of(g);
	remove_dead_stones(g, &plain);
	best = plain;
	for (int i = 1; i < (g->width == g->height ? 8 : 4); i++) {
		image = plain;
		for (int square = 0; square < squares; square++)
			image.at[image_of(g, square, i)] = plain.at[square];
		if (is_less(g, &image, &best))
			best = image;
	}
	memset(out, 0, g->key_max);
	for (int i = 0; i <= 2 * squares; i++) {
		bool set = i == 2 * squares ? p->turn : best.at[i % squares] == 1 + i / squares;
		out[i / 8] |= (uint8_t)(set << i % 8);
	}
	return g->key_max;
}

/* proofcheck encodes the position again and compares, so it refuses a key that is not canonical. */
static bool decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *out)
{
	int squares = squares_of(g);
	if (size != g->key_max)
		return false;
	for (int i = 0; i < 8 * (int)size; i++) {
		if (!(key[i / 8] >> i % 8 & 1))
			continue;
		if (i > 2 * squares || (i < 2 * squares && out->at[i % squares]))
			return false;
		if (i == 2 * squares)
			out->turn = 1;
		else
			out->at[i % squares] = (uint8_t)(1 + i / squares);
	}
	return true;
}

static int open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size, struct pd_fail *fail)
{
	char again[32];
	(void)graph;
	(void)graph_size;
	if (sscanf(params, "%3ux%3u", &g->width, &g->height) == 2)
		snprintf(again, sizeof again, "%ux%u", g->width, g->height);
	else
		again[0] = 0;
	if (strcmp(again, params) || !g->width || !g->height || g->width * g->height > SQUARES_MAX)
		return game_fail(fail, PD_E_GAME, "game",
				 "clobber takes columns x rows, at most 128 squares, as in clobber:6x5");
	g->version = 1;
	g->worst = -1;
	g->best = 1;
	g->step = 2;
	g->infinite = -1;
	g->key_max = (2 * g->width * g->height + 8) / 8;
	return PD_OK;
}

static size_t print_square(const struct ck_game *g, int square, char *out, size_t size)
{
	int width = (int)g->width, column = square % width, row = square / width + 1;
	if (column < 26)
		return (size_t)snprintf(out, size, "%c%d", 'a' + column, row);
	return (size_t)snprintf(out, size, "%c%c%d", 'a' + column / 26 - 1, 'a' + column % 26, row);
}

static void print_move(const struct ck_game *g, const struct ck_position *p, uint16_t move, char out[CK_MOVE_TEXT])
{
	size_t n = print_square(g, move / 4, out, CK_MOVE_TEXT);
	(void)p;
	out[n++] = '-';
	print_square(g, next_to(g, move / 4, move % 4), out + n, CK_MOVE_TEXT - n);
}

static const struct ck_rules clobber = {
	.name = "clobber",
	.open = open_game,
	.read = read_position,
	.print = print_position,
	.encode = encode_key,
	.decode = decode_key,
	.over = is_over,
	.first_moves = first_moves,
	.moves = list_moves,
	.play = play_move,
	.grid = &(const struct ck_grid){.letters = ".xo"},
	.move_name = print_move,
};

static const struct ck_rules *const games[] = {&clobber, NULL};
CK_PLUGIN(games, "the proofd project");
