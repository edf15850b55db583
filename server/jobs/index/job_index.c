#define _GNU_SOURCE /* tdestroy */
#include "server/jobs/index/job_index.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/mutex.h"
#include "server/jobs/model/crashes.h"

void sv_index_init(struct sv_job_index *index)
{
	*index = (struct sv_job_index){0};
	TAILQ_INIT(&index->over);
	TAILQ_INIT(&index->idle);
	LIST_INIT(&index->groups.list);
	LIST_INIT(&index->tags.list);
	LIST_INIT(&index->clients.list);
	TAILQ_INIT(&index->due);
}

/* The calling thread may change the job: it holds the lock, or the job is in no index yet. */
static bool may_change(const struct sv_job *job)
{
	const struct sv_job_index *index = job->entry.index;
	return !index || !index->lock || pd_mutex_held(index->lock);
}

static bool check_state_counts(const struct sv_job_index *index)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i <= SV_FAILED; i++)
		sum += index->all.states[i];
	return sum == index->all.count;
}

void sv_index_fini(struct sv_job_index *index)
{
	free(index->all.jobs);
	sv_keys_fini(&index->keys);
	sv_groups_fini(&index->groups);
	sv_groups_fini(&index->tags);
	sv_clients_fini(&index->clients);
	sv_studies_fini(&index->studies);
}

/* --- by number ---------------------------------------------------------------------------- */

struct sv_job *sv_index_find(const struct sv_job_index *index, int64_t id)
{
	uint32_t place = sv_set_place(&index->all, id);
	struct sv_job *job = place < index->all.count ? index->all.jobs[place] : NULL;
	return job && job->record.id == id ? job : NULL;
}

/* --- queued: a treap ---------------------------------------------------------------------- */

bool sv_job_suspect(const struct sv_job *job)
{
	return job->record.crashes >= SV_CRASHES_BEHIND;
}

/* Suspects last; then by priority, jobs that ran before a restart, turn and age. */
bool sv_index_precedes(const struct sv_job *a, const struct sv_job *b)
{
	if (sv_job_suspect(a) != sv_job_suspect(b))
		return !sv_job_suspect(a);
	if (a->record.spec.priority != b->record.spec.priority)
		return a->record.spec.priority > b->record.spec.priority;
	if (a->record.ran_before != b->record.ran_before)
		return a->record.ran_before;
	if (a->record.turn != b->record.turn)
		return a->record.turn < b->record.turn;
	return a->record.id < b->record.id;
}

/* Pseudo-random, so the depth of the tree is logarithmic. */
static uint32_t treap_weight(const struct sv_job *job)
{
	return job->record.id * UINT32_C(0x9e3779b9) ^ job->record.id >> 7;
}

static struct sv_job *treap_update(struct sv_job *job)
{
	uint64_t least = job->record.spec.memory;
	uint32_t size = 1;
	for (unsigned i = 0; i < 2; i++) {
		const struct sv_job *child = job->entry.queue.child[i];
		size += child ? child->entry.queue.size : 0;
		if (child && child->entry.queue.least < least)
			least = child->entry.queue.least;
	}
	job->entry.queue.least = least;
	job->entry.queue.size = size;
	return job;
}

static struct sv_job *treap_rotate(struct sv_job *job, unsigned side)
{
	struct sv_job *child = job->entry.queue.child[side];
	job->entry.queue.child[side] = child->entry.queue.child[!side];
	child->entry.queue.child[!side] = treap_update(job);
	return treap_update(child);
}

static struct sv_job *treap_insert(struct sv_job *tree, struct sv_job *job)
{
	if (!tree)
		return treap_update(job);
	unsigned side = sv_index_precedes(tree, job);
	tree->entry.queue.child[side] = treap_insert(tree->entry.queue.child[side], job);
	return treap_weight(tree->entry.queue.child[side]) < treap_weight(tree) ? treap_rotate(tree, side)
										: treap_update(tree);
}

