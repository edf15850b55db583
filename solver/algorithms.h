/* Algorithms: the searches that a user can name (PN_ALGORITHMS in tunables.h), with their engines and policies. */
#pragma once

#include "solver/tunables.h"

struct pds_policy;
struct pn_engine_type;

/* A row of PN_ALGORITHMS. */
struct pn_algorithm_row {
	const char *text;
	const char *what; /* a phrase that describes it */
	const struct pn_engine_type *engine;
	const struct pds_policy *policy;
	bool level2; /* a best-first PN search evaluates the leaves of level 1 */
};

const struct pn_algorithm_row *pn_algorithm(enum pn_algorithm algorithm);
/* PD_E_ALGORITHM with field "algorithm" for an unknown name; the message lists the names. */
int pn_algorithm_parse(const char *text, enum pn_algorithm *out, struct pd_fail *fail);
const char *pn_algorithm_text(enum pn_algorithm algorithm);
/* Whether it searches over a transposition table; whether it can use several threads. */
bool pn_algorithm_has_tt(enum pn_algorithm algorithm);
bool pn_algorithm_has_threads(enum pn_algorithm algorithm);
/* How many level-1 searches take turns on a search thread (pds_walkers.h); 1 for algorithms that cannot have more. */
unsigned pn_walkers(const struct pn_options *options);
