/* PDS: level 1, depth-first proof- and disproof-number search over the transposition table, with a best-first PN search
 * at its leaves (PDS-PN). df-pn is the same loop with other thresholds (pds_policy.h).
 *
 * After Nagai's PDS and Winands, Uiterwijk and van den Herik, "PDS-PN: a new proof-number search algorithm", CG 2002
 * (section 4 and appendix). A node is left when both numbers reach its thresholds; the chosen child gets its own
 * numbers as thresholds, one of them raised by one. A child that is not in the table is evaluated by a level-2 search
 * of bounded size. df-pn (Nagai 2002) gives the child the largest thresholds that keep it the best choice: the second
 * best number plus one, and what its siblings leave of the node's own allowance; the root's are infinite, and a node is
 * left when either number reaches its threshold. With epsilon > 0 thresholds rise by a share of a number instead of by
 * one (1+epsilon trick: Pawlewicz and Lew, CG 2006), so that the search returns to a node less often.
 *
 * Symbols of the paper: t[k] and t[1-k] are its phi and delta thresholds, num[k] and num[1-k] of a node its Phi and
 * Delta; a child's delta is the child's num[k], its phi num[1-k], with k the type of the parent (numbers.h). `floor` is
 * the running lower bound L.
 *
 * Beyond the published form: `patience` (pds_thresholds.c). Child numbers live in the frame, and the table only
 * improves them (P3). Terminal children and immediate wins are recognized when their parent is expanded. No recursion.
 * The policy `paper` does without all that but P3.
 *
 * A table that is too small loses sub-trees, and the search begins them again each time it returns. The frames keep it
 * from alternating between two children for ever, but steps of one would take too long: epsilon and the level-2 budget
 * grow with what was lost. As long as nothing is lost nothing changes.
 *
 * In games with cycles two rules keep thresholds from rising without progress (after Kishimoto, AAAI 2010). A node's
 * sum is trusted only up to the number of nodes made so far (question_limit_sums), because sums double at every turn of
 * a cycle. And a frame is not left unsolved before a leaf was evaluated or a node solved below it: its thresholds are
 * raised instead. Paths are finite, and a node is solved at most once on each path, so every search ends if the table
 * loses nothing.
 *
 * Graph history interaction (GHI.md): a child that stands on the path is solved at once. What depends on an ancestor is
 * path-dependent: taken as solved on other paths too, depending on the root, and verified before it becomes a fact.
 * Where that fails and nothing new was found, it is kept under an identity made of the position and the whole path to
 * it. When a cycle closes, `ghi_close_cycle` makes facts of it; at intervals `ghi_settle` does, without any path. */
#ifndef PN_PDS_H
#define PN_PDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "solver/cache.h"
#include "solver/engine.h"
#include "solver/fact_buffer.h"
#include "solver/ghi.h"
#include "solver/group.h"
#include "solver/hints.h"
#include "solver/pds_policy.h"
#include "solver/remote.h"
#include "solver/search.h"
#include "solver/tree.h"
#include "solver/tt.h"

struct pds_child {
	struct pd_id id; /* of the position and claim */
	uint32_t num[2];
	game_move move;      /* in the parent's own frame */
	bool in_tt;          /* it was searched before: recurse, do not evaluate */
	bool path_dependent; /* solved on this path only: the table's entry for the position says nothing about it */
};

struct pds_frame {
	struct pd_id id;
	struct pd_id path; /* hash of the ids from the root to here; games with cycles only */
	uint64_t progress; /* of the group, or of a single thread, when the frame was entered */
	uint64_t work;     /* nodes counted when the frame was entered, less the work that the table knew of */
	uint32_t first;    /* index of the first child in `children` */
	uint32_t count;
	uint32_t t[2];   /* thresholds: for pn and dn */
	uint32_t floor;  /* the paper's L */
	uint32_t picked; /* the child in work */
	uint32_t known;  /* the work that the table knew of */
	uint8_t k;       /* node type: 0 OR, 1 AND */
	bool hinted;     /* its children wait behind those that hints name */
};

