#define _GNU_SOURCE /* memfd_create */
#include "server/experiments/experiments.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/mutex.h"
#include "proto/base/utf8.h"
#include "proto/doc.h"
#include "server/common/game_dirs.h"
#include "server/common/memory_bound.h"
#include "server/common/subprocess.h"
#include "store/files.h"

enum {
	LOOK_MS = 100,
	SLACK = 8, /* what waits for the disk goes on when an eighth more than the reserve is free, as jobs do */
	WORDS_MAX = 64 + 6 * SV_GAME_DIRS_MAX,
	TOOL_S = 60,            /* processor time of a check, and of a report */
	RUNS_BYTES = 256 << 20, /* of the results */
	SAID_BYTES = 1 << 16
};

#define LOOK_NS (LOOK_MS * UINT64_C(1000000))

struct sv_experiments {
	const struct sv_config *config;
	char *program, *place; /* owned */
	pthread_t thread;
	struct pd_mutex lock;                                /* guards the rest */
	pthread_cond_t come;                                 /* an experiment waits, or is to be stopped */
	bool closing, stop;                                  /* stop: the running one is to be ended for good */
	unsigned count, next;                                /* next: the number of the next experiment */
	struct sv_experiment_state list[SV_EXPERIMENTS_MAX]; /* in the order of their numbers */
};

const char *sv_experiments_place(const struct sv_experiments *e)
{
	return e->place;
}

const char *sv_experiments_suites(const struct sv_experiments *e)
{
	return e->config->experiments;
}

/* Under the lock; NULL: there is none. */
static struct sv_experiment_state *find_number(struct sv_experiments *e, int64_t number)
{
	PD_ASSERT(pd_mutex_held(&e->lock));
	for (unsigned i = 0; i < e->count; i++)
		if (e->list[i].number == number)
			return &e->list[i];
	return NULL;
}

static int refuse_number(int64_t number, struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_NOT_FOUND, "experiment", "no experiment has the number %lld", (long long)number);
}

/* --- proofctl ----------------------------------------------------------------------------- */

/* The command line `proofctl suite ...`: the words up to NULL, then what the games of this server need. */
static void put_words(const struct sv_experiments *e, char *words[WORDS_MAX], const char *const *first)
{
	const struct sv_game_dirs *dirs = e->config->game_dirs;
	const char *all[WORDS_MAX] = {e->program, "suite"};
	unsigned n = 2;
	while (*first)
		all[n++] = *first++;
	if (e->config->graphs) {
		all[n++] = "--graphs";
		all[n++] = e->config->graphs;
	}
	for (unsigned i = 0; dirs && i < dirs->count; i++) {
		all[n++] = "--game-dir";
		all[n++] = dirs->dir[i];
	}
	for (unsigned i = 0; dirs && i < dirs->programs; i++) {
		all[n++] = "--game-program";
		all[n++] = dirs->program[i];
	}
	for (unsigned i = 0; dirs && i < dirs->file_lists; i++) {
		all[n++] = "--game-files";
		all[n++] = dirs->files[i];
	}
	PD_ASSERT(n < WORDS_MAX);
	all[n] = NULL;
	memcpy(words, all, (n + 1) * sizeof *words);
}

/* What a command that takes a moment has said. */
struct answer {
	struct pd_buf out, err;
	int status; /* as from waitpid */
};

static void begin_answer(struct answer *a)
{
	a->status = 0;
	pd_buf_init(&a->out, SV_REPORT_BYTES_MAX);
	pd_buf_init(&a->err, SAID_BYTES);
}

static void end_answer(struct answer *a)
{
	pd_buf_fini(&a->out);
	pd_buf_fini(&a->err);
}

static void read_back(int fd, struct pd_buf *out)
{
	char piece[4096];
	off_t at = 0;
	for (ssize_t size; (size = pread(fd, piece, sizeof piece, at)) > 0; at += size)
		pd_buf_put(out, piece, (size_t)size);
}

