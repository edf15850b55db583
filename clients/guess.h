/* Guess: how long a question takes, from short searches along its best play.
 *
 * A short search does not answer a hard question, but names the move that it would try next. The guess plays that
 * move, searches the next position, and so on until a search answers; the more plies stay open, the longer the
 * question takes. How much longer was fitted to questions of known cost (tests/bench/guesses.py, RESULTS.md): the
 * decimal logarithm of the nodes is 5.2 + 0.33 x, x the mean of the open plies of searches of 100,000 and of 300,000
 * nodes. In games whose positions can recur, best play may stay open for ever, so many open plies prove nothing
 * there. */
#pragma once

#include <stdio.h>

#include "clients/options.h"
#include "clients/player.h"

enum cl_span { CL_SPAN_UNKNOWN, CL_SPAN_SECONDS, CL_SPAN_MINUTES, CL_SPAN_HOURS, CL_SPAN_DAYS };

struct cl_guess {
	enum cl_span span;
	double nodes;        /* of the whole search; the true number is seldom off by more than CL_GUESS_FACTOR */
	double rate;         /* nodes a second of the short searches, on one thread of this machine now */
	unsigned open[2];    /* plies that stay open, see above */
	int64_t memory;      /* suggested, in bytes */
	int64_t threads;     /* suggested */
	bool solved, slow;   /* a short search answered the question; time was up before those of 100,000 nodes */
	bool hurried;        /* time was up before those of 300,000: they leave as many plies open, or more */
	bool cyclic, at_end; /* positions can recur; the guess is a lower bound, because more plies may stay open */
};

enum { CL_GUESS_FACTOR = 6 };

/* Guesses for order->game, position and claim by searches over a link to a core in memory, for at most some seconds.
 * *signal: the number of a signal that arrived, else 0. */
int cl_guess_make(struct cl_link *link, const struct cl_order *order, struct cl_guess *out, int *signal,
		  struct pd_fail *fail);
/* The guess, its reason, and what to try, as rows. */
void cl_guess_show(FILE *file, const struct cl_guess *guess);
int cl_guess_json(const struct cl_guess *guess, struct pd_fail *fail);
