/* Connect Four: stones fall into columns; four stones of one player in a row, a column or a diagonal win; a full board
 * is a draw.
 *
 * at: 1 First's stone (x), 2 Second's (o). First opens. Move code: the column, from 0. */
#include <string.h>

#include "clients/proofcheck/board.h"
#include "clients/proofcheck/cover.h"
#include "proto/base/assert.h"

static unsigned square_of(const struct ck_game *g, unsigned column, unsigned row)
{
	return row * g->width + column;
}

static bool has_four(const struct ck_game *g, const struct ck_position *p, unsigned kind)
{
	return ck_row_of(p->at, g->width, g->height, 4, kind);
}

static bool column_full(const struct ck_game *g, const struct ck_position *p, unsigned column)
{
	return p->at[square_of(g, column, g->height - 1)] != 0;
}

/* Only the player who has just moved can have won: see `find_fault`. */
static bool connect4_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	bool won = has_four(g, p, p->turn ? 1 : 2);
	*value = !won ? 0 : p->turn ? 1 : -1;
	return won || !ck_count_kind(p->at, g->width * g->height, 0);
}

static unsigned connect4_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned n = 0;
	for (unsigned column = 0; column < g->width; column++)
		if (!column_full(g, p, column))
			out[n++] = (uint16_t)column;
	return n;
}

/* The square where a stone lands in a column that is not full. */
static int find_landing(const struct ck_game *g, const struct ck_position *p, uint16_t column)
{
	unsigned row = 0;
	PD_ASSERT(column < g->width && !column_full(g, p, column));
	while (p->at[square_of(g, column, row)])
		row++;
	return (int)square_of(g, column, row);
}

static void connect4_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	p->at[find_landing(g, p, move)] = p->turn ? 2 : 1;
	p->turn = !p->turn;
}

/* Returns why no sequence of moves leads to the board; NULL when one does. Fills in the side to move. */
static const char *find_fault(const struct ck_game *g, struct ck_position *p)
{
	unsigned first = ck_count_kind(p->at, CK_SQUARES_MAX, 1), second = ck_count_kind(p->at, CK_SQUARES_MAX, 2);
	if (first != second && first != second + 1)
		return "First must have as many stones as Second, or one more";
	p->turn = first != second;
	unsigned mover = p->turn ? 2 : 1, other = p->turn ? 1 : 2;
	for (unsigned column = 0; column < g->width; column++)
		for (unsigned row = 1; row < g->height; row++)
			if (p->at[square_of(g, column, row)] && !p->at[square_of(g, column, row - 1)])
				return "the square below a stone is empty";
	if (has_four(g, p, mover))
		return "the side to move already has four in a row";
	if (!has_four(g, p, other))
		return NULL;
	for (unsigned column = 0; column < g->width; column++) {
		unsigned row = g->height;
		while (row > 0 && !p->at[square_of(g, column, row - 1)])
			row--;
		if (!row || p->at[square_of(g, column, row - 1)] != other)
			continue;
		struct ck_position before = *p;
		before.at[square_of(g, column, row - 1)] = 0;
		if (!has_four(g, &before, other))
			return NULL;
	}
	return "the game went on after four in a row";
}

static const char *read_columns(const struct ck_game *g, const char *text, struct ck_position *p)
{
	int value;
	for (; *text; text++) {
		unsigned column = 0;
		while (column < g->width && (char)(column < 9 ? '1' + column : 'a' + column - 9) != *text)
			column++;
		if (column == g->width)
			return "there is no such column";
		if (connect4_is_over(g, p, &value))
			return "a move was played after the end of the game";
		if (column_full(g, p, column))
			return "a stone was dropped into a full column";
		connect4_play_move(g, p, (uint16_t)column);
	}
	return NULL;
}

static const char *connect4_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	memset(out, 0, sizeof *out);
	if (!strchr(text, '/'))
		return read_columns(g, text, out);
	const char *wrong = ck_board_read(text, strlen(text), g->width, g->height, "xo", out->at);
	return wrong ? wrong : find_fault(g, out);
}

static void connect4_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	ck_board_print(p->at, g->width, g->height, "xo", out);
}

enum { BITS_MAX = 128 };

