#include "tests/lab/model_store.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "tests/lab/model_shrink.h"
#include "tests/lab/model_steps.h"
#include "tests/lab/model_truth.h"
#include "tests/support/storedir.h"
#include "tests/support/storemodel.h"

enum { SHRINK_TRIES = 1500, HANG_S = 300, MAINTAIN_MAX = 2000 };

/* How a process ends that runs steps. */
enum end { END_DONE = 0, END_FOUND = 3, END_CRASH = 4 };

/* Memory that the processes of a run share. */
struct shared {
	struct truth committed, pending;
	unsigned next; /* the step to go on with after a crash */
	struct model_sum sum;
	char finding[400];
};

struct run {
	uint64_t seed;
	bool memory, broken;
	const char *dir;
	struct shared *shared;
	struct st_tuning tuning;
	struct st_store *store;
	struct st_batch *batch; /* NULL: none is open */
	int sticks;             /* the error that the open batch has for good */
	bool armed;             /* a fault may come */
	int reader;             /* the socket of the reader in another process; -1: none */
};

/* --- errors ------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static bool found(struct run *r, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(r->shared->finding, sizeof r->shared->finding, format, args);
	va_end(args);
	return false;
}

/* The call returned rc where `expected` would be right; a fault that was ordered may come instead. *went says whether
 * the call has had effect. */
static bool judge(struct run *r, const char *call, int rc, int expected, const struct pd_fail *fail, bool *went)
{
	if (r->batch && r->sticks)
		expected = r->sticks;
	*went = rc == PD_OK;
	if (rc == PD_E_NO_SPACE && r->armed && rc != expected) {
		r->shared->sum.faults++;
		r->sticks = r->batch ? rc : 0;
		return true;
	}
	if (rc == expected) {
		r->shared->sum.refused += rc != PD_OK;
		return true;
	}
	return found(r, "%s: returned %d (%.200s) instead of %d", call, rc, rc ? fail->text : "", expected);
}

/* --- batches ------------------------------------------------------------------------------ */

static void end_batch(struct run *r)
{
	r->shared->committed.conflicts += r->sticks == PD_E_CONFLICT;
	r->batch = NULL;
	r->sticks = 0;
}

static bool begin_batch(struct run *r)
{
	struct pd_fail fail;
	bool went;
	if (r->batch)
		return true;
	struct st_batch *batch = NULL;
	int rc = st_batch_begin(r->store, &batch, &fail);
	if (!judge(r, "begin", rc, PD_OK, &fail, &went))
		return false;
	r->batch = went ? batch : NULL;
	r->shared->pending = r->shared->committed;
	return true;
}

static bool commit_batch(struct run *r)
{
	struct pd_fail fail;
	bool went;
	int rc = st_batch_commit(r->batch, &fail);
	if (!judge(r, "commit", rc, PD_OK, &fail, &went))
		return false;
	if (went)
		r->shared->committed = r->shared->pending;
	/* A fault at the commit itself is no error that the batch had. */
	if (rc != PD_E_CONFLICT)
		r->sticks = 0;
	end_batch(r);
	return true;
}

static int no_job(const struct run *r, uint32_t job)
{
	return job && job <= r->shared->pending.jobs ? PD_OK : PD_E_NO_JOB;
}

static bool job_new(struct run *r)
{
	struct truth *t = &r->shared->pending;
	struct pd_fail fail;
	uint32_t job = 0;
	bool went;
	if (t->jobs == TRUTH_JOBS)
		return true;
	int rc = st_batch_job_new(r->batch, &job, &fail);
	if (!judge(r, "job_new", rc, PD_OK, &fail, &went))
		return false;
	if (went && job != ++t->jobs)
		return found(r, "job_new: number %u instead of %u", (unsigned)job, (unsigned)t->jobs);
	return true;
}