static struct sv_job *treap_remove(struct sv_job *tree, struct sv_job *job)
{
	PD_ASSERT(tree);
	if (tree != job) {
		unsigned side = sv_index_precedes(tree, job);
		tree->entry.queue.child[side] = treap_remove(tree->entry.queue.child[side], job);
		return treap_update(tree);
	}
	struct sv_job *low = tree->entry.queue.child[0], *high = tree->entry.queue.child[1];
	if (!low || !high) {
		tree->entry.queue.child[0] = tree->entry.queue.child[1] = NULL;
		return low ? low : high;
	}
	unsigned side = treap_weight(high) < treap_weight(low);
	struct sv_job *top = treap_rotate(tree, side);
	top->entry.queue.child[!side] = treap_remove(tree, job);
	return treap_update(top);
}

static struct sv_job *treap_find_next(struct sv_job *tree, uint64_t room, sv_job_test *test, const void *ctx)
{
	if (!tree || tree->entry.queue.least > room)
		return NULL;
	struct sv_job *found = treap_find_next(tree->entry.queue.child[0], room, test, ctx);
	if (found)
		return found;
	if (tree->record.spec.memory <= room && test(ctx, tree))
		return tree;
	return treap_find_next(tree->entry.queue.child[1], room, test, ctx);
}

struct sv_job *sv_index_next(const struct sv_job_group *group, uint64_t room, sv_job_test *test, const void *ctx)
{
	return treap_find_next(group->queue, room, test, ctx);
}

/* The first jobs, in order, of an unordered sequence. */
struct job_list {
	const struct sv_job **out;
	uint32_t room, known;
};

static void list_insert(struct job_list *first, const struct sv_job *job)
{
	uint32_t place = first->known;
	while (place && sv_index_precedes(job, first->out[place - 1]))
		place--;
	if (place == first->room)
		return;
	first->known += first->known < first->room;
	memmove(first->out + place + 1, first->out + place, (first->known - place - 1) * sizeof *first->out);
	first->out[place] = job;
}

static uint32_t treap_rank(const struct sv_job *tree, const struct sv_job *job)
{
	uint32_t count = 0;
	while (tree) {
		const struct sv_job *low = tree->entry.queue.child[0];
		bool before = sv_index_precedes(tree, job);
		job->entry.index->looks++;
		count += before ? 1 + (low ? low->entry.queue.size : 0) : 0;
		tree = tree->entry.queue.child[before];
	}
	return count;
}

/* Lists the jobs that go before `job` while there is room. False: the rest of the tree need not be visited. */
static bool list_jobs_before(const struct sv_job *tree, const struct sv_job *job, struct job_list *first)
{
	if (!tree)
		return true;
	if (!list_jobs_before(tree->entry.queue.child[0], job, first))
		return false;
	bool full = first->known == first->room;
	job->entry.index->looks++;
	if (!sv_index_precedes(tree, job) ||
	    (full && (!first->room || sv_index_precedes(first->out[first->room - 1], tree))))
		return false;
	list_insert(first, tree);
	return list_jobs_before(tree->entry.queue.child[1], job, first);
}

uint32_t sv_index_queued_before(const struct sv_job_group *group, const struct sv_job *job, const struct sv_job **out,
				uint32_t room, uint32_t *known)
{
	struct job_list first = {out, room, *known};
	PD_ASSERT(job->entry.index && job->record.state == SV_QUEUED && may_change(job));
	PD_ASSERT(*known <= room);
	list_jobs_before(group->queue, job, &first);
	*known = first.known;
	return treap_rank(group->queue, job);
}

struct sv_job *sv_index_head(const struct sv_job_group *group)
{
	struct sv_job *job = group->queue;
	while (job && job->entry.queue.child[0])
		job = job->entry.queue.child[0];
	return job;
}

/* --- jobs that wait for others ------------------------------------------------------------ */

