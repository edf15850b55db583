#include "clients/suite_report.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/suite_stats.h"

const char *cl_unit_name(enum cl_unit unit)
{
	return unit == CL_UNIT_POSITIONS ? "positions" : "cpu";
}

const char *cl_unit_axis(enum cl_unit unit)
{
	return unit == CL_UNIT_POSITIONS ? "positions made" : "processor time in seconds";
}

size_t cl_game_family(const char *game)
{
	return strcspn(game, ":");
}

double cl_run_cost(const struct cl_result *run, enum cl_unit unit)
{
	double cost = unit == CL_UNIT_POSITIONS ? (double)run->positions : run->cpu;
	return cost > 0 ? cost : unit == CL_UNIT_POSITIONS ? 1 : 1e-6;
}

bool cl_column_has(const struct cl_report_column *c, const struct cl_results_head *head, const char *variant,
		   unsigned index)
{
	return c->index == index && !strcmp(c->variant, variant) && !strcmp(c->program, head->program[index]);
}

int cl_report_column(const struct cl_report *r, const struct cl_results_head *head, const char *variant, unsigned index)
{
	for (unsigned i = 0; i < r->column_count; i++)
		if (cl_column_has(&r->columns[i], head, variant, index))
			return (int)i;
	return -1;
}

static int add_column(struct cl_report *r, const struct cl_results_head *head, const char *variant, unsigned index,
		      struct pd_fail *fail)
{
	if (cl_report_column(r, head, variant, index) >= 0)
		return PD_OK;
	if (r->column_count == CL_COLUMNS_OF_REPORT)
		return pd_fail_set(fail, PD_E_LIMIT, "results", "there are more than %d variants",
				   CL_COLUMNS_OF_REPORT);
	r->columns[r->column_count++] = (struct cl_report_column){variant, head->program[index], index, ""};
	return PD_OK;
}

/* The variants in the order of the suites, each with every program. */
static int find_columns(struct cl_report *r, struct pd_fail *fail)
{
	int rc = PD_OK;
	for (unsigned f = 0; f < r->file_count; f++)
		for (unsigned v = 0; v < pr_count(r->files[f].head.variants); v++)
			for (unsigned p = 0; !rc && p < r->files[f].head.program_count; p++)
				rc = add_column(r, &r->files[f].head, pr_text(pr_at(r->files[f].head.variants, v), "?"),
						p, fail);
	for (unsigned f = 0; f < r->file_count; f++)
		for (unsigned i = 0; !rc && i < r->files[f].count; i++)
			rc = add_column(r, &r->files[f].head, r->files[f].runs[i].variant, r->files[f].runs[i].program,
					fail);
	for (unsigned i = 0; i < r->column_count; i++) {
		struct cl_report_column *c = &r->columns[i];
		unsigned same = 0, before = 0;
		for (unsigned j = 0; j < r->column_count; j++) {
			same += !strcmp(r->columns[j].variant, c->variant);
			before += j < i && !strcmp(r->columns[j].variant, c->variant);
		}
		if (same > 1)
			snprintf(c->label, sizeof c->label, "%.60s, program %u", c->variant, before + 1);
		else
			snprintf(c->label, sizeof c->label, "%.90s", c->variant);
	}
	return rc;
}

static int compare_questions(const void *a, const void *b)
{
	const struct cl_report_question *x = a, *y = b;
	return strcmp(x->name, y->name);
}

struct cl_report_question *cl_report_question(const struct cl_report *r, const char *name)
{
	const struct cl_report_question wanted = {.name = name};
	return bsearch(&wanted, r->questions, r->question_count, sizeof wanted, compare_questions);
}

static int compare_runs(const void *a, const void *b)
{
	const struct cl_report_run *x = a, *y = b;
	return strcmp(x->run->question, y->run->question);
}

