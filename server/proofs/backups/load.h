/* Load: `proofctl load`: a data directory made from a dump (dump.h). */
#pragma once

#include "server/proofs/backups/dump.h"

struct sv_load_order {
	const char *graphs;                               /* of andor:NAME games; NULL: none */
	bool unverified;                                  /* facts and results are not checked by the rules */
	unsigned threads;                                 /* of that check; 0: one */
	void (*progress)(void *ctx, uint64_t facts_read); /* now and then; may be NULL */
	void *ctx;
};
/* Makes the new directory `dir` from a dump. Every line is treated as hostile: an error names line and field,
 * PD_E_PARSE, PD_E_PARAMS, PD_E_GAME, PD_E_POSITION, PD_E_MOVE, PD_E_CONFLICT. Then each fact and each result is
 * checked by the rules, as `proofctl check` does, unless the order says otherwise: PD_E_CORRUPT. PD_E_USAGE when `dir`
 * exists and is not an empty directory. Leaves no new directory after an error. */
int sv_load(FILE *in, const char *dir, const struct sv_load_order *order, struct sv_dumped *sum, struct pd_fail *fail);
