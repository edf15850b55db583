#include "solver/leaf_task.h"

#include "solver/solver.h"
#include "solver/tree_search.h"

enum {
	ARENA_SHARE = 2,  /* at most 1/x of the memory is for the arena of a runner with a cache of its own */
	CUT_OFF = 1 << 20 /* number for the side that would need a deeper tree */
};

struct pn_leaf_cache {
	const struct game *game;
	uint64_t key; /* of the identities */
	struct pd_identity identity;
	struct cache cache;
};

struct pn_leaf_runner {
	struct pn_leaf_runner_setup setup;
	struct pn_leaf_cache own;    /* unused when the setup names another */
	struct pn_leaf_cache *known; /* the cache in use */
	struct tree tree;
	struct tree_solved solved;
	struct pn_proof_writer *writer; /* owned; NULL: no proof was asked for yet */
	void *state;                    /* owned */
	uint64_t serial, start;         /* of the task: its serial, and tree.generated when it began */
	bool begun, over;
};

/* --- making --------------------------------------------------------------------------------- */

struct pn_leaf_cache *pn_leaf_cache_new(const struct game *game, uint64_t bytes, uint64_t identity)
{
	struct pn_leaf_cache *cache = calloc(1, sizeof *cache);
	if (!cache)
		return NULL;
	cache->game = game;
	cache->key = identity;
	pd_identity_init(&cache->identity, identity);
	if (cache_init_shared(&cache->cache, bytes))
		return cache;
	free(cache);
	return NULL;
}

void pn_leaf_cache_free(struct pn_leaf_cache *cache)
{
	if (!cache)
		return;
	cache_fini(&cache->cache);
	free(cache);
}

/* The runner's own cache, in what the arena leaves of the memory. */
static bool make_cache(struct pn_leaf_runner *r, uint64_t arena)
{
	r->known = r->setup.cache ? r->setup.cache : &r->own;
	if (r->setup.cache)
		return true;
	r->own.game = r->setup.game;
	r->own.key = r->setup.identity;
	pd_identity_init(&r->own.identity, r->setup.identity);
	return cache_init(&r->own.cache, r->setup.memory - arena);
}

static bool make_parts(struct pn_leaf_runner *r)
{
	const struct pn_leaf_runner_setup *s = &r->setup;
	const struct game *game = s->game;
	uint64_t nodes = s->nodes_max + s->nodes_max / 4 + 4 * (uint64_t)game->moves_max;
	uint64_t arena = nodes * sizeof(struct tree_node), most = s->cache ? s->memory : s->memory / ARENA_SHARE;
	if (arena > most)
		arena = most;
	r->state = aligned_alloc(16, (game->state_size + 15) & ~(size_t)15);
	if (!r->state || !make_cache(r, arena))
		return false;
	struct tree_options options = {
		.mobility = s->mobility,
		.heuristics = s->heuristics,
		.immediate_win = true,
		.knowledge = s->knowledge,
		.cache = r->known->cache.buckets ? &r->known->cache : NULL,
		.solved = &r->solved,
		.seed = s->seed,
	};
	return tree_init(&r->tree, game, arena, &options);
}

int pn_leaf_runner_new(const struct pn_leaf_runner_setup *setup, struct pn_leaf_runner **out, struct pd_fail *fail)
{
	if (setup->memory < PN_MEMORY_MIN)
		return pd_fail_set(fail, PD_E_PARAMS, "memory",
				   "%llu bytes are too few for a search; at least %llu are needed",
				   (unsigned long long)setup->memory, (unsigned long long)PN_MEMORY_MIN);
	struct pn_leaf_runner *r = calloc(1, sizeof *r);
	if (r)
		r->setup = *setup;
	if (!r || !make_parts(r)) {
		pn_leaf_runner_free(r);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "cannot reserve %llu bytes for the search",
				   (unsigned long long)setup->memory);
	}
	*out = r;
	return PD_OK;
}

void pn_leaf_runner_free(struct pn_leaf_runner *r)
{
	if (!r)
		return;
	pn_proof_writer_free(r->writer);
	tree_fini(&r->tree);
	cache_fini(&r->own.cache);
	free(r->state);
	free(r);
}

/* --- a task --------------------------------------------------------------------------------- */

static struct question question_for(const struct pn_leaf_runner *r, int threshold)
{
	struct question q = question_of(r->setup.game, threshold);
	q.weak = r->setup.weak;
	q.identity = &r->known->identity;
	return q;
}

/* Reads the position of an exact key; the game must not be over there. */
static int read_key(struct pn_leaf_runner *r, const struct pn_leaf_task *task, struct pd_fail *fail)
{
	const struct game *g = r->setup.game;
	uint8_t again[GAME_KEY_MAX];
	int value;
	if (!task->key_size || task->key_size > g->key_size_max ||
	    g->rules->unkey(g, task->key, task->key_size, r->state))
		return pd_fail_set(fail, PD_E_CORRUPT, "key", "it is not an exact key of %.80s", g->name);
	if (g->rules->key(g, r->state, again) != task->key_size || memcmp(again, task->key, task->key_size) != 0)
		return pd_fail_set(fail, PD_E_CORRUPT, "key", "it is not an exact key of %.80s", g->name);
	if (g->rules->terminal(g, r->state, &value))
		return pd_fail_set(fail, PD_E_CORRUPT, "key", "the game is over in this position");
	return PD_OK;
}