static bool job_put(struct run *r, const struct step *s)
{
	static uint8_t record[ST_JOB_MAX + 1];
	struct pd_fail fail;
	bool went;
	int expected = no_job(r, s->a);
	if (!expected && s->n > ST_JOB_MAX)
		expected = PD_E_LIMIT;
	truth_bytes(s->salt, record, s->n);
	int rc = st_batch_job_put(r->batch, s->a, record, s->n, &fail);
	if (!judge(r, "job_put", rc, expected, &fail, &went))
		return false;
	if (went) {
		struct truth_job *job = &r->shared->pending.job[s->a];
		job->put = true;
		job->record = s->salt;
		job->size = s->n;
	}
	return true;
}

static bool event(struct run *r, const struct step *s)
{
	uint8_t record[ST_EVENT_MAX];
	struct pd_fail fail;
	bool went;
	for (uint32_t i = 0; i < s->n; i++) {
		struct truth_job *job = &r->shared->pending.job[s->a <= TRUTH_JOBS ? s->a : 0];
		truth_bytes(job->events, record, truth_event_size(job->events));
		int rc = st_batch_event(r->batch, s->a, record, truth_event_size(job->events), &fail);
		if (!judge(r, "event", rc, no_job(r, s->a), &fail, &went))
			return false;
		if (!went)
			break;
		job->events++;
	}
	return true;
}

static bool question(struct run *r, const struct step *s)
{
	struct pd_id id = {s->salt % 5 == 0, 0};
	struct pd_fail fail;
	bool went;
	id.lo += 1;
	int expected = no_job(r, s->a);
	struct truth_job *job = &r->shared->pending.job[expected ? 0 : s->a];
	if (!expected && job->question.lo && job->question.lo != id.lo)
		expected = PD_E_CORRUPT;
	int rc = st_batch_tt_question(r->batch, s->a, id, &fail);
	if (!judge(r, "question", rc, expected, &fail, &went))
		return false;
	if (went)
		job->question = id;
	if (rc == PD_E_CORRUPT)
		r->sticks = rc;
	return true;
}

static uint32_t fill_entry(const struct step *s, struct st_tt_entry *e)
{
	uint32_t n = s->n < TRUTH_IDS ? s->n : TRUTH_IDS;
	for (uint32_t i = 0; i < n; i++)
		e[i] = truth_entry(s->a, (s->b + i * 7) % TRUTH_IDS, s->salt + i);
	return n;
}

static bool table(struct run *r, const struct step *s)
{
	struct st_tt_entry e[TRUTH_IDS];
	struct pd_fail fail;
	bool went;
	uint32_t n = fill_entry(s, e);
	int rc = st_batch_tt(r->batch, s->a, e, n, &fail);
	if (!judge(r, "table", rc, no_job(r, s->a), &fail, &went))
		return false;
	for (uint32_t i = 0; went && i < n; i++)
		truth_table(&r->shared->pending.job[s->a], (s->b + i * 7) % TRUTH_IDS, s->salt + i);
	return true;
}

static bool next_snapshot(struct run *r, const struct step *s)
{
	struct st_tt_entry e[TRUTH_IDS];
	struct pd_fail fail;
	bool went;
	uint32_t n = fill_entry(s, e);
	int rc, expected = no_job(r, s->a);
	struct truth_job *job = &r->shared->pending.job[expected ? 0 : s->a];
	if (!expected && s->kind != SNAPSHOT_START && !job->snapshotting)
		expected = PD_E_STATE;
	if (s->kind == SNAPSHOT_START)
		rc = st_batch_snapshot_start(r->batch, s->a, &fail);
	else if (s->kind == SNAPSHOT_PUT)
		rc = st_batch_snapshot_put(r->batch, s->a, e, n, &fail);
	else
		rc = st_batch_snapshot_end(r->batch, s->a, &fail);
	if (!judge(r, "snapshot", rc, expected, &fail, &went))
		return false;
	if (went && s->kind == SNAPSHOT_START)
		truth_snapshot_start(job);
	else if (went && s->kind == SNAPSHOT_END)
		truth_snapshot_end(job);
	for (uint32_t i = 0; went && s->kind == SNAPSHOT_PUT && i < n; i++)
		job->next_snapshot.version[(s->b + i * 7) % TRUTH_IDS] = s->salt + i;
	return true;
}

