#include "store/memory_store.h"

#include "proto/base/assert.h"
#include "store/pack.h"

/* Belongs to the open batch, then to a list and to the walks that hold it; `uses` is guarded by the lock. */
struct item {
	struct item *next;
	unsigned uses;
	enum st_put kind;
	uint32_t job;
	size_t size;
	uint8_t data[];
};

struct list {
	struct item *first, *last;
	size_t count, bytes;
};

/* A job's lists. SINCE: the journal since the open snapshot was begun. SNAPSHOT to SINCE are the table, in order. */
enum { RECORD, EVENTS, SNAPSHOT, JOURNAL, SINCE, NEXT_SNAPSHOT, LISTS };

struct mem_job {
	struct list list[LISTS];
	bool snapshotting;
	struct pd_id question;  /* of the table */
	size_t compacted_bytes; /* of the journal after it was last compacted */
};

struct st_memory {
	struct pd_mutex lock; /* guards all but `staged`, which is the writer's */
	struct mem_job *job;
	uint32_t jobs, capacity; /* of `job`, indexed by number */
	struct list staged;      /* the open batch */
};

enum { COMPACT_BYTES_MIN = 1 << 20 };

static void list_add(struct list *list, struct item *item)
{
	item->next = NULL;
	*(list->last ? &list->last->next : &list->first) = item;
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
	for (uint32_t i = 0; i < memory->jobs; i++)
		for (unsigned k = 0; k < LISTS; k++)
			list_clear(&memory->job[i].list[k]);
	pd_mutex_fini(&memory->lock);
	free(memory->job);
	free(memory);
}

static bool make_room(struct st_memory *memory, uint32_t job)
{
	if (job < memory->jobs)
		return true;
	pd_mutex_lock(&memory->lock);
	if (job >= memory->capacity) {
		size_t capacity = job < 8 ? 16 : 2 * (size_t)job;
		struct mem_job *grown = realloc(memory->job, capacity * sizeof *grown);
		if (grown) {
			memset(grown + memory->capacity, 0, (capacity - memory->capacity) * sizeof *grown);
			memory->job = grown;
			memory->capacity = (uint32_t)capacity;
		}
	}
	bool roomy = job < memory->capacity;
	if (roomy)
		memory->jobs = job + 1;
	pd_mutex_unlock(&memory->lock);
	return roomy;
}

/* Whether the job has an open snapshot, counting what is staged. */
static bool snapshot_open(const struct st_memory *memory, uint32_t job)
{
	bool open = job < memory->jobs && memory->job[job].snapshotting;
	for (const struct item *i = memory->staged.first; i; i = i->next)
		if (i->job == job && (i->kind == ST_PUT_SNAPSHOT_START || i->kind == ST_PUT_SNAPSHOT_END ||
				      i->kind == ST_PUT_TT_DROP || i->kind == ST_PUT_REMOVE))
			open = i->kind == ST_PUT_SNAPSHOT_START;
	return open;
}

/* The question of a job's table as it will be when the batch is committed. */
static struct pd_id staged_question(struct st_memory *memory, uint32_t job)
{
	struct pd_id question = st_memory_question(memory, job);
	for (const struct item *i = memory->staged.first; i; i = i->next)
		if (i->job == job && i->kind == ST_PUT_QUESTION)
			memcpy(&question, i->data, sizeof question);
		else if (i->job == job && i->kind == ST_PUT_TT_DROP)
			question = (struct pd_id){0};
	return question;
}

static int stage_item(struct st_memory *memory, enum st_put kind, uint32_t job, const void *data, size_t size,
		      struct pd_fail *fail)
{
	struct item *item = malloc(sizeof *item + size);
	if (!item || !make_room(memory, job)) {
		free(item);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for %zu bytes of a batch", size);
	}
	*item = (struct item){.uses = 1, .kind = kind, .job = job, .size = size};
	if (size)
		memcpy(item->data, data, size);
	list_add(&memory->staged, item);
	return PD_OK;
}

int st_memory_put(struct st_memory *memory, enum st_put kind, uint32_t job, const void *data, size_t size,
		  struct pd_fail *fail)
{
	if (kind == ST_PUT_QUESTION) {
		struct pd_id known = staged_question(memory, job), question;
		memcpy(&question, data, sizeof question);
		if (pd_id_equal(known, question))
			return PD_OK;
		if (known.lo || known.hi)
			return pd_fail_set(fail, PD_E_CORRUPT, "", "the table of job %u belongs to another question",
					   (unsigned)job);
	}
	if ((kind == ST_PUT_SNAPSHOT || kind == ST_PUT_SNAPSHOT_END) && !snapshot_open(memory, job))
		return pd_fail_set(fail, PD_E_STATE, "", "job %u has no open snapshot", (unsigned)job);
	if ((kind == ST_PUT_SNAPSHOT || kind == ST_PUT_JOURNAL) && !size)
		return PD_OK;
	return stage_item(memory, kind, job, data, size, fail);
}

