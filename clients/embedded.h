/* Embedded: a core in this process, called as a server would be.
 *
 * Its threads only wake the loop through a pipe; all else happens in the thread that calls these functions. */
#ifndef CL_EMBEDDED_H
#define CL_EMBEDDED_H

#include "proto/base/error.h"
#include "proto/doc.h"
#include "server/core.h"

struct cl_embedded;

/* Opens a core; errors as from sv_core_open. arrived(ctx, message) takes every reply and notification. */
int cl_embedded_open(const struct sv_config *config, void (*arrived)(void *ctx, struct pr_doc *message), void *ctx,
		     struct cl_embedded **out, struct pd_fail *fail);
/* Closes the core after a last checkpoint of what runs. NULL is fine. */
void cl_embedded_close(struct cl_embedded *embedded);

/* Calls a method. The reply may arrive before this returns. */
int cl_embedded_call(struct cl_embedded *embedded, int64_t id, const char *method, const char *params,
		     struct pd_fail *fail);
/* Serves the core until something arrives, but no longer than that many seconds; below 0: without limit. */
int cl_embedded_serve(struct cl_embedded *embedded, double seconds, struct pd_fail *fail);

#endif