static int find_questions(struct cl_report *r, struct pd_fail *fail)
{
	unsigned count = 0;
	for (unsigned f = 0; f < r->file_count; f++)
		count += r->files[f].count;
	r->questions = calloc(count + 1, sizeof *r->questions);
	r->runs = calloc(count + 1, sizeof *r->runs);
	if (!r->questions || !r->runs)
		return cl_no_memory(fail);
	for (unsigned f = 0; f < r->file_count; f++)
		for (unsigned i = 0; i < r->files[f].count; i++)
			r->runs[r->run_count++] = (struct cl_report_run){&r->files[f].head, &r->files[f].runs[i]};
	qsort(r->runs, count, sizeof *r->runs, compare_runs);
	for (unsigned i = 0; i < count; i++) {
		const struct cl_result *run = r->runs[i].run;
		if (!i || compare_runs(&r->runs[i - 1], &r->runs[i]))
			r->questions[r->question_count++] =
				(struct cl_report_question){run->question, run->game, .first = i};
		struct cl_report_question *q = &r->questions[r->question_count - 1];
		q->count++;
		for (enum cl_unit u = 0; u < CL_UNIT_COUNT; u++)
			q->most[u] = fmax(q->most[u], cl_run_cost(run, u));
	}
	return PD_OK;
}

static int compare_costs(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

unsigned cl_report_costs(const struct cl_report *r, unsigned column, unsigned question, enum cl_unit unit, double *out)
{
	const struct cl_report_column *c = &r->columns[column];
	const struct cl_report_question *q = question != UINT_MAX ? &r->questions[question] : NULL;
	const struct cl_report_run *at = q ? r->runs + q->first : r->runs, *end = at + (q ? q->count : r->run_count);
	unsigned count = 0;
	for (; at < end; at++) {
		if (!cl_column_has(c, at->head, at->run->variant, at->run->program))
			continue;
		if (out)
			out[count] = cl_result_answered(at->run) ? cl_run_cost(at->run, unit) : INFINITY;
		count++;
	}
	if (out)
		qsort(out, count, sizeof *out, compare_costs);
	return count;
}

static double *median_at(const struct cl_report *r, unsigned column, unsigned question, enum cl_unit unit)
{
	return &r->medians[((size_t)column * r->question_count + question) * CL_UNIT_COUNT + unit];
}

double cl_report_median(const struct cl_report *r, unsigned column, unsigned question, enum cl_unit unit)
{
	return *median_at(r, column, question, unit);
}

static int find_medians(struct cl_report *r, struct pd_fail *fail)
{
	double costs[CL_SUITE_SEEDS * 2];
	r->medians = calloc((size_t)r->column_count * r->question_count * CL_UNIT_COUNT + 1, sizeof *r->medians);
	if (!r->medians)
		return cl_no_memory(fail);
	for (unsigned c = 0; c < r->column_count; c++)
		for (unsigned q = 0; q < r->question_count; q++)
			for (enum cl_unit u = 0; u < CL_UNIT_COUNT; u++) {
				unsigned n = cl_report_costs(r, c, q, u, NULL);
				if (n > sizeof costs / sizeof *costs)
					return pd_fail_set(fail, PD_E_LIMIT, "results", "too many runs of '%.60s'",
							   r->questions[q].name);
				cl_report_costs(r, c, q, u, costs);
				*median_at(r, c, q, u) = n ? cl_median(costs, n) : NAN;
			}
	return PD_OK;
}

int cl_report_read(struct cl_report *r, const struct cl_options *o, struct pd_fail *fail)
{
	int rc = PD_OK;
	r->files = calloc(o->word_count, sizeof *r->files);
	if (!r->files)
		return cl_no_memory(fail);
	for (unsigned i = 1; !rc && i < o->word_count; i++) {
		rc = cl_results_read(o->words[i], &r->files[r->file_count++], fail);
		if (!rc && strcmp(r->files[i - 1].head.asked, r->files[0].head.asked) != 0)
			rc = pd_fail_set(fail, PD_E_USAGE, "results",
					 "%.100s and %.100s are of different questions, seeds or limits", o->words[1],
					 o->words[i]);
	}
	if (!rc)
		rc = find_columns(r, fail);
	if (!rc)
		rc = find_questions(r, fail);
	return rc ? rc : find_medians(r, fail);
}

void cl_report_fini(struct cl_report *r)
{
	for (unsigned i = 0; i < r->file_count; i++)
		cl_results_fini(&r->files[i]);
	free(r->medians);
	free(r->questions);
	free(r->runs);
	free(r->files);
	*r = (struct cl_report){0};
}
