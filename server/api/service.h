/* Service: one handler a method.
 *
 * A handler either answers at once or leaves the call with whoever will: a reader thread (large queries), or the job
 * (what must be on disk before the client hears of it, D1). */
#ifndef SV_SERVICE_H
#define SV_SERVICE_H

struct pr_call;
struct sv_call_completion;
struct sv_completion;
struct sv_core;
struct sv_deferred;
struct sv_inflight;
struct sv_session;

/* Carries a call out. */
void sv_serve(struct sv_core *core, struct sv_session *session, struct sv_inflight *pending, struct pr_call *call);
/* The game of a call is open now, or cannot be opened. */
void sv_opened(struct sv_core *core, struct sv_call_completion *completion);
/* Carries out a call that was deferred, and frees it. */
void sv_serve_again(struct sv_core *core, struct sv_deferred *call);
/* For reader threads: a call is answered; what was asked for is done. */
void sv_call_completion_deliver(struct sv_core *core, struct sv_completion *completion);

#endif
