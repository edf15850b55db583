/* A directory whose files were damaged in any way: every answer is right or an error, nothing that was known is unknown
 * in silence, and no process ends by a signal.
 *
 *     test_store damage                         some hundreds of cases
 *     test_store damage_table [CASES [SEED]]    that many, with a table of what came of them (./dev damage) */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/bytes.h"
#include "proto/base/log.h"
#include "tests/support/child.h"
#include "tests/support/effort.h"
#include "tests/support/storedir.h"
#include "tests/support/storemodel.h"
#include "tests/support/suite.h"

enum { PAGE = 4096, BATCHES = 30, QUICK_CASES = 320, SECONDS_A_CASE = 240 };

/* --- the directory ------------------------------------------------------------------------ */

static void must(int rc, const struct pd_fail *fail)
{
	if (!rc)
		return;
	fprintf(stderr, "cannot make a directory: %s\n", fail->text);
	abort();
}

/* Games, jobs, events, tables with snapshots and journals, facts in several runs and in the log. */
static struct model *fill_directory(const char *dir, uint64_t seed)
{
	struct st_tuning tuning = {.flush_facts = 300, .step_facts = 200, .compaction_width = 3};
	struct st_store *store = NULL;
	struct st_batch *batch;
	struct pd_fail fail = {.text = ""};
	struct model *model = model_new(seed);
	must(st_open(dir, 0, &store, &fail), &fail);
	st_tune(store, &tuning);
	for (unsigned i = 0; i < BATCHES; i++) {
		must(st_batch_begin(store, &batch, &fail), &fail);
		must(model_batch(model, batch, &fail), &fail);
		must(st_batch_commit(batch, &fail), &fail);
		while (i < BATCHES - 3 && st_facts_maintain(store, false, &fail) == 1)
			;
	}
	st_close(store);
	return model;
}

enum damage { FLIP_ONE, FLIP_MANY, ZERO, SWAP, COPY, NOISE, TRUNCATE, HEAD, STRUCTURE, DAMAGES };
static const char *const damage_name[] = {"one bit",       "many bits",         "zeroed pages",
					  "swapped pages", "copied pages",      "random bytes",
					  "cut off",       "a bit in the head", "bits in page heads"};

static void put_bytes(int fd, const void *data, size_t size, off_t at)
{
	if (pwrite(fd, data, size, at) != (ssize_t)size)
		abort();
}

static void flip(int fd, uint64_t at, uint64_t *random)
{
	uint8_t byte;
	if (pread(fd, &byte, 1, (off_t)at) != 1)
		abort();
	byte ^= (uint8_t)(1 << model_random(random, 8));
	put_bytes(fd, &byte, 1, (off_t)at);
}

static void page_of(int fd, uint64_t number, uint8_t *page)
{
	if (pread(fd, page, PAGE, (off_t)(number * PAGE)) < 0)
		abort();
}

/* Pages 0 and 1 are LMDB's head, which HEAD is for. */
static void damage_file(const char *dir, enum damage how, uint64_t *random)
{
	uint8_t a[PAGE] = {0}, b[PAGE] = {0};
	char path[300];
	struct stat st;
	snprintf(path, sizeof path, "%s/%s", dir, model_random(random, 2) ? "facts.mdb" : "work.mdb");
	int fd = open(path, O_RDWR);
	if (fd < 0 || fstat(fd, &st))
		abort();
	uint64_t size = (uint64_t)st.st_size, pages = size / PAGE;
	unsigned times = how == FLIP_MANY || how == STRUCTURE ? 1 + (unsigned)model_random(random, 64)
			 : how == FLIP_ONE || how == HEAD     ? 1
							      : 1 + (unsigned)model_random(random, 4);
	for (unsigned i = 0; i < times; i++) {
		uint64_t x = 2 + model_random(random, pages - 2), y = 2 + model_random(random, pages - 2);
		page_of(fd, x, a);
		page_of(fd, y, b);
		switch (how) {
		case FLIP_ONE:
		case FLIP_MANY:
			flip(fd, 2 * PAGE + model_random(random, size - 2 * PAGE), random);
			break;
		case ZERO:
			memset(a, 0, sizeof a);
			put_bytes(fd, a, sizeof a, (off_t)(x * PAGE));
			break;
		case SWAP:
			put_bytes(fd, b, sizeof b, (off_t)(x * PAGE));
			put_bytes(fd, a, sizeof a, (off_t)(y * PAGE));
			break;
		case COPY:
			put_bytes(fd, b, sizeof b, (off_t)(x * PAGE));
			break;
		case NOISE:
			for (unsigned k = 0; k < PAGE; k++)
				a[k] = (uint8_t)model_random(random, 256);
			put_bytes(fd, a, 1 + model_random(random, PAGE), (off_t)(x * PAGE));
			break;
		case TRUNCATE:
			if (ftruncate(fd, (off_t)(i ? x * PAGE : model_random(random, size))))
				abort();
			times = 1;
			break;
		case HEAD:
			flip(fd, model_random(random, 2) * PAGE + model_random(random, 152), random);
			break;
		default:
			flip(fd, x * PAGE + model_random(random, 64), random);
		}
	}
	close(fd);
}

