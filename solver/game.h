/* Game: opening games, and what the solver asks of their rules (game_rules.h). */
#pragma once

#include <string.h>

#include "proto/base/error.h"
#include "proto/base/graph.h"
#include "solver/game_rules.h"

/* The part of a full name before and after the colon are looked up and opened: "connect4:7x6". PD_E_GAME with field
 * "game" when there is no such game; the message lists those there are. *out is to be closed with game_close. host may
 * be NULL. What the rules of a plug-in get wrong is PD_E_GAME, too. */
int game_open(const char *name, const struct game_host *host, struct game **out, struct pd_fail *fail);
/* The same for given rules, and their parameters alone. Every game is opened by this function; it refuses, with
 * PD_E_UNSUPPORTED and field "game", a cyclic game that has more plies than a path can have (GAME_CYCLIC_PLIES_MAX). */
int game_open_rules(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
		    struct pd_fail *fail);
void game_close(struct game *game);

/* The built-in rules, `index` from 0; NULL behind the last. */
const struct game_rules *game_builtin(unsigned index);
/* All rules: those that are built in, then those from outside. */
const struct game_rules *game_at(unsigned index);

/* The rules of the game with that full name; NULL when there are none. */
const struct game_rules *game_rules_named(const char *name);

/* Adds rules from outside, which are borrowed for good. PD_E_UNSUPPORTED for a member that is missing, or a name that
 * is not good or is taken; PD_E_LIMIT. Before there are threads that open games. */
int game_register(const struct game_rules *rules, struct pd_fail *fail);
/* From now on who opens a game of that name, which there is not, is told why. Both texts are copied. */
void game_refuse(const char *name, const char *why);
/* The member that rules lack; NULL: none. */
const char *game_rules_missing(const struct game_rules *rules);
/* Whether rules may be called so. */
bool game_name_good(const char *name);

/* The version of the rules under which facts, jobs and tables are stored, compared and shown. Of a plug-in it changes
 * with the plug-in's file; certificates state the author's version, rules_version, and the file's digest. */
uint64_t game_version(const struct game *game);

/* The parameters in its full name; "" when there are none. */
static inline const char *game_params(const struct game *g)
{
	const char *colon = strchr(g->name, ':');
	return colon ? colon + 1 : "";
}

extern const struct game_words game_usual_words;
/* The words of a game; and of the one with that full name, which need not be open (the usual ones for a name that no
 * game has). */
static inline const struct game_words *game_words(const struct game *g)
{
	return g->rules->words ? g->rules->words : &game_usual_words;
}
const struct game_words *game_words_named(const char *name);
/* Values from lo to hi. */
struct game_interval {
	int lo, hi;
};
/* The values that a game has. */
static inline struct game_interval game_scale(const struct game *g)
{
	return (struct game_interval){g->value_min, g->value_max};
}
/* What is known of a value on a scale, in words: "first wins", "second wins or draw", "unknown"; on other scales than
 * -1 to 1 and parts of it "first wins by 3" or "between -2 and 4". */
void game_value_text(const struct game_words *words, struct game_interval scale, struct game_interval known, char *out,
		     size_t size);

/* How many moves a position has; room for all of them. */
static inline unsigned game_count(const struct game *g, const void *state, game_move *room)
{
	return g->rules->count ? g->rules->count(g, state) : g->rules->moves(g, state, room);
}

/* The key's frame for a move, and back; the same move for games without symmetry. */
static inline game_move game_canon(const struct game *g, const void *state, game_move move, bool back)
{
	return g->rules->canon ? g->rules->canon(g, state, move, back) : move;
}

/* The legal move that `move`, in the key's frame, names; what comes from disk may be any number. False when there is
 * none. */
static inline bool game_legal_from_key(const struct game *g, const void *state, game_move move, game_move *out)
{
	game_move moves[GAME_MOVES_MAX];
	unsigned count = g->rules->moves(g, state, moves);
	*out = game_canon(g, state, move, true);
	for (unsigned i = 0; i < count; i++)
		if (moves[i] == *out)
			return game_canon(g, state, *out, false) == move;
	return false;
}

/* A move in one of the game's notations; NULL: in its own. Like snprintf. */
static inline size_t game_move_text(const struct game *g, const void *state, game_move move, const char *notation,
				    char *out, size_t size)
{
	return notation ? g->rules->move_print_in(g, state, move, notation, out, size)
			: g->rules->move_print(g, state, move, out, size);
}
/* The notation of that name, as the game has it in its list; NULL or "" for its own. PD_E_PARAMS with field "notation"
 * when it has none so called. */
int game_notation(const struct game *game, const char *name, const char **out, struct pd_fail *fail);

/* Number of positions after exactly `depth` plies, every legal move counted: for checking rules against published
 * counts. UINT64_MAX when memory cannot be had. */
uint64_t game_perft(const struct game *game, const void *state, unsigned depth);
