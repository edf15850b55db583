#include "server/common/game_dirs.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "server/common/plugin_watch.h"

int sv_game_dirs_add(struct sv_game_dirs *dirs, const char *option, const char *text, struct pd_fail *fail)
{
	struct {
		const char *option, **list;
		unsigned *count;
	} const lists[] = {{"game-program", dirs->program, &dirs->programs},
			   {"game-files", dirs->files, &dirs->file_lists},
			   {"checker-program", dirs->checker, &dirs->checkers},
			   {"game-dir", dirs->dir, &dirs->count}};
	unsigned i = 0;
	while (strcmp(lists[i].option, option) != 0)
		i++;
	if (lists[i].list != dirs->dir && (!strchr(text, '=') || *text == '='))
		return pd_fail_set(fail, PD_E_USAGE, option, "--%s takes NAME=..., not '%.80s'", option, text);
	if (*lists[i].count == SV_GAME_DIRS_MAX)
		return pd_fail_set(fail, PD_E_USAGE, option, "--%s may be given %d times at most", option,
				   (int)SV_GAME_DIRS_MAX);
	lists[i].list[(*lists[i].count)++] = text;
	return PD_OK;
}

int sv_game_dirs_env(struct sv_game_dirs *dirs, struct pd_fail *fail)
{
	const char *list = getenv("PROOFD_GAME_DIR");
	char *rest = NULL;
	int rc = PD_OK;
	PD_ASSERT(!dirs->env);
	dirs->seconds = dirs->seconds ? dirs->seconds : SV_PLUGIN_TIMEOUT_S;
	if (dirs->count || !list || !*list)
		return PD_OK;
	dirs->env = strdup(list);
	if (!dirs->env)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "game-dir", "no memory for PROOFD_GAME_DIR");
	for (char *dir = strtok_r(dirs->env, ":", &rest); !rc && dir; dir = strtok_r(NULL, ":", &rest))
		rc = sv_game_dirs_add(dirs, "game-dir", dir, fail);
	return rc;
}

void sv_game_dirs_fini(struct sv_game_dirs *dirs)
{
	free(dirs->env);
	*dirs = (struct sv_game_dirs){0};
}

const char *sv_checker_program(const struct sv_game_dirs *dirs, const char *game)
{
	size_t size = strcspn(game, ":");
	for (unsigned i = 0; dirs && i < dirs->checkers; i++)
		if (!strncmp(dirs->checker[i], game, size) && dirs->checker[i][size] == '=')
			return dirs->checker[i];
	return NULL;
}
