/* Batch state: what every call of a batch begins and ends with (private to store/). */
#pragma once

#include <stdint.h>

#include "proto/base/error.h"

struct st_batch;

/* 0, or the error that the batch already has. */
int st_batch_usable(const struct st_batch *batch, struct pd_fail *fail);
/* Likewise, and PD_E_NO_JOB for a number that was not given. */
int st_batch_job(const struct st_batch *batch, uint32_t job, struct pd_fail *fail);
/* Ends a call that used batch->scratch in place of the caller's *fail: an error sticks. */
int st_batch_result(struct st_batch *batch, int rc, struct pd_fail *fail);
