#include "server/proofs/answers/proof_tree.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/random.h"
#include "server/common/game_tables.h"
#include "solver/solver.h"
#include "store/store.h"
#include "solver/table_theorem.h"

enum {
	BYTES_MAX = 10 << 20, /* of a printed tree, about: a reply may have 16 MiB */
	NODE_BYTES = 300,     /* of a printed node without its text, about */
	EDGE_BYTES = 150,
	LOOKUPS_MAX = 2000000, /* of facts */
	LOOKUPS_STEP = 256     /* between two calls of go_on */
};

struct walk {
	const struct sv_tree_order *order;
	struct sv_tree *tree;
	uint32_t *slots; /* owned; a hash table of nodes, open addressing: index plus 1; 0: empty */
	uint32_t room;   /* a power of two, at least twice the nodes */
	uint64_t bytes, lookups;
	bool full; /* a limit is reached: no more nodes */
	game_move *moves;
	struct pd_fact fact; /* of the current position */
};

/* --- one position ------------------------------------------------------------------------- */

static int report_missing(const struct walk *w, const void *state, const char *what, struct pd_fail *fail)
{
	char text[GAME_TEXT_MAX], hint[SV_MISSING_HINT];
	w->tree->game->rules->print(w->tree->game, state, text, sizeof text);
	return pd_fail_set(fail, PD_E_CORRUPT, "position", "%.200s: %s; %s", text, what,
			   sv_missing_hint(w->tree->game, state, hint));
}

/* Reads the fact of a position; an empty one when nothing is known. */
static int read_fact(struct walk *w, const void *state, struct pd_fail *fail)
{
	const struct game *g = w->tree->game;
	uint8_t key[GAME_KEY_MAX];
	w->fact.count = 0;
	w->lookups++;
	size_t size = g->rules->key(g, state, key);
	int rc = w->order->game_id ? st_fact_get(w->order->reader, w->order->game_id, key, size, &w->fact, fail) : 0;
	if (rc < 0)
		return fail->code;
	if (!rc)
		w->fact.count = 0;
	if (rc && pn_fact_sound(g, key, size, &w->fact, fail))
		return fail->code;
	return pn_tables_fact(g, state, &w->fact, fail) < 0 ? fail->code : PD_OK;
}

static void read_known_bounds(struct walk *w, struct sv_tree_node *node)
{
	const struct pd_reason *lo = pd_fact_best(&w->fact, PD_LO), *hi = pd_fact_best(&w->fact, PD_HI);
	node->lo = lo ? lo->bound : w->tree->game->value_min;
	node->hi = hi ? hi->bound : w->tree->game->value_max;
	if (lo)
		node->lower = *lo;
	if (hi)
		node->upper = *hi;
}

/* Takes a reason for a need, if there is one; false when the fact has none. */
static bool take_reason(const struct walk *w, const struct sv_need *need, struct pd_reason *out)
{
	const struct pd_reason *r = need ? sv_need_choose(&w->fact, need) : out;
	if (r)
		*out = *r;
	if (r && r->dominated)
		out->effort = 1; /* shown as a leaf */
	return r != NULL;
}

/* The bounds that are needed of a position; NULL: not needed. */
struct needs {
	const struct sv_need *lo, *hi;
};

/* Takes the reasons for what is needed. Tries twice, because facts that a search has just written become visible one
 * after the other. */
static int take_all(struct walk *w, const void *state, const struct needs *needs, struct sv_tree_node *node,
		    struct pd_fail *fail)
{
	for (unsigned tries = 0;; tries++) {
		int rc = read_fact(w, state, fail);
		if (rc)
			return rc;
		read_known_bounds(w, node);
		if (take_reason(w, needs->lo, &node->lower) && take_reason(w, needs->hi, &node->upper))
			return PD_OK;
		if (tries)
			return report_missing(w, state, "no fact justifies a bound that others rest on", fail);
		st_fact_settle(w->order->reader);
	}
}

