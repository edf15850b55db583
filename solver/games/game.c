#include "solver/games/game.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/hash.h"
#include "solver/games/text.h"

#define GAME(name) extern const struct game_rules game_##name##_rules;
#include "proto/base/games.def"
#undef GAME

static const struct game_rules *const builtin[] = {
#define GAME(name) &game_##name##_rules,
#include "proto/base/games.def"
#undef GAME
};

enum { BUILTIN_COUNT = sizeof builtin / sizeof builtin[0], OUTSIDE_MAX = 256, REFUSED_MAX = 64, SHORT_NAME_MAX = 32 };

/* Rules of plug-ins, and names that are refused; filled before threads start, read-only after that. */
static const struct game_rules *outside[OUTSIDE_MAX];
static unsigned outside_count;
static struct refused {
	char name[SHORT_NAME_MAX + 1];
	char why[320];
} refused[REFUSED_MAX];
static unsigned refused_count;

const struct game_rules *game_builtin(unsigned index)
{
	return index < BUILTIN_COUNT ? builtin[index] : NULL;
}

const struct game_rules *game_at(unsigned index)
{
	return index < BUILTIN_COUNT                   ? builtin[index]
	       : index - BUILTIN_COUNT < outside_count ? outside[index - BUILTIN_COUNT]
						       : NULL;
}

const struct game_rules *game_rules_named(const char *name)
{
	size_t size = strcspn(name, ":");
	const struct game_rules *rules;
	for (unsigned i = 0; (rules = game_at(i)) != NULL; i++)
		if (strlen(rules->name) == size && !memcmp(rules->name, name, size))
			return rules;
	return NULL;
}

static int refuse_unknown(const char *name, size_t size, struct pd_fail *fail)
{
	const struct game_rules *rules;
	char list[240] = "";
	for (unsigned i = 0; i < refused_count; i++)
		if (strlen(refused[i].name) == size && !memcmp(refused[i].name, name, size))
			return pd_fail_set(fail, PD_E_GAME, "game", "%s", refused[i].why);
	for (unsigned i = 0; (rules = game_at(i)) != NULL; i++) {
		size_t used = strlen(list);
		snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", rules->name);
	}
	return pd_fail_set(fail, PD_E_GAME, "game", "there is no game '%s'; there are: %s",
			   text_excerpt(name, size).text, list);
}

/* --- rules of plug-ins -------------------------------------------------------------------- */

bool game_name_good(const char *name)
{
	size_t size = name ? strlen(name) : 0;
	return size >= 1 && size <= SHORT_NAME_MAX && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == size;
}

const char *game_rules_missing(const struct game_rules *r)
{
	const struct {
		bool there;
		const char *name;
	} members[] = {
		{r->title != NULL, "title"},
		{r->params != NULL, "params"},
		{r->notation != NULL, "notation"},
		{r->example != NULL, "example"},
		{r->open != NULL, "open"},
		{r->close != NULL, "close"},
		{r->start != NULL, "start"},
		{r->parse != NULL, "parse"},
		{r->print != NULL, "print"},
		{r->move_parse != NULL, "move_parse"},
		{r->terminal != NULL, "terminal"},
		{r->move_print != NULL, "move_print"},
		{r->moves != NULL, "moves"},
		{r->first_to_move != NULL, "first_to_move"},
		{r->play != NULL, "play"},
		{r->key != NULL, "key"},
		{r->unkey != NULL, "unkey"},
		{r->picture || r->board, "picture, and no board"},
		{!r->board || r->diagram, "diagram"},
		{!r->board || r->move_places, "move_places"},
		{!r->notations || r->move_print_in, "move_print_in"},
	};
	for (unsigned i = 0; i < sizeof members / sizeof members[0]; i++)
		if (!members[i].there)
			return members[i].name;
	return NULL;
}

int game_register(const struct game_rules *rules, struct pd_fail *fail)
{
	PD_ASSERT(rules->abi == GAME_ABI && rules->size == sizeof *rules);
	if (!game_name_good(rules->name))
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "game",
				   "the name of a game is 1 to %d of the characters a to z, 0 to 9, - and _",
				   SHORT_NAME_MAX);
	const char *missing = game_rules_missing(rules);
	if (missing)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "game", "its game '%s' has no %s", rules->name, missing);
	if (game_rules_named(rules->name))
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "game", "there is a game '%s' already", rules->name);
	if (outside_count == OUTSIDE_MAX)
		return pd_fail_set(fail, PD_E_LIMIT, "game", "plug-ins have %d games already", OUTSIDE_MAX);
	outside[outside_count++] = rules;
	return PD_OK;
}

void game_refuse(const char *name, const char *why)
{
	PD_ASSERT(name && why && game_name_good(name));
	if (refused_count == REFUSED_MAX)
		return;
	struct refused *r = &refused[refused_count++];
	snprintf(r->name, sizeof r->name, "%s", name);
	snprintf(r->why, sizeof r->why, "%s", why);
}

uint64_t game_version(const struct game *game)
{
	uint8_t bytes[16];
	if (!game->plugin_digest)
		return game->rules_version;
	pd_put_le64(bytes, game->rules_version);
	pd_put_le64(bytes + 8, game->plugin_digest);
	return pd_hash64(bytes, sizeof bytes);
}

