#include <string.h>

#include "solver/solver.h"

void pn_options_init(struct pn_options *options)
{
	*options = (struct pn_options){
		.algorithm = PN_PDS_PN,
		.detail = PN_FRONTIER,
		.memory = UINT64_C(512) << 20,
		.fraction_a = 450000, /* Winands et al. 2002, table 3 */
		.fraction_b = 300000,
		.cap_first = 2000,
		.cap_last = 1000000,
		.paper_nodes = 1000000,
		.walkers = 1,
		.cache = true,
		.mobility = true,
		.epsilon = -1,
	};
}

static const struct {
	const char *text;
	enum pn_walk walk;
	bool leaves;
} algorithms[] = {
#define X(name, text, walk, leaves, what) {text, walk, leaves},
	PN_ALGORITHMS(X)
#undef X
};

const char *pn_algorithm_text(enum pn_algorithm algorithm)
{
	return algorithms[algorithm].text;
}

enum pn_walk pn_algorithm_walk(enum pn_algorithm algorithm)
{
	return algorithms[algorithm].walk;
}

bool pn_algorithm_leaves(enum pn_algorithm algorithm)
{
	return algorithms[algorithm].leaves;
}

int pn_algorithm_parse(const char *text, enum pn_algorithm *out, struct pd_fail *fail)
{
	for (unsigned i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
		if (!strcmp(text, algorithms[i].text)) {
			*out = (enum pn_algorithm)i;
			return PD_OK;
		}
	return pd_fail_set(fail, PD_E_ALGORITHM, "algorithm",
			   "'%.40s' is not an algorithm; use one of"
#define X(name, known, walk, leaves, what) " " known
			   PN_ALGORITHMS(X),
#undef X
			   text);
}