static enum sv_tree_kind kind_of(const struct game *g, const void *state, const struct sv_tree_node *node)
{
	bool first = g->rules->first_to_move(g, state);
	bool lo = node->has_lo && !node->lower.effort, hi = node->has_hi && !node->upper.effort;
	if (!node->has_lo && !node->has_hi)
		return SV_TREE_ASIDE;
	if (!lo && !hi)
		return SV_TREE_LEAF;
	return (first ? hi : lo) ? SV_TREE_REPLIES : SV_TREE_MOVE;
}

/* Fills in a node, except its place in the tree. */
static int fill_node(struct walk *w, const void *state, const struct needs *needs, struct sv_tree_node *node,
		     struct pd_fail *fail)
{
	const struct game *g = w->tree->game;
	int value;
	*node = (struct sv_tree_node){.has_lo = needs->lo != NULL, .has_hi = needs->hi != NULL};
	if (g->rules->terminal(g, state, &value)) {
		node->over = true;
		node->kind = SV_TREE_END;
		node->lo = node->hi = value;
		node->lower.bound = node->upper.bound = (int16_t)value;
		return (!needs->lo || value >= needs->lo->bound) && (!needs->hi || value <= needs->hi->bound)
			       ? PD_OK
			       : report_missing(w, state, "the game ends there with another value than a fact says",
						fail);
	}
	int rc = take_all(w, state, needs, node, fail);
	if (!rc)
		node->kind = kind_of(g, state, node);
	return rc;
}

/* --- the nodes ---------------------------------------------------------------------------- */

static struct sv_tree_node *node_at(struct walk *w, uint32_t index)
{
	PD_ASSERT(index < w->tree->count);
	return (struct sv_tree_node *)(void *)w->tree->nodes.data + index;
}

static const void *state_at(const struct walk *w, uint32_t index)
{
	return w->tree->states.data + (size_t)index * w->tree->game->state_size;
}

static bool same_reason(bool there, const struct pd_reason *a, const struct pd_reason *b)
{
	return !there || (a->bound == b->bound && a->rank == b->rank);
}

static bool is_same_node(const struct walk *w, uint32_t index, const struct sv_tree_node *node, const char *text)
{
	const struct sv_tree_node *other = sv_tree_node(w->tree, index);
	return other->has_lo == node->has_lo && other->has_hi == node->has_hi &&
	       same_reason(node->has_lo, &other->lower, &node->lower) &&
	       same_reason(node->has_hi, &other->upper, &node->upper) &&
	       !strcmp(w->tree->texts.data + other->text, text);
}

/* The slot of a node that is the same, or the free one where it belongs. */
static uint32_t *slot_of(const struct walk *w, const struct sv_tree_node *node, const char *text)
{
	uint64_t i = pd_bucket_hash(text, strlen(text)) & (w->room - 1);
	while (w->slots[i] && !is_same_node(w, w->slots[i] - 1, node, text))
		i = (i + 1) & (w->room - 1);
	return &w->slots[i];
}

unsigned sv_tree_theorems(const struct game *game, const void *state, const struct sv_tree_node *node,
			  struct game_told out[2])
{
	bool lower = node->has_lo && node->lower.effort, upper = node->has_hi && node->upper.effort;
	struct game_told told[2];
	unsigned count = 0, found = node->over || !(lower || upper) ? 0 : game_theorems(game, state, told);
	for (unsigned i = 0; i < found; i++)
		if (told[i].theorem.proved ? lower && told[i].bounds.lo >= node->lower.bound
					   : upper && told[i].bounds.hi <= node->upper.bound)
			out[count++] = told[i];
	return count;
}

static int no_memory(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a tree");
}

/* Finds or adds the node of a position: *index; UINT32_MAX when there is no room for it. */
static int enter_node(struct walk *w, const void *state, struct sv_tree_node *node, uint32_t *index,
		      struct pd_fail *fail)
{
	struct sv_tree *t = w->tree;
	struct game_told told[2];
	char text[GAME_TEXT_MAX];
	size_t size = t->game->rules->print(t->game, state, text, sizeof text);
	PD_ASSERT(size < sizeof text);
	uint32_t *slot = slot_of(w, node, text);
	*index = *slot ? *slot - 1 : UINT32_MAX;
	if (*slot)
		return PD_OK;
	uint64_t bytes = NODE_BYTES + size + w->order->node_bytes;
	for (unsigned i = sv_tree_theorems(t->game, state, node, told); i > 0; i--)
		bytes += sv_theorem_bytes(&told[i - 1]);
	w->full |= t->count == w->order->nodes || w->bytes + bytes > BYTES_MAX;
	if (w->full)
		return PD_OK;
	w->bytes += bytes;
	node->text = (uint32_t)t->texts.size;
	pd_buf_put(&t->texts, text, size + 1);
	pd_buf_put(&t->states, state, t->game->state_size);
	pd_buf_put(&t->nodes, node, sizeof *node);
	if (t->texts.failed || t->states.failed || t->nodes.failed)
		return no_memory(fail);
	*index = t->count++;
	*slot = t->count;
	return PD_OK;
}

