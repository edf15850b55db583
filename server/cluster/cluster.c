#include "server/cluster/cluster.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/mutex.h"
#include "proto/base/random.h"
#include "server/cluster/answer.h"
#include "server/cluster/dispatch.h"
#include "server/cluster/receive.h"
#include "server/cluster/state.h"
#include "server/cluster/tell.h"
#include "server/cluster/tick.h"
#include "server/cluster/trust.h"

static void *cluster_main(void *arg)
{
	struct sv_cluster *c = arg;
	struct sc_batch batch;
	const uint8_t *data;
	size_t size;
	bool stop = false;
	sc_batch_init(&batch);
	c->tick.look_cpu_ns = pd_cpu_ns();
	while (!stop) {
		sc_inbox_take(&c->inbox, &batch, c->tick.next_ns);
		c->now_ns = pd_now_ns();
		stop = batch.stop;
		if (batch.told)
			sc_tick_connected(c, batch.came, batch.connected, batch.what);
		while (sc_batch_next(&batch, &data, &size))
			sc_receive(c, data, size);
		sc_answer_verdicts(c);
		sc_dispatch_desks(c);
		if (c->now_ns >= c->tick.next_ns) {
			sc_tick(c);
			c->tick.next_ns = c->now_ns + SC_TICK_NS;
		}
		if (c->roster.changed || c->shares_changed)
			sc_dispatch_shares(c);
		sc_dispatch(c);
		sc_tell_all(c);
	}
	PD_ASSERT(!atomic_load(&c->desk_count));
	sc_batch_fini(&batch);
	return NULL;
}

static void on_message(void *ctx, const uint8_t *data, size_t size)
{
	struct sv_cluster *c = ctx;
	if (size <= CW_MESSAGE_MAX)
		sc_inbox_message(&c->inbox, data, size);
}

static void on_connected(void *ctx, bool connected, const char *what)
{
	struct sv_cluster *c = ctx;
	sc_inbox_connected(&c->inbox, connected, what);
}

static void prepare_cluster(struct sv_cluster *c, const struct sv_cluster_config *config,
			    const struct sv_cluster_host *host)
{
	c->config = *config;
	c->host = *host;
	if (config->seal) {
		c->seal = *config->seal;
		c->config.seal = &c->seal;
	}
	c->config.past = config->past ? config->past : &c->past;
	c->config.where = NULL;
	snprintf(c->view.where, sizeof c->view.where, "%s", config->where ? config->where : "");
	c->lines_left = 100;
	c->seed = config->seed ? config->seed : pd_random64();
	c->epoch = c->view.coordinator = pd_random64();
	c->now_ns = c->tick.next_ns = c->tick.look_ns = c->view.connected_ns = pd_now_ns();
	sc_book_init(&c->book, c->now_ns);
	sc_roster_init(&c->roster);
	TAILQ_INIT(&c->desks);
	pd_buf_init(&c->out, CW_MESSAGE_MAX);
	atomic_init(&c->desk_count, 0);
}

/* Ends what was begun: the judge, which wakes by the port, the port, the locks. */
static void undo_open(struct sv_cluster *c)
{
	if (c->judge)
		sc_judge_close(c->judge);
	if (c->port)
		c->port->type->close(c->port);
	sc_board_fini(&c->board);
	sc_games_fini(&c->games);
	sc_inbox_fini(&c->inbox);
	sc_roster_fini(&c->roster);
	pd_buf_fini(&c->out);
	free(c);
}

int sv_cluster_open(const struct sv_cluster_config *config, const struct sv_cluster_host *host, struct sv_cluster **out,
		    struct pd_fail *fail)
{
	struct sv_cluster *c = calloc(1, sizeof *c);
	if (!c)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a cluster");
	prepare_cluster(c, config, host);
	struct cp_events events = {.ctx = c, .message = on_message, .connected = on_connected};
	sc_inbox_init(&c->inbox);
	sc_games_init(&c->games, &c->host);
	sc_board_init(&c->board);
	sc_board_figures(&c->board, &c->view);
	int rc = config->port.open(config->port.ctx, CP_COORDINATOR, &events, &c->port, fail);
	if (!rc) {
		sc_inbox_port(&c->inbox, c->port);
		rc = sc_judge_open(&c->inbox, &c->games, &c->judge, fail);
	}
	if (!rc && pthread_create(&c->thread, NULL, cluster_main, c))
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no thread for the cluster");
	if (rc) {
		undo_open(c);
		return rc;
	}
	pd_log(PD_LOG_INFO, "cluster: this coordinator is %016llx", (unsigned long long)c->epoch);
	*out = c;
	return PD_OK;
}

void sv_cluster_close(struct sv_cluster *cluster)
{
	if (!cluster)
		return;
	sc_inbox_stop(&cluster->inbox);
	pthread_join(cluster->thread, NULL);
	undo_open(cluster);
}

void sv_cluster_note_lie(const struct sv_cluster_config *config, uint64_t now_ns)
{
	if (config->past) /* whether the worker had the key is not known */
		sc_trust_ban(config, config->seal != NULL, true, now_ns);
}

/* --- what people see of it -------------------------------------------------------------------- */

const char *sv_worker_state_text(enum sv_worker_state state)
{
	static const char *const texts[] = {[SV_WORKER_THERE] = "there",
					    [SV_WORKER_SILENT] = "silent",
					    [SV_WORKER_GONE] = "gone",
					    [SV_WORKER_REFUSED] = "refused",
					    [SV_WORKER_BANNED] = "banned"};
	PD_ASSERT((unsigned)state < sizeof texts / sizeof *texts);
	return texts[state];
}

void sv_cluster_view(struct sv_cluster *cluster, struct sv_cluster_view *out)
{
	pd_mutex_lock(&cluster->board.lock);
	*out = cluster->board.view;
	pd_mutex_unlock(&cluster->board.lock);
}

bool sv_cluster_other(struct sv_cluster *cluster, char out[SV_COORDINATOR_TEXT])
{
	uint64_t other = 0;
	if (cluster) {
		pd_mutex_lock(&cluster->board.lock);
		other = cluster->board.view.other;
		pd_mutex_unlock(&cluster->board.lock);
	}
	snprintf(out, SV_COORDINATOR_TEXT, "%016llx", (unsigned long long)other);
	return other;
}

unsigned sv_cluster_workers(struct sv_cluster *cluster, struct sv_worker_view *out, unsigned max)
{
	return sc_board_list(&cluster->board, out, max);
}