static bool table_drop(struct run *r, const struct step *s)
{
	struct pd_fail fail;
	bool went;
	int rc = st_batch_tt_drop(r->batch, s->a, &fail);
	if (!judge(r, "table_drop", rc, no_job(r, s->a), &fail, &went))
		return false;
	if (went && !r->broken)
		truth_drop(&r->shared->pending.job[s->a]);
	return true;
}

static bool game(struct run *r, const struct step *s)
{
	struct truth *t = &r->shared->pending;
	struct pd_fail fail;
	char name[16];
	uint32_t id = 0;
	bool went;
	truth_game_name(s->a, name, sizeof name);
	int rc = st_batch_game(r->batch, name, 7, &id, &fail);
	if (!judge(r, "game", rc, PD_OK, &fail, &went))
		return false;
	if (went && !t->number[s->a])
		t->number[s->a] = ++t->games;
	if (went && id != t->number[s->a])
		return found(r, "game: number %u instead of %u", (unsigned)id, (unsigned)t->number[s->a]);
	return true;
}

static bool add_facts(struct run *r, const struct step *s)
{
	struct truth *t = &r->shared->pending;
	uint64_t random = s->salt;
	uint8_t key[ST_KEY_MAX + 1] = {0};
	struct pd_fail fail;
	bool went = true;
	if (!t->number[s->a])
		return true;
	for (uint32_t i = 0; i < s->n && went; i++) {
		uint32_t k = (s->b + i) % TRUTH_KEYS;
		struct pd_reason reason = model_reason(s->a, k, &random);
		size_t size = s->kind == FACT_LONG ? sizeof key : model_key(k, key);
		int rc = st_batch_fact(r->batch, t->number[s->a], key, size, &reason, &fail);
		if (!judge(r, "fact", rc, s->kind == FACT_LONG ? PD_E_LIMIT : PD_OK, &fail, &went))
			return false;
		if (went)
			truth_add(&t->fact[s->a][k], &reason);
	}
	return true;
}

/* What cannot be, because the contrary is known. */
static bool conflict(struct run *r, const struct step *s)
{
	struct truth *t = &r->shared->pending;
	const struct truth_fact *own = &t->fact[s->a][s->b];
	uint8_t key[64];
	struct pd_fail fail;
	bool went;
	if (!own->count || r->sticks)
		return true;
	struct pd_reason reason = own->reason[0];
	reason.bound = (int16_t)(reason.bound + (reason.side == PD_LO ? -1 : 1));
	reason.side = !reason.side;
	st_fault(r->store, ST_FAULT_PUT, 0);
	st_fault(r->store, ST_FAULT_COMMIT, 0);
	r->armed = false;
	int rc = st_batch_fact(r->batch, t->number[s->a], key, model_key(s->b, key), &reason, &fail);
	if (!judge(r, "conflict", rc, PD_E_CONFLICT, &fail, &went))
		return false;
	r->sticks = PD_E_CONFLICT;
	return true;
}

static bool in_batch(struct run *r, const struct step *s)
{
	switch (s->kind) {
	case COMMIT:
		return commit_batch(r);
	case ABORT:
		st_batch_abort(r->batch);
		end_batch(r);
		return true;
	case JOB_NEW:
		return job_new(r);
	case JOB_PUT:
		return job_put(r, s);
	case EVENT:
		return event(r, s);
	case QUESTION:
		return question(r, s);
	case TABLE:
		return table(r, s);
	case TABLE_DROP:
		return table_drop(r, s);
	case GAME:
		return game(r, s);
	case FACT:
	case FACT_LONG:
		return add_facts(r, s);
	case CONFLICT:
		return conflict(r, s);
	default:
		return next_snapshot(r, s);
	}
}

