#include "server/common/open_games.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/buf.h"
#include "proto/graph_json.h"
#include "proto/rpc.h"
#include "server/common/core_state.h"

enum { GAMES_MAX = 256, GRAPH_NAME_MAX = 64 };

static const char graph_prefix[] = "andor:";

/* Reads a whole file of at most `max` bytes; the content is to be freed. */
static int read_file(const char *path, size_t max, char **out, size_t *size, struct pd_fail *fail)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return pd_fail_set(fail, errno == ENOENT ? PD_E_GAME : PD_E_IO, "game", "there is no graph file %s: %s",
				   path, strerror(errno));
	struct pd_buf buf;
	char chunk[1 << 14];
	size_t n;
	pd_buf_init(&buf, max);
	while ((n = fread(chunk, 1, sizeof chunk, file)) > 0)
		pd_buf_put(&buf, chunk, n);
	bool bad = ferror(file) != 0;
	fclose(file);
	if (bad || buf.failed) {
		pd_buf_fini(&buf);
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "the graph file %s cannot be read, or is larger than %zu bytes", path, max);
	}
	*out = buf.data;
	*size = buf.size;
	return PD_OK;
}

bool sv_game_is_file(const char *name)
{
	return !strncmp(name, graph_prefix, sizeof graph_prefix - 1);
}

void sv_rules_text(uint64_t rules, char out[SV_RULES_TEXT])
{
	snprintf(out, SV_RULES_TEXT, "%" PRIx64, rules);
}

void sv_digest_text(uint64_t digest, char out[SV_DIGEST_TEXT])
{
	snprintf(out, SV_DIGEST_TEXT, "%016" PRIx64, digest);
}

int sv_graph_text(const char *directory, const char *name, char **out, size_t *size, struct pd_fail *fail)
{
	size_t length = strlen(name);
	char path[4096];
	if (!directory)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "graphs are read from a directory, and none is configured (option --graphs)");
	if (!length || length > GRAPH_NAME_MAX ||
	    strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") != length)
		return pd_fail_set(fail, PD_E_GAME, "game", "a graph's name is 1 to %d letters, digits, _ or -",
				   GRAPH_NAME_MAX);
	if ((size_t)snprintf(path, sizeof path, "%s/%s.json", directory, name) >= sizeof path)
		return pd_fail_set(fail, PD_E_GAME, "game", "the name of the graph directory is too long");
	return read_file(path, PR_GRAPH_BYTES_MAX, out, size, fail);
}

int sv_graph_read(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail)
{
	char *text = NULL;
	size_t size = 0;
	int rc = sv_graph_text(ctx, name, &text, &size, fail);
	if (rc)
		return rc;
	rc = pr_graph_parse(text, size, out, fail);
	free(text);
	return rc;
}

static struct sv_open_game *find(struct sv_core *core, const char *name)
{
	for (struct sv_open_game *g = core->games->first; g; g = g->next)
		if (!strcmp(g->game->name, name))
			return g;
	return NULL;
}

/* Under the lock: takes a game without users from the list when there are too many, so that a client that asks for many
 * games cannot fill the memory. The caller closes it. */
static struct sv_open_game *evict(struct sv_core *core)
{
	unsigned count = 0;
	struct sv_open_game **victim = NULL;
	for (struct sv_open_game **g = &core->games->first; *g; g = &(*g)->next) {
		count++;
		if (!(*g)->users)
			victim = g;
	}
	if (count <= GAMES_MAX || !victim)
		return NULL;
	struct sv_open_game *out = *victim;
	*victim = out->next;
	return out;
}

int sv_game_get(struct sv_core *core, const char *name, struct game **out, struct pd_fail *fail)
{
	struct game_host host = {core->graphs, sv_graph_read};
	pthread_mutex_lock(&core->games->lock);
	struct sv_open_game *known = find(core, name);
	if (known)
		known->users++;
	pthread_mutex_unlock(&core->games->lock);
	if (known) {
		*out = known->game;
		return PD_OK;
	}
	struct game *game;
	int rc = game_open(name, &host, &game, fail);
	if (rc)
		return rc;
	struct sv_open_game *fresh = calloc(1, sizeof *fresh);
	if (!fresh) {
		game_close(game);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a game");
	}
	pthread_mutex_lock(&core->games->lock);
	known = find(core, game->name); /* another thread may have opened it, or the name was not the canonical one */
	if (!known) {
		*fresh = (struct sv_open_game){game, core->games->first, 0};
		core->games->first = known = fresh;
		fresh = NULL;
		game = NULL;
	}
	known->users++;
	*out = known->game;
	struct sv_open_game *old = evict(core);
	pthread_mutex_unlock(&core->games->lock);
	if (game)
		game_close(game);
	free(fresh);
	if (old) {
		game_close(old->game);
		free(old);
	}
	return PD_OK;
}

void sv_game_put(struct sv_core *core, struct game *game)
{
	pthread_mutex_lock(&core->games->lock);
	for (struct sv_open_game *g = core->games->first; g; g = g->next)
		if (g->game == game) {
			PD_ASSERT(g->users > 0);
			g->users--;
		}
	pthread_mutex_unlock(&core->games->lock);
}

bool sv_game_is_near(struct sv_core *core, const char *name)
{
	if (!sv_game_is_file(name))
		return true;
	pthread_mutex_lock(&core->games->lock);
	bool open = find(core, name) != NULL;
	pthread_mutex_unlock(&core->games->lock);
	return open;
}

void sv_games_init(struct sv_open_games *games)
{
	pthread_mutex_init(&games->lock, NULL);
	games->first = NULL;
}

void sv_games_fini(struct sv_open_games *games)
{
	while (games->first) {
		struct sv_open_game *g = games->first;
		PD_ASSERT(!g->users);
		games->first = g->next;
		game_close(g->game);
		free(g);
	}
	pthread_mutex_destroy(&games->lock);
}
