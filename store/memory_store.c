#include "store/memory_store.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/mutex.h"
#include "store/pack.h"

#include "proto/base/assert.h"

/* Belongs to one list and to the walks that hold it; `uses` is guarded by the lock. */
struct item {
	struct item *next;
	unsigned uses;
	size_t size;
	uint8_t data[];
};

struct list {
	struct item *first, *last;
	size_t count, bytes;
};

struct mem_job {
	struct list record, events, journal, snapshot, next_snapshot;
	struct list since; /* the journal since the open snapshot was begun */
	bool snapshotting;
	struct pd_id question;  /* of the table */
	size_t compacted_bytes; /* of the journal after it was last compacted */
};

struct st_staged {
	struct st_staged *next;
	enum st_kind kind;
	uint32_t job;
	struct item *item; /* NULL for the kinds without data */
};

struct st_memory {
	struct pd_mutex lock; /* guards job, jobs, conflicts and the lists in them */
	struct mem_job *job;
	uint32_t jobs, capacity; /* of `job`, indexed by number */
	struct list conflicts;
	struct st_staged *first, *last; /* the writer's: the open batch */
};

enum { COMPACT_BYTES_MIN = 1 << 20 };

/* --- lists -------------------------------------------------------------------------------- */

static void list_add(struct list *list, struct item *item)
{
	item->next = NULL;
	if (list->last)
		list->last->next = item;
	else
		list->first = item;
	list->last = item;
	list->count++;
	list->bytes += item->size;
}

static void item_drop(struct item *item)
{
	PD_ASSERT(item->uses);
	if (!--item->uses)
		free(item);
}

static void list_clear(struct list *list)
{
	for (struct item *i = list->first, *next; i; i = next) {
		next = i->next;
		item_drop(i);
	}
	*list = (struct list){0};
}

/* --- making and ending -------------------------------------------------------------------- */

struct st_memory *st_memory_new(void)
{
	struct st_memory *m = calloc(1, sizeof *m);
	if (m)
		pd_mutex_init(&m->lock, PD_LOCK_MEMORY_STORE);
	return m;
}

void st_memory_free(struct st_memory *memory)
{
	if (!memory)
		return;
	st_memory_abort(memory);
	for (uint32_t i = 0; i < memory->jobs; i++) {
		struct mem_job *j = &memory->job[i];
		struct list *all[] = {&j->record, &j->events, &j->journal, &j->snapshot, &j->next_snapshot, &j->since};
		for (size_t k = 0; k < sizeof all / sizeof *all; k++)
			list_clear(all[k]);
	}
	list_clear(&memory->conflicts);
	pd_mutex_fini(&memory->lock);
	free(memory->job);
	free(memory);
}

/* --- the batch ---------------------------------------------------------------------------- */

bool st_memory_snapshot_open(const struct st_memory *memory, uint32_t job)
{
	bool open = job < memory->jobs && memory->job[job].snapshotting;
	for (const struct st_staged *s = memory->first; s; s = s->next)
		if (s->job == job && (s->kind == ST_MEM_SNAPSHOT_START || s->kind == ST_MEM_SNAPSHOT_END ||
				      s->kind == ST_MEM_DROP || s->kind == ST_MEM_REMOVE))
			open = s->kind == ST_MEM_SNAPSHOT_START;
	return open;
}

static bool make_room(struct st_memory *memory, uint32_t job)
{
	if (job < memory->jobs)
		return true;
	if (job >= memory->capacity) {
		uint32_t capacity = memory->capacity ? memory->capacity : 16;
		while (capacity <= job)
			capacity *= 2;
		struct mem_job *grown = calloc(capacity, sizeof *grown);
		if (!grown)
			return false;
		pd_mutex_lock(&memory->lock);
		if (memory->jobs)
			memcpy(grown, memory->job, memory->jobs * sizeof *grown);
		struct mem_job *old = memory->job;
		memory->job = grown;
		memory->capacity = capacity;
		pd_mutex_unlock(&memory->lock);
		free(old);
	}
	pd_mutex_lock(&memory->lock);
	memory->jobs = job + 1;
	pd_mutex_unlock(&memory->lock);
	return true;
}

