/* V1: a long line is read by another thread, and belongs to that thread until its message is delivered. Here that
 * message is held back. */

#include <stdlib.h>
#include <string.h>

#include "server/api/request_lines.h"
#include "server/api/session.h"
#include "server/common/core_state.h"
#include "proto/base/mutex.h"
#include "server/core.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

enum { LONG = 20000 };

void __real_sv_completion_post(struct sv_core *core, struct sv_completion *completion);
void __wrap_sv_completion_post(struct sv_core *core, struct sv_completion *completion);

static pthread_cond_t come = PTHREAD_COND_INITIALIZER;
static struct sv_completion *withheld; /* guarded by the core's lock */

/* Under the core's lock. */
void __wrap_sv_completion_post(struct sv_core *core, struct sv_completion *completion)
{
	if (completion->deliver == sv_line_read) {
		withheld = completion;
		pthread_cond_signal(&come);
	} else {
		__real_sv_completion_post(core, completion);
	}
}

static void send_long(struct insession *s, const char *call)
{
	static char line[LONG + 1];
	memset(line, ' ', LONG);
	memcpy(line, call, strlen(call));
	insession_send(s, line);
	pd_mutex_lock(&s->core->lock);
	while (!withheld)
		pd_mutex_wait(&s->core->lock, &come);
	pd_mutex_unlock(&s->core->lock);
}

static void let_go(struct insession *s)
{
	pd_mutex_lock(&s->core->lock);
	__real_sv_completion_post(s->core, withheld);
	withheld = NULL;
	pd_mutex_unlock(&s->core->lock);
}

static void assert_next(struct insession *s, const char *id)
{
	char *line = insession_line(s);
	ck_assert_msg(strstr(line, id), "%s", line);
	free(line);
}

START_TEST(a_line_is_not_carried_out_before_it_is_delivered)
{
	struct insession s;
	insession_open(&s, NULL, 0, 2);
	insession_send(&s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"job.submit\",\"params\":{\"game\":\"mnk:3,3,3\","
			   "\"memory\":\"4M\"}}");
	send_long(&s, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"job.get\",\"params\":{\"job\":1}}");
	assert_next(&s, "\"id\":1,");
	sv_core_pump(s.core);
	ck_assert_uint_eq(s.count, 0);
	ck_assert(sv_session_waiting(s.session));
	let_go(&s);
	assert_next(&s, "\"id\":2,");
	ck_assert(!sv_session_waiting(s.session));
	ck_assert_uint_eq(sv_session_inflight(s.session), 0);
	insession_close(&s);
}
END_TEST

/* All its calls are refused as soon as it is read, so that nothing but the message holds it. */
START_TEST(a_session_may_close_before_it_is_delivered)
{
	struct insession s;
	insession_open(&s, NULL, 0, 2);
	send_long(&s, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"nothing\"}");
	sv_session_free(s.session);
	let_go(&s);
	sv_core_pump(s.core);
	sv_core_close(s.core);
	ck_assert_uint_eq(s.count, 0);
}
END_TEST

SUITE(long_line)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, a_line_is_not_carried_out_before_it_is_delivered);
	tcase_add_test(c, a_session_may_close_before_it_is_delivered);
}
