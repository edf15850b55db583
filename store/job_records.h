/* Job records on disk: databases `jobs` and `events`, and meta/"forgotten" (private to store/).
 *
 * Records are opaque bytes. Calls of a batch leave their errors in batch->scratch. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

struct st_batch;
struct st_store;

int st_job_records_put(struct st_batch *batch, uint32_t job, const void *record, size_t size);
int st_job_records_remove(struct st_batch *batch, uint32_t job, unsigned limit, bool *left);
int st_job_records_event(struct st_batch *batch, uint32_t job, const void *record, size_t size);
int st_job_records_note(struct st_batch *batch, const void *record, size_t size);

/* The calls of store.h. */
int st_job_records_each(struct st_store *store, int (*each)(void *ctx, uint32_t job, const void *record, size_t size),
			void *ctx, struct pd_fail *fail);
int st_job_records_events(struct st_store *store, uint32_t job, size_t max,
			  int (*each)(void *ctx, const void *record, size_t size), void *ctx, struct pd_fail *fail);
int st_job_records_note_get(struct st_store *store, int (*each)(void *ctx, const void *record, size_t size), void *ctx,
			    struct pd_fail *fail);
