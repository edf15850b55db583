/* Suite report: what the runs of a suite took, by variant, game and question (SUITE.md). */
#pragma once

#include "clients/options.h"
#include "clients/suite_results.h"

enum cl_unit { CL_UNIT_POSITIONS, CL_UNIT_CPU, CL_UNIT_COUNT };

enum { CL_COLUMNS_OF_REPORT = 128, CL_LABEL = 96 };

/* A variant as one program ran it. */
struct cl_report_column {
	const char *variant, *program; /* borrowed; digest of the program */
	unsigned index;                /* of the program in its file */
	char label[CL_LABEL];          /* the variant, and the number of the program when there are several */
};

struct cl_report_run {
	const struct cl_results_head *head; /* of its file */
	const struct cl_result *run;
};

struct cl_report_question {
	const char *name, *game;    /* borrowed */
	double most[CL_UNIT_COUNT]; /* that any of its runs took */
	unsigned first, count;      /* its runs in the report's */
};

/* One thread owns it. */
struct cl_report {
	struct cl_results *files; /* owned */
	unsigned file_count;
	struct cl_report_column columns[CL_COLUMNS_OF_REPORT];
	struct cl_report_question *questions; /* owned; by name */
	struct cl_report_run *runs;           /* owned; of all files, by question */
	unsigned column_count, question_count, run_count;
	double *medians; /* owned; of each column, question and unit */
};

/* "positions", "cpu"; and what an axis says. */
const char *cl_unit_name(enum cl_unit unit);
const char *cl_unit_axis(enum cl_unit unit);

/* The median over the seeds of what a question took a variant; INFINITY when half of the runs or more have no answer,
 * NAN when there are none. */
double cl_report_median(const struct cl_report *report, unsigned column, unsigned question, enum cl_unit unit);
/* Copies the costs of a question's runs with a variant to `out` (NULL: counts them) in rising order, INFINITY for those
 * without an answer. `question` UINT_MAX: of all. Returns how many there are. */
unsigned cl_report_costs(const struct cl_report *report, unsigned column, unsigned question, enum cl_unit unit,
			 double *out);
/* The family of a game: its name up to the colon. Returns the size of that. */
size_t cl_game_family(const char *game);

/* What a run took, more than 0. */
double cl_run_cost(const struct cl_result *run, enum cl_unit unit);
/* Whether the runs of a variant by the program `index` of a file are in the column; the index of the column where they
 * are, or -1. */
bool cl_column_has(const struct cl_report_column *column, const struct cl_results_head *head, const char *variant,
		   unsigned index);
int cl_report_column(const struct cl_report *report, const struct cl_results_head *head, const char *variant,
		     unsigned index);
/* The question of that name; NULL: none. */
struct cl_report_question *cl_report_question(const struct cl_report *report, const char *name);

/* Reads the files that the words after the first name into *out, which is zero. PD_E_USAGE when their questions, seeds
 * or limits differ; PD_E_LIMIT, and errors as from cl_results_read. The caller passes *out to cl_report_fini, also
 * after a failure. */
int cl_report_read(struct cl_report *out, const struct cl_options *options, struct pd_fail *fail);
void cl_report_fini(struct cl_report *report);
