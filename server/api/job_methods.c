/* Job methods that change nothing: one job, lists, history, watches. */
#include "server/api/methods.h"

#include "server/api/watch.h"
#include "server/common/core_parts.h"
#include "server/jobs/queue/explain.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/model/job_print.h"
#include "store/store.h"

enum {
	LIST_LOOKS = 10000, /* jobs that one call looks at */
};

static int print_job(struct sv_request *r, struct sv_job **out)
{
	uint64_t disk = sv_disk_bytes(r->core);
	int rc = sv_request_job(r, out);
	if (rc)
		return rc;
	sv_job_print(*out, disk, true, &r->out);
	sv_unlock(r->core);
	return PD_OK;
}

int sv_method_job_get(struct sv_request *r)
{
	struct sv_job *job;
	return print_job(r, &job);
}

int sv_method_job_explain(struct sv_request *r)
{
	struct sv_job *job;
	int rc = sv_request_job(r, &job);
	if (rc)
		return rc;
	sv_explain_print(r->core, job, &r->out);
	sv_unlock(r->core);
	return PD_OK;
}

/* Limits the jobs that one call prints and visits, because other clients wait meanwhile. */
int sv_method_job_list(struct sv_request *r)
{
	struct sv_core *core = r->core;
	const char *text = pr_get_str(r->params, "state", NULL);
	enum sv_state state = SV_QUEUED;
	int64_t limit = pr_get_int(r->params, "limit", PR_LIST_DEFAULT), looks = LIST_LOOKS;
	uint64_t disk = sv_disk_bytes(core);
	const struct sv_job_set *set;
	if (text && !sv_state_parse(text, &state))
		return pd_fail_set(&r->fail, PD_E_PARAMS, "state", "'%.20s' is not a state of a job", text);
	limit = limit < PR_LIST_MAX ? limit : PR_LIST_MAX;
	pr_open_object(&r->out, NULL);
	pr_open_array(&r->out, "jobs");
	int rc = sv_request_set(r, &set);
	if (rc)
		return rc;
	uint32_t place = sv_set_place(set, pr_get_int(r->params, "before", INT64_MAX));
	if (text && !set->states[state])
		place = 0;
	for (; place && limit > 0 && looks > 0; place--, looks--) {
		const struct sv_job *job = set->jobs[place - 1];
		if (text && sv_job_shown(job) != state)
			continue;
		sv_job_print(job, disk, false, &r->out);
		limit--;
	}
	int64_t next = place ? (int64_t)set->jobs[place - 1]->record.id + 1 : 0;
	sv_unlock(core);
	pr_close(&r->out);
	if (next)
		pr_int(&r->out, "next", next);
	pr_close(&r->out);
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

int sv_method_job_history(struct sv_request *r)
{
	struct sv_job *job;
	int rc = sv_request_job(r, &job);
	if (rc)
		return rc;
	uint32_t id = job->record.id;
	sv_unlock(r->core);
	pr_open_object(&r->out, NULL);
	pr_open_array(&r->out, "points");
	rc = st_event_each(sv_store(r->core), id, (size_t)pr_get_int(r->params, "limit", PR_HISTORY_DEFAULT),
			   print_event, &r->out, &r->fail);
	pr_close(&r->out);
	pr_close(&r->out);
	return rc;
}

int sv_method_job_watch(struct sv_request *r)
{
	struct sv_job *job;
	int rc = print_job(r, &job);
	if (rc)
		return rc;
	rc = sv_watch_add(r->session, job, pr_get_real(r->params, "interval", 1));
	if (rc == PD_E_LIMIT)
		return pd_fail_set(&r->fail, PD_E_LIMIT, "job", "too many jobs are watched on this connection");
	return rc ? pd_fail_set(&r->fail, (enum pd_error)rc, "job", "no memory to watch a job") : PD_OK;
}

int sv_method_job_unwatch(struct sv_request *r)
{
	struct sv_job *job;
	int rc = sv_request_job(r, &job);
	if (rc)
		return rc;
	sv_unlock(r->core);
	sv_watch_remove(r->session, job);
	pd_buf_printf(&r->json, "{\"job\":%u}", job->record.id);
	return PD_OK;
}
