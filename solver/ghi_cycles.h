/* GHI cycles: path-dependent results of level 1, and how they become facts. ghi.h has the terms and the struct. */
#pragma once

#include "solver/pds.h"

/* `bytes`: memory for path-dependent results; when it is full they are forgotten. */
void ghi_init(struct ghi *ghi, size_t bytes);
void ghi_fini(struct ghi *ghi);
/* A claim is started: nothing is known of it. The path must be empty. */
void ghi_start(struct pds *pds);

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

/* Settles the path-dependent results when enough came in since the last time: the greatest subset whose members justify
 * each other (a greatest fixed point) becomes facts, whatever paths they were found on. */
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
