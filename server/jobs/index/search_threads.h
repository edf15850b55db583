/* Search threads: what they have in common (run/search_thread.h). */
#pragma once

#include <pthread.h>

#include "server/jobs/model/job.h"

/* The resource that is short now (queue/quota.h). Under the lock. */
struct sv_quota {
	enum sv_hold hold;               /* the resource; SV_HOLD_NONE: nothing is short */
	char text[200];                  /* reason, as a complete sentence */
	const struct sv_job *leave;      /* the running job to pause for lack of memory; NULL: none */
	bool on_hold;                    /* there may be jobs on hold */
	unsigned waiting[SV_HOLD_COUNT]; /* jobs on hold for each reason, when last counted */
	uint64_t release_ns;             /* when the next job that waits for memory may go on */
	uint64_t groups;                 /* bytes that the control groups allow; 0: not read yet */
	uint64_t groups_ns;              /* when they are read next */
	uint64_t due_ns;                 /* time of the next measurement */
};

/* The search threads' part of the core. Under the lock, except `threads` and `count`. */
struct sv_search_threads {
	pthread_cond_t work;             /* there may be a job to take or to join */
	pthread_cond_t moved;            /* searching or helping has changed */
	pthread_cond_t picture_made;     /* a picture was made, or will not be (run/picture_request.h) */
	LIST_HEAD(, sv_job) running;     /* jobs that a search thread works on */
	const struct sv_job *giving_way; /* the job that is ending its run for another one; NULL: none */
	unsigned searching;              /* threads that search a job of their own */
	unsigned helping;                /* threads that help in another one's search group */
	uint64_t reserved;               /* bytes of memory given to running jobs, and to a table that is built */
	struct sv_quota quota;           /* the writer thread sets it */
	uint64_t nodes;                  /* searched since start */
	bool stop;                       /* end the runs, and begin no others */
	pthread_t *threads;              /* owned */
	unsigned count, count_max;       /* threads started; threads wanted, set before the first one starts */
};

/* Under the lock: adds to the numbers of threads that search a job of their own and that help another one. */
void sv_search_threads_count(struct sv_search_threads *threads, int searching, int helping);
void sv_search_threads_init(struct sv_search_threads *threads);
void sv_search_threads_fini(struct sv_search_threads *threads);
