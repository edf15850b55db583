#include "server/common/position.h"

#include "proto/base/assert.h"

bool sv_position_moved(pr_ref params)
{
	pr_ref moves = pr_get(params, "moves");
	return pr_kind_of(moves) == PR_STRING || pr_kind_of(moves) == PR_ARRAY;
}

static int read_from(const struct game *game, const char *position, pr_ref params, void *state,
		     struct game_played *played, struct pd_fail *fail)
{
	struct game_played own, *p = played ? played : &own;
	pr_ref moves = pr_get(params, "moves");
	*p = (struct game_played){.number = (unsigned)pr_get_int(params, "game_number", 0)};
	int rc = game->rules->parse(game, position, state, fail);
	if (!rc && pr_kind_of(moves) == PR_STRING)
		return game_play_record(game, pr_text(moves, ""), !*position, state, p, fail);
	for (size_t i = 0; !rc && pr_kind_of(moves) == PR_ARRAY && i < pr_count(moves); i++)
		rc = game_play_move(game, pr_text(pr_at(moves, i), ""), state, p, fail);
	return rc;
}

int sv_position_read(const struct game *game, pr_ref params, void *state, struct game_played *played,
		     struct pd_fail *fail)
{
	return read_from(game, pr_get_str(params, "position", ""), params, state, played, fail);
}

int sv_position_text(const struct game *game, pr_ref params, char **out, struct pd_fail *fail)
{
	return sv_position_text_from(game, pr_get_str(params, "position", ""), params, out, fail);
}

int sv_position_text_from(const struct game *game, const char *position, pr_ref params, char **out,
			  struct pd_fail *fail)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char text[GAME_TEXT_MAX];
	const char *from = position;
	if (sv_position_moved(params)) {
		int rc = read_from(game, position, params, state, NULL, fail);
		if (rc)
			return rc;
		size_t wanted = game->rules->print(game, state, text, sizeof text);
		PD_ASSERT(wanted < sizeof text);
		from = text;
	}
	*out = strdup(from);
	return *out ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a position");
}

int sv_position_notation(const struct game *game, pr_ref params, const char **out, struct pd_fail *fail)
{
	return game_notation(game, pr_get_str(params, "notation", NULL), out, fail);
}
