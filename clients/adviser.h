/* Adviser: a move for a position, from facts or, if they do not suffice, from a search with a budget.
 *
 * For programs that play or analyse (cmd_uci.c, cmd_htp.c). A position whose value is a fact is answered at once; for
 * any other a job is searched until it is solved, its budget is spent or it is stopped. All that the search proves is
 * kept as facts, in the server or in --data; the job itself is removed. The link is a server, or a core in this
 * process. */
#pragma once

#include "clients/options.h"

enum { CL_ADVICE_TEXT = 1024 };

/* A question and its limits. */
struct cl_order {
	const char *game, *position; /* full name; as the game writes it */
	int64_t nodes;               /* at most; 0: no limit */
	int64_t memory;              /* bytes; 0: the default */
	int64_t threads;             /* 0: all that are free */
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
	int64_t job;          /* that is searched; 0: none */
	struct cl_advice advice;
};

/* True when these options, or $PROOFD_SERVER, name a server to ask. */
bool cl_adviser_is_remote(const struct cl_options *options);
/* Opens the link: --server, --socket or $PROOFD_SERVER; otherwise a core in this process, on --data, which it writes,
 * or in memory. */
int cl_adviser_open(struct cl_adviser *adviser, const struct cl_options *options, struct pd_fail *fail);
/* Stops the search and closes the link. */
void cl_adviser_close(struct cl_adviser *adviser);

/* Begins with a position that is not over, and resets adviser->advice; an earlier search is stopped. */
int cl_adviser_begin(struct cl_adviser *adviser, const struct cl_order *order, struct pd_fail *fail);
/* Brings adviser->advice up to date; waits at most wait_ms milliseconds for the end of the search. */
int cl_adviser_poll(struct cl_adviser *adviser, unsigned wait_ms, struct pd_fail *fail);
/* An order for a position with the budgets of the options. */
struct cl_order cl_adviser_order(const struct cl_options *options, const char *game, const char *position);
/* Seconds that a search may take: --seconds, by default 5; 0, no limit, when --nodes is given alone. */
double cl_adviser_seconds(const struct cl_options *options);
/* Searches until the search ends, `seconds` have passed (0: no limit) or a signal arrives; *signal is then its number.
 */
int cl_adviser_run(struct cl_adviser *adviser, const struct cl_order *order, double seconds, int *signal,
		   struct pd_fail *fail);
/* Ends the search; adviser->advice says how far it got. */
int cl_adviser_stop(struct cl_adviser *adviser, struct pd_fail *fail);
