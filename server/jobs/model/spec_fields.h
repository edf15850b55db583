/* Spec fields: one table of what job.submit takes, in spec_fields.c. The same rows read a request or a record, print
 * the record and the *job* object of PROTOCOL.md, and tell whether two submissions ask the same question.
 *
 * To add an option of a job: a member of struct sv_spec, a row in spec_fields.c, a parameter of job.submit in
 * proto/methods.def and a member of the *job* shape in proto/methods.c. Where the command line should have it: a row of
 * clients/options.def with the parameter's name, and its bit in the rows of its commands. */
#ifndef SV_SPEC_FIELDS_H
#define SV_SPEC_FIELDS_H

#include "proto/base/error.h"
#include "proto/out.h"
#include "proto/rpc.h"
#include "server/jobs/model/job_spec.h"

struct sv_core;

/* Defaults: value, pds-pn, frontier, no key, no budget; no game, no position, no memory. */
void sv_spec_init(struct sv_spec *spec);
/* Replaces what `object` holds; null and missing members leave the spec as it is. PD_E_PARAMS with the member's name as
 * the field, PD_E_NO_MEMORY. sv_spec_fini follows in any case. */
int sv_spec_read(pr_ref object, struct sv_spec *spec, struct pd_fail *fail);
/* All rows, into the object that is open. */
void sv_spec_print(const struct sv_spec *spec, struct pr_out *out);
/* Numbers and versions as records and job objects have them: a proof number, which may be "inf"; versions of the
 * program, separated by spaces (NULL: none), as an array. */
void sv_print_number(struct pr_out *out, const char *name, uint32_t number);
void sv_print_engines(struct pr_out *out, const char *engines);
/* Whether one job can answer two submissions. NULL when both ask the same, else in what the second differs: "another
 * position".
 *
 * What counts is what decides the answer and the run (P4): game, rules, position, claim, algorithm, detail, options,
 * seed, shorten and first. What a job may use (memory, threads, budgets), its priority and what it is under do not
 * count: a client that hands the same question in again gets the job that it has, whatever it grants this time. Loop
 * thread. */
const char *sv_spec_differs(struct sv_core *core, const struct sv_spec *known, const struct sv_spec *asked);

#endif
