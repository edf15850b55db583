/* Judge: checks solved leaves of workers, on a thread of its own: their proofs, or by a search.
 *
 * A proof (solver/leaf_proof.h) is checked by the rules and what the worker's search may know, within its bounds of
 * bytes and positions, so a false one costs little. If it does not hold, the leaf is forged: no sound worker sends it.
 *
 * A leaf is searched once, like a proof leaf (solver/leaf_policy.h): with 64 nodes for each node of its effort, at
 * least 100,000, but at most nodes_max, so that the thread ends soon and a false effort costs little. The search
 * uses the rules alone and stays within the rank. If the leaf names the winner's move, the position after it is
 * searched, so that the move is confirmed as well. A leaf that it cannot decide is undecided; so is a leaf that finds
 * the queue full. The provers of the last two games are kept, 32 MB each. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/fact.h"
#include "server/cluster/games.h"

enum { SC_JUDGE_QUEUE = 256, SC_JUDGE_NODES = 16000000, SC_SPOT_NODES = 100000, SC_JUDGE_MEMORY = 32 << 20 };

enum sc_verdict { SC_UNDECIDED, SC_CONFIRMED, SC_CONTRADICTED, SC_FORGED };

/* A leaf to be judged, and the verdict. */
struct sc_case {
	uint64_t ticket; /* the caller's */
	uint64_t task, worker;
	struct sc_game *game;    /* shared with the judge; released by the taker of the verdict */
	bool knowledge;          /* the worker's search may use knowledge beyond the rules */
	struct pd_reason reason; /* a proof says which move wins: the judge writes it here */
	uint64_t nodes, cpu_ns;  /* the worker's; not used by the judge */
	uint16_t key_size;
	uint8_t key[GAME_KEY_MAX];
	uint8_t *proof; /* owned; checked instead of a search. NULL: none */
	uint16_t proof_size;
	uint64_t nodes_max; /* of the search */
	/* Written by the judge. */
	enum sc_verdict verdict;
	uint64_t judged_ns; /* processor time that it took */
};

struct sc_judge;
struct sc_inbox;

/* Starts the thread, which wakes `inbox` for each verdict. PD_E_NO_MEMORY. */
int sc_judge_open(struct sc_inbox *inbox, struct sc_games *games, struct sc_judge **out, struct pd_fail *fail);
/* Waits for the current search and drops the queue. NULL is fine. */
void sc_judge_close(struct sc_judge *judge);
/* Queues a copy of the case, with the caller's share of its game and its proof. False: no room. */
bool sc_judge_put(struct sc_judge *judge, const struct sc_case *what);
/* The next verdict, with share and proof; false: there is none. */
bool sc_judge_take(struct sc_judge *judge, struct sc_case *out);

/* Judges one case, by a search or by its proof; also for tests. */
struct pn_prover;
struct pn_proof_walk;
enum sc_verdict sc_judge_leaf(struct pn_prover *prover, const struct sc_case *what);