/* The number that the key encodes, one bit per byte: all stones plus the stones of the side to move. */
static void number_of(const struct ck_game *g, const struct ck_position *p, bool mirrored, uint8_t bits[BITS_MAX])
{
	unsigned n = 0, mine = p->turn ? 2 : 1;
	memset(bits, 0, BITS_MAX);
	for (unsigned i = 0; i < g->width; i++) {
		unsigned column = mirrored ? g->width - 1 - i : i, carry = 0;
		for (unsigned row = 0; row <= g->height; row++, carry /= 2) {
			unsigned stone = row < g->height ? p->at[square_of(g, column, row)] : 0;
			carry += (stone ? 1 : 0) + (stone == mine ? 1 : 0);
			bits[n++] = carry % 2;
		}
		PD_ASSERT(!carry);
	}
}

static size_t connect4_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	uint8_t plain[BITS_MAX], mirrored[BITS_MAX];
	unsigned highest = BITS_MAX - 1;
	number_of(g, p, false, plain);
	number_of(g, p, true, mirrored);
	while (highest > 0 && plain[highest] == mirrored[highest])
		highest--;
	const uint8_t *bits = plain[highest] < mirrored[highest] ? plain : mirrored;
	memset(out, 0, g->key_max);
	for (unsigned i = 0; i < BITS_MAX; i++)
		if (bits[i])
			out[i / 8] |= (uint8_t)(1u << i % 8);
	return g->key_max;
}

/* A column with h stones holds 2^h - 1 for all stones plus a number below 2^h for the stones of the side to move. So
 * one more than this sum has its highest bit at h and those stones below it. */
static bool connect4_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	bool mine[CK_SQUARES_MAX] = {false};
	unsigned stones = 0, n = 0;
	if (size != g->key_max)
		return false;
	for (unsigned column = 0; column < g->width; column++) {
		unsigned carry = 1, high = 0;
		uint8_t part[BITS_MAX];
		for (unsigned bit = 0; bit <= g->height; bit++, n++, carry /= 2) {
			carry += key[n / 8] >> n % 8 & 1;
			part[bit] = carry % 2;
			if (part[bit])
				high = bit;
		}
		if (carry)
			return false; /* the column has more stones than rows */
		for (unsigned row = 0; row < high; row++) {
			p->at[square_of(g, column, row)] = 1;
			mine[square_of(g, column, row)] = part[row];
		}
		stones += high;
	}
	for (unsigned i = 0; i < CK_SQUARES_MAX; i++)
		if (p->at[i])
			p->at[i] = mine[i] == (stones % 2 == 0) ? 1 : 2; /* First moves when `stones` is even */
	return !find_fault(g, p) && p->turn == stones % 2;
}

/* --- theorems (solver/games/THEOREMS.md): T1, follow-up, and T2, zugzwang ------------------- */

enum { T1 = 1, T2 = 2, FOUR = 4, STEPS_MAX = 100000 };

static bool is_row_of_mover(const struct ck_game *g, unsigned row)
{
	return row % 2 == g->height % 2;
}

/* The row of the lowest empty square; the board's height when there is none. */
static unsigned lowest_empty(const struct ck_game *g, const struct ck_position *p, unsigned column)
{
	unsigned row = 0;
	while (row < g->height && p->at[square_of(g, column, row)])
		row++;
	return row;
}

static bool has_base(const struct ck_game *g, const struct ck_position *p, unsigned column)
{
	return (g->height - lowest_empty(g, p, column)) % 2 == 1;
}

/* What the side to move, M, can get when the side that waits, W, follows up. */
struct follow_up {
	bool own[CK_SQUARES_MAX];  /* M's stones, and the squares that M gets in any case */
	bool gets[CK_SQUARES_MAX]; /* empty squares that W gets */
	bool base[CK_SQUARES_MAX]; /* squares of which M gets one of each pair */
	unsigned bases;
	bool ends; /* W's stones and what W gets hold a line */
};

/* Whether W has a line in its stones and what it gets: anywhere when `line` is NULL, else below that line. */
static bool has_line_below(const struct ck_game *g, const struct ck_position *p, const struct follow_up *f,
			   const struct ck_line *line)
{
	struct ck_position then = *p;
	unsigned waits = p->turn ? 1 : 2;
	for (unsigned square = 0; !line && square < g->width * g->height; square++)
		if (f->gets[square])
			then.at[square] = (uint8_t)waits;
	for (int i = 0; line && i < FOUR; i++)
		for (int below = line->start + i * line->step - (int)g->width; below >= 0; below -= (int)g->width)
			if (f->gets[below])
				then.at[below] = (uint8_t)waits;
	return has_four(g, &then, waits);
}

