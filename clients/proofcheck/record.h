/* Record: checks that each reason of a record follows (proto/CERTIFICATE.md).
 *
 * The rule of ranks (F3), as the checker states it, is in ck_view_has and ck_search: a reason with a rank rests only on
 * reasons with a smaller rank, so the proof holds by induction over the ranks; a reason without a rank may rest on any
 * reason, because infinite play gives its bound as well.
 *
 * A judge belongs to one thread. It generates the moves of the position and looks up each child at most once, for all
 * reasons of the record. */
#pragma once

#include "clients/proofcheck/strategy_play.h"
#include "clients/proofcheck/table_check.h"
#include "clients/proofcheck/view.h"

struct ck_child {
	struct ck_position position;
	struct ck_view view;
	uint16_t move;
	bool looked; /* `view` is valid */
};

struct ck_judge {
	const struct ck_game *game;
	const struct ck_cert *cert;
	bool (*stop)(void *ctx); /* returns true to end a search; may be NULL */
	void *ctx;
	struct ck_strategies *strategies; /* owned */
	struct ck_tables *tables;         /* that cards may cite; NULL: none */
	uint64_t searched;                /* nodes of all searches so far */
	struct ck_position position;      /* of the record; the members below belong to it */
	unsigned children;
	uint16_t moves[CK_MOVES_MAX];
	struct ck_child child[CK_MOVES_MAX];
};

enum ck_finding {
	CK_GOOD,
	CK_BAD,
	CK_STOP,  /* `stop` ended a search */
	CK_CANNOT /* memory is short, or the table that a card cites is not at hand */
};

/* NULL if there is not enough memory. `stop` ends a search, or the playing out of a strategy, by returning true; may be
 * NULL. ck_judge_free takes NULL as well. */
struct ck_judge *ck_judge_new(const struct ck_game *game, const struct ck_cert *cert, bool (*stop)(void *ctx),
			      void *ctx);
void ck_judge_free(struct ck_judge *judge);
/* Checks a record; `end` is the end of its block. Fills in *fault on CK_BAD and CK_CANNOT. */
enum ck_finding ck_judge_record(struct ck_judge *judge, const struct ck_record *record, const uint8_t *end,
				struct ck_fault *fault);