/* --- between batches ---------------------------------------------------------------------- */

static void note_problem(void *ctx, const char *text)
{
	char *out = ctx;
	if (!*out && strncmp(text, "conflicts:", 10) != 0)
		snprintf(out, 200, "%s", text);
}

static bool compare_stores(struct run *r)
{
	char problem[200] = "";
	struct pd_fail fail = {.text = ""};
	const char *text = truth_compare(&r->shared->committed, r->store);
	r->shared->sum.compared++;
	if (text)
		return found(r, "%s", text);
	int64_t rc = st_check(r->store, note_problem, problem, &fail);
	if (rc != r->shared->committed.conflicts)
		return found(r, "check: %" PRId64 " problems and %u conflicts: %s%.100s", rc,
			     (unsigned)r->shared->committed.conflicts, problem, rc < 0 ? fail.text : "");
	return true;
}

static bool open_store(struct run *r)
{
	struct pd_fail fail = {.text = ""};
	if (st_open(r->memory ? NULL : r->dir, 0, &r->store, &fail))
		return found(r, "open: %.200s", fail.text);
	st_tune(r->store, &r->tuning);
	r->armed = false;
	truth_reopened(&r->shared->committed);
	return true;
}

static bool maintain_store(struct run *r, const struct step *s)
{
	struct pd_fail fail = {.text = ""};
	bool went;
	for (uint32_t i = 0; i < s->n; i++) {
		int more = st_facts_maintain(r->store, s->a, &fail);
		if (!judge(r, "maintain", more < 0 ? fail.code : PD_OK, PD_OK, &fail, &went))
			return false;
		if (!more)
			break;
	}
	return true;
}

struct sieve {
	uint32_t salt, calls, fail_at;
};

static int filter(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact)
{
	struct sieve *sieve = ctx;
	if (sieve->fail_at && ++sieve->calls == sieve->fail_at)
		return PD_E_CONFLICT;
	truth_sift(sieve->salt, key, size, fact);
	return PD_OK;
}

static bool rewrite_store(struct run *r, const struct step *s)
{
	struct sieve sieve = {.salt = s->salt, .fail_at = s->kind == REWRITE_FAILS ? s->n : 0};
	struct pd_fail fail = {.text = ""};
	bool went;
	int rc = st_facts_rewrite(r->store, filter, &sieve, &fail);
	bool stopped = sieve.fail_at && sieve.calls >= sieve.fail_at;
	if (!judge(r, "rewrite", rc, stopped ? PD_E_CONFLICT : PD_OK, &fail, &went))
		return false;
	if (went)
		truth_rewrite(&r->shared->committed, s->salt);
	r->shared->sum.rewritten += went;
	return true;
}

/* --- the reader in another process -------------------------------------------------------- */

static bool ask_reader(struct run *r, const struct step *s)
{
	char word = s->kind == READER_OPEN ? 'o' : s->kind == READER_LOOK ? 'l' : 'x';
	if (r->reader < 0)
		return true;
	r->shared->sum.read_outside += s->kind == READER_LOOK;
	if (send(r->reader, &word, 1, MSG_NOSIGNAL) != 1 || recv(r->reader, &word, 1, 0) != 1)
		return found(r, "outside: the reader has died");
	return word == 'y';
}

static bool look_up_facts(struct run *r)
{
	struct pd_fail fail = {.text = ""};
	int more = 1;
	for (unsigned i = 0; i < MAINTAIN_MAX && more > 0; i++)
		more = st_facts_maintain(r->store, false, &fail);
	if (more)
		return found(r, "outside: no report: %d %.200s", more, fail.text);
	const char *text = truth_compare(&r->shared->committed, r->store);
	return text ? found(r, "outside: %s", text) : true;
}

