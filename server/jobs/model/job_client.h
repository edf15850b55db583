/* Job clients: the jobs of each client that are not over, counted (proofd --jobs-per-client).
 *
 * A client is a name of the token file (common/tokens.h), which stands in the records of its jobs. Jobs submitted
 * without a token belong to the nameless client. A client exists while a job names it. Under the core's lock. */
#pragma once

#include <stdint.h>
#include <sys/queue.h>

struct sv_job_client {
	char *name;          /* owned; NULL of the nameless one */
	uint32_t jobs;       /* in the index */
	uint32_t open;       /* of them, those that are not over */
	uint32_t submitting; /* being submitted, and not in the index yet */
	LIST_ENTRY(sv_job_client) link;
};

struct sv_job_clients {
	struct sv_job_client nameless;
	LIST_HEAD(, sv_job_client) list; /* the others, in no order */
};

/* The client of that name (NULL: the nameless one); NULL when it has no jobs. */
struct sv_job_client *sv_client_find(struct sv_job_clients *clients, const char *name);
/* The same, made if necessary. NULL without memory. */
struct sv_job_client *sv_client_get(struct sv_job_clients *clients, const char *name);
/* Forgets it, unless it has jobs. */
void sv_client_put(struct sv_job_clients *clients, struct sv_job_client *client);
/* A submission of that client has ended, well or not. */
void sv_client_submitted(struct sv_job_clients *clients, const char *name);
void sv_clients_fini(struct sv_job_clients *clients);
