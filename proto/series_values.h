/* Series values: what server.series returns, and the file `series` keeps (store/FORMAT.md). */
#pragma once

/* The values of a sample; more may be added at the end. X(enumerator without its prefix, member, decimals, meaning) */
#define PR_SERIES(X)                                                                                                   \
	X(RATE, "rate", 1, "nodes a second")                                                                           \
	X(BUSY, "busy", 0, "search threads that were searching")                                                       \
	X(CPU, "cpu", 3, "seconds of processor time a second")                                                         \
	X(RUNNING, "running", 0, "running jobs")                                                                       \
	X(QUEUED, "queued", 0, "queued jobs")                                                                          \
	X(PAUSED, "paused", 0, "paused jobs")                                                                          \
	X(FACTS, "facts", 0, "facts stored")                                                                           \
	X(WORK_BYTES, "work_bytes", 0, "bytes of the file of jobs, tables and the write-ahead log")                    \
	X(FACTS_BYTES, "facts_bytes", 0, "bytes of the file of facts")                                                 \
	X(DISK_FREE, "disk_free", 0, "bytes free on the disk")                                                         \
	X(MEMORY, "memory", 0, "resident bytes of the process")                                                        \
	X(RESERVED, "reserved", 0, "bytes reserved by running jobs")                                                   \
	X(CALLS, "calls", 3, "calls answered a second")                                                                \
	X(QUERIES, "queries", 3, "of these, calls of fact.query and fact.probe")                                       \
	X(FAILED, "failed", 3, "calls that failed, and lines that were refused, a second")                             \
	X(CONNECTIONS, "connections", 0, "clients connected")                                                          \
	X(COMMITS, "commits", 3, "transactions a second")                                                              \
	X(COMMIT_MS, "commit_ms", 2, "milliseconds of a commit")                                                       \
	X(WORKERS, "workers", 0, "connected workers on other machines")                                                \
	X(WORKER_THREADS, "worker_threads", 0, "their search threads")                                                 \
	X(TASKS_OUT, "tasks_out", 0, "tasks that they had")                                                            \
	X(LEAVES_WAITING, "leaves_waiting", 0, "leaves that waited for a worker")

/* The ranges. X(enumerator without its prefix, text, minutes of a point, points, how many of the file's samples a point
 * is the mean of) */
#define PR_SERIES_RANGES(X)                                                                                            \
	X(DAY, "day", 1, 1440, 1)                                                                                      \
	X(WEEK, "week", 60, 168, 1)                                                                                    \
	X(MONTH, "month", 60, 744, 1)                                                                                  \
	X(YEAR, "year", 720, 732, 12)

enum pr_series_range {
#define X(name, text, minutes, points, mean) PR_RANGE_##name,
	PR_SERIES_RANGES(X) PR_RANGE_COUNT
#undef X
};
