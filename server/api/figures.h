/* Figures: what a core does at one moment, for monitors, server.stats and the status of the daemon. */
#pragma once

#include "proto/job_states.h"
#include "server/api/request_counts.h"
#include "server/cluster/cluster_types.h"
#include "store/store_types.h"

struct sv_core;

enum { SV_JOB_FIGURES_MAX = 64 /* running jobs listed one by one; others are only counted */ };

#define SV_COUNT_STATE(...) +1
enum { SV_FIGURE_STATES = 0 PR_JOB_STATES(SV_COUNT_STATE) };

/* A job that is being searched. */
struct sv_job_figures {
	uint32_t job;      /* its number */
	uint32_t pn, dn;   /* proof and disproof number of the root for the current claim; UINT32_MAX: infinite */
	char game[61];     /* the beginning of its name */
	const char *state; /* static */
	double rate;       /* recent nodes per second */
	uint64_t nodes;    /* searched for it, including before restarts */
	double seconds;    /* likewise */
	uint64_t entries, capacity; /* of its transposition table */
	uint64_t facts;             /* found by its solver */
	uint64_t memory;            /* bytes reserved for it */
};

/* Disk and memory that jobs must leave free (jobs/queue/quota.h), as measured up to a second ago. */
struct sv_quota_figures {
	const char *lack;      /* what is short: "none", "disk", "memory". Static */
	char text[200];        /* why, as a sentence; "" when nothing is */
	uint64_t disk, memory; /* jobs on hold for lack of disk space; for lack of memory */
};

/* Bytes. */
struct sv_memory_figures {
	uint64_t reserved, limit; /* by running jobs; limit for all of them together */
	uint64_t resident;        /* of the process */
	uint64_t bound;           /* limit of the process by machine, control group and resource limits */
};

struct sv_figures {
	uint64_t jobs[SV_FIGURE_STATES]; /* in each state, in the order of PR_JOB_STATES */
	uint64_t jobs_in_trouble;        /* paused because a checkpoint cannot be written for now */
	struct sv_quota_figures quota;
	uint64_t threads, searching; /* search threads; how many of them search */
	uint64_t running;            /* jobs */
	double rate;                 /* of all running jobs: nodes per second */
	uint64_t nodes;              /* searched since the start */
	uint64_t sessions;           /* of clients */
	uint64_t tasks;              /* waiting for the writer */
	struct sv_memory_figures memory;
	struct st_stats store;
	bool on_disk;                             /* the store is not in memory */
	const struct sv_request_counts *requests; /* the loop thread's; borrowed */
	double uptime_s;
	bool stopping, read_only;
	bool has_cluster; /* workers on other machines; without them the next member is empty */
	struct sv_cluster_view cluster;
	unsigned job_count;
	struct sv_job_figures job[SV_JOB_FIGURES_MAX];
};

/* For the loop thread. Reads /proc and asks the file system for its free space, so it takes tens of microseconds. */
void sv_figures(struct sv_core *core, struct sv_figures *out);