/* --- reading it --------------------------------------------------------------------------- */

enum outcome { RIGHT, ERRORS, REFUSED, WRONG, DIED, OUTCOMES };
static const char *const outcome_name[] = {"right", "errors", "refused", "WRONG", "DIED"};

struct look {
	const struct model *model;
	bool errors; /* something was reported */
	char wrong[256];
	uint32_t job, events;
	uint64_t jobs, facts;
	struct model_job table;
};

__attribute__((format(printf, 2, 3))) static void wrong(struct look *l, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	if (!l->wrong[0])
		vsnprintf(l->wrong, sizeof l->wrong, format, ap);
	va_end(ap);
}

static int see_job(void *ctx, uint32_t job, const void *record, size_t size)
{
	struct look *l = ctx;
	l->jobs++;
	if (!record)
		l->errors = true;
	else if (job > MODEL_JOBS || size != 8 || memcmp(record, &l->model->job[job].record, 8))
		wrong(l, "job %u has another record", (unsigned)job);
	return 0;
}

static int see_event(void *ctx, const void *record, size_t size)
{
	struct look *l = ctx;
	if (!record)
		l->errors = true;
	else if (size != sizeof l->events || memcmp(record, &l->events, size))
		wrong(l, "job %u has another event %u", (unsigned)l->job, (unsigned)l->events);
	l->events++;
	return 0;
}

static int see_table(void *ctx, const struct st_tt_entry *e, size_t count)
{
	struct look *l = ctx;
	for (size_t i = 0; i < count; i++) {
		uint32_t id = pd_get_le16(e[i].bytes + 30);
		if (id >= MODEL_IDS) {
			wrong(l, "job %u has an entry of no identity", (unsigned)l->job);
			continue;
		}
		l->table.present[id] = true;
		l->table.entry[id] = e[i];
	}
	return 0;
}

static void look_at_jobs(struct look *l, struct st_store *store)
{
	struct pd_fail fail;
	uint32_t with_record = 0;
	for (uint32_t j = 1; j <= MODEL_JOBS; j++)
		with_record += l->model->job[j].record != 0;
	if (st_job_each(store, see_job, l, &fail))
		l->errors = true;
	else if (l->jobs != with_record)
		wrong(l, "%u jobs instead of %u", (unsigned)l->jobs, (unsigned)with_record);
	for (uint32_t j = 1; j <= MODEL_JOBS; j++) {
		const struct model_job *job = &l->model->job[j];
		l->job = j;
		l->events = 0;
		if (st_event_each(store, j, SIZE_MAX, see_event, l, &fail))
			l->errors = true;
		else if (l->events != job->events)
			wrong(l, "job %u has %u events instead of %u", (unsigned)j, (unsigned)l->events,
			      (unsigned)job->events);
		memset(&l->table, 0, sizeof l->table);
		if (st_tt_each(store, j, see_table, l, &fail)) {
			l->errors = true;
			continue;
		}
		for (uint32_t id = 0; id < MODEL_IDS; id++)
			if (l->table.present[id] != job->present[id] ||
			    (job->present[id] && memcmp(&l->table.entry[id], &job->entry[id], sizeof job->entry[id])))
				wrong(l, "job %u has another entry %u", (unsigned)j, (unsigned)id);
	}
}

static int see_fact(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct look *l = ctx;
	uint8_t expected[64];
	uint32_t k = size >= 4 ? 2 * pd_get_le32(key) : 0;
	if (k < MODEL_KEYS && model_key(k, expected) != size)
		k++;
	if (game > MODEL_GAMES || k >= MODEL_KEYS || model_key(k, expected) != size || memcmp(expected, key, size) ||
	    !model_same(fact, &l->model->fact[game][k]))
		wrong(l, "the walk has another fact of game %u, key %u", (unsigned)game, (unsigned)k);
	l->facts++;
	return 0;
}

