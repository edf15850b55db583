/* Dump: `proofctl dump`: a data directory as text. load.h reads it back.
 *
 * Lines of JSON (store/DUMP.md): jobs with their histories, games with the versions of their rules, facts by the texts
 * of their positions, experiments. Transposition tables are left out, and so is the key that names positions in them: a
 * job that is loaded begins with an empty table and all facts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/base/error.h"
#include "server/common/left_out.h"

enum { SV_DUMP_VERSION = 1, SV_DUMP_LINE_MAX = 1 << 20 /* bytes of a line */ };

/* The counts in the line that ends a dump. */
struct sv_dumped {
	uint64_t games, jobs, events, facts, experiments; /* jobs: studies included */
	struct sv_left_out left_out;                      /* damaged experiments, which the dump does not have */
};

/* Writes the directory, which a server may have open, to `out`. `graphs`: of andor:NAME games; NULL: none.
 * PD_E_UNSUPPORTED when a game of it cannot be opened here under its rules; PD_E_CORRUPT when a record does not decode.
 */
int sv_dump(const char *dir, const char *graphs, FILE *out, struct sv_dumped *sum, struct pd_fail *fail);
