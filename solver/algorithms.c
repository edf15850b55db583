#include "solver/algorithms.h"

#include "solver/engine.h"
#include "solver/pds_policy.h"

static const struct pds_policy pds_policy_none; /* for engines outside the PDS family */

#define X(name, text, engine, policy, ...) extern const struct pds_policy pds_policy_##policy;
PN_ALGORITHMS(X)
#undef X

static const struct pn_algorithm_row algorithms[] = {
#define X(name, text, engine, policy, level2, what)                                                                    \
	[name] = {text, what, &pn_engine_##engine, &pds_policy_##policy, level2},
	PN_ALGORITHMS(X)
#undef X
};

enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

const struct pn_algorithm_row *pn_algorithm(enum pn_algorithm algorithm)
{
	PD_ASSERT((unsigned)algorithm < ALGORITHMS);
	return &algorithms[algorithm];
}

const char *pn_algorithm_text(enum pn_algorithm algorithm)
{
	return pn_algorithm(algorithm)->text;
}

bool pn_algorithm_has_tt(enum pn_algorithm algorithm)
{
	return pn_algorithm(algorithm)->engine->tt;
}

bool pn_algorithm_has_threads(enum pn_algorithm algorithm)
{
	const struct pn_algorithm_row *row = pn_algorithm(algorithm);
	return row->engine->publish && !row->policy->published;
}

unsigned pn_walkers(const struct pn_options *options)
{
	const struct pn_algorithm_row *row = pn_algorithm(options->algorithm);
	return (row->level2 || options->dovetail) && pn_algorithm_has_threads(options->algorithm) ? options->walkers
												  : 1;
}

int pn_algorithm_parse(const char *text, enum pn_algorithm *out, struct pd_fail *fail)
{
	static const char known[] =
#define X(name, text, ...) " " text
		PN_ALGORITHMS(X);
#undef X
	for (unsigned i = 0; i < ALGORITHMS; i++)
		if (!strcmp(text, algorithms[i].text)) {
			*out = (enum pn_algorithm)i;
			return PD_OK;
		}
	return pd_fail_set(fail, PD_E_ALGORITHM, "algorithm", "'%.40s' is not an algorithm; use one of%s", text, known);
}
