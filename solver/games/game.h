/* Game: opens games, and answers common questions about them by their rules (game_rules.h). */
#pragma once

#include <string.h>

#include "proto/base/error.h"
#include "proto/base/graph.h"
#include "solver/game_rules.h"

/* Opens the game with that full name, as in "connect4:7x6". PD_E_GAME with field "game" if there is none (the message
 * lists the names), or if the rules of a plug-in are faulty. host may be NULL. The caller closes *out with
 * game_close. */
int game_open(const char *name, const struct game_host *host, struct game **out, struct pd_fail *fail);
/* Opens a game by its rules and the parameters alone. PD_E_UNSUPPORTED with field "game" for a game with cycles that
 * has more plies than a path can have (GAME_CYCLIC_PLIES_MAX). */
int game_open_rules(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
		    struct pd_fail *fail);
void game_close(struct game *game);

/* The built-in rules, `index` from 0; NULL after the last. */
const struct game_rules *game_builtin(unsigned index);
/* All rules: the built-in ones, then those of plug-ins. */
const struct game_rules *game_at(unsigned index);
/* The rules of the game with that full name; NULL when there are none. */
const struct game_rules *game_rules_named(const char *name);

/* Adds the rules of a plug-in, which are borrowed until the process ends. PD_E_UNSUPPORTED for a missing member, or a
 * name that is malformed or taken; PD_E_LIMIT. Called before any thread opens games. */
int game_register(const struct game_rules *rules, struct pd_fail *fail);
/* Makes game_open fail with the message `why` for `name`, which no game has. Both texts are copied. */
void game_refuse(const char *name, const char *why);
/* The first required member that rules lack; NULL: none. */
const char *game_rules_missing(const struct game_rules *rules);
/* True if a game's rules may have that name. */
bool game_name_good(const char *name);

/* The version of the rules under which facts, jobs and tables are stored, compared and shown. The version of a plug-in
 * changes with its file; certificates state the author's version, rules_version, and the file's digest. */
uint64_t game_version(const struct game *game);

/* The parameters in a game's full name; "" when there are none. */
static inline const char *game_params(const struct game *g)
{
	const char *colon = strchr(g->name, ':');
	return colon ? colon + 1 : "";
}

extern const struct game_words game_usual_words;
/* The words for the results of a game. */
static inline const struct game_words *game_words(const struct game *g)
{
	return g->rules->words ? g->rules->words : &game_usual_words;
}
/* The words for the results of the game with that full name; the usual ones if there is no such game. */
const struct game_words *game_words_named(const char *name);
/* Values from lo to hi. */
struct game_interval {
	int lo, hi;
};
/* The least and the greatest value of a game. */
static inline struct game_interval game_scale(const struct game *g)
{
	return (struct game_interval){g->value_min, g->value_max};
}
/* Writes the words for a value that is known to lie in an interval: "first wins", "second wins or draw", "unknown"; on
 * scales that reach beyond -1 to 1, "first wins by 3" or "between -2 and 4". */
void game_value_text(const struct game_words *words, struct game_interval scale, struct game_interval known, char *out,
		     size_t size);
/* The same for a position of the game in which the bound is reached within that many plies, as `counted` says where the
 * game has it; 0 or less: they are not known. */
void game_result_text(const struct game *game, struct game_interval known, int plies, char *out, size_t size);

/* The number of moves of a position; `room` has space for moves_max of them. */
static inline unsigned game_count(const struct game *g, const void *state, game_move *room)
{
	return g->rules->count ? g->rules->count(g, state) : g->rules->moves(g, state, room);
}

/* Translates a move into the frame of the position's key, or back. */
static inline game_move game_canon(const struct game *g, const void *state, game_move move, bool back)
{
	return g->rules->canon ? g->rules->canon(g, state, move, back) : move;
}

/* Finds the legal move that `move`, any number in the key's frame, stands for; false if there is none. */
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

/* Writes a move in one of the game's notations, NULL for its own. Returns what snprintf returns. */
static inline size_t game_move_text(const struct game *g, const void *state, game_move move, const char *notation,
				    char *out, size_t size)
{
	return notation ? g->rules->move_print_in(g, state, move, notation, out, size)
			: g->rules->move_print(g, state, move, out, size);
}
/* Finds a notation by its name; *out is NULL, the game's own, for NULL or "". PD_E_PARAMS with field "notation" for an
 * unknown name. */
int game_notation(const struct game *game, const char *name, const char **out, struct pd_fail *fail);

/* The number of move sequences of exactly `depth` plies, for comparison with published counts. */
uint64_t game_perft(const struct game *game, const void *state, unsigned depth);
