/* Webhook: tells a program of this machine by HTTP when a job has ended, or waits because of trouble (--on-finish with
 * a URL).
 *
 * Each is a POST with the job as JSON, on a connection of its own, and is delivered when the answer has a status of
 * 200 to 299. What cannot be delivered is tried DM_WEBHOOK_TRIES times, with longer and longer rests, unless the answer
 * says that it would not help: a status of 300 to 499, but for 408 and 429. Then one line of the log says so. So the
 * receiver may get one twice. At most DM_WEBHOOK_POSTS are under way at a time, tries and rests included, and each try
 * lasts at most DM_WEBHOOK_S seconds; others wait for their turn, up to DM_WEBHOOK_WAITING. Nothing here waits: it is
 * the loop thread's.
 *
 * Only loopback addresses are taken: there is neither TLS nor anything that proves who asks. */
#ifndef DM_WEBHOOK_H
#define DM_WEBHOOK_H

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
	char where[80];                 /* HOST:PORT, for the header and for the log */
	const char *path;               /* borrowed: "/..." to the end of the URL; "" is "/" */
	STAILQ_HEAD(, dm_post) waiting; /* in the order of their events */
	LIST_HEAD(dm_post_list, dm_post) running;
	unsigned run_count, waiting_count, dropped; /* dropped: and not told of yet */
	char scratch[4096];                         /* what is read, of all connections */
};

/* Whether the value of --on-finish is a URL of any kind. */
bool dm_webhook_is_url(const char *value);
/* The URL is borrowed. PD_E_USAGE or PD_E_UNSUPPORTED with field "on-finish" unless it is one that is taken. */
int dm_webhook_init(struct dm_webhook *hook, uv_loop_t *loop, const char *url, struct pd_fail *fail);
/* For sv_core_on_finish, with the webhook as ctx. Sends it, now or later; never waits. */
void dm_webhook_finished(void *ctx, const struct sv_finished *finished);
/* Forgets all that is not delivered, and logs how many; the loop has to turn once more. */
void dm_webhook_close(struct dm_webhook *hook);

#endif
