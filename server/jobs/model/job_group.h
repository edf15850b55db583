/* Job groups: jobs that a client has given one name, and how many of them may run at once.
 *
 * A group exists while a job names it (option `group` of job.submit) or it has settings: a limit, or being paused.
 * Settings are durable: a line `@NAME LIMIT PAUSED` each in the note that the store keeps next to the jobs
 * (removed_jobs.h). Jobs without a group are in the nameless one, which has no settings.
 *
 * Under the core's lock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "server/common/completion.h"
#include "server/jobs/model/job_set.h"

struct sv_job;
struct sv_removed_jobs;

enum {
	SV_GROUP_NAME_MAX = 32, /* bytes */
	SV_GROUPS_MAX = 500,    /* groups that requests can make or set; a directory may have more */
	SV_GROUP_LIMIT_MAX = 1024
};

struct sv_group_settings {
	unsigned limit; /* jobs that may run at once; 0: any number */
	bool paused;    /* none may run */
};

struct sv_job_group {
	char *name; /* owned; NULL for the nameless one */
	struct sv_group_settings settings;
	struct sv_job_set set;    /* its jobs in the index */
	uint32_t queued, running; /* those of them that are queued; those that a search thread has */
	unsigned pins;            /* changes of its settings, and submissions of its jobs, that are under way */
	struct sv_job *queue;     /* the root of the queued ones (job_index.c) */
	LIST_ENTRY(sv_job_group) link;
};

struct sv_job_groups {
	struct sv_job_group nameless;
	LIST_HEAD(, sv_job_group) list; /* the others, in order of their names */
	unsigned count;
};

/* A change of a group's settings, from a request to the writer and back. */
struct sv_group_change {
	struct sv_completion base;         /* its `deliver` belongs to the requester, and frees the change */
	struct sv_job_group *group;        /* pinned */
	int64_t limit;                     /* -1: unchanged */
	int paused;                        /* -1: unchanged */
	struct sv_group_settings settings; /* the new settings, set by the writer */
	struct pd_fail fail;               /* code 0: it is on disk */
};

/* A name is 1 to SV_GROUP_NAME_MAX letters, digits, dots, hyphens or underscores. PD_E_PARAMS with that field, which is
 * `what` it names: "group" or "tag". */
int sv_group_name_check(const char *name, const char *what, struct pd_fail *fail);
struct sv_job_group *sv_group_find(const struct sv_job_groups *groups, const char *name);
/* The group of that name (NULL: the nameless one), made if necessary. NULL without memory. */
struct sv_job_group *sv_group_get(struct sv_job_groups *groups, const char *name);
/* Forgets a group that has no jobs, no settings and no change under way. sv_group_unpin ends a change first. */
void sv_group_put(struct sv_job_groups *groups, struct sv_job_group *group);
void sv_group_unpin(struct sv_job_groups *groups, struct sv_job_group *group);
void sv_groups_fini(struct sv_job_groups *groups);
/* Takes the settings from a directory's note. False without memory. */
bool sv_groups_restore(struct sv_job_groups *groups, const struct sv_removed_jobs *note);
/* Writes settings into the note. False without memory, and then nothing has changed; this cannot happen to a group that
 * is in the note. */
bool sv_group_note(struct sv_removed_jobs *note, const char *name, struct sv_group_settings settings);

/* --- clients ------------------------------------------------------------------------------ */

/* The jobs of each client that are not over, counted (proofd --jobs-per-client). A client is a name of the token file
 * (common/tokens.h), which is part of the records of its jobs. Jobs submitted without a token belong to the nameless
 * client. A client exists while a job names it. */
struct sv_job_client {
	char *name;          /* owned; NULL for the nameless one */
	uint32_t jobs;       /* in the index */
	uint32_t open;       /* those of them that are not over */
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
/* A submission of that client has ended, successfully or not. */
void sv_client_submitted(struct sv_job_clients *clients, const char *name);
void sv_clients_fini(struct sv_job_clients *clients);
