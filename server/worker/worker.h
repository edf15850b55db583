/* Worker: searches leaves for a coordinator on another machine (proto/CLUSTER.md). It has no data directory; its state
 * is in memory and may be lost at any time.
 *
 * One thread, the life, communicates with the coordinator; the others search. A worker with a key believes only
 * messages that are sealed with it (seal.h); a worker without a key believes all messages. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/cluster/seal.h"
#include "server/cluster/port.h"

enum { WK_THREADS_MAX = 1024 };
#define WK_MEMORY_MIN (UINT64_C(1) << 20) /* bytes for each thread */

struct wk_config {
	struct cp_opener port;
	const char *where;          /* for people: "nats://host:4222", without the password */
	const struct cw_seal *seal; /* copied; NULL: no key */
	const char *name;           /* for people, cut to 63 bytes; NULL: HOST:PROCESS */
	unsigned threads;           /* search threads, 1..WK_THREADS_MAX */
	int nice;                   /* of the search threads, 0..19 */
	uint64_t memory;            /* bytes for all search threads; 0: wk_memory_usual */
	const char *graphs;         /* directory of andor:NAME graphs; borrowed; NULL: none */
	void (*ended)(void *ctx);   /* called once, by the life's thread, when it ends. May be NULL */
	void *ctx;
};

struct wk_worker;

/* The default memory: a quarter of what the process may use, at most 256 MiB a thread. */
uint64_t wk_memory_usual(unsigned threads);

/* Opens the port and starts the threads. PD_E_USAGE with field "threads" or "memory"; PD_E_NO_MEMORY; errors of the
 * port. The worker borrows the strings until it is closed. */
int wk_open(const struct wk_config *config, struct wk_worker **out, struct pd_fail *fail);
/* The name that the coordinator shows; borrowed. */
const char *wk_name(const struct wk_worker *worker);
/* Asks the worker to stop: it sends its results and hands the other tasks back. Returns at once; any thread. */
void wk_stop(struct wk_worker *worker);
/* Waits until the life has ended. PD_OK: the worker was stopped; PD_E_FORBIDDEN: the coordinator refused it, for the
 * reason in *fail. */
int wk_wait(struct wk_worker *worker, struct pd_fail *fail);
/* After wk_wait: whether all search threads end within that time. A thread that reads a large graph, or calls a plug-in
 * that does not return, may not. */
bool wk_rests(struct wk_worker *worker, uint64_t ns);
/* Stops the worker if necessary, waits for all threads and frees it. NULL is fine. */
void wk_close(struct wk_worker *worker);