/* --- the walk ----------------------------------------------------------------------------- */

/* What a reason needs of the position after a move; false when it needs nothing there. *found: its move has been
 * found. */
static bool need_after(const struct walk *w, const void *state, game_move move, const struct pd_reason *r, bool *found,
		       struct sv_need *out)
{
	const struct game *g = w->tree->game;
	if (r->effort)
		return false;
	if (g->rules->first_to_move(g, state) == (r->side == PD_LO)) {
		if (*found || game_canon(g, state, move, false) != r->move)
			return false;
		*found = true;
	}
	*out = (struct sv_need){.side = r->side,
				.bound = r->bound,
				.below = pn_bound_ranked(g, r->side, r->bound) ? r->rank : PD_RANK_NONE};
	return true;
}

/* A node whose moves are followed. */
struct step {
	struct sv_tree_node node;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	bool found_lo, found_hi;
};

static int add_edge(struct walk *w, struct step *s, const struct sv_tree_edge *edge, struct pd_fail *fail)
{
	pd_buf_put(&w->tree->edges, edge, sizeof *edge);
	s->node.edges++;
	w->bytes += EDGE_BYTES;
	w->full |= w->bytes > BYTES_MAX;
	return w->tree->edges.failed ? no_memory(fail) : PD_OK;
}

static int follow_move(struct walk *w, struct step *s, game_move move, struct pd_fail *fail)
{
	const struct game *g = w->tree->game;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	struct sv_need lo, hi;
	struct sv_tree_node node;
	struct sv_tree_edge edge = {.move = move};
	bool need_lo = s->node.has_lo && need_after(w, s->state, move, &s->node.lower, &s->found_lo, &lo);
	bool need_hi = s->node.has_hi && need_after(w, s->state, move, &s->node.upper, &s->found_hi, &hi);
	edge.proof = need_lo || need_hi;
	if (!edge.proof && !w->order->all)
		return PD_OK;
	if (w->full || s->node.depth == w->order->depth) {
		s->node.more += edge.proof;
		return PD_OK;
	}
	memcpy(child, s->state, g->state_size);
	g->rules->play(g, child, move);
	int rc = fill_node(w, child, &(struct needs){need_lo ? &lo : NULL, need_hi ? &hi : NULL}, &node, fail);
	if (rc || (!edge.proof && !node.over && !w->fact.count))
		return rc;
	node.depth = s->node.depth + 1;
	rc = enter_node(w, child, &node, &edge.to, fail);
	if (rc)
		return rc;
	if (edge.to == UINT32_MAX) {
		s->node.more += edge.proof;
		return PD_OK;
	}
	return add_edge(w, s, &edge, fail);
}

static int check_stopped(const struct walk *w, struct pd_fail *fail)
{
	return w->order->go_on && !w->order->go_on(w->order->ctx)
		       ? pd_fail_set(fail, PD_E_SHUTDOWN, "", "the tree is no longer wanted")
		       : PD_OK;
}

/* Whether a recorded move is not among the legal moves. */
static bool lacks_move(const struct walk *w, const struct step *s)
{
	const struct game *g = w->tree->game;
	bool first = g->rules->first_to_move(g, s->state);
	return first ? s->node.has_lo && !s->node.lower.effort && !s->found_lo
		     : s->node.has_hi && !s->node.upper.effort && !s->found_hi;
}

