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
#include <stdlib.h>
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

/* --- theorems (solver/games/THEOREMS.md): T5 and T11, lines of the attacker, and T12, forced wins -- */

enum {
	T5 = 5,
	T11 = 11,
	T12 = 12,
	COVER_STEPS = 250, /* lines that one search for groups may look at, with the same first squares */
	FIRST_MAX = 8,     /* first squares */
	FIRST_TRIES = 6,   /* squares tried as the first of them */
	FORCED_STEPS = 300,
	FORCED_MAX = 60 /* stones of a forced win */
};

/* Weights are in units of 2^-48, rounded up. */
#define ONE (UINT64_C(1) << 48)

/* The line with that number, if it is an open line of the attacker: it holds no stone of the other side, and with
 * `exact` no stone of the attacker is next to its ends. */
static bool is_open_line(const struct ck_game *g, const struct ck_position *p, unsigned attacker, unsigned number,
			 struct ck_line *out)
{
	if (!ck_line_numbered(g, number, g->line, out))
		return false;
	for (unsigned i = 0; i < g->line; i++)
		if (p->at[out->start + (int)i * out->step] == 3 - attacker)
			return false;
	return !g->option_a || ((out->before < 0 || p->at[out->before] != attacker) &&
				(out->after < 0 || p->at[out->after] != attacker));
}

/* The stones that the side to move has left in its turn, on a board without end. */
static unsigned stones_left(const struct ck_game *g, const struct ck_position *p)
{
	unsigned n = stones_of_both(g, p), left = 1;
	while (!turns_alternate(g) && side_after(g, n + left) == p->turn)
		left++;
	return left;
}

/* The weight of a line with that many squares. */
static uint64_t weight_of(unsigned squares)
{
	return squares < 48 ? ONE >> squares : 1;
}

/* What a witness says of T5 or T11. */
struct hold {
	unsigned attacker;                 /* 1 or 2 */
	unsigned group_of[CK_SQUARES_MAX]; /* 1 + the index of a square's group, or 0 */
	unsigned first;                    /* 1: the group of index 0 is the first squares; else 0 */
};

/* Whether an open line has a first square, or all squares of a group; *rest: its other empty squares. */
static bool is_served(const struct ck_game *g, const struct ck_position *p, const struct hold *h,
		      const struct ck_line *line, unsigned *rest)
{
	unsigned squares[CK_GROUPS_MAX + 1] = {0};
	*rest = 0;
	for (unsigned i = 0; i < g->line; i++) {
		unsigned square = (unsigned)(line->start + (int)i * line->step), group = h->group_of[square];
		if (group && (group <= h->first || ++squares[group] == g->turn + 1))
			return true;
		*rest += !p->at[square] && !group;
	}
	return false;
}

/* Whether the open lines are served, or with `weighs` those left are light: T + w(y) < 1 for every square y. */
static bool lines_are_held(const struct ck_game *g, const struct ck_position *p, const struct hold *h, bool weighs)
{
	uint64_t through[CK_SQUARES_MAX] = {0}, sum = 0, most = 0;
	struct ck_line line;
	unsigned rest;
	for (unsigned n = 0; n < 4 * g->width * g->height; n++) {
		if (!is_open_line(g, p, h->attacker, n, &line) || is_served(g, p, h, &line, &rest))
			continue;
		if (!weighs)
			return false;
		sum += weight_of(rest);
		for (unsigned i = 0; i < g->line; i++) {
			unsigned square = (unsigned)(line.start + (int)i * line.step);
			if (!p->at[square] && !h->group_of[square])
				through[square] += weight_of(rest);
			most = through[square] > most ? through[square] : most;
		}
	}
	return sum < ONE && sum + most < ONE;
}

/* T5 and T11: whether first squares and groups stop the attacker. */
static bool groups_hold_off(const struct ck_game *g, const struct ck_position *p, const struct ck_card *card,
			    const struct ck_groups *groups)
{
	struct hold h = {.attacker = card->upper ? 1 : 2};
	unsigned left = stones_left(g, p);
	bool moves = p->turn + 1u == h.attacker;
	if ((card->upper ? card->bound < 0 : card->bound > 0) || (moves && left > g->turn) ||
	    (card->theorem == T5 && !moves))
		return false;
	h.first = !moves && groups->count ? 1 : 0;
	for (unsigned i = 0; i < groups->count; i++) {
		if (i < h.first ? groups->size[i] > left : groups->size[i] != g->turn + 1)
			return false;
		for (unsigned k = 0; k < groups->size[i]; k++)
			h.group_of[groups->square[groups->first[i] + k]] = i + 1;
	}
	return lines_are_held(g, p, &h, card->theorem == T11 && g->turn == 1);
}

