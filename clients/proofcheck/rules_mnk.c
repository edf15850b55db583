/* m,n,k,p,q: stones are placed on empty squares, q by First on the first turn, then p per turn; k or more stones of one
 * player in a row, a column or a diagonal win, with `exact` a line of k that no further stone of the player extends; a
 * full board is a draw.
 *
 * at: 1 First's stone (x), 2 Second's (o). First opens. Move code: the square; a move is one stone. turn, opening: p
 * and q; option_a: exact.
 *
 * Where p and q are 1, positions may be set up that do not come up in a game: any stones, either side to move; but only
 * one side may have won, and the turn is then the other side's. In texts x or o after the board names the side to
 * move. */
#include <string.h>

#include "clients/proofcheck/board.h"
#include "clients/proofcheck/cover.h"
#include "clients/proofcheck/keys.h"
#include "proto/base/assert.h"

/* The stone in that column and row; 0 off the board. */
static unsigned kind_at(const struct ck_game *g, const struct ck_position *p, int column, int row)
{
	int square = ck_square_at(g, column, row);
	return square < 0 ? 0 : p->at[square];
}

/* Whether the side has a winning line. Measures every row of stones from its first stone. */
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

/* The side that puts a stone when there are `before` stones on the board: 0 First, 1 Second. */
static unsigned side_after(const struct ck_game *g, unsigned before)
{
	return before < g->opening ? 0 : (before - g->opening) / g->turn % 2 ? 0 : 1;
}

static unsigned stones_of_both(const struct ck_game *g, const struct ck_position *p)
{
	return g->width * g->height - ck_count_kind(p->at, g->width * g->height, 0);
}

/* Whether every turn, also the first, places one stone. */
static bool turns_alternate(const struct ck_game *g)
{
	return g->turn == 1 && g->opening == 1;
}

/* Only the side that put the last stone can have won: see `find_fault` and `give_turn`. */
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

static void mnk_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	PD_ASSERT(move < g->width * g->height && !p->at[move]);
	p->at[move] = p->turn ? 2 : 1;
	p->turn = turns_alternate(g) ? !p->turn : (uint8_t)side_after(g, stones_of_both(g, p));
}

/* Returns why the board cannot come up in a game, or NULL. Sets the side to move. */
static const char *find_fault(const struct ck_game *g, struct ck_position *p)
{
	unsigned all = stones_of_both(g, p), of_first = 0, squares = g->width * g->height;
	for (unsigned i = 0; i < all; i++)
		of_first += side_after(g, i) == 0;
	if (ck_count_kind(p->at, squares, 1) != of_first)
		return "the sides must have as many stones as their turns give them";
	p->turn = (uint8_t)side_after(g, all);
	unsigned last = all ? side_after(g, all - 1) + 1 : 2;
	if (has_line(g, p, 3 - last))
		return "the side that did not move last already has a winning line";
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

/* Sets the side to move: `turn`, if that is 0 or 1, or the side that the number of stones gives; never a side with a
 * winning line. Returns what is wrong with the position, or NULL. *usual: the position comes up in a game. */
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
		return "the number of stones does not tell who is to move: name the side";
	p->turn = ended ? won[0] : turn < 2 ? (uint8_t)turn : (uint8_t)side_after(g, stones_of_both(g, p));
	return NULL;
}

static const char *mnk_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	unsigned side;
	bool usual;
	memset(out, 0, sizeof *out);
	if (!strchr(text, '/'))
		return ck_moves_read(g, text, out, NULL);
	const char *wrong = ck_rows_read(g, text, "xo", CK_SIDES("x", "o"), out, &side);
	return wrong ? wrong : give_turn(g, out, side, &usual);
}

/* Whether the position comes up in a game: the board does, and then with this side to move. */
static bool is_usual(const struct ck_game *g, const struct ck_position *p)
{
	struct ck_position copy = *p;
	unsigned squares = g->width * g->height;
	return !turns_alternate(g) || (ck_count_kind(p->at, squares, 1) == ck_count_kind(p->at, squares, 2) + p->turn &&
				       !find_fault(g, &copy));
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

static const struct ck_key_form form = {.sets = 2, .symmetries = CK_ALL_SYMMETRIES, .most = 2};

/* The key of a position that cannot come up in a game ends with the side to move. */
static size_t mnk_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	size_t size = ck_key_write(g, &form, p, out);
	if (!is_usual(g, p))
		out[size++] = p->turn;
	return size;
}

static bool mnk_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	size_t stones = ck_key_size(g, &form);
	unsigned turn = size == stones + 1 && turns_alternate(g) ? key[stones] : 2;
	bool usual;
	if ((size != stones && turn > 1) || !ck_key_read(g, &form, key, stones, p))
		return false;
	return !give_turn(g, p, turn, &usual) && usual == (turn > 1) && (turn > 1 || turn == p->turn);
}

/* --- theorems (solver/games/THEOREMS.md): T5, groups in the lines of the attacker ----------- */

enum { T5 = 5, STEPS_MAX = 1000 };