/* Runs `proofctl suite` with these words. */
static int ask_tool(struct sv_experiments *e, const struct sv_asker *asker, const char *const *first,
		    struct answer *answer, struct pd_fail *fail)
{
	char *words[WORDS_MAX];
	pid_t pid;
	struct sv_subprocess tool = {.words = words,
				     .out = memfd_create("out", MFD_CLOEXEC),
				     .err = memfd_create("err", MFD_CLOEXEC),
				     .memory = e->config->experiment_memory,
				     .file_bytes = SV_REPORT_BYTES_MAX,
				     .seconds = TOOL_S};
	put_words(e, words, first);
	int rc = tool.out < 0 || tool.err < 0 ? pd_fail_errno(fail, "", "run", e->program)
					      : sv_subprocess_start(&tool, &pid, fail);
	while (!rc && !sv_subprocess_await(pid, LOOK_MS, &answer->status)) {
		if (asker->go_on(asker->ctx))
			continue;
		sv_subprocess_kill(pid);
		rc = pd_fail_set(fail, PD_E_SHUTDOWN, "", "the answer is no longer wanted");
	}
	if (!rc) {
		read_back(tool.out, &answer->out);
		read_back(tool.err, &answer->err);
	}
	if (tool.out >= 0)
		close(tool.out);
	if (tool.err >= 0)
		close(tool.err);
	return rc;
}

/* What the program says is wrong, as the failure of a request, without the name of the folder. */
static int refuse_answer(const struct sv_experiments *e, const struct answer *a, const char *field,
			 struct pd_fail *fail)
{
	struct pr_doc *doc = NULL;
	struct pd_fail ignored;
	int number = WIFSIGNALED(a->status) ? WTERMSIG(a->status) : 0, rc;
	if (a->err.size && pr_doc_parse(a->err.data, a->err.size, &doc, &ignored))
		doc = NULL;
	const char *text = doc ? pr_get_str(pr_get(pr_doc_root(doc), "error"), "message", NULL) : NULL;
	const char *at = text ? strstr(text, e->place) : NULL,
		   *name = at ? strchr(at + strlen(e->place) + 1, '/') : NULL;
	if (name)
		rc = pd_fail_set(fail, PD_E_PARAMS, field, "%.*s%.280s", (int)(at - text), text, name + 1);
	else if (text)
		rc = pd_fail_set(fail, PD_E_PARAMS, field, "%.300s", text);
	else if (number == SIGXFSZ || number == SIGXCPU)
		rc = pd_fail_set(fail, PD_E_LIMIT, "", "more than %d s or %d bytes: too much for a server", TOOL_S,
				 SV_REPORT_BYTES_MAX);
	else
		rc = pd_fail_set(fail, PD_E_IO, "", "proofctl gives no answer (status %d): %.200s", a->status,
				 a->err.size ? a->err.data : "");
	pr_doc_free(doc);
	return rc;
}

int sv_experiment_report(struct sv_experiments *e, const struct sv_asker *asker, int64_t number, const char *option,
			 struct pd_buf *out, struct pd_fail *fail)
{
	struct sv_experiment_state state = {.number = 0};
	struct answer a;
	int rc = sv_experiment_get(e, number, &state, fail);
	if (rc)
		return rc;
	if (!state.done)
		return pd_fail_set(fail, PD_E_STATE, "experiment", "experiment %lld has no runs yet",
				   (long long)number);
	struct sv_experiment_path runs = sv_experiment_path(e->place, state.number, "runs");
	const char *const words[] = {"report", runs.text, option, NULL};
	begin_answer(&a);
	rc = ask_tool(e, asker, words, &a, fail);
	if (!rc && a.status)
		rc = refuse_answer(e, &a, "experiment", fail);
	if (!rc)
		pd_buf_put(out, a.out.data, a.out.size);
	end_answer(&a);
	return rc;
}

static int take_size(struct sv_experiment_state *s, pr_ref told, struct pd_fail *fail)
{
	s->questions = pr_get_int(told, "questions", 0);
	s->variants = pr_get_int(told, "variants", 0);
	s->seeds = pr_get_int(told, "seeds", 0);
	s->runs = pr_get_int(told, "runs", 0);
	if (!*s->title)
		snprintf(s->title, sizeof s->title, "%s", pr_get_str(told, "suite", ""));
	return s->runs <= SV_EXPERIMENT_RUNS_MAX
		       ? PD_OK
		       : pd_fail_set(fail, PD_E_LIMIT, "text", "the suite makes %lld runs; a server does at most %d",
				     (long long)s->runs, SV_EXPERIMENT_RUNS_MAX);
}

