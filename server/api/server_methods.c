/* Server methods: what the server is, what it does, and its end. */
#include "server/api/methods.h"

#include <unistd.h>

#include "server/api/access.h"
#include "server/api/figures.h"
#include "server/api/session_state.h"
#include "server/cluster/cluster.h"
#include "server/common/core_state.h"
#include "proto/discover.h"
#include "server/common/tokens.h"
#include "server/jobs/model/job_state.h"
#include "server/jobs/model/spec_fields.h"

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
		pr_members(out, PR_S("name", pn_algorithm_text((enum pn_algorithm)i)),
			   PR_S("text", pn_algorithm((enum pn_algorithm)i)->what));
		pr_close(out);
	}
	pr_close(out);
}

int sv_method_server_hello(struct sv_request *r)
{
	const char *token = pr_get_str(r->params, "token", NULL);
	if (token && !sv_access_login(r, token))
		return PD_OK; /* the answer comes later */
	const struct sv_config *config = &r->core->config;
	struct pr_out *out = &r->out;
	pr_open_object(out, NULL);
	pr_members(out, PR_S("server", "proofd"), PR_S("version", PD_VERSION), PR_I("protocol", PROTOCOL_VERSION));
	print_features(r->core, out);
	pr_open_object(out, "limits");
	pr_members(out, PR_I("line", PR_LINE_MAX), PR_I("reply", PR_REPLY_MAX), PR_I("batch", PR_BATCH_MAX),
		   PR_I("depth", PR_DEPTH_MAX), PR_I("inflight", SV_INFLIGHT_MAX), PR_I("positions", PR_POSITIONS_MAX),
		   PR_I("jobs", PR_LIST_MAX), PR_U("memory", config->memory), PR_U("jobs_max", config->jobs_max),
		   PR_U("jobs_per_client", config->jobs_per_client), PR_U("rate", config->rate));
	pr_close(out);
	print_algorithms(out);
	pr_members(out, PR_S("socket", r->core->host.socket), PR_I("pid", getpid()),
		   PR_S("role", pr_role_text(r->session->role)));
	pr_close(out);
	return PD_OK;
}

int sv_method_server_stats(struct sv_request *r)
{
	struct sv_figures f;
	const struct st_stats *s = &f.store;
	struct pr_out *out = &r->out;
	char other[SV_COORDINATOR_TEXT];
	sv_figures(r->core, &f);
	pr_open_object(out, NULL);
	pr_members(out, PR_S("version", PD_VERSION), PR_I("pid", getpid()), PR_R("uptime", f.uptime_s, 1));
	pr_open_object(out, "jobs");
	for (unsigned i = 0; i < SV_STATE_COUNT; i++)
		pr_uint(out, sv_state_text((enum sv_state)i), f.jobs[i]);
	pr_close(out);
	pr_members(out, PR_U("threads", f.threads), PR_U("busy", f.searching), PR_R("rate", f.rate, 0),
		   PR_U("nodes", f.nodes), PR_U("connections", f.sessions), PR_U("facts", s->facts),
		   PR_U("memtable", s->memtable), PR_U("runs", s->runs), PR_U("work_bytes", s->work_bytes),
		   PR_U("facts_bytes", s->facts_bytes), PR_U("disk_free", s->map_bytes_free),
		   PR_U("commits", s->commits), PR_R("commit_ms_max", (double)s->commit_ns_max / 1e6, 2),
		   PR_R("commit_ms_last", (double)s->commit_ns_last / 1e6, 2), PR_U("memory", f.memory.resident),
		   PR_U("memory_limit", f.memory.limit));
	pr_open_object(out, "quota");
	pr_members(out, PR_S("lack", f.quota.lack), PR_S("text", f.quota.text[0] ? f.quota.text : NULL),
		   PR_U("disk", f.quota.disk), PR_U("memory", f.quota.memory));
	pr_close(out);
	pr_str(out, "other_coordinator", sv_cluster_other(r->core->cluster, other) ? other : NULL);
	pr_close(out);
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
	pd_buf_puts(&r->json, "{\"stopping\":true}");
	return PD_OK;
}
