/* Server methods: what the server is, what it does, and its end. */
#include "server/api/methods.h"

#include <string.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "server/api/access.h"
#include "server/api/figures.h"
#include "server/api/session_state.h"
#include "server/cluster/cluster.h"
#include "server/common/core_parts.h"
#include "server/common/core_state.h"
#include "proto/discover.h"
#include "server/common/tokens.h"
#include "server/jobs/model/job.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/model/job_record.h"
#include "server/jobs/model/job_spec.h"
#include "server/jobs/model/job_state.h"
#include "server/common/memory_bound.h"
#include "server/jobs/queue/scheduler.h"
#include "server/jobs/model/spec_fields.h"
#include "solver/search.h"
#include "store/store.h"

enum { PROTOCOL_VERSION = 1 };

int sv_method_rpc_discover(struct sv_request *r)
{
	pr_discover(&r->json, PD_VERSION, sv_option_params());
	return PD_OK;
}

static void print_features(const struct sv_core *core, struct pr_out *out)
{
	static const char *const names[] = {
#define X(name, text) text,
		PR_FEATURES(X)
#undef X
	};
	bool has[PR_FEATURE_COUNT + 1] = {
		[PR_F_THREADS_PER_JOB] = true, [PR_F_ROLES] = true, [PR_F_LINE_RECORDS] = true};
	for (unsigned method = 0; method < PR_METHOD_COUNT; method++)
		has[pr_method_info((enum pr_method)method)->feature] = true;
	has[PR_F_BACKUP] = core->config.backup_dir && !core->config.read_only;
	has[PR_F_WORKERS] = core->cluster != NULL;
	has[PR_F_VERIFY] = core->config.proofcheck && core->config.data && !core->config.read_only;
	pr_open_array(out, "features");
	for (unsigned i = 0; i < PR_FEATURE_COUNT; i++)
		if (has[i])
			pr_str(out, NULL, names[i]);
	pr_close(out);
}

static void print_algorithms(struct pr_out *out)
{
	pr_open_array(out, "algorithms");
	for (unsigned i = 0; i <= PN_ALGORITHM_LAST; i++) {
		pr_open_object(out, NULL);
		pr_str(out, "name", pn_algorithm_text((enum pn_algorithm)i));
		pr_str(out, "text", pn_algorithm_what((enum pn_algorithm)i));
		pr_close(out);
	}
	pr_close(out);
}

int sv_method_server_hello(struct sv_request *r)
{
	const char *token = pr_get_str(r->params, "token", NULL);
	if (token && !sv_access_login(r, token))
		return PD_OK; /* the answer comes later */
	pr_open_object(&r->out, NULL);
	pr_str(&r->out, "server", "proofd");
	pr_str(&r->out, "version", PD_VERSION);
	pr_int(&r->out, "protocol", PROTOCOL_VERSION);
	print_features(r->core, &r->out);
	pr_open_object(&r->out, "limits");
	pr_int(&r->out, "line", PR_LINE_MAX);
	pr_int(&r->out, "reply", PR_REPLY_MAX);
	pr_int(&r->out, "batch", PR_BATCH_MAX);
	pr_int(&r->out, "depth", PR_DEPTH_MAX);
	pr_int(&r->out, "inflight", SV_INFLIGHT_MAX);
	pr_int(&r->out, "positions", PR_POSITIONS_MAX);
	pr_int(&r->out, "jobs", PR_LIST_MAX);
	pr_uint(&r->out, "memory", r->core->config.memory);
	pr_uint(&r->out, "jobs_max", r->core->config.jobs_max);
	pr_uint(&r->out, "jobs_per_client", r->core->config.jobs_per_client);
	pr_uint(&r->out, "rate", r->core->config.rate);
	pr_close(&r->out);
	print_algorithms(&r->out);
	pr_str(&r->out, "socket", r->core->host.socket);
	pr_int(&r->out, "pid", getpid());
	pr_str(&r->out, "role", pr_role_text(r->session->role));
	pr_close(&r->out);
	return PD_OK;
}

