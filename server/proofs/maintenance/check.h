/* Check: `proofctl check DIR`: a whole data directory, record by record and fact by fact.
 *
 * Every record must decode; every reason of every fact must be justified (verify.h, F2 and F3); the solved entries of
 * jobs' transposition tables must follow from facts or tables (verify_entries.h); and so must the progress and the
 * results of jobs (verify_results.h). Tables by retrograde analysis must have right checksums and digests; `proofctl
 * table verify` checks their entries. The suites and results of experiments, and kept certificates, must be those that
 * were written.
 *
 * The directory is opened read-only. A server may write to it meanwhile: jobs and their tables are read before the
 * facts. Facts only grow (F4), so those that jobs and tables rest on are there by then. */
#pragma once

#include "proto/base/error.h"
#include "server/proofs/maintenance/check_sum.h"

struct sv_check_order {
	const char *graphs;                                             /* directory of andor:NAME graphs; NULL: none */
	unsigned threads;                                               /* 0: one */
	void (*problem)(void *ctx, const char *text);                   /* each fault, as a sentence */
	void (*progress)(void *ctx, const struct sv_check *sum_so_far); /* now and then; may be NULL */
	void *ctx;
};

/* Checks the directory. Needs no core. What belongs to games that cannot be opened here is counted, not checked.
 * Returns PD_OK when the check was completed, whatever it found (*out), else an error. */
int sv_check_directory(const char *dir, const struct sv_check_order *order, struct sv_check *out, struct pd_fail *fail);
/* PD_E_CORRUPT with `what` and the first problem, if there is any. The order's `problem` and `ctx` are not used. */
int sv_check_sound(const char *dir, const struct sv_check_order *order, const char *what, struct pd_fail *fail);
