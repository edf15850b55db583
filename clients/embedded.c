#include "clients/embedded.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/options.h"
#include "proto/base/assert.h"
#include "proto/base/clock.h"

enum { TICK_MS = 20 /* between two ticks; small, so that short jobs are reported at once */ };

struct cl_embedded {
	int wake[2]; /* a pipe; -1: not open */
	struct sv_core *core;
	struct sv_session *session;
	uint64_t ticked_ns; /* when the core had its last tick */
	bool failed;        /* there was no memory for a notification */
	void (*take_note)(void *ctx, struct pr_doc *note);
	void *ctx;
};

/* Any thread. A full pipe wakes as well as a fresh byte. */
static void wake_loop(void *ctx)
{
	const struct cl_embedded *embedded = ctx;
	ssize_t n = write(embedded->wake[1], "", 1);
	(void)n;
}

static void take_line(void *ctx, const char *line, size_t size)
{
	struct cl_embedded *embedded = ctx;
	struct pr_doc *note;
	struct pd_fail fail;
	if (pr_doc_parse(line, size, &note, &fail))
		embedded->failed = true;
	else
		embedded->take_note(embedded->ctx, note);
}

/* Each line is taken at once. */
static size_t count_backlog(void *ctx)
{
	(void)ctx;
	return 0;
}

static void note_failure(void *ctx)
{
	struct cl_embedded *embedded = ctx;
	embedded->failed = true;
}

static int open_pipe(struct cl_embedded *embedded, struct pd_fail *fail)
{
	bool open = !pipe(embedded->wake);
	for (unsigned i = 0; open && i < 2; i++)
		open = !fcntl(embedded->wake[i], F_SETFL, O_NONBLOCK) && !fcntl(embedded->wake[i], F_SETFD, FD_CLOEXEC);
	return open ? PD_OK
		    : pd_fail_set(fail, pd_error_of_errno(errno), "", "cannot open a pipe: %s", strerror(errno));
}

int cl_embedded_open(const struct sv_config *config, void (*take_note)(void *ctx, struct pr_doc *note), void *ctx,
		     struct cl_embedded **out, struct pd_fail *fail)
{
	struct cl_embedded *embedded = calloc(1, sizeof *embedded);
	if (!embedded)
		return cl_no_memory(fail);
	*embedded = (struct cl_embedded){.wake = {-1, -1}, .take_note = take_note, .ctx = ctx};
	int rc = open_pipe(embedded, fail);
	if (!rc)
		rc = sv_core_open(config, wake_loop, embedded, &embedded->core, fail);
	if (!rc) {
		struct sv_sink sink = {embedded, take_line, count_backlog, note_failure, true};
		embedded->session = sv_session_new(embedded->core, &sink);
		if (!embedded->session)
			rc = cl_no_memory(fail);
	}
	if (rc)
		cl_embedded_close(embedded);
	else
		*out = embedded;
	return rc;
}

void cl_embedded_close(struct cl_embedded *embedded)
{
	if (!embedded)
		return;
	if (embedded->session)
		sv_session_free(embedded->session);
	if (embedded->core)
		sv_core_close(embedded->core);
	for (unsigned i = 0; i < 2; i++)
		if (embedded->wake[i] >= 0)
			close(embedded->wake[i]);
	free(embedded);
}

/* --- calls -------------------------------------------------------------------------------- */

static void complete_call(void *ctx, const struct sv_result *result)
{
	struct cl_answer *answer = ctx;
	if (answer->dropped || result->ended) {
		free(answer);
		return;
	}
	answer->done = true;
	if (result->fail)
		answer->fail = *result->fail;
	else if (pr_doc_parse(result->json, result->size, &answer->doc, &answer->fail))
		answer->doc = NULL;
}

int cl_embedded_call(struct cl_embedded *embedded, const char *method, const char *params, struct cl_answer **out,
		     struct pd_fail *fail)
{
	enum pr_method id;
	if (!pr_method_find(method, &id))
		return pd_fail_set(fail, PD_E_METHOD, method, "there is no method '%.60s'; rpc.discover lists all",
				   method);
	struct cl_answer *answer = calloc(1, sizeof *answer);
	if (!answer)
		return cl_no_memory(fail);
	*out = answer;
	params = params ? params : "{}";
	sv_call_text(embedded->session, id, &(struct sv_text){params, strlen(params), NULL}, complete_call, answer);
	return PD_OK;
}

void cl_answer_drop(struct cl_answer *answer)
{
	answer->dropped = true;
	if (!answer->done)
		return;
	pr_doc_free(answer->doc);
	free(answer);
}

/* --- serving ------------------------------------------------------------------------------ */

static void turn_loop(struct cl_embedded *embedded)
{
	char bytes[64];
	while (read(embedded->wake[0], bytes, sizeof bytes) > 0)
		;
	sv_core_pump(embedded->core);
	uint64_t now = pd_now_ns();
	if (now - embedded->ticked_ns >= (uint64_t)TICK_MS * 1000000) {
		embedded->ticked_ns = now;
		sv_core_tick(embedded->core);
	}
}

int cl_embedded_serve(struct cl_embedded *embedded, double seconds, struct pd_fail *fail)
{
	struct pollfd on = {embedded->wake[0], POLLIN, 0};
	int ms = seconds < 0 || seconds * 1e3 >= TICK_MS ? TICK_MS : (int)(seconds * 1e3) + 1;
	if (poll(&on, 1, ms) < 0 && errno != EINTR)
		return pd_fail_set(fail, PD_E_IO, "", "waiting failed: %s", strerror(errno));
	turn_loop(embedded);
	return embedded->failed ? cl_no_memory(fail) : PD_OK;
}
