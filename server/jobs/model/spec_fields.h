/* Spec fields: one table of the parameters of job.submit. The same rows read a request or a record, print the record
 * and the *job* object of PROTOCOL.md, and tell whether two submissions ask the same question. CONTRIBUTING.md says
 * how to add one. */
#pragma once

#include "proto/out.h"
#include "server/jobs/model/job_spec.h"

struct sv_core;

/* Sets the defaults: claim value, algorithm pds-pn, detail frontier; no key, budget, game, position or memory. */
void sv_spec_init(struct sv_spec *spec);
/* Sets what `object` holds; null and missing members leave the spec as it is. PD_E_PARAMS with the member's name as the
 * field, PD_E_NO_MEMORY. Always followed by sv_spec_fini. */
int sv_spec_read(pr_ref object, struct sv_spec *spec, struct pd_fail *fail);
/* Prints all rows into the open object. */
void sv_spec_print(const struct sv_spec *spec, struct pr_out *out);
/* Prints into the open object the rows that sv_spec_differs compares. */
void sv_spec_question(const struct sv_spec *spec, struct pr_out *out);
/* A proof number as records and replies have it; it may be "inf". */
#define SV_NUMBER(name, number) ((number) == UINT32_MAX ? PR_S(name, "inf") : PR_U(name, number))
/* The versions of the program that worked on a job, separated by spaces (NULL: none), as an array. */
void sv_print_engines(struct pr_out *out, const char *engines);
/* Whether one job can answer two submissions. NULL when both ask the same question, else what the second one has
 * instead: "another position". Loop thread.
 *
 * Only what decides the answer and the run counts (P4). Priority, parent and what a job may use (memory, threads,
 * budget) do not count: a client that submits the same question again gets its existing job. */
const char *sv_spec_differs(struct sv_core *core, const struct sv_spec *known, const struct sv_spec *asked);