/* The reader's process: does what it is told until its parent is gone. */
static void serve_reader(struct run *r, int socket)
{
	struct pd_fail fail = {.text = ""};
	char word;
	r->store = NULL;
	while (recv(socket, &word, 1, 0) == 1) {
		bool good = true;
		if (word == 'o' && !r->store)
			good = !st_open(r->dir, ST_READ_ONLY, &r->store, &fail) ||
			       found(r, "outside: open: %.200s", fail.text);
		else if (word == 'l' && r->store)
			good = look_up_facts(r);
		else if (word == 'x' && r->store) {
			st_close(r->store);
			r->store = NULL;
		}
		word = good ? 'y' : 'n';
		if (send(socket, &word, 1, MSG_NOSIGNAL) != 1)
			break;
	}
	_exit(0);
}

/* --- a run -------------------------------------------------------------------------------- */

static void fault(struct run *r, const struct step *s)
{
	bool off = s->kind == FAULT_OFF;
	if (off || s->kind == FAULT_PUT)
		st_fault(r->store, ST_FAULT_PUT, off ? 0 : s->n);
	if (off || s->kind == FAULT_COMMIT)
		st_fault(r->store, ST_FAULT_COMMIT, off ? 0 : s->n);
	r->armed = !off;
}

static bool take_step(struct run *r, const struct step *s, unsigned number)
{
	r->shared->sum.calls++;
	if (s->kind == BEGIN)
		return begin_batch(r);
	if (s->kind <= CONFLICT)
		return r->batch ? in_batch(r, s) : true;
	if (s->kind <= FAULT_OFF) {
		fault(r, s);
		return true;
	}
	if (s->kind == COMPARE)
		return compare_stores(r);
	if (s->kind >= READER_OPEN)
		return ask_reader(r, s);
	if (s->kind == CRASH && !r->memory) {
		r->shared->sum.crashes++;
		r->shared->next = number + 1;
		_exit(END_CRASH);
	}
	if (r->batch)
		return true;
	if (s->kind == MAINTAIN)
		return maintain_store(r, s);
	if (s->kind == REWRITE || s->kind == REWRITE_FAILS)
		return rewrite_store(r, s);
	if (r->memory)
		return true;
	r->shared->sum.reopened++;
	st_close(r->store);
	return open_store(r);
}

/* At the end: everything at rest, and once more from the disk. */
static bool settle_all(struct run *r)
{
	struct st_stats stats;
	if (r->batch) {
		st_batch_abort(r->batch);
		end_batch(r);
	}
	fault(r, &(struct step){.kind = FAULT_OFF});
	if (!compare_stores(r) || !maintain_store(r, &(struct step){.a = true, .n = MAINTAIN_MAX}) ||
	    !compare_stores(r))
		return false;
	st_stats(r->store, &stats);
	if (stats.facts != truth_facts(&r->shared->committed))
		return found(r, "stats: %" PRIu64 " facts at rest instead of %" PRIu64, stats.facts,
			     truth_facts(&r->shared->committed));
	st_close(r->store);
	if (r->memory)
		return true;
	if (!open_store(r) || !compare_stores(r))
		return false;
	st_close(r->store);
	return true;
}

static void do_steps(struct run *r, const struct step *steps, unsigned count)
{
	bool good = true;
	signal(SIGALRM, SIG_DFL);
	alarm(HANG_S);
	pd_log_threshold(PD_LOG_ERROR);
	good = open_store(r);
	for (unsigned i = r->shared->next; good && i < count; i++)
		good = take_step(r, &steps[i], i);
	good = good && settle_all(r);
	_exit(good ? END_DONE : END_FOUND);
}

/* Runs the processes of a list one after the other, until it is done or something is found. */
static void run_processes(struct run *r, const struct step *steps, unsigned count)
{
	for (int status = 0;;) {
		pid_t pid = fork();
		if (pid < 0)
			abort();
		if (!pid)
			do_steps(r, steps, count);
		if (waitpid(pid, &status, 0) != pid)
			abort();
		if (WIFEXITED(status) && WEXITSTATUS(status) == END_CRASH)
			continue;
		if (WIFSIGNALED(status))
			found(r, "died: by signal %d", WTERMSIG(status));
		else if (WEXITSTATUS(status) != END_DONE && !r->shared->finding[0])
			found(r, "died: with status %d", WEXITSTATUS(status));
		return;
	}
}

