#include "server/daemon/reports.h"

#include "proto/base/assert.h"

enum { TEXT_BYTES = 2 << 20 /* twice the largest job */ };

static void start_waiting(struct dm_reports *reports)
{
	struct dm_report *report;
	reports->starting = true;
	while (reports->run_count < DM_REPORTS_AT_ONCE && (report = TAILQ_FIRST(&reports->waiting)) != NULL) {
		TAILQ_REMOVE(&reports->waiting, report, link);
		reports->waiting_count--;
		TAILQ_INSERT_HEAD(&reports->running, report, link);
		reports->run_count++;
		reports->reporter->start(report);
	}
	reports->starting = false;
	if (reports->dropped && !reports->waiting_count) {
		pd_log(PD_LOG_WARN, "%u jobs were not reported (--on-finish): too many ended at once",
		       reports->dropped);
		reports->dropped = 0;
	}
}

void dm_report_end(struct dm_report *report)
{
	struct dm_reports *reports = report->reports;
	PD_ASSERT(reports->run_count > 0);
	TAILQ_REMOVE(&reports->running, report, link);
	reports->run_count--;
	if (!reports->starting)
		start_waiting(reports);
}

void dm_report_free(struct dm_report *report)
{
	if (report->reporter->release)
		report->reporter->release(report);
	pd_buf_fini(&report->text);
	free(report);
}

/* NULL without memory. */
static struct dm_report *report_new(struct dm_reports *reports, const struct sv_finished *finished)
{
	struct dm_report *report = calloc(1, reports->reporter->size);
	if (!report)
		return NULL;
	report->reports = reports;
	report->reporter = reports->reporter;
	report->job = finished->job;
	pd_buf_init(&report->text, TEXT_BYTES);
	bool prepared = reports->reporter->prepare(report, finished);
	pd_buf_put(&report->text, finished->json, finished->json_size);
	pd_buf_puts(&report->text, "\n");
	if (prepared && !report->text.failed)
		return report;
	dm_report_free(report);
	return NULL;
}

int dm_reports_init(struct dm_reports *reports, uv_loop_t *loop, const char *what, struct pd_fail *fail)
{
	*reports = (struct dm_reports){.loop = loop};
	TAILQ_INIT(&reports->waiting);
	TAILQ_INIT(&reports->running);
	if (!what)
		return PD_OK;
	reports->reporter = strstr(what, "://") ? &dm_webhook : &dm_finish_hook;
	return reports->reporter->init(reports, what, fail);
}

void dm_reports_finished(void *ctx, const struct sv_finished *finished)
{
	struct dm_reports *reports = ctx;
	PD_ASSERT(reports->reporter);
	struct dm_report *report = reports->waiting_count < DM_REPORTS_WAITING ? report_new(reports, finished) : NULL;
	if (!report) {
		reports->dropped++;
		return;
	}
	TAILQ_INSERT_TAIL(&reports->waiting, report, link);
	reports->waiting_count++;
	start_waiting(reports);
}

void dm_reports_close(struct dm_reports *reports)
{
	struct dm_report *report;
	unsigned lost = reports->waiting_count + reports->dropped;
	while ((report = TAILQ_FIRST(&reports->waiting)) != NULL) {
		TAILQ_REMOVE(&reports->waiting, report, link);
		dm_report_free(report);
	}
	while ((report = TAILQ_FIRST(&reports->running)) != NULL) {
		TAILQ_REMOVE(&reports->running, report, link);
		lost += !reports->reporter->abandon(report);
		report->reports = NULL;
	}
	if (lost)
		pd_log(PD_LOG_WARN, "the last %u job%s not reported (--on-finish): the server stops", lost,
		       lost == 1 ? " was" : "s were");
	reports->run_count = reports->waiting_count = reports->dropped = 0;
}
