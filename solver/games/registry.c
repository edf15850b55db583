/* Registry: the games that are built in, in the order of proto/base/games.def. */
#include "solver/game.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/text.h"

#define GAME(name) extern const struct game_rules game_##name##_rules;
#include "proto/base/games.def"
#undef GAME

static const struct game_rules *const builtin[] = {
#define GAME(name) &game_##name##_rules,
#include "proto/base/games.def"
#undef GAME
};

enum { BUILTIN_COUNT = sizeof builtin / sizeof builtin[0] };

const struct game_rules *game_builtin(unsigned index)
{
	return index < BUILTIN_COUNT ? builtin[index] : NULL;
}

static int no_such_game(const char *name, size_t size, struct pd_fail *fail)
{
	char list[160] = "";
	for (unsigned i = 0; i < BUILTIN_COUNT; i++) {
		size_t used = strlen(list);
		snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", builtin[i]->name);
	}
	return pd_fail_set(fail, PD_E_GAME, "game", "there is no game '%s'; there are: %s",
			   text_excerpt(name, size).text, list);
}

int game_open_rules(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
		    struct pd_fail *fail)
{
	struct game *game;
	int rc = rules->open(rules, params, host, &game, fail);
	if (rc)
		return rc;
	PD_ASSERT(game->rules && game->state_size >= 1 && game->state_size <= GAME_STATE_MAX);
	PD_ASSERT(game->key_size_max >= 1 && game->key_size_max <= GAME_KEY_MAX);
	PD_ASSERT(game->moves_max >= 1 && game->moves_max <= GAME_MOVES_MAX);
	PD_ASSERT(game->value_min < game->value_max && game->value_step > 0);
	if (!game->acyclic && game->plies_max > GAME_CYCLIC_PLIES_MAX) {
		rc = pd_fail_set(fail, PD_E_UNSUPPORTED, "game",
				 "'%s' has cycles and games of up to %u plies; with cycles at most %d are supported",
				 game->name, game->plies_max, GAME_CYCLIC_PLIES_MAX);
		rules->close(game);
		return rc;
	}
	*out = game;
	return PD_OK;
}

/* What the search relies on without looking again (game.h): a game that breaks it is wrong in itself. */
static void assert_opened(const struct game *g)
{
	const struct game_rules *r = g->rules;
	PD_ASSERT(r->abi == GAME_ABI && r->size == sizeof *r);
	PD_ASSERT(r->close && r->start && r->parse && r->print && r->move_parse && r->move_print);
	PD_ASSERT(r->picture || (r->board && r->diagram));
	PD_ASSERT(!r->board == !r->diagram && !r->board == !r->move_places);
	PD_ASSERT(!r->notations == !r->move_print_in);
	PD_ASSERT(r->first_to_move && r->terminal && r->moves && r->play && r->key && r->unkey);
	PD_ASSERT(memchr(g->name, 0, sizeof g->name) != NULL);
	PD_ASSERT(!strncmp(g->name, r->name, strlen(r->name)));
	PD_ASSERT(g->state_size >= 1 && g->state_size <= GAME_STATE_MAX);
	PD_ASSERT(g->key_size_max >= 1 && g->key_size_max <= GAME_KEY_MAX);
	PD_ASSERT(g->moves_max >= 1 && g->moves_max <= GAME_MOVES_MAX);
	PD_ASSERT(g->value_step >= 1);
	PD_ASSERT(g->value_min < g->value_max);
	PD_ASSERT((g->value_max - g->value_min) % g->value_step == 0);
	PD_ASSERT(g->acyclic || (g->infinite_value >= g->value_min && g->infinite_value <= g->value_max));
	PD_ASSERT(!r->static_solve || g->acyclic);
}

int game_open(const char *name, const struct game_host *host, struct game **out, struct pd_fail *fail)
{
	const char *colon = strchr(name, ':');
	size_t size = colon ? (size_t)(colon - name) : strlen(name);
	if (strlen(name) >= GAME_NAME_MAX)
		return pd_fail_set(fail, PD_E_GAME, "game", "a game's name has at most %d bytes", GAME_NAME_MAX - 1);
	for (unsigned i = 0; i < BUILTIN_COUNT; i++) {
		if (strlen(builtin[i]->name) != size || memcmp(builtin[i]->name, name, size) != 0)
			continue;
		int rc = game_open_rules(builtin[i], colon ? colon + 1 : "", host, out, fail);
		if (!rc)
			assert_opened(*out);
		return rc;
	}
	return no_such_game(name, size, fail);
}

void game_close(struct game *game)
{
	if (game)
		game->rules->close(game);
}
