#include "solver/plain_search.h"

#include "proto/base/assert.h"
#include "proto/base/random.h"
#include "solver/table_theorem.h"

#define INFINITE UINT32_MAX
enum { ROOT = 0, NODES_FIRST = 1 << 12, STEPS_FIRST = 64 };

struct plain_node {
	uint32_t num[2]; /* proof and disproof number: least leaves that must be shown to have the bound, or not */
	uint32_t child;  /* index of the first child; ROOT: not expanded */
	uint16_t count, move;
	bool wants; /* the player to move wants the bound */
};

struct plain_step {
	uint32_t node;
	uint64_t hash; /* of the position's key; only where positions can come back */
};

void pn_plain_init(struct pn_plain *plain, const struct game *game)
{
	*plain = (struct pn_plain){.game = game};
}

void pn_plain_fini(struct pn_plain *plain)
{
	free(plain->nodes);
	free(plain->path);
	free(plain->moves);
	pn_plain_init(plain, NULL);
}

static bool theorem_gives(const struct game *game, const void *state, const struct pd_reason *r,
			  bool (*theorem)(const struct game *game, const void *state, int threshold,
					  struct game_theorem *out, uint8_t *witness),
			  struct game_theorem *out, uint8_t *witness)
{
	int value, threshold = r->side == PD_LO ? r->bound : r->bound + game->value_step;
	if (!theorem || (game->rules->immediate_win && game->rules->immediate_win(game, state, &value)) ||
	    !theorem(game, state, threshold, out, witness) || out->proved != (r->side == PD_LO))
		return false;
	return r->rank == PD_RANK_NONE || (out->plies != GAME_NO_RANK && out->plies <= r->rank);
}

bool pn_plain_theorem(const struct game *game, const void *state, const struct pd_reason *r, struct game_theorem *out,
		      uint8_t *witness)
{
	return theorem_gives(game, state, r, game->rules->theorem, out, witness);
}

bool pn_plain_table(const struct game *game, const void *state, const struct pd_reason *r, struct game_theorem *out,
		    uint8_t *witness)
{
	return theorem_gives(game, state, r, pn_tables_theorem, out, witness);
}

/* --- memory ------------------------------------------------------------------------------- */

static bool grow_nodes(struct pn_plain *s, uint64_t needed)
{
	uint64_t capacity = s->capacity ? s->capacity : NODES_FIRST;
	while (capacity < needed)
		capacity *= 2;
	if (capacity == s->capacity)
		return true;
	struct plain_node *nodes = realloc(s->nodes, capacity * sizeof *nodes);
	if (!nodes)
		return false;
	s->nodes = nodes;
	s->capacity = capacity;
	return true;
}

static bool grow_path(struct pn_plain *s, unsigned needed)
{
	unsigned steps = s->steps ? s->steps : STEPS_FIRST;
	while (steps < needed)
		steps *= 2;
	if (steps == s->steps)
		return true;
	struct plain_step *path = realloc(s->path, steps * sizeof *path);
	if (!path)
		return false;
	s->path = path;
	s->steps = steps;
	return true;
}

/* --- one node ----------------------------------------------------------------------------- */

static bool is_solved(const struct plain_node *n)
{
	return !n->num[0] || !n->num[1];
}

/* Sums saturate below infinity (P2), which is kept for solved nodes. */
static uint32_t sum_of(uint32_t a, uint32_t b)
{
	if (a == INFINITE || b == INFINITE)
		return INFINITE;
	return a >= INFINITE - 1 - b ? INFINITE - 1 : a + b;
}

/* A hash collision can only make the search miss a proof. */
static bool stands_on_path(const struct pn_plain *s, uint64_t hash, unsigned depth)
{
	for (unsigned i = 0; i < depth; i++)
		if (s->path[i].hash == hash)
			return true;
	return false;
}

/* Whether a position `depth` plies from the root has the bound (1), does not (0), or is open (-1). */
static int decide_position(const struct pn_plain *s, const struct pn_plain_question *q, const void *state,
			   unsigned depth)
{
	const struct game *g = s->game;
	const struct pd_reason *leaf = q->leaf;
	uint8_t key[GAME_KEY_MAX];
	int value;
	if (g->rules->terminal(g, state, &value))
		return leaf->side == PD_LO ? value >= leaf->bound : value <= leaf->bound;
	size_t size = g->rules->key(g, state, key);
	if (q->known(q->ctx, key, size, leaf->rank - depth))
		return 1;
	const struct pd_reason within = {leaf->bound, leaf->side, (uint16_t)(leaf->rank - depth), PD_NO_MOVE, 0, 0};
	struct game_theorem theorem;
	if (q->theorems && within.rank && pn_plain_theorem(g, state, &within, &theorem, NULL))
		return 1;
	if (depth == leaf->rank || (!g->acyclic && stands_on_path(s, pd_bucket_hash(key, size), depth)))
		return 0;
	return -1;
}

