#include "server/jobs/run/remote_driver.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "server/cluster/desk.h"
#include "server/common/core_parts.h"
#include "server/jobs/model/job.h"
#include "server/jobs/run/search_group.h"

enum {
	TURN_NODES = 1000, /* of level 1, in one turn of a thread */
	LOOKS = 4,         /* waiting threads checked in one drive */
	WAIT_NS = 1000000  /* the longest wait for a result, if this thread does not search */
};

unsigned sv_remote_most(const struct sv_core *core)
{
	return sv_cluster(core) ? SV_REMOTE_MAX : 0;
}

void sv_remote_open(struct sv_remote *remote, const struct sv_core *core)
{
	const struct sv_spec *spec = &remote->job->record.spec;
	const struct pn_options *o = &spec->options;
	struct pd_fail fail;
	if (!sv_cluster(core) || !pn_solver_wants_remote(remote->solver))
		return;
	const struct sv_desk_setup setup = {
		.priority = spec->priority,
		.game = remote->game,
		.rules = game_version(remote->game),
		.weak = o->weak,
		.mobility = o->mobility,
		.heuristics = o->heuristics,
		.knowledge = o->knowledge,
		.seed = spec->seed,
		.slots_max = SV_REMOTE_MAX,
		.prompt = sv_config(core)->only_workers,
	};
	remote->slots = malloc(SV_REMOTE_MAX * sizeof *remote->slots);
	int rc = remote->slots ? sv_desk_open(sv_cluster(core), &setup, &remote->desk, &fail)
			       : pd_fail_set(&fail, PD_E_NO_MEMORY, "", "no memory for remote leaves");
	if (!rc)
		return;
	free(remote->slots);
	remote->slots = NULL;
	remote->desk = NULL;
	pd_log(PD_LOG_WARN, "job %u is searched without workers: %s", remote->job->record.id, fail.text);
}

void sv_remote_close(struct sv_remote *remote)
{
	sv_desk_close(remote->desk);
	free(remote->slots);
	remote->desk = NULL;
	remote->slots = NULL;
	remote->count = 0;
}

static unsigned threads_wanted(const struct sv_remote *remote)
{
	if (!remote->desk || !pn_solver_wants_remote(remote->solver))
		return 0;
	unsigned n = sv_desk_wanted(remote->desk);
	return n < SV_REMOTE_MAX ? n : SV_REMOTE_MAX;
}

bool sv_remote_changes(const struct sv_remote *remote)
{
	return remote->desk && threads_wanted(remote) != remote->count;
}

static void set_ready(struct sv_remote *remote, unsigned slot, bool ready)
{
	struct sv_remote_slot *s = &remote->slots[slot];
	remote->ready += ready - s->ready;
	s->ready = ready;
}

static void drop_thread(struct sv_remote *remote)
{
	unsigned slot = remote->count - 1;
	if (remote->slots[slot].serial)
		sv_desk_cancel(remote->desk, slot);
	set_ready(remote, slot, false);
	pn_solver_leave(remote->solver, remote->slots[slot].thread);
	remote->count--;
}

static bool add_thread(struct sv_remote *remote)
{
	const struct pn_host host = {remote->lookup, sv_lookup_fact};
	struct sv_remote_slot *s = &remote->slots[remote->count];
	struct pd_fail fail;
	*s = (struct sv_remote_slot){0};
	if (pn_solver_join(remote->solver, &host, true, &s->thread, &fail)) {
		pd_log(PD_LOG_WARN, "job %u cannot have more than %u remote leaves: %s", remote->job->record.id,
		       remote->count, fail.text);
		return false;
	}
	set_ready(remote, remote->count++, true);
	return true;
}

void sv_remote_change(struct sv_remote *remote)
{
	unsigned most = threads_wanted(remote);
	while (remote->count > most)
		drop_thread(remote);
	while (remote->count < most && add_thread(remote))
		;
	if (remote->desk) {
		sv_desk_priority(remote->desk, remote->job->record.spec.priority);
		sv_desk_flush(remote->desk);
	}
}

static void take_results(struct sv_remote *remote)
{
	struct sv_desk_result result;
	while (sv_desk_take(remote->desk, &result)) {
		remote->cpu_ns += result.cpu_ns;
		if (result.slot >= remote->count || remote->slots[result.slot].serial != result.leaf.serial)
			continue;
		struct sv_remote_slot *s = &remote->slots[result.slot];
		/* An impossible result, or one for a settled claim, is refused; the leaf, if there still is one, is
		 * posted again. */
		pn_solver_deliver(remote->solver, s->thread, &result.leaf);
		s->serial = 0;
		set_ready(remote, result.slot, true);
	}
}

/* One thread searches until it waits again; what it waits for goes to the desk. */
static enum pn_state drive_slot(struct sv_remote *remote, unsigned slot)
{
	struct sv_remote_slot *s = &remote->slots[slot];
	struct pn_leaf_task task;
	enum pn_state state = pn_solver_run_thread(remote->solver, s->thread, TURN_NODES);
	bool waits = state == PN_WAITING && pn_solver_leaf(remote->solver, s->thread, &task);
	if (s->serial && (!waits || s->serial != task.serial)) {
		sv_desk_cancel(remote->desk, slot);
		s->serial = 0;
	}
	if (waits && !s->serial) {
		sv_desk_post(remote->desk, slot, &task);
		s->serial = task.serial;
	}
	set_ready(remote, slot, !waits);
	return state == PN_WAITING ? PN_RUNNING : state;
}

static enum pn_state check_waiting(struct sv_remote *remote)
{
	enum pn_state state = PN_RUNNING;
	unsigned looks = LOOKS < remote->count ? LOOKS : remote->count;
	for (unsigned i = 0; i < looks && state == PN_RUNNING; i++) {
		remote->look = remote->look + 1 < remote->count ? remote->look + 1 : 0;
		const struct sv_remote_slot *s = &remote->slots[remote->look];
		if (!s->ready && pn_solver_has_work(remote->solver, s->thread))
			state = drive_slot(remote, remote->look);
	}
	return state;
}

enum pn_state sv_remote_drive(struct sv_remote *remote)
{
	enum pn_state state = PN_RUNNING;
	PD_ASSERT(remote->desk && remote->count);
	pn_solver_grain(remote->solver, sv_desk_grain(remote->desk), PN_LOOK_NODES);
	take_results(remote);
	for (unsigned i = 0; i < remote->count && remote->ready && state == PN_RUNNING; i++)
		if (remote->slots[i].ready)
			state = drive_slot(remote, i);
	if (state == PN_RUNNING)
		state = check_waiting(remote);
	sv_desk_flush(remote->desk);
	return state;
}

void sv_remote_wait(struct sv_remote *remote)
{
	PD_ASSERT(remote->desk);
	if (!remote->ready)
		sv_desk_wait(remote->desk, WAIT_NS);
}

void sv_remote_worker(const struct sv_remote *remote, unsigned thread, char out[64])
{
	out[0] = 0;
	for (unsigned i = 0; i < remote->count; i++)
		if (remote->slots[i].thread == thread && remote->slots[i].serial)
			sv_desk_worker(remote->desk, i, out);
}
