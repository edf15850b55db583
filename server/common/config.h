/* Config: what a core is opened with (core.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SV_THREADS_MAX = 1024, SV_CHECK_S = 600 };

struct sv_cluster_config;
struct sv_game_dirs;
struct sv_tokens;

struct sv_config {
	const char *data;                     /* data directory; NULL: in memory */
	const struct sv_game_dirs *game_dirs; /* of plug-ins (plugins.h); NULL: none */
	unsigned plugin_timeout_s; /* a call into a plug-in that takes longer ends the process; 0: no limit */
	const char *graphs;        /* directory of andor:NAME graphs, NAME.graph or NAME.json each; NULL: none */
	unsigned threads;          /* search threads, at most SV_THREADS_MAX; 0: none (queries only) */
	bool only_workers;         /* a job that has workers on other machines is searched by them alone */
	double checkpoint_s;       /* seconds between checkpoints, 0.05..3600; default 2 */
	uint64_t disk_reserve;     /* bytes that must stay free on the disk of `data`: below that running jobs are
				      paused (jobs/queue/quota.h); 0: none */
	double slice_s;            /* seconds after which a running job gives way to a queued one of its priority
				      (scheduler.h); default 3600; 0: it runs to its end */
	double run_min_s;          /* minimum seconds that a job runs before it gives way to another; default 10 */
	uint64_t memory;           /* bytes that all running jobs together may reserve; 0: three quarters of what
				memory_bound.h finds; more is refused */
	int nice;                  /* of search threads, 0..19; default 19: they give way to everything else */
	unsigned keep_jobs;     /* finished jobs that are kept; the oldest beyond that are removed, but not their facts;
				0: all */
	uint64_t idle_tables;   /* bytes of transposition tables on disk of jobs that are exhausted or failed and may be
				 resumed; 0: no limit */
	uint64_t proofs_max;    /* bytes of certificates that are kept; 0: no limit */
	uint64_t identity;      /* in memory: the key that searches name positions with, so that a run can be repeated;
				0: a secret key is drawn. A data directory has its own */
	bool read_only;         /* open the directory for queries next to a running server: no jobs, no writing */
	const char *backup_dir; /* existing directory that server.backup writes to; NULL: none */
	const char *rules;      /* file or directory with rules of plug-in games for the checker; NULL: none */
	const char *proofcheck; /* path of the checker of certificates; NULL: next to this program, if it is there */
	const char *experiments;        /* directory of suites that clients may run; NULL: they run none */
	const char *proofctl;           /* path of the program that runs them; NULL: next to this program */
	uint64_t experiment_memory;     /* bytes of private memory of each process of an experiment; 0: no limit */
	unsigned check_s;               /* seconds of processor time that a check may take; 0: no limit */
	const struct sv_tokens *tokens; /* of clients over TCP (tokens.h), copied; NULL: these have the role submit */
	unsigned jobs_max;              /* jobs that are not over; more are refused; 0: no limit */
	unsigned jobs_per_client;       /* the same for one client (job_group.h), unless its role is admin */
	unsigned rate;                  /* requests a second of one connection; 0: no limit */
	bool public;                    /* clients over TCP have the role public; needs `read_only` */
	const struct sv_cluster_config *cluster; /* workers on other machines (cluster/cluster.h); NULL: none */
	bool reopens;                            /* its host opens the core again when a worker has lied (core.h) */
	/* Called now and then while opening takes long (maintenance/lies.h), by one thread at a time; NULL: none. */
	void (*patience)(void *ctx);
	void *patience_ctx;
};

/* Fills in the defaults. */
void sv_config_init(struct sv_config *config);