static void end_snapshot(struct mem_job *job)
{
	list_clear(&job->list[SNAPSHOT]);
	list_clear(&job->list[JOURNAL]);
	job->list[SNAPSHOT] = job->list[NEXT_SNAPSHOT];
	job->list[JOURNAL] = job->list[SINCE];
	job->list[NEXT_SNAPSHOT] = job->list[SINCE] = (struct list){0};
	job->snapshotting = false;
	job->compacted_bytes = 0;
}

/* Abandons the previous snapshot if it was not completed. */
static void start_snapshot(struct mem_job *job)
{
	list_clear(&job->list[NEXT_SNAPSHOT]);
	for (struct item *i = job->list[SINCE].first, *next; i; i = next) {
		next = i->next;
		list_add(&job->list[JOURNAL], i);
	}
	job->list[SINCE] = (struct list){0};
	job->snapshotting = true;
}

/* Puts the item into a list, or drops it. */
static void apply_item(struct mem_job *job, struct item *item)
{
	struct list *to = NULL;
	switch (item->kind) {
	case ST_PUT_JOB:
		list_clear(&job->list[RECORD]);
		to = &job->list[RECORD];
		break;
	case ST_PUT_EVENT:
		to = &job->list[EVENTS];
		break;
	case ST_PUT_JOURNAL:
		to = &job->list[job->snapshotting ? SINCE : JOURNAL];
		break;
	case ST_PUT_SNAPSHOT_START:
		start_snapshot(job);
		break;
	case ST_PUT_SNAPSHOT:
		to = &job->list[NEXT_SNAPSHOT];
		break;
	case ST_PUT_SNAPSHOT_END:
		end_snapshot(job);
		break;
	case ST_PUT_REMOVE:
		list_clear(&job->list[RECORD]);
		list_clear(&job->list[EVENTS]);
		/* fall through */
	case ST_PUT_TT_DROP:
		list_clear(&job->list[NEXT_SNAPSHOT]);
		list_clear(&job->list[SINCE]);
		end_snapshot(job);
		job->question = (struct pd_id){0};
		break;
	case ST_PUT_QUESTION:
		memcpy(&job->question, item->data, sizeof job->question);
		break;
	case ST_PUT_NOTE: /* only a later start would read it */
		break;
	}
	if (to)
		list_add(to, item);
	else
		item_drop(item);
}

