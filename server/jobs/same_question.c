/* Same question: whether two submissions ask for the same search, so that one job may answer both.
 *
 * What counts is what decides the answer and the run (P4): game, rules, position, claim, algorithm, detail, the
 * search's options, seed and shorten. What a job may use (memory, threads, budgets) and its priority do not count: a
 * client that hands the same question in again gets the job that it has, whatever it grants this time. */
#include <string.h>

#include "server/common/core_state.h"
#include "server/common/open_games.h"
#include "server/jobs/job_spec.h"

static bool claims_differ(const struct pd_claim *a, const struct pd_claim *b)
{
	if (a->value || b->value)
		return a->value != b->value;
	return a->refusal != b->refusal || a->threshold != b->threshold;
}

static bool options_differ(const struct pn_options *a, const struct pn_options *b)
{
	const struct pn_tunable *t;
	for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++) {
		char x[PN_TUNABLE_TEXT], y[PN_TUNABLE_TEXT];
		bool some = pn_option_text(a, t, x), other = pn_option_text(b, t, y);
		if (some != other || (some && strcmp(x, y)))
			return true;
	}
	return false;
}

/* The position as the game writes it; false when it cannot be read. */
static bool canonical(const struct game *game, const char *text, char out[GAME_TEXT_MAX])
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_fail fail;
	if (game->rules->parse(game, text, state, &fail))
		return false;
	game->rules->print(game, state, out, GAME_TEXT_MAX);
	return true;
}

static bool positions_differ(const struct game *game, const char *a, const char *b)
{
	char x[GAME_TEXT_MAX], y[GAME_TEXT_MAX];
	return strcmp(a, b) && (!canonical(game, a, x) || !canonical(game, b, y) || strcmp(x, y));
}

const char *sv_spec_differs(struct sv_core *core, const struct sv_spec *known, const struct sv_spec *asked)
{
	struct game *game;
	struct pd_fail fail;
	if (strcmp(known->game, asked->game))
		return "another game";
	if (sv_game_get(core, asked->game, &game, &fail))
		return "a game that cannot be opened";
	bool rules = sv_job_rules_differ(known, game) || sv_job_rules_differ(asked, game);
	bool position = !rules && positions_differ(game, known->position, asked->position);
	sv_game_put(core, game);
	if (rules)
		return "other rules";
	if (position)
		return "another position";
	if (claims_differ(&known->claim, &asked->claim))
		return "another claim";
	if (known->algorithm != asked->algorithm)
		return "another algorithm";
	if (known->detail != asked->detail)
		return "another detail";
	if (options_differ(&known->options, &asked->options))
		return "other options";
	if (known->seed != asked->seed)
		return "another seed";
	return known->shorten != asked->shorten ? "another shorten" : NULL;
}
