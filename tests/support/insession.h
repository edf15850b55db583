/* In-session: a core in this process and one session on it, for tests. Waits on the core's own wake-up, never on time.
 */
#pragma once

#include <pthread.h>

#include "proto/doc.h"
#include "server/core.h"

struct insession {
	struct sv_core *core;
	struct sv_session *session;
	pthread_mutex_t lock;
	pthread_cond_t woken;
	bool wake;
	char *lines[256]; /* received and not read yet, in order */
	unsigned first, count;
	size_t backlog; /* what the sink claims to have queued */
	bool hung_up;   /* the core wants the connection closed */
	unsigned next_id;
};

/* dir NULL: in memory. Aborts when the core cannot be opened. */
void insession_open(struct insession *s, const char *dir, unsigned threads, double checkpoint_s);
void insession_open_as(struct insession *s, const struct sv_config *config);
void insession_close(struct insession *s);
/* Sends a call (params: JSON of the object's members, "" for none) and waits for its reply; notifications before it are
 * dropped. To be freed with pr_doc_free; *result is the result, or the error with *ok false. */
struct pr_doc *insession_call(struct insession *s, const char *method, const char *params, bool *ok, pr_ref *result);
/* Sends a line without waiting. */
void insession_send(struct insession *s, const char *line);
/* The next line received, waiting for it; to be freed. */
char *insession_line(struct insession *s);
/* The state of a job, as text in `out` (16 bytes). */
void insession_state(struct insession *s, unsigned job, char *out);
/* Waits until the job's state is not queued or running. */
void insession_wait(struct insession *s, unsigned job, char *state);

/* The test fails when it is refused; the new job. */
unsigned insession_submit(struct insession *s, const char *params);
/* Calls a method; 0, or the code of its error. The second one with `job` among the params, and `more` behind it (such
 * as ",\"priority\":1"). */
int64_t insession_code(struct insession *s, const char *method, const char *params);
int64_t insession_on_job(struct insession *s, const char *method, unsigned job, const char *more);
/* The job's state is that one; it is that one some time; it is that one when it is neither queued nor running. */
void insession_assert_state(struct insession *s, unsigned job, const char *wanted);
void insession_wait_state(struct insession *s, unsigned job, const char *wanted);
void insession_assert_ends(struct insession *s, unsigned job, const char *wanted);

/* A fresh directory under TMPDIR, or /tmp; `path` has room for 64 bytes. And its end, files included. */
void scratch_dir(char *path);
void scratch_remove(const char *path);
/* Likewise, with the directories in it, one level deep. */
void scratch_remove_all(const char *path);
