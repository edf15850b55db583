/* Batch state: see batch_state.h. */
#include "store/batch_state.h"

#include "proto/base/assert.h"
#include "store/store_state.h"

int st_batch_usable(const struct st_batch *batch, struct pd_fail *fail)
{
	PD_ASSERT(batch->open);
	if (batch->failed.code && fail)
		*fail = batch->failed;
	return batch->failed.code;
}

int st_batch_job(const struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	int rc = st_batch_usable(batch, fail);
	if (!rc && (!job || job >= batch->counters.next_job))
		return pd_fail_set(fail, PD_E_NO_JOB, "job", "no job has the number %u", (unsigned)job);
	return rc;
}

int st_batch_result(struct st_batch *batch, int rc, struct pd_fail *fail)
{
	if (rc && !batch->failed.code) {
		batch->failed = batch->scratch;
		batch->failed.code = rc;
	}
	return st_batch_usable(batch, fail);
}
