/* Rules: the list of games, those of a plug-in, and shared members. */
#include "clients/proofcheck/rules.h"

#include <string.h>

#include "proto/base/assert.h"

#define GAME(name) extern const struct ck_rules ck_##name;
#include "proto/base/games.def"
#undef GAME

static const struct ck_rules *const games[] = {
#define GAME(name) &ck_##name,
#include "proto/base/games.def"
#undef GAME
};

static const struct ck_rules *const *outside; /* NULL: none; set before there are threads */

const struct ck_rules *ck_rules_named(const char *name, size_t size)
{
	const unsigned built_in = sizeof games / sizeof games[0];
	const struct ck_rules *rules;
	for (unsigned i = 0; (rules = i < built_in ? games[i] : outside ? outside[i - built_in] : NULL); i++)
		if (strlen(rules->name) == size && !memcmp(rules->name, name, size))
			return rules;
	return NULL;
}

bool ck_turn_0_moves(const struct ck_game *game, const struct ck_position *p)
{
	return p->turn == 0;
}

bool ck_no_move_loses(const struct ck_game *game, const struct ck_position *p, int *value)
{
	uint16_t list[CK_MOVES_MAX];
	*value = p->turn ? 1 : -1;
	return !game->rules->moves(game, p, list);
}

void ck_rules_add(const struct ck_rules *const *list)
{
	PD_ASSERT(!outside && list);
	outside = list;
}

/* Whether an open game has the values and keys that the checker relies on. */
static bool is_sound(const struct ck_game *g)
{
	return g->worst <= g->best && g->step >= 1 && g->key_max >= 1 && g->key_max <= CK_KEY_MAX &&
	       ck_is_value(g, g->best) && g->infinite >= g->worst && g->infinite <= g->best;
}

int ck_open(struct ck_game *game, const char *name, const char *graph, size_t graph_size, struct pd_fail *fail)
{
	size_t size = strcspn(name, ":"), length = strlen(name);
	memset(game, 0, sizeof *game);
	if (length >= sizeof game->name)
		return pd_fail_set(fail, PD_E_GAME, "game", "a game's name has at most %d bytes", CK_NAME_MAX - 1);
	memcpy(game->name, name, length);
	const struct ck_rules *rules = ck_rules_named(name, size);
	if (!rules)
		return pd_fail_set(fail, PD_E_GAME, "game", "there is no game '%.60s' in this program", name);
	PD_ASSERT(rules->open && rules->read && rules->encode && rules->decode && rules->moves);
	game->rules = rules;
	game->version = 1; /* the defaults, which `open` may change */
	game->worst = -1;
	game->best = 1;
	game->step = 1;
	int rc = rules->open(game, name[size] ? name + size + 1 : "", graph, graph_size, fail);
	if (!rc && !is_sound(game))
		rc = pd_fail_set(fail, PD_E_GAME, "game", "the rules open '%.60s' with invalid values or key sizes",
				 name);
	if (rc)
		ck_close(game);
	return rc;
}

void ck_close(struct ck_game *game)
{
	if (game->rules && game->rules->close)
		game->rules->close(game);
	pd_graph_free(game->graph);
	game->graph = NULL;
	game->own = NULL;
}

const char *ck_outcome(const struct ck_game *game, int64_t value)
{
	if (game->rules->outcome)
		return game->rules->outcome(value);
	if (game->worst < -1 || game->best > 1)
		return NULL;
	return value > 0 ? "first wins" : value < 0 ? "second wins" : "draw";
}

bool ck_decode(const struct ck_game *game, const uint8_t *key, size_t size, struct ck_position *out)
{
	uint8_t again[CK_KEY_MAX];
	PD_ASSERT(game->rules && game->key_max <= CK_KEY_MAX);
	memset(out, 0, sizeof *out);
	return size <= game->key_max && game->rules->decode(game, key, size, out) &&
	       game->rules->encode(game, out, again) == size && !memcmp(again, key, size);
}

uint64_t ck_perft(const struct ck_game *game, const struct ck_position *p, unsigned depth)
{
	uint16_t moves[CK_MOVES_MAX];
	uint64_t count = 0;
	int value;
	PD_ASSERT(game->rules);
	if (!depth)
		return 1;
	if (game->rules->over(game, p, &value))
		return 0;
	unsigned n = game->rules->moves(game, p, moves);
	for (unsigned i = 0; i < n && depth > 1; i++) {
		struct ck_position next = *p;
		game->rules->play(game, &next, moves[i]);
		count += ck_perft(game, &next, depth - 1);
	}
	return depth > 1 ? count : n;
}
