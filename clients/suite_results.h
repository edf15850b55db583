/* Suite results: the file to which `proofctl suite run` appends, a line of JSON for each run (SUITE.md).
 *
 * The first line says of which suite and which programs the results are. Where other builds of the programs went on,
 * there is another such line, a head like the first. Each line has a checksum (line_sum.h), except those of older
 * programs. A line is on disk before the next one is written; a last line
 * without its end is what a crash has left of one, and does not count. */
#pragma once

#include "clients/suite.h"

enum { CL_PROGRAMS_MAX = 2, CL_BUILDS_MAX = 64 /* that are told apart */ };

/* One run. Texts are borrowed from the file's documents, or from the suite. */
struct cl_result {
	const char *question, *game, *variant;
	int64_t seed, degree;
	unsigned program;         /* index among the programs of the file */
	const char *build;        /* digest of that program's file */
	unsigned line;            /* of the file, from 1 */
	const char *status;       /* as in the *answer* object, or "failed" */
	int64_t lo, hi;           /* bounds of the value */
	bool wrong;               /* they contradict the known answer */
	int64_t nodes, positions; /* -1: unknown */
	int64_t facts;
	double cpu, seconds; /* of the process: processor time, time */
	int64_t peak;        /* bytes of memory, resident, at most */
	const char *error;   /* of a failed run; NULL: none */
};

/* Whether the run answered its question. */
bool cl_result_answered(const struct cl_result *result);

/* Of which suite, and of which programs. */
struct cl_results_head {
	char digest[CL_DIGEST_TEXT], asked[CL_DIGEST_TEXT]; /* of the suite */
	char program[CL_PROGRAMS_MAX][CL_DIGEST_TEXT];      /* digests of the programs' files */
	unsigned program_count;
	bool summed; /* the lines from there on have checksums */
	struct cl_limits limits;
	pr_ref programs, variants; /* names of variants in the order of the suite; borrowed from the file's documents */
};

/* A file that was read. One thread owns it. */
struct cl_results {
	struct cl_results_head head;
	struct cl_result *runs; /* in the order of the file; owned */
	unsigned count;
	int64_t bytes;                /* up to the end of the last whole line; 0: not even the first line is whole */
	pr_ref builds[CL_BUILDS_MAX]; /* the `programs` of heads that did runs, each once */
	unsigned build_count;
	struct pr_doc **docs; /* of the lines; owned */
	unsigned doc_count;
};

/* Reads a file. PD_E_NOT_FOUND, PD_E_FORMAT when it is no results file, PD_E_CORRUPT with the line, PD_E_IO,
 * PD_E_NO_MEMORY. The caller passes *out to cl_results_fini, also after a failure. */
int cl_results_read(const char *path, struct cl_results *out, struct pd_fail *fail);
void cl_results_fini(struct cl_results *results);

/* Opens the file for appending, and makes it if there is none. *fd is the caller's. PD_E_LOCKED when another process
 * has opened it so; PD_E_IO. */
int cl_results_open(const char *path, int *fd, struct pd_fail *fail);
/* Cuts off what is behind the first `bytes` bytes, and writes the head when that is everything. */
int cl_results_begin(int fd, const char *path, int64_t bytes, const struct cl_results_head *head,
		     const struct cl_suite *suite, struct pd_fail *fail);
/* Appends a head: what follows is done by other builds of the programs. */
int cl_results_add_head(int fd, const struct cl_results_head *head, const struct cl_suite *suite, struct pd_fail *fail);
/* Appends a run, and waits until it is on disk. PD_E_IO, PD_E_NO_SPACE: what was written of it is cut off. */
int cl_results_add(int fd, const struct cl_result *result, struct pd_fail *fail);
