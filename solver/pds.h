/* PDS: level 1, depth-first proof- and disproof-number search over the transposition table, with a best-first PN
 * search at its leaves (PDS-PN). This is the engine `pds`. df-pn is the same loop with other thresholds (pds_policy.h).
 *
 * After Nagai's PDS and Winands, Uiterwijk and van den Herik, "PDS-PN: a new proof-number search algorithm", CG 2002
 * (section 4 and appendix): a node is left when both numbers reach its thresholds; the chosen child gets its own
 * numbers as thresholds, one of them raised by one; a child that is not in the table is evaluated by a level-2 search
 * of bounded size. df-pn (Nagai 2002): the root's thresholds are infinite, a node is left when either number reaches
 * its threshold, and a child gets the largest thresholds that keep it the best choice. With epsilon > 0 thresholds rise
 * by a share of a number instead of by one (1+epsilon trick: Pawlewicz and Lew, CG 2006).
 *
 * Symbols of the paper: t[k] and t[1-k] are its phi and delta thresholds, num[k] and num[1-k] of a node its Phi and
 * Delta. A child's delta is the child's num[k], its phi num[1-k], where k is the parent's type (numbers.h). `floor` is
 * the running lower bound L.
 *
 * Beyond the published form, except in the policy `paper`: `patience` (pds_policy.c); terminal children and immediate
 * wins are recognized when their parent is expanded; epsilon and the level-2 budget grow with what the table has lost.
 * In all policies child numbers stay in the frame and the table only improves them (P3), and there is no recursion.
 * Games with cycles: GHI.md, section "Termination". */
#pragma once

#include "solver/dominance.h"
#include "solver/engine.h"
#include "solver/group.h"
#include "solver/tree.h"
#include "solver/tt.h"

struct pds_hands;
struct pds_links;

struct pds_child {
	struct pd_id id; /* of the position and claim */
	uint32_t num[2];
	game_move move;      /* in the parent's own frame */
	uint8_t cost[2];     /* of the move, for each number; 0 except in df-pn+ (pds_plus.c) */
	uint8_t alike;       /* class of the move; 0: like no other (pds_alike.h) */
	bool in_tt;          /* it was searched before: recurse, do not evaluate */
	bool path_dependent; /* solved on this path only: the table's entry for the position says nothing about it */
	bool merged;         /* it shares leaves with others that are: their greatest number counts (pds_snda.c) */
};

struct pds_frame {
	struct pd_id id;
	struct dominance_place place; /* without dominance `id` and 0 */
	struct pd_id path;            /* hash of the ids from the root to here; games with cycles only */
	uint64_t progress;            /* of the group, or of a single thread, when the frame was entered */
	uint64_t work;  /* nodes counted when the frame was entered, less the work that the table knew of */
	uint32_t first; /* index of the first child in `children` */
	uint32_t count;
	uint32_t t[2];   /* thresholds: for pn and dn */
	uint32_t floor;  /* the paper's L */
	uint32_t picked; /* the child being searched */
	uint32_t known;  /* the work that the table knew of */
	uint16_t behind; /* in its chain of ghi.on_path */
	uint8_t k;       /* node type: 0 OR, 1 AND */
	bool raised;     /* its thresholds were raised, or those of a frame above, because it has old children */
	bool entered;    /* no turn was taken yet; both are of pds_tca.c */
	bool hinted;     /* its children wait behind those that hints name */
	bool merged;     /* it has merged children */
	bool alike;      /* children may wait for others (pds_alike.h) */
	bool answered;   /* the picked child was just solved, and its siblings were not tried yet (pds_similar.h) */
};

/* The evaluation of a leaf: of the picked child of the innermost frame, whose position stands behind the frame's
 * (pds_leaf.h). */
struct pds_leaf {
	bool evaluating;      /* one is under way */
	uint32_t budget;      /* nodes; of the latest one */
	uint64_t start;       /* nodes of `tree` when it began; while it is under way, and not elsewhere */
	uint32_t second;      /* the least number of its siblings when it was chosen; PN_INF and more: none is open */
	struct tree *tree;    /* level 2; NULL: one level only */
	bool borrowed;        /* `tree` is another search's, which does not search while a leaf is evaluated here */
	bool in_tree;         /* `tree` searches the leaf now */
	bool remote;          /* leaves are searched by other processes (remote.h); the rest is for these */
	bool looked;          /* a few nodes of the leaf were searched here */
	bool delivered;       /* `result` belongs to the leaf that is out */
	uint64_t serial;      /* of the leaf that is out; 0: none */
	uint64_t task_budget; /* nodes of that leaf */
	unsigned look_budget; /* nodes that are searched here first */
	struct pn_leaf_rival task_rival; /* what its siblings are worth */
	uint64_t nodes;                  /* of the leaves that were evaluated so far, here or elsewhere */
	struct pn_leaf_result result;
};

/* The root, as seen from outside. */
struct pds_root {
	uint32_t num[2]; /* when it was last left or entered */
	game_move move;  /* the best one, in its own frame; PD_NO_MOVE while unknown */
};

