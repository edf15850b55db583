/* GHI cycles: path-dependent results of level 1, and how they become facts. ghi.h has the terms and the struct. */
#pragma once

#include "solver/pds.h"

/* `bytes`: memory for path-dependent results; when it is full, all of them are dropped. */
void ghi_init(struct ghi *ghi, size_t bytes);
void ghi_fini(struct ghi *ghi);
/* Starts a claim: drops all path-dependent results. The path must be empty. */
void ghi_start(struct pds *pds);

/* The three functions below look at a child of the innermost frame. When their condition holds, they set the child's
 * numbers and return true. Here: the child repeats a node on the path, or dominates one for the side that infinite play
 * serves and is not over; or the path has reached its greatest length. `state`, `place` and the key are the child's. */
bool ghi_child_on_path(struct pds *pds, struct pds_child *child, const void *state, const struct dominance_place *place,
		       const uint8_t *key, size_t size);
/* The child has a path-dependent result from another path. On this path the result counts as depending on the root,
 * where it is verified. */
bool ghi_child_provisional(struct pds *pds, struct pds_child *child);
/* The child has a twin entry: it was solved on this same path before. */
bool ghi_child_twin(struct pds *pds, struct pds_child *child);

/* Keeps the path-dependent pair of the innermost frame's node. `move`: the move that gives the result, in the key's
 * frame, or PD_NO_MOVE when every move is answered. */
void ghi_keep(struct pds *pds, const uint32_t num[2], uint64_t work, unsigned move);

/* The innermost frame's node, `id`, is solved with an unranked outcome that depends on no ancestor. Makes facts of the
 * path-dependent results that justify it, if each of them is justified one ply down by facts and by the others; else
 * returns false. `move` is the node's move, in its own frame; PD_NO_MOVE: all moves. The caller records the fact of the
 * node itself. */
bool ghi_close_cycle(struct pds *pds, struct pd_id id, const uint32_t num[2], game_move move);

/* Settles the path-dependent results when enough were added since the last time: the greatest subset whose members
 * justify each other (a greatest fixed point) becomes facts, whatever paths they were found on. */
void ghi_settle_when_due(struct pds *pds);

/* True, once, when the transposition table has begun to replace entries. Provisional results would then be verified
 * again and again, so from now on twin entries distinguish paths. The caller searches again from the root. */
bool ghi_provisional_ended(struct pds *pds);
/* Whether the root's pair rests on provisional results, so that it must be verified with ghi_close_cycle. */
bool ghi_must_verify_root(const struct pds *pds, const uint32_t num[2]);
/* Call when that verification failed. Provisional results are given up when it fails too often, or without a new fact
 * since the last time. The caller searches again from the root. */
void ghi_root_refuted(struct pds *pds);
/* Settles the path-dependent results and drops the rest, before the search starts again from the root. */
void ghi_forget(struct pds *pds);
