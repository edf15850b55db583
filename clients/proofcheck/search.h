/* Search: proof-number search on the checker's own rules, for reasons that have an effort.
 *
 * Plain best-first PN search (Allis 1994), node for node as proto/CERTIFICATE.md describes it: a tree of nodes with
 * pointers, and numbers updated up to the root after every expansion. The sub-tree of a solved node is freed. The bound
 * must be reached within `rank` plies; a node at that depth without the bound is refuted. A record of the file counts
 * as known if its rank plus the plies that lead to it is at most `rank` (F3), and in formats with cards so does a bound
 * that a theorem gives within the plies that are left. So a bound that the search accepts follows from the rules by
 * induction over the ranks, within `rank` plies, even if the file is wrong.
 *
 * A position that repeats one on its path is refuted: a player who can force the bound can do so without a
 * repetition. */
#pragma once

#include "clients/proofcheck/view.h"

enum ck_answer { CK_FOUND, CK_REFUTED, CK_GAVE_UP, CK_STOPPED, CK_NO_MEMORY };

struct ck_question {
	const struct ck_game *game;
	const struct ck_cert *cert;
	const struct ck_position *position;
	bool upper;
	int64_t bound;
	uint64_t rank;           /* plies; at least 1 */
	uint64_t nodes;          /* limit */
	bool (*stop)(void *ctx); /* called regularly; returning true ends the search with CK_STOPPED; may be NULL */
	void *ctx;
};

/* The node limit of a search for a reason of that effort. */
uint64_t ck_search_limit(uint64_t effort);

/* Runs the search. *nodes is the number of nodes it created. */
enum ck_answer ck_search(const struct ck_question *q, uint64_t *nodes);
