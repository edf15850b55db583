/* Values that the calls of the store (store.h) take and return. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pd_fact;
struct st_batch;
struct st_store;

enum {
	ST_JOB_MAX = 1 << 16,
	ST_EVENT_MAX = 2048,
	ST_KEY_MAX = 500, /* bytes of an exact key, at least 1 */
	ST_NAME_MAX = 255 /* bytes of a game's name, at least 1 */
};

struct st_tt_entry { /* 32 bytes in memory; the store does not look inside */
	uint8_t bytes[32];
};

/* Commits are counted by how long they took: the bounds of the classes in microseconds, X(bound). */
/* clang-format off */
#define ST_COMMIT_BOUNDS(X) \
	X(1000) X(2500) X(5000) X(10000) X(25000) X(50000) X(100000) X(250000) X(500000) X(1000000) X(2500000) \
	X(10000000)
/* clang-format on */
#define ST_COUNT_BOUND(bound) +1
enum { ST_COMMIT_BUCKETS = 1 ST_COMMIT_BOUNDS(ST_COUNT_BOUND) };

struct st_stats {
	uint64_t facts;    /* distinct positions, an estimate while memtable and runs overlap */
	uint64_t memtable; /* of them in memory, waiting for a flush */
	uint64_t runs;
	uint64_t work_bytes, facts_bytes; /* of the two files on disk */
	uint64_t commits;                 /* since start */
	uint64_t commit_ns_max, commit_ns_last;
	uint64_t commit_ns_sum;
	uint64_t commit_bucket[ST_COMMIT_BUCKETS]; /* commits by duration; the last: longer than all bounds */
	uint64_t commit_failures;                  /* batches that failed to begin or to commit, since start */
	int commit_error;                          /* of the latest failure; PD_OK after a commit */
	uint64_t journal_entries;                  /* table entries written since start */
	uint64_t map_bytes_free; /* the least that the disk or a map has free; in memory 0, like the two sizes */
};

/* When facts move, and how many at a time. For tests and benchmarks; the defaults are in schedule.c. Members that are
 * 0 keep their value. */
struct st_tuning {
	uint64_t flush_facts;      /* the memtable is flushed when it has this many facts */
	uint64_t flush_bytes;      /* or takes this many bytes of memory */
	uint32_t step_facts;       /* one call of st_facts_maintain writes at most this many facts */
	uint32_t compaction_width; /* runs of similar size that are compacted together, at least 2 */
};

/* Takes reasons out of *fact, keeping the order of the others (st_facts_rewrite). */
typedef int st_fact_filter(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact);

/* What a salvage (salvage.h) has found and lost. */
enum st_salvaged_list { ST_LIST_LOST, ST_LIST_OLD, ST_LIST_NEWEST };

struct st_salvaged {
	enum st_salvaged_list runs; /* how current the list of runs is that selected the facts */
	bool counted; /* the numbers of jobs and log blocks are known; else the last ones may be missing unnoticed */
	uint64_t identity; /* 0: lost */
	uint32_t games, games_lost;
	uint32_t next_job;                             /* all job numbers are below this */
	uint64_t reasons, facts_lost, log_blocks_lost; /* known after st_salvage_facts */
	uint64_t conflicts;
};
