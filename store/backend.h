/* Backend: where an open store keeps its records, on disk or in memory (private to store/).
 *
 * store.h is the same for both. What does not depend on the backend is done in front of it: checks of arguments
 * (store.c, batch.c), the batch's counters and staged facts (batch.c), the memtable. The functions here are the
 * rest. Jobs exist and sizes are within their limits when they are called. `batch` calls report an error that leaves
 * the transaction in doubt by st_batch_result.
 *
 * Why not LMDB on a temporary directory in /dev/shm for the store in memory: it is not slower, but LMDB needs named
 * files for its readers' lock (a memfd has none), containers give /dev/shm 64 MB or nothing at all, an open takes two
 * maps of 1 TiB of address space, facts would be in memory twice (memtable and runs), and a killed process leaves the
 * files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/fact.h"
#include "proto/base/hash.h"

struct st_batch;
struct st_game;
struct st_rewrite;
struct st_stats;
struct st_store;
struct st_tt_entry;

struct st_backend {
	bool runs; /* facts leave the memtable for runs, and readers need read transactions */

	/* The batch. Commit ends the transaction only if it succeeds; else abort follows. */
	int (*begin)(struct st_batch *batch, struct pd_fail *fail);
	int (*commit)(struct st_batch *batch, struct pd_fail *fail);
	void (*abort)(struct st_batch *batch);
	int (*game)(struct st_batch *batch, const struct st_game *game, struct pd_fail *fail);
	int (*fact)(struct st_batch *batch, const uint8_t *key, size_t size, const struct pd_reason *reason,
		    struct pd_fail *fail);
	int (*job_new)(struct st_batch *batch, uint32_t job, struct pd_fail *fail);
	int (*job_put)(struct st_batch *batch, uint32_t job, const void *record, size_t size, struct pd_fail *fail);
	int (*job_remove)(struct st_batch *batch, uint32_t job, unsigned limit, bool *left, struct pd_fail *fail);
	int (*event)(struct st_batch *batch, uint32_t job, const void *record, size_t size, struct pd_fail *fail);
	int (*note)(struct st_batch *batch, const void *record, size_t size, struct pd_fail *fail);
	int (*tt_question)(struct st_batch *batch, uint32_t job, struct pd_id question, struct pd_fail *fail);
	int (*tt_journal)(struct st_batch *batch, uint32_t job, const struct st_tt_entry *entries, size_t count,
			  struct pd_fail *fail);
	int (*tt_snapshot_start)(struct st_batch *batch, uint32_t job, struct pd_fail *fail);
	int (*tt_snapshot_put)(struct st_batch *batch, uint32_t job, const struct st_tt_entry *entries, size_t count,
			       struct pd_fail *fail);
	int (*tt_snapshot_end)(struct st_batch *batch, uint32_t job, struct pd_fail *fail);
	int (*tt_drop)(struct st_batch *batch, uint32_t job, struct pd_fail *fail);

	/* Reading back. Any thread. */
	int (*job_each)(struct st_store *store, int (*each)(void *ctx, uint32_t job, const void *record, size_t size),
			void *ctx, struct pd_fail *fail);
	int (*event_each)(struct st_store *store, uint32_t job, size_t max,
			  int (*each)(void *ctx, const void *record, size_t size), void *ctx, struct pd_fail *fail);
	int (*note_get)(struct st_store *store, int (*each)(void *ctx, const void *record, size_t size), void *ctx,
			struct pd_fail *fail);
	int (*tt_each)(struct st_store *store, uint32_t job,
		       int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count), void *ctx,
		       struct pd_fail *fail);
	int (*tt_question_get)(struct st_store *store, uint32_t job, struct pd_id *out, struct pd_fail *fail);
	uint64_t (*tt_bytes)(struct st_store *store, uint32_t job);
	int64_t (*check)(struct st_store *store, void (*problem)(void *ctx, const char *text), void *ctx,
			 struct pd_fail *fail);
	void (*stats)(struct st_store *store, struct st_stats *out);

	/* Between batches; the writer's. */
	int (*conflict)(struct st_store *store, const void *record, size_t size, struct pd_fail *fail);
	int (*meta_keep)(struct st_store *store, unsigned id, const void *record, size_t size, struct pd_fail *fail);
	int (*maintain)(struct st_store *store, bool idle, struct pd_fail *fail);
	int (*rewrite)(struct st_rewrite *w);
};

extern const struct st_backend st_backend_disk, st_backend_memory;
