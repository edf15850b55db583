/* Experiment files: what is on disk of an experiment, in a folder that its number names:
 *
 *   suite   lines of JSON (clients/SUITE.md)
 *   state   a JSON object, with the checksum of the suite, and a line with its own, rewritten at each change; a folder
 *           without one is removed at the next start
 *   runs    the results, to which `proofctl suite run` appends
 *   log     what it prints
 *
 * PLACE is the folder of all experiments. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/buf.h"
#include "proto/base/error.h"
#include "proto/job_states.h"
#include "proto/out.h"
#include "proto/ref.h"

enum {
	SV_EXPERIMENT_RUNS_MAX = 20000,
	SV_SUITE_BYTES_MAX = 2 << 20,
	SV_SUITES_MAX = 100, /* of the operator's, that are listed */
	SV_SUITE_NAME = 64,
	SV_EXPERIMENT_TITLE = 121,
	SV_EXPERIMENT_BUILDS = 16, /* of proofctl, that are told apart */
	SV_EXPERIMENT_LOG = 4096   /* bytes at the end of the log that are shown */
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
	uint64_t suite;               /* XXH3-64 of the file `suite`; 0: older programs did not note it */
	/* of the results so far; these are not in the file `state` */
	int64_t done, answered, wrong;
	int64_t builds;                             /* of proofctl that did them, at most SV_EXPERIMENT_BUILDS */
	int64_t read;                               /* bytes of the results that have been counted */
	int64_t bad;                                /* lines that cannot be read or have a wrong checksum */
	bool summed;                                /* the lines from there on have checksums */
	uint64_t head, build[SV_EXPERIMENT_BUILDS]; /* hashes of the programs: of the last head, and of the builds */
};

/* "waiting", for example. */
const char *sv_experiment_state_text(enum sv_experiment_state_name state);

/* The path PLACE/NUMBER/FILE, which is the folder's when `file` is NULL. */
struct sv_experiment_path {
	char text[4096];
};
struct sv_experiment_path sv_experiment_path(const char *place, unsigned number, const char *file);

/* The numbers that folders have, in rising order, to be freed; none when there is no PLACE. PD_E_IO, PD_E_NO_MEMORY. */
int sv_experiment_numbers(const char *place, unsigned **out, size_t *count, struct pd_fail *fail);
/* Prints the members of the object in the file `state`, and reads them. PD_E_PARAMS with the member as the field. */
void sv_experiment_print(const struct sv_experiment_state *state, struct pr_out *out);
int sv_experiment_parse(pr_ref object, struct sv_experiment_state *out, struct pd_fail *fail);
/* Writes the state, durably. PD_E_IO, PD_E_NO_SPACE, PD_E_NO_MEMORY. */
int sv_experiment_write(const char *place, const struct sv_experiment_state *state, struct pd_fail *fail);
/* Reads the state, verifies the suite, and counts the runs. PD_E_NOT_FOUND with neither a state nor runs: it was never
 * begun, or is being removed; PD_E_CORRUPT: *out has what could be read; PD_E_NO_MEMORY: nothing is known of it now;
 * PD_E_IO. */
int sv_experiment_read(const char *place, unsigned number, struct sv_experiment_state *out, struct pd_fail *fail);
/* Whether one without a state has run, and has not been removed. */
bool sv_experiment_has_run(const char *place, unsigned number);
/* Counts the runs that have come since it was called last. PD_E_IO, PD_E_NO_MEMORY: the next call counts on. */
int sv_experiment_count(const char *place, struct sv_experiment_state *state, struct pd_fail *fail);
/* Appends the suite, which may have SV_SUITE_BYTES_MAX. PD_E_CORRUPT when it is missing or its checksum is not that of
 * the state; PD_E_IO, PD_E_NO_MEMORY. */
int sv_experiment_suite(const char *place, const struct sv_experiment_state *state, struct pd_buf *out,
			struct pd_fail *fail);
/* Makes the folder with these files, durably, and notes the checksum in the state, which is not written. `runs` may be
 * empty. PD_E_IO, PD_E_NO_SPACE, PD_E_NO_MEMORY. */
int sv_experiment_store(const char *place, struct sv_experiment_state *state, const struct pd_buf *suite,
			const struct pd_buf *runs, struct pd_fail *fail);
/* The same for the operator's suites of these names, and then the text. PD_E_NOT_FOUND with field "suites", PD_E_LIMIT
 * with field "text", PD_E_IO. */
int sv_experiment_make(const char *place, struct sv_experiment_state *state, const char *directory, pr_ref suites,
		       const char *text, struct pd_fail *fail);
/* Removes the folder. PD_E_IO. */
int sv_experiment_erase(const char *place, unsigned number, struct pd_fail *fail);
/* Appends a file, or its last `most` bytes. PD_E_NOT_FOUND, PD_E_NO_MEMORY, PD_E_IO. */
int sv_experiment_put_file(const struct sv_experiment_path *path, size_t most, struct pd_buf *out,
			   struct pd_fail *fail);
/* Lists the names of the suites NAME.jsonl in the operator's directory, sorted; none when it is not there or may not be
 * read. PD_E_NO_MEMORY. */
int sv_suites_list(const char *directory, char names[SV_SUITES_MAX][SV_SUITE_NAME], unsigned *count,
		   struct pd_fail *fail);
