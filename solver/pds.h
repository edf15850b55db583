/* PDS: level 1, proof- and disproof-number search over the table, with a level-2 tree search at its leaves (PDS-PN).
 * And df-pn, which differs in its thresholds alone (below).
 *
 * After Nagai's PDS and Winands, Uiterwijk and van den Herik, "PDS-PN: a new proof-number search algorithm", CG 2002
 * (section 4 and appendix). A node is left when both numbers reach its thresholds; the chosen child gets its own
 * numbers as thresholds, one of them raised by one. A child that is not in the table is evaluated by a level-2 search
 * of bounded size.
 *
 * Symbols of the paper: t[k] and t[1-k] are its phi and delta thresholds, num[k] and num[1-k] of a node its Phi and
 * Delta; a child's delta is the child's num[k], its phi num[1-k], with k the type of the parent (numbers.h). `floor` is
 * the running lower bound L.
 *
 * What is ours: a node is left, too, when one of its numbers has grown to many times its threshold (the option
 * patience), whatever the other is: the published rule stays below a move that has turned out hopeless until its easy
 * number has grown as well. Child numbers live in the frame, and the table only improves them (P3); children that are
 * over or won at once are seen when their parent is expanded; no recursion. With `to_the_letter` all that is as
 * published: children are read from the table at every turn, terminal positions are seen when expanded, and a node's
 * thresholds are stored before its loop. Only what the table has lost meanwhile stays in the frame there, too.
 *
 * A table that is too small loses what was searched below a node, and every time the search comes back there it begins
 * anew. Its frames keep it from going round for ever, but steps of one would take for ever all the same: epsilon
 * (below) grows with what was lost, and so does the budget of level 2. With nothing lost nothing changes; `paper` does
 * it only where the table has lost far more than it holds.
 *
 * df-pn (Nagai 2002) gives the child the largest thresholds that keep it the best choice: the runner-up's number and
 * one more, and its own share of what the node may spend; the root's are infinite, and a node is left when either of
 * its numbers reaches its threshold. With epsilon both searches come back less often: where one would be added to a
 * number, a share of it is (Pawlewicz and Lew, CG 2006). With the level-2 search at its leaves that is dfpn-pn.
 *
 * In games with cycles two things keep the search from running in circles, raising thresholds for ever (Kishimoto, AAAI
 * 2010). A node's sum is limited to the number of nodes made so far (question_limit_sums), because sums double at
 * every turn of a circle. And no frame is left unsolved before something came of it, a leaf evaluated or a node solved:
 * its thresholds are raised instead. Paths are finite, and on each path a node is solved at most once, so every search
 * ends if the table loses nothing.
 *
 * Where positions can come back (CYCLES.md), a child that stands on the path is solved at once, in every mode. What
 * leans on an ancestor is pending: taken as held on other paths too, leaning on the root, and verified before it
 * becomes a fact. Where that fails without anything new, it is kept under an identity made of the position and the
 * whole path to it. When a circle closes, `ghi_close_cycle` makes facts of it; now and then `ghi_settle` does, without
 * any path. */
#ifndef PN_PDS_H
#define PN_PDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "solver/cache.h"
#include "solver/fact_buffer.h"
#include "solver/ghi.h"
#include "solver/question.h"
#include "solver/solver.h"
#include "solver/tt.h"
#include "solver/group.h"
#include "solver/tree.h"

struct pds_child {
	struct pd_id id; /* of the position and claim */
	uint32_t num[2];
	game_move move;      /* in the parent's own frame */
	bool in_tt;          /* it was met before: recurse, do not evaluate */
	bool path_dependent; /* solved on this path: nothing that the table says of the position alone matters */
};

struct pds_frame {
	struct pd_id id;
	struct pd_id path; /* hash of the ids from the root to here; games with cycles only */
	uint64_t progress; /* of the team, or of a walker alone, when the frame was entered */
	uint64_t work;     /* nodes counted when the frame was entered, less the work that the table knew of */
	uint32_t first;    /* index of the first child in `children` */
	uint32_t count;
	uint32_t t[2];   /* thresholds: for pn and dn */
	uint32_t floor;  /* the paper's L */
	uint32_t picked; /* the child in work */
	uint8_t k;
};

enum pds_end {
	PDS_MORE,
	PDS_SOLVED,
	PDS_COLLECT,
	PDS_NO_MEMORY,
	PDS_DEPTH /* what is left open would need a longer path than there is room for */
};

struct pds {
	struct question question;
	const struct pn_options *options; /* borrowed */
	const struct pn_host *host;       /* borrowed; NULL: nothing is known */
	struct tt *tt;                    /* borrowed */
	struct tree *tree;                /* borrowed; NULL: one level only (pds) */
	struct cache *cache;              /* borrowed; NULL: none */
	struct fact_buffer *facts;        /* borrowed */
	struct search_group *group;       /* borrowed */
	uint64_t solved_seen;             /* of the team, as last seen */
	bool started;                     /* there are frames */
	bool knowledge;                   /* believe what the game knows beyond its rules */
	bool to_the_letter;
	bool dfpn;
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
	uint32_t root_num[2];
	game_move root_move; /* best move at the root, in its own frame; PD_NO_MOVE while unknown */
	uint64_t random;
	struct ghi ghi; /* graph history interaction */
};

/* False when memory cannot be had. The borrowed parts must be set in *pds before. */
bool pds_init(struct pds *pds);
void pds_fini(struct pds *pds);

/* Begins the search of a claim at `state`, which must not be over. */
bool pds_start(struct pds *pds, const struct question *question, const void *state);
/* Goes on for about `nodes` nodes of both levels, or until the team is halted; *nodes is lowered by what was used. */
enum pds_end pds_run(struct pds *pds, uint64_t *nodes);

/* The first of a team that was alone so far makes busy what it stands below; before the others walk. */
void pds_publish_path(struct pds *pds);
/* Gives up the search of the claim, and leaves nothing busy. */
void pds_drop(struct pds *pds);

static inline bool pds_cyclic(const struct pds *pds)
{
	return !pds->question.game->acyclic;
}

/* Something came of the search: a leaf was evaluated, a node met first or solved. */
static inline void pds_progress(struct pds *pds)
{
	pds->progress++;
	if (pds->group->several)
		__atomic_fetch_add(&pds->group->progress, 1, __ATOMIC_RELAXED);
}

/* What ghi.c and pds_child.c share. An entry for the table; a fact that was just found, for the cache (`move` in the
 * key's frame); whether the host has a fact that answers the claim, and its pair. */
void pds_store(struct pds *pds, struct pd_id id, const uint32_t num[2], uint64_t work, unsigned move, uint32_t depth);
void pds_cache_fact(struct pds *pds, struct pd_id position, const struct pd_reason *reason, unsigned move,
		    uint64_t effort);
bool pds_host_fact(struct pds *pds, const void *state, uint32_t num[2]);

/* The published fraction function, y = x f(x), f(x) = 1 / (1 + exp((a - x) / b)); x in entries, y in nodes. */
double pds_fraction(double x, double a, double b);
/* The level-2 budget beside that table, for a leaf with `children` moves at most. */
uint64_t pds_budget(const struct pn_options *options, const struct tt *table, uint64_t children);

#endif
