/* Record: whether the reasons of one position hold.
 *
 * A judge belongs to one thread. For a record it looks at the position's moves and at what is known behind each of
 * them, once, however many reasons there are. */
#ifndef CK_RECORD_H
#define CK_RECORD_H

#include "clients/proofcheck/view.h"

struct ck_child {
	struct ck_position position;
	struct ck_view view;
	uint16_t move;
	bool looked; /* view is filled in */
};

struct ck_judge {
	const struct ck_game *game;
	const struct ck_cert *cert;
	bool (*stop)(void *ctx); /* for searches; may be NULL */
	void *ctx;
	uint64_t searched; /* nodes of searches so far */
	struct ck_position position;
	unsigned children;
	uint16_t moves[CK_MOVES_MAX];
	struct ck_child child[CK_MOVES_MAX];
};

enum ck_finding { CK_GOOD, CK_BAD, CK_STOP, CK_MEMORY };

/* Checks the record; `end` is the end of its block. Unless the answer is CK_GOOD or CK_STOP, *fault says what is wrong.
 */
enum ck_finding ck_judge_record(struct ck_judge *judge, const struct ck_record *record, const uint8_t *end,
				struct ck_fault *fault);

#endif
