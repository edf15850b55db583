/* Group methods: limits and pauses of groups of jobs. */
#include "server/api/methods.h"

#include "server/api/call_state.h"
#include "server/common/core_parts.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/write/task.h"

/* A call that waits until the settings are on disk. */
struct group_call {
	struct sv_group_change change; /* the first member */
	struct sv_call *call;
};

static void print_group(const struct sv_job_group *group, struct pr_out *out)
{
	pr_members(out, PR_OPEN_OBJECT(NULL), PR_S("group", group->name),
		   PR_IF(group->settings.limit, PR_U("limit", group->settings.limit)),
		   PR_B("paused", group->settings.paused), PR_U("jobs", group->set.count),
		   PR_U("queued", group->queued), PR_U("running", group->running), PR_CLOSE);
}

/* The settings are on disk, or could not be written. */
static void answer_settled(struct sv_core *core, struct sv_completion *base)
{
	struct group_call *c = (struct group_call *)base;
	struct pd_buf json;
	struct pr_out out;
	pd_buf_init(&json, PR_REPLY_MAX);
	pr_out_init(&out, &json);
	sv_lock(core);
	print_group(c->change.group, &out);
	sv_group_unpin(&sv_index(core)->groups, c->change.group);
	sv_unlock(core);
	if (c->change.fail.code)
		sv_call_refuse(c->call, &c->change.fail);
	else
		sv_call_reply(c->call, &json);
	pd_buf_fini(&json);
	free(c);
}

/* Under the lock. */
static int find_group(struct sv_request *r, const char *name, struct sv_job_group **out)
{
	struct sv_job_groups *groups = &sv_index(r->core)->groups;
	*out = sv_group_find(groups, name);
	if (!*out && groups->count >= SV_GROUPS_MAX)
		return pd_fail_set(&r->fail, PD_E_LIMIT, "group", "there are already %d groups, the maximum",
				   SV_GROUPS_MAX);
	if (!*out)
		*out = sv_group_get(groups, name);
	return *out ? PD_OK : pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for a group");
}

int sv_method_group_set(struct sv_request *r)
{
	const char *name = pr_get_str(r->params, "group", "");
	int rc = sv_group_name_check(name, "group", &r->fail);
	if (!rc && sv_config(r->core)->read_only)
		rc = pd_fail_set(&r->fail, PD_E_UNSUPPORTED, "", "the data directory is open for reading only");
	if (!rc && !pr_has(r->params, "limit") && !pr_has(r->params, "paused"))
		rc = pd_fail_set(&r->fail, PD_E_PARAMS, "limit", "say what to set: limit or paused");
	if (rc)
		return rc;
	struct group_call *c = calloc(1, sizeof *c);
	struct sv_task *task = c ? sv_task_new(SV_TASK_GROUP, NULL, SV_QUEUED) : NULL;
	if (!task) {
		free(c);
		return pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for the request");
	}
	c->change.base.deliver = answer_settled;
	c->change.limit = pr_get_int(r->params, "limit", -1);
	c->change.paused = pr_has(r->params, "paused") ? pr_get_bool(r->params, "paused", false) : -1;
	c->call = r->call;
	task->group = &c->change;
	sv_lock(r->core);
	rc = find_group(r, name, &c->change.group);
	if (!rc) {
		c->change.group->pins++;
		sv_task_post(r->core, task);
	}
	sv_unlock(r->core);
	r->later = !rc;
	if (rc) {
		sv_task_free(task);
		free(c);
	}
	return rc;
}

int sv_method_group_list(struct sv_request *r)
{
	const struct sv_job_group *group;
	pr_open_object(&r->out, NULL);
	pr_open_array(&r->out, "groups");
	sv_lock(r->core);
	LIST_FOREACH(group, &sv_index(r->core)->groups.list, link)
		print_group(group, &r->out);
	sv_unlock(r->core);
	pr_close(&r->out);
	pr_close(&r->out);
	return PD_OK;
}
