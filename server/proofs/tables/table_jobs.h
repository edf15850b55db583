/* Table jobs: the tables that a server builds, one after the other, in a thread beside its searches.
 *
 * What is ordered is durable before the reply (a file DIR/tables/NAME.order, store/TABLES.md): a server that starts
 * goes on with it, from the last checkpoint. A build waits until its memory fits next to that of the running jobs, and
 * reserves it like a job; it also waits while the disk is short (jobs/queue/quota.h), or while another process builds
 * the class. If the server ends three times in a row without warning while it plans or builds an order, and there is no
 * new table or checkpoint, the order fails. Searches use a table from the next start of the server on. */
#pragma once

#include <stdbool.h>

#include "proto/base/error.h"

struct pr_out;
struct sv_core;
struct sv_table_jobs;

enum { SV_TABLE_JOBS_MAX = 256 };

/* NULL without memory. */
struct sv_table_jobs *sv_table_jobs_new(void);
/* Stopped, or never started. */
void sv_table_jobs_free(struct sv_table_jobs *jobs);
/* Goes on with what an earlier server left. */
int sv_table_jobs_restore(struct sv_core *core, struct pd_fail *fail);
/* Under the lock: interrupts the build. sv_table_jobs_stop, without it, then waits for its end; nobody orders any more.
 */
void sv_table_jobs_interrupt(struct sv_core *core);
void sv_table_jobs_stop(struct sv_core *core);

/* Reader threads. Orders a class and prints the members of its state; again: those of the order that there is.
 * PD_E_GAME, PD_E_PARAMS with field "material", or "memory" when it does not fit; PD_E_NO_SPACE, PD_E_UNSUPPORTED,
 * PD_E_LIMIT. */
int sv_table_jobs_order(struct sv_core *core, const char *game, const char *class, unsigned threads, struct pr_out *out,
			struct pd_fail *fail);
/* Ends a build and forgets the order. Its checkpoints stay, or are deleted, then also those of a build that has ended,
 * if nobody else builds the class (PD_E_BUSY). Else PD_E_NOT_FOUND, and PD_E_STATE when it has ended. */
int sv_table_jobs_cancel(struct sv_core *core, const char *game, const char *class, bool discard, struct pr_out *out,
			 struct pd_fail *fail);
/* Prints the tables of the data directory, of one game or of all (NULL), those that are damaged, the checkpoints of
 * builds, and what was ordered since the start. */
int sv_table_jobs_print(struct sv_core *core, const char *game, struct pr_out *out, struct pd_fail *fail);
