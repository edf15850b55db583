/* Core: opening, closing, and the turns of the loop. */
#include "server/core.h"

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/api/access.h"
#include "server/api/deferred.h"
#include "server/api/dispatch.h"
#include "server/api/position_watch.h"
#include "server/api/request_lines.h"
#include "server/api/sampling.h"
#include "server/api/session_state.h"
#include "server/api/watch.h"
#include "server/blame.h"
#include "server/common/core_parts.h"
#include "server/common/core_state.h"
#include "server/common/open_games.h"
#include "server/common/program_game.h"
#include "server/common/sample_file.h"
#include "server/experiments/experiments.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/queue/restore.h"
#include "server/jobs/queue/scheduler.h"
#include "server/jobs/write/task.h"
#include "server/jobs/run/search_thread.h"
#include "server/jobs/queue/writer_thread.h"
#include "server/proofs/answers/answer.h"
#include "server/proofs/backups/backup.h"
#include "server/proofs/tables/table_jobs.h"
#include "server/proofs/certificates/checker.h"
#include "server/proofs/maintenance/lies.h"
#include "server/proofs/certificates/known_files.h"
#include "server/proofs/certificates/proof.h"
#include "server/cluster/cluster.h"

enum {
	TURN_NS = 1000000,     /* for completions, and as much again for waiting calls, before the loop looks at its
			      sockets again */
	FLUSH_BYTES = 1 << 28, /* of new facts in memory if there is plenty: the store's default */
	FLUSH_BYTES_MIN = 1 << 20
};

/* --- threads ------------------------------------------------------------------------------ */

static int start_threads(struct sv_core *core, struct pd_fail *fail)
{
	unsigned threads = core->config.read_only ? 0 : core->config.threads;
	core->search_threads->count_max = threads;
	core->search_threads->threads = calloc(threads + 1, sizeof *core->search_threads->threads);
	if (!core->search_threads->threads || !sv_pulses_init(core->pulses, threads + 1))
		return pd_fail_set(fail, PD_E_NO_MEMORY, "threads", "no memory for %u threads", threads);
	core->writer->started = !pthread_create(&core->writer->thread, NULL, sv_writer_thread, core);
	bool ok = core->writer->started;
	ok = ok && sv_read_queues_start(core);
	while (ok && core->search_threads->count < threads &&
	       (ok = !pthread_create(&core->search_threads->threads[core->search_threads->count], NULL,
				     sv_search_thread, core)))
		core->search_threads->count++;
	return ok ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "threads", "the threads cannot be started");
}

static void stop_threads(struct sv_core *core)
{
	PD_ASSERT(core->writer && core->search_threads && core->read_queues);
	sv_backup_interrupt(core);
	sv_lock(core);
	core->search_threads->stop = core->closing = true;
	sv_table_jobs_interrupt(core);
	pthread_cond_broadcast(&core->search_threads->work);
	pthread_cond_broadcast(&core->writer->written);
	for (unsigned i = 0; i < SV_READ_QUEUES; i++)
		pthread_cond_broadcast(&core->read_queues->queue[i].come);
	sv_unlock(core);
	for (unsigned i = 0; i < core->search_threads->count; i++)
		pthread_join(core->search_threads->threads[i], NULL);
	for (unsigned i = 0; i < core->read_queues->thread_count; i++)
		pthread_join(core->read_queues->threads[i], NULL);
	sv_lock(core);
	core->writer->stop = true;
	pthread_cond_broadcast(&core->writer->wake);
	sv_unlock(core);
	if (core->writer->started)
		pthread_join(core->writer->thread, NULL);
	sv_backup_stop(core);
	sv_table_jobs_stop(core);
	sv_experiments_close(core->experiments);
	core->experiments = NULL;
	sv_plugins_unwatch(core->plugin_watch);
	core->plugin_watch = NULL;
	core->search_threads->count = core->read_queues->thread_count = 0;
	core->writer->started = false;
}

/* --- workers on other machines ------------------------------------------------------------ */

static int game_get(void *ctx, const char *name, struct game **out, struct pd_fail *fail)
{
	return sv_game_get(ctx, name, out, fail);
}

static void game_put(void *ctx, const struct game *game)
{
	sv_game_put(ctx, game);
}

/* Opens the cluster of the configuration, if any, before jobs are restored and threads started. */
static int open_cluster(struct sv_core *core, struct pd_fail *fail)
{
	const struct sv_cluster_host host = {core, sv_lied, sv_lies_banned, game_get, game_put};
	static const struct sv_liars shared = {{SV_SHARED}, 1};
	const struct sv_cluster_config *config = core->config.cluster;
	if (!config || core->config.read_only || !core->config.threads)
		return PD_OK;
	if (core->config.data && sv_liars_banned(core->config.data, &core->lies->banned, fail))
		return fail->code;
	if (config->past)
		config->past->shared |= sv_liars_name(&core->lies->banned, SV_SHARED);
	if (core->config.data && sv_cluster_shares(config) && sv_liars_keep(core->config.data, &shared, fail))
		return fail->code;
	return sv_cluster_open(core->config.cluster, &host, &core->cluster, fail);
}

