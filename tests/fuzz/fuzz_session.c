/* Sessions: lines sent to a core that knows the facts of a small game and has jobs, and no workers. Each line gets one
 * reply at most, and no call stays unanswered (V1). A line that is a quick query gets the general way's reply, byte for
 * byte. */
#include <sched.h>
#include <string.h>

#include "proto/fastpath.h"
#include "proto/rpc.h"
#include "server/api/request_lines.h"
#include "server/api/session_state.h"
#include "server/api/session.h"
#include "server/core.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/insession.h"

enum { LINES_MAX = 16, LIVES = 2000 };

static struct insession s;
static char dir[64];
static unsigned lives;

static void close_life(void)
{
	insession_close(&s);
	scratch_remove_all(dir);
}

/* A directory with a solved game, served without workers: jobs that are handed in stay queued. Another one now and
 * then, so that they do not pile up for ever. */
static void renew(void)
{
	char state[16];
	bool ok;
	pr_ref result;
	if (lives++ % LIVES)
		return;
	if (lives > 1)
		close_life();
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	struct pr_doc *doc = insession_call(&s, "job.submit", "\"game\":\"mnk:3,3,3\",\"memory\":\"1M\"", &ok, &result);
	FUZZ_CHECK(ok);
	insession_wait(&s, (unsigned)pr_get_int(result, "job", 0), state);
	FUZZ_CHECK(!strcmp(state, "solved"));
	pr_doc_free(doc);
	insession_close(&s);
	insession_open(&s, dir, 0, 0.05);
	if (lives == 1)
		atexit(close_life);
}

static void send_general(struct sv_session *session, const char *line, size_t size)
{
	sv_request_line(session, line, size, false);
}

static void send_fast(struct sv_session *session, const char *line, size_t size)
{
	sv_session_line(session, line, size); /* the client goes on whether it has to be closed or not */
}

/* What a watched job tells on its own. */
static bool is_notification(const char *line)
{
	static const char begin[] = "{\"jsonrpc\":\"2.0\",\"method\":";
	return !strncmp(line, begin, sizeof begin - 1);
}

/* The next line that is a reply, of those that have come; NULL: none. */
static char *next_reply(void)
{
	while (s.count) {
		char *line = insession_line(&s);
		if (!is_notification(line))
			return line;
		free(line);
	}
	return NULL;
}

/* The reply to a line, waited for; NULL: none. */
static char *reply_of(void (*send)(struct sv_session *session, const char *line, size_t size), const char *line,
		      size_t size)
{
	send(s.session, line, size);
	while (sv_session_inflight(s.session)) {
		sched_yield();
		sv_core_pump(s.core);
	}
	return next_reply();
}

static void send_line(const char *line, size_t size)
{
	struct pr_fastpath query;
	char *one = reply_of(send_fast, line, size);
	if (pr_fastpath_read(line, size, &query)) {
		char *two = reply_of(send_general, line, size);
		FUZZ_CHECK(one && two && !strcmp(one, two));
		free(two);
	}
	free(one);
	FUZZ_CHECK(!next_reply());
}

FUZZ(session)
{
	const char *p = (const char *)data, *end = p + size;
	renew();
	for (unsigned i = 0; i < LINES_MAX && p < end; i++) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		stop = stop ? stop : end;
		if (stop - p < PR_LINE_MAX)
			send_line(p, (size_t)(stop - p));
		p = stop + 1;
	}
	return 0;
}
