/* GHI: graph history interaction. solver/GHI.md is the long form, with an example and the literature.
 *
 * In a game with cycles a depth-first search meets positions that are on its own path already. It scores such a
 * repetition by the worth of infinite play, and that score is true on this path only; kept for the position it would be
 * wrong on other paths (Palay 1983, Campbell 1985). This module holds all that the solver does about it:
 *
 *   - which of the two outcomes can depend on a path at all, and how a pair of numbers says so (below);
 *   - detection of repetitions on the path of level 1 (ghi_child_on_path); level 2 (tree.c) detects its own;
 *   - path-dependent results: those found on another path, and the twin entries of one path (Kishimoto and Mueller,
 *     AAAI 2004; Information Sciences 175, 2005), which stand in the transposition table with the base entries;
 *   - proving them: closing a cycle (ghi_close_cycle) and settling (ghi_settle).
 *
 * F3, the rule of ranks, is stated here for the solver; store and checker refer to the same number.
 *
 *   Let infinite play be worth r to First, and the claim "First gets at least t". The outcome that infinite play does
 *   not give (the proof if t > r, the disproof otherwise) is *ranked*: its side must make progress. In an acyclic game
 *   both outcomes are ranked. The other outcome is *unranked*: infinite play suffices.
 *
 *   F3. A ranked fact has a rank: the plies within which the end of the game is reached. It may be justified by
 *       terminal positions and by facts of the same side with a smaller rank only. So justification ends.
 *       An unranked fact has no rank (PD_RANK_NONE) and may be justified by any facts of its side, itself included,
 *       as long as every fact of that set is justified by the set: no side then has to leave it.
 *
 * Numbers. The low 16 bits of an infinite number (num_rank) order results so that the mover takes the smallest and the
 * greatest reply counts. For a ranked outcome they are the rank in plies, below NUM_CUT_OFF. For an unranked one:
 *
 *       0                       the game is over
 *       NUM_ANY_PATH            true on every path
 *       NUM_PATH_DEPENDENT - d  depends on the node at depth d of the path, and on none above it
 *       NUM_CUT_OFF             nothing is known: the path could not be continued (of either outcome)
 *
 * A path-dependent pair stays with the search; the base entry of its position never holds it. It ends at the node that
 * it depends on: ghi_backup turns it to NUM_ANY_PATH there. */
#ifndef PN_GHI_H
#define PN_GHI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/assert.h"
#include "solver/ghi_pathdep.h"
#include "solver/question.h"

struct pds;
struct pds_child;

_Static_assert((int)NUM_PATH_DEPENDENT - GAME_CYCLIC_PLIES_MAX > (int)NUM_ANY_PATH, "every depth has a number");

/* --- pairs of numbers --------------------------------------------------------------------- */

/* Of a solved pair: it is true on this path only, or it was cut off. */
static inline bool ghi_num_path_dependent(const uint32_t num[2], bool ranked)
{
	return num_rank(num) >= (ranked ? NUM_CUT_OFF : NUM_ANY_PATH + 1u);
}

static inline bool ghi_path_dependent(const struct question *q, const uint32_t num[2])
{
	return ghi_num_path_dependent(num, q->ranked[num[0] != 0]);
}

/* The pair of a repetition of the position at that depth of the path. */
static inline void ghi_set_repetition(const struct question *q, uint32_t num[2], unsigned depth)
{
	PD_DEBUG_ASSERT(depth <= GAME_CYCLIC_PLIES_MAX);
	num_set_solved(num, !q->ranked[0], NUM_PATH_DEPENDENT - depth);
}

/* The pair of a position below which the path cannot be continued. */
static inline void ghi_set_cut_off(const struct question *q, uint32_t num[2])
{
	num_set_solved(num, !q->ranked[0], NUM_CUT_OFF);
}

/* A solved pair of an unranked outcome at depth `depth`: what depends on this node or on one below it depends on no
 * ancestor any more. */
static inline void ghi_num_close(uint32_t num[2], unsigned depth)
{
	unsigned rank = num_rank(num);
	PD_DEBUG_ASSERT(depth <= GAME_CYCLIC_PLIES_MAX);
	if (rank > NUM_ANY_PATH && rank <= NUM_PATH_DEPENDENT - depth)
		num[num[0] == 0] = PN_INF + NUM_ANY_PATH;
}

