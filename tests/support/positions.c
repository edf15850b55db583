#include "tests/support/positions.h"

#include <check.h>

#include "solver/games/game.h"

struct game *open_game(const char *name)
{
	struct game *game;
	struct pd_fail fail;
	ck_assert_msg(!game_open(name, NULL, &game, &fail), "%s: %s", name, fail.text);
	return game;
}

struct walk_state parse_position(const struct game *game, const char *text)
{
	struct walk_state state = {0};
	struct pd_fail fail;
	ck_assert_msg(!game->rules->parse(game, text, &state, &fail), "%s %s: %s", game->name, text, fail.text);
	return state;
}
