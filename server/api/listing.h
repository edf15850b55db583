/* Listing: jobs page by page, and what happened to one of them. */
#ifndef SV_LISTING_H
#define SV_LISTING_H

#include "proto/base/buf.h"
#include "proto/base/error.h"
#include "proto/rpc.h"

struct sv_core;

enum { SV_LIST_MAX = 250 }; /* jobs of one page of job.list: about a millisecond's work */
/* job.list and job.history; the latter, which reads from disk, from a reader thread. */
int sv_job_list(struct sv_core *core, pr_ref params, struct pd_buf *json, struct pd_fail *fail);
int sv_job_history(struct sv_core *core, pr_ref params, struct pd_buf *json, struct pd_fail *fail);

/* Bytes of the store's files. */
uint64_t sv_disk_bytes(const struct sv_core *core);

#endif