/* The empty squares on which one stone of that kind completes a line: their number, and one of them. */
static unsigned completing_squares(const struct ck_game *g, const struct ck_position *p, unsigned kind, unsigned *one)
{
	bool seen[CK_SQUARES_MAX] = {false};
	unsigned count = 0;
	struct ck_line line;
	for (unsigned n = 0; n < 4 * g->width * g->height; n++) {
		unsigned empty = 0, square = 0;
		if (!is_open_line(g, p, kind, n, &line))
			continue;
		for (unsigned i = 0; i < g->line; i++)
			if (!p->at[line.start + (int)i * line.step]) {
				square = (unsigned)(line.start + (int)i * line.step);
				empty++;
			}
		if (empty != 1 || seen[square])
			continue;
		seen[square] = true;
		*one = square;
		count++;
	}
	return count;
}

/* T12 is for turns of one stone, without `exact`. */
static bool may_force(const struct ck_game *g, const struct ck_position *p)
{
	return g->turn == 1 && !g->option_a && stones_left(g, p) == 1;
}

/* T12: whether the attacker wins with these stones, one a group, in order. */
static bool stones_force(const struct ck_game *g, const struct ck_position *p, const struct ck_card *card,
			 const struct ck_groups *stones, unsigned *plies)
{
	struct ck_position next = *p;
	unsigned attacker = card->upper ? 2 : 1, at = 0, square;
	bool moves = p->turn + 1u == attacker;
	if (!may_force(g, p) || (moves && completing_squares(g, p, attacker, &square)))
		return false;
	*plies = 2 * stones->count + (moves ? 1 : 2);
	for (;; moves = true) {
		if (moves) {
			if (at == stones->count || stones->size[at] != 1 || next.at[stones->square[at]])
				return false;
			next.at[stones->square[at++]] = (uint8_t)attacker;
		}
		if (completing_squares(g, &next, 3 - attacker, &square))
			return false;
		unsigned wins = completing_squares(g, &next, attacker, &square);
		if (wins != 1)
			return wins > 1 && at == stones->count;
		next.at[square] = (uint8_t)(3 - attacker);
	}
}

static bool mnk_card(const struct ck_game *g, const struct ck_position *p, const struct ck_card *card, unsigned *plies)
{
	struct ck_groups groups;
	*plies = ck_count_kind(p->at, g->width * g->height, 0);
	if (!ck_groups_read(card, g->width * g->height, &groups) || !ck_groups_are_apart(&groups, p))
		return false;
	if (card->theorem == T12)
		return stones_force(g, p, card, &groups, plies);
	return (card->theorem == T5 || card->theorem == T11) && groups_hold_off(g, p, card, &groups);
}

/* --- finding witnesses -------------------------------------------------------------------- */

/* A search for a forced win: the attacker is to move, and puts stones on lines that lack two. */
struct force {
	const struct ck_game *game;
	unsigned attacker, steps, count;
	uint16_t stone[FORCED_MAX];
};

static bool find_force(struct force *f, const struct ck_position *p)
{
	const struct ck_game *g = f->game;
	bool tried[CK_SQUARES_MAX] = {false};
	struct ck_line line;
	unsigned must = 0, block = completing_squares(g, p, 3 - f->attacker, &must);
	if (block > 1 || f->count == FORCED_MAX)
		return false;
	for (unsigned n = 0; n < 4 * g->width * g->height; n++) {
		unsigned empty[2] = {0}, count = 0;
		if (!is_open_line(g, p, f->attacker, n, &line))
			continue;
		for (unsigned i = 0; i < g->line; i++) {
			unsigned square = (unsigned)(line.start + (int)i * line.step);
			if (!p->at[square] && count++ < 2)
				empty[count - 1] = square;
		}
		for (unsigned k = 0; k < 2 && count == 2; k++) {
			struct ck_position next = *p;
			unsigned answer;
			if (tried[empty[k]] || (block && empty[k] != must))
				continue;
			tried[empty[k]] = true;
			if (!f->steps)
				return false;
			f->steps--;
			f->stone[f->count++] = (uint16_t)empty[k];
			next.at[empty[k]] = (uint8_t)f->attacker;
			if (completing_squares(g, &next, f->attacker, &answer) > 1)
				return true;
			next.at[answer] = (uint8_t)(3 - f->attacker);
			if (find_force(f, &next))
				return true;
			f->count--;
		}
	}
	return false;
}

static bool find_forced_win(const struct ck_game *g, const struct ck_position *p, struct ck_card *out, uint8_t *room)
{
	struct force f = {g, out->upper ? 2 : 1, FORCED_STEPS, 0, {0}};
	struct ck_position next = *p;
	unsigned square = 0;
	if (!may_force(g, p) || completing_squares(g, p, p->turn + 1u, &square))
		return false;
	if (p->turn + 1u != f.attacker) {
		unsigned wins = completing_squares(g, p, f.attacker, &square);
		if (wins == 1)
			next.at[square] = (uint8_t)(3 - f.attacker);
		if (wins != 1 || !find_force(&f, &next))
			return wins > 1;
	} else if (!find_force(&f, p)) {
		return false;
	}
	for (unsigned i = 0; i < f.count; i++)
		if (!ck_group_add(out, room, &f.stone[i], 1))
			return false;
	return true;
}