static void evaluate_node(struct pn_plain *s, const struct pn_plain_question *q, struct plain_node *n,
			  const void *state, unsigned depth)
{
	int has = decide_position(s, q, state, depth);
	n->wants = s->game->rules->first_to_move(s->game, state) == (q->leaf->side == PD_LO);
	if (has >= 0) {
		n->num[0] = has ? 0 : INFINITE;
		n->num[1] = has ? INFINITE : 0;
		return;
	}
	n->num[!n->wants] = 1;
	n->num[n->wants] = game_count(s->game, state, s->moves + s->game->moves_max);
}

/* Computes the numbers of a node from those of its children; false when they did not change. */
static bool sum_up(struct pn_plain *s, struct plain_node *n)
{
	unsigned k = !n->wants;
	uint32_t least = INFINITE, sum = 0;
	for (unsigned i = 0; i < n->count; i++) {
		const struct plain_node *c = &s->nodes[n->child + i];
		least = c->num[k] < least ? c->num[k] : least;
		sum = sum_of(sum, c->num[!k]);
	}
	if (n->num[k] == least && n->num[!k] == sum)
		return false;
	n->num[k] = least;
	n->num[!k] = sum;
	PD_DEBUG_ASSERT((n->num[0] == 0) == (n->num[1] == INFINITE)); /* P1 */
	return true;
}

/* --- the search --------------------------------------------------------------------------- */

static bool enter_position(struct pn_plain *s, const void *state, unsigned depth, uint32_t node)
{
	uint8_t key[GAME_KEY_MAX];
	if (!grow_path(s, depth + 1))
		return false;
	s->path[depth].node = node;
	if (!s->game->acyclic)
		s->path[depth].hash = pd_bucket_hash(key, s->game->rules->key(s->game, state, key));
	return true;
}

/* Descends from the root to the most-proving leaf, playing the moves in `state`; false when memory runs out. */
static bool descend_to_leaf(struct pn_plain *s, void *state, unsigned *depth)
{
	uint32_t at = ROOT;
	for (*depth = 0;; ++*depth) {
		const struct plain_node *n = &s->nodes[at];
		if (!enter_position(s, state, *depth, at))
			return false;
		if (n->child == ROOT)
			return true;
		unsigned k = !n->wants;
		at = n->child;
		while (s->nodes[at].num[k] != n->num[k])
			at++;
		PD_ASSERT(at < n->child + n->count);
		s->game->rules->play(s->game, state, s->nodes[at].move);
	}
}

static int by_code(const void *a, const void *b)
{
	return (int)*(const game_move *)a - (int)*(const game_move *)b;
}

static bool expand_leaf(struct pn_plain *s, const struct pn_plain_question *q, const void *state, unsigned depth)
{
	const struct game *g = s->game;
	unsigned count = g->rules->moves(g, state, s->moves);
	uint32_t child = (uint32_t)s->used;
	PD_ASSERT(count >= 1 && depth < q->leaf->rank);
	if (!grow_nodes(s, s->used + count))
		return false;
	qsort(s->moves, count, sizeof *s->moves, by_code);
	for (unsigned i = 0; i < count; i++) {
		_Alignas(16) uint8_t next[GAME_STATE_MAX];
		struct plain_node *c = &s->nodes[child + i];
		*c = (struct plain_node){.move = s->moves[i]};
		memcpy(next, state, g->state_size);
		g->rules->play(g, next, c->move);
		evaluate_node(s, q, c, next, depth + 1);
	}
	s->used += count;
	struct plain_node *n = &s->nodes[s->path[depth].node];
	n->child = child;
	n->count = (uint16_t)count;
	for (unsigned d = depth; sum_up(s, &s->nodes[s->path[d].node]) && d; d--)
		continue;
	return true;
}

int pn_plain_search(struct pn_plain *s, const struct pn_plain_question *q, bool *found, uint64_t *nodes,
		    struct pd_fail *fail)
{
	const struct game *g = s->game;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	unsigned depth;
	PD_ASSERT(q->leaf->rank >= 1 && q->leaf->rank <= PD_RANK_MAX && q->nodes < UINT32_MAX / 2);
	if (!s->moves)
		s->moves = malloc(2 * (size_t)g->moves_max * sizeof *s->moves);
	bool good = s->moves && grow_nodes(s, 1);
	if (good)
		s->nodes[ROOT] = (struct plain_node){
			.num = {1, 1}, .wants = g->rules->first_to_move(g, q->state) == (q->leaf->side == PD_LO)};
	for (s->used = 1; good && !is_solved(&s->nodes[ROOT]) && s->used - 1 < q->nodes;) {
		memcpy(state, q->state, g->state_size);
		good = descend_to_leaf(s, state, &depth) && expand_leaf(s, q, state, depth);
	}
	if (!good)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the search of a leaf");
	*found = !s->nodes[ROOT].num[0];
	*nodes = s->used - 1;
	return PD_OK;
}
