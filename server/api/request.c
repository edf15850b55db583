#include "server/api/request.h"

#include "proto/base/assert.h"
#include "server/api/read_queue.h"
#include "server/common/core_parts.h"
#include "server/jobs/index/job_index.h"
#include "store/store.h"

int sv_request_reader(struct sv_request *r, struct st_reader **out)
{
	int rc = *r->reader ? PD_OK : st_reader_open(sv_store(r->core), r->reader, &r->fail);
	*out = *r->reader;
	PD_ASSERT(rc || *out);
	return rc;
}

int sv_request_job(struct sv_request *r, struct sv_job **out)
{
	int64_t id = pr_get_int(r->params, "job", 0);
	sv_lock(r->core);
	*out = sv_index_find(sv_index(r->core), id);
	if (*out)
		return PD_OK;
	sv_unlock(r->core);
	return pd_fail_set(&r->fail, PD_E_NO_JOB, "job", "there is no job %lld", (long long)id);
}

bool sv_request_wanted(void *request)
{
	const struct sv_request *r = request;
	PD_ASSERT(r->queued && !r->on_loop);
	return sv_read_request_wanted(r->core, r->queued);
}

uint64_t sv_disk_bytes(const struct sv_core *core)
{
	struct st_stats stats;
	st_stats(sv_store(core), &stats);
	return stats.work_bytes + stats.facts_bytes;
}
