/* Core: opening, closing, and the turns of the loop. */
#include "server/core/internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"

void sv_config_init(struct sv_config *config)
{
	*config = (struct sv_config){.threads = 1, .checkpoint_s = 2, .nice = 19};
}

static uint64_t machine_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_C(1) << 30;
}

/* --- restoring -------------------------------------------------------------------------------------------------------------------------- */

static int restore_job(void *ctx, uint32_t id, const void *record, size_t size)
{
	struct sv_core *core = ctx;
	struct sv_job *job;
	struct pd_fail fail;
	int rc = sv_job_unrecord(id, record, size, &job, &fail);
	if (rc) {
		pd_log(PD_LOG_ERROR, "%s", fail.text);
		return rc;
	}
	if (job->state == SV_RUNNING) {
		job->state = SV_QUEUED; /* the first checkpoint of the new run says running again */
		job->ran = true;
		job->restarts += !core->config.read_only;
	}
	rc = sv_job_insert(core, job);
	if (rc)
		sv_job_free(job);
	return rc;
}

static int restore(struct sv_core *core, struct pd_fail *fail)
{
	int rc = st_job_each(core->store, restore_job, core, fail);
	if (rc && !fail->code)
		pd_fail_set(fail, PD_E_CORRUPT, "data", "the jobs of the data directory cannot be restored; the log says which");
	return rc;
}

/* --- threads ------------------------------------------------------------------------------------------------------------------------------ */

static int start_threads(struct sv_core *core, struct pd_fail *fail)
{
	unsigned workers = core->config.read_only ? 0 : core->config.threads;
	core->workers = calloc(workers + 1, sizeof *core->workers);
	if (!core->workers)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "threads", "no memory for %u threads", workers);
	core->has_writer = !pthread_create(&core->writer, NULL, sv_writer_main, core);
	bool ok = core->has_writer;
	while (ok && core->reader_count < 3) {
		struct sv_desk *desk = core->reader_count < 2 ? &core->queries : &core->proofs;
		ok = !pthread_create(&core->readers[core->reader_count], NULL, sv_reader_main, desk);
		core->reader_count += ok;
	}
	while (ok && core->worker_count < workers &&
	       (ok = !pthread_create(&core->workers[core->worker_count], NULL, sv_worker_main, core)))
		core->worker_count++;
	return ok ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "threads", "the threads cannot be started");
}

static void stop_threads(struct sv_core *core)
{
	pthread_mutex_lock(&core->lock);
	core->stop_workers = core->stop_readers = true;
	pthread_cond_broadcast(&core->work);
	pthread_cond_broadcast(&core->written);
	pthread_cond_broadcast(&core->queries.come);
	pthread_cond_broadcast(&core->proofs.come);
	pthread_mutex_unlock(&core->lock);
	for (unsigned i = 0; i < core->worker_count; i++)
		pthread_join(core->workers[i], NULL);
	for (unsigned i = 0; i < core->reader_count; i++)
		pthread_join(core->readers[i], NULL);
	pthread_mutex_lock(&core->lock);
	core->stop_writer = true;
	pthread_cond_broadcast(&core->write);
	pthread_mutex_unlock(&core->lock);
	if (core->has_writer)
		pthread_join(core->writer, NULL);
	core->worker_count = core->reader_count = 0;
	core->has_writer = false;
}

/* --- open, close -------------------------------------------------------------------------------------------------------------------------- */

static void core_free(struct sv_core *core)
{
	sv_core_pump(core); /* what is left for sessions that have gone */
	while (!STAILQ_EMPTY(&core->tasks)) {
		struct sv_task *task = STAILQ_FIRST(&core->tasks);
		STAILQ_REMOVE_HEAD(&core->tasks, link);
		sv_task_free(task);
	}
	pd_buf_fini(&core->quick_line);
	if (core->reader)
		st_reader_close(core->reader);
	for (uint32_t i = 0; i < core->job_count; i++) {
		if (core->jobs[i])
			sv_dismiss(core, core->jobs[i]);
		sv_job_free(core->jobs[i]);
	}
	free(core->jobs);
	sv_games_fini(core);
	st_close(core->store);
	pthread_cond_destroy(&core->work);
	pthread_cond_destroy(&core->write);
	pthread_cond_destroy(&core->written);
	pthread_cond_destroy(&core->queries.come);
	pthread_cond_destroy(&core->proofs.come);
	pthread_mutex_destroy(&core->lock);
	pthread_mutex_destroy(&core->games_lock);
	free(core->workers);
	free(core->data);
	free(core->graphs);
	free(core);
}

