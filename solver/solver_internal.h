/* The solver's own structs: for solver*.c only. */
#ifndef PN_SOLVER_INTERNAL_H
#define PN_SOLVER_INTERNAL_H

#include "solver/cache.h"
#include "solver/engine.h"
#include "solver/group.h"
#include "solver/hints.h"
#include "solver/pds_policy.h"
#include "solver/solver.h"
#include "solver/injected.h"
#include "solver/tree.h"
#include "solver/tt.h"

/* What a search thread publishes after each stretch; written and read atomically, member by member. */
struct search_counts {
	uint64_t level1, level2, facts, cache_asks, cache_hits;
	uint64_t numbers;           /* of the root: pn + (dn << 32) */
	uint64_t leading;           /* the move to the root's most promising child */
	uint64_t entries, capacity; /* of the level-1 tree of pn2 */
	uint64_t level2_budget;
	uint64_t in_tree; /* as in struct pn_engine_progress */
};

/* One thread's search: everything that is not shared. */
struct search_thread {
	struct pn_host host;
	struct pn_engine *engine; /* owned; NULL until the thread first joins */
	struct fact_buffer facts;
	bool present;           /* it belongs to the group */
	bool remote;            /* its leaves are searched elsewhere; told when it joins */
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
	bool shortening;             /* what is searched is a shorter win, in a tree alone */
	uint64_t shorten;            /* nodes left for that; 0: there is no shorter one, or none is wanted */
	enum pn_point point;         /* where the last step returned */
	const char *why;
	struct tt tt;
	struct cache cache;
	struct search_group group;
	struct told told;
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

/* --- solver_root.c: what is known of the root, and which claim is next --------------------- */

/* Takes in what the rules and the host know of the root, and makes room for what the search will find. */
int pn_root_init(struct pn_solver *s, struct pd_fail *fail);
/* Takes in a fact of the root's, its moves in the key's frame. PD_E_CORRUPT, PD_E_NO_MEMORY. */
int pn_root_take(struct pn_solver *s, const struct pd_fact *fact, struct pd_fail *fail);
/* A reason for the root, its move in the root's own frame. */
void pn_root_learn(struct pn_solver *s, const struct pd_reason *reason);
bool pn_root_answered(const struct pn_solver *s);
/* The threshold of the next claim to search; the question is not answered. */
int pn_root_next(const struct pn_solver *s);
/* The claim at `threshold`, asked as the options say. */
struct question pn_root_question(const struct pn_solver *s, int threshold);

/* --- solver_step.c, solver_told.c ----------------------------------------------------------- */

/* The next claim, unless one is in work or there is none. */
void pn_next_claim(struct pn_solver *s);
/* A claim is in work from here on: what was told before holds for it, too. */
void pn_told_again(struct pn_solver *s);

/* Lets a search thread join that is not present; its number. */
int pn_join(struct pn_solver *s, const struct pn_host *host, bool remote, unsigned *thread, struct pd_fail *fail);

/* --- solver_shorten.c ---------------------------------------------------------------------- */

/* Searches in a tree for the same bound in fewer plies than are known, until there is none or s->shorten is used up. */
enum pn_state pn_shorten(struct pn_solver *s, struct search_thread *w, uint64_t *nodes);

/* --- solver_progress.c --------------------------------------------------------------------- */

/* Publishes a thread's counters for pn_solver_progress; called by that thread, or when none searches. */
void pn_publish_counts(struct search_thread *w);

#endif
