#include "tests/support/positions.h"

#include <check.h>
#include <string.h>

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

void check_refused_position(const char *name, const char *text, const char *says)
{
	struct pd_fail fail = {0};
	struct walk_state state;
	struct game *game = open_game(name);
	ck_assert_msg(game->rules->parse(game, text, &state, &fail) == PD_E_POSITION, "%s was taken", text);
	ck_assert_str_eq(fail.field, "position");
	ck_assert_msg(strstr(fail.text, says) != NULL, "%s: %s", text, fail.text);
	game_close(game);
}

void check_move_order(const char *name, bool unique, const char *wanted)
{
	game_move moves[64];
	char text[256] = "";
	struct game *game = open_game(name);
	struct walk_state state = parse_position(game, "");
	unsigned count = (unique ? game->rules->unique_moves : game->rules->moves)(game, &state, moves);
	for (unsigned i = 0; i < count; i++) {
		size_t used = strlen(text);
		if (i)
			text[used++] = ' ';
		game->rules->move_print(game, &state, moves[i], text + used, sizeof text - used);
	}
	ck_assert_str_eq(text, wanted);
	game_close(game);
}