/* --- opening ------------------------------------------------------------------------------ */

/* A name is part of a line in certificates and other files. */
static bool is_printable(const char *name)
{
	for (; *name; name++)
		if (*name <= ' ' || *name > '~')
			return false;
	return true;
}

/* The first promise of an opened game that does not hold, of those that the search relies on; NULL if all hold. */
static const char *opened_fault(const struct game *g)
{
	const struct game_rules *r = g->rules;
	size_t size = r ? strlen(r->name) : 0;
	bool ended = memchr(g->name, 0, sizeof g->name) != NULL;
	const struct {
		bool holds;
		const char *what;
	} laws[] = {
		{r && ended, "has a name"},
		{ended && is_printable(g->name), "has a name without blanks and control characters"},
		{r && !strncmp(g->name, r->name, size) && (!g->name[size] || g->name[size] == ':'),
		 "has a name that begins with that of its rules"},
		{g->state_size >= 1 && g->state_size <= GAME_STATE_MAX, "has a state_size from 1 to GAME_STATE_MAX"},
		{g->key_size_max >= 1 && g->key_size_max <= GAME_KEY_MAX,
		 "has a key_size_max from 1 to 256 (GAME_KEY_MAX)"},
		{g->moves_max >= 1 && g->moves_max <= GAME_MOVES_MAX, "has a moves_max from 1 to GAME_MOVES_MAX"},
		{g->value_min < g->value_max, "has a value_min below its value_max"},
		{g->value_step >= 1 && (g->value_max - g->value_min) % g->value_step == 0,
		 "has a value_step that leads from value_min to value_max"},
		{g->acyclic || (g->infinite_value >= g->value_min && g->infinite_value <= g->value_max),
		 "has an infinite_value on its scale"},
		{!r || !r->static_solve || g->acyclic, "is acyclic if it has a static_solve"},
	};
	for (unsigned i = 0; i < sizeof laws / sizeof laws[0]; i++)
		if (!laws[i].holds)
			return laws[i].what;
	return NULL;
}

int game_open_rules(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
		    struct pd_fail *fail)
{
	struct game *game;
	PD_ASSERT(rules->size == sizeof *rules && !game_rules_missing(rules));
	int rc = rules->open(rules, params, host, &game, fail);
	if (rc)
		return rc;
	const char *fault = opened_fault(game);
	PD_ASSERT(!fault || game->plugin_digest);
	if (fault)
		rc = pd_fail_set(fail, PD_E_GAME, "game",
				 "the plug-in is faulty: its game breaks the rule that a game %s", fault);
	else if (!game->acyclic && game->plies_max > GAME_CYCLIC_PLIES_MAX)
		rc = pd_fail_set(fail, PD_E_UNSUPPORTED, "game",
				 "'%s' has cycles and games of up to %u plies; a game with cycles may have at most %d",
				 game->name, game->plies_max, GAME_CYCLIC_PLIES_MAX);
	if (rc)
		rules->close(game);
	else
		*out = game;
	return rc;
}

int game_open(const char *name, const struct game_host *host, struct game **out, struct pd_fail *fail)
{
	size_t size = strcspn(name, ":");
	if (strlen(name) >= GAME_NAME_MAX)
		return pd_fail_set(fail, PD_E_GAME, "game", "a game's name has at most %d bytes", GAME_NAME_MAX - 1);
	const struct game_rules *rules = game_rules_named(name);
	if (!rules)
		return refuse_unknown(name, size, fail);
	return game_open_rules(rules, name[size] ? name + size + 1 : "", host, out, fail);
}

void game_close(struct game *game)
{
	if (game)
		game->rules->close(game);
}

/* --- values and notations ----------------------------------------------------------------- */

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

/* The word for an interval on a scale from -1 to 1; NULL if the game has none. */
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
	if (text && length < size) /* snprintf would dominate the time of a query */
		memcpy(out, text, length + 1);
	else if (lo == hi)
		snprintf(out, size, "%s by %d", lo > 0 ? "first wins" : "second wins", lo < 0 ? -lo : lo);
	else
		snprintf(out, size, "between %d and %d", lo, hi);
}

void game_result_text(const struct game *game, struct game_interval known, int plies, char *out, size_t size)
{
	if (game->rules->counted && known.lo > 0 && plies > 0)
		snprintf(out, size, "%s %d", game->rules->counted, (plies + 1) / 2);
	else
		game_value_text(game_words(game), game_scale(game), known, out, size);
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

/* --- perft -------------------------------------------------------------------------------- */

uint64_t game_perft(const struct game *game, const void *state, unsigned depth)
{
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX];
	uint64_t total = 0;
	PD_ASSERT(game->state_size <= sizeof child && game->moves_max <= GAME_MOVES_MAX);
	if (depth <= 1)
		return depth ? game_count(game, state, moves) : 1;
	for (unsigned i = game->rules->moves(game, state, moves); i-- > 0;) {
		memcpy(child, state, game->state_size);
		game->rules->play(game, child, moves[i]);
		total += game_perft(game, child, depth - 1);
	}
	return total;
}
