/* Search: a bounded proof-number search on the checker's own rules, for reasons that have an effort.
 *
 * The plainest there is: a tree of nodes with pointers, best first, sums and minima all the way up after every step.
 * The sub-tree of a solved node is freed. A bound counts as found when it is reached within so many plies; where those
 * are used up it is not. On the way the records of the file are taken for known where they may be (CERTIFICATE.md):
 * with a smaller rank than the reason that is being checked. So whatever the search accepts follows, by induction over
 * the ranks, from the rules alone, however wrong the file is.
 *
 * A position that stands on the way to itself is taken for refuted: who can reach the bound at all can do so without
 * coming back. */
#ifndef CK_SEARCH_H
#define CK_SEARCH_H

#include "clients/proofcheck/view.h"

enum ck_answer { CK_FOUND, CK_REFUTED, CK_GAVE_UP, CK_STOPPED, CK_NO_MEMORY };

struct ck_question {
	const struct ck_game *game;
	const struct ck_cert *cert;
	const struct ck_position *position;
	bool upper;
	int64_t bound;
	uint64_t rank;           /* plies; at least 1 */
	uint64_t nodes;          /* give up after so many */
	bool (*stop)(void *ctx); /* asked now and then: true ends the search with CK_STOPPED */
	void *ctx;
};

/* The nodes that a search for a reason of that effort may take. */
uint64_t ck_search_limit(uint64_t effort);

/* Searches. *nodes is how many it took. */
enum ck_answer ck_search(const struct ck_question *q, uint64_t *nodes);

#endif
