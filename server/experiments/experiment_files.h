/* Experiment files: what is on disk of an experiment, in a folder that its number names:
 *
 *   suite   lines of JSON (clients/SUITE.md)
 *   state   a JSON object and a line with its checksum, rewritten at each change; a folder without one is removed at
 *           the next start
 *   runs    the results, to which `proofctl suite run` appends
 *   log     what it prints
 *
 * PLACE is the folder of all experiments. */
#pragma once

#include <stdint.h>

#include "proto/base/buf.h"
#include "proto/base/error.h"
#include "proto/job_states.h"
#include "proto/ref.h"

enum {
	SV_SUITE_BYTES_MAX = 2 << 20,
	SV_SUITES_MAX = 100, /* of the operator's, that are listed */
	SV_SUITE_NAME = 64,
	SV_EXPERIMENT_TITLE = 121,
	SV_EXPERIMENT_LOG = 4096 /* bytes at the end of the log that are shown */
};

enum sv_experiment_state_name {
#define X(name, text) SV_EXPERIMENT_##name,
	PR_EXPERIMENT_STATES(X)
#undef X
};

struct sv_experiment_state {
	unsigned number;
	enum sv_experiment_state_name state;
	char title[SV_EXPERIMENT_TITLE], client[64];
	char reason[300]; /* why it has failed, or waits; "": no reason */
	int64_t questions, variants, seeds, runs;
	int64_t created_ms, ended_ms; /* since 1970; 0: it has not ended */
	/* of the results so far; these are not in the file `state` */
	int64_t done, answered, wrong;
	int64_t builds; /* of proofctl that did them */
	int64_t read;   /* bytes of the results that have been counted */
};

/* "waiting", for example. */
const char *sv_experiment_state_text(enum sv_experiment_state_name state);

/* The path PLACE/NUMBER/FILE, which is the folder's when `file` is NULL. */
struct sv_experiment_path {
	char text[4096];
};
struct sv_experiment_path sv_experiment_path(const char *place, unsigned number, const char *file);

/* Writes the state, durably. PD_E_IO, PD_E_NO_SPACE, PD_E_NO_MEMORY. */
int sv_experiment_write(const char *place, const struct sv_experiment_state *state, struct pd_fail *fail);
/* Reads it. PD_E_NOT_FOUND without one, PD_E_CORRUPT. */
int sv_experiment_read(const char *place, unsigned number, struct sv_experiment_state *out, struct pd_fail *fail);
/* Counts the runs that have come since it was called last. */
void sv_experiment_count(const char *place, struct sv_experiment_state *state);
/* Makes the folder with the suite in it: the operator's suites of these names, and then the text. PD_E_NOT_FOUND with
 * field "suites", PD_E_LIMIT with field "text", PD_E_IO. */
int sv_experiment_make(const char *place, unsigned number, const char *directory, pr_ref suites, const char *text,
		       struct pd_fail *fail);
/* Removes the folder. PD_E_IO. */
int sv_experiment_erase(const char *place, unsigned number, struct pd_fail *fail);
/* Appends a file, or its last `most` bytes; nothing when it is not there. */
void sv_experiment_put_file(const struct sv_experiment_path *path, size_t most, struct pd_buf *out);
/* Lists the names of the suites NAME.jsonl in the operator's directory, sorted; returns how many. */
unsigned sv_suites_list(const char *directory, char names[SV_SUITES_MAX][SV_SUITE_NAME]);
