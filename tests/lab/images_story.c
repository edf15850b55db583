#include "tests/lab/images_story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/hash.h"
#include "tests/lab/shadow.h"

enum { REWRITE_EACH = 16 };

/* Everything happens within a few checkpoints. */
static const struct st_tuning tuning = {.flush_facts = 150, .step_facts = 80, .compaction_width = 2};

bool story_is_rewrite(const struct story *story, unsigned step)
{
	uint64_t state = story->seed * 7919 + step;
	return step > 4 && model_random(&state, REWRITE_EACH) == 0;
}

/* --- rewriting: some facts go, some lose a reason ----------------------------------------- */

struct filter {
	uint64_t salt;
};

static int filter(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact)
{
	const struct filter *f = ctx;
	uint64_t state = pd_hash64(key, size) ^ f->salt ^ game;
	uint64_t drawn = model_random(&state, 8);
	if (drawn == 0)
		fact->count = 0;
	else if (drawn == 1 && fact->count > 1)
		fact->count--;
	return 0;
}

static struct filter filter_of(const struct story *story, unsigned step)
{
	return (struct filter){story->seed * 31 + step};
}

static void rewrite_model(struct model *model, struct filter f)
{
	uint8_t key[64];
	for (uint32_t game = 1; game <= MODEL_GAMES; game++)
		for (uint32_t k = 0; k < MODEL_KEYS; k++) {
			struct pd_fact *fact = &model->fact[game][k];
			size_t size = model_key(k, key);
			if (!fact->count)
				continue;
			filter(&f, game, key, size, fact);
			model->facts -= !fact->count;
		}
}

/* --- the models --------------------------------------------------------------------------- */

void story_advance(const struct story *story, struct model *model, unsigned step)
{
	struct pd_fail fail;
	for (unsigned i = 0; i < story->cuts; i++)
		if (story->cut[i] == step)
			model_reopened(model);
	if (story_is_rewrite(story, step))
		rewrite_model(model, filter_of(story, step));
	else
		model_batch(model, NULL, &fail);
}

struct model *story_replay(const struct story *story, unsigned steps)
{
	struct model *model = model_new(story->seed);
	for (unsigned i = 0; i < steps; i++)
		story_advance(story, model, i);
	return model;
}

/* --- the program that is recorded --------------------------------------------------------- */

static void mark(enum story_mark what, unsigned number)
{
	char text[32];
	int n = snprintf(text, sizeof text, "%c%u", (char)what, number);
	if (write(SHADOW_MARKS, text, (size_t)n) != n)
		exit(10); /* no recorder */
}

static int take_step(const struct story *story, struct st_store *store, struct model *model, unsigned step,
		     struct pd_fail *fail)
{
	struct st_batch *batch;
	if (story_is_rewrite(story, step)) {
		struct filter f = filter_of(story, step);
		rewrite_model(model, f);
		return st_facts_rewrite(store, filter, &f, fail);
	}
	int rc = st_batch_begin(store, &batch, fail);
	if (rc)
		return rc;
	rc = model_batch(model, batch, fail);
	if (rc) {
		st_batch_abort(batch);
		return rc;
	}
	return st_batch_commit(batch, fail);
}

static int maintain_store(const struct story *story, struct st_store *store, unsigned step, struct pd_fail *fail)
{
	uint64_t random = story->seed * 131 + step;
	bool idle = model_random(&random, 4) == 0;
	int more = 1;
	for (uint64_t n = model_random(&random, idle ? 12 : 4); n && more > 0; n--)
		more = st_facts_maintain(store, idle, fail);
	return more < 0 ? -1 : 0;
}

int story_tell(const struct story *story, const char *dir, unsigned first, unsigned steps)
{
	struct st_store *store;
	struct pd_fail fail = {.text = ""};
	struct model *model = story_replay(story, first);
	model_reopened(model);
	mark(STORY_OPENING, first);
	int rc = st_open(dir, 0, &store, &fail);
	if (!rc) {
		st_tune(store, &tuning);
		mark(STORY_OPENED, first);
	}
	for (unsigned step = first; step < first + steps && !rc; step++) {
		mark(STORY_BEGIN, step);
		rc = take_step(story, store, model, step, &fail);
		if (rc)
			break;
		mark(STORY_DONE, step + 1);
		mark(STORY_MAINTAIN, step + 1);
		rc = maintain_store(story, store, step, &fail);
		mark(STORY_REST, step + 1);
	}
	if (rc)
		fprintf(stderr, "images: the story broke off: %s\n", fail.text);
	model_free(model);
	return rc ? 1 : 0;
}

