/* Dump: `proofctl dump` and `proofctl load`: a data directory as text, and back.
 *
 * Lines of JSON (store/DUMP.md): jobs with their histories, games with the versions of their rules, facts by the texts
 * of their positions. Transposition tables are left out, and so is the key that names positions in them: a job that is
 * loaded begins with an empty table and all facts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/base/error.h"

enum { SV_DUMP_VERSION = 1, SV_DUMP_LINE_MAX = 1 << 20 /* bytes of a line */ };

/* What a line that ends a dump counts. */
struct sv_dumped {
	uint64_t games, jobs, events, facts;
};

/* Writes the directory, which a server may have open, to `out`. `graphs`: of andor:NAME games; NULL: none.
 * PD_E_UNSUPPORTED when a game of it cannot be opened here under its rules; PD_E_CORRUPT when a record does not decode.
 */
int sv_dump(const char *dir, const char *graphs, FILE *out, struct sv_dumped *sum, struct pd_fail *fail);

struct sv_load_order {
	const char *graphs;                               /* as above */
	bool unverified;                                  /* facts and results are not checked by the rules */
	unsigned threads;                                 /* of that check; 0: one */
	void (*progress)(void *ctx, uint64_t facts_read); /* now and then; may be NULL */
	void *ctx;
};
/* Makes the new directory `dir` of a dump. Every line is taken for hostile: an error names line and field, PD_E_PARSE,
 * PD_E_PARAMS, PD_E_GAME, PD_E_POSITION, PD_E_MOVE, PD_E_CONFLICT. Then each fact and each result is checked by the
 * rules, as `proofctl check` does, unless the order says otherwise: PD_E_CORRUPT. PD_E_USAGE when `dir` exists and is
 * not an empty directory. After an error there is no new directory. */
int sv_load(FILE *in, const char *dir, const struct sv_load_order *order, struct sv_dumped *sum, struct pd_fail *fail);