int st_memory_stage(struct st_memory *memory, enum st_kind kind, uint32_t job, const void *data, size_t size,
		    struct pd_fail *fail)
{
	struct st_staged *s = calloc(1, sizeof *s);
	struct item *item = data ? malloc(sizeof *item + size) : NULL;
	if (!s || (data && !item) || !make_room(memory, job)) {
		free(s);
		free(item);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for %zu bytes of a batch", size);
	}
	if (item) {
		*item = (struct item){.uses = 1, .size = size};
		memcpy(item->data, data, size);
	}
	*s = (struct st_staged){.kind = kind, .job = job, .item = item};
	if (memory->last)
		memory->last->next = s;
	else
		memory->first = s;
	memory->last = s;
	return PD_OK;
}

static void snapshot_end(struct mem_job *job)
{
	list_clear(&job->snapshot);
	list_clear(&job->journal);
	job->snapshot = job->next_snapshot;
	job->journal = job->since;
	job->next_snapshot = job->since = (struct list){0};
	job->snapshotting = false;
	job->compacted_bytes = 0;
}

static void apply_staged(struct st_memory *memory, struct st_staged *s)
{
	PD_ASSERT(s->job < memory->jobs);
	struct mem_job *job = &memory->job[s->job];
	switch (s->kind) {
	case ST_MEM_JOB:
		list_clear(&job->record);
		list_add(&job->record, s->item);
		break;
	case ST_MEM_EVENT:
		list_add(&job->events, s->item);
		break;
	case ST_MEM_JOURNAL:
		list_add(job->snapshotting ? &job->since : &job->journal, s->item);
		break;
	case ST_MEM_SNAPSHOT_START:
		list_clear(&job->next_snapshot);
		for (struct item *i = job->since.first, *next; i; i = next) { /* of a snapshot that was abandoned */
			next = i->next;
			list_add(&job->journal, i);
		}
		job->since = (struct list){0};
		job->snapshotting = true;
		break;
	case ST_MEM_SNAPSHOT:
		PD_ASSERT(job->snapshotting);
		list_add(&job->next_snapshot, s->item);
		break;
	case ST_MEM_SNAPSHOT_END:
		PD_ASSERT(job->snapshotting);
		snapshot_end(job);
		break;
	case ST_MEM_REMOVE:
		list_clear(&job->record);
		list_clear(&job->events);
		/* fall through */
	case ST_MEM_DROP:
		list_clear(&job->next_snapshot);
		list_clear(&job->since);
		snapshot_end(job);
		job->question = (struct pd_id){0};
		break;
	case ST_MEM_QUESTION:
		memcpy(&job->question, s->item->data, sizeof job->question);
		item_drop(s->item);
		break;
	case ST_MEM_CONFLICT:
		list_add(&memory->conflicts, s->item);
		break;
	}
}

/* Drops the entries of a journal that later ones replace. When memory runs out the journal stays as it is. */
static void compact_journal(struct mem_job *job)
{
	PD_ASSERT(job->journal.bytes % ST_ENTRY == 0);
	size_t total = job->journal.bytes / ST_ENTRY, slots = 16;
	while (slots < 2 * total)
		slots *= 2;
	struct item *kept = malloc(sizeof *kept + job->journal.bytes);
	uint32_t *seen = calloc(slots, sizeof *seen); /* an entry's index in `kept`, plus one */
	if (!kept || !seen || total >= UINT32_MAX) {
		free(kept);
		free(seen);
		return;
	}
	size_t count = 0;
	for (const struct item *i = job->journal.first; i; i = i->next) {
		for (size_t at = 0; at < i->size; at += ST_ENTRY) {
			uint64_t h;
			memcpy(&h, i->data + at, sizeof h);
			h *= UINT64_C(0x9e3779b97f4a7c15);
			size_t s = (size_t)(h >> 20) & (slots - 1);
			while (seen[s] &&
			       memcmp(kept->data + (seen[s] - 1) * (size_t)ST_ENTRY, i->data + at, ST_ENTRY_ID))
				s = (s + 1) & (slots - 1);
			if (!seen[s])
				seen[s] = (uint32_t)++count;
			memcpy(kept->data + (seen[s] - 1) * (size_t)ST_ENTRY, i->data + at, ST_ENTRY);
		}
	}
	free(seen);
	kept->uses = 1;
	kept->size = count * ST_ENTRY;
	struct item *fitted = realloc(kept, sizeof *kept + kept->size);
	list_clear(&job->journal);
	list_add(&job->journal, fitted ? fitted : kept);
	job->compacted_bytes = job->journal.bytes;
}

