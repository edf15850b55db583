/* Webhook: reports to a program of this machine by HTTP when a job has ended, or is paused because of trouble
 * (--on-finish with a URL).
 *
 * Each report is a POST with the job as JSON on a connection of its own, and is delivered when the answer has a status
 * of 200 to 299. Otherwise it is tried DM_WEBHOOK_TRIES times with growing rests, except after a status of 300 to 499
 * other than 408 and 429; then it is logged. So the receiver may get a report twice. At most DM_WEBHOOK_POSTS are under
 * way at a time, tries and rests included, and each try lasts at most DM_WEBHOOK_S seconds; others wait, up to
 * DM_WEBHOOK_WAITING. It is the loop thread's, and never waits.
 *
 * Only loopback addresses are accepted: there is neither TLS nor authentication. */
#pragma once

#include <stdbool.h>
#include <sys/queue.h>
#include <uv.h>

#include "proto/base/error.h"
#include "server/core.h"

enum { DM_WEBHOOK_POSTS = 4, DM_WEBHOOK_TRIES = 4, DM_WEBHOOK_S = 5, DM_WEBHOOK_WAITING = 1000 };

struct dm_post;

struct dm_webhook {
	uv_loop_t *loop;
	struct sockaddr_storage address;
	char where[80];                 /* HOST:PORT, for the header and the log */
	const char *path;               /* borrowed: "/..." to the end of the URL; "" is "/" */
	STAILQ_HEAD(, dm_post) waiting; /* in the order of their events */
	LIST_HEAD(dm_post_list, dm_post) running;
	unsigned run_count, waiting_count, dropped; /* dropped: not logged yet */
	char scratch[4096];                         /* for reading, of all connections */
};

/* Whether the value of --on-finish is a URL of any kind. */
bool dm_webhook_is_url(const char *value);
/* The URL is borrowed. PD_E_USAGE or PD_E_UNSUPPORTED with field "on-finish" unless it is accepted. */
int dm_webhook_init(struct dm_webhook *hook, uv_loop_t *loop, const char *url, struct pd_fail *fail);
/* For sv_core_on_finish, with the webhook as ctx. Sends the report now or later; never waits. */
void dm_webhook_finished(void *ctx, const struct sv_finished *finished);
/* Forgets what is not delivered, and logs how many; the loop has to turn once more. */
void dm_webhook_close(struct dm_webhook *hook);
