/* Judge: searches solved leaves of workers again, on a thread of its own.
 *
 * A leaf is searched once, as a proof leaf is checked (solver/leaf_policy.h): with 64 nodes for a node of its effort,
 * at least 100,000; but at most SC_JUDGE_NODES, so that no one waits long for the thread's end and a false effort costs
 * little. It goes by the rules alone, and within the rank. What is not found so is undecided, and so is what finds the
 * queue full. The provers of the last two games are kept, 32 MB each. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/fact.h"
#include "server/cluster/games.h"

enum { SC_JUDGE_QUEUE = 64, SC_JUDGE_NODES = 16000000, SC_JUDGE_MEMORY = 32 << 20 };

enum sc_verdict { SC_UNDECIDED, SC_CONFIRMED, SC_CONTRADICTED };

/* A leaf to be judged, and then what came of it. */
struct sc_case {
	uint64_t ticket; /* the caller's */
	uint64_t task, worker;
	struct sc_game *game; /* shared with the judge; given back by who takes the verdict */
	bool knowledge;       /* the search might use what the game knows beyond its rules */
	struct pd_reason reason;
	uint64_t nodes, cpu_ns; /* the worker's; the judge does not look at them */
	uint16_t key_size;
	uint8_t key[GAME_KEY_MAX];
	enum sc_verdict verdict;
};

struct sc_judge;
struct sc_inbox;

/* Starts the thread, which wakes `inbox` when there is a verdict. PD_E_NO_MEMORY. */
int sc_judge_open(struct sc_inbox *inbox, struct sc_games *games, struct sc_judge **out, struct pd_fail *fail);
/* Waits for the search in work, and drops what waits. NULL is fine. */
void sc_judge_close(struct sc_judge *judge);
/* Copies the case, with the caller's share of its game. False: no room. */
bool sc_judge_put(struct sc_judge *judge, const struct sc_case *what);
/* The next verdict; false: there is none. */
bool sc_judge_take(struct sc_judge *judge, struct sc_case *out);

/* One judgement by itself, for the thread and for tests. */
struct pn_prover;
enum sc_verdict sc_judge_leaf(struct pn_prover *prover, const struct sc_case *what);
