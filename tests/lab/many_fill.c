/* Fills a data directory with jobs and events, for tests/lab/many.py.
 *
 * Usage: many_fill DIRECTORY JOBS EVENTS. The jobs of the directory, which a server has left there in their states, are
 * the models: their records are written again under new numbers, in turn, until there are JOBS of them, with EVENTS
 * events in all. A history begins and ends as that of its model, with checkpoints between. The histories grow side by
 * side, as in a server that works on many jobs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "store/store.h"
#include "tests/support/program.h"

enum {
	MODELS_MAX = 16,
	ROUNDS = 4,        /* in which the histories grow */
	COMMIT = 20000,    /* events of one transaction */
	CHECKPOINT_S = 600 /* between two of a history */
};

struct record {
	char *bytes; /* owned */
	size_t size;
};

struct model {
	uint32_t job;
	struct record record, first, last; /* first and last event; size 0: none */
};

struct fill {
	struct st_store *store;
	struct st_batch *batch; /* NULL: none is open */
	struct model model[MODELS_MAX];
	unsigned models;
	uint32_t first;    /* number of the first new job */
	uint32_t jobs;     /* new ones */
	uint64_t events;   /* for all of them */
	unsigned in_batch; /* events so far */
	int64_t begin_ms;  /* when the histories begin, since 1970 */
	struct pd_fail fail;
};

static void is_ok(int rc, const struct pd_fail *fail)
{
	if (!rc)
		return;
	fprintf(stderr, "many_fill: %s\n", fail->text);
	exit(2);
}

static void keep(struct record *out, const void *bytes, size_t size)
{
	free(out->bytes);
	*out = (struct record){malloc(size), size};
	if (!out->bytes)
		abort();
	memcpy(out->bytes, bytes, size);
}

static int take_event(void *ctx, const void *event, size_t size)
{
	struct model *model = ctx;
	if (!event)
		return PD_E_CORRUPT;
	if (!model->first.size)
		keep(&model->first, event, size);
	keep(&model->last, event, size);
	return PD_OK;
}

static int take_job(void *ctx, uint32_t job, const void *record, size_t size)
{
	struct fill *f = ctx;
	if (!record || f->models == MODELS_MAX)
		return PD_E_CORRUPT;
	f->model[f->models].job = job;
	keep(&f->model[f->models++].record, record, size);
	return PD_OK;
}

static void read_models(struct fill *f)
{
	memset(&f->fail, 0, sizeof f->fail);
	is_ok(st_job_each(f->store, take_job, f, &f->fail), &f->fail);
	for (unsigned i = 0; i < f->models; i++)
		is_ok(st_event_each(f->store, f->model[i].job, 10000, take_event, &f->model[i], &f->fail), &f->fail);
	if (!f->models) {
		fprintf(stderr, "many_fill: there is no job to write again\n");
		exit(2);
	}
}

static void begin_batch(struct fill *f)
{
	if (!f->batch)
		is_ok(st_batch_begin(f->store, &f->batch, &f->fail), &f->fail);
}

static void commit_batch(struct fill *f)
{
	if (f->batch)
		is_ok(st_batch_commit(f->batch, &f->fail), &f->fail);
	f->batch = NULL;
	f->in_batch = 0;
}

static const struct model *model_of(const struct fill *f, uint32_t i)
{
	return &f->model[i % f->models];
}

static void put_jobs(struct fill *f)
{
	for (uint32_t i = 0; i < f->jobs; i++) {
		const struct record *record = &model_of(f, i)->record;
		uint32_t job;
		begin_batch(f);
		is_ok(st_batch_job_new(f->batch, &job, &f->fail), &f->fail);
		is_ok(st_batch_job_put(f->batch, job, record->bytes, record->size, &f->fail), &f->fail);
		if (!i)
			f->first = job;
		if (i % 1000 == 999)
			commit_batch(f);
	}
	commit_batch(f);
}

/* Event n of a history of `count`. */
static void put_event(struct fill *f, uint32_t i, uint64_t n, uint64_t count)
{
	const struct model *model = model_of(f, i);
	const struct record *whole = n == 0 ? &model->first : n + 1 == count ? &model->last : NULL;
	char text[256];
	struct record event = {text, 0};
	if (whole && whole->size)
		event = *whole;
	else
		event.size = (size_t)snprintf(text, sizeof text,
					      "{\"t\":%" PRId64 ",\"event\":\"checkpoint\",\"nodes\":%" PRIu64
					      ",\"pn\":%" PRIu64 ",\"dn\":%" PRIu64 ",\"entries\":%" PRIu64
					      ",\"facts\":%" PRIu64 "}",
					      f->begin_ms + (int64_t)n * CHECKPOINT_S * 1000, (n + 1) * 987654321,
					      1000 + n * 7 % 991, 200 + n * 13 % 997, (n + 1) * 54321, (n + 1) * 4321);
	begin_batch(f);
	is_ok(st_batch_event(f->batch, f->first + i, event.bytes, event.size, &f->fail), &f->fail);
	if (++f->in_batch == COMMIT)
		commit_batch(f);
}

static void put_events(struct fill *f)
{
	for (unsigned round = 0; round < ROUNDS; round++)
		for (uint32_t i = 0; i < f->jobs; i++) {
			uint64_t count = f->events / f->jobs + (i < f->events % f->jobs);
			uint64_t end = count * (round + 1) / ROUNDS;
			for (uint64_t n = count * round / ROUNDS; n < end; n++)
				put_event(f, i, n, count);
		}
	commit_batch(f);
}

PROGRAM(many_fill)
{
	static struct fill f;
	if (argc != 4) {
		fprintf(stderr, "usage: many_fill DIRECTORY JOBS EVENTS\n");
		return 2;
	}
	is_ok(st_open(argv[1], 0, &f.store, &f.fail), &f.fail);
	read_models(&f);
	uint64_t jobs = strtoull(argv[2], NULL, 10);
	f.jobs = jobs > f.models ? (uint32_t)jobs - f.models : 1;
	f.events = strtoull(argv[3], NULL, 10);
	f.begin_ms = pd_wall_ms() - (int64_t)(f.events / f.jobs + 1) * CHECKPOINT_S * 1000;
	put_jobs(&f);
	put_events(&f);
	st_close(f.store);
	for (unsigned i = 0; i < f.models; i++) {
		free(f.model[i].record.bytes);
		free(f.model[i].first.bytes);
		free(f.model[i].last.bytes);
	}
	return 0;
}