/* Where several searches take turns on one thread, or keep their own numbers (pds_walkers.h). */
struct pds_turn {
	bool taken;                /* a run ends with each leaf that was evaluated */
	bool over;                 /* it did; cleared by the walkers */
	bool shares;               /* what others of the solver have solved, though it keeps its own numbers */
	uint64_t name_space;       /* of its entries; 0: the common one */
	struct pn_options options; /* of a search that keeps its own numbers */
};

struct pds_counts {
	uint64_t expansions; /* level-1 nodes */
	uint64_t made;       /* their children */
	uint64_t progress;   /* leaves evaluated and nodes solved */
};

/* One search thread's level 1. Owned by the solver's search_thread; one thread at a time runs it. */
struct pds {
	struct pn_engine engine; /* first */
	struct question question;
	const struct pn_options *options; /* borrowed, as all pointers down to `hints` */
	const struct pds_policy *policy;
	const struct pn_host *host; /* NULL: nothing is known */
	struct tt *tt;
	struct cache *cache; /* NULL: none */
	struct fact_buffer *facts;
	struct search_group *group;
	const struct hints *hints; /* NULL: none */
	bool knowledge;            /* static solves count */
	bool started;              /* there are frames */
	struct pds_turn turn;      /* of walkers */
	struct pds_links *links;   /* owned; NULL: sums are plain ones */
	struct pds_hands *hands;   /* owned; NULL: open positions say nothing of others */
	uint64_t solved_seen;      /* the group's count of solved positions when last read */
	struct pds_frame *frames;  /* owned */
	uint8_t *states;           /* owned; one a frame, and one more for a child */
	size_t stride;             /* bytes between states */
	uint32_t depth, depth_max;
	struct pds_child *children; /* owned; those of all frames, one frame after the other */
	uint32_t children_count, children_capacity;
	game_move *moves; /* owned; 4 moves_max: of the node, for looking at a child's, and costs (PDS_COSTS) */
	struct pds_counts counts;
	struct pds_root root;
	uint64_t random; /* state of the generator that shuffles moves */
	struct ghi ghi;
	struct pds_leaf leaf;
};

static inline void *pds_state(const struct pds *pds, uint32_t depth)
{
	return pds->states + depth * pds->stride;
}

/* The child of a frame that is being searched. */
static inline struct pds_child *pds_picked(const struct pds *pds, const struct pds_frame *f)
{
	return &pds->children[f->first + f->picked];
}

enum { PDS_COSTS = 2 }; /* pds->moves from PDS_COSTS * moves_max on are pairs of costs */

/* The numbers of a child as its parent counts them: `own`; or, if its move has costs and the child is open, `own` plus
 * the costs, in `sum`. */
static inline const uint32_t *pds_read_child(const struct pds_child *c, const uint32_t own[2], uint32_t sum[2])
{
	if (!(c->cost[0] | c->cost[1]) || num_solved(own))
		return own;
	for (unsigned i = 0; i < 2; i++)
		sum[i] = num_clamp((uint64_t)own[i] + c->cost[i]);
	return sum;
}

static inline bool pds_cyclic(const struct pds *pds)
{
	return !pds->question.game->acyclic;
}

/* Whether positions are also known by their board and order part (dominance.h). */
static inline bool pds_has_places(const struct pds *pds)
{
	return pds->cache && pds->cache->dominance;
}

/* Whether there are other searches whose solved positions count here. */
static inline bool pds_in_company(const struct pds *pds)
{
	return pds->group->several || pds->turn.shares;
}

/* The name of a claim in the common name space, from that in the search's own; and the other way round. */
static inline struct pd_id pds_other_name(const struct pds *pds, struct pd_id id)
{
	id.lo ^= pds->turn.name_space;
	return id;
}

/* Leaves are evaluated by a level-2 search, here or elsewhere. */
static inline bool pds_has_level2(const struct pds *pds)
{
	return pds->leaf.tree;
}

/* Nodes of the leaf that is being evaluated here. */
static inline uint64_t pds_leaf_nodes(const struct pds *pds)
{
	return pds->leaf.in_tree ? pds->leaf.tree->generated - pds->leaf.start : 0;
}

/* Nodes of both levels since the start. */
static inline uint64_t pds_nodes(const struct pds *pds)
{
	return pds->counts.expansions + pds->leaf.nodes + pds_leaf_nodes(pds);
}

/* Counts progress: a leaf evaluated, a node met for the first time or solved. */
static inline void pds_progress(struct pds *pds)
{
	pds->counts.progress++;
	if (pds->group->several)
		atomic_fetch_add_explicit(&pds->group->progress, 1, memory_order_relaxed);
}

/* Progress of all threads: where another made some, numbers may have grown under a frame that made none itself. */
static inline uint64_t pds_progress_of_group(const struct pds *pds)
{
	return pds->group->several ? atomic_load_explicit(&pds->group->progress, memory_order_relaxed)
				   : pds->counts.progress;
}
