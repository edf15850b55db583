/* Worker methods: the workers on other machines. */
#include "server/api/methods.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/fact.h"
#include "proto/methods.h"
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
	pr_bool(out, "connected", v->connected);
	pr_str(out, "where", v->where);
	pr_int(out, "since", day_time(now, v->connected_ns));
	pr_str(out, "coordinator", number);
	snprintf(number, sizeof number, "%016" PRIx64, v->other);
	pr_str(out, "other_coordinator", v->other ? number : NULL);
	pr_uint(out, "workers", v->workers);
	pr_uint(out, "threads", v->threads);
	pr_uint(out, "out", v->out);
	pr_uint(out, "waiting", v->waiting);
	pr_uint(out, "tasks", v->tasks);
	pr_uint(out, "results", v->results);
	pr_uint(out, "late", v->late);
	pr_uint(out, "sent_again", v->sent_again);
	pr_uint(out, "cancelled", v->cancelled);
	pr_uint(out, "verified", v->verified);
	pr_uint(out, "refuted", v->refuted);
	pr_uint(out, "undecided", v->undecided);
	pr_uint(out, "banned", v->banned);
	pr_uint(out, "refused", v->refused);
	pr_uint(out, "nodes", v->nodes);
	pr_real(out, "cpu", (double)v->cpu_ns / 1e9, 3);
	pr_real(out, "own_cpu", (double)v->busy_ns / 1e9, 3);
	pr_uint(out, "grain", v->grain);
	pr_close(out);
}

static void print_one(const struct sv_worker_view *w, const struct moment *now, struct pr_out *out)
{
	char number[24], giver[PD_GIVER_TEXT];
	snprintf(number, sizeof number, "%016" PRIx64, w->worker);
	pr_open_object(out, NULL);
	pr_str(out, "worker", number);
	pr_str(out, "giver", pd_giver_print(pd_giver_of(w->worker), giver));
	pr_str(out, "name", w->name);
	pr_str(out, "state", sv_worker_state_text(w->state));
	if (w->why[0])
		pr_str(out, "why", w->why);
	else
		pr_null(out, "why");
	pr_bool(out, "sealed", w->sealed);
	pr_str(out, "version", w->version);
	pr_uint(out, "threads", w->threads);
	pr_uint(out, "memory", w->memory);
	pr_int(out, "since", day_time(now, w->since_ns));
	pr_int(out, "seen", day_time(now, w->seen_ns));
	pr_uint(out, "in_hand", w->in_hand);
	pr_uint(out, "done", w->tasks);
	pr_uint(out, "solved", w->solved);
	pr_uint(out, "verified", w->verified);
	pr_uint(out, "refused", w->refused);
	pr_uint(out, "sent_again", w->sent_again);
	pr_uint(out, "nodes", w->nodes);
	pr_real(out, "cpu", (double)w->cpu_ns / 1e9, 3);
	pr_real(out, "rate", w->rate, 0);
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
	pr_uint(&r->out, "count", count);
	pr_int(&r->out, "now", now.wall_ms);
	pr_close(&r->out);
	free(list);
	return PD_OK;
}
