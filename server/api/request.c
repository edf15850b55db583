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

/* Under the lock: the tag or group of that name, which must not be just any word. */
static int find_named_set(const struct sv_job_groups *groups, const char *what, const char *name,
			  const struct sv_job_set **out, struct pd_fail *fail)
{
	const struct sv_job_group *group = sv_group_find(groups, name);
	*out = group ? &group->set : NULL;
	return group ? PD_OK : pd_fail_set(fail, PD_E_PARAMS, what, "no job has the %s '%.40s'", what, name);
}

int sv_request_set(struct sv_request *r, const struct sv_job_set **out)
{
	const char *tag = pr_get_str(r->params, "tag", NULL), *group = pr_get_str(r->params, "group", NULL);
	struct sv_job_index *index = sv_index(r->core);
	int rc = PD_OK;
	if (tag && group)
		return pd_fail_set(&r->fail, PD_E_PARAMS, "group", "give 'tag' or 'group', not both");
	sv_lock(r->core);
	*out = &index->all;
	if (tag)
		rc = find_named_set(&index->tags, "tag", tag, out, &r->fail);
	else if (group)
		rc = find_named_set(&index->groups, "group", group, out, &r->fail);
	if (rc)
		sv_unlock(r->core);
	return rc;
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
