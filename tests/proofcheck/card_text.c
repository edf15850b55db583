#include "tests/proofcheck/card_text.h"

#include <math.h>
#include <string.h>

enum { SIDE = 64, GROUPS = 171, SQUARES = 256 };

enum card_mistake card_text_mistake;

static bool makes_mistake(enum card_mistake mistake)
{
	return card_text_mistake == mistake;
}

/* The witness: group[i] has size[i] squares, by column and row. */
struct listed {
	int groups, size[GROUPS], column[GROUPS][SQUARES], row[GROUPS][SQUARES];
};

static bool list_groups(const struct ck_game *g, const struct ck_card *card, struct listed *out)
{
	const uint8_t *b = card->witness, *end = b + card->size;
	for (out->groups = 0; b < end; out->groups++) {
		int n = *b++;
		if (n == 0 || end - b < 2 * n)
			return false;
		out->size[out->groups] = n;
		for (int i = 0; i < n; i++, b += 2) {
			unsigned square = b[0] | (unsigned)b[1] << 8;
			if (square >= g->width * g->height)
				return false;
			out->column[out->groups][i] = (int)(square % g->width);
			out->row[out->groups][i] = (int)(square / g->width);
		}
	}
	return true;
}

/* --- boards --- */

struct grid {
	int width, height, mover;
	int at[SIDE][SIDE];      /* [column][row]: 0 empty, 1, 2 */
	int lowest[SIDE];        /* row of the lowest empty square */
	bool own[SIDE][SIDE];    /* what M has or gets */
	bool gets[SIDE][SIDE];   /* what W gets */
	int partner[SIDE][SIDE]; /* of a base: 1 + the number of its pair, or 0 */
};

static int at_of(const struct grid *d, int column, int row)
{
	return column < 0 || row < 0 || column >= d->width || row >= d->height ? -1 : d->at[column][row];
}

static void draw_grid(const struct ck_game *g, const struct ck_position *p, struct grid *d)
{
	memset(d, 0, sizeof *d);
	d->width = (int)g->width;
	d->height = (int)g->height;
	d->mover = p->turn ? 2 : 1;
	for (int c = 0; c < d->width; c++)
		for (int r = 0; r < d->height; r++)
			d->at[c][r] = p->at[r * d->width + c];
	for (int c = 0; c < d->width; c++)
		while (d->lowest[c] < d->height && d->at[c][d->lowest[c]])
			d->lowest[c]++;
}

static int count_empty(const struct grid *d)
{
	int n = 0;
	for (int c = 0; c < d->width; c++)
		for (int r = 0; r < d->height; r++)
			n += !d->at[c][r];
	return n;
}

static const int steps[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};

/* --- Connect Four --- */

static bool is_movers(const struct grid *d, int row)
{
	return (d->height - row) % 2 == 0;
}

static bool is_base(const struct grid *d, int column, int row)
{
	return row == d->lowest[column] && (d->height - row) % 2 == 1;
}

static bool is_four(const struct grid *d, int c, int r, const int step[2])
{
	return c + 3 * step[0] < d->width && r + 3 * step[1] < d->height && r + 3 * step[1] >= 0;
}

/* Whether a side has four, if it has its stones and those squares. */
static bool makes_four(const struct grid *d, int side, bool with[SIDE][SIDE])
{
	for (int c = 0; c < d->width; c++)
		for (int r = 0; r < d->height; r++)
			for (int s = 0; s < 4; s++) {
				int n = 0;
				while (n < 4 && is_four(d, c, r, steps[s])) {
					int x = c + n * steps[s][0], y = r + n * steps[s][1];
					if (d->at[x][y] != side && !with[x][y])
						break;
					n++;
				}
				if (n == 4)
					return true;
			}
	return false;
}

/* T1 (b): W's stones and its rows without bases. */
static bool waits_gets_four(const struct grid *d)
{
	bool with[SIDE][SIDE] = {{false}}, extra = makes_mistake(CARD_LINE);
	for (int c = 0; c < d->width; c++)
		for (int r = d->lowest[c]; r < d->height; r++) {
			with[c][r] = !is_movers(d, r) && (makes_mistake(CARD_BASE) || !is_base(d, c, r));
			if (is_movers(d, r) && extra)
				with[c][r] = true, extra = false;
		}
	return makes_four(d, 3 - d->mover, with);
}