static void init_sync(struct sv_core *core)
{
	pthread_condattr_t attr;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&core->lock, NULL);
	pthread_mutex_init(&core->games_lock, NULL);
	pthread_cond_init(&core->work, &attr);
	pthread_cond_init(&core->write, &attr);
	pthread_cond_init(&core->written, &attr);
	pthread_cond_init(&core->queries.come, &attr);
	pthread_cond_init(&core->proofs.come, &attr);
	pthread_condattr_destroy(&attr);
	STAILQ_INIT(&core->tasks);
	STAILQ_INIT(&core->mails);
	STAILQ_INIT(&core->queries.errands);
	STAILQ_INIT(&core->proofs.errands);
	core->queries.core = core->proofs.core = core;
	STAILQ_INIT(&core->submitting);
	LIST_INIT(&core->sessions);
}

static int check_config(const struct sv_config *config, struct pd_fail *fail)
{
	if (config->threads > 1024)
		return pd_fail_set(fail, PD_E_PARAMS, "threads", "%u threads are too many; at most 1024", config->threads);
	if (!(config->checkpoint_s >= 0.05 && config->checkpoint_s <= 3600))
		return pd_fail_set(fail, PD_E_PARAMS, "checkpoint", "checkpoints are 0.05 to 3600 seconds apart");
	return PD_OK;
}

int sv_core_open(const struct sv_config *config, void (*wake)(void *ctx), void *ctx, struct sv_core **out, struct pd_fail *fail)
{
	int rc = check_config(config, fail);
	if (rc)
		return rc;
	struct sv_core *core = calloc(1, sizeof *core);
	if (!core)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the server");
	core->config = *config;
	core->data = config->data ? strdup(config->data) : NULL;
	core->graphs = config->graphs ? strdup(config->graphs) : NULL;
	core->wake = wake;
	core->wake_ctx = ctx;
	core->start_ns = pd_now_ns();
	if (!core->config.memory)
		core->config.memory = machine_memory() / 4 * 3;
	init_sync(core);
	memset(fail, 0, sizeof *fail);
	rc = st_open(core->data, config->read_only ? ST_READ_ONLY : 0, &core->store, fail);
	if (!rc)
		rc = st_reader_open(core->store, &core->reader, fail);
	if (!rc)
		rc = restore(core, fail);
	if (!rc)
		rc = start_threads(core, fail);
	if (rc) {
		stop_threads(core);
		core_free(core);
		return rc;
	}
	*out = core;
	return PD_OK;
}

void sv_core_close(struct sv_core *core)
{
	stop_threads(core);
	core_free(core);
}

/* --- turns of the loop ------------------------------------------------------------------------------------------------------------------------ */

void sv_mail_post(struct sv_core *core, struct sv_mail *mail)
{
	STAILQ_INSERT_TAIL(&core->mails, mail, link);
	if (core->wake)
		core->wake(core->wake_ctx);
}

void sv_core_pump(struct sv_core *core)
{
	for (;;) {
		pthread_mutex_lock(&core->lock);
		struct sv_mail *mail = STAILQ_FIRST(&core->mails);
		if (mail)
			STAILQ_REMOVE_HEAD(&core->mails, link);
		pthread_mutex_unlock(&core->lock);
		if (!mail)
			return;
		const struct pd_fail *fail = mail->fail.code ? &mail->fail : NULL;
		if (mail->kind == SV_MAIL_SUBMITTED) {
			sv_submitted(core, mail->job, fail);
		} else if (mail->kind == SV_MAIL_RECORDED) {
			sv_recorded(core, mail);
		} else if (mail->kind == SV_MAIL_QUICK) {
			sv_quick_done(mail);
			pd_buf_fini(&mail->json);
		} else {
			if (mail->fail.code)
				sv_refuse(core, mail->pending, mail->call, &mail->fail);
			else
				sv_reply(core, mail->pending, mail->call, &mail->json);
			pd_buf_fini(&mail->json);
		}
		free(mail);
	}
}

void sv_core_tick(struct sv_core *core)
{
	sv_watch_tick(core);
}

bool sv_core_stopping(const struct sv_core *core)
{
	return core->stopping;
}