/* The first unsolved job of spec.after; 0: none. A missing job counts as solved, unless this job waited for it. */
static uint32_t find_unsolved_dependency(const struct sv_job *job)
{
	for (unsigned i = 0; i < job->record.spec.after_count; i++) {
		uint32_t id = job->record.spec.after[i];
		const struct sv_job *other = sv_index_find(job->entry.index, id);
		bool ended = !other || other->record.state == SV_FAILED || other->record.state == SV_CANCELLED;
		if (other ? other->record.state != SV_SOLVED && !(ended && job->record.anyway)
			  : id == job->entry.waits_for && !job->record.anyway)
			return id;
	}
	return 0;
}

void sv_index_due(struct sv_job *job, bool due)
{
	struct sv_job_index *index = job->entry.index;
	PD_ASSERT(index && may_change(job));
	if (due && !job->entry.is_due)
		TAILQ_INSERT_TAIL(&index->due, job, entry.due);
	else if (!due && job->entry.is_due)
		TAILQ_REMOVE(&index->due, job, entry.due);
	job->entry.is_due = due;
}

static void link_dependencies(struct sv_job *job)
{
	for (unsigned i = 0; i < job->record.spec.after_count; i++) {
		struct sv_job *other = sv_index_find(job->entry.index, job->record.spec.after[i]);
		struct sv_awaited *wait = &job->entry.waits[i];
		*wait = (struct sv_awaited){.job = job, .linked = other != NULL};
		if (other)
			LIST_INSERT_HEAD(&other->entry.awaiting, wait, link);
	}
}

/* Marks the jobs that wait for this one as due: it has ended, or is being removed. */
static void mark_waiting_due(const struct sv_job *job)
{
	const struct sv_awaited *wait;
	LIST_FOREACH(wait, &job->entry.awaiting, link) {
		job->entry.index->looks++;
		if (wait->job->entry.waits_for)
			sv_index_due(wait->job, true);
	}
}

static void unlink_dependencies(struct sv_job *job)
{
	struct sv_awaited *wait;
	for (unsigned i = 0; i < job->record.spec.after_count; i++) {
		if (job->entry.waits[i].linked)
			LIST_REMOVE(&job->entry.waits[i], link);
		job->entry.waits[i].linked = false;
	}
	while ((wait = LIST_FIRST(&job->entry.awaiting)) != NULL) {
		LIST_REMOVE(wait, link);
		wait->linked = false;
	}
}

/* --- sub-jobs ----------------------------------------------------------------------------- */

static bool serves_no_one(const struct sv_job *job)
{
	return job->record.state == SV_QUEUED && job->entry.solved_above && !job->record.alone;
}

static void link_parent(struct sv_job *job)
{
	struct sv_job *parent = job->record.spec.under ? sv_index_find(job->entry.index, job->record.spec.under) : NULL;
	job->entry.parent = parent;
	job->entry.solved_above = parent && parent->record.state != SV_SOLVED ? parent->entry.solved_above : parent;
	if (parent)
		TAILQ_INSERT_TAIL(&parent->entry.subs, job, entry.sub);
}

/* The next job in preorder among those below `top`; NULL: none. `below`: descend into the sub-jobs of `job`. */
static struct sv_job *next_sub_job(const struct sv_job *top, struct sv_job *job, bool below)
{
	if (below && !TAILQ_EMPTY(&job->entry.subs))
		return TAILQ_FIRST(&job->entry.subs);
	while (job != top && !TAILQ_NEXT(job, entry.sub))
		job = job->entry.parent;
	return job == top ? NULL : TAILQ_NEXT(job, entry.sub);
}

/* Makes `above` the nearest solved ancestor of the jobs below `top`, except of those below another solved job. */
static void mark_sub_jobs_due(struct sv_job *top, const struct sv_job *above)
{
	for (struct sv_job *job = next_sub_job(top, top, true); job;
	     job = next_sub_job(top, job, job->record.state != SV_SOLVED)) {
		top->entry.index->looks++;
		job->entry.solved_above = above;
		if (serves_no_one(job))
			sv_index_due(job, true);
	}
}