/* The row of the lowest threat of W in a row of M; -1: none. */
static int lowest_threat(const struct grid *d, int column)
{
	for (int r = d->lowest[column]; r < d->height; r++) {
		bool with[SIDE][SIDE] = {{false}};
		with[column][r] = true;
		if (is_movers(d, r) && makes_four(d, 3 - d->mover, with))
			return r;
	}
	return -1;
}

static void set_own(struct grid *d, int threat_column, int threat)
{
	bool forget = makes_mistake(CARD_OWN);
	for (int c = 0; c < d->width; c++)
		for (int r = 0; r < d->height; r++) {
			bool empty = !d->at[c][r];
			d->own[c][r] = d->at[c][r] == d->mover;
			d->gets[c][r] = empty && (c == threat_column ? r <= threat && is_movers(d, r)
								     : !is_movers(d, r) && !is_base(d, c, r));
			if (empty && c != threat_column && is_movers(d, r)) {
				d->own[c][r] = !forget;
				forget = false;
			}
			if (empty && c == threat_column && r < threat && !is_movers(d, r))
				d->own[c][r] = !(makes_mistake(CARD_BELOW) && r == d->lowest[c]);
		}
}

/* Numbers the pairs; false when they are not all bases outside the threat's column, each once. */
static bool set_partners(struct grid *d, const struct listed *w, int first, int threat_column)
{
	int left = 0;
	for (int i = first; i < w->groups; i++) {
		int good = 0;
		for (int k = 0; k < w->size[i] && w->size[i] == 2; k++) {
			int c = w->column[i][k], r = w->row[i][k];
			good += is_base(d, c, r) && c != threat_column;
			if (d->at[c][r] || d->partner[c][r])
				return false;
			d->partner[c][r] = i + 1;
		}
		if (good < 2 - makes_mistake(CARD_PAIR))
			return false;
	}
	for (int c = 0; c < d->width; c++)
		left += c != threat_column && d->lowest[c] < d->height && is_base(d, c, d->lowest[c]) &&
			!d->partner[c][d->lowest[c]];
	return left <= 2 * makes_mistake(CARD_BASES) + makes_mistake(CARD_PAIR);
}

/* Whether a four of M comes too late: W has four in its stones and what it gets below the squares of that four. */
static bool is_late(const struct grid *d, int c, int r, const int step[2])
{
	bool with[SIDE][SIDE] = {{false}};
	for (int n = 0; n < 4; n++)
		for (int y = 0; y < r + n * step[1]; y++)
			with[c + n * step[0]][y] = with[c + n * step[0]][y] || d->gets[c + n * step[0]][y];
	return makes_four(d, 3 - d->mover, with);
}

/* Whether M has four for no choice from the pairs: each four of `own` and bases holds both squares of a pair, or comes
 * too late. */
static bool mover_is_held_off(const struct grid *d)
{
	for (int c = 0; c < d->width; c++)
		for (int r = 0; r < d->height; r++)
			for (int s = 0; s < 4; s++) {
				bool all = is_four(d, c, r, steps[s]), pair = false;
				for (int n = 0; n < 4 && all; n++) {
					int x = c + n * steps[s][0], y = r + n * steps[s][1];
					all = d->own[x][y] || d->partner[x][y];
					for (int m = 0; m < n && all; m++)
						pair |= d->partner[x][y] &&
							d->partner[x][y] ==
								d->partner[c + m * steps[s][0]][r + m * steps[s][1]];
				}
				if (all && !pair && !is_late(d, c, r, steps[s]))
					return false;
			}
	return true;
}

static bool follow_up_gives(struct grid *d, const struct listed *w, int gain)
{
	set_own(d, -1, 0);
	return count_empty(d) % 2 == 0 && set_partners(d, w, 0, -1) && mover_is_held_off(d) &&
	       (gain < 1 || waits_gets_four(d));
}

static bool zugzwang_gives(struct grid *d, const struct listed *w)
{
	if (count_empty(d) % 2 == 0 || !w->groups || w->size[0] != 1)
		return false;
	int c = w->column[0][0], r = w->row[0][0], low = lowest_threat(d, c);
	if (low < 0 || (r != low && !(makes_mistake(CARD_THREAT) && r == low + 1)) || d->at[c][r])
		return false;
	if (d->lowest[c] == d->height || !is_base(d, c, d->lowest[c]))
		return false;
	set_own(d, c, makes_mistake(CARD_THREAT) ? low - 1 : r);
	return set_partners(d, w, 1, c) && mover_is_held_off(d);
}