/* The squares of all lines of a cover, that with the greatest weight first; at most `most`. Where a line is too short
 * for a group: only its squares. Returns how many. */
static unsigned list_first_squares(const struct ck_cover *c, unsigned most, unsigned out[CK_SET_MAX])
{
	uint64_t weight[CK_SET_MAX] = {0};
	ck_set room = 0;
	unsigned count = 0;
	for (unsigned i = 0; i < c->lines; i++) {
		unsigned squares = ck_set_count(c->line[i]);
		if (squares < c->size && (!room || ck_set_count(room) >= c->size))
			room = c->line[i];
		else if (!room || ck_set_count(room) >= c->size)
			room |= c->line[i];
		for (unsigned bit = 0; bit < CK_SET_MAX; bit++)
			weight[bit] += c->line[i] >> bit & 1 ? weight_of(squares) : 0;
	}
	for (; room && count < most; count++) {
		unsigned best = CK_SET_MAX;
		for (unsigned bit = 0; bit < CK_SET_MAX; bit++)
			if (room >> bit & 1 && (best == CK_SET_MAX || weight[bit] > weight[best]))
				best = bit;
		out[count] = best;
		room &= ~((ck_set)1 << best);
	}
	return count;
}

/* Finds groups, after `more` first squares besides those of `first`. The answer's first group is the first squares. */
static bool find_hold(struct ck_cover *c, ck_set first, unsigned more)
{
	unsigned squares[CK_SET_MAX], lines = c->lines;
	unsigned count = more && lines ? list_first_squares(c, first ? 2 : FIRST_TRIES, squares) : 0;
	if (!count) {
		c->steps = COVER_STEPS;
		if (!ck_cover_find(c))
			return false;
		if (first || c->count) {
			memmove(c->group + 1, c->group, c->count * sizeof *c->group);
			c->group[0] = first;
			c->count++;
		}
		return true;
	}
	for (unsigned i = 0; i < count; i++) {
		ck_set bit = (ck_set)1 << squares[i], *kept = malloc((lines + 1) * sizeof *kept);
		if (!kept)
			return false;
		memcpy(kept, c->line, lines * sizeof *kept);
		c->lines = 0;
		for (unsigned k = 0; k < lines; k++)
			if (!(kept[k] & bit))
				c->line[c->lines++] = kept[k];
		bool good = find_hold(c, first | bit, more - 1);
		memcpy(c->line, kept, lines * sizeof *kept);
		c->lines = lines;
		free(kept);
		if (good)
			return true;
	}
	return false;
}

/* Finds groups where at most CK_SET_MAX squares are empty. */
static bool find_groups(const struct ck_game *g, const struct ck_position *p, struct ck_card *out, uint8_t *room)
{
	struct ck_cover cover = {.size = g->turn + 1, .steps = COVER_STEPS};
	struct ck_line line;
	uint16_t square[CK_SET_MAX], bit[CK_SQUARES_MAX] = {0};
	unsigned empty = 0, squares = g->width * g->height, attacker = out->upper ? 1 : 2, left = stones_left(g, p);
	bool moves = p->turn + 1u == attacker;
	if ((moves && left > g->turn) || ck_count_kind(p->at, squares, 0) > CK_SET_MAX)
		return false;
	for (unsigned i = 0; i < squares; i++)
		if (!p->at[i]) {
			bit[i] = (uint16_t)empty;
			square[empty++] = (uint16_t)i;
		}
	for (unsigned n = 0; n < 4 * squares; n++) {
		if (!is_open_line(g, p, attacker, n, &line))
			continue;
		for (unsigned i = 0; i < g->line; i++)
			if (!p->at[line.start + (int)i * line.step])
				cover.line[cover.lines] |= (ck_set)1 << bit[line.start + (int)i * line.step];
		cover.lines++;
	}
	out->theorem = T5;
	if (moves && ck_cover_find(&cover))
		return ck_cover_write(&cover, square, out, room);
	out->theorem = T11;
	cover.weighs = g->turn == 1;
	cover.steps = COVER_STEPS;
	return (moves ? cover.weighs && ck_cover_find(&cover)
		      : find_hold(&cover, 0, left < FIRST_MAX ? left : FIRST_MAX)) &&
	       ck_cover_write(&cover, square, out, room);
}

static bool mnk_find_card(const struct ck_game *g, const struct ck_position *p, bool upper, int64_t bound,
			  struct ck_card *out, uint8_t *room)
{
	int64_t gain = upper ? -bound : bound; /* of the side that the bound favours: 1 a win, 0 a draw */
	*out = (struct ck_card){upper, bound, T12, room, 0};
	if (gain <= 1 && find_forced_win(g, p, out, room))
		return true;
	out->size = 0;
	return gain <= 0 && find_groups(g, p, out, room);
}

static bool mnk_has_lines(const struct ck_game *g, unsigned *length, bool *falls)
{
	*length = g->line;
	*falls = false;
	return turns_alternate(g) && !g->option_a;
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
	.square = ck_move_is_square,
	.lines = mnk_has_lines,
};
