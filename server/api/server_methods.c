/* Server methods: what the server is and does, its workers, backups and shutdown. */
#include "server/api/methods.h"

#include <inttypes.h>
#include <stdio.h>
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
#include "proto/base/assert.h"
#include "server/proofs/backups/backup.h"
#include "proto/base/clock.h"
#include "server/common/core_parts.h"

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
	has[PR_F_TABLES] = core->config.data && !core->config.read_only;
	has[PR_F_WORKERS] = core->cluster != NULL;
	has[PR_F_EXPERIMENTS] = core->experiments != NULL;
	has[PR_F_SERIES] = core->config.data != NULL;
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
		pr_members(out, PR_OPEN_OBJECT(NULL), PR_S("name", pn_algorithm_text((enum pn_algorithm)i)),
			   PR_S("text", pn_algorithm((enum pn_algorithm)i)->what), PR_CLOSE);
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
	pr_members(out, PR_OPEN_OBJECT(NULL), PR_S("server", "proofd"), PR_S("version", PD_VERSION),
		   PR_I("protocol", PROTOCOL_VERSION));
	print_features(r->core, out);
	pr_members(out, PR_OPEN_OBJECT("limits"), PR_I("line", PR_LINE_MAX), PR_I("reply", PR_REPLY_MAX),
		   PR_I("batch", PR_BATCH_MAX), PR_I("depth", PR_DEPTH_MAX), PR_I("inflight", SV_INFLIGHT_MAX),
		   PR_I("positions", config->public ? SV_PUBLIC_POSITIONS : PR_POSITIONS_MAX),
		   PR_I("jobs", PR_LIST_MAX), PR_U("memory", config->memory), PR_U("jobs_max", config->jobs_max),
		   PR_U("jobs_per_client", config->jobs_per_client), PR_U("rate", config->rate), PR_CLOSE);
	print_algorithms(out);
	bool public = r->session->role == PR_ROLE_PUBLIC;
	pr_members(out, PR_S("socket", public ? NULL : r->core->host.socket), PR_I("pid", public ? 0 : getpid()),
		   PR_S("role", pr_role_text(r->session->role)), PR_CLOSE);
	return PD_OK;
}

