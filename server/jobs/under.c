#include "server/jobs/under.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/log.h"
#include "server/common/core_state.h"
#include "server/common/open_games.h"
#include "server/jobs/checkpoint.h"
#include "server/jobs/job.h"
#include "server/jobs/job_index.h"
#include "server/jobs/pause.h"
#include "server/jobs/task.h"
#include "store/store.h"

int sv_under_check(const struct sv_core *core, const struct sv_spec *spec, struct pd_fail *fail)
{
	if (!spec->under)
		return PD_OK;
	const struct sv_job *job = sv_index_find(core->index, spec->under);
	if (!job)
		return pd_fail_set(fail, PD_E_PARAMS, "under", "there is no job %u to be under", spec->under);
	if (job->state == SV_SOLVED || job->state == SV_CANCELLED)
		return pd_fail_set(fail, PD_E_PARAMS, "under", "job %u is %s; a job under it would serve nothing",
				   job->id, sv_state_text(job->state));
	return PD_OK;
}

const struct sv_job *sv_under_solved(const struct sv_job *job)
{
	return job->alone ? NULL : job->solved_above;
}

void sv_under_reason(const struct sv_job *above, char *out, size_t size)
{
	snprintf(out, size, "job %u, which it is under, is solved; resume it to go on all the same", above->id);
}

bool sv_under_look(struct sv_core *core, struct sv_job *job)
{
	const struct sv_job *above = sv_under_solved(job);
	char reason[SV_REASON_MAX];
	PD_ASSERT(sv_mutex_held(&core->lock) && job->state == SV_QUEUED);
	if (!above || sv_job_owned(job)) /* a worker that has it sees that itself */
		return true;
	sv_under_reason(above, reason, sizeof reason);
	return sv_pause_job(core, job, reason);
}

void sv_under_committed(struct sv_job *job, const struct sv_task *task)
{
	if (!job->parent || (task->progress.lo == job->kept.lo && task->progress.hi == job->kept.hi))
		return;
	job->tell = job->parent->sub_tell = true;
}

void sv_under_begin(struct sv_job *job)
{
	struct sv_job *sub;
	TAILQ_FOREACH(sub, &job->subs, sub)
		sub->tell = true;
	job->sub_tell = !TAILQ_EMPTY(&job->subs);
}

/* The positions of sub-jobs with more to tell, as text, to be freed; NULL when there is no memory: they are told later.
 */
static char **take_positions(struct sv_job *job, size_t *count)
{
	struct sv_job *sub;
	size_t room = 0;
	*count = 0;
	TAILQ_FOREACH(sub, &job->subs, sub)
		room += sub->tell;
	char **positions = calloc(room + 1, sizeof *positions);
	if (!positions)
		return NULL;
	TAILQ_FOREACH(sub, &job->subs, sub) {
		char *position = sub->tell ? strdup(sub->spec.position) : NULL;
		if (!position)
			continue;
		sub->tell = false;
		positions[(*count)++] = position;
	}
	PD_ASSERT(*count <= room);
	job->sub_tell = *count < room;
	return positions;
}

static void tell(struct sv_run *r, const char *position)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_fail fail;
	if (r->game->rules->parse(r->game, position, state, &fail)) /* its own job says so */
		return;
	r->lookup.telling = true; /* this run may have found facts about the position as well */
	int rc = pn_solver_tell(r->solver, state, &fail);
	r->lookup.telling = false;
	if (rc == PD_E_NO_MEMORY)
		pd_log(PD_LOG_WARN, "job %u: facts of a job under it are not taken up: %s", r->job->id, fail.text);
	else if (rc && !r->lookup.failed.code)
		r->lookup.failed = fail;
}

void sv_under_take(struct sv_run *r)
{
	struct sv_core *core = r->core;
	size_t count = 0;
	PD_ASSERT(!r->in_round);
	sv_mutex_lock(&core->lock);
	char **positions = r->job->sub_tell ? take_positions(r->job, &count) : NULL;
	sv_mutex_unlock(&core->lock);
	if (count && !r->lookup.game_id) /* they are the first facts of the game */
		r->lookup.game_id = st_game_find(core->store, r->game->name, game_version(r->game));
	for (size_t i = 0; i < count; i++) {
		tell(r, positions[i]);
		free(positions[i]);
	}
	free(positions);
}
