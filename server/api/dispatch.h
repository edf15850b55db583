/* Dispatch: carries calls out, each on the thread that the method table names for it. */
#pragma once

struct sv_call;
struct sv_core;
struct sv_job;
struct sv_job_completion;

/* Carries a call out, or leaves it to a read queue. Its parameters have been checked. A call that names a game whose
 * file is not loaded yet waits until a reader thread has loaded it. The call is completed exactly once, now or later
 * (V1). */
void sv_dispatch(struct sv_call *call);
/* Carries out a call that another one, whose role and rate have been checked, is made of. It names no game. */
void sv_dispatch_part(struct sv_call *call);
/* For job_hooks: like sv_recorded and sv_removed (deferred.h), and carry out the deferred calls. */
void sv_dispatch_recorded(struct sv_core *core, const struct sv_job_completion *completion);
void sv_dispatch_removed(struct sv_core *core, struct sv_job *job);
