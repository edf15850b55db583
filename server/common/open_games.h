/* Open games: each game is opened once, shared by all jobs and queries, and kept open.
 *
 * Idle games are closed when there are more than 256, idle graphs when they take more than a gigabyte, and then only
 * when another is opened.
 *
 * A graph file that changed is another game: its digest is its rules version. The change is seen at the next start, or
 * sooner if the game was closed because many others were opened. So the name alone does not identify a game: facts,
 * jobs, transposition tables and certificates carry the rules version, and a job of other rules fails instead of
 * continuing (runner.c). */
#pragma once

#include "proto/base/mutex.h"
#include "solver/games/game.h"

struct pd_graph;
struct sv_core;

struct sv_open_game {
	struct game *game;
	struct sv_open_game *next;
	unsigned users;
	uint64_t bytes; /* of its graph; 0: it has none */
};

struct sv_opening;

struct sv_open_games {
	struct pd_mutex lock; /* guards the list; queries never wait here for a search thread that lost its processor */
	pthread_cond_t changed; /* a game is open, or could not be opened */
	struct sv_open_game *first;
	struct sv_opening *opening; /* games that threads are opening */
	const char *graphs;         /* directory of andor:NAME graphs; borrowed, set by the owner; NULL: none */
	const char *data;           /* directory with tables of games, likewise */
};

void sv_games_init(struct sv_open_games *games);
/* Closes all games; none may be in use. */
void sv_games_fini(struct sv_open_games *games);
/* Opens a game, or shares it. To be released with sv_games_put. Any thread; it may wait for another one that is reading
 * the same graph. */
int sv_games_get(struct sv_open_games *games, const char *name, struct game **out, struct pd_fail *fail);
void sv_games_put(struct sv_open_games *games, const struct game *game);
/* The same for the games of a core. */
int sv_game_get(struct sv_core *core, const char *name, struct game **out, struct pd_fail *fail);
/* Adds a user to a game that the caller holds. */
void sv_game_share(struct sv_core *core, const struct game *game);
void sv_game_put(struct sv_core *core, const struct game *game);
/* True when it is open already, or can be opened without reading a file; never for a program. */
bool sv_game_is_near(struct sv_core *core, const char *name);
/* Whether the rules come from a file: another file under the same name is another game. */
bool sv_game_is_file(const char *name);
/* A version of rules as text. */
enum { SV_RULES_TEXT = 20 };
void sv_rules_text(uint64_t rules, char out[SV_RULES_TEXT]);
/* The digest of a plug-in's file as text, 16 digits. */
enum { SV_DIGEST_TEXT = 17 };
void sv_digest_text(uint64_t digest, char out[SV_DIGEST_TEXT]);
/* game_host.graph over a directory (ctx: its name, may be NULL). */
int sv_graph_read(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail);
