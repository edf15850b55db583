#include "server/jobs/run/injected_facts.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/log.h"
#include "server/common/core_parts.h"
#include "server/jobs/run/run.h"
#include "store/store.h"

void sv_injected_facts_begin(struct sv_job *job)
{
	struct sv_job *sub;
	TAILQ_FOREACH(sub, &job->entry.subs, entry.sub)
		sub->entry.has_news = true;
	job->entry.sub_has_news = !TAILQ_EMPTY(&job->entry.subs);
}

/* The positions of sub-jobs with news, to be freed; NULL without memory: they are injected later. */
static char **take_positions(struct sv_job *job, size_t *count)
{
	struct sv_job *sub;
	size_t room = 0;
	*count = 0;
	TAILQ_FOREACH(sub, &job->entry.subs, entry.sub)
		room += sub->entry.has_news;
	char **positions = calloc(room + 1, sizeof *positions);
	if (!positions)
		return NULL;
	TAILQ_FOREACH(sub, &job->entry.subs, entry.sub) {
		char *position = sub->entry.has_news ? strdup(sub->record.spec.position) : NULL;
		if (!position)
			continue;
		sub->entry.has_news = false;
		positions[(*count)++] = position;
	}
	PD_ASSERT(*count <= room);
	job->entry.sub_has_news = *count < room;
	return positions;
}

static void inject_facts(struct sv_run *r, const char *position)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_fail fail;
	if (r->game->rules->parse(r->game, position, state, &fail)) /* the sub-job's own run reports that */
		return;
	r->lookup.telling = true; /* this run may have found facts about the position as well */
	int rc = pn_solver_inject(r->solver, state, &fail);
	r->lookup.telling = false;
	if (rc == PD_E_NO_MEMORY)
		pd_log(PD_LOG_WARN, "job %u: facts of a sub-job are not injected: %s", r->job->record.id, fail.text);
	else if (rc && !r->lookup.failed.code)
		r->lookup.failed = fail;
}

void sv_injected_facts_take(struct sv_run *r)
{
	struct sv_core *core = r->core;
	size_t count = 0;
	PD_ASSERT(!r->in_round);
	sv_lock(core);
	char **positions = r->job->entry.sub_has_news ? take_positions(r->job, &count) : NULL;
	sv_unlock(core);
	if (count && !r->lookup.game_id) /* they are the first facts of the game */
		r->lookup.game_id = st_game_find(sv_store(core), r->game->name, game_version(r->game));
	for (size_t i = 0; i < count; i++) {
		inject_facts(r, positions[i]);
		free(positions[i]);
	}
	free(positions);
}
