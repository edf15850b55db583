#include "server/api/listing.h"

#include "server/common/core_state.h"
#include "server/common/mutex.h"
#include "server/jobs/job.h"
#include "server/jobs/job_index.h"
#include "server/jobs/job_record.h"
#include "server/jobs/job_state.h"
#include "store/store.h"

enum {
	LIST_LOOKS = 10000, /* jobs that one call looks at */
};

/* No more jobs are printed, or looked at, than can be done while others wait. */
int sv_job_list(struct sv_core *core, pr_ref params, struct pd_buf *json, struct pd_fail *fail)
{
	struct pr_out out;
	const char *text = pr_get_str(params, "state", NULL);
	enum sv_state state = SV_QUEUED;
	int64_t limit = pr_get_int(params, "limit", PR_LIST_DEFAULT), looks = LIST_LOOKS;
	uint64_t disk = sv_disk_bytes(core);
	if (text && !sv_state_parse(text, &state))
		return pd_fail_set(fail, PD_E_PARAMS, "state", "'%.20s' is no state of a job", text);
	limit = limit < SV_LIST_MAX ? limit : SV_LIST_MAX;
	pr_out_init(&out, json);
	pr_open_object(&out, NULL);
	pr_open_array(&out, "jobs");
	sv_mutex_lock(&core->lock);
	uint32_t place = sv_index_place(core->index, pr_get_int(params, "before", INT64_MAX));
	if (text && !core->index->states[state])
		place = 0;
	for (; place && limit > 0 && looks > 0; place--, looks--) {
		const struct sv_job *job = core->index->jobs[place - 1];
		if (text && sv_job_shown(job) != state)
			continue;
		sv_job_print(job, disk, false, &out);
		limit--;
	}
	int64_t next = place ? (int64_t)core->index->jobs[place - 1]->id + 1 : 0;
	sv_mutex_unlock(&core->lock);
	pr_close(&out);
	if (next)
		pr_int(&out, "next", next);
	pr_close(&out);
	return PD_OK;
}

static int print_event(void *ctx, const void *record, size_t size)
{
	static const char damaged[] =
		"{\"t\":0,\"event\":\"damaged\",\"nodes\":0,\"pn\":1,\"dn\":1,\"entries\":0,\"facts\":0}";
	if (record)
		pr_raw(ctx, NULL, record, size);
	else
		pr_raw(ctx, NULL, damaged, sizeof damaged - 1);
	return PD_OK;
}

int sv_job_history(struct sv_core *core, pr_ref params, struct pd_buf *json, struct pd_fail *fail)
{
	struct pr_out out;
	pr_out_init(&out, json);
	pr_open_object(&out, NULL);
	pr_open_array(&out, "points");
	int rc = st_event_each(core->store, (uint32_t)pr_get_int(params, "job", 0),
			       (size_t)pr_get_int(params, "limit", PR_HISTORY_DEFAULT), print_event, &out, fail);
	pr_close(&out);
	pr_close(&out);
	return rc;
}

uint64_t sv_disk_bytes(const struct sv_core *core)
{
	struct st_stats stats;
	st_stats(core->store, &stats);
	return stats.work_bytes + stats.facts_bytes;
}