/* Has the suite checked, and takes its size. */
static int check_suite(struct sv_experiments *e, const struct sv_asker *asker, struct sv_experiment_state *s,
		       struct pd_fail *fail)
{
	struct sv_experiment_path suite = sv_experiment_path(e->place, s->number, "suite");
	const char *const words[] = {"check", suite.text, "--json", NULL};
	struct answer a;
	struct pr_doc *doc = NULL;
	begin_answer(&a);
	int rc = ask_tool(e, asker, words, &a, fail);
	if (!rc && (a.status || pr_doc_parse(a.out.size ? a.out.data : "", a.out.size, &doc, fail)))
		rc = refuse_answer(e, &a, "text", fail);
	rc = rc ? rc : take_size(s, pr_doc_root(doc), fail);
	pr_doc_free(doc);
	end_answer(&a);
	return rc;
}

/* --- running ------------------------------------------------------------------------------ */

/* Takes what the results and the log say into the state of one that runs no more. */
static void judge_end(const struct sv_experiments *e, struct sv_experiment_state *s, int status)
{
	struct sv_experiment_path log = sv_experiment_path(e->place, s->number, "log");
	struct pd_fail fail;
	struct pd_buf said;
	s->ended_ms = pd_wall_ms();
	s->state = s->done >= s->runs ? SV_EXPERIMENT_DONE : SV_EXPERIMENT_FAILED;
	if (s->state == SV_EXPERIMENT_DONE)
		return;
	pd_buf_init(&said, SAID_BYTES);
	if (sv_experiment_put_file(&log, sizeof s->reason - 100, &said, &fail))
		pd_buf_puts(&said, fail.text);
	for (size_t i = 0, n; i < said.size; i += n ? n : 1)
		if (!(n = pd_utf8_length(said.data + i, said.size - i)) || (unsigned char)said.data[i] < ' ')
			said.data[i] = ' ';
	if (WIFSIGNALED(status))
		snprintf(s->reason, sizeof s->reason, "proofctl was ended by signal %d; %.180s", WTERMSIG(status),
			 said.size ? said.data : "it said nothing");
	else
		snprintf(s->reason, sizeof s->reason, "proofctl ended with exit code %d: %.180s", WEXITSTATUS(status),
			 said.size ? said.data : "it said nothing");
	pd_buf_fini(&said);
}

