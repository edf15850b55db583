/* m,n,k,p,q: stones are placed on empty squares, First's q on the first turn, then p a turn; k or more stones of one
 * player in a row, a column or a diagonal win, with `exact` a line of k that no further stone of the player extends; a
 * full board is a draw.
 *
 * at: 1 First's stone (x), 2 Second's (o). First opens. Move code: the square; a move is one stone. turn, opening: p
 * and q; option_a: exact.
 *
 * Where p and q are 1, positions may be set up that do not come up in a game: any stones, either side to move; but only
 * one side may have won, and the turn is then the other side's. In text x or o behind the board says who is to move. */
#include "clients/proofcheck/rules.h"

#include <string.h>

#include "clients/proofcheck/board.h"
#include "proto/base/assert.h"

/* The kind of stone on a square that may lie off the board, where there is none. */
static unsigned kind_at(const struct ck_game *g, const struct ck_position *p, int column, int row)
{
	if (column < 0 || row < 0 || column >= (int)g->width || row >= (int)g->height)
		return 0;
	return p->at[(unsigned)row * g->width + (unsigned)column];
}

/* Looks at every row of stones from its first stone. */
static bool has_line(const struct ck_game *g, const struct ck_position *p, unsigned kind)
{
	static const int directions[4][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
	for (unsigned i = 0; i < 4 * g->width * g->height; i++) {
		int right = directions[i % 4][0], up = directions[i % 4][1], column = (int)(i / 4 % g->width),
		    row = (int)(i / 4 / g->width);
		unsigned length = 0;
		if (kind_at(g, p, column - right, row - up) == kind)
			continue;
		for (; kind_at(g, p, column, row) == kind; column += right, row += up)
			length++;
		if (length == g->line || (length > g->line && !g->option_a))
			return true;
	}
	return false;
}

static unsigned count_stones(const struct ck_game *g, const struct ck_position *p, unsigned kind)
{
	unsigned n = 0;
	for (unsigned i = 0; i < g->width * g->height; i++)
		n += p->at[i] == kind;
	return n;
}

/* The side that puts a stone when there are `before` stones on the board: 0 First, 1 Second. */
static unsigned side_after(const struct ck_game *g, unsigned before)
{
	return before < g->opening ? 0 : (before - g->opening) / g->turn % 2 ? 0 : 1;
}

static unsigned stones_of_both(const struct ck_game *g, const struct ck_position *p)
{
	return count_stones(g, p, 1) + count_stones(g, p, 2);
}

/* Turns are of one stone. */
static bool turns_alternate(const struct ck_game *g)
{
	return g->turn == 1 && g->opening == 1;
}

/* Only who put the last stone can have won: see `fault` and `give_turn`. */
static bool mnk_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	unsigned n = stones_of_both(g, p), last = turns_alternate(g) ? !p->turn : n ? side_after(g, n - 1) : 0;
	if (n && has_line(g, p, last + 1)) {
		*value = last ? -1 : 1;
		return true;
	}
	*value = 0;
	return n == g->width * g->height;
}

static unsigned mnk_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < g->width * g->height; i++)
		if (!p->at[i])
			out[n++] = (uint16_t)i;
	return n;
}

static void mnk_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	PD_ASSERT(move < g->width * g->height && !p->at[move]);
	p->at[move] = p->turn ? 2 : 1;
	p->turn = turns_alternate(g) ? !p->turn : (uint8_t)side_after(g, stones_of_both(g, p));
}

/* Returns why the board does not come up in a game; NULL when it does. Fills in the side to move. */
static const char *find_fault(const struct ck_game *g, struct ck_position *p)
{
	unsigned all = stones_of_both(g, p), of_first = 0, squares = g->width * g->height;
	for (unsigned i = 0; i < all; i++)
		of_first += side_after(g, i) == 0;
	if (count_stones(g, p, 1) != of_first)
		return "the sides must have as many stones as their turns give them";
	p->turn = (uint8_t)side_after(g, all);
	unsigned last = all ? side_after(g, all - 1) + 1 : 2;
	if (has_line(g, p, 3 - last))
		return "the side that did not move last has a winning line already";
	if (!has_line(g, p, last))
		return NULL;
	for (unsigned i = 0; i < squares; i++) {
		struct ck_position before = *p;
		before.at[i] = 0;
		if (p->at[i] == last && !has_line(g, &before, last))
			return NULL;
	}
	return "the game went on after a winning line";
}