int sv_method_server_stats(struct sv_request *r)
{
	struct sv_figures f;
	const struct st_stats *s = &f.store;
	struct pr_out *out = &r->out;
	char other[SV_COORDINATOR_TEXT];
	sv_figures(r->core, &f);
	pr_members(out, PR_OPEN_OBJECT(NULL), PR_S("version", PD_VERSION), PR_I("pid", getpid()),
		   PR_R("uptime", f.uptime_s, 1), PR_OPEN_OBJECT("jobs"));
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
	pr_members(out, PR_OPEN_OBJECT("quota"), PR_S("lack", f.quota.lack),
		   PR_S("text", f.quota.text[0] ? f.quota.text : NULL), PR_U("disk", f.quota.disk),
		   PR_U("memory", f.quota.memory), PR_CLOSE,
		   PR_S("other_coordinator", sv_cluster_other(r->core->cluster, other) ? other : NULL), PR_CLOSE);
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

int sv_method_server_backup(struct sv_request *r)
{
	const char *name = pr_get_str(r->params, "name", NULL);
	PD_ASSERT(r->on_loop);
	int rc = name ? sv_backup_start(r->core, name, &r->fail) : PD_OK;
	if (rc)
		return rc;
	pr_open_object(&r->out, NULL);
	sv_backup_print(r->core, &r->out);
	pr_close(&r->out);
	return PD_OK;
}

/* One instant by both clocks, so that ages are right even if the wall clock was set in the meantime. */
struct moment {
	int64_t wall_ms;
	uint64_t ns;
};

/* A time of pd_now_ns in milliseconds since 1970, by the present wall clock. */
static int64_t day_time(const struct moment *now, uint64_t ns)
{
	return ns < now->ns ? now->wall_ms - (int64_t)((now->ns - ns) / 1000000) : now->wall_ms;
}

static void print_all(const struct sv_cluster_view *v, const struct moment *now, struct pr_out *out)
{
	char number[24];
	snprintf(number, sizeof number, "%016" PRIx64, v->coordinator);
	pr_members(out, PR_OPEN_OBJECT("cluster"), PR_B("connected", v->connected), PR_S("where", v->where),
		   PR_I("since", day_time(now, v->connected_ns)), PR_S("coordinator", number));
	snprintf(number, sizeof number, "%016" PRIx64, v->other);
	pr_members(out, PR_S("other_coordinator", v->other ? number : NULL), PR_U("workers", v->workers),
		   PR_U("threads", v->threads), PR_U("out", v->out), PR_U("waiting", v->waiting),
		   PR_U("tasks", v->tasks), PR_U("results", v->results), PR_U("late", v->late),
		   PR_U("sent_again", v->sent_again), PR_U("cancelled", v->cancelled), PR_U("verified", v->verified),
		   PR_U("refuted", v->refuted), PR_U("undecided", v->undecided), PR_U("banned", v->banned),
		   PR_U("refused", v->refused), PR_U("nodes", v->nodes), PR_R("cpu", (double)v->cpu_ns / 1e9, 3),
		   PR_U("proofs", v->judged.proofs), PR_U("proof_bytes", v->judged.proof_bytes),
		   PR_R("check_cpu", (double)v->judged.check_ns / 1e9, 3),
		   PR_R("search_cpu", (double)v->judged.search_ns / 1e9, 3),
		   PR_R("own_cpu", (double)v->busy_ns / 1e9, 3), PR_U("grain", v->grain));
	pr_close(out);
}

static void print_one(const struct sv_worker_view *w, const struct moment *now, struct pr_out *out)
{
	char number[24], giver[PD_GIVER_TEXT];
	snprintf(number, sizeof number, "%016" PRIx64, w->worker);
	pr_open_object(out, NULL);
	pr_members(out, PR_S("worker", number), PR_S("giver", pd_giver_print(pd_giver_of(w->worker), giver)),
		   PR_S("name", w->name), PR_S("state", sv_worker_state_text(w->state)),
		   PR_IF(w->why[0], PR_S("why", w->why)), PR_B("sealed", w->sealed), PR_S("version", w->version),
		   PR_U("threads", w->threads), PR_U("memory", w->memory), PR_I("since", day_time(now, w->since_ns)),
		   PR_I("seen", day_time(now, w->seen_ns)), PR_U("in_hand", w->in_hand), PR_U("done", w->tasks),
		   PR_U("solved", w->solved), PR_U("verified", w->verified), PR_U("refused", w->refused),
		   PR_U("sent_again", w->sent_again), PR_U("nodes", w->nodes), PR_R("cpu", (double)w->cpu_ns / 1e9, 3),
		   PR_R("rate", w->rate, 0));
	pr_close(out);
}

int sv_method_server_workers(struct sv_request *r)
{
	struct sv_cluster *cluster = sv_cluster(r->core);
	unsigned limit = (unsigned)pr_get_int(r->params, "limit", PR_WORKERS_DEFAULT), count = 0;
	struct sv_cluster_view all;
	struct sv_worker_view *list = NULL;
	PD_ASSERT(limit && limit <= PR_WORKERS_MAX);
	if (cluster) {
		list = calloc(limit, sizeof *list);
		if (!list)
			return pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory to list the workers");
		count = sv_cluster_workers(cluster, list, limit);
		sv_cluster_view(cluster, &all);
	}
	struct moment now = {pd_wall_ms(), pd_now_ns()};
	pr_open_object(&r->out, NULL);
	if (cluster)
		print_all(&all, &now, &r->out);
	pr_open_array(&r->out, "workers");
	for (unsigned i = 0; i < count && i < limit; i++)
		print_one(&list[i], &now, &r->out);
	pr_members(&r->out, PR_CLOSE, PR_U("count", count), PR_I("now", now.wall_ms), PR_CLOSE);
	free(list);
	return PD_OK;
}