/* To be called when no job runs. */
static void close_cluster(struct sv_core *core)
{
	if (!core->cluster)
		return;
	sv_cluster_close(core->cluster);
	core->cluster = NULL;
	if (atomic_load(&core->lies->by_writer))
		sv_cluster_note_lie(core->config.cluster, pd_now_ns());
}

/* --- open, close -------------------------------------------------------------------------- */

/* A core with all its parts. */
struct whole {
	struct sv_core core;
	struct sv_open_games games;
	struct sv_pulses pulses;
	struct sv_job_index index;
	struct sv_writer writer;
	struct sv_search_threads search_threads;
	struct sv_sessions sessions;
	struct sv_read_queues read_queues;
	struct sv_making making;
	struct sv_known_files known_files;
	struct sv_lies lies;
	struct sv_series series;
};

static void on_recorded(struct sv_core *core, const struct sv_job_completion *completion)
{
	sv_finished_look(core, completion);
	sv_dispatch_recorded(core, completion);
}

/* A program that does not open its core again, such as `proofctl solve`, has to end the job. */
static bool on_contradiction(struct sv_core *core, const struct sv_conflict *what)
{
	/* A lie that is known already may be the cause. */
	if (!atomic_load(&core->lies->told)) {
		if (!sv_blame(core, what))
			return false;
		atomic_store(&core->lies->by_writer, true);
	}
	if (!core->config.reopens)
		return false;
	sv_lock(core);
	core->search_threads->stop = true; /* what they find may rest on a lie */
	pthread_cond_broadcast(&core->search_threads->work);
	sv_unlock(core);
	return true;
}

static const struct sv_job_hooks hooks = {
	.submitted = sv_submitted,
	.recorded = on_recorded,
	.removed = sv_dispatch_removed,
	.contradicted = on_contradiction,
	.answer = sv_answer_make,
};

/* NULL without memory. */
static struct sv_core *core_new(void)
{
	struct whole *w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	struct sv_core *core = &w->core;
	pd_mutex_init(&core->lock, PD_LOCK_CORE);
	STAILQ_INIT(&core->completions);
	core->hooks = &hooks;
	core->games = &w->games;
	core->pulses = &w->pulses;
	core->index = &w->index;
	core->writer = &w->writer;
	core->search_threads = &w->search_threads;
	core->sessions = &w->sessions;
	core->read_queues = &w->read_queues;
	core->making = &w->making;
	core->known_files = &w->known_files;
	core->lies = &w->lies;
	core->series = &w->series;
	sv_games_init(core->games);
	sv_index_init(core->index);
	core->index->revision = (uint64_t)pd_wall_ms() * 1000; /* grows also from one server to the next */
	core->index->lock = &core->lock;
	sv_lies_init(core->lies);
	sv_series_init(core->series);
	sv_writer_init(core->writer);
	sv_search_threads_init(core->search_threads);
	sv_sessions_init(core->sessions);
	sv_read_queues_init(core);
	return core;
}

static void core_free(struct sv_core *core)
{
	sv_completions_deliver(core, UINT64_MAX); /* what is left of closed sessions */
	sv_writer_fini(core->writer);
	sv_sessions_fini(core->sessions);
	if (core->reader)
		st_reader_close(core->reader);
	for (uint32_t i = 0; i < core->index->all.count; i++) {
		sv_dismiss(core->index->all.jobs[i]);
		sv_job_free(core->index->all.jobs[i]);
	}
	sv_index_fini(core->index);
	sv_games_fini(core->games);
	st_close(core->store);
	sv_search_threads_fini(core->search_threads);
	sv_read_queues_fini(core);
	sv_pulses_fini(core->pulses);
	sv_lies_fini(core->lies);
	sv_series_close(core->series);
	pd_mutex_fini(&core->lock);
	sv_backup_free(core->backup);
	sv_table_jobs_free(core->table_jobs);
	free(core->paths.backup_dir);
	free(core->paths.experiments);
	free(core->paths.proofcheck);
	free(core->paths.rules);
	free(core->paths.data);
	free(core->paths.graphs);
	free(core->tokens);
	free(core->host.socket);
	free(core); /* the first member of struct whole */
}

