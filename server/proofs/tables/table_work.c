#include "server/proofs/tables/table_work.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/error.h"
#include "server/proofs/tables/table_file.h"
#include "solver/table_theorem.h"
#include "store/tables.h"

enum { TELL_MS = 100 };

/* --- threads ------------------------------------------------------------------------------ */

static bool take_chunk(struct sv_table_work *w, uint64_t *from, uint64_t *to)
{
	*from = atomic_fetch_add(&w->taken, SV_TABLE_CHUNK);
	if (*from >= w->class.size || atomic_load(&w->stop))
		return false;
	*to = *from + SV_TABLE_CHUNK < w->class.size ? *from + SV_TABLE_CHUNK : w->class.size;
	return true;
}

static void *run_worker(void *arg)
{
	struct sv_table_work *w = arg;
	uint64_t from, to;
	while (take_chunk(w, &from, &to))
		w->work(w, from, to);
	return NULL;
}

static void tell_progress(struct sv_table_work *w, uint64_t done)
{
	uint64_t now = pd_now_ns();
	if (!w->order->go_on || now - w->told_ns < (uint64_t)TELL_MS * 1000000)
		return;
	w->told_ns = now;
	w->progress.done = done;
	w->progress.all = w->class.size;
	if (!w->order->go_on(w->order->ctx, &w->progress))
		atomic_store(&w->stop, true);
}

bool sv_table_run(struct sv_table_work *w, enum sv_table_phase phase,
		  void (*work)(struct sv_table_work *w, uint64_t from, uint64_t to))
{
	pthread_t thread[SV_TABLE_THREADS_MAX];
	unsigned started = 0, wanted = w->order->threads - 1;
	uint64_t from, to;
	PD_ASSERT(wanted < SV_TABLE_THREADS_MAX);
	if (wanted > w->class.size / SV_TABLE_CHUNK)
		wanted = (unsigned)(w->class.size / SV_TABLE_CHUNK);
	w->work = work;
	w->progress.phase = phase;
	w->progress.class = w->class.name;
	atomic_store(&w->taken, 0);
	while (started < wanted && !pthread_create(&thread[started], NULL, run_worker, w))
		started++;
	while (take_chunk(w, &from, &to)) {
		work(w, from, to);
		tell_progress(w, to);
	}
	while (started > 0)
		pthread_join(thread[--started], NULL);
	return !atomic_load(&w->stop);
}

/* --- classes that moves lead to ----------------------------------------------------------- */

static int read_next(struct sv_table_work *w, const struct game_class *class, struct pd_fail *fail)
{
	struct st_table_file *file;
	uint16_t *entries = malloc((size_t)pd_table_blocks(class->size) * PD_TABLE_BLOCK * sizeof *entries);
	if (!entries)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the table %s", class->name);
	int rc = sv_table_open(w, class, &file, fail);
	if (rc) {
		free(entries);
		return rc;
	}
	w->next[w->next_count++] = (struct sv_table_next){*class, entries};
	for (uint64_t block = 0; !rc && block < pd_table_blocks(class->size); block++)
		if (!st_table_unpack(file, block, entries + block * PD_TABLE_BLOCK))
			rc = pd_fail_set(fail, PD_E_CORRUPT, "material",
					 "the table %s of %s is damaged: build it again", class->name, w->game->name);
	st_table_close(file);
	return rc;
}

int sv_table_load_next(struct sv_table_work *w, struct pd_fail *fail)
{
	struct game_class next[GAME_CLASS_NEXT_MAX];
	unsigned count = w->game->rules->classes->next(w->game, &w->class, next);
	int rc = PD_OK;
	PD_ASSERT(count <= GAME_CLASS_NEXT_MAX && !w->next_count);
	for (unsigned i = 0; i < count && !rc; i++)
		rc = read_next(w, &next[i], fail);
	return rc;
}

void sv_table_work_fini(struct sv_table_work *w)
{
	for (unsigned i = 0; i < w->next_count; i++)
		free(w->next[i].entry);
	free((void *)w->due);
	free((void *)w->left);
	free((void *)w->start);
	free(w->edge);
	w->next_count = 0;
	w->due = w->left = NULL;
	w->start = NULL;
	w->edge = NULL;
}

uint16_t sv_table_after(const struct sv_table_work *w, const void *child, uint32_t *inside)
{
	const struct game *g = w->game;
	const struct game_classes *classes = g->rules->classes;
	uint16_t entry = PD_TABLE_HOLE;
	uint64_t id = classes->id(g, child);
	*inside = UINT32_MAX;
	if (id == w->class.id) {
		*inside = (uint32_t)classes->index(g, &w->class, child);
		PD_ASSERT(*inside < w->class.size);
		return PD_TABLE_HOLE;
	}
	for (unsigned i = 0; i < w->next_count && id; i++)
		if (w->next[i].class.id == id)
			return w->next[i].entry[classes->index(g, &w->next[i].class, child)];
	bool over = pn_table_over(g, child, &entry);
	PD_ASSERT(over); /* the law of game_classes */
	return entry;
}
