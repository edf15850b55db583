/* V1 while memory runs out: whichever allocation fails, once, several times on end or all from one on, every line has
 * its reply, or the session asks for the end of its connection. Afterwards the same core answers as before.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/methods.h"
#include "server/core.h"
#include "tests/support/effort.h"
#include "tests/support/insession.h"
#include "tests/support/shortage.h"
#include "tests/support/suite.h"

/* --- a session that needs no memory ------------------------------------------------------- */

struct client {
	struct sv_core *core;
	struct sv_session *session;
	pthread_mutex_t lock;
	pthread_cond_t woken;
	bool wake, hung_up;
	unsigned replies;
	char last[256]; /* how the last reply begins */
};

static void wake(void *ctx)
{
	struct client *c = ctx;
	pthread_mutex_lock(&c->lock);
	c->wake = true;
	pthread_cond_signal(&c->woken);
	pthread_mutex_unlock(&c->lock);
}

static void take_line(void *ctx, const char *line, size_t size)
{
	struct client *c = ctx;
	static const char notice[] = "{\"jsonrpc\":\"2.0\",\"method\"";
	size_t n = size < sizeof c->last ? size : sizeof c->last - 1;
	if (size >= sizeof notice && !memcmp(line, notice, sizeof notice - 1))
		return;
	c->replies++;
	memcpy(c->last, line, n);
	c->last[n] = 0;
}

static size_t count_backlog(void *ctx)
{
	return 0;
}

static void hang_up(void *ctx)
{
	((struct client *)ctx)->hung_up = true;
}

static void enter(struct client *c)
{
	struct sv_sink sink = {c, take_line, count_backlog, hang_up, true};
	c->session = sv_session_new(c->core, &sink);
	ck_assert_ptr_nonnull(c->session);
	c->hung_up = false;
	c->replies = 0;
}

/* Waits for the core's wake-up; a lost reply is found by the limit of the test's time. */
static void await_job(struct client *c, unsigned replies)
{
	while (c->replies < replies && !c->hung_up) {
		pthread_mutex_lock(&c->lock);
		while (!c->wake)
			pthread_cond_wait(&c->woken, &c->lock);
		c->wake = false;
		pthread_mutex_unlock(&c->lock);
		sv_core_pump(c->core);
		sv_core_tick(c->core);
	}
}

/* --- the scenario ------------------------------------------------------------------------- */

