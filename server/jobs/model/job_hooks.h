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

struct sv_job_hooks {
	/* On the loop thread: a task of the job was carried out, or its checkpoint cannot be written. */
	void (*submitted)(struct sv_core *core, struct sv_job *job, const struct pd_fail *fail); /* NULL: on disk */
	void (*recorded)(struct sv_core *core, const struct sv_job_completion *completion);
	void (*removed)(struct sv_core *core, struct sv_job *job);
	/* On the writer thread: facts contradict each other, and that worker gave some of them. True: the core will be
	 * closed and opened again, and the job then resumes. */
	bool (*lied)(struct sv_core *core, uint32_t giver);
	/* On the search thread, at the end: the answer object of PROTOCOL.md. */
	int (*answer)(struct sv_core *core, struct st_reader *reader, const struct sv_ended *ended, struct pd_buf *out,
		      struct pd_fail *fail);
};