/* T1: `column` is the width, that is, no column. T2: it is the column of the threat, whose row is `threat`. */
static void prepare_follow_up(const struct ck_game *g, const struct ck_position *p, unsigned column, unsigned threat,
			      struct follow_up *out)
{
	unsigned mover = p->turn ? 2 : 1;
	memset(out, 0, sizeof *out);
	for (unsigned c = 0; c < g->width; c++) {
		unsigned lowest = lowest_empty(g, p, c);
		for (unsigned row = 0; row < lowest; row++)
			out->own[square_of(g, c, row)] = p->at[square_of(g, c, row)] == mover;
		for (unsigned row = lowest; row < g->height; row++) {
			bool mine = is_row_of_mover(g, row), base = row == lowest && has_base(g, p, c);
			out->own[square_of(g, c, row)] = c == column ? row < threat && !mine : mine;
			out->gets[square_of(g, c, row)] = c == column ? row <= threat && mine : !mine && !base;
		}
		if (c != column && has_base(g, p, c)) {
			out->base[square_of(g, c, lowest)] = true;
			out->bases++;
		}
	}
	out->ends = has_line_below(g, p, out, NULL);
}

/* Whether M can get all squares of a line, if it could get all bases, and the line does not come too late. */
static bool is_within_reach(const struct ck_game *g, const struct ck_position *p, const struct follow_up *f,
			    const struct ck_line *line)
{
	bool all = true;
	for (int i = 0; i < FOUR; i++)
		all = all && (f->own[line->start + i * line->step] || f->base[line->start + i * line->step]);
	return all && !(f->ends && has_line_below(g, p, f, line));
}

/* Whether the groups from `first` on are a division of all bases into pairs with which M never gets a line: each line
 * within reach holds a pair. */
static bool pairs_are_safe(const struct ck_game *g, const struct ck_position *p, const struct follow_up *f,
			   const struct ck_groups *pairs, unsigned first)
{
	int partner[CK_SQUARES_MAX];
	struct ck_line line;
	memset(partner, -1, sizeof partner);
	if (2 * (pairs->count - first) != f->bases)
		return false;
	for (unsigned i = first; i < pairs->count; i++) {
		const uint16_t *pair = pairs->square + pairs->first[i];
		if (pairs->size[i] != 2 || !f->base[pair[0]] || !f->base[pair[1]])
			return false;
		partner[pair[0]] = pair[1];
		partner[pair[1]] = pair[0];
	}
	for (unsigned n = 0; n < 4 * g->width * g->height; n++) {
		bool has_pair = false;
		if (!ck_line_numbered(g, n, FOUR, &line) || !is_within_reach(g, p, f, &line))
			continue;
		for (int i = 0; i < FOUR; i++)
			for (int j = 0; j < FOUR; j++)
				has_pair |= partner[line.start + i * line.step] == line.start + j * line.step;
		if (!has_pair)
			return false;
	}
	return true;
}

/* T2: the row of the lowest empty square of the column, in a row of M, that completes a line of W; the board's height
 * when there is none. */
static unsigned lowest_threat(const struct ck_game *g, const struct ck_position *p, unsigned column)
{
	unsigned waits = p->turn ? 1 : 2;
	for (unsigned row = lowest_empty(g, p, column); row < g->height; row++) {
		struct ck_position next = *p;
		next.at[square_of(g, column, row)] = (uint8_t)waits;
		if (is_row_of_mover(g, row) && has_four(g, &next, waits))
			return row;
	}
	return g->height;
}

/* T1 with these pairs gives W at least `gain`: 0 a draw, 1 a win. */
static bool follow_up_gives(const struct ck_game *g, const struct ck_position *p, const struct ck_groups *pairs,
			    int64_t gain)
{
	struct follow_up f;
	prepare_follow_up(g, p, g->width, 0, &f);
	return pairs_are_safe(g, p, &f, pairs, 0) && (gain <= 0 || (gain == 1 && f.ends));
}

/* T2: the first group is the square of the threat, then come the pairs. */
static bool zugzwang_gives(const struct ck_game *g, const struct ck_position *p, const struct ck_groups *groups,
			   int64_t gain)
{
	struct follow_up f;
	if (!groups->count || groups->size[0] != 1 || gain > 1)
		return false;
	unsigned column = groups->square[0] % g->width, row = groups->square[0] / g->width;
	if (!has_base(g, p, column) || lowest_threat(g, p, column) != row)
		return false;
	prepare_follow_up(g, p, column, row, &f);
	return pairs_are_safe(g, p, &f, groups, 1);
}