int pn_leaf_begin(struct pn_leaf_runner *r, const struct pn_leaf_task *task, struct pd_fail *fail)
{
	const struct game *g = r->setup.game;
	struct pd_claim claim = {.threshold = task->threshold};
	r->begun = r->over = false;
	if (!task->budget)
		return pd_fail_set(fail, PD_E_PARAMS, "budget", "a leaf needs at least one node");
	int rc = read_key(r, task, fail);
	if (!rc && pn_question_check(g, &claim, fail))
		rc = pd_fail_set(fail, PD_E_CLAIM, "threshold", "%d is not on the scale of %.80s", task->threshold,
				 g->name);
	if (rc)
		return rc;
	struct question q = question_for(r, task->threshold);
	r->serial = task->serial;
	r->start = r->tree.generated;
	r->solved.count = 0;
	r->begun = true;
	tree_start(&r->tree, &q, r->state, task->budget < UINT32_MAX ? task->budget : UINT32_MAX);
	tree_set_rival(&r->tree, &task->rival);
	return PD_OK;
}

bool pn_leaf_run(struct pn_leaf_runner *r, uint64_t nodes)
{
	PD_ASSERT(r->begun);
	if (!r->over)
		r->over = tree_run(&r->tree, &nodes) != TREE_MORE;
	return r->over;
}

static uint32_t open_number(uint32_t num)
{
	return !num ? 1 : num < PN_LEAF_NUMBER_MAX ? num : PN_LEAF_NUMBER_MAX;
}

void pn_leaf_result(const struct pn_leaf_runner *r, struct pn_leaf_result *out)
{
	const struct question *q = &r->tree.question;
	const uint32_t *num = tree_numbers(&r->tree);
	PD_ASSERT(r->begun && r->over);
	*out = (struct pn_leaf_result){
		.serial = r->serial,
		.rank = PD_RANK_NONE,
		.move = PD_NO_MOVE,
		.nodes = r->tree.generated - r->start,
	};
	if (!num_solved(num)) {
		out->num[0] = open_number(num[0]);
		out->num[1] = open_number(num[1]);
		return;
	}
	if (ghi_path_dependent(q, num)) { /* it would need a deeper tree */
		out->num[0] = q->ranked[0] ? CUT_OFF : 1;
		out->num[1] = q->ranked[0] ? 1 : CUT_OFF;
		return;
	}
	struct pd_reason reason = question_reason(q, num);
	PD_ASSERT(num_rank(num) > 0); /* the game is not over */
	out->solved = true;
	out->proved = num[0] == 0;
	out->rank = reason.rank;
	out->effort = tree_effort(&r->tree);
	if (r->tree.root_move != PD_NO_MOVE)
		out->move = game_canon(q->game, r->state, r->tree.root_move, false);
}

/* --- solved positions ----------------------------------------------------------------------- */

static int by_effort(const void *a, const void *b)
{
	const struct pn_leaf_solved *x = a, *y = b;
	return (x->reason.effort < y->reason.effort) - (x->reason.effort > y->reason.effort);
}

unsigned pn_leaf_solved(const struct pn_leaf_runner *r, struct pn_leaf_solved *out, unsigned max)
{
	struct tree_solved sorted = r->solved;
	PD_ASSERT(r->begun && sorted.count <= PN_LEAF_SOLVED_MAX);
	qsort(sorted.item, sorted.count, sizeof *sorted.item, by_effort);
	unsigned count = sorted.count < max ? sorted.count : max;
	memcpy(out, sorted.item, count * sizeof *out);
	return count;
}

size_t pn_leaf_prove(struct pn_leaf_runner *r, uint64_t positions, uint8_t *bytes)
{
	const struct pn_leaf_runner_setup *s = &r->setup;
	const uint32_t *num = tree_numbers(&r->tree);
	size_t size = 0;
	PD_ASSERT(r->begun && r->over && num_solved(num) && !ghi_path_dependent(&r->tree.question, num));
	if (!r->writer)
		r->writer = pn_proof_writer_new(s->game, s->knowledge, r->known->key, &r->known->cache);
	struct pd_reason reason = question_reason(&r->tree.question, num);
	if (!r->writer || pn_proof_write(r->writer, r->state, &reason, positions, bytes, &size) != PN_PROOF_HOLDS)
		return 0;
	return size;
}

bool pn_leaf_cache_learn(struct pn_leaf_cache *cache, const struct pn_leaf_solved *known)
{
	const struct game *g = cache->game;
	const struct pd_reason *reason = &known->reason;
	if (!known->key_size || known->key_size > g->key_size_max || pn_reason_wrong(g, reason))
		return false;
	struct question q = question_of(g, g->value_max);
	q.identity = &cache->identity;
	if (cache->cache.buckets)
		cache_put(&cache->cache, question_key_id(&q, known->key, known->key_size), reason,
			  reason->effort ? reason->effort : 1, false);
	return true;
}

bool pn_leaf_learn(struct pn_leaf_runner *r, const struct pn_leaf_solved *known)
{
	return pn_leaf_cache_learn(r->known, known);
}
