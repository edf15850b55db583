/* Verify: the check of all facts of a store, reason by reason, by several threads.
 *
 * Every reason of every fact must be justified (F2): with effort 0 by its children one ply down, else (a leaf) by a
 * bounded search of about that size (solver/bounded.h), after the winner's move if the leaf names it. A reason with a
 * rank may rest only on reasons with a smaller rank (F3). The search of a leaf may use facts below it, which are
 * verified themselves, but never the leaf's own fact. Each fact is checked on its own, so threads share them out in
 * blocks.
 *
 * In a game with dominance each fact is also compared with those of the same board (the last 1,024 before it): what is
 * proved of a position may not be disproved of one that dominates it. Both facts are reported, although one may be
 * right, and each for every one that it contradicts.
 *
 * The caller may hide reasons (`visible`): neither one-ply checks nor searches use them. Then facts are not compared,
 * and a reason is reported once at most: a retraction takes away what is reported. */
#pragma once

#include "proto/base/mutex.h"
#include "server/proofs/maintenance/check_sum.h"
#include "server/proofs/maintenance/verify_entries.h"
#include "solver/bounded.h"

struct sv_verified_game {
	uint32_t id;
	uint64_t rules_version;
	char *name;              /* owned */
	struct game *game;       /* NULL: it cannot be opened here, or has other rules */
	atomic_bool passed_over; /* facts of it were skipped */
	bool judged; /* its facts are checked; initially true when it could be opened; the caller may change it */
};

/* A reason that is not justified, or a key that is not a key of a position. */
struct sv_fault {
	const struct sv_verified_game *game;
	const uint8_t *key;
	size_t size;
	const void *state;              /* NULL: the key is not a key of a position */
	const struct pd_reason *reason; /* NULL if and only if state is */
	const char *text;
};

/* The most nodes of one search of a check (up to some hours on one core): a leaf that cannot be confirmed must not take
 * weeks. */
#define SV_LEAF_NODES_MAX (UINT64_C(1) << 32)

enum sv_part { SV_ONE_PLY = 1, SV_LEAVES = 2 };

struct sv_verifier {
	/* filled by the caller */
	struct st_store *store;
	const char *graphs;
	unsigned threads;
	uint64_t leaf_nodes;              /* node limit of a leaf's search; 0: SV_LEAF_NODES_MAX */
	const struct sv_entries *entries; /* transposition tables to be checked against the facts, only with both
					     parts; NULL: none */
	unsigned parts;                   /* the reasons to check: SV_ONE_PLY, SV_LEAVES or both */
	void *ctx;
	/* False hides a reason. Called by several threads at the same time. NULL: all are visible. */
	bool (*visible)(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_reason *reason);
	void (*fault)(void *ctx, const struct sv_fault *fault);     /* one thread at a time */
	void (*progress)(void *ctx, const struct sv_check *so_far); /* likewise; may be NULL */
	/* kept by sv_verifier_open and sv_verifier_run */
	struct sv_verified_game *games; /* of the store, owned */
	unsigned game_count;
	struct sv_check sum;   /* of all runs so far; `problems` is left to the caller */
	struct pd_mutex lock;  /* guards sum, failed and the calls of fault and progress */
	struct pd_fail failed; /* the first failed read or allocation; code 0: none. The reason concerned is a fault */
};

/* Opens the store's games. Always followed by sv_verifier_close. */
int sv_verifier_open(struct sv_verifier *judge, struct pd_fail *fail);
void sv_verifier_close(struct sv_verifier *judge);
/* Searches a leaf again by the policy for checks (solver/bounded.h), with at most `limit` nodes a search (0:
 * SV_LEAF_NODES_MAX). result->nodes is written in any case. */
int sv_leaf_check(struct pn_prover *prover, const void *state, const struct pd_reason *leaf, uint64_t limit,
		  struct pn_leaf_verdict *result, struct pd_fail *fail);
/* Checks all facts once. */
int sv_verifier_run(struct sv_verifier *judge, struct pd_fail *fail);
