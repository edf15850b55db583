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
	uint32_t job;               /* its number */
	uint32_t pn, dn;            /* of the root for the claim in work; UINT32_MAX: infinite */
	char game[61];              /* the beginning of its name */
	const char *state;          /* static */
	double rate;                /* recent nodes per second */
	uint64_t nodes;             /* searched for it, including before restarts */
	double seconds;             /* likewise */
	uint64_t entries, capacity; /* of its transposition table */
	uint64_t facts;             /* found by its solver */
	uint64_t memory;            /* bytes reserved for it */
};

/* What jobs have to leave free (jobs/queue/quota.h), as measured up to a second ago. */
struct sv_quota_figures {
	const char *lack;      /* what is short: "none", "disk", "memory". Static */
	char text[200];        /* why, as a sentence; "" when nothing is */
	uint64_t disk, memory; /* jobs on hold until there is room on the disk; until there is memory */
};

/* Bytes. */
struct sv_memory_figures {
	uint64_t reserved, limit; /* of running jobs; of all of them together at most */
	uint64_t resident;        /* of the process */
	uint64_t bound;           /* of the process at most: machine, control group, limits */
};

struct sv_figures {
	uint64_t jobs[SV_FIGURE_STATES]; /* in each state, in the order of PR_JOB_STATES */
	uint64_t jobs_in_trouble;        /* paused because a checkpoint cannot be written for now */
	struct sv_quota_figures quota;
	uint64_t threads, searching; /* search threads; those that search */
	uint64_t running;            /* jobs */
	double rate;                 /* of all running jobs: nodes per second */
	uint64_t nodes;              /* searched since the start */
	uint64_t sessions;           /* of clients */
	uint64_t tasks;              /* that wait for the writer */
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

/* For the loop thread. Reads /proc and asks the file system for its free space, so it takes some ten microseconds. */
void sv_figures(struct sv_core *core, struct sv_figures *out);