static const char *const calls[] = {
	"\"rpc.discover\"",
	"\"server.hello\"",
	"\"server.stats\"",
	"\"server.workers\"",
	"\"game.list\"",
	"\"game.describe\",\"params\":{\"game\":\"connect4:5x5\"}",
	"\"position.show\",\"params\":{\"game\":\"mnk:3,3,3\",\"position\":\"b2\"}",
	"\"job.submit\",\"params\":{\"game\":\"mnk:3,3,3\",\"memory\":\"1M\"}",
	"\"job.get\",\"params\":{\"job\":1}",
	"\"job.list\"",
	"\"job.watch\",\"params\":{\"job\":2}",
	"\"job.explain\",\"params\":{\"job\":2}",
	"\"job.tree\",\"params\":{\"job\":1,\"depth\":2}",
	"\"position.analyze\",\"params\":{\"game\":\"mnk:3,3,3\"}",
	"\"position.watch\",\"params\":{\"game\":\"mnk:3,3,3\"}",
	"\"position.unwatch\",\"params\":{\"game\":\"mnk:3,3,3\"}",
	"\"job.pause\",\"params\":{\"job\":2}",
	"\"job.set\",\"params\":{\"job\":2,\"priority\":5}",
	"\"job.resume\",\"params\":{\"job\":2}",
	"\"group.set\",\"params\":{\"group\":\"g\",\"limit\":1}",
	"\"job.submit\",\"params\":{\"game\":\"mnk:3,3,3\",\"memory\":\"1M\",\"group\":\"g\",\"after\":[1]}",
	"\"group.list\"",
	("\"campaign.submit\",\"params\":{\"game\":\"mnk:3,3,3\",\"memory\":\"1M\",\"tags\":[\"t\"],\"once\":true,"
	 "\"questions\":[{\"moves\":[\"b2\"]},{\"moves\":[\"a1\"],\"label\":\"corner\"}]}"),
	"\"campaign.list\"",
	"\"campaign.table\",\"params\":{\"tag\":\"t\"}",
	"\"campaign.change\",\"params\":{\"action\":\"set\",\"tag\":\"t\",\"priority\":1,\"budget\":{\"nodes\":9}}",
	"\"job.unwatch\",\"params\":{\"job\":2}",
	"\"job.history\",\"params\":{\"job\":1}",
	"\"fact.query\",\"params\":{\"game\":\"mnk:3,3,3\",\"position\":\"b2\"}",
	"\"fact.query\",\"params\":{\"game\":\"mnk:3,3,3\",\"moves\":true}",
	"\"fact.query\",\"params\":{\"moves\":true,\"game\":\"mnk:3,3,3\",\"positions\":[\"\",\"b2\"]}",
	("\"fact.probe\",\"params\":{\"positions\":"
	 "[{\"game\":\"mnk:3,3,3\"},{\"game\":\"mnk:3,3,3\",\"moves\":[\"b2\"]}]}"),
	"\"fact.line\",\"params\":{\"game\":\"mnk:3,3,3\"}",
	"\"fact.line\",\"params\":{\"game\":\"mnk:3,3,3\",\"record\":\"sgf\",\"variations\":2}",
	"\"proof.tree\",\"params\":{\"game\":\"mnk:3,3,3\",\"depth\":1,\"dot\":\"boards\"}",
	("\"study.put\",\"params\":{\"game\":\"mnk:3,3,3\",\"text\":\"t\",\"nodes\":[{\"depth\":1,\"move\":\"b2\","
	 "\"mark\":\"!\"}]}"),
	"\"study.put\",\"params\":{\"game\":\"mnk:3,3,3\",\"moves\":\"(;B[b2]C[c])\"}",
	"\"study.list\"",
	"\"study.get\",\"params\":{\"study\":3,\"record\":\"sgf\"}",
	"\"study.remove\",\"params\":{\"study\":3,\"revision\":1}",
	"\"proof.list\"",
	"\"proof.export\",\"params\":{\"game\":\"mnk:3,3,3\"}",
	"\"proof.cancel\"",
	"\"proof.read\",\"params\":{\"proof\":\"no-such-proof\"}",
	"\"proof.cite\",\"params\":{\"proof\":\"no-such-proof\"}",
	"\"table.build\",\"params\":{\"game\":\"checkers\",\"material\":\"MvM\"}",
	"\"table.list\"",
	"\"table.cancel\",\"params\":{\"game\":\"checkers\",\"material\":\"MvM\"}",
	"\"server.series\"",
	"\"experiment.list\"",
	"\"experiment.start\",\"params\":{\"suites\":[\"none\"]}",
	"\"experiment.read\",\"params\":{\"experiment\":1}",
	"\"experiment.report\",\"params\":{\"experiment\":9}",
	"\"experiment.stop\",\"params\":{\"experiment\":9}",
	"\"experiment.resume\",\"params\":{\"experiment\":9}",
	"\"experiment.remove\",\"params\":{\"experiment\":9}",
	"\"no.such.method\"",
};
static char proof[40]; /* the name of a certificate that was exported before */

enum { CALLS = sizeof calls / sizeof *calls, LINES = CALLS + 5 };

/* Lines of every kind: all methods, large queries in the quick shape, a batch, a long line, what is no JSON. */
static unsigned make_lines(char **lines)
{
	unsigned n = 0;
	char *text;
	for (unsigned i = 0; i < CALLS; i++) {
		text = lines[n++] = malloc(300);
		snprintf(text, 300, "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":%s}", n, calls[i]);
	}
	text = lines[n++] = malloc(1000);
	strcpy(text, "{\"jsonrpc\":\"2.0\",\"id\":90,\"method\":\"fact.query\",\"params\":{\"game\":\"mnk:3,3,3\","
		     "\"positions\":[\"\"");
	for (unsigned i = 0; i < 80; i++)
		strcat(text, ",\"b2\"");
	strcat(text, "]}}");
	lines[n++] = strdup(
		"[{\"jsonrpc\":\"2.0\",\"id\":91,\"method\":\"server.hello\"},{\"jsonrpc\":\"2.0\",\"method\":\"game."
		"list\"},"
		"{\"jsonrpc\":\"2.0\",\"id\":92,\"method\":\"fact.line\",\"params\":{\"game\":\"mnk:3,3,3\"}},7]");
	text = lines[n++] = malloc(40000);
	strcpy(text, "[{\"jsonrpc\":\"2.0\",\"id\":93,\"method\":\"job.get\",\"params\":{\"job\":1}}");
	size_t size = strlen(text);
	memset(text + size, ' ', 30000);
	strcpy(text + size + 30000, ",{\"jsonrpc\":\"2.0\",\"id\":94,\"method\":\"job.list\"}]");
	lines[n++] = strdup("{\"jsonrpc\":");
	lines[n++] = strdup("{\"jsonrpc\":\"2.0\",\"id\":95,\"method\":\"job.cancel\",\"params\":{\"job\":2}}");
	ck_assert_uint_eq(n, LINES);
	return n;
}

