/* Search threads: what they have in common (run/search_thread.h). */
#pragma once

#include <pthread.h>

#include "server/jobs/model/job.h"

/* What is short now (queue/quota.h). Under the lock. */
struct sv_quota {
	enum sv_hold hold;               /* what is short; SV_HOLD_NONE: nothing */
	char text[200];                  /* why, as a sentence */
	const struct sv_job *leave;      /* the running job to pause for want of memory; NULL: none */
	bool on_hold;                    /* there may be jobs on hold */
	unsigned waiting[SV_HOLD_COUNT]; /* how many are, for each reason, at the last look */
	uint64_t release_ns;             /* when the next job that waits for memory may go on */
	uint64_t groups, groups_ns; /* bytes that the control groups allowed lately, 0: not looked yet; the next look */
	uint64_t due_ns;            /* of the next look */
};

/* The search threads' part of the core. Under the lock, except `threads` and `count`. */
struct sv_search_threads {
	pthread_cond_t work;  /* a job may be there to be taken, or joined */
	pthread_cond_t moved; /* a worker has begun or ended a job, joined or left one: searching or helping changed */
	pthread_cond_t picture_made;     /* or will not be made (run/picture_request.h) */
	LIST_HEAD(, sv_job) running;     /* jobs that a search thread is in */
	const struct sv_job *giving_way; /* ends its run for the sake of another; NULL: none does */
	unsigned searching;              /* threads that search a job of their own */
	unsigned helping;                /* threads in another's search group */
	uint64_t reserved;               /* bytes of memory given to running jobs */
	struct sv_quota quota;           /* the writer thread sets it */
	uint64_t nodes;                  /* searched since start */
	bool stop;                       /* end the runs, and begin no others */
	pthread_t *threads;              /* owned */
	unsigned count, count_max;       /* threads started; wanted, from before the first is started */
};

/* Under the lock: so many more, or fewer, search a job of their own, or help another thread. */
void sv_search_threads_count(struct sv_search_threads *threads, int searching, int helping);
void sv_search_threads_init(struct sv_search_threads *threads);
void sv_search_threads_fini(struct sv_search_threads *threads);
