/* The solver's own structs: for solver*.c only. */
#pragma once

#include "solver/algorithms.h"
#include "solver/cache.h"
#include "solver/engine.h"
#include "solver/group.h"
#include "solver/hints.h"
#include "solver/pds_policy.h"
#include "solver/injected.h"
#include "solver/tree.h"
#include "solver/tt.h"

/* What a search thread publishes after each stretch, member by member; any thread reads it. */
struct search_counts {
	_Atomic uint64_t level1, level2, facts, cache_asks, cache_hits;
	_Atomic uint64_t numbers;           /* of the root: pn + (dn << 32) */
	_Atomic uint64_t leading;           /* the move to the root's most promising child */
	_Atomic uint64_t entries, capacity; /* of the level-1 tree of pn2 */
	_Atomic uint64_t level2_budget;
	_Atomic uint64_t in_tree; /* as in struct pn_engine_progress */
};

/* One thread's search: everything that is not shared. */
struct search_thread {
	struct pn_host host;
	struct pn_engine *engine; /* owned; NULL until the thread first joins */
	struct fact_buffer facts;
	bool present;           /* it belongs to the group */
	bool remote;            /* it has remote leaves (remote.h) */
	bool started;           /* the claim in work */
	bool solved;            /* it has returned with the claim's answer: the next two */
	uint32_t solved_num[2]; /* of the root */
	game_move solved_move;  /* at the root, in its own frame */
	const char *why;        /* it is stuck */
	struct search_counts counts;
};

struct pn_solver {
	const struct game *game;
	struct pn_options options;
	const struct pn_algorithm_row *algorithm;
	struct pd_claim claim;
	void *root;               /* owned */
	struct pd_fact root_fact; /* moves in the root's own frame */
	int16_t lo, hi;
	struct question question;    /* the claim in work */
	struct pd_identity identity; /* names positions in table and cache */
	bool searching;              /* the claim in work is started and not solved */
	struct {
		uint64_t nodes; /* left for it; 0: there is no shorter win, or none is wanted */
		bool running;   /* a shorter win is being searched, in a tree alone */
	} shorten;
	enum pn_point point; /* where the last step returned */
	const char *why;
	struct tt tt;
	struct cache cache;
	struct search_group group;
	struct injected_facts injected;
	struct hints hints;
	struct search_thread *threads; /* owned; options.threads of them, the first is always present; behind them
					  options.remote more */
	unsigned present;              /* how many are */
	unsigned present_remote;       /* and how many of these are remote */
	uint64_t level1_bytes, level2_bytes;
	struct pn_progress resumed; /* counters at the start */
};

/* Search threads that there may be, of both kinds. */
static inline unsigned pn_threads_most(const struct pn_solver *s)
{
	return s->options.threads + s->options.remote;
}