/* Leaves that are searched elsewhere (remote.h). */
struct pds_away {
	uint64_t serial; /* of the one that is out; 0: none */
	uint64_t budget; /* its nodes */
	uint64_t nodes;  /* searched elsewhere so far */
	bool brought;    /* `result` is that leaf's */
	struct pn_leaf_result result;
};

struct pds {
	struct question question;
	const struct pn_options *options; /* borrowed */
	const struct pds_policy *policy;  /* borrowed */
	const struct pn_host *host;       /* borrowed; NULL: nothing is known */
	struct tt *tt;                    /* borrowed */
	struct tree *tree;                /* borrowed; NULL: one level only (pds), or leaves are searched elsewhere */
	struct pds_away *away;            /* borrowed; NULL: no leaf is searched elsewhere */
	struct cache *cache;              /* borrowed; NULL: none */
	struct fact_buffer *facts;        /* borrowed */
	struct search_group *group;       /* borrowed */
	const struct hints *hints;        /* borrowed; NULL: none */
	uint64_t solved_seen;             /* the group's count of solved positions, as last seen */
	bool started;                     /* there are frames */
	bool knowledge;                   /* use what the game knows beyond its rules (static solve) */
	double epsilon;
	struct pds_frame *frames;   /* owned */
	uint8_t *states;            /* owned; one a frame, and one behind for a child */
	struct pds_child *children; /* owned; of all frames, one behind the other */
	size_t stride;
	uint32_t depth, depth_max;
	uint32_t children_count, children_capacity;
	game_move *moves;       /* owned; 2 moves_max: of the node, and for looking at a child's */
	bool evaluating;        /* the level-2 search of the picked child is under way */
	uint64_t expansions;    /* level-1 nodes */
	uint64_t progress;      /* leaves evaluated and nodes solved */
	uint32_t level2_budget; /* of the latest evaluation */
	uint64_t level2_start;  /* tree nodes when it began */
	uint32_t root_num[2];   /* of the root, when it was last left or entered */
	game_move root_move;    /* best move at the root, in its own frame; PD_NO_MOVE while unknown */
	uint64_t random;
	struct ghi ghi; /* graph history interaction */
};

/* False when memory cannot be had. Set the borrowed parts, `knowledge` and question.game in *pds before. */
bool pds_init(struct pds *pds);
void pds_fini(struct pds *pds);

/* Begins the search of a claim at `state`, which must not be terminal. False when memory cannot be had. */
bool pds_start(struct pds *pds, const struct question *question, const void *state);
/* Searches for about *nodes nodes of both levels, or until the group is halted; lowers *nodes by what was used. */
enum pn_engine_end pds_run(struct pds *pds, uint64_t *nodes);
/* The root's numbers as they follow from the frames: each node's from its children's, from the innermost frame up. And
 * its most promising move, PD_NO_MOVE for none. */
void pds_numbers(const struct pds *pds, uint32_t num[2], game_move *leading);
/* What the frames hold of a position (engine.h). */
bool pds_see(const struct pds *pds, const struct pn_way *way, struct pn_sight *out);

/* Adds the virtual proof numbers of the path, for a search that was alone until now; before other threads search. */
void pds_publish_path(struct pds *pds);
/* The position has become solved in the table. Where it is a child on the path, the search goes on from the highest
 * such place. */
void pds_learn(struct pds *pds, const struct pn_learnt *learnt);
/* Gives up the search of the claim and takes back its virtual proof numbers. */
void pds_drop(struct pds *pds);

/* --- shared by pds*.c and ghi*.c ----------------------------------------------------------- */

static inline void *pds_state(const struct pds *pds, uint32_t depth)
{
	return pds->states + depth * pds->stride;
}

/* The child in work of a frame. */
static inline struct pds_child *pds_picked(const struct pds *pds, const struct pds_frame *f)
{
	return &pds->children[f->first + f->picked];
}

