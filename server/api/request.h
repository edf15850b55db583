/* Request: a call while its handler carries it out. */
#ifndef SV_REQUEST_H
#define SV_REQUEST_H

#include <stdbool.h>

#include "proto/base/buf.h"
#include "proto/base/error.h"
#include "proto/out.h"
#include "proto/rpc.h"

struct sv_core;
struct sv_inflight;
struct sv_session;

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

#endif