static int start_run(const struct sv_experiments *e, const struct sv_experiment_state *s, pid_t *pid,
		     struct pd_fail *fail)
{
	struct sv_experiment_path path = sv_experiment_path(e->place, s->number, "log");
	struct sv_experiment_path suite = sv_experiment_path(e->place, s->number, "suite");
	struct sv_experiment_path runs = sv_experiment_path(e->place, s->number, "runs");
	struct pd_buf text;
	const char *const first[] = {"run", suite.text, "--out", runs.text, "--any-build", NULL};
	char *words[WORDS_MAX];
	pd_buf_init(&text, SV_SUITE_BYTES_MAX + 1);
	int rc = sv_experiment_suite(e->place, s, &text, fail);
	pd_buf_fini(&text);
	if (rc)
		return rc;
	int log = open(path.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (log < 0)
		return pd_fail_errno(fail, "", "write", path.text);
	const struct sv_subprocess run = {.words = words,
					  .out = log,
					  .err = log,
					  .memory = e->config->experiment_memory,
					  .file_bytes = RUNS_BYTES};
	put_words(e, words, first);
	rc = sv_subprocess_start(&run, pid, fail);
	close(log);
	return rc;
}

/* Under the lock: writes the state of one that has ended; what cannot be written is run again by the next server. */
static void note_end(const struct sv_experiments *e, const struct sv_experiment_state *s)
{
	struct sv_experiment_path folder = sv_experiment_path(e->place, s->number, NULL);
	struct pd_fail fail;
	PD_ASSERT(pd_mutex_held(&e->lock));
	if (sv_experiment_write(e->place, s, &fail) || st_own_like(folder.text, e->place, &fail))
		pd_log(PD_LOG_WARN, "experiment %u: %s", s->number, fail.text);
	pd_log(PD_LOG_INFO, "experiment %u is %s, %lld of %lld runs%s%s", s->number, sv_experiment_state_text(s->state),
	       (long long)s->done, (long long)s->runs, *s->reason ? ": " : "", s->reason);
}

/* True, and sets the reason, while less is free on the disk than is reserved. */
static bool is_disk_short(const struct sv_experiments *e, struct sv_experiment_state *s)
{
	char have[SV_SIZE_TEXT], want[SV_SIZE_TEXT];
	uint64_t reserve = e->config->disk_reserve, least = reserve + (*s->reason ? reserve / SLACK : 0);
	uint64_t left = reserve ? st_disk_free(e->place) : UINT64_MAX;
	if (left >= least) {
		s->reason[0] = 0;
		return false;
	}
	snprintf(s->reason, sizeof s->reason, "it waits: %s are free on the disk, and %s are reserved (--disk-reserve)",
		 sv_size_text(left, have), sv_size_text(reserve, want));
	return true;
}

/* Under the lock, which is released meanwhile: runs one to its end. */
static void run_one(struct sv_experiments *e, struct sv_experiment_state s)
{
	struct pd_fail fail;
	pid_t pid = 0;
	int status = 0;
	bool ended = false, leave = false, uncounted = false;
	e->stop = false;
	find_number(e, s.number)->state = s.state = SV_EXPERIMENT_RUNNING;
	pd_mutex_unlock(&e->lock);
	pd_log(PD_LOG_INFO, "experiment %u: %lld runs, %lld of them done", s.number, (long long)s.runs,
	       (long long)s.done);
	int rc = start_run(e, &s, &pid, &fail);
	while (!rc && !ended && !leave) {
		ended = sv_subprocess_await(pid, LOOK_MS, &status);
		uncounted = sv_experiment_count(e->place, &s, &fail) && ended;
		pd_mutex_lock(&e->lock);
		*find_number(e, s.number) = s;
		leave = e->stop || e->closing || is_disk_short(e, &s);
		pd_mutex_unlock(&e->lock);
	}
	if (!rc && !ended)
		sv_subprocess_kill(pid);
	if (rc || uncounted) {
		s.state = SV_EXPERIMENT_FAILED;
		snprintf(s.reason, sizeof s.reason, "%.299s", fail.text);
	} else if (ended) {
		judge_end(e, &s, status);
	}
	pd_mutex_lock(&e->lock);
	if (!rc && !ended) /* the server stops or the disk is short, unless a client had it stopped before */
		s.state = e->stop ? SV_EXPERIMENT_STOPPED : SV_EXPERIMENT_WAITING;
	if (s.state == SV_EXPERIMENT_STOPPED)
		s.reason[0] = 0;                /* that the disk was short meanwhile */
	if (s.state != SV_EXPERIMENT_WAITING) { /* as which it is on disk */
		s.ended_ms = s.ended_ms ? s.ended_ms : pd_wall_ms();
		note_end(e, &s);
	}
	*find_number(e, s.number) = s;
}

static void *run_experiments(void *arg)
{
	struct sv_experiments *e = arg;
	pd_mutex_lock(&e->lock);
	while (!e->closing) {
		unsigned i = 0;
		while (i < e->count && e->list[i].state != SV_EXPERIMENT_WAITING)
			i++;
		if (i == e->count)
			pd_mutex_wait(&e->lock, &e->come);
		else if (is_disk_short(e, &e->list[i]))
			pd_mutex_wait_until(&e->lock, &e->come, pd_now_ns() + LOOK_NS);
		else
			run_one(e, e->list[i]);
	}
	pd_mutex_unlock(&e->lock);
	return NULL;
}

/* --- what clients do ---------------------------------------------------------------------- */

/* A number for a new one. */
static int take_number(struct sv_experiments *e, unsigned *number, struct pd_fail *fail)
{
	pd_mutex_lock(&e->lock);
	bool full = e->count >= SV_EXPERIMENTS_MAX;
	*number = e->next;
	e->next += !full;
	pd_mutex_unlock(&e->lock);
	return full ? pd_fail_set(fail, PD_E_LIMIT, "", "there are %d experiments, the maximum; remove one",
				  SV_EXPERIMENTS_MAX)
		    : PD_OK;
}

/* Inserts it in order; false when there is no room left. */
static bool enter_list(struct sv_experiments *e, const struct sv_experiment_state *s)
{
	pd_mutex_lock(&e->lock);
	unsigned at = e->count;
	bool room = at < SV_EXPERIMENTS_MAX;
	while (room && at > 0 && e->list[at - 1].number > s->number)
		at--;
	e->next = s->number >= e->next ? s->number + 1 : e->next; /* also of one that is not shown: it has the folder */
	if (room) {
		memmove(&e->list[at + 1], &e->list[at], (e->count++ - at) * sizeof *e->list);
		e->list[at] = *s;
		pthread_cond_signal(&e->come);
	}
	pd_mutex_unlock(&e->lock);
	return room;
}

int sv_experiment_start(struct sv_experiments *e, const struct sv_experiment_order *order,
			struct sv_experiment_state *out, struct pd_fail *fail)
{
	struct sv_experiment_state s = {.created_ms = pd_wall_ms()};
	struct pd_fail ignored;
	snprintf(s.title, sizeof s.title, "%s", order->title);
	snprintf(s.client, sizeof s.client, "%s", order->client);
	int rc = take_number(e, &s.number, fail);
	if (rc)
		return rc;
	rc = sv_experiment_make(e->place, &s, e->config->experiments, order->suites, order->text, fail);
	rc = rc ? rc : check_suite(e, &order->asker, &s, fail);
	rc = rc ? rc : sv_experiment_write(e->place, &s, fail);
	if (!rc && !enter_list(e, &s))
		rc = pd_fail_set(fail, PD_E_LIMIT, "", "there are already as many experiments as may be");
	if (rc)
		sv_experiment_erase(e->place, s.number, &ignored);
	else
		*out = s;
	return rc;
}

int sv_experiment_get(struct sv_experiments *e, int64_t number, struct sv_experiment_state *out, struct pd_fail *fail)
{
	pd_mutex_lock(&e->lock);
	const struct sv_experiment_state *s = find_number(e, number);
	if (s)
		*out = *s;
	pd_mutex_unlock(&e->lock);
	return s ? PD_OK : refuse_number(number, fail);
}

unsigned sv_experiments_list(struct sv_experiments *e, struct sv_experiment_state *out)
{
	pd_mutex_lock(&e->lock);
	unsigned count = e->count;
	memcpy(out, e->list, count * sizeof *out);
	pd_mutex_unlock(&e->lock);
	return count;
}

static int refuse_state(const struct sv_experiment_state *s, const char *what, struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_STATE, "experiment", "experiment %u is %s; %s", s->number,
			   sv_experiment_state_text(s->state), what);
}