static inline bool pds_cyclic(const struct pds *pds)
{
	return !pds->question.game->acyclic;
}

/* Leaves are evaluated by a level-2 search, here or elsewhere. */
static inline bool pds_has_level2(const struct pds *pds)
{
	return pds->tree || pds->away;
}

/* Nodes of both levels since the start. */
static inline uint64_t pds_nodes(const struct pds *pds)
{
	return pds->expansions + (pds->tree ? pds->tree->generated : pds->away ? pds->away->nodes : 0);
}

/* Counts progress: a leaf evaluated, a node met for the first time or solved. */
static inline void pds_progress(struct pds *pds)
{
	pds->progress++;
	if (pds->group->several)
		__atomic_fetch_add(&pds->group->progress, 1, __ATOMIC_RELAXED);
}

/* Progress of all threads: where another made some, numbers may have grown under a frame that made none itself. */
static inline uint64_t pds_progress_of_group(const struct pds *pds)
{
	return pds->group->several ? __atomic_load_n(&pds->group->progress, __ATOMIC_RELAXED) : pds->progress;
}

/* Stores an entry in the table. `move` is in the key's frame, as below. */
void pds_store(struct pds *pds, struct pd_id id, const uint32_t num[2], uint64_t work, unsigned move, uint32_t depth);
/* Puts a new fact into the cache, too. */
void pds_cache_fact(struct pds *pds, struct pd_id position, const struct pd_reason *reason, unsigned move,
		    uint64_t effort);
/* Whether the host has a fact that answers the claim; `num` is then the solved pair. */
bool pds_host_fact(struct pds *pds, const void *state, uint32_t num[2]);
/* True when the table has the position's claim solved on every path. */
bool pds_solved_entry(const struct pds *pds, struct pd_id id, struct pn_entry *e);

/* --- pds_hints.c ---------------------------------------------------------------------------- */

/* Of a frame that was just entered: where hints name children that are open, the others wait (f->hinted). */
void pds_follow_hints(struct pds *pds, struct pds_frame *f);
/* Of such a frame: when no child that a hint names is open any more, or all have become hard, the others wait no
 * longer. */
void pds_check_hints(struct pds *pds, struct pds_frame *f);

/* --- shared by pds_loop.c and pds_result.c ------------------------------------------------------ */

/* Gives up the frames from the innermost up to `depth`, that one included. */
void pds_release(struct pds *pds, uint32_t depth);
/* The innermost frame's node is left with these numbers, `best` the child that they come from: they go to the table
 * and, when solved, become a fact. */
void pds_leave(struct pds *pds, const struct pds_frame *f, const uint32_t num[2], uint32_t best);
/* Back to the parent, with the numbers of the node that was left. */
void pds_pop(struct pds *pds, const uint32_t num[2]);
/* Begins the level-2 search of the picked child, whose position stands behind the frame's. */
void pds_begin_evaluation(struct pds *pds);
/* The evaluation of the picked child, whose work it was, has ended with these numbers; `move` in the key's frame. */
void pds_end_evaluation(struct pds *pds, const uint32_t num[2], uint64_t work, unsigned move);
/* Goes on with it. False when the quota is used up. */
bool pds_evaluate(struct pds *pds, uint64_t *nodes);
/* Looks whether another thread has solved a position on the path. True when one was: the search goes on above the
 * highest of them, or has ended. */
bool pds_cut_off(struct pds *pds, enum pn_engine_end *end);

/* --- pds_away.c ------------------------------------------------------------------------------ */

/* The picked child becomes a leaf that is searched elsewhere, with at least `budget` nodes. */
void pds_send_away(struct pds *pds, uint64_t budget);
/* Takes the result, if it was brought, or looks whether the leaf is of no use any more. PN_ENGINE_AWAY: neither. */
enum pn_engine_end pds_await(struct pds *pds);
bool pds_leaf(const struct pds *pds, struct pn_leaf_task *out);
bool pds_bring(struct pds *pds, const struct pn_leaf_result *result);

#endif