static bool connect4_card(const struct ck_game *g, const struct ck_position *p, const struct ck_card *card,
			  unsigned *plies)
{
	struct ck_groups groups;
	bool first_waits = p->turn == 1;
	int64_t gain = card->upper ? -card->bound : card->bound;
	*plies = ck_count_kind(p->at, g->width * g->height, 0);
	if (card->upper == first_waits || !ck_groups_read(card, g->width * g->height, &groups) ||
	    !ck_groups_are_apart(&groups, p))
		return false;
	return card->theorem == T1   ? *plies % 2 == 0 && follow_up_gives(g, p, &groups, gain)
	       : card->theorem == T2 ? *plies % 2 == 1 && zugzwang_gives(g, p, &groups, gain)
				     : false;
}

/* Divides the bases into pairs, those that no line needs in the order of their columns. A base is numbered by its
 * column. */
static bool find_pairs(const struct ck_game *g, const struct ck_position *p, const struct follow_up *f,
		       struct ck_card *card, uint8_t *room)
{
	struct ck_cover cover = {.size = 2, .steps = STEPS_MAX};
	struct ck_line line;
	uint16_t square[CK_SET_MAX] = {0};
	ck_set rest = 0;
	for (unsigned i = 0; i < g->width * g->height; i++)
		if (f->base[i]) {
			square[i % g->width] = (uint16_t)i;
			rest |= (ck_set)1 << i % g->width;
		}
	for (unsigned n = 0; n < 4 * g->width * g->height; n++) {
		if (!ck_line_numbered(g, n, FOUR, &line) || !is_within_reach(g, p, f, &line))
			continue;
		for (int i = 0; i < FOUR; i++)
			if (f->base[line.start + i * line.step])
				cover.line[cover.lines] |= (ck_set)1 << (line.start + i * line.step) % (int)g->width;
		cover.lines++;
	}
	if (!ck_cover_find(&cover))
		return false;
	for (unsigned i = 0; i < cover.count; i++)
		rest &= ~cover.group[i];
	while (rest) {
		ck_set others = rest & (rest - 1);
		cover.group[cover.count++] = (rest & -rest) | (others & -others);
		rest = others & (others - 1);
	}
	return ck_cover_write(&cover, square, card, room);
}

static bool connect4_find_card(const struct ck_game *g, const struct ck_position *p, bool upper, int64_t bound,
			       struct ck_card *out, uint8_t *room)
{
	struct follow_up f;
	bool first_waits = p->turn == 1, even = ck_count_kind(p->at, g->width * g->height, 0) % 2 == 0;
	int64_t gain = upper ? -bound : bound;
	*out = (struct ck_card){upper, bound, even ? T1 : T2, room, 0};
	if (upper == first_waits || gain > 1)
		return false;
	if (even) {
		prepare_follow_up(g, p, g->width, 0, &f);
		return (gain < 1 || f.ends) && find_pairs(g, p, &f, out, room);
	}
	for (unsigned column = 0; column < g->width; column++) {
		unsigned row = has_base(g, p, column) ? lowest_threat(g, p, column) : g->height;
		if (row == g->height)
			continue;
		prepare_follow_up(g, p, column, row, &f);
		uint16_t threat = (uint16_t)square_of(g, column, row);
		out->size = 0;
		if (ck_group_add(out, room, &threat, 1) && find_pairs(g, p, &f, out, room))
			return true;
	}
	return false;
}

static bool connect4_has_lines(const struct ck_game *g, unsigned *length, bool *falls)
{
	*length = FOUR;
	*falls = true;
	return true;
}

static int connect4_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
			      struct pd_fail *fail)
{
	if (!ck_size_read(&params, &g->width, &g->height) || *params || g->width > 35 || g->height > 64 ||
	    g->width * (g->height + 1) > BITS_MAX)
		return pd_fail_set(
			fail, PD_E_GAME, "game",
			"connect4 takes columns x rows, as in connect4:7x6: at most 35 columns and 64 rows, with "
			"columns * (rows + 1) at most %d",
			BITS_MAX);
	g->key_max = (g->width * (g->height + 1) + 7) / 8;
	return PD_OK;
}

const struct ck_rules ck_connect4 = {
	.name = "connect4",
	CK_RULES(connect4),
	.over = connect4_is_over,
	.first_moves = ck_turn_0_moves,
	.grid = &(const struct ck_grid){.letters = ".xo", .digits = true},
	.card = connect4_card,
	.find_card = connect4_find_card,
	.square = find_landing,
	.lines = connect4_has_lines,
};