/* The job leaves the index, and its sub-jobs stay. */
static void unlink_family(struct sv_job *job)
{
	struct sv_job *sub;
	if (job->entry.parent)
		TAILQ_REMOVE(&job->entry.parent->entry.subs, job, entry.sub);
	job->entry.parent = NULL;
	while ((sub = TAILQ_FIRST(&job->entry.subs)) != NULL) {
		TAILQ_REMOVE(&job->entry.subs, sub, entry.sub);
		sub->entry.parent = NULL;
		if (sub->entry.solved_above && sub->record.state != SV_SOLVED)
			mark_sub_jobs_due(sub, NULL);
		sub->entry.solved_above = NULL;
	}
}

/* --- all orders together ------------------------------------------------------------------ */

/* Adds `change` to the counts of the state that the job shows, wherever it is counted, and notes the change. */
static void count_state(struct sv_job *job, int change)
{
	enum sv_state state = sv_job_shown(job);
	PD_ASSERT(change > 0 || job->entry.index->all.states[state] > 0);
	job->entry.index->all.states[state] += (uint32_t)change;
	job->entry.group->set.states[state] += (uint32_t)change;
	for (unsigned i = 0; i < job->record.spec.tags.count; i++)
		job->entry.tags[i]->set.states[state] += (uint32_t)change;
	job->entry.revision = ++job->entry.index->revision;
}

void sv_index_before(struct sv_job *job)
{
	struct sv_job_index *index = job->entry.index;
	if (!index)
		return;
	PD_ASSERT(may_change(job));
	count_state(job, -1);
	if (job->record.state == SV_QUEUED) {
		if (!job->entry.waits_for)
			job->entry.group->queue = treap_remove(job->entry.group->queue, job);
		job->entry.group->queued--;
		sv_index_due(job, false);
	}
	if (sv_state_over(job->record.state)) {
		TAILQ_REMOVE(&index->over, job, entry.over);
		PD_ASSERT(index->over_count > 0);
		index->over_count--;
	} else {
		PD_ASSERT(job->entry.client->open > 0);
		job->entry.client->open--;
	}
}

void sv_index_after(struct sv_job *job)
{
	struct sv_job_index *index = job->entry.index;
	if (!index)
		return;
	count_state(job, 1);
	job->entry.waits_for = job->record.state == SV_QUEUED ? find_unsolved_dependency(job) : 0;
	if (job->record.state == SV_QUEUED) {
		if (!job->entry.waits_for)
			job->entry.group->queue = treap_insert(job->entry.group->queue, job);
		job->entry.group->queued++;
		if (job->entry.waits_for || serves_no_one(job))
			sv_index_due(job, true);
	}
	if (job->record.state == SV_SOLVED)
		mark_sub_jobs_due(job, job);
	if (sv_state_over(job->record.state))
		mark_waiting_due(job);
	if (sv_state_over(job->record.state)) {
		TAILQ_INSERT_TAIL(&index->over, job, entry.over);
		index->over_count++;
	} else {
		job->entry.client->open++;
		sv_index_idle(job, 0);
	}
}

void sv_index_trouble(struct sv_job *job, const struct pd_fail *fail)
{
	struct sv_job_index *index = job->entry.index;
	PD_ASSERT(may_change(job));
	if (index)
		count_state(job, -1);
	job->run.trouble.code = fail ? fail->code : 0;
	snprintf(job->run.trouble.text, sizeof job->run.trouble.text, "%.190s", fail ? fail->text : "");
	if (index)
		count_state(job, 1);
}

void sv_index_idle(struct sv_job *job, uint64_t bytes)
{
	struct sv_job_index *index = job->entry.index;
	PD_ASSERT(may_change(job));
	if (job->entry.idle_bytes) {
		PD_ASSERT(index && index->idle_bytes >= job->entry.idle_bytes);
		TAILQ_REMOVE(&index->idle, job, entry.idle);
		index->idle_bytes -= job->entry.idle_bytes;
	}
	job->entry.idle_bytes = bytes;
	if (bytes) {
		PD_ASSERT(index && sv_state_over(job->record.state));
		TAILQ_INSERT_TAIL(&index->idle, job, entry.idle);
		index->idle_bytes += bytes;
	}
}