static bool connect4_gives(const struct ck_position *p, struct grid *d, const struct ck_card *card,
			   const struct listed *w)
{
	int gain = (int)(card->upper ? -card->bound : card->bound);
	if (card->upper != (p->turn == 0) || gain > 1)
		return false;
	return card->theorem == 1 ? follow_up_gives(d, w, gain) : card->theorem == 2 && zugzwang_gives(d, w);
}

/* --- m,n,k --- */

/* Whether A can still fill the k squares from there on; true and the squares that it lacks, as numbers of groups. */
static bool is_open(const struct ck_game *g, const struct grid *d, int c, int r, const int step[2])
{
	int k = (int)g->line, x = c + (k - 1) * step[0], y = r + (k - 1) * step[1];
	int far = makes_mistake(CARD_EXACT) ? 2 : 1;
	if (at_of(d, x, y) < 0)
		return false;
	for (int n = 0; n < k; n++)
		if (d->at[c + n * step[0]][r + n * step[1]] == 3 - d->mover)
			return false;
	if (makes_mistake(CARD_BEYOND) && at_of(d, x + step[0], y + step[1]) == 3 - d->mover)
		return false;
	return !g->option_a || (at_of(d, c - step[0], r - step[1]) != d->mover &&
				at_of(d, x + far * step[0], y + far * step[1]) != d->mover);
}

/* Whether the line from there on has all squares of a group. */
static bool holds_group(const struct ck_game *g, const struct listed *w, int group, int c, int r, const int step[2])
{
	int inside = 0;
	for (int k = 0; k < w->size[group]; k++)
		for (int n = 0; n < (int)g->line; n++)
			inside += w->column[group][k] == c + n * step[0] && w->row[group][k] == r + n * step[1];
	return inside == w->size[group];
}

static bool groups_are_good(const struct ck_game *g, const struct grid *d, const struct listed *w)
{
	int seen[SIDE][SIDE] = {{0}}, shared = 0;
	for (int i = 0; i < w->groups; i++) {
		int stones = 0;
		if (w->size[i] != (int)g->turn + !makes_mistake(CARD_SIZE))
			return false;
		for (int k = 0; k < w->size[i]; k++) {
			int c = w->column[i][k], r = w->row[i][k], at = d->at[c][r];
			stones += at != 0;
			if (at == 3 - d->mover || seen[c][r] == i + 1)
				return false;
			shared += seen[c][r] != 0;
			seen[c][r] = i + 1;
		}
		if (stones > makes_mistake(CARD_STONE))
			return false;
	}
	return shared <= makes_mistake(CARD_SHARED);
}

/* The stones that the side to move puts before the other is to move: q at the start, then p a turn. */
static unsigned stones_left(const struct ck_game *g, int stones)
{
	unsigned n = (unsigned)stones;
	return n < g->opening ? g->opening - n : g->turn - (n - g->opening) % g->turn;
}

/* T11: first squares, groups, and lines that are left to their weights. */
static bool weights_give(const struct ck_game *g, const struct grid *d, const struct ck_card *card,
			 const struct listed *w)
{
	struct grid e = *d; /* with A as its mover */
	int job[SIDE][SIDE] = {{0}}, from;
	double sum = 0, most = 0, through[SIDE][SIDE] = {{0}};
	unsigned left = stones_left(g, d->width * d->height - count_empty(d));
	e.mover = card->upper ? 1 : 2;
	from = w->groups && (e.mover != d->mover || makes_mistake(CARD_MOVES));
	if ((card->upper ? card->bound < 0 : card->bound > 0) || (e.mover == d->mover && left > g->turn))
		return false;
	for (int i = 0; i < w->groups; i++) {
		if (i < from ? w->size[0] > (int)left + makes_mistake(CARD_FIRST) : w->size[i] != (int)g->turn + 1)
			return false;
		for (int k = 0; k < w->size[i]; k++) {
			int *at = &job[w->column[i][k]][w->row[i][k]];
			if (*at || d->at[w->column[i][k]][w->row[i][k]])
				return false;
			*at = i < from ? -1 : i + 1;
		}
	}
	for (int line = 0; line < d->width * d->height * 4; line++) {
		const int *step = steps[line % 4];
		int c = line / 4 % d->width, r = line / 4 / d->width, rest = 0;
		bool served = false;
		if (!is_open(g, &e, c, r, step))
			continue;
		for (int n = 0; n < (int)g->line; n++) {
			int what = job[c + n * step[0]][r + n * step[1]];
			served |= what < 0 || (what && holds_group(g, w, what - 1, c, r, step));
			rest += !e.at[c + n * step[0]][r + n * step[1]] && (!what || makes_mistake(CARD_REST));
		}
		if (served)
			continue;
		if (g->turn > 1)
			return false;
		sum += ldexp(1, -rest);
		for (int n = 0; n < (int)g->line; n++) {
			int x = c + n * step[0], y = r + n * step[1];
			if (!e.at[x][y] && !job[x][y])
				most = fmax(most, through[x][y] += ldexp(1, -rest));
		}
	}
	if (makes_mistake(CARD_SUM))
		most = 0;
	return sum + most < 1 || (makes_mistake(CARD_ONE) && sum < 1 && sum + most <= 1);
}

