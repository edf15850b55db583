/* Justify: whether what stands in a store follows, reason by reason, for all facts in parallel.
 *
 * Every reason of every fact must be justified (F2, F3): one ply down where its effort is 0, by the bounded search that
 * it names where it is not. Facts are independent of each other, so threads share them out in blocks. A leaf may lean
 * on facts below it; that cannot go in a circle in an acyclic game, and those facts are judged themselves. It may not
 * lean on itself: while a leaf is searched, its own fact is hidden.
 *
 * Reasons may be taken for not there (`visible`): then one-ply looks and searches go without them alike. */
#ifndef SV_VERIFY_H
#define SV_VERIFY_H

#include <pthread.h>

#include "server/proofs/check_sum.h"
#include "server/proofs/verify_entries.h"
#include "solver/game.h"
#include "store/store.h"

struct sv_verified_game {
	uint32_t id;
	uint64_t rules_version;
	char *name;        /* owned */
	struct game *game; /* NULL: it cannot be opened here, or has other rules */
	bool passed_over;  /* it has facts that were */
	bool judged; /* else its facts are passed over; true where it could be opened, and may be changed before a run
		      */
};

/* A reason that is not justified, or a key that is none. */
struct sv_fault {
	const struct sv_verified_game *game;
	const uint8_t *key;
	size_t size;
	const void *state;              /* NULL: the key is no key of a position */
	const struct pd_reason *reason; /* NULL as well then */
	const char *text;
};

enum sv_part { SV_ONE_PLY = 1, SV_LEAVES = 2 };

struct sv_verifier {
	/* filled by the caller */
	struct st_store *store;
	const char *graphs;
	unsigned threads;
	uint64_t leaf_nodes; /* after so many a leaf counts as not found again; 0: after as many as its effort speaks
				for */
	const struct sv_entries *entries; /* tables that are held against the facts, with both parts; NULL: none */
	unsigned parts;                   /* which reasons are judged: SV_ONE_PLY, SV_LEAVES or both */
	void *ctx;
	/* From any thread, and at the same time: whether the reason is there. NULL: all are. */
	bool (*visible)(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_reason *reason);
	void (*fault)(void *ctx, const struct sv_fault *fault);     /* one thread at a time */
	void (*progress)(void *ctx, const struct sv_check *so_far); /* likewise; may be NULL */
	/* kept by sv_verifier_open and sv_verifier_run */
	struct sv_verified_game *games; /* of the store, owned */
	unsigned game_count;
	struct sv_check sum;  /* of the runs so far; problems are the caller's to count */
	pthread_mutex_t lock; /* guards sum, failed and the calls of fault and progress */
	struct pd_fail
		failed; /* the first failure to read or to have memory; code 0: none. What met it counts as a fault */
};

/* Opens the store's games. sv_verifier_close follows whatever is returned. */
int sv_verifier_open(struct sv_verifier *judge, struct pd_fail *fail);
void sv_verifier_close(struct sv_verifier *judge);
/* Searches a leaf again: for the reason's bound within its rank, in up to three searches of growing size, the first as
 * long as its effort speaks for, each of `limit` nodes at most (0: no limit). *nodes is raised by what was used. */
int sv_search_leaf(struct pn_prover *prover, const struct game *game, const void *state, const struct pd_reason *reason,
		   uint64_t limit, uint64_t *nodes, enum pn_verdict *verdict, struct pd_fail *fail);
/* Judges all facts once. */
int sv_verifier_run(struct sv_verifier *judge, struct pd_fail *fail);

#endif
