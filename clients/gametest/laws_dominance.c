/* The law of dominance: `dominates` compares positions as game_rules.h demands. Of a random position the order part is
 * changed at random; where one of the two positions dominates the other, each move has a counterpart. */
#include <stdio.h>
#include <string.h>

#include "clients/gametest/law.h"

enum { PAIRS = 8 /* a position */ };

/* Two positions with the same board part: the winner, who gets the bound at `b`, is said to get it at `a`. */
struct pair {
	struct gt_state a, b;
	int bound;
	bool first; /* the winner */
};

/* Whether the winner of the pair gets the bound at `a` where it gets it at `b`, by their keys. */
static bool is_at_least(struct gt *t, const struct pair *p, const struct gt_state *a, const struct gt_state *b)
{
	struct gt_key k, l;
	cl_gt_key(t, a, &k);
	cl_gt_key(t, b, &l);
	if (cl_gt_equal_keys(&k, &l))
		return true;
	size_t board = k.size - t->rules->order_part(t->game);
	return k.size == l.size && !memcmp(k.bytes, l.bytes, board) &&
	       t->rules->dominates(t->game, k.bytes + board, l.bytes + board, p->bound, p->first);
}

/* The end of one of the games, or of both. */
static void check_ends(struct gt *t, const struct pair *p, bool over_a, bool over_b)
{
	/* A game that is not over may still end with any value. */
	int a = p->first ? t->game->value_min : t->game->value_max,
	    b = p->first ? t->game->value_max : t->game->value_min;
	if (over_a)
		t->rules->terminal(t->game, &p->a, &a);
	if (over_b)
		t->rules->terminal(t->game, &p->b, &b);
	if (p->first ? a < p->bound && p->bound <= b : b <= p->bound && p->bound < a)
		cl_gt_broken(t,
			     "for %s this position is said to dominate one with another order part; it may be worse, "
			     "because one of the two games is over",
			     p->first ? "First" : "Second");
}

/* Each move at `from` has one at `to` after which the position from `a` is at least as good as that from `b`. */
static void check_moves(struct gt *t, const struct pair *p, bool own)
{
	static struct gt_moves from, to;
	const struct gt_state *x = own ? &p->b : &p->a, *y = own ? &p->a : &p->b;
	struct gt_state after, other;
	cl_gt_moves(t, x, &from);
	cl_gt_moves(t, y, &to);
	for (unsigned i = 0; i < from.count; i++) {
		bool found = false;
		cl_gt_child(t, x, from.at[i], &after);
		for (unsigned pass = 0; pass < 2 && !found; pass++) /* first the same move */
			for (unsigned j = 0; j < to.count && !found; j++) {
				if ((to.at[j] == from.at[i]) == pass)
					continue;
				cl_gt_child(t, y, to.at[j], &other);
				found = is_at_least(t, p, own ? &other : &after, own ? &after : &other);
			}
		if (!found)
			cl_gt_broken(t,
				     "a position with the same board and another order part is dominated by this "
				     "one or dominates it for %s, but %s of %s has no counterpart there",
				     p->first ? "First" : "Second", cl_gt_move_text(t, x, from.at[i]).text,
				     own ? "the dominated position" : "the dominating position");
	}
}

static void check_pair(struct gt *t, const struct pair *p)
{
	int value;
	bool over_a = t->rules->terminal(t->game, &p->a, &value), over_b = t->rules->terminal(t->game, &p->b, &value);
	if (over_a || over_b)
		check_ends(t, p, over_a, over_b);
	else
		check_moves(t, p, t->rules->first_to_move(t->game, &p->a) == p->first);
}

/* Another position with the same board part; false when the bytes tried are not a position. */
static bool change_order(struct gt *t, const struct gt_state *s, struct gt_state *out)
{
	struct gt_key key;
	cl_gt_key(t, s, &key);
	unsigned order = t->rules->order_part(t->game), board = (unsigned)key.size - order;
	for (unsigned n = 1 + cl_gt_below(t, 3); n; n--) {
		uint8_t *byte = &key.bytes[board + cl_gt_below(t, order)];
		*byte = (uint8_t)(*byte + cl_gt_below(t, 5) - 2);
	}
	*out = *s;
	memset(out->bytes, 0, t->game->state_size);
	return !t->rules->unkey(t->game, key.bytes, key.size, out) && !cl_gt_same_key(t, s, out);
}

static void compare_orders(struct gt *t)
{
	struct gt_state s, c;
	struct pair p;
	uint64_t pairs = 0;
	if (!cl_gt_has(t, t->rules->dominates && t->rules->order_part && t->rules->order_part(t->game), "dominates"))
		return;
	for (unsigned i = 0; i < t->rounds; i++) {
		cl_gt_position(t, &s);
		for (unsigned k = 0; k < 2 * PAIRS; k++) {
			cl_gt_canonical(t, &s, &p.a);
			p.first = k % 2;
			p.bound = t->game->value_min + p.first +
				  (int)cl_gt_below(t, (unsigned)(t->game->value_max - t->game->value_min));
			if (!change_order(t, &p.a, &p.b) || !is_at_least(t, &p, &p.a, &p.b))
				continue;
			if (is_at_least(t, &p, &p.b, &p.a))
				cl_gt_broken(t, "two different positions dominate each other");
			if (change_order(t, &p.b, &c) && is_at_least(t, &p, &p.b, &c) && !is_at_least(t, &p, &p.a, &c))
				cl_gt_broken(t, "dominates is not transitive");
			check_pair(t, &p);
			pairs++;
		}
	}
	snprintf(t->report->note, sizeof t->report->note, "%llu pairs of positions", (unsigned long long)pairs);
}

const struct gt_law cl_laws_dominance[] = {
	{"dominance", "where a position dominates another one, each move has a counterpart", compare_orders},
	{0},
};
