/* Game methods: the games, one game, one position. */
#include "server/api/methods.h"

#include <stdio.h>

#include "proto/base/assert.h"
#include "server/common/core_state.h"
#include "server/common/open_games.h"
#include "server/common/plugins.h"
#include "solver/board.h"
#include "solver/game.h"

/* Where the rules come from, unless they are built in. */
static void put_plugin(struct pr_out *out, const struct game_rules *rules, const struct game *g)
{
	struct sv_plugin_info info;
	char digest[SV_DIGEST_TEXT];
	if (!sv_plugin_of(rules, &info))
		return;
	pr_open_object(out, "plugin");
	pr_str(out, "file", info.file);
	sv_digest_text(info.digest, digest);
	pr_str(out, "digest", digest);
	pr_str(out, "author", info.author);
	if (g)
		pr_uint(out, "rules", g->rules_version);
	pr_close(out);
}

int sv_method_game_list(struct sv_request *r)
{
	const struct game_rules *rules;
	pr_open_object(&r->out, NULL);
	pr_open_array(&r->out, "games");
	for (unsigned i = 0; (rules = game_at(i)) != NULL; i++) {
		pr_open_object(&r->out, NULL);
		pr_str(&r->out, "name", rules->name);
		pr_str(&r->out, "title", rules->title);
		pr_str(&r->out, "params", rules->params);
		pr_str(&r->out, "example", rules->example);
		put_plugin(&r->out, rules, NULL);
		pr_close(&r->out);
	}
	pr_close(&r->out);
	pr_close(&r->out);
	return PD_OK;
}

int sv_method_game_describe(struct sv_request *r)
{
	struct game *g;
	char version[SV_RULES_TEXT];
	int rc = sv_game_get(r->core, pr_get_str(r->params, "game", ""), &g, &r->fail);
	if (rc)
		return rc;
	pr_open_object(&r->out, NULL);
	pr_str(&r->out, "game", g->name);
	pr_str(&r->out, "title", g->rules->title);
	pr_str(&r->out, "params", g->rules->params);
	pr_str(&r->out, "notation", g->rules->notation);
	pr_str(&r->out, "example", g->rules->example);
	sv_rules_text(game_version(g), version);
	pr_str(&r->out, "rules_version", version);
	put_plugin(&r->out, g->rules, g);
	pr_open_object(&r->out, "values");
	pr_int(&r->out, "min", g->value_min);
	pr_int(&r->out, "max", g->value_max);
	pr_int(&r->out, "step", g->value_step);
	pr_close(&r->out);
	pr_bool(&r->out, "acyclic", g->acyclic);
	if (g->acyclic)
		pr_null(&r->out, "infinite");
	else
		pr_int(&r->out, "infinite", g->infinite_value);
	pr_uint(&r->out, "moves_max", g->moves_max);
	pr_uint(&r->out, "plies_max", g->plies_max);
	pr_close(&r->out);
	sv_game_put(r->core, g);
	return PD_OK;
}

int sv_method_position_show(struct sv_request *r)
{
	struct game *g;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX];
	uint8_t key[GAME_KEY_MAX];
	char text[GAME_TEXT_MAX];
	int value;
	int rc = sv_game_get(r->core, pr_get_str(r->params, "game", ""), &g, &r->fail);
	if (rc)
		return rc;
	rc = g->rules->parse(g, pr_get_str(r->params, "position", ""), state, &r->fail);
	if (!rc) {
		bool over = g->rules->terminal(g, state, &value);
		pr_open_object(&r->out, NULL);
		pr_str(&r->out, "game", g->name);
		g->rules->print(g, state, text, sizeof text);
		pr_str(&r->out, "position", text);
		game_picture(g, state, text, sizeof text);
		pr_str(&r->out, "board", text);
		if (over)
			pr_null(&r->out, "first_to_move");
		else
			pr_bool(&r->out, "first_to_move", g->rules->first_to_move(g, state));
		pr_bool(&r->out, "terminal", over);
		if (over) {
			game_value_text(game_words(g), game_scale(g), (struct game_interval){value, value}, text,
					sizeof text);
			pr_int(&r->out, "value", value);
			pr_str(&r->out, "text", text);
		}
		unsigned count = over ? 0 : g->rules->moves(g, state, moves);
		pr_open_array(&r->out, "moves");
		for (unsigned i = 0; i < count; i++) {
			g->rules->move_print(g, state, moves[i], text, sizeof text);
			pr_str(&r->out, NULL, text);
		}
		pr_close(&r->out);
		size_t size = g->rules->key(g, state, key);
		for (size_t i = 0; i < size; i++)
			snprintf(text + 2 * i, 3, "%02x", key[i]);
		pr_strn(&r->out, "key", text, 2 * size);
		pr_close(&r->out);
	}
	sv_game_put(r->core, g);
	return rc;
}
