/* Player: for programs that play or analyse (gui_engine.c, cmd_htp.c, cmd_play.c): an adviser, which finds a
 * move for a position from facts or, if they do not suffice, by a search with a budget; and the game in progress.
 *
 * A position whose value is a fact is answered at once; for any other a job is searched until it is solved, its budget
 * is spent or it is stopped. All that the search proves is kept as facts, in the server or in --data; the job itself is
 * removed. The link is a server, or a core in this process. */
#pragma once

#include "clients/options.h"
#include "proto/doc.h"
#include "solver/games/game.h"

enum { CL_ADVICE_TEXT = 1024 };

/* A question and its limits. */
struct cl_order {
	const char *game, *position; /* full name; as the game writes it */
	int64_t nodes;               /* at most; 0: no limit */
	int64_t memory;              /* bytes; 0: the default */
	int64_t threads;             /* 0: all that are free */
	const char *move;            /* the question is about the position after this move; NULL: about `position` */
	const char *claim;           /* NULL: the value */
};

struct cl_advice {
	bool over;         /* the search has ended, or none was needed */
	bool exact;        /* the value is known, lo = hi */
	int64_t lo, hi;    /* bounds of the value, First's view */
	int64_t plies;     /* plies within which the game is decided; -1: unknown */
	double pn, dn;     /* of the current claim, "First gets at least `threshold`"; infinite when it is decided */
	int64_t threshold; /* that claim */
	int64_t nodes;     /* of both levels */
	double fill;       /* of the transposition table, 0..1 */
	char move[32];     /* the best one, or the most promising so far; "" when there is none yet */
	char line[CL_ADVICE_TEXT]; /* best play as far as it is proved, moves separated by blanks */
};

struct cl_adviser {
	struct cl_link *link; /* owned */
	int64_t job;          /* the job that searches; 0: none */
	struct cl_advice advice;
};

/* True when these options, or $PROOFD_SERVER, name a server to ask. */
bool cl_adviser_is_remote(const struct cl_options *options);
/* Opens the link: --server, --socket or $PROOFD_SERVER; otherwise a core in this process, on --data, to which
 * it writes, or in memory. */
int cl_adviser_open(struct cl_adviser *adviser, const struct cl_options *options, struct pd_fail *fail);
/* Stops the search and closes the link. */
void cl_adviser_close(struct cl_adviser *adviser);

/* Begins with a position that is not over, and resets adviser->advice; a search in progress is stopped. */
int cl_adviser_begin(struct cl_adviser *adviser, const struct cl_order *order, struct pd_fail *fail);
/* Brings adviser->advice up to date; waits at most wait_ms milliseconds for the end of the search. */
int cl_adviser_poll(struct cl_adviser *adviser, unsigned wait_ms, struct pd_fail *fail);
/* An order for a position with the budgets of the options. */
struct cl_order cl_adviser_order(const struct cl_options *options, const char *game, const char *position);
/* Seconds that a search may take: --seconds, by default 5; 0, no limit, when --nodes is given alone. */
double cl_adviser_seconds(const struct cl_options *options);
/* Searches until the search ends, `seconds` have passed (0: no limit) or a signal arrives; *signal is then its number.
 * To be ended by cl_adviser_stop. */
int cl_adviser_run(struct cl_adviser *adviser, const struct cl_order *order, double seconds, int *signal,
		   struct pd_fail *fail);
/* Ends the search; adviser->advice says how far it got. Until then its job says what the moves are worth
 * (candidates.h), also when the search is over. */
int cl_adviser_stop(struct cl_adviser *adviser, struct pd_fail *fail);
/* Takes what facts say of the order's position: advice->over when the value and, unless the game is over, a move are
 * known. */
int cl_advice_proved(struct cl_adviser *adviser, const struct cl_order *order, struct cl_advice *advice,
		     struct pd_fail *fail);
/* Appends moves to the line, if there is room. */
void cl_advice_append(struct cl_advice *advice, const char *moves);
/* Takes the bounds from a *value* of the protocol. */
void cl_advice_bounds(struct cl_advice *advice, pr_ref value);

/* A game in progress: the rules and the positions. */
enum { CL_PLIES_MAX = 2000 }; /* number of moves that can be taken back */

struct cl_player {
	struct game *game; /* owned; NULL: none is open */
	uint8_t *states;   /* owned; the positions since the start, the last one is current */
	unsigned plies;    /* positions before it */
};

/* Opens a game at its initial position and closes the previous one. On failure nothing changes. */
int cl_player_open(struct cl_player *player, const char *name, struct pd_fail *fail);
void cl_player_close(struct cl_player *player);
/* Sets a position up; "" is the initial one. On failure nothing changes. */
int cl_player_set(struct cl_player *player, const char *position, struct pd_fail *fail);
/* Plays a legal move: PD_E_MOVE otherwise. */
int cl_player_move(struct cl_player *player, const char *text, struct pd_fail *fail);
/* Takes the last move back; false when there is none. */
bool cl_player_undo(struct cl_player *player);

static inline const void *cl_player_state(const struct cl_player *player)
{
	return player->states + (size_t)player->plies * player->game->state_size;
}
bool cl_player_over(const struct cl_player *player);
static inline bool cl_player_first_to_move(const struct cl_player *player)
{
	return player->game->rules->first_to_move(player->game, cl_player_state(player));
}
/* The move to play: that of the advice, otherwise the first legal one; "" if the game is over. */
void cl_player_choose(const struct cl_player *player, const struct cl_advice *advice, char out[32]);
