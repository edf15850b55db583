/* Spec request: the spec that job.submit asks for. */
#pragma once

#include "server/jobs/model/job_spec.h"

struct sv_core;

/* The parameters of job.submit: the game is opened, its canonical name, rules and scale are noted, position, claim and
 * memory are checked. The loop, or a reader thread. Always followed by sv_spec_fini. */
int sv_spec_request(struct sv_core *core, pr_ref params, struct sv_spec *spec, struct pd_fail *fail);
