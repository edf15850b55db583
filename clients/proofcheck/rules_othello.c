/* Othello: a disc is put on an empty square so that it encloses lines of enemy discs, which change sides. A side that
 * cannot do so passes; when neither can, the game is over. Its value is First's discs minus Second's; empty squares
 * count for the side that has more discs, or, with empties=none, for neither.
 *
 * at: 1 a disc of First (Black), 2 one of Second. Squares are numbered from the top left corner. First begins. Move
 * code: the square, or CK_PASS_MOVE. option_a: empties=none. */
#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/board.h"
#include "clients/proofcheck/keys.h"
#include "proto/base/assert.h"

/* How many discs a disc of that kind encloses in one direction from a square. With `turn` they change sides. */
static unsigned count_enclosed(const struct ck_game *g, struct ck_position *p, unsigned square, unsigned kind,
			       int right, int down, bool turn)
{
	int n = (int)g->width, count = 0, next;
	while ((next = ck_square_at(g, (int)square % n + (count + 1) * right, (int)square / n + (count + 1) * down)) >=
		       0 &&
	       p->at[next] && p->at[next] != kind)
		count++;
	if (next < 0 || !p->at[next])
		return 0;
	for (int i = 1; i <= count && turn; i++)
		p->at[next - i * (down * n + right)] = (uint8_t)kind;
	return (unsigned)count;
}

/* How many discs change sides when a disc of that kind is put on a square. With `turn` it is put there. */
static unsigned put_disc(const struct ck_game *g, struct ck_position *p, unsigned square, unsigned kind, bool turn)
{
	unsigned count = 0;
	if (p->at[square])
		return 0;
	for (int right = -1; right <= 1; right++)
		for (int down = -1; down <= 1; down++)
			if (right || down)
				count += count_enclosed(g, p, square, kind, right, down, turn);
	if (turn)
		p->at[square] = (uint8_t)kind;
	return count;
}

static bool can_move(const struct ck_game *g, const struct ck_position *p, unsigned kind)
{
	struct ck_position copy = *p;
	for (unsigned i = 0; i < g->width * g->width; i++)
		if (put_disc(g, &copy, i, kind, false))
			return true;
	return false;
}

static bool neither_can_move(const struct ck_game *g, const struct ck_position *p)
{
	return !can_move(g, p, 1) && !can_move(g, p, 2);
}

static bool othello_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	int discs[3] = {0};
	if (!neither_can_move(g, p))
		return false;
	for (unsigned i = 0; i < g->width * g->width; i++)
		discs[p->at[i]]++;
	if (!g->option_a && discs[1] != discs[2])
		discs[discs[1] > discs[2] ? 1 : 2] += discs[0];
	*value = discs[1] - discs[2];
	return true;
}

static unsigned othello_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	struct ck_position copy = *p;
	unsigned n = 0;
	for (unsigned i = 0; i < g->width * g->width; i++)
		if (put_disc(g, &copy, i, p->turn + 1u, false))
			out[n++] = (uint16_t)i;
	if (!n)
		out[n++] = CK_PASS_MOVE;
	return n;
}

static void othello_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	if (move != CK_PASS_MOVE) {
		unsigned turned = put_disc(g, p, move, p->turn + 1u, true);
		PD_ASSERT(turned);
	}
	p->turn = !p->turn;
	if (neither_can_move(g, p))
		p->turn = 0;
}

/* Returns what is wrong with the board, or NULL. Sets the side to move where the game is over. */
static const char *find_fault(const struct ck_game *g, struct ck_position *p)
{
	unsigned half = g->width / 2;
	for (unsigned row = half - 1; row <= half; row++)
		for (unsigned column = half - 1; column <= half; column++)
			if (!p->at[row * g->width + column])
				return "a square in the centre is empty";
	if (neither_can_move(g, p))
		p->turn = 0;
	return NULL;
}

static bool read_pass(const char **text)
{
	if (!strncmp(*text, "--", 2) || !strncmp(*text, "ps", 2))
		*text += 2;
	else if (!strncmp(*text, "pass", 4))
		*text += 4;
	else
		return false;
	return true;
}