void st_memory_commit(struct st_memory *memory)
{
	pd_mutex_lock(&memory->lock);
	for (struct st_staged *s = memory->first, *next; s; s = next) {
		next = s->next;
		apply_staged(memory, s);
		struct mem_job *job = &memory->job[s->job];
		if (job->journal.bytes > COMPACT_BYTES_MIN && job->journal.bytes > 2 * job->compacted_bytes)
			compact_journal(job);
		free(s);
	}
	memory->first = memory->last = NULL;
	pd_mutex_unlock(&memory->lock);
}

void st_memory_abort(struct st_memory *memory)
{
	for (struct st_staged *s = memory->first, *next; s; s = next) {
		next = s->next;
		free(s->item);
		free(s);
	}
	memory->first = memory->last = NULL;
}

/* --- walks -------------------------------------------------------------------------------- */

/* The lists that make up a kind, in order; returns how many. */
static unsigned lists_of(struct st_memory *memory, enum st_kind kind, uint32_t job, const struct list **out)
{
	if (kind == ST_MEM_CONFLICT) {
		out[0] = &memory->conflicts;
		return 1;
	}
	if (job >= memory->jobs)
		return 0;
	const struct mem_job *j = &memory->job[job];
	if (kind == ST_MEM_JOURNAL) {
		out[0] = &j->snapshot;
		out[1] = &j->journal;
		out[2] = &j->since;
		return 3;
	}
	out[0] = kind == ST_MEM_JOB ? &j->record : &j->events;
	return 1;
}

int st_memory_each(struct st_memory *memory, struct st_memory_range range,
		   int (*each)(void *ctx, const void *data, size_t size), void *ctx, struct pd_fail *fail)
{
	const struct list *list[3];
	size_t total = 0, count = 0;
	pd_mutex_lock(&memory->lock);
	unsigned lists = lists_of(memory, range.kind, range.job, list);
	for (unsigned i = 0; i < lists; i++)
		total += list[i]->count;
	struct item **items = malloc((total + 1) * sizeof *items);
	size_t skip = total > range.max ? total - range.max : 0;
	if (!items) {
		pd_mutex_unlock(&memory->lock);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to walk over %zu records", total);
	}
	for (unsigned i = 0; i < lists; i++) {
		for (struct item *item = list[i]->first; item; item = item->next) {
			if (skip) {
				skip--;
				continue;
			}
			item->uses++;
			items[count++] = item;
		}
	}
	pd_mutex_unlock(&memory->lock);
	int rc = 0;
	for (size_t i = 0; i < count && !rc; i++)
		rc = each(ctx, items[i]->data, items[i]->size);
	pd_mutex_lock(&memory->lock);
	for (size_t i = 0; i < count; i++)
		item_drop(items[i]);
	pd_mutex_unlock(&memory->lock);
	free(items);
	return rc;
}

void st_memory_question(struct st_memory *memory, uint32_t job, bool staged, struct pd_id *out)
{
	pd_mutex_lock(&memory->lock);
	*out = job < memory->jobs ? memory->job[job].question : (struct pd_id){0};
	pd_mutex_unlock(&memory->lock);
	for (const struct st_staged *s = staged ? memory->first : NULL; s; s = s->next)
		if (s->job == job && s->kind == ST_MEM_QUESTION)
			memcpy(out, s->item->data, sizeof *out);
		else if (s->job == job && s->kind == ST_MEM_DROP)
			*out = (struct pd_id){0};
}

uint32_t st_memory_jobs(struct st_memory *memory)
{
	pd_mutex_lock(&memory->lock);
	uint32_t jobs = memory->jobs;
	pd_mutex_unlock(&memory->lock);
	return jobs;
}