static void look_up(struct look *l, struct st_reader *reader, uint32_t game, uint32_t k, bool many)
{
	uint8_t key[64];
	struct pd_fact fact;
	struct pd_fail fail;
	const struct pd_fact *want = &l->model->fact[game][k];
	pd_fact_init(&fact);
	struct st_wanted wanted = {.key = key, .size = model_key(k, key), .fact = &fact};
	int rc = many ? st_fact_get_many(reader, game, &wanted, 1, &fail)
		      : st_fact_get(reader, game, key, wanted.size, &fact, &fail);
	if (many && !rc)
		rc = wanted.found;
	if (rc < 0)
		l->errors = true;
	else if (rc != (want->count > 0))
		wrong(l, "game %u, key %u is %s", (unsigned)game, (unsigned)k, rc ? "known" : "unknown, and no error");
	else if (rc && !model_same(&fact, want))
		wrong(l, "game %u, key %u has another fact", (unsigned)game, (unsigned)k);
	pd_fact_fini(&fact);
}

static void look_at_facts(struct look *l, struct st_store *store)
{
	struct st_reader *reader;
	struct pd_fail fail;
	for (uint32_t game = 1; game <= MODEL_GAMES; game++) {
		char name[16];
		snprintf(name, sizeof name, "game:%u", (unsigned)game);
		if (st_game_find(store, name, 7) != game)
			wrong(l, "game %u is unknown", (unsigned)game);
	}
	if (st_reader_open(store, &reader, &fail)) {
		l->errors = true;
		return;
	}
	for (uint32_t game = 1; game <= MODEL_GAMES; game++)
		for (uint32_t k = 0; k < MODEL_KEYS; k++)
			look_up(l, reader, game, k, k % 4 == 3);
	if (st_fact_each(reader, see_fact, l, &fail))
		l->errors = true;
	else if (l->facts != l->model->facts)
		wrong(l, "the walk has %u facts instead of %u", (unsigned)l->facts, (unsigned)l->model->facts);
	st_reader_close(reader);
}

static void count_problem(void *ctx, const char *text)
{
	++*(unsigned *)ctx;
	if (!text[0])
		abort();
}

static enum outcome look_at(struct look *l, struct st_store *store)
{
	struct pd_fail fail;
	unsigned problems = 0;
	look_at_jobs(l, store);
	look_at_facts(l, store);
	int64_t told = st_check(store, count_problem, &problems, &fail);
	if (l->errors && !told)
		wrong(l, "reading met errors, and st_check finds nothing");
	return l->wrong[0] ? WRONG : l->errors || told ? ERRORS : RIGHT;
}

/* More of the same on what could be opened for writing; then all of it is looked at again. */
static bool go_on(struct look *l, struct model *model, struct st_store *store)
{
	struct st_tuning tuning = {.flush_facts = 200, .step_facts = 150, .compaction_width = 2};
	struct st_batch *batch;
	struct pd_fail fail;
	st_tune(store, &tuning);
	model_reopened(model);
	for (unsigned i = 0; i < 6; i++) {
		if (st_batch_begin(store, &batch, &fail))
			return false;
		if (model_batch(model, batch, &fail)) {
			st_batch_abort(batch);
			return false;
		}
		if (st_batch_commit(batch, &fail))
			return false;
		int rc = 1;
		for (unsigned step = 0; rc == 1 && step < 100; step++)
			rc = st_facts_maintain(store, i % 2, &fail);
		l->errors |= rc < 0;
	}
	return true;
}

static enum outcome read_case(const char *dir, struct model *model, bool write, char *text, size_t size)
{
	static struct look l;
	struct st_store *store = NULL;
	struct pd_fail fail = {.text = ""};
	l = (struct look){.model = model};
	int rc = st_open(dir, write ? 0 : ST_READ_ONLY, &store, &fail);
	if (rc) {
		snprintf(text, size, "%s", fail.text);
		return strlen(fail.text) > 10 ? REFUSED : WRONG;
	}
	enum outcome outcome = look_at(&l, store);
	if (write && outcome < WRONG && go_on(&l, model, store)) {
		struct look again = {.model = model}; /* what was damaged may have been replaced meanwhile */
		l = again;
		enum outcome then = look_at(&l, store);
		outcome = then > outcome ? then : outcome;
	} else if (write && outcome == RIGHT) {
		outcome = ERRORS;
	}
	snprintf(text, size, "%s", l.wrong);
	st_close(store);
	return outcome;
}

