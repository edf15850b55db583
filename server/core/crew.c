#include "server/core/crew.h"

#include "proto/base/log.h"
#include "server/core/internal.h"
#include "server/core/sound.h"

enum { SLICE_NODES = 100000 }; /* of a member between two looks whether the round is over; the search itself looks more often */

bool sv_lookup_fact(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out)
{
	struct sv_lookup *l = ctx;
	struct pd_fail fail;
	int got = l->game_id ? st_fact_get(l->reader, l->game_id, key, size, out, &fail) : 0;
	if (got > 0 && sv_fact_sound(l->game, key, size, out, &fail))
		got = -1;
	if (got < 0 && !l->failed.code)
		l->failed = fail;
	return got > 0;
}

/* --- the leader -------------------------------------------------------------------------------------------------------------------------- */

void sv_crew_open(struct sv_crew *crew, struct pn_solver *solver, unsigned most)
{
	*crew = (struct sv_crew){.solver = solver, .most = most};
	LIST_INIT(&crew->list);
	pthread_cond_init(&crew->go, NULL);
	pthread_cond_init(&crew->back, NULL);
}

void sv_crew_close(struct sv_core *core, struct sv_crew *crew)
{
	crew->closed = true;
	pthread_cond_broadcast(&crew->go);
	while (crew->members)
		pthread_cond_wait(&crew->back, &core->lock);
	pthread_cond_destroy(&crew->go);
	pthread_cond_destroy(&crew->back);
}

bool sv_crew_changes(struct sv_core *core, const struct sv_crew *crew)
{
	return crew->members > crew->in || (crew->in && (sv_next_job(core) || !pn_solver_wants_company(crew->solver)));
}

void sv_crew_change(struct sv_core *core, struct sv_crew *crew, const struct sv_lookup *leader)
{
	bool wanted = sv_next_job(core) != NULL, done = !pn_solver_wants_company(crew->solver);
	struct sv_member *m;
	struct pd_fail fail;
	LIST_FOREACH(m, &crew->list, link) {
		m->lookup.game = leader->game;
		m->lookup.game_id = leader->game_id;
		if (m->out)
			continue;
		if (m->in && (wanted || done)) {
			pn_solver_leave(crew->solver, m->walker);
			m->in = wanted = false;
			m->out = true;
			crew->in--;
		} else if (!m->in) {
			const struct pn_host host = {&m->lookup, sv_lookup_fact};
			m->in = !wanted && !done && pn_solver_room(crew->solver) &&
				!pn_solver_join(crew->solver, &host, &m->walker, &fail);
			m->out = !m->in;
			m->round = crew->round;
			crew->in += m->in;
		}
	}
	pthread_cond_broadcast(&crew->go);
}

void sv_crew_go(struct sv_crew *crew)
{
	pn_solver_halt(crew->solver, false);
	crew->round++;
	crew->walking = crew->in;
	crew->collect = false;
	pthread_cond_broadcast(&crew->go);
}

void sv_crew_rest(struct sv_core *core, struct sv_crew *crew)
{
	pn_solver_halt(crew->solver, true);
	while (crew->walking)
		pthread_cond_wait(&crew->back, &core->lock);
	pn_solver_halt(crew->solver, false);
}

/* --- members ------------------------------------------------------------------------------------------------------------------------------- */

struct sv_job *sv_crew_wanted(struct sv_core *core)
{
	struct sv_job *best = NULL, *job;
	LIST_FOREACH(job, &core->running, running)
		if (job->crew && !job->crew->closed && job->crew->members < job->crew->most &&
		    (!best || job->spec.priority > best->spec.priority ||
		     (job->spec.priority == best->spec.priority && job->id < best->id)))
			best = job;
	return best;
}

/* Without the lock: one round. */
static bool walk(struct sv_crew *crew, const struct sv_member *m)
{
	enum pn_state state;
	do
		state = pn_solver_walk(crew->solver, m->walker, SLICE_NODES);
	while (state == PN_RUNNING && !pn_solver_halted(crew->solver));
	return state == PN_COLLECT;
}

void sv_crew_serve(struct sv_core *core, struct sv_job *job)
{
	struct sv_crew *crew = job->crew;
	struct sv_member m = {0};
	struct pd_fail fail;
	crew->members++;
	core->helping++;
	pthread_mutex_unlock(&core->lock);
	bool opened = !st_reader_open(core->store, &m.lookup.reader, &fail);
	pthread_mutex_lock(&core->lock);
	if (opened)
		LIST_INSERT_HEAD(&crew->list, &m, link);
	else
		crew->most = 0; /* there are no more readers to be had: let nobody try again in this run */
	while (opened && !crew->closed && !m.out) {
		if (!m.in || crew->round == m.round) {
			pthread_cond_wait(&crew->go, &core->lock);
			continue;
		}
		m.round = crew->round;
		pthread_mutex_unlock(&core->lock);
		bool collect = walk(crew, &m);
		pthread_mutex_lock(&core->lock);
		crew->collect |= collect;
		if (m.lookup.failed.code && !crew->failed.code)
			crew->failed = m.lookup.failed;
		crew->walking--;
		pthread_cond_broadcast(&crew->back);
	}
	if (opened) {
		LIST_REMOVE(&m, link);
		pthread_mutex_unlock(&core->lock);
		st_reader_close(m.lookup.reader);
		pthread_mutex_lock(&core->lock);
	} else {
		pd_log(PD_LOG_WARN, "job %u: a worker cannot join it: %s", job->id, fail.text);
	}
	crew->members--;
	core->helping--;
	pthread_cond_broadcast(&crew->back);
}
