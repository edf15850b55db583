/* Run: what the search thread that has a job knows of its search. */
#pragma once

#include "server/jobs/model/job.h"
#include "server/jobs/run/own_facts.h"
#include "server/jobs/run/remote_driver.h"
#include "server/jobs/run/search_group.h"

struct sv_core;

/* Time and work of the run, and of the job's earlier ones. */
struct sv_run_meter {
	uint64_t start_ns;                 /* of this run */
	uint64_t work_before;              /* table entries and facts of the job when the run began */
	double seconds_before, cpu_before; /* of earlier runs; cpu: processor seconds */
	uint64_t searched_ns;              /* of this one */
	uint64_t cpu_ns;                   /* of this one's leader */
	uint64_t rate_ns, rate_nodes;      /* when the rate was last measured */
};

/* The journal of changed entries of the table, and the snapshot that is to replace it. */
struct sv_run_journal {
	uint64_t entries; /* written since the last snapshot began */
	bool snapshotting;
	uint64_t cursor; /* of the snapshot */
};

/* How loading the table went. */
enum sv_loading { SV_LOADED, SV_TABLE_DAMAGED, SV_TABLE_TOO_LARGE /* for the memory there is */ };

/* One search of a job, from taking it to its last record. It belongs to its leader, the search thread that has the job;
 * what others may see of it is published in job->run. */
struct sv_run {
	struct sv_core *core;
	struct sv_job *job;
	struct game *game;
	struct sv_lookup lookup; /* its game has no number before its first facts */
	struct sv_own_facts own; /* used when one thread searches alone */
	struct pn_solver *solver;
	struct pd_id question; /* what the table's entries mean */
	struct sv_search_group group;
	struct sv_remote remote;
	bool in_round;                /* a round of the search group is under way */
	uint8_t *state;               /* the root */
	uint64_t slice;               /* nodes */
	struct sv_memory_pacer pacer; /* the leader's */
	uint64_t due_ns;              /* of the next checkpoint */
	uint64_t event_ns;            /* when the next point of the history is due */
	struct sv_run_meter meter;
	struct sv_run_journal journal;
	enum sv_loading loading;
	uint64_t memory_most; /* bytes that the process may have while the table is loaded */
	bool still;           /* nothing was searched in the last step, for lack of memory */
	bool hold;            /* its tables keep their size for now, for lack of memory */
};
