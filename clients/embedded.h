/* Embedded: a core in this process, called as a server would be.
 *
 * Its threads only wake the loop through a pipe; all else happens in the thread that calls these functions. */
#pragma once

#include "proto/base/error.h"
#include "proto/doc.h"
#include "server/core.h"

struct cl_embedded;

/* What a call came to. */
struct cl_answer {
	bool done;
	bool dropped;       /* nobody waits for it any longer */
	struct pr_doc *doc; /* owned: the result; NULL: it failed */
	struct pd_fail fail;
};

/* Opens a core; errors as from sv_core_open. take_note(ctx, note) takes every notification. */
int cl_embedded_open(const struct sv_config *config, void (*take_note)(void *ctx, struct pr_doc *note), void *ctx,
		     struct cl_embedded **out, struct pd_fail *fail);
/* Closes the core after a last checkpoint of what runs. All answers must have been dropped. NULL is fine. */
void cl_embedded_close(struct cl_embedded *embedded);

/* Calls a method; *out, which may be done at once, is to be given to cl_answer_drop. */
int cl_embedded_call(struct cl_embedded *embedded, const char *method, const char *params, struct cl_answer **out,
		     struct pd_fail *fail);
void cl_answer_drop(struct cl_answer *answer);
/* Serves the core once, after waiting for at most that many seconds; below 0: without a limit of its own. */
int cl_embedded_serve(struct cl_embedded *embedded, double seconds, struct pd_fail *fail);
