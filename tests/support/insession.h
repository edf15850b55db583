/* In-session: a core in this process with one session, for tests. Waits for the core's wake-up, never for time. */
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
	char *lines[256]; /* received, not yet read */
	unsigned first, count;
	size_t backlog; /* bytes that the sink claims to have queued */
	bool hung_up;   /* the core wants the connection closed */
	unsigned next_id;
};

/* dir NULL: in memory. Aborts if the core cannot be opened. */
void insession_open(struct insession *s, const char *dir, unsigned threads, double checkpoint_s);
void insession_open_as(struct insession *s, const struct sv_config *config);
void insession_close(struct insession *s);
/* Sends a call (params: JSON of the object's members, "" for none) and waits for its reply; drops notifications before
 * it. The caller frees the reply with pr_doc_free; *result is the result, or the error with *ok false. */
struct pr_doc *insession_call(struct insession *s, const char *method, const char *params, bool *ok, pr_ref *result);
/* Sends a line without waiting. */
void insession_send(struct insession *s, const char *line);
/* Waits for the next line; the caller frees it. */
char *insession_line(struct insession *s);
/* The state of a job, as text in `out` (16 bytes). */
void insession_state(struct insession *s, unsigned job, char *out);
/* Waits until the job's state is not queued or running. */
void insession_wait(struct insession *s, unsigned job, char *state);

/* The new job. The test fails if the job is refused. */
unsigned insession_submit(struct insession *s, const char *params);
/* Calls a method; 0, or the code of its error. insession_on_job adds `job` to the params, then `more` (such as
 * ",\"priority\":1"). */
int64_t insession_code(struct insession *s, const char *method, const char *params);
int64_t insession_on_job(struct insession *s, const char *method, unsigned job, const char *more);
/* The job has the state now; waits until it has the state; has it when it is neither queued nor running. */
void insession_assert_state(struct insession *s, unsigned job, const char *wanted);
void insession_wait_state(struct insession *s, unsigned job, const char *wanted);
void insession_assert_ends(struct insession *s, unsigned job, const char *wanted);

/* Makes a directory under TMPDIR or /tmp, whose `path` has room for 64 bytes; removes it with its files. */
void scratch_dir(char *path);
void scratch_remove(const char *path);
/* The same with its subdirectories, one level deep. */
void scratch_remove_all(const char *path);
