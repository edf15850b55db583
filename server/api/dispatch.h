/* Dispatch: carries calls out, each on the thread that the method table names for it. */
#ifndef SV_DISPATCH_H
#define SV_DISPATCH_H

struct pr_call;
struct sv_core;
struct sv_inflight;

/* Carries a call out, or leaves it to a read queue. A call that names a game whose file is not loaded yet waits until a
 * reader thread has loaded it. The call is answered exactly once, now or later (V1). Loop thread. */
void sv_dispatch(struct sv_core *core, struct sv_inflight *inflight, struct pr_call *call);

#endif