/* A certificate is made, checked by a process, and removed. */
static unsigned make_proof_lines(char **lines)
{
	static const char *const methods[] = {"proof.verify", "proof.read", "proof.remove"};
	unsigned n = 0;
	lines[n++] = strdup("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"proof.export\",\"params\":{\"game\":"
			    "\"mnk:3,3,3\"}}");
	for (unsigned i = 0; i < sizeof methods / sizeof *methods; i++) {
		char *text = lines[n++] = malloc(300);
		snprintf(text, 300, "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"%s\",\"params\":{\"proof\":\"%s\"}}",
			 n, methods[i], proof);
	}
	return n;
}

/* All lines, while allocations fail. Returns how many did. */
static long play_lines(struct client *c, char **lines, unsigned count, long k, long how_many)
{
	enter(c);
	shortage_arm(k, how_many);
	for (unsigned i = 0; i < count && !c->hung_up; i++) {
		sv_session_line(c->session, lines[i], strlen(lines[i]));
		await_job(c, i + 1);
		if (!c->hung_up && c->replies != i + 1) {
			shortage_end();
			ck_abort_msg("k %ld: %u replies to %u lines, the last to %s", k, c->replies, i + 1, lines[i]);
		}
	}
	long failed = shortage_end();
	sv_session_free(c->session);
	return failed;
}

/* The first line that has the text. */
static const char *line_with(char **lines, unsigned count, const char *text)
{
	unsigned i = 0;
	while (i < count && !strstr(lines[i], text))
		i++;
	ck_assert_uint_lt(i, count);
	return lines[i];
}

static const char *const some[] = {"server.hello", "game.describe", "job.get",    "job.tree",
				   "job.history",  "fact.query",    "fact.probe", "fact.line",
				   "proof.tree",   "\"id\":90,",    "\"id\":93,", NULL},
			 *const all_of_proofs[] = {"proof.export", "proof.verify", "proof.read", "proof.remove", NULL};

/* `texts`: what the lines have that must have a result now. */
static void still_works(struct client *c, char **lines, unsigned count, const char *const *texts)
{
	enter(c);
	for (unsigned i = 0; texts[i]; i++) {
		const char *line = line_with(lines, count, texts[i]);
		sv_session_line(c->session, line, strlen(line));
		await_job(c, i + 1);
		ck_assert(!c->hung_up);
		ck_assert_msg(strstr(c->last, "\"result\"") != NULL, "%s\n%s", line, c->last);
	}
	sv_session_free(c->session);
}

static void prepare(const char *dir)
{
	struct insession s;
	bool ok;
	pr_ref result;
	insession_open(&s, dir, 1, 0.05);
	pr_doc_free(insession_call(&s, "job.submit", "\"game\":\"mnk:3,3,3\",\"memory\":\"1M\"", &ok, &result));
	insession_assert_ends(&s, 1, "solved");
	struct pr_doc *doc = insession_call(&s, "proof.export", "\"game\":\"mnk:3,3,3\"", &ok, &result);
	ck_assert(ok);
	snprintf(proof, sizeof proof, "%s", pr_get_str(result, "proof", ""));
	pr_doc_free(doc);
	insession_close(&s);
}

static void every_allocation(unsigned (*make)(char **lines), const char *const *texts, long how_many, long stride)
{
	struct client c = {.lock = PTHREAD_MUTEX_INITIALIZER, .woken = PTHREAD_COND_INITIALIZER};
	struct sv_config config;
	struct pd_fail fail;
	char dir[64], *lines[LINES];
	scratch_dir(dir);
	prepare(dir);
	unsigned count = make(lines);
	ck_assert_str_ne(proof, "");
	sv_config_init(&config);
	config.data = dir;
	config.threads = 0;
	config.proofcheck = TEST_PROOFCHECK;
	ck_assert_msg(!sv_core_open(&config, wake, &c, &c.core, &fail), "%s", fail.text);
	long k = 1, failed;
	do {
		failed = play_lines(&c, lines, count, k, how_many);
		still_works(&c, lines, count, texts);
		k += stride;
		ck_assert_int_lt(k, 100000);
	} while (failed);
	ck_assert_int_gt(k, 50); /* it did fail, many times */
	sv_core_close(c.core);
	for (unsigned i = 0; i < count; i++)
		free(lines[i]);
	scratch_remove_all(dir);
}

