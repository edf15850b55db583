#include "server/cluster/roster.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/hash.h"
#include "proto/base/random.h"
#include "proto/cluster/wire_read.h"

enum { THREADS_MAX = 1024 };

static unsigned bucket_of(uint64_t number)
{
	return (unsigned)(pd_bucket_hash(&number, sizeof number) % SC_ROSTER_BUCKETS);
}

void sc_roster_init(struct sc_roster *roster)
{
	*roster = (struct sc_roster){.count = 0};
	TAILQ_INIT(&roster->all);
	TAILQ_INIT(&roster->idle);
	TAILQ_INIT(&roster->spare);
	TAILQ_INIT(&roster->to_tell);
}

static void drop_worker(struct sc_roster *roster, struct sc_worker *w)
{
	PD_ASSERT(!w->tasks.count && roster->count);
	w->view.state = SV_WORKER_GONE;
	sc_roster_place(roster, w);
	if (w->listed)
		TAILQ_REMOVE(&roster->to_tell, w, to_tell);
	TAILQ_REMOVE(&roster->all, w, link);
	LIST_REMOVE(w, by_number);
	roster->count--;
	free(w->can.family);
	free(w);
}

void sc_roster_fini(struct sc_roster *roster)
{
	struct sc_worker *w;
	while ((w = TAILQ_FIRST(&roster->all)))
		drop_worker(roster, w);
}

struct sc_worker *sc_roster_find(struct sc_roster *roster, uint64_t number)
{
	struct sc_worker *w;
	LIST_FOREACH(w, &roster->bucket[bucket_of(number)], by_number)
		if (w->number == number)
			return w;
	return NULL;
}

/* Forgets the gone or refused worker that was not heard for longest. */
static bool make_room(struct sc_roster *roster)
{
	struct sc_worker *w, *oldest = NULL;
	TAILQ_FOREACH(w, &roster->all, link)
		if ((w->view.state == SV_WORKER_GONE || w->view.state == SV_WORKER_REFUSED) && !w->tasks.count &&
		    (!oldest || w->seen_ns < oldest->seen_ns))
			oldest = w;
	if (oldest)
		drop_worker(roster, oldest);
	return oldest != NULL;
}

struct sc_worker *sc_roster_add(struct sc_roster *roster, uint64_t number, uint64_t now_ns)
{
	PD_ASSERT(number && !sc_roster_find(roster, number));
	if (roster->count >= SC_WORKERS_MAX && !make_room(roster))
		return NULL;
	struct sc_worker *w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	w->number = w->view.worker = number;
	w->view.state = SV_WORKER_GONE;
	w->view.since_ns = w->view.seen_ns = now_ns;
	w->credit.came_ns = w->seen_ns = w->result_ns = w->rate_ns = now_ns;
	sc_tasks_init(&w->tasks);
	LIST_INSERT_HEAD(&roster->bucket[bucket_of(number)], w, by_number);
	TAILQ_INSERT_TAIL(&roster->all, w, link);
	roster->count++;
	return w;
}

void sc_roster_enter(struct sc_roster *roster, struct sc_worker *w, enum sv_worker_state state)
{
	if (w->view.state == state)
		return;
	PD_ASSERT(w->view.state != SV_WORKER_BANNED); /* a ban is final */
	w->view.state = state;
	roster->banned += state == SV_WORKER_BANNED;
	roster->entries++;
	roster->changed = true;
	sc_roster_place(roster, w);
}

/* Tasks that the worker should have in hand: a quarter more than its threads. */
static unsigned room_of_worker(const struct sc_worker *w)
{
	return w->view.threads + (w->view.threads + 3) / 4;
}

void sc_roster_place(struct sc_roster *roster, struct sc_worker *w)
{
	struct sc_worker_list *to = NULL;
	if (w->view.state == SV_WORKER_THERE)
		to = w->tasks.count < w->view.threads     ? &roster->idle
		     : w->tasks.count < room_of_worker(w) ? &roster->spare
							  : NULL;
	if (w->free_in == to)
		return;
	if (w->free_in)
		TAILQ_REMOVE(w->free_in, w, free);
	w->free_in = to;
	if (to)
		TAILQ_INSERT_TAIL(to, w, free);
}

void sc_roster_tell(struct sc_roster *roster, struct sc_worker *w)
{
	if (w->listed)
		return;
	w->listed = true;
	TAILQ_INSERT_TAIL(&roster->to_tell, w, to_tell);
}

bool sc_worker_hello(struct sc_worker *w, const struct cw_hello *hello)
{
	struct sc_family *family = calloc(hello->game_count ? hello->game_count : 1, sizeof *family);
	if (!family)
		return false;
	PD_ASSERT(hello->game_count <= CW_GAMES_MAX);
	for (unsigned i = 0; i < hello->game_count; i++) {
		cw_text_print(&hello->games[i].name, family[i].name, sizeof family[i].name);
		family[i].digest = hello->games[i].digest;
	}
	free(w->can.family);
	w->can.family = family;
	w->can.family_count = hello->game_count;
	w->can.refused_count = 0;
	w->can.asked_game = 0;
	w->strikes = w->full = 0;
	w->rest_ns = 0;
	cw_text_print(&hello->name, w->view.name, sizeof w->view.name);
	cw_text_print(&hello->version, w->view.version, sizeof w->view.version);
	w->view.threads = hello->threads < 1 ? 1 : hello->threads > THREADS_MAX ? THREADS_MAX : hello->threads;
	w->view.memory = hello->memory;
	w->view.why[0] = 0;
	return true;
}

void sc_worker_refused(struct sc_roster *roster, struct sc_worker *w, const struct sc_game *game)
{
	/* The oldest of many refusals is overwritten, so that game is tried again. */
	if (sc_worker_can(w, game))
		w->can.refused_game[w->can.refused_count++ % SC_REFUSED_GAMES] = game->number;
	w->can.asked_game = 0;
	roster->changed = true;
}

bool sc_worker_can(struct sc_worker *w, const struct sc_game *game)
{
	unsigned refused = w->can.refused_count < SC_REFUSED_GAMES ? w->can.refused_count : SC_REFUSED_GAMES;
	bool can = false;
	if (w->can.asked_game == game->number)
		return w->can.asked;
	for (unsigned i = 0; i < w->can.family_count && !can; i++)
		can = w->can.family[i].digest == game->game->plugin_digest &&
		      !strcmp(w->can.family[i].name, game->game->rules->name);
	for (unsigned i = 0; i < refused; i++)
		can = can && w->can.refused_game[i] != game->number;
	w->can.asked_game = game->number;
	w->can.asked = can;
	return can;
}
