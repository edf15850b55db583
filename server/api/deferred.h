/* Deferred: calls that are answered later, when what they asked for is on disk (D1), or when another change of their
 * job is settled. */
#pragma once

#include "server/api/request.h"
#include "server/jobs/model/job.h"

struct sv_waiter { /* a call to be answered when what it asked for is on disk */
	struct sv_call *call;
	uint64_t record;   /* number of the job's first record that can answer it */
	uint64_t troubles; /* the job's troubles so far; only a later one concerns this call */
	bool any_state; /* any state in that record will do; otherwise it must be `wanted`, or the job must be over */
	enum sv_state wanted;
	STAILQ_ENTRY(sv_waiter) link;
};

/* The call is answered when record number `record` of the job, or a later one, is on disk: with its state if that is
 * `wanted` (`any_state`: whatever it is), else with an error. */
int sv_wait_for(struct sv_request *r, struct sv_job *job, uint64_t record, bool any_state, enum sv_state wanted);
/* Defers the call until the change under way is settled. */
void sv_defer(struct sv_request *r, struct sv_job *job);
/* Removes and returns the next deferred call that can be carried out now; NULL: none. */
struct sv_call *sv_deferred_next(struct sv_core *core, struct sv_job *job);
/* Fills in why a job that is stopping cannot be reported as stopped yet. */
int sv_stops_later(const struct sv_job *job, enum sv_state wanted, int code, const char *why, struct pd_fail *fail);

/* A submission is on disk, or has failed (a job hook); the writer is done with a record of the job, or the job has run
 * into trouble; the job was deleted from the disk, and leaves the index. Calls that waited for this are answered. */
void sv_submitted(struct sv_core *core, struct sv_job *job, const struct pd_fail *fail);
void sv_recorded(const struct sv_job_completion *completion);
void sv_removed(struct sv_core *core, struct sv_job *job);
/* The core closes: calls that still wait for the job are refused. */
void sv_dismiss(struct sv_job *job);