/* Gives the turn to the side that has it: `turn`, when that is 0 or 1, or as after moves from the start; who has a line
 * never has the turn. Returns what is wrong with the position; NULL when nothing is. *usual: it comes up in a game. */
static const char *give_turn(const struct ck_game *g, struct ck_position *p, unsigned turn, bool *usual)
{
	const char *wrong = find_fault(g, p);
	bool won[2] = {has_line(g, p, 1), has_line(g, p, 2)}, ended = won[0] || won[1];
	*usual = !wrong && (turn > 1 || turn == p->turn || ended);
	if (*usual)
		return NULL;
	if (!turns_alternate(g))
		return wrong ? wrong : "the other side is to move";
	if (won[0] && won[1])
		return "both sides have a winning line";
	if (turn > 1 && !ended && stones_of_both(g, p) < g->width * g->height)
		return "the number of stones does not tell who is to move: say it";
	p->turn = ended ? won[0] : turn < 2 ? (uint8_t)turn : (uint8_t)side_after(g, stones_of_both(g, p));
	return NULL;
}

/* Reads a square, as in b3 or ab12, and moves behind it. */
static bool read_square(const struct ck_game *g, const char **text, unsigned *square)
{
	unsigned column = 0, row, letters = 0;
	for (; **text >= 'a' && **text <= 'z' && letters < 2; letters++)
		column = column * 26 + (unsigned)(*(*text)++ - 'a') + 1;
	if (!letters || !ck_number(text, &row) || column > g->width || row > g->height)
		return false;
	*square = (row - 1) * g->width + column - 1;
	return true;
}

static const char *read_squares(const struct ck_game *g, const char *text, struct ck_position *p)
{
	int value;
	for (;;) {
		unsigned square;
		text += strspn(text, " ,\t");
		if (!*text)
			return NULL;
		if (!read_square(g, &text, &square) || !strchr(" ,\t", *text))
			return "there is no such square";
		if (mnk_is_over(g, p, &value))
			return "a move was played after the end of the game";
		if (p->at[square])
			return "a stone was put on a square that is taken";
		mnk_play_move(g, p, (uint16_t)square);
	}
}

static const char *mnk_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	memset(out, 0, sizeof *out);
	if (!strchr(text, '/'))
		return read_squares(g, text, out);
	size_t size = strcspn(text, " ");
	const char *wrong = ck_board_read(text, size, g->width, g->height, "xo", out->at);
	unsigned turn = 2;
	bool usual;
	if (!wrong && text[size]) {
		text += size + strspn(text + size, " ");
		if (strcmp(text, "x") && strcmp(text, "o"))
			return "behind the board is the side to move, x or o";
		turn = *text == 'o';
	}
	return wrong ? wrong : give_turn(g, out, turn, &usual);
}

/* Whether the position comes up in a game: the board does, and then with this side to move. */
static bool is_usual(const struct ck_game *g, const struct ck_position *p)
{
	struct ck_position copy = *p;
	return !turns_alternate(g) ||
	       (count_stones(g, p, 1) == count_stones(g, p, 2) + p->turn && !find_fault(g, &copy));
}

static void mnk_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	out += ck_board_print(p->at, g->width, g->height, "xo", out);
	if (!is_usual(g, p)) {
		*out++ = ' ';
		*out++ = p->turn ? 'o' : 'x';
		*out = '\0';
	}
}

