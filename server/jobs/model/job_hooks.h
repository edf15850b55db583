/* Job hooks: the functions of the folders above jobs/ that jobs call. core.c fills them in. */
#pragma once

#include "server/jobs/model/job.h"

struct st_reader;
struct sv_core;

/* A search that has ended, on its search thread; all borrowed. */
struct sv_ended {
	const struct sv_job *job;
	const struct game *game;
	const void *state; /* the root's position */
	const struct pn_answer *answer;
	const struct pn_progress *progress;
};

/* A fact that a job has found contradicts another one; all borrowed. */
struct sv_conflict {
	const struct game *game;
	const uint8_t *key; /* of the position */
	uint16_t size;
	struct pd_reason stored, found; /* `stored` may be of the same checkpoint */
};

struct sv_job_hooks {
	/* On the loop thread: a task of the job was carried out, or its checkpoint cannot be written. */
	void (*submitted)(struct sv_core *core, struct sv_job *job, const struct pd_fail *fail); /* NULL: on disk */
	void (*recorded)(struct sv_core *core, const struct sv_job_completion *completion);
	void (*removed)(struct sv_core *core, struct sv_job *job);
	/* On the writer thread. True: the core will be closed and opened again without what workers gave, and the job
	 * then resumes. */
	bool (*contradicted)(struct sv_core *core, const struct sv_conflict *what);
	/* On the search thread, at the end: the answer object of PROTOCOL.md. */
	int (*answer)(struct sv_core *core, struct st_reader *reader, const struct sv_ended *ended, struct pd_buf *out,
		      struct pd_fail *fail);
};
