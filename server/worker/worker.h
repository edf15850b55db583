/* Worker: searches leaves for a coordinator on another machine (proto/CLUSTER.md). It has no data directory; what it
 * knows is in memory and may be lost at any time.
 *
 * One thread, its life, speaks with the coordinator; the others search. What it is told is believed if it is sealed
 * with the worker's key (seal.h); a worker without a key believes what the port brings. */
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
	const char *where;          /* for people: "nats://host:4222", without password */
	const struct cw_seal *seal; /* copied; NULL: no key */
	const char *name;           /* for people, up to 63 bytes count; NULL: HOST:PROCESS */
	unsigned threads;           /* that search, 1..WK_THREADS_MAX */
	int nice;                   /* of these, 0..19 */
	uint64_t memory;            /* bytes for all of them; 0: wk_memory_usual */
	const char *graphs;         /* directory of andor:NAME graphs; borrowed; NULL: none */
	void (*ended)(void *ctx);   /* its life is over; called once, from a thread of its own. May be NULL */
	void *ctx;
};

struct wk_worker;

/* The memory that a worker has unless it is told another: a quarter of what the process may have, and no more than
 * 256 MiB a thread. */
uint64_t wk_memory_usual(unsigned threads);

/* Opens the port and starts the threads. PD_E_USAGE with field "threads" or "memory"; PD_E_NO_MEMORY; what the port
 * says. Strings are borrowed for as long as it lives. */
int wk_open(const struct wk_config *config, struct wk_worker **out, struct pd_fail *fail);
/* What the coordinator calls it; borrowed. */
const char *wk_name(const struct wk_worker *worker);
/* Its life ends: it sends what is done and hands the rest back. Returns at once; any thread. */
void wk_stop(struct wk_worker *worker);
/* Waits for the end of its life. PD_OK: it was told to stop; PD_E_FORBIDDEN: the coordinator refused it, and *fail has
 * the words. */
int wk_wait(struct wk_worker *worker, struct pd_fail *fail);
/* After wk_wait: whether all its threads come to rest within that time. One that reads a large graph, or is in a
 * plug-in that does not return, may not. */
bool wk_rests(struct wk_worker *worker, uint64_t ns);
/* Ends its life if need be, waits for all threads and frees it. NULL is fine. */
void wk_close(struct wk_worker *worker);