/* The line with that number, if it is an open line of the attacker, the side to move: it holds no stone of the other
 * side, and with `exact` no stone of the attacker is next to its ends. */
static bool is_open_line(const struct ck_game *g, const struct ck_position *p, unsigned number, struct ck_line *out)
{
	unsigned attacker = p->turn ? 2 : 1, defender = p->turn ? 1 : 2;
	if (!ck_line_numbered(g, number, g->line, out))
		return false;
	for (unsigned i = 0; i < g->line; i++)
		if (p->at[out->start + (int)i * out->step] == defender)
			return false;
	return !g->option_a || ((out->before < 0 || p->at[out->before] != attacker) &&
				(out->after < 0 || p->at[out->after] != attacker));
}

/* The stones that the side to move has left in its turn, those that end the game included. */
static unsigned stones_left(const struct ck_game *g, const struct ck_position *p)
{
	unsigned n = stones_of_both(g, p), left = 1;
	while (!turns_alternate(g) && left <= g->turn && side_after(g, n + left) == p->turn)
		left++;
	return left;
}

/* Whether an open line holds all squares of a group; group_of: 1 + the index of a square's group, or 0. */
static bool holds_group(const struct ck_game *g, const struct ck_line *line, const unsigned *group_of)
{
	unsigned squares[CK_GROUPS_MAX + 1] = {0};
	for (unsigned i = 0; i < g->line; i++) {
		unsigned group = group_of[line->start + (int)i * line->step];
		if (group && ++squares[group] == g->turn + 1)
			return true;
	}
	return false;
}

static bool groups_hold_off(const struct ck_game *g, const struct ck_position *p, const struct ck_groups *groups)
{
	unsigned group_of[CK_SQUARES_MAX] = {0};
	struct ck_line line;
	for (unsigned i = 0; i < groups->count; i++) {
		if (groups->size[i] != g->turn + 1)
			return false;
		for (unsigned k = 0; k < groups->size[i]; k++)
			group_of[groups->square[groups->first[i] + k]] = i + 1;
	}
	for (unsigned n = 0; n < 4 * g->width * g->height; n++)
		if (is_open_line(g, p, n, &line) && !holds_group(g, &line, group_of))
			return false;
	return true;
}

static bool gives_a_draw_at_most(const struct ck_position *p, bool upper, int64_t bound)
{
	return p->turn ? !upper && bound <= 0 : upper && bound >= 0;
}

static bool mnk_card(const struct ck_game *g, const struct ck_position *p, const struct ck_card *card, unsigned *plies)
{
	struct ck_groups groups;
	*plies = ck_count_kind(p->at, g->width * g->height, 0);
	return card->theorem == T5 && gives_a_draw_at_most(p, card->upper, card->bound) &&
	       stones_left(g, p) <= g->turn && ck_groups_read(card, g->width * g->height, &groups) &&
	       ck_groups_are_apart(&groups, p) && groups_hold_off(g, p, &groups);
}

/* Finds groups where at most CK_SET_MAX squares are empty. */
static bool mnk_find_card(const struct ck_game *g, const struct ck_position *p, bool upper, int64_t bound,
			  struct ck_card *out, uint8_t *room)
{
	struct ck_cover cover = {.size = g->turn + 1, .steps = STEPS_MAX};
	struct ck_line line;
	uint16_t square[CK_SET_MAX], bit[CK_SQUARES_MAX] = {0};
	unsigned empty = 0, squares = g->width * g->height;
	*out = (struct ck_card){upper, bound, T5, room, 0};
	if (!gives_a_draw_at_most(p, upper, bound) || stones_left(g, p) > g->turn ||
	    ck_count_kind(p->at, squares, 0) > CK_SET_MAX)
		return false;
	for (unsigned i = 0; i < squares; i++)
		if (!p->at[i]) {
			bit[i] = (uint16_t)empty;
			square[empty++] = (uint16_t)i;
		}
	for (unsigned n = 0; n < 4 * squares; n++) {
		if (!is_open_line(g, p, n, &line))
			continue;
		for (unsigned i = 0; i < g->line; i++)
			if (!p->at[line.start + (int)i * line.step])
				cover.line[cover.lines] |= (ck_set)1 << bit[line.start + (int)i * line.step];
		cover.lines++;
	}
	return ck_cover_find(&cover) && ck_cover_write(&cover, square, out, room);
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
		       (g->turn != 1 || g->opening != 1); /* p,q = 1,1 must be left out */
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
	g->key_max = ck_key_size(g, &form) + turns_alternate(g);
	return PD_OK;
}

const struct ck_rules ck_mnk = {
	.name = "mnk",
	.open = mnk_open_game,
	.read = mnk_read_position,
	.print = mnk_print_position,
	.encode = mnk_encode_key,
	.decode = mnk_decode_key,
	.moves = ck_empty_squares,
	.play = mnk_play_move,
	.over = mnk_is_over,
	.first_moves = ck_turn_0_moves,
	.grid = &(const struct ck_grid){.letters = ".xo"},
	.card = mnk_card,
	.find_card = mnk_find_card,
};
