/* Export: the facts that justify one answer, as a certificate (proto/CERTIFICATE.md).
 *
 * A depth-first walk from the root with an explicit stack of needs (position, bound, rank limit; export_records.h). For
 * each need the walk takes a reason of the facts and pushes what that reason needs one ply down: the child of the
 * recorded move at a node whose mover wants the bound, else the children of all legal moves. No position is visited
 * twice for the same bound. With detail `full` leaves are searched again (fact_overlay.h) and their proofs included.
 *
 * With `frontier` a leaf remains a leaf where its bound has a rank and the plain search (plain_search.h), which may use
 * the other records of the certificate, finds it; the size of that search is then its effort. Other leaves are searched
 * again, as with `full`, and the certificate goes on below them, down to reasons that the plain search finds.
 *
 * With cards, a need that a theorem of the game meets takes no fact: its reason has a card, which holds the witness,
 * and rests on nothing else. Positions where the mover wins at once then need no record, in any game. Without cards,
 * what is below a leaf that the game knows (a theorem, a static solve) is played out within limits (played_out.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

struct st_store;

/* How far an export is. */
struct sv_export_progress {
	uint64_t positions; /* gathered */
	/* In the second step leaves searched again, in the third records written; `whole` is 0 in the first one, which
	 * gathers positions, because their number is not known in advance. */
	uint64_t done, whole;
	bool writes; /* the third step */
};

struct sv_export_order {
	const char *game, *position;
	const char *claim;     /* NULL: the strongest that is known */
	const uint64_t *rules; /* the rules version that is meant; NULL: that of the game when it is opened */
	const char *file;      /* path of the certificate */
	bool frontier;         /* leaves remain leaves; else they are searched again and their proofs included */
	bool compress;         /* the file is compressed */
	bool cards;       /* theorems of the game are cards, and wins at once need no record; else the rules alone */
	bool tables;      /* with cards: positions of a table are cards that cite it; else records of their own */
	unsigned threads; /* 0: as many as there are processors */
	bool (*progress)(void *ctx, const struct sv_export_progress *p); /* now and then; false ends it; may be NULL */
	void *ctx;
};

struct sv_exported {
	uint64_t positions, reasons, leaves, bytes;
	uint64_t cards;  /* reasons that a theorem gives */
	uint64_t effort; /* of all leaves, nodes */
	char claim[24], status[12];
	int lo, hi; /* the known bounds on the root's value; the ends of the scale where nothing is known */
};

/* Writes the certificate with facts of the store. What is gathered is logged beside it (export_log.h): an export that
 * was killed or stopped, or whose disk was full, goes on there when it is ordered again, and writes the same bytes as
 * one that was never interrupted, if the store has not changed meanwhile. `graphs` as in sv_config. PD_E_STATE with
 * field "position" when the facts do not answer the claim, and when `progress` said stop; PD_E_CORRUPT when a fact that
 * is needed is missing or is not found again; PD_E_LIMIT with field "position" when too much would have to be played
 * out; PD_E_BUSY with field "file" when another export writes the same log. Otherwise unbounded
 * running time. */
int sv_export(struct st_store *store, const char *graphs, const struct sv_export_order *order, struct sv_exported *out,
	      struct pd_fail *fail);
/* Exports from a directory, opened read-only. PD_E_STATE with field "position" when the facts do not answer the claim,
 * with field "game" when the game has other rules than are meant. */
int sv_export_directory(const char *dir, const char *graphs, const struct sv_export_order *order,
			struct sv_exported *out, struct pd_fail *fail);
