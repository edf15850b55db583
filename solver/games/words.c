/* Words: what the values of a game are called (game.h). */
#include "solver/game.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"

const struct game_words game_usual_words = {
	.first = "first wins",
	.draw = "draw",
	.second = "second wins",
	.not_second = "first wins or draw",
	.not_first = "second wins or draw",
};

const struct game_words *game_words_named(const char *name)
{
	const struct game_rules *rules = game_rules_named(name);
	return rules && rules->words ? rules->words : &game_usual_words;
}

/* What is known, on a scale that has no value but -1, 0 and 1; NULL when the game has no word for it. */
static const char *word_of(const struct game_words *w, int lo, int hi)
{
	if (lo >= 1)
		return w->first;
	if (hi <= -1)
		return w->second;
	return lo == 0 && hi == 0 ? w->draw : lo == 0 ? w->not_second : w->not_first;
}

void game_value_text(const struct game_words *words, struct game_interval scale, struct game_interval known, char *out,
		     size_t size)
{
	const int lo = known.lo, hi = known.hi;
	const char *text = NULL;
	PD_ASSERT(words && out && size > 0);
	if (lo <= scale.lo && hi >= scale.hi)
		text = "unknown";
	else if (scale.lo >= -1 && scale.hi <= 1)
		text = word_of(words, lo, hi);
	else if (lo == 0 && hi == 0)
		text = "draw";
	size_t length = text ? strlen(text) : 0;
	if (text && length < size) /* printf would take longer than the rest of a query's printing */
		memcpy(out, text, length + 1);
	else if (lo == hi)
		snprintf(out, size, "%s by %d", lo > 0 ? "first wins" : "second wins", lo < 0 ? -lo : lo);
	else
		snprintf(out, size, "between %d and %d", lo, hi);
}

int game_notation(const struct game *game, const char *name, const char **out, struct pd_fail *fail)
{
	const char *const *own = game->rules->notations;
	char list[96] = "";
	PD_ASSERT(!own || game->rules->move_print_in);
	*out = NULL;
	if (!name || !*name)
		return PD_OK;
	for (; own && *own; own++) {
		size_t used = strlen(list);
		if (!strcmp(*own, name)) {
			*out = *own;
			return PD_OK;
		}
		snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "; it has ", *own);
	}
	return pd_fail_set(fail, PD_E_PARAMS, "notation", "%s has no notation '%.32s' besides its own%s",
			   game->rules->name, name, list);
}