/* The image under a symmetry: bit 1 of it mirrors columns, 2 mirrors rows, 4 swaps columns and rows. */
static void image_of(const struct ck_game *g, const struct ck_position *p, unsigned symmetry, uint8_t *out)
{
	for (unsigned row = 0; row < g->height; row++)
		for (unsigned column = 0; column < g->width; column++) {
			unsigned x = symmetry & 1 ? g->width - 1 - column : column,
				 y = symmetry & 2 ? g->height - 1 - row : row;
			out[symmetry & 4 ? x * g->width + y : y * g->width + x] = p->at[row * g->width + column];
		}
}

/* Whether a's numbers are smaller: the highest square in which they differ decides, for First's stones first. */
static bool is_smaller(const uint8_t *a, const uint8_t *b, unsigned squares)
{
	for (unsigned kind = 1; kind <= 2; kind++)
		for (unsigned i = squares; i-- > 0;)
			if ((a[i] == kind) != (b[i] == kind))
				return b[i] == kind;
	return false;
}

/* Bytes of a key that the stones take. */
static size_t stones_size(const struct ck_game *g)
{
	return (2 * g->width * g->height + 7) / 8;
}

static size_t mnk_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	uint8_t best[CK_SQUARES_MAX], image[CK_SQUARES_MAX];
	unsigned squares = g->width * g->height;
	image_of(g, p, 0, best);
	for (unsigned i = 1; i < (g->width == g->height ? 8u : 4u); i++) {
		image_of(g, p, i, image);
		if (is_smaller(image, best, squares))
			memcpy(best, image, squares);
	}
	size_t size = stones_size(g);
	memset(out, 0, size);
	for (unsigned i = 0; i < 2 * squares; i++)
		if (best[i % squares] == i / squares + 1)
			out[i / 8] |= (uint8_t)(1u << i % 8);
	if (!is_usual(g, p))
		out[size++] = p->turn;
	return size;
}

static bool mnk_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	unsigned squares = g->width * g->height, turn = 2;
	bool usual;
	size_t of_stones = stones_size(g);
	if (size == of_stones + 1 && turns_alternate(g) && key[of_stones] < 2)
		turn = key[of_stones];
	else if (size != of_stones)
		return false;
	for (unsigned i = 0; i < 8 * of_stones; i++) {
		if (!(key[i / 8] >> i % 8 & 1))
			continue;
		if (i >= 2 * squares || p->at[i % squares])
			return false; /* a bit behind the board, or two stones on one square */
		p->at[i % squares] = (uint8_t)(i / squares + 1);
	}
	return !give_turn(g, p, turn, &usual) && usual == (turn > 1) && (turn > 1 || turn == p->turn);
}

static int mnk_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
			 struct pd_fail *fail)
{
	const char *p = params;
	g->turn = g->opening = 1;
	bool good = ck_number(&p, &g->width) && *p++ == ',' && ck_number(&p, &g->height) && *p++ == ',' &&
		    ck_number(&p, &g->line);
	if (good && p[0] == ',' && p[1] != 'e') {
		p++;
		good = ck_number(&p, &g->turn) && *p++ == ',' && ck_number(&p, &g->opening) &&
		       (g->turn != 1 || g->opening != 1); /* these are left out */
	}
	if (good && !strcmp(p, ",exact")) {
		g->option_a = true;
		p += strlen(p);
	}
	if (!good || *p)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "mnk takes columns, rows and stones in a row, as in mnk:3,3,3, and the stones of a "
				   "turn and of the first turn, and exact, as in mnk:19,19,6,2,1,exact");
	if (g->width > 64 || g->height > 64 || g->width * g->height > CK_SQUARES_MAX || g->line > 64 || g->turn > 400 ||
	    g->opening > 400)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "mnk takes boards of at most %d squares, 64 columns and 64 rows, on which 1 to 64 "
				   "stones win, and turns of 1 to 400 stones",
				   CK_SQUARES_MAX);
	g->key_max = (unsigned)stones_size(g) + turns_alternate(g);
	return PD_OK;
}

const struct ck_rules ck_mnk = {
	.name = "mnk",
	CK_RULES(mnk),
	.over = mnk_is_over,
	.first_moves = ck_turn_0_moves,
	.grid = &(const struct ck_grid){.letters = ".xo"},
};