static const char *read_moves(const struct ck_game *g, const char *text, struct ck_position *p)
{
	unsigned half = g->width / 2, upper = (half - 1) * g->width, lower = half * g->width;
	int value;
	p->at[upper + half] = p->at[lower + half - 1] = 1;
	p->at[upper + half - 1] = p->at[lower + half] = 2;
	for (;;) {
		text += strspn(text, " ,\t");
		if (!*text)
			return NULL;
		if (othello_is_over(g, p, &value))
			return "a move was played after the end of the game";
		bool pass = read_pass(&text), must = !can_move(g, p, p->turn + 1u);
		if (pass && !must)
			return "a side that had a move passed";
		if (must)
			othello_play_move(g, p, CK_PASS_MOVE);
		if (pass)
			continue;
		char letter = *text, digit = letter ? text[1] : 0;
		if (letter >= 'A' && letter <= 'Z')
			letter = (char)(letter - 'A' + 'a');
		if (letter < 'a' || letter >= (char)('a' + g->width) || digit < '1' || digit >= (char)('1' + g->width))
			return "there is no such square";
		unsigned square = (unsigned)(digit - '1') * g->width + (unsigned)(letter - 'a');
		if (!put_disc(g, p, square, p->turn + 1u, false))
			return "a disc was put where it turns no discs";
		othello_play_move(g, p, (uint16_t)square);
		text += 2;
	}
}

static const char *othello_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	static const char *const kinds[3] = {"-.", "Xx*", "Oo"};
	memset(out, 0, sizeof *out);
	if (!*text || !strchr("Xx*Oo-.", *text))
		return read_moves(g, text, out);
	for (unsigned i = 0; i < g->width * g->width; i++) {
		unsigned kind = 0;
		while (kind < 3 && (!text[i] || !strchr(kinds[kind], text[i])))
			kind++;
		if (kind == 3)
			return "the board has too few squares, or a character that is not a square";
		out->at[i] = (uint8_t)kind;
	}
	text += g->width * g->width;
	if (strcmp(text, " X") != 0 && strcmp(text, " O") != 0)
		return "a blank and the side to move, X or O, must follow the board";
	out->turn = text[1] == 'O';
	return find_fault(g, out);
}

static void othello_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	for (unsigned i = 0; i < g->width * g->width; i++)
		*out++ = "-XO"[p->at[i]];
	sprintf(out, " %c", p->turn ? 'O' : 'X');
}

static unsigned marker_square(const struct ck_game *g)
{
	return (g->width / 2 - 1) * (g->width + 1);
}

static size_t othello_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	uint8_t best[CK_SQUARES_MAX];
	unsigned squares = g->width * g->width;
	ck_smallest_image(g, p->at, CK_ALL_SYMMETRIES, best);
	memset(out, 0, g->key_max);
	for (unsigned i = 0; i < squares; i++) {
		unsigned taken = squares + i;
		if (best[i] == 1)
			out[i / 8] |= (uint8_t)(1u << i % 8);
		if (best[i] && !(p->turn && i == marker_square(g)))
			out[taken / 8] |= (uint8_t)(1u << taken % 8);
	}
	return g->key_max;
}

static bool othello_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	unsigned squares = g->width * g->width;
	if (size != g->key_max)
		return false;
	for (unsigned i = 0; i < squares; i++) {
		unsigned j = squares + i;
		bool first = key[i / 8] >> i % 8 & 1, taken = key[j / 8] >> j % 8 & 1;
		if (i == marker_square(g)) {
			p->turn = !taken;
			taken = true;
		}
		if (first && !taken)
			return false;
		p->at[i] = first ? 1 : taken ? 2 : 0;
	}
	/* After the end of the game this makes First the side to move; ck_decode then refuses a key with Second. */
	return !find_fault(g, p);
}

static int othello_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
			     struct pd_fail *fail)
{
	const char *p = params;
	if (!ck_number(&p, &g->width) || (*p && strcmp(p, ",empties=none") != 0) ||
	    (g->width != 4 && g->width != 6 && g->width != 8))
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "othello takes 4, 6 or 8 rows, as in othello:8 or othello:4,empties=none");
	g->height = g->width;
	g->option_a = *p != 0;
	g->best = (int)(g->width * g->width);
	g->worst = -g->best;
	g->step = g->option_a ? 1 : 2;
	g->key_max = g->width * g->width / 4;
	return PD_OK;
}

const struct ck_rules ck_othello = {
	.name = "othello",
	CK_RULES(othello),
	.over = othello_is_over,
	.first_moves = ck_turn_0_moves,
	.grid = &(const struct ck_grid){.letters = ".XO", .from_top = true},
	.square = ck_move_is_square,
};