static bool has_finding(struct run *r, const struct step *steps, unsigned count)
{
	char dir[256] = "";
	int sockets[2] = {-1, -1};
	pid_t reader = -1;
	memset(r->shared, 0, sizeof *r->shared);
	fflush(stdout);
	if (!r->memory) {
		storedir_new(dir, sizeof dir);
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) || (reader = fork()) < 0)
			abort();
		if (!reader) {
			close(sockets[0]);
			pd_log_threshold(PD_LOG_ERROR);
			r->dir = dir;
			serve_reader(r, sockets[1]);
		}
		close(sockets[1]);
	}
	r->dir = dir;
	r->reader = sockets[0];
	run_processes(r, steps, count);
	if (!r->memory) {
		close(sockets[0]);
		waitpid(reader, NULL, 0);
		storedir_remove(dir);
	}
	return r->shared->finding[0] != 0;
}

/* --- shrinking ---------------------------------------------------------------------------- */

struct wanted {
	struct run *run;
	char kind[32]; /* of the finding: another one does not count */
};

static void kind_of(const char *finding, char *out, size_t size)
{
	snprintf(out, size, "%.*s", (int)strcspn(finding, ":"), finding);
}

static bool same_finding(void *ctx, const void *steps, unsigned count)
{
	struct wanted *w = ctx;
	char kind[32];
	if (!has_finding(w->run, steps, count))
		return false;
	kind_of(w->run->shared->finding, kind, sizeof kind);
	return !strcmp(kind, w->kind);
}

static unsigned print_report(struct run *r, struct step *steps, unsigned count)
{
	struct wanted wanted = {.run = r};
	kind_of(r->shared->finding, wanted.kind, sizeof wanted.kind);
	printf("%s: store, seed %" PRIu64 " %s: %s\n", r->broken ? "on purpose" : "FOUND", r->seed,
	       r->memory ? "in memory" : "on disk", r->shared->finding);
	unsigned left = shrink(steps, sizeof *steps, count, SHRINK_TRIES, same_finding, &wanted);
	bool again = has_finding(r, steps, left);
	printf("  %u of %u calls are left (%s):\n", left, count,
	       again ? r->shared->finding : "which do not fail again");
	for (unsigned i = 0; i < left; i++)
		step_print(&steps[i]);
	fflush(stdout);
	return left ? left : 1;
}

static void add_sum(struct model_sum *sum, const struct model_sum *one)
{
	sum->sequences++;
	sum->calls += one->calls;
	sum->compared += one->compared;
	sum->crashes += one->crashes;
	sum->reopened += one->reopened;
	sum->faults += one->faults;
	sum->rewritten += one->rewritten;
	sum->refused += one->refused;
	sum->read_outside += one->read_outside;
}

unsigned model_store(uint64_t seed, bool broken, struct model_sum *sum)
{
	struct step steps[STEPS_MAX];
	uint64_t random = seed;
	struct run r = {.seed = seed, .broken = broken, .memory = model_random(&random, 4) == 0};
	r.tuning = (struct st_tuning){.flush_facts = 1 + model_random(&random, 60),
				      .step_facts = 1 + (uint32_t)model_random(&random, 40),
				      .compaction_width = 2 + (uint32_t)model_random(&random, 3)};
	r.shared = mmap(NULL, sizeof *r.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r.shared == MAP_FAILED)
		abort();
	unsigned count = steps_draw(seed, steps), left = 0;
	bool bad = has_finding(&r, steps, count);
	add_sum(sum, &r.shared->sum);
	if (bad)
		left = print_report(&r, steps, count);
	sum->findings += bad && !broken;
	munmap(r.shared, sizeof *r.shared);
	return left;
}
