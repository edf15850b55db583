#include "clients/embedded.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/options.h"
#include "proto/base/assert.h"
#include "proto/base/buf.h"
#include "proto/base/clock.h"
#include "proto/rpc.h"

enum { TICK_MS = 20 /* between two ticks: short jobs are reported at once */ };

struct cl_embedded {
	int wake[2]; /* a pipe; -1: not open */
	struct sv_core *core;
	struct sv_session *session;
	uint64_t ticked_ns; /* when the core had its last tick */
	bool failed;        /* there was no memory for a reply */
	unsigned arrived_count;
	void (*arrived)(void *ctx, struct pr_doc *message);
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
	struct pr_doc *message;
	struct pd_fail fail;
	if (pr_doc_parse(line, size, &message, &fail)) {
		embedded->failed = true;
		return;
	}
	embedded->arrived_count++;
	embedded->arrived(embedded->ctx, message);
}

/* Nothing waits: each line is taken at once. */
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

int cl_embedded_open(const struct sv_config *config, void (*arrived)(void *ctx, struct pr_doc *message), void *ctx,
		     struct cl_embedded **out, struct pd_fail *fail)
{
	struct cl_embedded *embedded = calloc(1, sizeof *embedded);
	if (!embedded)
		return cl_no_memory(fail);
	*embedded = (struct cl_embedded){.wake = {-1, -1}, .arrived = arrived, .ctx = ctx};
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

int cl_embedded_call(struct cl_embedded *embedded, int64_t id, const char *method, const char *params,
		     struct pd_fail *fail)
{
	struct pd_buf line;
	pd_buf_init(&line, PR_LINE_MAX);
	pd_buf_printf(&line, "{\"jsonrpc\":\"2.0\",\"id\":%" PRId64 ",\"method\":\"%s\"", id, method);
	if (params) {
		pd_buf_puts(&line, ",\"params\":");
		pd_buf_puts(&line, params);
	}
	pd_buf_puts(&line, "}");
	int rc = line.failed ? cl_no_memory(fail) : PD_OK;
	if (!rc)
		sv_session_line(embedded->session, line.data, line.size);
	pd_buf_fini(&line);
	return rc;
}

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
	unsigned before = embedded->arrived_count;
	uint64_t begin = pd_now_ns();
	double left = seconds;
	do {
		int ms = left < 0 || left * 1e3 >= TICK_MS ? TICK_MS : (int)(left * 1e3) + 1;
		if (poll(&on, 1, ms) < 0 && errno != EINTR)
			return pd_fail_set(fail, PD_E_IO, "", "waiting failed: %s", strerror(errno));
		turn_loop(embedded);
		if (embedded->failed)
			return cl_no_memory(fail);
		if (seconds >= 0)
			left = seconds - (double)(pd_now_ns() - begin) / 1e9;
	} while (embedded->arrived_count == before && (seconds < 0 || left > 0));
	return PD_OK;
}
