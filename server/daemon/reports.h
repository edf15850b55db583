/* Reports: tells the operator's program (finish_hook.c) or a URL of this machine (webhook.c) that a job has ended or is
 * paused because of trouble (--on-finish).
 *
 * At most DM_REPORTS_AT_ONCE reports are under way; others wait, up to DM_REPORTS_WAITING. Failures are only logged.
 * All of this belongs to the loop thread, and nothing blocks.
 *
 * The program gets no arguments, but PROOFD_JOB, PROOFD_STATE, PROOFD_GAME, PROOFD_VALUE and PROOFD_REASON in its
 * environment, the job as a line of JSON on stdin, and the server's stderr. Its process group is killed after DM_HOOK_S
 * seconds.
 *
 * A URL gets a POST with the job as JSON on a connection of its own. The report is delivered when the answer has a
 * status of 200 to 299. Otherwise it is tried DM_WEBHOOK_TRIES times with growing pauses, except after a status of 300
 * to 499 other than 408 and 429. So the receiver may get a report twice. Each try lasts at most DM_WEBHOOK_S seconds.
 * Only loopback addresses are accepted: there is neither TLS nor authentication. */
#pragma once

#include <sys/queue.h>
#include <uv.h>

#include "proto/base/buf.h"
#include "server/core.h"

enum { DM_REPORTS_AT_ONCE = 4, DM_REPORTS_WAITING = 1000, DM_HOOK_S = 60, DM_WEBHOOK_TRIES = 4, DM_WEBHOOK_S = 5 };

struct dm_reports;

/* One report, waiting or under way: the first member of its reporter's struct. */
struct dm_report {
	struct dm_reports *reports; /* NULL once they are closed */
	const struct dm_reporter *reporter;
	uint32_t job;
	struct pd_buf text; /* owned: what is sent */
	TAILQ_ENTRY(dm_report) link;
};
TAILQ_HEAD(dm_report_list, dm_report);

/* How reports are sent. */
struct dm_reporter {
	size_t size; /* of its struct */
	/* Checks the value of --on-finish and keeps it in `reports`. PD_E_USAGE, PD_E_UNSUPPORTED. */
	int (*init)(struct dm_reports *reports, const char *what, struct pd_fail *fail);
	/* Prepares a report whose base is set. False without memory; `release` follows. */
	bool (*prepare)(struct dm_report *report, const struct sv_finished *finished);
	/* Begins to send; dm_report_end follows, now or later. */
	void (*start)(struct dm_report *report);
	/* The server stops: ends at once, or leaves alone what was begun. False: the report is lost. */
	bool (*abandon)(struct dm_report *report);
	void (*release)(struct dm_report *report); /* frees what it owns; NULL: nothing */
};

struct dm_reports {
	uv_loop_t *loop;
	const struct dm_reporter *reporter; /* NULL: no reports */
	const char *target;                 /* borrowed: the program, or the path of the URL ("" is "/") */
	struct sockaddr_storage address;    /* of the URL, like the next member */
	char where[80];                     /* HOST:PORT, for the header and the log */
	char scratch[4096];                 /* read buffer of all connections */
	struct dm_report_list waiting, running;
	unsigned run_count, waiting_count, dropped; /* dropped: not logged yet */
	bool starting;
};

/* `what`: the value of --on-finish, borrowed; NULL: none. PD_E_USAGE or PD_E_UNSUPPORTED with field "on-finish" unless
 * it is an executable file or an accepted URL. */
int dm_reports_init(struct dm_reports *reports, uv_loop_t *loop, const char *what, struct pd_fail *fail);
/* For sv_core_on_finish, with the reports as ctx. */
void dm_reports_finished(void *ctx, const struct sv_finished *finished);
/* Drops the reports that are not sent, and logs their number; leaves running programs alone. The loop has to run once
 * more. */
void dm_reports_close(struct dm_reports *reports);

/* For reporters: the report is sent or given up; and all its handles are closed. */
void dm_report_end(struct dm_report *report);
void dm_report_free(struct dm_report *report);
extern const struct dm_reporter dm_finish_hook, dm_webhook;
