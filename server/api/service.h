/* Service: what the files that carry calls out share (private to server/core). */
#ifndef SV_SERVICE_H
#define SV_SERVICE_H

#include "server/core_internal.h"

struct request {
	struct sv_core *core;
	struct sv_session *session;
	struct sv_inflight *pending;
	struct pr_call *call;
	pr_ref params;
	struct pd_buf json; /* the result, when it is answered at once */
	struct pr_out out;
	struct pd_fail fail;
	bool later; /* somebody else answers */
	bool again; /* it was put off, and it is its turn now */
};

/* --- waiting.c ---------------------------------------------------------------------------- */
/* The call is answered when record number `record` of the job, or a later one, is on disk: with its state if that is
 * `wanted` (`any_state`: whatever it is), else with an error. */
int sv_wait_for(struct request *r, struct sv_job *job, uint64_t record, bool any_state, enum sv_state wanted);
/* Under the lock: a change of the job is under way, so that nobody can say what becomes of another. It ends with a
 * mail. */
bool sv_unsettled(const struct sv_job *job);
/* Puts the call off until the change under way is settled. */
int sv_deferred(struct request *r, struct sv_job *job);
/* Fills in why a job that is to stop cannot be said to have stopped yet. */
int sv_stops_later(const struct sv_job *job, enum sv_state wanted, int code, const char *why, struct pd_fail *fail);

#endif