static int check_config(const struct sv_config *config, struct pd_fail *fail)
{
	if (config->threads > SV_THREADS_MAX)
		return pd_fail_set(fail, PD_E_PARAMS, "threads", "threads go from 0 to %d, not %u", SV_THREADS_MAX,
				   config->threads);
	if (!(config->checkpoint_s >= 0.05 && config->checkpoint_s <= 3600))
		return pd_fail_set(fail, PD_E_PARAMS, "checkpoint", "checkpoints are 0.05 to 3600 seconds apart");
	if (!(config->slice_s >= 0 && config->slice_s <= 1e9 && config->run_min_s >= 0))
		return pd_fail_set(fail, PD_E_PARAMS, "slice", "time slices are 0 to 1e9 seconds long");
	struct sv_bound bound = sv_memory_bound();
	uint64_t share;
	return sv_memory_share(&bound, config->memory, &share, fail);
}

/* Sets the memory for jobs, now that the maps of the store have taken their part of the address space. */
static void share_memory(struct sv_core *core)
{
	struct sv_bound bound = sv_memory_bound();
	char text[SV_SIZE_TEXT];
	uint64_t wanted = core->config.memory, most = bound.bytes / 4 * 3;
	PD_ASSERT(bound.bytes > 0);
	core->bound = bound;
	if (!wanted || wanted > bound.bytes)
		core->config.memory = most > SV_JOB_MEMORY_MIN ? most : SV_JOB_MEMORY_MIN;
	if (wanted > bound.bytes)
		pd_log(PD_LOG_WARN, "all jobs together get only %s of memory: %s leaves no more",
		       sv_size_text(core->config.memory, text), bound.by);
	const struct st_tuning tuning = {
		.flush_bytes = core->config.memory / 16 > FLUSH_BYTES_MIN ? core->config.memory / 16 : FLUSH_BYTES_MIN};
	if (tuning.flush_bytes < FLUSH_BYTES) /* new facts are also in memory until they are moved */
		st_tune(core->store, &tuning);
}

static void log_refusal(void *ctx, const char *sentence)
{
	(void)ctx;
	pd_log(PD_LOG_ERROR, "%s", sentence);
}

/* Loads the plug-ins, before any job or query can ask for their games. */
static int open_plugins(struct sv_core *core, struct pd_fail *fail)
{
	if (!core->config.game_dirs || (!core->config.game_dirs->count && !core->config.game_dirs->programs))
		return PD_OK;
	sv_plugins_note_in(core->config.data && !core->config.read_only ? core->config.data : NULL);
	int rc = sv_plugins_load(core->config.game_dirs, core->config.data, log_refusal, NULL, fail);
	return rc || !sv_plugins_any() ? rc
				       : sv_plugins_watch(core->config.plugin_timeout_s, &core->plugin_watch, fail);
}

/* Takes back the facts of workers that lied, before anything rests on them. */
static int retract_lies(struct sv_core *core, struct pd_fail *fail)
{
	struct sv_liars liars;
	const struct sv_liars_order order = {.graphs = core->config.graphs,
					     .threads = core->config.threads,
					     .patience = core->config.patience,
					     .ctx = core->config.patience_ctx};
	int rc = PD_OK;
	if (!core->config.data || core->config.read_only) /* a store that is to be read refuses by itself */
		return rc;
	if (core->config.backup_dir)
		rc = sv_liars_exchange(core->config.data, core->config.backup_dir, fail);
	rc = rc ? rc : sv_liars_read(core->config.data, &liars, fail);
	if (rc || !liars.count)
		return rc;
	rc = open_plugins(core, fail);
	rc = rc ? rc : sv_liars_retract(core->config.data, &order, fail);
	sv_plugins_unwatch(core->plugin_watch);
	core->plugin_watch = NULL;
	return rc;
}

static bool copy_string(const char *text, char **out)
{
	*out = text ? strdup(text) : NULL;
	return !text || *out;
}

/* Copies the configuration, with strings of its own. */
static int own_config(struct sv_core *core, const struct sv_config *config, struct pd_fail *fail)
{
	struct sv_core_paths *paths = &core->paths;
	/* If a name could not be copied, the store would be in memory, and the server would have no graphs. */
	int rc = copy_string(config->data, &paths->data) && copy_string(config->graphs, &paths->graphs) &&
				 copy_string(config->backup_dir, &paths->backup_dir) &&
				 copy_string(config->experiments, &paths->experiments)
			 ? sv_checker_find(config->proofcheck, &paths->proofcheck, fail)
			 : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the server");
	if (!rc && config->rules)
		rc = sv_checker_rules(config->rules, &paths->rules, fail);
	core->config = *config;
	core->config.data = core->games->data = paths->data;
	core->config.graphs = core->games->graphs = paths->graphs;
	core->config.backup_dir = paths->backup_dir;
	core->config.experiments = paths->experiments;
	core->config.rules = paths->rules;
	core->config.proofcheck = paths->proofcheck;
	return rc;
}

