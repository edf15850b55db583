#include "server/api/position_jobs.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/hash.h"
#include "server/common/core_parts.h"
#include "server/jobs/index/job_index.h"
#include "solver/games/game.h"

enum {
	LOOKS_MAX = 100000,  /* jobs looked at */
	LOOKS_AT_ONCE = 1000 /* under one lock: a fraction of a millisecond */
};

/* What is looked for: the positions in order of their hashes. */
struct search {
	const char *game, *start; /* the initial position as the game prints it: jobs may say "" */
	struct sv_begun **order;
	unsigned count;
};

int sv_begun_set(struct sv_begun *place, const struct game *game, const void *state, struct pd_fail *fail)
{
	char text[GAME_TEXT_MAX];
	size_t size = game->rules->print(game, state, text, sizeof text);
	*place = (struct sv_begun){.text = strdup(text), .hash = pd_hash64(text, size)};
	return place->text ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a position");
}

static int compare_hashes(const void *a, const void *b)
{
	const struct sv_begun *x = *(struct sv_begun *const *)a, *y = *(struct sv_begun *const *)b;
	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* Of several jobs on a position the one whose state ranks highest is shown; 0: it has no search to show. */
static unsigned rank_state(enum sv_state state)
{
	return state == SV_RUNNING ? 3 : state == SV_QUEUED || state == SV_PAUSED ? 2 : state == SV_EXHAUSTED;
}

/* Under the lock. */
static void match_job(const struct search *s, const struct sv_job *job)
{
	enum sv_state state = sv_job_shown(job);
	if (!rank_state(state) || job->record.damaged || strcmp(job->record.spec.game, s->game) != 0)
		return;
	const struct pn_progress *progress = &job->run.snapshot.progress;
	const char *text = *job->record.spec.position ? job->record.spec.position : s->start;
	uint64_t hash = pd_hash64(text, strlen(text));
	unsigned low = 0, high = s->count;
	while (low < high) {
		unsigned middle = low + (high - low) / 2;
		if (s->order[middle]->hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < s->count && s->order[low]->hash == hash; low++) {
		struct sv_begun *place = s->order[low];
		if (strcmp(place->text, text) != 0 || (place->job && rank_state(place->state) >= rank_state(state)))
			continue;
		place->job = job->record.id;
		place->state = state;
		place->pn = progress->pn;
		place->dn = progress->dn;
		place->nodes = progress->level1 + progress->level2;
	}
}

static void match_jobs(struct sv_core *core, const struct search *s)
{
	int64_t before = INT64_MAX;
	for (unsigned looks = 0; before && looks < LOOKS_MAX;) {
		sv_lock(core);
		const struct sv_job_index *index = sv_index(core);
		uint32_t place = sv_set_place(&index->all, before);
		uint32_t open = index->all.states[SV_QUEUED] + index->all.states[SV_RUNNING] +
				index->all.states[SV_PAUSED] + index->all.states[SV_EXHAUSTED];
		for (unsigned i = 0; open && place && i < LOOKS_AT_ONCE; i++, looks++)
			match_job(s, index->all.jobs[--place]);
		before = open && place ? (int64_t)index->all.jobs[place]->record.id : 0;
		sv_unlock(core);
	}
}

void sv_begun_find(struct sv_core *core, const struct game *game, struct sv_begun *places, unsigned count)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char start[GAME_TEXT_MAX];
	struct pd_fail fail;
	struct search s = {game->name, start, malloc(count * sizeof(struct sv_begun *)), count};
	if (s.order && !game->rules->parse(game, "", state, &fail)) {
		game->rules->print(game, state, start, sizeof start);
		for (unsigned i = 0; i < count; i++)
			s.order[i] = &places[i];
		qsort(s.order, count, sizeof *s.order, compare_hashes);
		match_jobs(core, &s);
	}
	free(s.order);
}
