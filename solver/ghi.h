/* GHI: graph history interaction; GHI.md explains it, with an example and the literature.
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
 * Numbers. The low 16 bits of an infinite number (num_rank) order results: the mover takes the smallest, and of the
 * replies the greatest counts. For a ranked outcome they are the rank in plies, below NUM_CUT_OFF. For an unranked one:
 *
 *       0                       the game is over
 *       NUM_ANY_PATH            true on every path
 *       NUM_PATH_DEPENDENT - d  depends on the node at depth d of the path, and on none above it
 *       NUM_CUT_OFF             nothing is known: the path could not be continued (of either outcome)
 *
 * A path-dependent pair stays with the search; the base entry of its position never holds it. It ends at the node that
 * it depends on: there ghi_backup changes it to NUM_ANY_PATH. */
#pragma once

#include "solver/ghi_pathdep.h"
#include "solver/question.h"

_Static_assert((int)NUM_PATH_DEPENDENT - GAME_CYCLIC_PLIES_MAX > (int)NUM_ANY_PATH, "every depth has a number");

/* --- pairs of numbers --------------------------------------------------------------------- */

/* Whether a solved pair is true on this path only, or was cut off. */
static inline bool ghi_num_path_dependent(const uint32_t num[2], bool ranked)
{
	return num_rank(num) >= (ranked ? NUM_CUT_OFF : NUM_ANY_PATH + 1u);
}

static inline bool ghi_path_dependent(const struct question *q, const uint32_t num[2])
{
	return ghi_num_path_dependent(num, q->ranked[num[0] != 0]);
}

/* Sets the pair of a repetition of the position at that depth of the path. */
static inline void ghi_set_repetition(const struct question *q, uint32_t num[2], unsigned depth)
{
	PD_DEBUG_ASSERT(depth <= GAME_CYCLIC_PLIES_MAX);
	num_set_solved(num, !q->ranked[0], NUM_PATH_DEPENDENT - depth);
}

/* Sets the pair of a position below which the path cannot be continued. */
static inline void ghi_set_cut_off(const struct question *q, uint32_t num[2])
{
	num_set_solved(num, !q->ranked[0], NUM_CUT_OFF);
}

/* Updates a solved pair of an unranked outcome at `depth`: a result that depends on this node or on one below it
 * depends on no ancestor. */
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

enum { GHI_PATH_SLOTS = 2048 };

/* One search thread's state, in cyclic games only. */
struct ghi {
	struct ghi_pathdep results; /* path-dependent results of the claim, which may become facts */
	bool provisional;     /* results are used on other paths and verified at the root; else twin entries are used */
	uint64_t repaired_at; /* facts found when the verification at the root last failed */
	uint64_t replaced_at; /* entries that the transposition table had replaced when the claim began */
	unsigned repairs;     /* how often the verification failed */
	uint32_t settled_at;  /* number of results after the last settling */
	/* Chains of frames on the path, by the low bits of their place: 1 + the depth of the innermost one. */
	uint16_t on_path[GHI_PATH_SLOTS];
};

static inline uint16_t *ghi_path_slot(struct ghi *ghi, struct pd_id place)
{
	return &ghi->on_path[place.lo % GHI_PATH_SLOTS];
}

/* The identity of a twin entry: a position together with the path to it. `path` is the path hash of its parent. */
static inline struct pd_id ghi_twin_id(struct pd_id path, struct pd_id id)
{
	struct pd_id both[2] = {path, id};
	return pd_id_of(both, sizeof both, 1);
}
