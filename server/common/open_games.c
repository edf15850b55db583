#include "server/common/open_games.h"

#include <inttypes.h>
#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/graph_file.h"
#include "server/common/core_state.h"
#include "server/common/game_tables.h"
#include "server/common/program_game.h"

enum { GAMES_MAX = 256 };
static const uint64_t idle_bytes_max = (uint64_t)1 << 30; /* limit of unused graphs, applied when another is opened */

/* A game that a thread is opening. */
struct sv_opening {
	const char *name; /* borrowed */
	struct sv_opening *next;
};

bool sv_game_is_file(const char *name)
{
	const struct game_rules *rules = game_rules_named(name);
	return rules && (rules->graph || sv_program_is(rules));
}

void sv_rules_text(uint64_t rules, char out[SV_RULES_TEXT])
{
	snprintf(out, SV_RULES_TEXT, "%" PRIx64, rules);
}

void sv_digest_text(uint64_t digest, char out[SV_DIGEST_TEXT])
{
	snprintf(out, SV_DIGEST_TEXT, "%016" PRIx64, digest);
}

int sv_graph_read(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail)
{
	return pr_graph_load(ctx, name, out, NULL, fail);
}

static struct sv_open_game *find_game(struct sv_open_games *games, const char *name)
{
	struct pd_fail why;
	for (struct sv_open_game *g = games->first; g; g = g->next)
		if (!strcmp(g->game->name, name) && !sv_program_failed(g->game, &why))
			return g;
	return NULL;
}

static bool is_being_opened(struct sv_open_games *games, const char *name)
{
	for (const struct sv_opening *o = games->opening; o; o = o->next)
		if (!strcmp(o->name, name))
			return true;
	return false;
}

static void end_opening(struct sv_open_games *games, const struct sv_opening *mine)
{
	struct sv_opening **o = &games->opening;
	PD_ASSERT(pd_mutex_held(&games->lock));
	while (*o != mine)
		o = &(*o)->next;
	*o = mine->next;
	pthread_cond_broadcast(&games->changed);
}

/* Under the lock: takes a game without users from the list when there are too many, or too many bytes of graphs, so
 * that a client that asks for many games cannot fill the memory. The caller closes it. */
static struct sv_open_game *evict_game(struct sv_open_games *games)
{
	unsigned count = 0;
	uint64_t bytes = 0;
	struct pd_fail why;
	struct sv_open_game **victim = NULL, **graph = NULL, **failed = NULL;
	PD_ASSERT(pd_mutex_held(&games->lock));
	for (struct sv_open_game **g = &games->first; *g; g = &(*g)->next) {
		count++;
		if ((*g)->users)
			continue;
		victim = g;
		failed = sv_program_failed((*g)->game, &why) ? g : failed;
		graph = (*g)->bytes ? g : graph;
		bytes += (*g)->bytes;
	}
	if (count <= GAMES_MAX)
		victim = bytes > idle_bytes_max ? graph : NULL;
	victim = failed ? failed : victim;
	if (!victim)
		return NULL;
	struct sv_open_game *out = *victim;
	*victim = out->next;
	return out;
}

/* Reads a graph, and notes how large it is. */
struct graph_host {
	const char *directory;
	uint64_t bytes;
};

static int read_graph(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail)
{
	struct graph_host *host = ctx;
	int rc = pr_graph_load(host->directory, name, out, NULL, fail);
	if (!rc)
		host->bytes = pd_graph_bytes(*out);
	return rc;
}

static int open_game(struct sv_open_games *games, const char *name, struct sv_open_game **out, struct pd_fail *fail)
{
	struct graph_host graphs = {games->graphs, 0};
	struct game_host host = {&graphs, read_graph};
	struct game *game;
	int rc = sv_game_open(games->data, name, &host, &game, fail);
	if (rc)
		return rc;
	*out = calloc(1, sizeof **out);
	if (!*out) {
		game_close(game);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a game");
	}
	**out = (struct sv_open_game){.game = game, .bytes = graphs.bytes};
	return PD_OK;
}