int sv_core_open(const struct sv_config *config, void (*wake)(void *ctx), void *ctx, struct sv_core **out,
		 struct pd_fail *fail)
{
	int rc = check_config(config, fail);
	if (!rc && config->backup_dir)
		rc = sv_backup_dir_check(config->backup_dir, fail);
	if (rc)
		return rc;
	struct sv_core *core = core_new();
	if (!core)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the server");
	core->backup = sv_backup_new();
	core->table_jobs = sv_table_jobs_new();
	core->tokens = config->tokens ? malloc(sizeof *core->tokens) : NULL;
	core->host.wake = wake;
	core->host.wake_ctx = ctx;
	core->start_ns = pd_now_ns();
	memset(fail, 0, sizeof *fail);
	if (core->tokens)
		*core->tokens = *config->tokens;
	rc = core->backup && core->table_jobs && !core->tokens == !config->tokens
		     ? own_config(core, config, fail)
		     : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the server");
	sv_series_open(core->series, core->config.data, core->config.read_only);
	rc = rc ? rc : retract_lies(core, fail);
	if (!rc)
		rc = st_open(core->config.data, config->read_only ? ST_READ_ONLY : 0, &core->store, fail);
	rc = rc ? rc : open_plugins(core, fail);
	if (!rc)
		share_memory(core);
	if (!rc)
		core->identity = !core->config.data && config->identity ? config->identity : st_identity(core->store);
	rc = rc ? rc : st_reader_open(core->store, &core->reader, fail);
	rc = rc ? rc : sv_removed_jobs_read(&core->writer->removed, core->store, fail);
	if (!rc)
		rc = sv_groups_restore(&core->index->groups, &core->writer->removed)
			     ? PD_OK
			     : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the groups of jobs");
	rc = rc ? rc : open_cluster(core, fail);
	rc = rc ? rc : sv_jobs_restore(core, fail);
	if (config->game_dirs && config->game_dirs->programs) /* what uses their games from now on looks for failures */
		sv_programs_survive();
	rc = rc ? rc : sv_experiments_open(&core->config, &core->experiments, fail);
	rc = rc ? rc : start_threads(core, fail);
	rc = rc ? rc : sv_table_jobs_restore(core, fail);
	if (rc) {
		stop_threads(core);
		close_cluster(core);
		core_free(core);
		return rc;
	}
	*out = core;
	return PD_OK;
}

void sv_core_close(struct sv_core *core)
{
	PD_ASSERT(TAILQ_EMPTY(&core->sessions->list));
	stop_threads(core);
	close_cluster(core);
	sv_lies_tick(core); /* the last try to write a file that could not be written */
	sv_job_log_end(&core->writer->log);
	if (core->config.game_dirs)
		sv_plugins_note_in(NULL);
	core_free(core);
}

/* --- turns of the loop -------------------------------------------------------------------- */

void sv_core_pump(struct sv_core *core)
{
	core->sessions->pumping = true;
	bool more = sv_completions_deliver(core, pd_now_ns() + TURN_NS);
	more |= sv_request_lines_go_on(core, pd_now_ns() + TURN_NS);
	more |= sv_watch_go_on(core, pd_now_ns() + TURN_NS);
	core->sessions->pumping = false;
	if (more)
		sv_wake(core);
}

void sv_core_socket(struct sv_core *core, const char *path)
{
	free(core->host.socket);
	core->host.socket = path ? strdup(path) : NULL; /* without memory server.hello names none */
}

void sv_core_on_finish(struct sv_core *core, sv_tell_finished *tell, void *ctx)
{
	core->host.finished = tell;
	core->host.finished_ctx = ctx;
}

bool sv_core_tokens(struct sv_core *core, const struct sv_tokens *tokens)
{
	PD_ASSERT(tokens->count && core->tokens); /* only a server that has tokens gets other ones */
	return sv_access_replace(core, tokens);
}

void sv_core_tick(struct sv_core *core)
{
	sv_access_tick(core);
	sv_watch_tick(core);
	sv_position_watch_tick(core);
	sv_lies_tick(core);
	sv_sampling_tick(core);
	sv_lock(core);
	sv_job_log_tick(&core->writer->log);
	sv_unlock(core);
	if (sv_watch_go_on(core, pd_now_ns() + TURN_NS))
		sv_wake(core);
}

const char *sv_core_stuck(struct sv_core *core)
{
	PD_ASSERT(!sv_locked(core));
	return sv_pulses_stuck(core, SV_PULSE_CPU_S * UINT64_C(1000000000));
}

bool sv_core_stopping(const struct sv_core *core)
{
	return core->stopping;
}

bool sv_core_lied(const struct sv_core *core, bool *written)
{
	*written = atomic_load(&core->lies->written);
	return atomic_load(&core->lies->told);
}