START_TEST(one_allocation_fails)
{
	every_allocation(make_lines, some, 1, (effort() < 100 ? 3 : 1) * effort_stride());
}
END_TEST

START_TEST(ten_allocations_fail)
{
	every_allocation(make_lines, some, 10, 3 * effort_stride());
}
END_TEST

START_TEST(all_allocations_fail_from_one_on)
{
	every_allocation(make_lines, some, 1000000, 3 * effort_stride());
}
END_TEST

START_TEST(an_allocation_fails_for_a_certificate)
{
	every_allocation(make_proof_lines, all_of_proofs, _i ? 1000000 : 1, effort_stride());
}
END_TEST

/* Of each method there is a call among the lines, but for those that end the server or write elsewhere, and for the
 * removal of job 1, which the others need. */
START_TEST(no_method_is_left_out)
{
	static const char *const out[] = {"server.shutdown", "server.backup", "job.remove"};
	char *lines[LINES + 4];
	unsigned count = make_lines(lines), left_out = 0;
	count += make_proof_lines(lines + count);
	for (unsigned m = 0; m < PR_METHOD_COUNT; m++) {
		const char *name = pr_method_info((enum pr_method)m)->name;
		bool excepted = false, called = false;
		char quoted[64];
		snprintf(quoted, sizeof quoted, "\"method\":\"%s\"", name);
		for (unsigned i = 0; i < sizeof out / sizeof *out; i++)
			excepted = excepted || !strcmp(out[i], name);
		for (unsigned i = 0; i < count; i++)
			called = called || strstr(lines[i], quoted) != NULL;
		ck_assert_msg(called != excepted, "%s", name);
		left_out += excepted;
	}
	ck_assert_uint_eq(left_out, sizeof out / sizeof *out);
	for (unsigned i = 0; i < count; i++)
		free(lines[i]);
}
END_TEST

/* What was asked for is what is opened: neither a store in memory in place of the directory, nor a server that knows no
 * graphs. */
START_TEST(an_opening_without_memory_is_refused)
{
	static const char job
		[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"job.get\",\"params\":{\"job\":1}}",
	     graph[] =
		     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"game.describe\",\"params\":{\"game\":\"andor:draw\"}}";
	struct client c = {.lock = PTHREAD_MUTEX_INITIALIZER, .woken = PTHREAD_COND_INITIALIZER};
	struct sv_config config;
	char dir[64];
	unsigned refused = 0, opened = 0;
	scratch_dir(dir);
	prepare(dir);
	sv_config_init(&config);
	config.data = dir;
	config.graphs = TEST_GRAPHS;
	config.threads = 0;
	long failed = 1;
	for (long k = 1; failed; k++) {
		struct pd_fail fail = {.text = ""};
		shortage_arm(k, 1);
		int rc = sv_core_open(&config, wake, &c, &c.core, &fail);
		failed = shortage_end();
		if (rc) {
			refused++;
			ck_assert_str_ne(fail.text, "");
			continue;
		}
		opened++;
		enter(&c);
		sv_session_line(c.session, job, strlen(job));
		await_job(&c, 1);
		ck_assert_msg(strstr(c.last, "\"result\"") != NULL, "k %ld: %s", k, c.last);
		sv_session_line(c.session, graph, strlen(graph));
		await_job(&c, 2);
		ck_assert_msg(strstr(c.last, "\"result\"") != NULL, "k %ld: %s", k, c.last);
		sv_session_free(c.session);
		sv_core_close(c.core);
	}
	ck_assert_uint_gt(refused, 5);
	ck_assert_uint_gt(opened, 0);
	scratch_remove_all(dir);
}
END_TEST

SUITE(memory)
{
	tcase_set_timeout(c, 900);
	tcase_add_test(c, one_allocation_fails);
	tcase_add_test(c, ten_allocations_fail);
	tcase_add_test(c, all_allocations_fail_from_one_on);
	tcase_add_loop_test(c, an_allocation_fails_for_a_certificate, 0, 2);
	tcase_add_test(c, no_method_is_left_out);
	tcase_add_test(c, an_opening_without_memory_is_refused);
}