/* Takes the job out of its group, its tags and its client; of the tags, out of the first `tags`. */
static void leave_sets(struct sv_job_index *index, struct sv_job *job, unsigned tags)
{
	while (tags) {
		struct sv_job_group *tag = job->entry.tags[--tags];
		sv_set_remove(&tag->set, job);
		sv_group_put(&index->tags, tag);
	}
	if (job->entry.group) {
		sv_set_remove(&job->entry.group->set, job);
		sv_group_put(&index->groups, job->entry.group);
	}
	if (job->entry.client) {
		PD_ASSERT(job->entry.client->jobs > 0);
		job->entry.client->jobs--;
		sv_client_put(&index->clients, job->entry.client);
	}
	job->entry.group = NULL;
	job->entry.client = NULL;
}

/* The group or tag of that name, with the job in it. NULL without memory. */
static struct sv_job_group *join_set(struct sv_job_groups *groups, const char *name, struct sv_job *job)
{
	struct sv_job_group *group = sv_group_get(groups, name);
	if (!group || sv_set_add(&group->set, job))
		return group;
	sv_group_put(groups, group);
	return NULL;
}

/* False without memory, and then nothing has changed. */
static bool join_sets(struct sv_job_index *index, struct sv_job *job)
{
	const struct sv_spec *spec = &job->record.spec;
	unsigned tags = 0;
	job->entry.client = sv_client_get(&index->clients, spec->client);
	if (job->entry.client)
		job->entry.client->jobs++;
	job->entry.group = job->entry.client ? join_set(&index->groups, spec->group, job) : NULL;
	bool ok = job->entry.group != NULL;
	while (ok && tags < spec->tags.count) {
		job->entry.tags[tags] = join_set(&index->tags, spec->tags.text[tags], job);
		ok = job->entry.tags[tags] != NULL;
		tags += ok;
	}
	if (!ok)
		leave_sets(index, job, tags);
	return ok;
}

/* Unpins the group and the first of the tags. */
static void unpin_sets(struct sv_job_index *index, const struct sv_spec *spec, unsigned tags)
{
	while (tags-- > 0)
		sv_group_unpin(&index->tags, sv_group_get(&index->tags, spec->tags.text[tags]));
	sv_group_unpin(&index->groups, sv_group_get(&index->groups, spec->group));
}

bool sv_index_pin(struct sv_job_index *index, const struct sv_spec *spec)
{
	struct sv_job_group *set = sv_group_get(&index->groups, spec->group);
	if (!set)
		return false;
	set->pins++;
	for (unsigned i = 0; i < spec->tags.count; i++) {
		set = sv_group_get(&index->tags, spec->tags.text[i]);
		if (!set) {
			unpin_sets(index, spec, i);
			return false;
		}
		set->pins++;
	}
	return true;
}

void sv_index_unpin(struct sv_job_index *index, const struct sv_spec *spec)
{
	unpin_sets(index, spec, spec->tags.count);
}

int sv_index_add(struct sv_job_index *index, struct sv_job *job)
{
	PD_ASSERT(!job->entry.index && job->record.id);
	PD_ASSERT(!index->lock || pd_mutex_held(index->lock));
	PD_DEBUG_ASSERT(check_state_counts(index));
	if (!sv_set_add(&index->all, job))
		return PD_E_NO_MEMORY;
	if (!join_sets(index, job)) {
		sv_set_remove(&index->all, job);
		return PD_E_NO_MEMORY;
	}
	if (job->record.turn > index->turns)
		index->turns = job->record.turn;
	job->entry.index = index;
	link_parent(job);
	link_dependencies(job);
	sv_index_after(job);
	PD_DEBUG_ASSERT(check_state_counts(index));
	return PD_OK;
}

void sv_index_remove(struct sv_job_index *index, struct sv_job *job)
{
	PD_ASSERT(job->entry.index == index);
	sv_index_before(job);
	sv_index_idle(job, 0);
	unlink_family(job);
	mark_waiting_due(job);
	unlink_dependencies(job);
	sv_set_remove(&index->all, job);
	leave_sets(index, job, job->record.spec.tags.count);
	job->entry.index = NULL;
}

