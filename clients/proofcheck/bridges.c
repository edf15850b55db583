#include "clients/proofcheck/bridges.h"

#include <string.h>

#include "clients/proofcheck/board.h"
#include "clients/proofcheck/witness.h"
#include "proto/base/assert.h"

enum {
	CELLS_MAX = 19 * 19,
	ENDS_MAX = 8, /* neighbours and edges of a cell */
	PAIRS_MAX = (CK_WITNESS_MAX - 3) / 5
};

/* --- whether a card is true --------------------------------------------------------------- */

/* The neighbours of a cell, and the edges of a kind that it lies on: cells + 0 and cells + 1. Returns how many. */
static unsigned list_ends(const struct ck_game *g, unsigned kind, unsigned cell, uint16_t out[ENDS_MAX])
{
	/* Steps to the right and down. */
	static const int ways[6][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {-1, 1}, {1, -1}};
	unsigned cells = g->width * g->height, n = 0;
	unsigned along = kind == 1 ? cell / g->width : cell % g->width, last = (kind == 1 ? g->height : g->width) - 1;
	for (unsigned i = 0; i < 6; i++) {
		int next = ck_square_at(g, (int)(cell % g->width) + ways[i][0], (int)(cell / g->width) + ways[i][1]);
		if (next >= 0)
			out[n++] = (uint16_t)next;
	}
	if (along == 0)
		out[n++] = (uint16_t)cells;
	if (along == last)
		out[n++] = (uint16_t)(cells + 1);
	return n;
}

/* What is joined, as a forest: stones of one kind, and its two edges. */
struct joined {
	const struct ck_game *game;
	unsigned kind;
	bool held[CELLS_MAX + 2]; /* a stone of the kind, or one of its edges */
	uint16_t up[CELLS_MAX + 2];
};

static unsigned find_root(const struct joined *j, unsigned end)
{
	while (j->up[end] != end)
		end = j->up[end];
	return end;
}

static void join_stones(struct joined *j, const struct ck_game *g, const struct ck_position *p, unsigned kind)
{
	unsigned cells = g->width * g->height;
	j->game = g;
	j->kind = kind;
	for (unsigned i = 0; i < cells + 2; i++) {
		j->up[i] = (uint16_t)i;
		j->held[i] = i >= cells || p->at[i] == kind;
	}
	for (unsigned i = 0; i < cells; i++) {
		uint16_t end[ENDS_MAX];
		unsigned ends = j->held[i] ? list_ends(g, kind, i, end) : 0;
		for (unsigned k = 0; k < ends; k++)
			if (j->held[end[k]])
				j->up[find_root(j, end[k])] = (uint16_t)find_root(j, i);
	}
}

/* Joins everything that is adjacent to both cells of a pair. True when that joins something more. */
static bool join_pair(struct joined *j, unsigned a, unsigned b)
{
	uint16_t of_a[ENDS_MAX], of_b[ENDS_MAX];
	unsigned as = list_ends(j->game, j->kind, a, of_a), bs = list_ends(j->game, j->kind, b, of_b);
	unsigned first = UINT32_MAX;
	bool more = false;
	for (unsigned i = 0; i < as; i++)
		for (unsigned k = 0; k < bs; k++) {
			if (!j->held[of_a[i]] || !j->held[of_b[k]])
				continue;
			unsigned root = find_root(j, of_a[i]);
			if (root != find_root(j, of_b[k]) || root == first)
				continue;
			if (first < UINT32_MAX) {
				j->up[root] = (uint16_t)first;
				more = true;
			} else {
				first = root;
			}
		}
	return more;
}

bool ck_bridges_card(const struct ck_game *g, const struct ck_position *p, const struct ck_card *card, unsigned *plies)
{
	struct ck_groups groups;
	struct ck_position with = *p;
	struct joined j;
	unsigned winner = card->upper, cells = g->width * g->height;
	PD_ASSERT(cells <= CELLS_MAX);
	if (card->theorem != 8 || !ck_groups_read(card, cells, &groups) || !ck_groups_are_apart(&groups, p))
		return false;
	unsigned stone = groups.count && groups.size[0] == 1;
	if (!groups.count || (stone && p->turn != winner))
		return false;
	for (unsigned i = stone; i < groups.count; i++)
		if (groups.size[i] != 2)
			return false;
	if (stone)
		with.at[groups.square[0]] = (uint8_t)(winner + 1);
	join_stones(&j, g, &with, winner + 1);
	for (bool more = true; more;) {
		more = false;
		for (unsigned i = stone; i < groups.count; i++)
			more |= join_pair(&j, groups.square[groups.first[i]], groups.square[groups.first[i] + 1u]);
	}
	*plies = 2 * (groups.count - stone) + stone;
	return find_root(&j, cells) == find_root(&j, cells + 1);
}

