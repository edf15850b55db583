/* Job print: the *job* object of PROTOCOL.md. Under the core's lock. */
#pragma once

#include "proto/out.h"

struct sv_job;

/* `disk`: bytes of the store's files. `result`: with its result and its sub-jobs. */
void sv_job_print(const struct sv_job *job, uint64_t disk, bool result, struct pr_out *out);
/* The *row* object: the same in short. */
void sv_job_print_row(const struct sv_job *job, struct pr_out *out);
/* What is known of its value, in words; "" for nothing. At least 64 bytes. */
void sv_job_value_text(const struct sv_job *job, char *out, size_t room);