static int compare_ends(const void *a, const void *b)
{
	const struct sv_job *x = *(struct sv_job *const *)a, *y = *(struct sv_job *const *)b;
	if (x->record.finished_ms != y->record.finished_ms)
		return x->record.finished_ms < y->record.finished_ms ? -1 : 1;
	return x->record.id < y->record.id ? -1 : x->record.id > y->record.id;
}

bool sv_index_sort(struct sv_job_index *index)
{
	size_t count = 0;
	struct sv_job *job, **jobs = malloc((index->over_count + 1) * sizeof *jobs);
	if (!jobs)
		return false;
	while ((job = TAILQ_FIRST(&index->over)) != NULL) {
		TAILQ_REMOVE(&index->over, job, entry.over);
		jobs[count++] = job;
	}
	qsort(jobs, count, sizeof *jobs, compare_ends);
	for (size_t i = 0; i < count; i++)
		TAILQ_INSERT_TAIL(&index->over, jobs[i], entry.over);
	free(jobs);
	return true;
}

/* --- moving jobs -------------------------------------------------------------------------- */

void sv_job_move(struct sv_job *job, enum sv_state to)
{
	if (job->record.state == to)
		return;
	PD_ASSERT(may_change(job));
	PD_ASSERT(sv_arrow(job->record.state, to));
	sv_index_before(job);
	job->record.state = to;
	sv_index_after(job);
}

void sv_job_enter(struct sv_job *job, enum sv_phase to)
{
	PD_ASSERT(may_change(job));
	PD_ASSERT(sv_phase_arrow(job->run.phase, to));
	job->run.phase = to;
}

void sv_change_apply(struct sv_job *job, const struct sv_change *change)
{
	PD_ASSERT(may_change(job));
	bool queued = job->record.state == SV_QUEUED;
	if (queued) /* its place in the queue depends on its priority */
		sv_index_before(job);
	if (change->clear)
		free(job->record.result);
	sv_record_change(&job->record, change);
	if (queued)
		sv_index_after(job);
	if (change->tableless)
		job->run.snapshot.progress.entries = job->run.table_bytes = 0;
}

void sv_job_note_bounds(struct sv_job *job, const struct pn_progress *progress)
{
	const struct pn_progress *known = &job->record.progress;
	if (!job->entry.parent || (progress->lo == known->lo && progress->hi == known->hi))
		return;
	job->entry.has_news = job->entry.parent->entry.sub_has_news = true;
}

/* --- by key ------------------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
	const struct sv_job *x = a, *y = b;
	return strcmp(x->record.spec.key, y->record.spec.key);
}

static void keep_job(void *job)
{
	(void)job;
}

void sv_keys_fini(struct sv_job_keys *keys)
{
	tdestroy(keys->root, keep_job);
	keys->root = NULL;
}

bool sv_keys_add(struct sv_job_keys *keys, struct sv_job *job)
{
	if (!job->record.spec.key)
		return true;
	struct sv_job **node = tsearch(job, &keys->root, compare_keys);
	if (node && *node != job) {
		job->calls.older = *node;
		job->calls.older->calls.newer = job;
		*node = job;
	}
	return node != NULL;
}

struct sv_job *sv_keys_find(const struct sv_job_keys *keys, const char *key)
{
	const struct sv_job probe = {.record.spec.key = (char *)(uintptr_t)key};
	struct sv_job *const *node = tfind(&probe, &keys->root, compare_keys);
	return node ? *node : NULL;
}

void sv_keys_remove(struct sv_job_keys *keys, struct sv_job *job)
{
	struct sv_job *older = job->calls.older, *newer = job->calls.newer;
	struct sv_job **node = job->record.spec.key ? tfind(job, &keys->root, compare_keys) : NULL;
	job->calls.older = job->calls.newer = NULL;
	if (older)
		older->calls.newer = newer;
	if (newer)
		newer->calls.older = older;
	if (!node || *node != job)
		return;
	PD_ASSERT(!newer);
	if (older)
		*node = older;
	else
		tdelete(job, &keys->root, compare_keys);
}
