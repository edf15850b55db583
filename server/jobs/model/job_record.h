/* Job record: a job as it is stored, as it is printed for clients (the *job* object of PROTOCOL.md), and the events of
 * its history.
 *
 * A record is one JSON object of version 1; members that are missing take defaults, members that are unknown are left
 * out when the record is written again. */
#ifndef SV_JOB_RECORD_H
#define SV_JOB_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/buf.h"
#include "proto/base/error.h"
#include "proto/out.h"
#include "server/jobs/model/job.h"

/* The record as it is stored. `state` is the one that it is to have; `change` (may be NULL) is what else is to hold. */
void sv_job_record(const struct sv_job *job, enum sv_state state, const struct sv_change *change, struct pd_buf *buf);
/* `record` NULL: the store says that it is damaged. */
int sv_job_unrecord(uint32_t id, const void *record, size_t size, struct sv_job **out, struct pd_fail *fail);
/* What stands for a job whose record cannot be read: failed, with the reason. NULL without memory. */
struct sv_job *sv_job_unreadable(uint32_t id, const struct pd_fail *why);
/* The *job* object of PROTOCOL.md. `disk`: bytes of the store's files. */
void sv_job_print(const struct sv_job *job, uint64_t disk, bool result, struct pr_out *out);
/* What is known of its value, in words; "" for nothing. At least 64 bytes. */
void sv_job_value_text(const struct sv_job *job, char *out, size_t room);
/* An event of a job's history. */
void sv_job_event(const struct sv_job *job, const char *what, struct pd_buf *buf);

#endif