/* The empty squares that complete a line of a side; the last of them. */
static int count_completing(const struct ck_game *g, struct grid *d, int side, int place[2])
{
	int count = 0;
	for (int line = 0; line < d->width * d->height * 4; line++) {
		const int *step = steps[line % 4];
		int c = line / 4 % d->width, r = line / 4 / d->width, stones = 0, hole = -1;
		for (int n = 0; n < (int)g->line; n++) {
			int at = at_of(d, c + n * step[0], r + n * step[1]);
			stones += at == side;
			hole = at ? hole : n;
		}
		if (hole < 0 || stones + 1 < (int)g->line)
			continue;
		int x = c + hole * step[0], y = r + hole * step[1];
		count += !count || x != place[0] || y != place[1];
		place[0] = x;
		place[1] = y;
	}
	return count;
}

/* T12: A's stones win by threats. */
static bool threats_give(const struct ck_game *g, struct grid *d, const struct ck_card *card, const struct listed *w,
			 unsigned *plies)
{
	int a = card->upper ? 2 : 1, place[2] = {0}, at = 0;
	bool moves = a == d->mover;
	if (g->turn > 1 || g->option_a || stones_left(g, d->width * d->height - count_empty(d)) != 1 ||
	    (moves && count_completing(g, d, a, place)))
		return false;
	*plies = 2 * (unsigned)w->groups + (moves ? 1 : 2);
	for (;; moves = true) {
		if (moves) {
			if (at == w->groups || w->size[at] != 1 || d->at[w->column[at][0]][w->row[at][0]])
				return false;
			d->at[w->column[at][0]][w->row[at][0]] = a;
			at++;
		}
		if (count_completing(g, d, 3 - a, place) && !makes_mistake(CARD_COUNTER))
			return false;
		int wins = count_completing(g, d, a, place);
		if (wins != 1 || (makes_mistake(CARD_THREATS) && at == w->groups))
			return wins >= 1 && at == w->groups;
		d->at[place[0]][place[1]] = makes_mistake(CARD_ANSWER) ? 0 : 3 - a;
	}
}

static bool mnk_gives(const struct ck_game *g, const struct ck_position *p, struct grid *d, const struct ck_card *card,
		      const struct listed *w)
{
	bool skip = makes_mistake(CARD_OPEN);
	if (card->theorem != 5 || card->upper != (p->turn == 0) || (card->upper ? card->bound < 0 : card->bound > 0) ||
	    !groups_are_good(g, d, w))
		return false;
	if (stones_left(g, d->width * d->height - count_empty(d)) > g->turn && !makes_mistake(CARD_TURN))
		return false;
	for (int c = 0; c < d->width; c++)
		for (int r = 0; r < d->height; r++)
			for (int s = 0; s < 4; s++) {
				if (!is_open(g, d, c, r, steps[s]))
					continue;
				bool held = false;
				for (int i = 0; i < w->groups; i++)
					held |= holds_group(g, w, i, c, r, steps[s]);
				if (held)
					continue;
				if (!skip)
					return false;
				skip = false;
			}
	return true;
}

bool card_text_verify(const struct ck_game *g, const struct ck_position *p, const struct ck_card *card, unsigned *plies)
{
	struct listed w;
	struct grid d;
	draw_grid(g, p, &d);
	*plies = (unsigned)count_empty(&d);
	if (!list_groups(g, card, &w))
		return false;
	if (!g->turn)
		return connect4_gives(p, &d, card, &w);
	if (card->theorem == 11)
		return weights_give(g, &d, card, &w);
	return card->theorem == 12 ? threats_give(g, &d, card, &w, plies) : mnk_gives(g, p, &d, card, &w);
}
