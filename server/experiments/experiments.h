/* Experiments: suites of questions (clients/SUITE.md) that clients have the server run, one at a time, by
 * `proofctl suite run` as a process of its own.
 *
 * Each has a folder, DIR/experiments/NUMBER in the data directory (experiment_files.h). A client names none of its
 * files: numbers are given here, and suites of the operator are found in a list of his directory. What a killed server
 * has not finished is continued by the next: the results say which runs are missing. A thread of its own runs them; all
 * functions may be called by any thread, and those that use the disk say so. */
#pragma once

#include "proto/out.h"
#include "server/common/config.h"
#include "server/experiments/experiment_files.h"

struct sv_experiments;

enum {
	SV_EXPERIMENTS_MAX = 200,
	SV_REPORT_BYTES_MAX = 8 << 20 /* of a report, which is sent as a text of JSON */
};

/* Reads the folders, and starts the thread. *out is NULL where the configuration has no experiments, or the core only
 * reads. PD_E_USAGE with field "experiments", PD_E_IO, PD_E_NO_MEMORY. */
int sv_experiments_open(const struct sv_config *config, struct sv_experiments **out, struct pd_fail *fail);
/* Ends the run; the next server goes on with it. NULL is fine. */
void sv_experiments_close(struct sv_experiments *e);

/* Who waits for an answer that a process has to make: it is killed when this returns false. */
struct sv_asker {
	bool (*go_on)(void *ctx);
	void *ctx;
};

/* What a client wants run. */
struct sv_experiment_order {
	struct sv_asker asker;
	const char *title, *client; /* "": none */
	pr_ref suites;              /* names of suites of the operator, an array; may be missing */
	const char *text;           /* lines of a suite, which follow them; "": none */
};
/* Makes an experiment, checks it with `proofctl suite check`, and queues it: it is on disk then. PD_E_NOT_FOUND and
 * PD_E_PARAMS name the parameter at fault. The disk. */
int sv_experiment_start(struct sv_experiments *e, const struct sv_experiment_order *order,
			struct sv_experiment_state *out, struct pd_fail *fail);
/* Copies what is known of it. PD_E_NOT_FOUND with field "experiment". */
int sv_experiment_get(struct sv_experiments *e, int64_t number, struct sv_experiment_state *out, struct pd_fail *fail);
/* Copies at most SV_EXPERIMENTS_MAX of them, in the order of their numbers; returns how many there are. */
unsigned sv_experiments_list(struct sv_experiments *e, struct sv_experiment_state *out);
/* Ends one that waits or runs, or queues one that was stopped or has failed. PD_E_STATE; PD_E_IO. The disk. */
int sv_experiment_stop(struct sv_experiments *e, int64_t number, struct pd_fail *fail);
int sv_experiment_resume(struct sv_experiments *e, int64_t number, struct pd_fail *fail);
/* Removes one that has ended, with its files. PD_E_STATE; PD_E_IO. The disk. */
int sv_experiment_remove(struct sv_experiments *e, int64_t number, struct pd_fail *fail);
/* Appends what `proofctl suite report` prints of its runs so far with that option ("--json", "--csv"; NULL: none).
 * PD_E_STATE before the first run; PD_E_LIMIT. The disk, and a process. */
int sv_experiment_report(struct sv_experiments *e, const struct sv_asker *asker, int64_t number, const char *option,
			 struct pd_buf *out, struct pd_fail *fail);
/* The folder of the experiments, and the operator's of suites. */
const char *sv_experiments_place(const struct sv_experiments *e);
const char *sv_experiments_suites(const struct sv_experiments *e);