static void print_quota(struct sv_core *core, struct pr_out *out)
{
	struct sv_quota_figures quota;
	sv_quota_figures(core, &quota);
	pr_open_object(out, "quota");
	pr_str(out, "lack", quota.lack);
	if (quota.text[0])
		pr_str(out, "text", quota.text);
	else
		pr_null(out, "text");
	pr_uint(out, "disk", quota.disk);
	pr_uint(out, "memory", quota.memory);
	pr_close(out);
}

int sv_method_server_stats(struct sv_request *r)
{
	struct sv_core *core = r->core;
	struct st_stats s;
	const struct sv_job *job;
	char other[SV_COORDINATOR_TEXT];
	double rate = 0;
	st_stats(core->store, &s);
	pr_open_object(&r->out, NULL);
	pr_str(&r->out, "version", PD_VERSION);
	pr_int(&r->out, "pid", getpid());
	pr_real(&r->out, "uptime", sv_uptime(core), 1);
	sv_lock(core);
	LIST_FOREACH(job, &core->search_threads->running, run.running)
		rate += job->run.snapshot.rate;
	pr_open_object(&r->out, "jobs");
	for (unsigned i = 0; i < SV_STATE_COUNT; i++)
		pr_uint(&r->out, sv_state_text((enum sv_state)i), core->index->states[i]);
	pr_close(&r->out);
	pr_uint(&r->out, "threads", core->search_threads->count);
	pr_uint(&r->out, "busy", core->search_threads->searching + core->search_threads->helping);
	pr_real(&r->out, "rate", rate, 0);
	pr_uint(&r->out, "nodes", core->search_threads->nodes);
	pr_uint(&r->out, "connections", core->sessions->connections);
	sv_unlock(core);
	pr_uint(&r->out, "facts", s.facts);
	pr_uint(&r->out, "memtable", s.memtable);
	pr_uint(&r->out, "runs", s.runs);
	pr_uint(&r->out, "work_bytes", s.work_bytes);
	pr_uint(&r->out, "facts_bytes", s.facts_bytes);
	pr_uint(&r->out, "disk_free", s.map_bytes_free);
	pr_uint(&r->out, "commits", s.commits);
	pr_real(&r->out, "commit_ms_max", (double)s.commit_ns_max / 1e6, 2);
	pr_real(&r->out, "commit_ms_last", (double)s.commit_ns_last / 1e6, 2);
	pr_uint(&r->out, "memory", sv_memory_resident());
	pr_uint(&r->out, "memory_limit", core->config.memory);
	print_quota(core, &r->out);
	pr_str(&r->out, "other_coordinator", sv_cluster_other(core->cluster, other) ? other : NULL);
	pr_close(&r->out);
	return PD_OK;
}

/* Without tokens TCP is open to every program of every user of this machine, the Unix socket only to the owner of this
 * process. */
static int may_stop(struct sv_request *r)
{
	const char *given = pr_get_str(r->params, "token", NULL);
	const struct sv_token *token = NULL;
	if (given && r->core->tokens && !(token = sv_access_token(r, given)))
		return PD_OK; /* the answer comes later */
	if (r->session->role == PR_ROLE_ADMIN || (token && token->role == PR_ROLE_ADMIN))
		return PD_OK;
	if (token)
		return sv_access_refuse(PR_SHUTDOWN, token->role, &r->fail);
	return pd_fail_set(&r->fail, PD_E_UNSUPPORTED, "token",
			   "over TCP this takes a token of proofd --token-file; or use the server's Unix socket, or "
			   "SIGTERM");
}

int sv_method_server_shutdown(struct sv_request *r)
{
	int rc = may_stop(r);
	if (rc || r->later)
		return rc;
	r->core->stopping = true;
	pr_open_object(&r->out, NULL);
	pr_bool(&r->out, "stopping", true);
	pr_close(&r->out);
	return PD_OK;
}