/* Under the lock: writes another state, and takes it when it is on disk. The lock is kept meanwhile: the thread and
 * other clients wait a moment. */
static int change_state(struct sv_experiments *e, struct sv_experiment_state *s, enum sv_experiment_state_name to,
			struct pd_fail *fail)
{
	struct sv_experiment_state changed = *s;
	changed.state = to;
	changed.reason[0] = 0;
	changed.ended_ms = to == SV_EXPERIMENT_WAITING ? 0 : pd_wall_ms();
	int rc = sv_experiment_write(e->place, &changed, fail);
	if (!rc)
		*s = changed;
	return rc;
}

int sv_experiment_stop(struct sv_experiments *e, int64_t number, struct pd_fail *fail)
{
	int rc = PD_OK;
	pd_mutex_lock(&e->lock);
	struct sv_experiment_state *s = find_number(e, number), copy = s ? *s : (struct sv_experiment_state){0};
	bool runs = copy.state == SV_EXPERIMENT_RUNNING;
	if (!s)
		rc = refuse_number(number, fail);
	else if (!runs && s->state != SV_EXPERIMENT_WAITING)
		rc = refuse_state(s, "only one that waits or runs can be stopped", fail);
	else /* one that runs is ended by its thread; on disk it is stopped from now on (D1) */
		rc = change_state(e, runs ? &copy : s, SV_EXPERIMENT_STOPPED, fail);
	e->stop = e->stop || (runs && !rc);
	pd_mutex_unlock(&e->lock);
	return rc;
}

int sv_experiment_resume(struct sv_experiments *e, int64_t number, struct pd_fail *fail)
{
	int rc = PD_OK;
	pd_mutex_lock(&e->lock);
	struct sv_experiment_state *s = find_number(e, number);
	if (!s)
		rc = refuse_number(number, fail);
	else if (s->state != SV_EXPERIMENT_STOPPED && s->state != SV_EXPERIMENT_FAILED)
		rc = refuse_state(s, "only one that was stopped or has failed can be resumed", fail);
	else if (!s->runs)
		rc = refuse_state(s, "its record is damaged: remove it, and start it again", fail);
	else
		rc = change_state(e, s, SV_EXPERIMENT_WAITING, fail);
	pthread_cond_signal(&e->come);
	pd_mutex_unlock(&e->lock);
	return rc;
}