/* --- cases -------------------------------------------------------------------------------- */

/* In a child of its own, so that the death of one case is an outcome. */
static enum outcome run_case(const char *dir, struct model *model, bool write_too, char *text, size_t size)
{
	int up[2], status;
	if (pipe(up))
		abort();
	pid_t pid = fork_child();
	if (!pid) {
		char child[400] = "";
		close(up[0]);
		alarm(SECONDS_A_CASE);
		pd_log_threshold(PD_LOG_ERROR);
		int null = open("/dev/null", O_WRONLY);
		if (null < 0 || dup2(null, STDERR_FILENO) < 0)
			_exit(DIED);
		enum outcome outcome = read_case(dir, model, write_too, child, sizeof child);
		if (write(up[1], child, strlen(child)) < 0)
			_exit(DIED);
		_exit((int)outcome);
	}
	close(up[1]);
	ssize_t n = read(up[0], text, size - 1);
	text[n > 0 ? n : 0] = 0;
	close(up[0]);
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) < DIED)
		return (enum outcome)WEXITSTATUS(status);
	snprintf(text, size, "signal %d", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	return DIED;
}

static unsigned table[DAMAGES][2][OUTCOMES]; /* read only, and for writing */

static void run_cases(unsigned cases, uint64_t seed)
{
	char dir[256], copy[256], text[400];
	storedir_new(dir, sizeof dir);
	struct model *model = fill_directory(dir, seed);
	for (unsigned i = 0; i < cases; i++) {
		enum damage how = (enum damage)(i % DAMAGES);
		bool write_too = i / DAMAGES % 2;
		uint64_t random = seed * 1000003 + i;
		storedir_copy(dir, copy, sizeof copy);
		damage_file(copy, how, &random);
		enum outcome outcome = run_case(copy, model, write_too, text, sizeof text);
		table[how][write_too][outcome]++;
		if (outcome >= WRONG)
			fprintf(stderr, "case %u of seed %llu, %s, %s: %s: %s\n", i, (unsigned long long)seed,
				damage_name[how], write_too ? "for writing" : "read only", outcome_name[outcome], text);
		storedir_remove(copy);
	}
	model_free(model);
	storedir_remove(dir);
}

static unsigned count_bad(void)
{
	unsigned n = 0;
	for (enum damage how = FLIP_ONE; how < DAMAGES; how++)
		for (unsigned w = 0; w < 2; w++)
			n += table[how][w][WRONG] + table[how][w][DIED];
	return n;
}

START_TEST(every_answer_is_right_or_an_error)
{
	memset(table, 0, sizeof table);
	run_cases(effort_of(QUICK_CASES, 32) / 4, 11 + (uint64_t)_i);
	ck_assert_uint_eq(count_bad(), 0);
}
END_TEST

/* The fill alone, looked at as the cases are: so that errors above come from damage. */
START_TEST(an_undamaged_directory_is_right)
{
	char dir[256], text[400];
	storedir_new(dir, sizeof dir);
	struct model *model = fill_directory(dir, 5);
	for (unsigned write_too = 0; write_too < 2; write_too++) {
		enum outcome outcome = run_case(dir, model, write_too, text, sizeof text);
		ck_assert_msg(outcome == RIGHT, "%s: %s", outcome_name[outcome], text);
	}
	model_free(model);
	storedir_remove(dir);
}
END_TEST

static int long_form(unsigned cases, uint64_t seed)
{
	enum { SHARE = 250 };
	for (unsigned done = 0; done < cases; done += SHARE)
		run_cases(cases - done < SHARE ? cases - done : SHARE, seed++);
	printf("%-20s %-12s", "damage", "opened");
	for (unsigned o = 0; o < OUTCOMES; o++)
		printf(" %8s", outcome_name[o]);
	for (enum damage how = FLIP_ONE; how < DAMAGES; how++) {
		for (unsigned w = 0; w < 2; w++) {
			printf("\n%-20s %-12s", damage_name[how], w ? "for writing" : "read only");
			for (unsigned o = 0; o < OUTCOMES; o++)
				printf(" %8u", table[how][w][o]);
		}
	}
	printf("\n%u cases, %u bad\n", cases, count_bad());
	return count_bad() > 0;
}

PROGRAM(damage_table)
{
	return long_form(argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000,
			 argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
}

SUITE(damage)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, an_undamaged_directory_is_right);
	tcase_add_loop_test(c, every_answer_is_right_or_an_error, 0, 4);
}
