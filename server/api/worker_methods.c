/* Worker methods: the workers on other machines. */
#include "server/api/methods.h"

#include <inttypes.h>
#include <stdio.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/cluster/cluster.h"
#include "server/common/core_parts.h"

/* One instant by both clocks: an age is then right even if the clock of the day was set in the meantime. */
struct moment {
	int64_t wall_ms;
	uint64_t ns;
};

/* A time of pd_now_ns in milliseconds since 1970, as the clock of the day counts now. */
static int64_t day_time(const struct moment *now, uint64_t ns)
{
	return ns < now->ns ? now->wall_ms - (int64_t)((now->ns - ns) / 1000000) : now->wall_ms;
}

static void print_all(const struct sv_cluster_view *v, const struct moment *now, struct pr_out *out)
{
	char number[24];
	snprintf(number, sizeof number, "%016" PRIx64, v->coordinator);
	pr_open_object(out, "cluster");
	pr_members(out, PR_B("connected", v->connected), PR_S("where", v->where),
		   PR_I("since", day_time(now, v->connected_ns)), PR_S("coordinator", number));
	snprintf(number, sizeof number, "%016" PRIx64, v->other);
	pr_members(out, PR_S("other_coordinator", v->other ? number : NULL), PR_U("workers", v->workers),
		   PR_U("threads", v->threads), PR_U("out", v->out), PR_U("waiting", v->waiting),
		   PR_U("tasks", v->tasks), PR_U("results", v->results), PR_U("late", v->late),
		   PR_U("sent_again", v->sent_again), PR_U("cancelled", v->cancelled), PR_U("verified", v->verified),
		   PR_U("refuted", v->refuted), PR_U("undecided", v->undecided), PR_U("banned", v->banned),
		   PR_U("refused", v->refused), PR_U("nodes", v->nodes), PR_R("cpu", (double)v->cpu_ns / 1e9, 3),
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
	pr_close(&r->out);
	pr_members(&r->out, PR_U("count", count), PR_I("now", now.wall_ms));
	pr_close(&r->out);
	free(list);
	return PD_OK;
}