static void close_game(struct sv_open_game *g)
{
	if (!g)
		return;
	game_close(g->game);
	free(g);
}

/* Under the lock: adds a game that was opened, unless another thread was faster, or its name was not the canonical one.
 * Returns the one to be used; *fresh is NULL unless it is superfluous. */
static struct sv_open_game *add_game(struct sv_open_games *games, struct sv_open_game **fresh)
{
	PD_ASSERT(pd_mutex_held(&games->lock));
	struct sv_open_game *known = find_game(games, (*fresh)->game->name);
	if (known)
		return known;
	known = *fresh;
	known->next = games->first;
	games->first = known;
	*fresh = NULL;
	return known;
}

int sv_games_get(struct sv_open_games *games, const char *name, struct game **out, struct pd_fail *fail)
{
	struct sv_opening mine = {.name = name};
	struct sv_open_game *known, *fresh = NULL, *old;
	pd_mutex_lock(&games->lock);
	/* A large graph takes a minute and gigabytes, so it is read once. */
	while (!(known = find_game(games, name)) && sv_game_is_file(name) && is_being_opened(games, name))
		pd_mutex_wait(&games->lock, &games->changed);
	if (known) {
		known->users++;
	} else {
		mine.next = games->opening;
		games->opening = &mine;
	}
	pd_mutex_unlock(&games->lock);
	if (known) {
		*out = known->game;
		return PD_OK;
	}
	int rc = open_game(games, name, &fresh, fail);
	pd_mutex_lock(&games->lock);
	end_opening(games, &mine);
	PD_ASSERT(rc || fresh);
	if (!rc) {
		known = add_game(games, &fresh);
		known->users++;
		*out = known->game;
	}
	pd_mutex_unlock(&games->lock);
	if (rc)
		return rc;
	close_game(fresh);
	do {
		pd_mutex_lock(&games->lock);
		old = evict_game(games);
		pd_mutex_unlock(&games->lock);
		close_game(old);
	} while (old);
	return PD_OK;
}

static void add_users(struct sv_open_games *games, const struct game *game, int users)
{
	pd_mutex_lock(&games->lock);
	for (struct sv_open_game *g = games->first; g; g = g->next)
		if (g->game == game) {
			PD_ASSERT(g->users > 0);
			g->users += (unsigned)users;
		}
	pd_mutex_unlock(&games->lock);
}

void sv_games_put(struct sv_open_games *games, const struct game *game)
{
	add_users(games, game, -1);
}

int sv_game_get(struct sv_core *core, const char *name, struct game **out, struct pd_fail *fail)
{
	return sv_games_get(core->games, name, out, fail);
}

void sv_game_share(struct sv_core *core, const struct game *game)
{
	add_users(core->games, game, 1);
}

void sv_game_put(struct sv_core *core, const struct game *game)
{
	sv_games_put(core->games, game);
}

bool sv_game_is_near(struct sv_core *core, const char *name)
{
	struct sv_open_games *games = core->games;
	if (!sv_game_is_file(name))
		return true;
	pd_mutex_lock(&games->lock);
	struct sv_open_game *known = find_game(games, name);
	bool open = known && !sv_program_is(known->game->rules); /* which may take long to answer */
	pd_mutex_unlock(&games->lock);
	return open;
}

void sv_games_init(struct sv_open_games *games)
{
	*games = (struct sv_open_games){0};
	pd_mutex_init(&games->lock, PD_LOCK_OPEN_GAMES);
	pthread_cond_init(&games->changed, NULL);
}

void sv_games_fini(struct sv_open_games *games)
{
	while (games->first) {
		struct sv_open_game *g = games->first;
		PD_ASSERT(!g->users);
		games->first = g->next;
		close_game(g);
	}
	PD_ASSERT(!games->opening);
	pthread_cond_destroy(&games->changed);
	pd_mutex_fini(&games->lock);
}
