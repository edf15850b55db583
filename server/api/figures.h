/* Figures: what a monitor wants to know of a core, at one moment. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/job_states.h"
#include "server/api/request_counts.h"

struct sv_core;

enum {
	SV_JOB_FIGURES_MAX = 64, /* running jobs that are told one by one; others are only counted */
	SV_COMMIT_BUCKETS_MAX = 16
};

#define SV_COUNT_STATE(...) +1
enum { SV_FIGURE_STATES = 0 PR_JOB_STATES(SV_COUNT_STATE) };

/* A job that is being searched. */
struct sv_job_figures {
	uint32_t job;      /* its number */
	double rate;       /* nodes a second, lately */
	uint32_t pn, dn;   /* of the root for the claim in work; UINT32_MAX stands for infinite */
	uint64_t nodes;    /* searched for it, over all restarts */
	uint64_t entries;  /* of its transposition table */
	uint64_t capacity; /* entries that the table has room for */
	uint64_t facts;    /* found by its solver */
	uint64_t memory;   /* bytes reserved for it */
	double seconds;    /* searched, over all restarts */
};

/* What jobs have to leave free (jobs/queue/quota.h), at the last look, which was about a second ago. */
struct sv_quota_figures {
	const char *lack;      /* what is short: "none", "disk", "memory". Static */
	char text[200];        /* why, as a sentence; "" when nothing is */
	uint64_t disk, memory; /* jobs on hold until there is room on the disk; until there is memory */
};

/* The workers on other machines, all together (cluster/cluster.h says more of each). */
struct sv_cluster_figures {
	bool connected;
	uint64_t workers, threads; /* that are there */
	uint64_t out, waiting;     /* tasks with workers; leaves that wait for one */
	uint64_t tasks, results, late, sent_again, cancelled, verified, refuted, banned, nodes;
	double cpu_s, coordinator_s; /* seconds of processor time: of workers; of the thread that hands out tasks */
	uint64_t grain;              /* nodes, the latest */
};

/* Bytes. */
struct sv_memory_figures {
	uint64_t reserved, limit; /* of running jobs; what they may have together */
	uint64_t resident;        /* of the process */
	uint64_t bound;           /* that it may have: machine, control group, limits */
};

struct sv_store_figures {
	uint64_t facts, memtable, runs;
	uint64_t work_bytes, facts_bytes; /* of the two files; 0 in memory */
	uint64_t disk_free;               /* bytes */
	bool on_disk;
	uint64_t commits, commit_failures;
	int commit_error; /* of the latest commit; PD_OK: it went well */
	uint64_t commit_ns_sum;
	unsigned commit_buckets; /* commits by duration, each counted once: at most commit_bound_us[i] microseconds; the
				    last bucket holds those that took longer */
	uint64_t commit_bucket[SV_COMMIT_BUCKETS_MAX];
	uint32_t commit_bound_us[SV_COMMIT_BUCKETS_MAX];
};

struct sv_figures {
	uint64_t jobs[SV_FIGURE_STATES]; /* in each state, in the order of PR_JOB_STATES */
	uint64_t jobs_in_trouble;        /* paused because a checkpoint cannot be written for now */
	struct sv_quota_figures quota;
	uint64_t threads, searching; /* search threads; those that search */
	uint64_t nodes;              /* searched since the start */
	uint64_t sessions;           /* clients that are served */
	uint64_t sessions_total;     /* since the start */
	uint64_t tasks;              /* that wait for the writer */
	struct sv_memory_figures memory;
	struct sv_store_figures store;
	const struct sv_request_counts *requests; /* the loop thread's; borrowed */
	double uptime_s;
	bool stopping;
	bool read_only;

	bool has_cluster; /* workers of other machines; without it the next one is empty */
	struct sv_cluster_figures cluster;

	unsigned job_count;
	struct sv_job_figures job[SV_JOB_FIGURES_MAX];
};

/* For the loop thread. */
void sv_quota_figures(struct sv_core *core, struct sv_quota_figures *out);
/* For the loop thread. Reads /proc and asks the file system for its free space, so it takes some ten microseconds. */
void sv_figures(struct sv_core *core, struct sv_figures *out);
