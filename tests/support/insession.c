#include "tests/support/insession.h"
#include "tests/support/shape.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void wake_up(void *ctx)
{
	struct insession *s = ctx;
	pthread_mutex_lock(&s->lock);
	s->wake = true;
	pthread_cond_signal(&s->woken);
	pthread_mutex_unlock(&s->lock);
}

static void take_line(void *ctx, const char *line, size_t size)
{
	struct insession *s = ctx;
	if (s->count == 256)
		abort();
	s->lines[(s->first + s->count++) % 256] = strndup(line, size);
}

static size_t count_backlog(void *ctx)
{
	return ((struct insession *)ctx)->backlog;
}

static void hang_up(void *ctx)
{
	((struct insession *)ctx)->hung_up = true;
}

void insession_open(struct insession *s, const char *dir, unsigned threads, double checkpoint_s)
{
	struct sv_config config;
	sv_config_init(&config);
	config.nice = 0; /* search threads get their share even where other tests use every processor */
	config.data = dir;
	config.threads = threads;
	config.checkpoint_s = checkpoint_s;
	config.graphs = TEST_GRAPHS;
	config.identity = 1;
	config.proofcheck = access(TEST_PROOFCHECK, X_OK) ? NULL : TEST_PROOFCHECK; /* it may not be built yet */
	config.proofctl = TEST_PROOFCTL;
	config.experiments = dir && !access(TEST_PROOFCTL, X_OK) ? TEST_GRAPHS : NULL; /* a directory without suites */
	insession_open_as(s, &config);
}

void insession_open_as(struct insession *s, const struct sv_config *config)
{
	struct pd_fail fail;
	struct sv_sink sink = {s, take_line, count_backlog, hang_up, true};
	memset(s, 0, sizeof *s);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->woken, NULL);
	if (sv_core_open(config, wake_up, s, &s->core, &fail)) {
		fprintf(stderr, "%s: %s\n", fail.field, fail.text);
		abort();
	}
	s->session = sv_session_new(s->core, &sink);
}

void insession_close(struct insession *s)
{
	sv_session_free(s->session);
	sv_core_close(s->core);
	while (s->count) {
		free(s->lines[s->first++ % 256]);
		s->count--;
	}
	pthread_cond_destroy(&s->woken);
	pthread_mutex_destroy(&s->lock);
}

void insession_send(struct insession *s, const char *line)
{
	sv_session_line(s->session, line, strlen(line));
}

char *insession_line(struct insession *s)
{
	while (!s->count) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 20000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_mutex_lock(&s->lock);
		if (!s->wake)
			pthread_cond_timedwait(&s->woken, &s->lock, &until);
		s->wake = false;
		pthread_mutex_unlock(&s->lock);
		sv_core_pump(s->core);
		sv_core_tick(s->core);
	}
	char *line = s->lines[s->first];
	s->first = (s->first + 1) % 256;
	s->count--;
	return line;
}

/* Every result has the shape that the method table promises. */
static void check_result(const char *name, pr_ref result, const char *line)
{
	enum pr_method method;
	struct pd_fail fail;
	if (!pr_method_find(name, &method) || shape_check(pr_method_info(method)->result, result, &fail)) {
		fprintf(stderr, "%s: %s: %s\n", name, fail.text, line);
		abort();
	}
}

struct pr_doc *insession_call(struct insession *s, const char *method, const char *params, bool *ok, pr_ref *result)
{
	static char text[1 << 20];
	unsigned id = ++s->next_id;
	snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"%s\",\"params\":{%s}}", id, method,
		 params);
	insession_send(s, text);
	for (;;) {
		char *line = insession_line(s);
		struct pr_doc *doc;
		struct pd_fail fail;
		if (pr_doc_parse(line, strlen(line), &doc, &fail)) {
			fprintf(stderr, "%s: %s\n", fail.text, line);
			abort();
		}
		pr_ref root = pr_doc_root(doc);
		if (pr_get_int(root, "id", 0) == id) {
			*ok = pr_has(root, "result");
			*result = pr_get(root, *ok ? "result" : "error");
			if (*ok)
				check_result(method, *result, line);
			free(line);
			return doc;
		}
		free(line);
		pr_doc_free(doc);
	}
}

void insession_state(struct insession *s, unsigned job, char *out)
{
	char params[32];
	bool ok;
	pr_ref result;
	snprintf(params, sizeof params, "\"job\":%u", job);
	struct pr_doc *doc = insession_call(s, "job.get", params, &ok, &result);
	snprintf(out, 16, "%s", pr_get_str(result, "state", "error"));
	pr_doc_free(doc);
}

void insession_wait(struct insession *s, unsigned job, char *state)
{
	char params[64];
	bool ok;
	pr_ref result;
	snprintf(params, sizeof params, "\"job\":%u,\"interval\":0.1", job);
	pr_doc_free(insession_call(s, "job.watch", params, &ok, &result));
	for (;;) {
		insession_state(s, job, state);
		if (strcmp(state, "queued") && strcmp(state, "running"))
			break;
		free(insession_line(s));
	}
	pr_doc_free(insession_call(s, "job.unwatch", params, &ok, &result));
}

unsigned insession_submit(struct insession *s, const char *params)
{
	bool ok;
	pr_ref result;
	struct pr_doc *doc = insession_call(s, "job.submit", params, &ok, &result);
	ck_assert_msg(ok, "%s: %s", params, pr_get_str(result, "message", "?"));
	unsigned job = (unsigned)pr_get_int(result, "job", 0);
	pr_doc_free(doc);
	return job;
}

int64_t insession_code(struct insession *s, const char *method, const char *params)
{
	bool ok;
	pr_ref result;
	struct pr_doc *doc = insession_call(s, method, params, &ok, &result);
	int64_t code = ok ? 0 : pr_get_int(result, "code", -1);
	pr_doc_free(doc);
	return code;
}

int64_t insession_on_job(struct insession *s, const char *method, unsigned job, const char *more)
{
	char params[256];
	snprintf(params, sizeof params, "\"job\":%u%s", job, more);
	return insession_code(s, method, params);
}

void insession_assert_state(struct insession *s, unsigned job, const char *wanted)
{
	char state[16];
	insession_state(s, job, state);
	ck_assert_str_eq(state, wanted);
}

void insession_wait_state(struct insession *s, unsigned job, const char *wanted)
{
	char state[16];
	do
		insession_state(s, job, state);
	while (strcmp(state, wanted));
}

void insession_assert_ends(struct insession *s, unsigned job, const char *wanted)
{
	char state[16];
	insession_wait(s, job, state);
	ck_assert_str_eq(state, wanted);
}

void scratch_dir(char *path)
{
	const char *base = getenv("TMPDIR");
	snprintf(path, 64, "%.40s/proofd-XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(path))
		abort();
}

void scratch_remove(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char name[8192];
	while (dir && (entry = readdir(dir)) != NULL) {
		snprintf(name, sizeof name, "%s/%.255s", path, entry->d_name);
		unlink(name);
	}
	if (dir)
		closedir(dir);
	rmdir(path);
}

void scratch_remove_all(const char *path)
{
	char name[4096];
	DIR *dir = opendir(path);
	const struct dirent *entry;
	while (dir && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] != '.' &&
		    snprintf(name, sizeof name, "%s/%s", path, entry->d_name) < (int)sizeof name)
			scratch_remove(name); /* does nothing to a file */
	}
	if (dir)
		closedir(dir);
	scratch_remove(path);
}