int sv_experiment_remove(struct sv_experiments *e, int64_t number, struct pd_fail *fail)
{
	int rc = PD_OK;
	pd_mutex_lock(&e->lock);
	struct sv_experiment_state *s = find_number(e, number);
	if (!s)
		rc = refuse_number(number, fail);
	else if (s->state == SV_EXPERIMENT_RUNNING || s->state == SV_EXPERIMENT_WAITING)
		rc = refuse_state(s, "stop it first", fail);
	else
		rc = sv_experiment_erase(e->place, s->number, fail);
	if (s && !rc)
		memmove(s, s + 1, (size_t)(&e->list[e->count--] - (s + 1)) * sizeof *s);
	pd_mutex_unlock(&e->lock);
	return rc;
}

/* --- open, close -------------------------------------------------------------------------- */

/* Takes an experiment of the folder. One that was never begun is removed. PD_E_NO_MEMORY. */
static int restore_one(struct sv_experiments *e, unsigned number, struct pd_fail *fail)
{
	struct sv_experiment_state s;
	int rc = sv_experiment_read(e->place, number, &s, fail);
	if (rc == PD_E_NO_MEMORY)
		return rc;
	if (rc == PD_E_NOT_FOUND) {
		sv_experiment_erase(e->place, number, fail);
		return PD_OK;
	}
	if (rc) {
		s.state = SV_EXPERIMENT_FAILED;
		snprintf(s.reason, sizeof s.reason, "%.299s", fail->text);
	}
	if (!enter_list(e, &s))
		pd_log(PD_LOG_WARN, "experiment %u is one too many, and not shown", number);
	return PD_OK;
}

static int restore_all(struct sv_experiments *e, struct pd_fail *fail)
{
	unsigned *numbers;
	size_t count;
	bool made = !mkdir(e->place, 0700);
	if (!made && errno != EEXIST)
		return pd_fail_errno(fail, "experiments", "make", e->place);
	if (made && st_own_like(e->place, e->config->data, fail))
		return fail->code;
	if (st_sync_directory(e->config->data, fail))
		return fail->code;
	int rc = sv_experiment_numbers(e->place, &numbers, &count, fail);
	for (size_t i = 0; !rc && i < count; i++)
		rc = restore_one(e, numbers[i], fail);
	free(numbers);
	return rc;
}

static int check_place(const struct sv_config *config, struct pd_fail *fail)
{
	struct stat st;
	if (!config->data)
		return pd_fail_set(fail, PD_E_USAGE, "experiments", "--experiments needs a data directory (--data)");
	if (stat(config->experiments, &st) || !S_ISDIR(st.st_mode))
		return pd_fail_set(fail, PD_E_USAGE, "experiments",
				   "--experiments takes the directory of the suites, and %.200s is not a directory",
				   config->experiments);
	return PD_OK;
}

static void free_experiments(struct sv_experiments *e)
{
	pthread_cond_destroy(&e->come);
	pd_mutex_fini(&e->lock);
	free(e->program);
	free(e->place);
	free(e);
}

int sv_experiments_open(const struct sv_config *config, struct sv_experiments **out, struct pd_fail *fail)
{
	*out = NULL;
	if (!config->experiments || config->read_only)
		return PD_OK;
	int rc = check_place(config, fail);
	struct sv_experiments *e = rc ? NULL : calloc(1, sizeof *e);
	if (rc)
		return rc;
	if (!e)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "experiments", "no memory for experiments");
	e->config = config;
	e->next = 1;
	pd_cond_init(&e->come);
	pd_mutex_init(&e->lock, PD_LOCK_EXPERIMENTS);
	e->program = config->proofctl ? strdup(config->proofctl) : sv_program_beside("proofctl");
	char place[4096];
	char *data = realpath(config->data, NULL);
	int size = snprintf(place, sizeof place, "%s/experiments", data ? data : "");
	e->place = data && size > 0 && size < (int)sizeof place ? strdup(place) : NULL;
	free(data);
	if (!e->program)
		rc = pd_fail_set(fail, PD_E_USAGE, "experiments", "--experiments needs proofctl next to proofd");
	else if (!e->place)
		rc = pd_fail_errno(fail, "experiments", "find", config->data);
	rc = rc ? rc : restore_all(e, fail);
	if (!rc && pthread_create(&e->thread, NULL, run_experiments, e))
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "threads", "the thread of the experiments cannot be started");
	if (rc)
		free_experiments(e);
	else
		*out = e;
	return rc;
}

void sv_experiments_close(struct sv_experiments *e)
{
	if (!e)
		return;
	pd_mutex_lock(&e->lock);
	e->closing = true;
	pthread_cond_signal(&e->come);
	pd_mutex_unlock(&e->lock);
	pthread_join(e->thread, NULL);
	free_experiments(e);
}