/* --- judging an image --------------------------------------------------------------------- */

static void note_problem(void *ctx, const char *text)
{
	char *out = ctx;
	if (!*out)
		snprintf(out, 200, "%s", text);
}

static int any_job(void *ctx, uint32_t job, const void *record, size_t size)
{
	*(uint32_t *)ctx = job;
	return 0;
}

/* A store in which nothing was done: no jobs, no facts. */
static const char *compare_empty(struct st_store *store)
{
	struct pd_fail fail;
	struct st_stats stats;
	uint32_t job = 0;
	st_stats(store, &stats);
	if (st_job_each(store, any_job, &job, &fail) || job)
		return "a job that was never submitted";
	return stats.facts ? "facts that were never found" : NULL;
}

static const char *compare_with_model(struct st_store *store, const struct model *model)
{
	return model->batches ? model_compare_some(model, store, 97) : compare_empty(store);
}

/* How many of the steps the store has; -1: neither. */
static int compare_both(const struct story *story, struct st_store *store, unsigned done, bool open,
			const struct model *before, const struct model *after, char *text, unsigned size)
{
	uint64_t batches = model_batches_of(store);
	const char *no = NULL;
	if (open && story_is_rewrite(story, done)) {
		no = compare_with_model(store, before);
		if (!no)
			return (int)done;
		snprintf(text, size, "old facts: %.150s; ", no);
		no = compare_with_model(store, after);
		if (!no)
			return (int)done + 1;
		snprintf(text + strlen(text), size - strlen(text), "new facts: %.150s", no);
		return -1;
	}
	if (batches != before->batches && !(open && batches == after->batches)) {
		snprintf(text, size, "it has %llu checkpoints, and %llu were acknowledged", (unsigned long long)batches,
			 (unsigned long long)before->batches);
		return -1;
	}
	bool last = batches != before->batches;
	no = compare_with_model(store, last ? after : before);
	if (no)
		snprintf(text, size, "%s the step in progress: %s", last ? "with" : "without", no);
	return no ? -1 : (int)(done + last);
}

static int check_store(struct st_store *store, char *text, unsigned size)
{
	struct pd_fail fail = {.text = ""};
	char problem[200] = "";
	int64_t n = st_check(store, note_problem, problem, &fail);
	if (n)
		snprintf(text, size, "st_check: %lld, %s%s", (long long)n, problem, fail.text);
	return n ? -1 : 0;
}

/* The store that was opened after a cut goes on as any other. */
static int go_on(const struct story *story, const char *dir, struct st_store *store, unsigned steps, char *text,
		 unsigned size)
{
	struct pd_fail fail = {.text = ""};
	struct model *model = story_replay(story, steps);
	model_reopened(model);
	st_tune(store, &tuning);
	int more = 1, rc = take_step(story, store, model, steps, &fail);
	for (unsigned n = 0; !rc && n < 200 && more > 0; n++)
		more = st_facts_maintain(store, true, &fail);
	const char *no = rc || more < 0 ? fail.text : compare_with_model(store, model);
	st_close(store);
	if (!no && st_open(dir, 0, &store, &fail))
		no = fail.text;
	else if (!no && !(no = compare_with_model(store, model)) && check_store(store, text, size))
		no = text;
	if (no && no != text)
		snprintf(text, size, "going on: %s", no);
	model_free(model);
	return no ? -1 : 0;
}

int story_judge(const struct story *story, const char *dir, unsigned done, bool open, const struct model *before,
		const struct model *after, bool on, char *text, unsigned size)
{
	struct st_store *store;
	struct pd_fail fail = {.text = ""};
	text[0] = 0;
	if (st_open(dir, 0, &store, &fail)) {
		snprintf(text, size, "it does not open: %s", fail.text);
		return -1;
	}
	int steps = compare_both(story, store, done, open, before, after, text, size);
	if (steps >= 0)
		text[0] = 0;
	if (steps >= 0 && check_store(store, text, size))
		steps = -1;
	if (steps >= 0 && on)
		return go_on(story, dir, store, (unsigned)steps, text, size) ? -1 : steps;
	st_close(store);
	return steps;
}
