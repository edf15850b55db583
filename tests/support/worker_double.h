/* Worker double: a worker of the cluster in a thread, with configurable faults.
 *
 * It does its tasks one after another, regardless of the threads it claims. Without a game it invents results that
 * depend only on the task; with a game it searches with a leaf runner; with `runner`, with that of the task's game. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/buf.h"
#include "proto/cluster/wire.h"
#include "solver/leaf_task.h"
#include "tests/support/port_double.h"

enum { WORKER_TASKS_MAX = 512, WORKER_TOLD_MAX = 256 };

struct worker_double;

struct worker_double_setup {
	struct port_double *net;        /* its network; NULL: */
	const struct cp_opener *opener; /* opens its port */
	uint64_t number;
	const char *name;        /* NULL: "double" */
	unsigned threads;        /* claimed; 0: 1 */
	const char *games;       /* names of rules it has, separated by blanks; NULL: mnk */
	const struct game *game; /* searched; NULL: results are invented */
	/* The runner for a task of any game; called in the worker's thread. The owner keeps the runner. May be NULL. */
	struct pn_leaf_runner *(*runner)(void *ctx, const struct cw_task *task);
	void *runner_ctx;
	const struct cw_seal *seal;
	unsigned beat_ms; /* between heartbeats; 0: 200 */
	/* Faults. 0 and false: none. */
	unsigned major;      /* version of its messages */
	unsigned hang_after; /* results; then only heartbeats */
	unsigned die_after;  /* results; then silence */
	unsigned slow_ms;    /* delay of a task */
	unsigned twice;      /* every n-th result is sent twice */
	unsigned lie;        /* every n-th solved leaf has the wrong winner */
	unsigned honest;     /* but none of the first n solved leaves */
	unsigned lie_shared; /* every n-th solved position that it shares is said to be First's; it shares unasked */
	unsigned nonsense;   /* every n-th result has an impossible rank */
	bool refuse;         /* every task: no such game */
	unsigned full;       /* the first n tasks: no room */
	bool backwards;      /* results of a batch in the reverse order */
	bool claim_solved;   /* invented results are solved: First wins */
	/* Changes a result at will before it is sent, in the worker's thread; a proof is in room for CW_PROOF_MAX
	 * bytes. True: it was changed. May be NULL. */
	bool (*spoil)(struct worker_double *w, const struct cw_task *task, struct cw_result *result);
	uint64_t seed;
};

struct worker_double {
	struct worker_double_setup is;
	struct cp_port *port;
	pthread_t thread;
	pthread_mutex_t lock;
	/* Under the lock. */
	struct cw_task task[WORKER_TASKS_MAX]; /* their keys and names are copied */
	uint8_t key[WORKER_TASKS_MAX][CW_KEY_MAX];
	char game[WORKER_TASKS_MAX][CW_NAME_MAX];
	uint64_t in_hand[WORKER_TASKS_MAX + 1];
	unsigned count, told_count;
	struct pn_leaf_solved told[WORKER_TOLD_MAX]; /* known positions for the runner */
	bool stop, say_hello, welcome;
	uint64_t epoch, number;
	/* Counters; any thread. */
	atomic_uint tasks_got, results_sent, lies, lies_shared, cancels, calls, refusals, known;
	atomic_bool shares;     /* it was told that it may share solved positions */
	atomic_uint why;        /* of the last refusal */
	atomic_ullong prove_ns; /* processor time of its proofs */
	/* The thread's. */
	struct pn_leaf_runner *runner;
	struct pd_buf out;
	struct cw_result result;
	struct cw_known known_body, sharing; /* the former under the lock */
	uint8_t proof[CW_PROOF_MAX];
	struct pn_leaf_solved solved[PN_LEAF_SOLVED_MAX];
	uint64_t beat_ns, solved_count, shared_count;
};

void worker_double_start(struct worker_double *w, const struct worker_double_setup *setup);
/* It goes; with a word if `bye`. */
void worker_double_stop(struct worker_double *w, bool bye);
/* What a search found, as the wire has it; the rest of *out is left alone. */
void worker_double_result(const struct pn_leaf_result *found, struct cw_result *out);
/* The numbers that it makes up for a task. */
void worker_double_numbers(const uint8_t *key, size_t size, uint64_t budget, uint32_t num[2]);