/* Follows the moves of a node. */
static int expand_node(struct walk *w, uint32_t index, struct pd_fail *fail)
{
	const struct game *g = w->tree->game;
	struct step s = {.node = *node_at(w, index)};
	memcpy(s.state, state_at(w, index), g->state_size);
	s.node.first_edge = (uint32_t)(w->tree->edges.size / sizeof(struct sv_tree_edge));
	unsigned count = g->rules->moves(g, s.state, w->moves);
	int rc = check_stopped(w, fail);
	for (unsigned i = 0; i < count && !rc; i++) {
		uint64_t before = w->lookups;
		rc = follow_move(w, &s, w->moves[i], fail);
		w->full |= w->lookups > LOOKUPS_MAX;
		if (!rc && before / LOOKUPS_STEP != w->lookups / LOOKUPS_STEP)
			rc = check_stopped(w, fail);
	}
	if (!rc && lacks_move(w, &s))
		rc = report_missing(w, s.state, "the move that a fact records is not legal", fail);
	*node_at(w, index) = s.node;
	w->tree->more += s.node.more;
	return rc;
}

/* What the claim needs of the root, whose fact has been read. */
static int root_needs(struct walk *w, const void *state, struct needs *needs, struct sv_need room[2],
		      struct pd_fail *fail)
{
	const struct game *g = w->tree->game;
	struct sv_tree_node node;
	int rc = fill_node(w, state, &(struct needs){NULL, NULL}, &node, fail);
	if (rc)
		return rc;
	if (!w->fact.count && !node.over)
		return pd_fail_set(fail, PD_E_NO_FACT, "position", "nothing is proved about that position of %s",
				   g->name);
	rc = sv_claim_needs(g, w->order->claim, (struct game_interval){node.lo, node.hi}, &w->tree->claim, fail);
	if (rc)
		return rc;
	room[0] = (struct sv_need){.side = PD_LO, .bound = (int16_t)node.lo, .below = PD_RANK_NONE};
	room[1] = (struct sv_need){.side = PD_HI, .bound = (int16_t)node.hi, .below = PD_RANK_NONE};
	*needs = (struct needs){w->tree->claim.lo && node.lo > g->value_min ? &room[0] : NULL,
				w->tree->claim.hi && node.hi < g->value_max ? &room[1] : NULL};
	return PD_OK;
}

static int walk_tree(struct walk *w, struct pd_fail *fail)
{
	struct sv_need room[2];
	struct needs needs;
	struct sv_tree_node root;
	uint32_t index;
	if (root_needs(w, w->order->state, &needs, room, fail) || fill_node(w, w->order->state, &needs, &root, fail) ||
	    enter_node(w, w->order->state, &root, &index, fail))
		return fail->code;
	for (uint32_t i = 0; i < w->tree->count; i++) {
		enum sv_tree_kind kind = node_at(w, i)->kind;
		bool expands =
			kind == SV_TREE_MOVE || kind == SV_TREE_REPLIES || (!i && w->order->all && kind != SV_TREE_END);
		if (expands && expand_node(w, i, fail))
			return fail->code;
	}
	return PD_OK;
}

int sv_tree_make(const struct sv_tree_order *order, struct sv_tree *out, struct pd_fail *fail)
{
	struct walk w = {.order = order, .tree = out, .room = 4};
	PD_ASSERT(order->nodes >= 1);
	*out = (struct sv_tree){.game = order->game};
	pd_buf_init(&out->nodes, UINT32_MAX);
	pd_buf_init(&out->edges, UINT32_MAX);
	pd_buf_init(&out->states, UINT32_MAX);
	pd_buf_init(&out->texts, UINT32_MAX);
	while (w.room < 2 * order->nodes)
		w.room *= 2;
	w.slots = calloc(w.room, sizeof *w.slots);
	w.moves = malloc(order->game->moves_max * sizeof *w.moves);
	int rc = w.slots && w.moves ? walk_tree(&w, fail) : no_memory(fail);
	PD_ASSERT(rc || (out->count >= 1 && out->count <= order->nodes));
	pd_fact_fini(&w.fact);
	free(w.slots);
	free(w.moves);
	return rc;
}

void sv_tree_fini(struct sv_tree *tree)
{
	pd_buf_fini(&tree->nodes);
	pd_buf_fini(&tree->edges);
	pd_buf_fini(&tree->states);
	pd_buf_fini(&tree->texts);
}