/* --- looking for one ---------------------------------------------------------------------- */

/* A set of cells. */
struct cells {
	uint64_t word[(CELLS_MAX + 63) / 64];
};

enum {
	WORDS = sizeof(struct cells) / sizeof(uint64_t),
	GROUPS_MAX = CELLS_MAX / 2 + 2, /* of stones no two of which are adjacent, and the two edges */
	STEPS_MAX = 40000,              /* of one search: enough for what the solver finds on boards of 19 */
	NO_STONE = CELLS_MAX
};

/* A search for a chain: it begins at edge 0 and joins one group after the other. Group 0 is what touches edge 0, group
 * 1 what touches edge 1. */
struct chain {
	unsigned kind; /* of stones */
	unsigned groups;
	struct cells touch[GROUPS_MAX]; /* the empty cells adjacent to a group */
	uint16_t pair[2 * PAIRS_MAX];
	unsigned pairs;
	unsigned *steps; /* that are left; shared by all searches for one card */
	bool short_of;   /* more pairs might have sufficed */
};

static void add_cell(struct cells *set, unsigned cell)
{
	set->word[cell / 64] |= UINT64_C(1) << cell % 64;
}

static bool has_cell(const struct cells *set, unsigned cell)
{
	return set->word[cell / 64] >> cell % 64 & 1;
}

/* Writes the cells that are in both sets and not taken; returns how many. */
static unsigned find_common(const struct cells *a, const struct cells *b, const struct cells *taken,
			    uint16_t out[CELLS_MAX])
{
	unsigned n = 0;
	for (unsigned i = 0; i < WORDS; i++)
		for (uint64_t rest = a->word[i] & b->word[i] & ~taken->word[i]; rest; rest &= rest - 1)
			out[n++] = (uint16_t)(64 * i + (unsigned)__builtin_ctzll(rest));
	return n;
}

static void add_cells(struct cells *set, const struct cells *more)
{
	for (unsigned i = 0; i < WORDS; i++)
		set->word[i] |= more->word[i];
}

/* Finds the groups. False when both edges are in one group. */
static bool find_groups(const struct ck_game *g, const struct ck_position *p, struct chain *c)
{
	struct joined j;
	unsigned cells = g->width * g->height, kind = c->kind;
	uint16_t group[CELLS_MAX + 2], end[ENDS_MAX];
	memset(c->touch, 0, 2 * sizeof *c->touch);
	c->groups = 2;
	join_stones(&j, g, p, kind);
	memset(group, 0xff, sizeof group);
	group[find_root(&j, cells)] = 0;
	if (find_root(&j, cells) == find_root(&j, cells + 1))
		return false;
	group[find_root(&j, cells + 1)] = 1;
	for (unsigned i = 0; i < cells; i++)
		if (j.held[i] && group[find_root(&j, i)] == UINT16_MAX) {
			PD_ASSERT(c->groups < GROUPS_MAX);
			memset(&c->touch[c->groups], 0, sizeof *c->touch);
			group[find_root(&j, i)] = (uint16_t)c->groups++;
		}
	for (unsigned i = 0; i < cells; i++) {
		unsigned ends = p->at[i] ? 0 : list_ends(g, kind, i, end);
		for (unsigned k = 0; k < ends; k++)
			if (j.held[end[k]])
				add_cell(&c->touch[group[find_root(&j, end[k])]], i);
	}
	return true;
}

/* Joins, in rounds, all groups that have two free cells in common with what is joined, though the pairs may overlap.
 * Returns the number of rounds until `goal` is joined; no chain to it has fewer pairs. UINT32_MAX: it is never joined,
 * or there is no such group; *around is then what all joined groups touch. */
static unsigned count_rounds(const struct chain *c, struct cells *around, const struct cells *taken, unsigned goal)
{
	bool reached[GROUPS_MAX] = {false};
	uint16_t common[CELLS_MAX];
	for (unsigned round = 1;; round++) {
		struct cells before = *around;
		bool more = false;
		for (unsigned i = 0; i < c->groups; i++) {
			if (reached[i] || find_common(&before, &c->touch[i], taken, common) < 2)
				continue;
			if (i == goal)
				return round;
			reached[i] = more = true;
			add_cells(around, &c->touch[i]);
		}
		if (!more)
			return UINT32_MAX;
	}
}

