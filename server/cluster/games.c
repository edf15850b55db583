#include "server/cluster/games.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/mutex.h"
#include "server/cluster/grain.h"

void sc_games_init(struct sc_games *games, const struct sv_cluster_host *host)
{
	*games = (struct sc_games){.host = host};
	LIST_INIT(&games->list);
	pd_mutex_init(&games->lock, PD_LOCK_CLUSTER_GAMES);
}

void sc_games_fini(struct sc_games *games)
{
	PD_ASSERT(LIST_EMPTY(&games->list));
	pd_mutex_fini(&games->lock);
}

/* Under the lock. */
static struct sc_game *find_game(struct sc_games *games, const char *name, uint64_t rules)
{
	struct sc_game *g;
	LIST_FOREACH(g, &games->list, link)
		if (g->rules == rules && !strcmp(g->game->name, name))
			return g;
	return NULL;
}

static int open_game(struct sc_games *games, const char *name, uint64_t rules, struct sc_game **out,
		     struct pd_fail *fail)
{
	struct sc_game *g = calloc(1, sizeof *g);
	if (!g)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a game of the cluster");
	int rc = games->host->game_get(games->host->ctx, name, &g->game, fail);
	if (!rc && game_version(g->game) != rules) {
		games->host->game_put(games->host->ctx, g->game);
		rc = pd_fail_set(fail, PD_E_GAME, "game", "the rules of %s have changed", name);
	}
	if (rc) {
		free(g);
		return rc;
	}
	g->rules = rules;
	g->users = 1;
	atomic_init(&g->grain, SC_GRAIN_MIN);
	*out = g;
	return PD_OK;
}

static void close_game(struct sc_games *games, struct sc_game *g)
{
	games->host->game_put(games->host->ctx, g->game);
	free(g);
}

int sc_games_get(struct sc_games *games, const char *name, uint64_t rules, struct sc_game **out, struct pd_fail *fail)
{
	struct sc_game *mine = NULL;
	pd_mutex_lock(&games->lock);
	struct sc_game *g = find_game(games, name, rules);
	if (!g) { /* not under the lock: the host may read a file */
		pd_mutex_unlock(&games->lock);
		int rc = open_game(games, name, rules, &mine, fail);
		if (rc)
			return rc;
		pd_mutex_lock(&games->lock);
		g = find_game(games, name, rules);
	}
	if (g) {
		g->users++;
	} else {
		g = mine;
		mine = NULL;
		g->number = ++games->last;
		LIST_INSERT_HEAD(&games->list, g, link);
	}
	pd_mutex_unlock(&games->lock);
	if (mine)
		close_game(games, mine);
	*out = g;
	return PD_OK;
}

void sc_games_share(struct sc_games *games, struct sc_game *game)
{
	pd_mutex_lock(&games->lock);
	PD_ASSERT(game->users);
	game->users++;
	pd_mutex_unlock(&games->lock);
}

void sc_games_put(struct sc_games *games, struct sc_game *game)
{
	pd_mutex_lock(&games->lock);
	PD_ASSERT(game->users);
	bool last = !--game->users;
	if (last)
		LIST_REMOVE(game, link);
	pd_mutex_unlock(&games->lock);
	if (last)
		close_game(games, game);
}
