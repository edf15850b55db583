#include "server/jobs/run/search_group.h"

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "server/common/core_parts.h"
#include "server/common/memory_bound.h"
#include "server/common/pulse.h"
#include "server/jobs/run/own_facts.h"
#include "server/jobs/index/search_threads.h"
#include "server/jobs/queue/judgement.h"
#include "solver/table_theorem.h"
#include "store/store.h"

/* Nodes that a member searches between two checks whether the round is over; the search itself checks more often. */
enum { SLICE_NODES = 100000 };

bool sv_lookup_fact(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out)
{
	struct sv_lookup *l = ctx;
	struct pd_fail fail;
	int got = l->game_id ? st_fact_get(l->reader, l->game_id, key, size, out, &fail) : 0;
	if (got > 0 && pn_fact_sound(l->game, key, size, out, &fail))
		got = -1;
	if (got < 0 && !l->failed.code)
		l->failed = fail;
	if (got <= 0 || (l->own && !l->telling && sv_own_facts_hide(l->own, key, size)))
		out->count = 0;
	int told = got < 0 ? 0 : pn_tables_key_fact(l->game, key, size, out, &fail);
	if (told < 0 && told != PN_TABLES_DAMAGED && !l->failed.code) /* a search does without a damaged entry */
		l->failed = fail;
	return out->count > 0;
}

void sv_lookup_found(void *ctx, const uint8_t *key, size_t size)
{
	struct sv_lookup *l = ctx;
	if (l->own)
		sv_own_facts_add(l->own, key, size);
}

void sv_search_group_open(struct sv_search_group *group, struct pn_solver *solver, unsigned most)
{
	*group = (struct sv_search_group){.solver = solver, .most = most};
	LIST_INIT(&group->list);
	pthread_cond_init(&group->go, NULL);
	pthread_cond_init(&group->back, NULL);
}

void sv_search_group_close(struct sv_core *core, struct sv_search_group *group)
{
	PD_ASSERT(sv_locked(core));
	PD_ASSERT(!group->searching);
	group->closed = true;
	pthread_cond_broadcast(&group->go);
	while (group->members)
		sv_lock_wait(core, &group->back);
	pthread_cond_destroy(&group->go);
	pthread_cond_destroy(&group->back);
}

bool sv_search_group_changes(struct sv_core *core, const struct sv_search_group *group)
{
	return group->members > group->in ||
	       (group->in && (sv_find_ready(core, NULL) || !pn_solver_wants_company(group->solver)));
}

void sv_search_group_change(struct sv_core *core, struct sv_search_group *group, const struct sv_lookup *leader)
{
	PD_ASSERT(!group->searching); /* between two rounds */
	bool wanted = sv_find_ready(core, NULL) != NULL, done = !pn_solver_wants_company(group->solver);
	struct sv_member *m;
	struct pd_fail fail;
	LIST_FOREACH(m, &group->list, link) {
		m->lookup.game = leader->game;
		m->lookup.game_id = leader->game_id;
		if (m->out)
			continue;
		if (m->in && (wanted || done)) {
			pn_solver_leave(group->solver, m->thread);
			m->in = wanted = false;
			m->out = true;
			PD_ASSERT(group->in > 0);
			group->in--;
		} else if (!m->in) {
			const struct pn_host host = {&m->lookup, sv_lookup_fact};
			m->in = !wanted && !done && pn_solver_room(group->solver) &&
				!pn_solver_join(group->solver, &host, false, &m->thread, &fail);
			m->out = !m->in;
			m->round = group->round;
			group->in += m->in;
		}
	}
	pthread_cond_broadcast(&group->go);
}

void sv_search_group_go(struct sv_core *core, struct sv_search_group *group)
{
	PD_ASSERT(!group->searching && group->in <= group->members);
	pn_solver_halt(group->solver, false);
	group->round++;
	group->searching = group->in;
	group->memory_bound = sv_bound(core)->bytes;
	group->collect = false;
	pthread_cond_broadcast(&group->go);
}

void sv_search_group_rest(struct sv_core *core, struct sv_search_group *group)
{
	pn_solver_halt(group->solver, true);
	while (group->searching)
		sv_lock_wait(core, &group->back);
	pn_solver_halt(group->solver, false);
}

struct sv_job *sv_search_group_wanted(struct sv_core *core)
{
	struct sv_job *best = NULL, *job;
	PD_ASSERT(sv_locked(core));
	LIST_FOREACH(job, &sv_search_threads(core)->running, run.running)
		if (job->run.group && !job->run.group->closed && job->run.group->members < job->run.group->most &&
		    (!best || job->record.spec.priority > best->record.spec.priority ||
		     (job->record.spec.priority == best->record.spec.priority && job->record.id < best->record.id)))
			best = job;
	return best;
}

/* Without the lock: one round. */
static bool search_round(struct sv_core *core, struct sv_search_group *group, struct sv_member *m)
{
	enum pn_state state = PN_RUNNING;
	do {
		uint64_t nodes =
			sv_memory_pacer_begin(&m->pacer, SLICE_NODES, group->memory_bound, sv_config(core)->threads);
		sv_pulse_beat(core);
		if (!nodes) {
			sv_memory_pacer_wait();
			continue;
		}
		uint64_t before = pn_solver_nodes(group->solver, m->thread);
		state = pn_solver_run_thread(group->solver, m->thread, nodes);
		sv_memory_pacer_end(&m->pacer, pn_solver_nodes(group->solver, m->thread) - before);
	} while (state == PN_RUNNING && !pn_solver_halted(group->solver));
	return state == PN_COLLECT;
}

void sv_search_group_serve(struct sv_core *core, struct sv_job *job)
{
	struct sv_search_group *group = job->run.group;
	struct sv_member m = {0};
	struct pd_fail fail;
	PD_ASSERT(group && group->members < group->most);
	group->members++;
	sv_search_threads_count(sv_search_threads(core), 0, 1);
	sv_unlock(core);
	bool opened = !st_reader_open(sv_store(core), &m.lookup.reader, &fail);
	sv_lock(core);
	if (opened)
		LIST_INSERT_HEAD(&group->list, &m, link);
	else
		group->most = 0; /* no readers are left: no other thread tries in this run */
	while (opened && !group->closed && !m.out) {
		if (!m.in || group->round == m.round) {
			sv_lock_wait(core, &group->go);
			continue;
		}
		m.round = group->round;
		sv_unlock(core);
		uint64_t cpu = pd_cpu_ns();
		bool collect = search_round(core, group, &m);
		cpu = pd_cpu_ns() - cpu;
		sv_lock(core);
		group->cpu_ns += cpu;
		group->collect |= collect;
		if (m.lookup.failed.code && !group->failed.code)
			group->failed = m.lookup.failed;
		PD_ASSERT(group->searching > 0);
		group->searching--;
		pthread_cond_broadcast(&group->back);
	}
	if (opened) {
		LIST_REMOVE(&m, link);
		sv_unlock(core);
		st_reader_close(m.lookup.reader);
		sv_lock(core);
	} else {
		pd_log(PD_LOG_WARN, "job %u: a search thread cannot join it: %s", job->record.id, fail.text);
	}
	PD_ASSERT(group->members > 0);
	group->members--;
	sv_search_threads_count(sv_search_threads(core), 0, -1);
	pthread_cond_broadcast(&group->back);
}
