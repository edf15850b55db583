/* Show: jobs, answers and facts as people read them. */
#pragma once

#include "clients/table.h"

/* True when the job (the *job* object of PROTOCOL.md) has ended: solved, exhausted, cancelled or failed. */
bool cl_job_over(pr_ref job);
/* Nodes of both levels, of a job or an answer. */
double cl_job_nodes(pr_ref job);
/* "pn" or "dn" of a job or of a point of its history; INFINITY for "inf". */
double cl_job_number_of(pr_ref job, const char *name);
/* True when both bounds of a value, `lo` and `hi`, are known. */
bool cl_is_bounded(pr_ref value);
/* The exit code for a job that has ended. */
int cl_job_exit(pr_ref job);

/* Prints the *answer* object. */
void cl_show_answer(FILE *file, pr_ref answer);
/* Prints a job, with its answer. */
void cl_show_job(FILE *file, pr_ref job);
/* A table of jobs: the head begins it, then there is a row for each job. */
void cl_show_job_head(struct cl_table *table, FILE *file);
void cl_show_job_row(struct cl_table *table, pr_ref job);
/* The same for a table of positions and their facts. */
void cl_show_fact_head(struct cl_table *table, FILE *file);
void cl_show_fact_row(struct cl_table *table, const char *name, pr_ref fact);
/* Moves, wrapped to the width of the terminal; all lines except the first are indented. */
void cl_show_moves(FILE *file, pr_ref moves, unsigned indent);

/* Prints what theorems say of a position, the *theorem* objects of PROTOCOL.md; nothing when `theorems` is NULL. */
void cl_show_theorems(FILE *file, pr_ref theorems);
/* "T5", or "T5, groups" with the title. */
const char *cl_theorem_name(struct cl_text *out, pr_ref theorem, bool titled);

/* "connect4:7x6, 4453, first-wins": the question of a job or an answer. */
const char *cl_question(struct cl_text *out, pr_ref job);
/* The colour of a job's state. */
const char *cl_state_ink(const struct cl_ink *ink, const char *state);
