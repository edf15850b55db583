/* Hex: chains of bridges, which can no longer be broken.
 *
 * A bridge is a pair of empty cells that are both adjacent to two groups of one side, or to a group and an edge: if the
 * opponent takes one cell, the other one connects them. Groups connected by bridges that share no cell are as good as
 * connected, whichever side is to move. From edge to edge they win: the side answers each intrusion into a bridge in
 * the same bridge. This is the simplest kind of virtual connection (V. Anshelevich, "A hierarchical approach to
 * computer Hex", Artificial Intelligence 134, 2002). Connections are combined only by bridges, edge templates have one
 * row, and the first bridges found are used. So a chain may be missed, but every chain found exists.
 *
 * Included by hex_board.h, for boards of all sizes. */
#pragma once

/* The groups connected with one edge of a side. */
struct reach {
	plane around; /* the cells adjacent to the edge and to the connected groups */
	plane rest;   /* empty cells that no bridge needs */
	plane apart;  /* own stones not known to be connected with the edge */
	plane latest; /* the group that was connected last */
	unsigned bridges;
	uint16_t *cells; /* of the bridges, two for each; NULL: not wanted */
};

static inline bool has_several(plane x)
{
	return plane_any(x) && plane_any(plane_without_first(x));
}

static inline plane lowest_bit(plane x)
{
	return plane_minus(x, plane_without_first(x));
}

/* Cells with two neighbours or more in a set. */
static inline plane next_to_two(const struct board *b, plane x)
{
	plane way[6];
	ways_from(b, x, way);
	plane once = plane_none(), twice = plane_none();
	for (unsigned i = 0; i < 6; i++) {
		twice = plane_or(twice, plane_and(once, way[i]));
		once = plane_or(once, way[i]);
	}
	return twice;
}

static struct reach reach_of(const struct board *b, const struct state *s, unsigned side, unsigned edge)
{
	plane around = s->near[side][edge];
	return (struct reach){.around = around, .rest = empty_of(b, s), .apart = plane_minus(s->stones[side], around)};
}

/* Makes the first two of several cells a bridge. */
static inline void add_bridge(struct reach *r, plane common)
{
	plane others = plane_without_first(common);
	if (r->cells) {
		r->cells[2 * r->bridges] = (uint16_t)plane_first(common);
		r->cells[2 * r->bridges + 1] = (uint16_t)plane_first(others);
	}
	r->rest = plane_minus(r->rest, plane_minus(common, plane_without_first(others)));
	r->bridges++;
}

/* Connects one more group by a bridge; false if none can be connected. */
static bool reach_more(const struct board *b, struct reach *r, plane own)
{
	plane group;
	for (plane left = plane_and(r->apart, neighbours_of(b, plane_and(r->around, r->rest))); plane_any(left);
	     left = plane_minus(left, group)) {
		group = lowest_bit(left);
		plane touched = fill_group(b, neighbours_of(b, group), own, &group);
		plane common = plane_and(plane_and(r->around, touched), r->rest);
		if (!has_several(common))
			continue;
		r->around = plane_or(r->around, touched);
		r->apart = plane_minus(r->apart, group);
		r->latest = group;
		add_bridge(r, common);
		return true;
	}
	return false;
}

/* The number of bridges in a side's chain from edge to edge; 0 if it has none. Either side may be to move; the side has
 * not connected its edges yet. Writes their cells unless `cells` is NULL. */
static unsigned chain_of_bridges(const struct board *b, const struct state *s, unsigned side, uint16_t *cells)
{
	struct reach r = reach_of(b, s, side, 0);
	plane far = s->near[side][1], common;
	r.cells = cells;
	do {
		if (plane_any(plane_and(r.latest, far)))
			return r.bridges;
		common = plane_and(plane_and(r.around, far), r.rest);
		if (has_several(common)) {
			add_bridge(&r, common);
			return r.bridges;
		}
	} while (reach_more(b, &r, s->stones[side]));
	return 0;
}

/* The number of bridges in the chain that one more stone of the side completes (the first stone found that does so); 0
 * if there is none. Writes the cell of that stone and, unless `cells` is NULL, those of the bridges. */
static unsigned chain_after_a_stone(const struct board *b, const struct state *s, unsigned side, uint16_t *cells,
				    unsigned *stone)
{
	plane both = empty_of(b, s);
	for (unsigned edge = 0; edge < 2; edge++) {
		struct reach r = reach_of(b, s, side, edge);
		while (reach_more(b, &r, s->stones[side]))
			;
		both = plane_and(both, plane_or(r.around, next_to_two(b, plane_and(r.around, r.rest))));
	}
	for (unsigned tries = 0; plane_any(both) && tries < 8; tries++, both = plane_without_first(both)) {
		struct state after = *s;
		*stone = plane_first(both);
		put_stone(b, &after, side, *stone);
		unsigned bridges = chain_of_bridges(b, &after, side, cells);
		if (bridges)
			return bridges;
	}
	return 0;
}