/* Drops the entries of a journal that later ones replace. When memory runs out the journal stays as it is. */
static void compact_journal(struct mem_job *job)
{
	struct list *journal = &job->list[JOURNAL];
	PD_ASSERT(journal->bytes % ST_ENTRY == 0);
	size_t total = journal->bytes / ST_ENTRY, slots = 16, count = 0;
	while (slots < 2 * total)
		slots *= 2;
	struct item *kept = malloc(sizeof *kept + journal->bytes);
	uint32_t *seen = calloc(slots, sizeof *seen); /* an entry's index in `kept`, plus one */
	if (!kept || !seen || total >= UINT32_MAX) {
		free(kept);
		free(seen);
		return;
	}
	for (const struct item *i = journal->first; i; i = i->next) {
		for (size_t at = 0; at < i->size; at += ST_ENTRY) {
			uint64_t h;
			memcpy(&h, i->data + at, sizeof h);
			size_t s = (size_t)(h * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (slots - 1);
			while (seen[s] &&
			       memcmp(kept->data + (seen[s] - 1) * (size_t)ST_ENTRY, i->data + at, ST_ENTRY_ID))
				s = (s + 1) & (slots - 1);
			if (!seen[s])
				seen[s] = (uint32_t)++count;
			memcpy(kept->data + (seen[s] - 1) * (size_t)ST_ENTRY, i->data + at, ST_ENTRY);
		}
	}
	free(seen);
	*kept = (struct item){.uses = 1, .size = count * ST_ENTRY};
	struct item *fitted = realloc(kept, sizeof *kept + kept->size);
	list_clear(journal);
	list_add(journal, fitted ? fitted : kept);
	job->compacted_bytes = journal->bytes;
}

void st_memory_commit(struct st_memory *memory)
{
	pd_mutex_lock(&memory->lock);
	for (struct item *i = memory->staged.first, *next; i; i = next) {
		struct mem_job *job = &memory->job[i->job];
		next = i->next;
		apply_item(job, i);
		size_t bytes = job->list[JOURNAL].bytes;
		if (bytes > COMPACT_BYTES_MIN && bytes > 2 * job->compacted_bytes)
			compact_journal(job);
	}
	memory->staged = (struct list){0};
	pd_mutex_unlock(&memory->lock);
}

void st_memory_abort(struct st_memory *memory)
{
	list_clear(&memory->staged);
}

int st_memory_each(struct st_memory *memory, struct st_memory_range range,
		   int (*each)(void *ctx, const void *data, size_t size), void *ctx, struct pd_fail *fail)
{
	unsigned first = range.kind == ST_PUT_JOB ? RECORD : range.kind == ST_PUT_EVENT ? EVENTS : SNAPSHOT;
	unsigned last = first == SNAPSHOT ? SINCE : first;
	size_t total = 0, count = 0;
	int rc = PD_OK;
	pd_mutex_lock(&memory->lock);
	const struct list *list = range.job < memory->jobs ? memory->job[range.job].list : NULL;
	for (unsigned i = first; list && i <= last; i++)
		total += list[i].count;
	size_t skip = total > range.max ? total - range.max : 0;
	struct item **items = malloc((total + 1) * sizeof *items);
	for (unsigned i = first; list && items && i <= last; i++) {
		for (struct item *item = list[i].first; item; item = item->next) {
			if (skip) {
				skip--;
				continue;
			}
			item->uses++;
			items[count++] = item;
		}
	}
	pd_mutex_unlock(&memory->lock);
	if (!items)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to walk over %zu records", total);
	for (size_t i = 0; i < count && !rc; i++)
		rc = each(ctx, items[i]->data, items[i]->size);
	pd_mutex_lock(&memory->lock);
	for (size_t i = 0; i < count; i++)
		item_drop(items[i]);
	pd_mutex_unlock(&memory->lock);
	free(items);
	return rc;
}

struct job_walk {
	uint32_t job;
	int (*each)(void *ctx, uint32_t job, const void *record, size_t size);
	void *ctx;
};

static int visit_job(void *ctx, const void *data, size_t size)
{
	const struct job_walk *walk = ctx;
	return walk->each(walk->ctx, walk->job, data, size);
}

int st_memory_job_each(struct st_memory *memory, int (*each)(void *ctx, uint32_t job, const void *record, size_t size),
		       void *ctx, struct pd_fail *fail)
{
	pd_mutex_lock(&memory->lock);
	uint32_t jobs = memory->jobs;
	pd_mutex_unlock(&memory->lock);
	int rc = PD_OK;
	for (uint32_t job = 1; !rc && job < jobs; job++) {
		struct job_walk walk = {job, each, ctx};
		rc = st_memory_each(memory, (struct st_memory_range){ST_PUT_JOB, job, 1}, visit_job, &walk, fail);
	}
	return rc;
}

struct tt_walk {
	int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count);
	void *ctx;
};

static int visit_entries(void *ctx, const void *data, size_t size)
{
	const struct tt_walk *walk = ctx;
	PD_ASSERT(size % ST_ENTRY == 0);
	return walk->each(walk->ctx, data, size / ST_ENTRY);
}

int st_memory_tt_each(struct st_memory *memory, uint32_t job,
		      int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count), void *ctx,
		      struct pd_fail *fail)
{
	struct tt_walk walk = {each, ctx};
	return st_memory_each(memory, (struct st_memory_range){ST_PUT_JOURNAL, job, SIZE_MAX}, visit_entries, &walk,
			      fail);
}

uint64_t st_memory_tt_bytes(struct st_memory *memory, uint32_t job)
{
	uint64_t bytes = 0;
	pd_mutex_lock(&memory->lock);
	for (unsigned i = SNAPSHOT; job < memory->jobs && i <= SINCE; i++)
		bytes += memory->job[job].list[i].bytes;
	pd_mutex_unlock(&memory->lock);
	return bytes;
}

struct pd_id st_memory_question(struct st_memory *memory, uint32_t job)
{
	pd_mutex_lock(&memory->lock);
	struct pd_id question = job < memory->jobs ? memory->job[job].question : (struct pd_id){0};
	pd_mutex_unlock(&memory->lock);
	return question;
}