/* Backs up the numbers of a node at `depth` of the path from those of its children. k: question_kind of the node. */
static inline void ghi_backup(const struct question *q, struct num_sum *sum, unsigned k, unsigned depth,
			      uint32_t num[2])
{
	if (q->weak || sum->sum > q->sum_limit)
		num_sum_weaken(sum, q->weak ? 0 : q->sum_limit);
	num_sum_backup(sum, k, q->ranked, num);
	if (num_solved(num) && !q->ranked[num[0] != 0])
		ghi_num_close(num, depth);
}

/* --- level 1 ------------------------------------------------------------------------------ */

enum { GHI_PATH_SLOTS = 1024 };

/* One search thread's state; of cyclic games only. */
struct ghi {
	struct ghi_pathdep results; /* path-dependent results of the claim, to be proved */
	bool provisional;           /* they are used on other paths, too, and verified at the root; else twin entries
				       tell paths apart */
	uint64_t repaired_at;       /* facts found when the verification at the root last failed */
	uint64_t replaced_at;       /* entries that the transposition table had replaced when the claim began */
	unsigned repairs;           /* how often the verification failed */
	uint32_t settled_at;        /* results there were when they were last settled */
	uint16_t on_path[GHI_PATH_SLOTS]; /* frames on the path by the low bits of their id: most children are not on
					     it, and cost one look */
};

/* `bytes`: memory for path-dependent results; when it is full they are forgotten. */
void ghi_init(struct ghi *ghi, size_t bytes);
void ghi_fini(struct ghi *ghi);
/* A claim is started: nothing is known of it. The path must be empty. */
void ghi_start(struct pds *pds);

static inline void ghi_path_enter(struct ghi *ghi, struct pd_id id)
{
	uint16_t *slot = &ghi->on_path[id.lo % GHI_PATH_SLOTS];
	PD_DEBUG_ASSERT(*slot < UINT16_MAX);
	++*slot;
}

static inline void ghi_path_leave(struct ghi *ghi, struct pd_id id)
{
	uint16_t *slot = &ghi->on_path[id.lo % GHI_PATH_SLOTS];
	PD_DEBUG_ASSERT(*slot > 0);
	--*slot;
}

/* False: no frame of the path has that id. */
static inline bool ghi_maybe_on_path(const struct ghi *ghi, struct pd_id id)
{
	return ghi->on_path[id.lo % GHI_PATH_SLOTS] > 0;
}

/* The name of a twin entry: a position together with the path to it. `path` is its parent's. */
static inline struct pd_id ghi_twin_id(struct pd_id path, struct pd_id id)
{
	struct pd_id both[2] = {path, id};
	return pd_id_of(both, sizeof both, 1);
}

/* Each sets the numbers of a child of the innermost frame and returns true, or returns false.
 * The child is a repetition of a node on the path, or the path can get no longer. */
bool ghi_child_on_path(struct pds *pds, struct pds_child *child);
/* It has a path-dependent result from another path; here that depends on the root, where it is verified. */
bool ghi_child_provisional(struct pds *pds, struct pds_child *child);
/* It has a twin entry: it was solved on this very path before. */
bool ghi_child_twin(struct pds *pds, struct pds_child *child);

/* The innermost frame's node has a path-dependent pair: keeps it. `move`: of the node, in the key's frame, or
 * PD_NO_MOVE when every move is answered. */
void ghi_keep(struct pds *pds, const uint32_t num[2], uint64_t work, unsigned move);

/* The innermost frame's node, `id`, is solved with an unranked outcome that depends on no ancestor: the path-dependent
 * results that justify it become facts together with it, if each is justified one ply down by facts and by the others.
 * False if not. `move` is the node's, in its own frame; PD_NO_MOVE: all. The node itself is left to the caller. */
bool ghi_close_cycle(struct pds *pds, struct pd_id id, const uint32_t num[2], game_move move);

/* Looks at all path-dependent results together: the greatest subset whose members justify each other (a greatest fixed
 * point) becomes facts, whatever paths they were found on. */
void ghi_settle(struct pds *pds);
/* The same when enough results came in since the last time. */
void ghi_settle_when_due(struct pds *pds);

/* True, once, when the transposition table has begun to replace entries: provisional results would be verified again
 * and again, so from here on twin entries tell paths apart. The caller searches again from the root. */
bool ghi_provisional_ended(struct pds *pds);
/* The pair of the root rests on provisional results and must be verified with ghi_close_cycle. */
bool ghi_must_verify_root(const struct pds *pds, const uint32_t num[2]);
/* That failed. Provisional results are given up when it happens too often, or without a new fact since the last time.
 * The caller searches again from the root. */
void ghi_root_refuted(struct pds *pds);
/* Before the search is started again from the root: settles, and forgets what is left. */
void ghi_forget(struct pds *pds);

#endif