/* Extends the chain, whose groups touch `around` and whose pairs are `taken`, to edge 1 with at most `left` pairs. */
static bool extend_chain(struct chain *c, const struct cells *around, const struct cells *taken, unsigned left)
{
	uint16_t common[CELLS_MAX];
	struct cells reach = *around;
	unsigned rounds = *c->steps ? count_rounds(c, &reach, taken, 1) : UINT32_MAX;
	c->short_of |= rounds > left && rounds < UINT32_MAX;
	if (rounds > left || c->pairs == PAIRS_MAX)
		return false;
	--*c->steps;
	for (unsigned i = 1; i < c->groups; i++) {
		unsigned count = find_common(around, &c->touch[i], taken, common);
		struct cells wider = *around;
		add_cells(&wider, &c->touch[i]);
		if (!memcmp(&wider, around, sizeof wider) && i > 1)
			continue; /* it adds nothing */
		for (unsigned a = 0; a < count; a++)
			for (unsigned b = a + 1; b < count; b++) {
				struct cells more = *taken;
				add_cell(&more, common[a]);
				add_cell(&more, common[b]);
				c->pair[2 * c->pairs] = common[a];
				c->pair[2 * c->pairs++ + 1] = common[b];
				if (i == 1 || extend_chain(c, &wider, &more, left - 1))
					return true;
				c->pairs--;
			}
	}
	return false;
}

/* Looks for a chain of at most that many pairs, with a stone on `stone` unless that is NO_STONE. */
static bool try_chain(const struct ck_game *g, const struct ck_position *p, unsigned stone, unsigned pairs,
		      struct chain *c)
{
	struct ck_position with = *p;
	struct cells none = {{0}};
	c->pairs = 0;
	c->short_of = false;
	if (stone != NO_STONE)
		with.at[stone] = (uint8_t)c->kind;
	return !find_groups(g, &with, c) || extend_chain(c, &c->touch[0], &none, pairs);
}

static bool write_chain(const struct chain *c, unsigned stone, struct ck_card *out, uint8_t *room)
{
	if (stone != NO_STONE && !ck_group_add(out, room, (const uint16_t[1]){(uint16_t)stone}, 1))
		return false;
	for (unsigned i = 0; i < c->pairs; i++)
		if (!ck_group_add(out, room, c->pair + 2 * i, 2))
			return false;
	return true;
}

/* Lists the stones of the side to move that may complete a chain: they touch what can be joined with either edge, or
 * have two free neighbours that do. Returns how many. */
static unsigned list_stones(const struct ck_game *g, const struct ck_position *p, const struct chain *c,
			    uint16_t out[CELLS_MAX])
{
	struct cells reach[2] = {c->touch[0], c->touch[1]}, none = {{0}};
	unsigned n = 0;
	for (unsigned i = 0; i < 2; i++)
		count_rounds(c, &reach[i], &none, UINT32_MAX);
	for (unsigned cell = 0; cell < g->width * g->height; cell++) {
		bool near = !p->at[cell];
		for (unsigned i = 0; i < 2 && near; i++) {
			uint16_t end[ENDS_MAX];
			unsigned ends = list_ends(g, c->kind, cell, end), common = 0;
			for (unsigned k = 0; k < ends; k++)
				common +=
					end[k] < g->width * g->height && !p->at[end[k]] && has_cell(&reach[i], end[k]);
			near = has_cell(&reach[i], cell) || common >= 2;
		}
		out[n] = (uint16_t)cell;
		n += near;
	}
	return n;
}

bool ck_bridges_find(const struct ck_game *g, const struct ck_position *p, bool upper, int64_t bound,
		     struct ck_card *out, uint8_t *room)
{
	unsigned steps = STEPS_MAX, count = 1, plies;
	struct chain c = {.kind = upper ? 2 : 1, .steps = &steps};
	uint16_t stone[CELLS_MAX + 1] = {NO_STONE};
	*out = (struct ck_card){.upper = upper, .bound = bound, .theorem = 8, .witness = room};
	if (!find_groups(g, p, &c))
		return false;
	if (p->turn == upper)
		count += list_stones(g, p, &c, stone + 1);
	for (unsigned pairs = 0; count; pairs++) {
		unsigned left = 0; /* stones for which more pairs may suffice */
		for (unsigned i = 0; i < count; i++) {
			if (try_chain(g, p, stone[i], pairs, &c))
				return write_chain(&c, stone[i], out, room) && ck_bridges_card(g, p, out, &plies);
			if (c.short_of)
				stone[left++] = stone[i];
		}
		count = left;
	}
	return false;
}
