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
		.cache = true,
	};
}

const char *pn_algorithm_text(enum pn_algorithm algorithm)
{
	switch (algorithm) {
#define X(name, text, table, what)                                                                                      \
	case name:                                                                                                      \
		return text;
		PN_ALGORITHMS(X)
#undef X
	}
	return "?";
}

int pn_algorithm_parse(const char *text, enum pn_algorithm *out, struct pd_fail *fail)
{
#define X(name, known, table, what)                                                                                     \
	if (!strcmp(text, known)) {                                                                                     \
		*out = name;                                                                                            \
		return PD_OK;                                                                                           \
	}
	PN_ALGORITHMS(X)
#undef X
	return pd_fail_set(fail, PD_E_ALGORITHM, "algorithm", "'%.40s' is not an algorithm; use one of"
#define X(name, known, table, what) " " known
			   PN_ALGORITHMS(X),
#undef X
			   text);
}
