/* Solver state: the solver's own structs, what it knows about its root, and the current claim. Private to solver.c,
 * remote.c and picture.c. */
#pragma once

#include "solver/algorithms.h"
#include "solver/closure.h"
#include "solver/engine.h"
#include "solver/group.h"
#include "solver/pds_policy.h"
#include "solver/injected.h"
#include "solver/tree.h"
#include "solver/tt.h"

/* What a search thread publishes after each stretch, member by member; any thread reads it. */
struct search_counts {
	_Atomic uint64_t level1, level2, positions, facts, cache_asks, cache_hits;
	_Atomic uint64_t numbers;           /* the root's numbers: pn + (dn << 32) */
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
	const struct closure *closure; /* the solver's, of the first thread; else NULL */
	bool present;                  /* the thread belongs to the group */
	bool remote;                   /* its leaves are remote (remote.h) */
	bool started;                  /* the current claim */
	bool solved;                   /* it has returned with the claim's answer, in the next two members */
	uint32_t solved_num[2];        /* of the root */
	game_move solved_move;         /* at the root, in its own frame */
	const char *why;               /* it is stuck */
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
	struct question question;    /* the current claim */
	struct pd_identity identity; /* key of the position identities in table and cache */
	bool searching;              /* the current claim is started and not solved */
	struct {
		uint64_t nodes; /* nodes left for it; 0: no shorter win is to be found, or none is wanted */
		bool running;   /* a shorter win is being searched, in a tree alone */
	} shorten;
	enum pn_point point; /* where the last step returned */
	const char *why;
	struct tt tt;
	struct cache cache;
	struct search_group group;
	struct injected_facts injected;
	struct hints hints;
	struct closure closure;
	struct search_thread *threads; /* owned; options.threads, of which the first is always present, then
					  options.remote remote ones */
	atomic_uint met;               /* only the first so many have ever been present */
	unsigned present;              /* how many are */
	unsigned present_remote;       /* and how many of these are remote */
	uint64_t level1_bytes, level2_bytes;
	struct pn_progress resumed; /* counters at the start */
};

/* The most search threads that there may be, remote ones included. */
static inline unsigned pn_threads_most(const struct pn_solver *s)
{
	return s->options.threads + s->options.remote;
}

/* --- the root: `root_fact` holds all that is known, in the root's own frame; lo and hi follow from it --- */

/* Takes in what the rules and the host know about the root, and makes room for what the search will find. */
int pn_root_init(struct pn_solver *s, struct pd_fail *fail);
/* Takes in a fact about the root, its moves in the key's frame. PD_E_CORRUPT, PD_E_NO_MEMORY. */
int pn_root_take(struct pn_solver *s, const struct pd_fact *fact, struct pd_fail *fail);
/* Adds a reason for the root, its move in the root's own frame. */
void pn_root_learn(struct pn_solver *s, const struct pd_reason *reason);
bool pn_root_answered(const struct pn_solver *s);
/* The threshold of the next claim to search; the question must not be answered yet. */
int pn_root_next(const struct pn_solver *s);
/* The claim at `threshold`, with the weak sums and the identity key of the options. */
struct question pn_root_question(const struct pn_solver *s, int threshold);

/* Makes the cache, for level 2 or for dominance. False when memory runs out. */
bool pn_make_cache(struct pn_solver *s, uint64_t bytes);
/* Begins the closure of the root, which the first search thread lists. */
void pn_init_closure(struct pn_solver *s);

/* --- the current claim --- */

/* Begins the next claim, unless one is being searched or none is left. */
void pn_next_claim(struct pn_solver *s);
/* The first thread's turn to list the positions that can be reached, and to decide the claim when all are known. */
enum pn_state pn_search_closure(struct pn_solver *s, struct search_thread *w, uint64_t *nodes);
/* Applies the injected facts about one position to the search of the current claim (injected.h). */
void pn_apply_fact(struct pn_solver *s, const struct injected_fact *item);
