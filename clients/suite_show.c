#include "clients/suite_show.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clients/ask.h"
#include "clients/suite_plot.h"
#include "clients/suite_report.h"
#include "clients/suite_stats.h"
#include "clients/table.h"
#include "proto/base/print.h"

/* A variant in one unit. */
struct figures {
	unsigned runs, solved;
	double median;               /* of the questions' medians */
	struct cl_interval interval; /* of that */
	double par2;                 /* mean over the runs */
	double ratio;                /* geometric mean over questions */
	struct cl_interval ratio_interval;
	double ratio_games;         /* geometric mean over games of theirs */
	unsigned compared;          /* questions */
	double spread;              /* median over questions of the 90th percentile over the median of the seeds */
	unsigned narrow, spread_of; /* questions where that is at most 2; of how many */
};

static double ratio_of(const struct cl_report *r, unsigned column, unsigned question, enum cl_unit unit)
{
	return cl_report_median(r, column, question, unit) / cl_report_median(r, 0, question, unit);
}

/* Ratios to the first variant of the questions that both have answered; `family` NULL: of all games. */
static unsigned gather_ratios(const struct cl_report *r, unsigned column, enum cl_unit unit, const char *family,
			      double *out)
{
	unsigned count = 0;
	for (unsigned q = 0; q < r->question_count; q++) {
		const char *game = r->questions[q].game;
		double ratio = ratio_of(r, column, q, unit);
		bool belongs = !family || (cl_game_family(game) == cl_game_family(family) &&
					   !strncmp(game, family, cl_game_family(family)));
		if (belongs && isfinite(ratio) && ratio > 0)
			out[count++] = ratio;
	}
	return count;
}

/* Whether no earlier question is of the same family of games. */
static bool is_first_of_family(const struct cl_report *r, unsigned question)
{
	const char *game = r->questions[question].game;
	size_t size = cl_game_family(game);
	for (unsigned q = 0; q < question; q++)
		if (cl_game_family(r->questions[q].game) == size && !strncmp(r->questions[q].game, game, size))
			return false;
	return true;
}

/* PAR-2: a run without an answer counts twice the limit, or where the suite has none in that unit, twice the most that
 * any run of the question took. */
static void count_runs(const struct cl_report *r, unsigned column, enum cl_unit unit, struct figures *f)
{
	const struct cl_report_column *c = &r->columns[column];
	double limit = unit == CL_UNIT_CPU ? r->files[0].head.limits.cpu : 0, sum = 0;
	for (unsigned i = 0; i < r->file_count; i++)
		for (unsigned k = 0; k < r->files[i].count; k++) {
			const struct cl_result *run = &r->files[i].runs[k];
			if (!cl_column_has(c, &r->files[i].head, run->variant, run->program))
				continue;
			bool answered = cl_result_answered(run);
			double most = limit > 0 ? limit : cl_report_question(r, run->question)->most[unit];
			f->runs++;
			f->solved += answered;
			sum += answered ? cl_run_cost(run, unit) : 2 * most;
		}
	f->par2 = f->runs ? sum / f->runs : NAN;
}

static void find_spread(const struct cl_report *r, unsigned column, enum cl_unit unit, double *room, struct figures *f)
{
	double costs[CL_SUITE_SEEDS * 2];
	for (unsigned q = 0; q < r->question_count; q++) {
		unsigned n = cl_report_costs(r, column, q, unit, costs);
		double median = n ? cl_median(costs, n) : INFINITY;
		if (n < 2 || !isfinite(median))
			continue;
		room[f->spread_of] = cl_percentile_90(costs, n) / median;
		f->narrow += room[f->spread_of++] <= 2;
	}
	f->spread = f->spread_of ? cl_median(room, f->spread_of) : NAN;
}

/* `room` has a place for each question. */
static struct figures find_figures(const struct cl_report *r, unsigned column, enum cl_unit unit, double *room)
{
	struct figures f = {.median = NAN};
	unsigned count = 0, games = 0;
	double *means = room + r->question_count;
	count_runs(r, column, unit, &f);
	for (unsigned q = 0; q < r->question_count; q++)
		if (!isnan(cl_report_median(r, column, q, unit)))
			room[count++] = cl_report_median(r, column, q, unit);
	if (count) {
		f.median = cl_median(room, count);
		f.interval = cl_median_interval(room, count);
	}
	for (unsigned q = 0; q < r->question_count; q++) {
		unsigned n = is_first_of_family(r, q) ? gather_ratios(r, column, unit, r->questions[q].game, room) : 0;
		if (n)
			means[games++] = cl_geometric_mean(room, n);
	}
	f.ratio_games = cl_geometric_mean(means, games);
	f.compared = gather_ratios(r, column, unit, NULL, room);
	f.ratio = cl_geometric_mean(room, f.compared);
	f.ratio_interval = cl_geometric_interval(room, f.compared);
	find_spread(r, column, unit, room, &f);
	return f;
}

static const char *cost_text(struct cl_text *out, double cost, enum cl_unit unit)
{
	if (!isfinite(cost))
		return isnan(cost) ? "-" : "inf";
	if (unit == CL_UNIT_POSITIONS)
		return cl_short(out, cost);
	snprintf(out->at, sizeof out->at, cost < 10 ? "%.3f s" : "%.1f s", cost);
	return out->at;
}

static const char *ratio_text(struct cl_text *out, double ratio)
{
	snprintf(out->at, sizeof out->at, "%.3f", ratio);
	return isfinite(ratio) ? out->at : "-";
}

static void print_unit(const struct cl_report *r, enum cl_unit unit, double *room)
{
	static const struct cl_column columns[] = {
		{"variant", 28, 9, 0, false},     {"solved", 9, 0, 0, true},  {"median", 9, 0, 0, true},
		{"its interval", 19, 0, 4, true}, {"PAR-2", 9, 0, 3, true},   {"ratio", 7, 0, 0, true},
		{"its interval", 15, 0, 5, true}, {"by game", 7, 0, 2, true},
	};
	struct cl_table table;
	if (unit)
		putchar('\n');
	pd_print(stdout, "%s\n", cl_unit_axis(unit));
	cl_table_begin(&table, stdout, columns, sizeof columns / sizeof *columns);
	for (unsigned c = 0; c < r->column_count; c++) {
		struct figures f = find_figures(r, c, unit, room);
		struct cl_text a, b, cell;
		cl_table_cell(&table, r->columns[c].label);
		snprintf(cell.at, sizeof cell.at, "%u/%u", f.solved, f.runs);
		cl_table_cell(&table, cell.at);
		cl_table_cell(&table, cost_text(&a, f.median, unit));
		snprintf(cell.at, sizeof cell.at, "%.40s..%.40s", cost_text(&a, f.interval.low, unit),
			 cost_text(&b, f.interval.high, unit));
		cl_table_cell(&table, f.interval.low > 0 ? cell.at : "-");
		cl_table_cell(&table, cost_text(&a, f.par2, unit));
		cl_table_cell(&table, ratio_text(&a, f.ratio));
		snprintf(cell.at, sizeof cell.at, "%.40s..%.40s", ratio_text(&a, f.ratio_interval.low),
			 ratio_text(&b, f.ratio_interval.high));
		cl_table_cell(&table, f.ratio_interval.low > 0 ? cell.at : "-");
		cl_table_cell(&table, ratio_text(&a, f.ratio_games));
	}
	for (unsigned c = 0; c < r->column_count; c++) {
		struct figures f = find_figures(r, c, unit, room);
		pd_print(stdout,
			 "%s: the 90th percentile of the seeds is at most twice their median in %u of %u questions\n",
			 r->columns[c].label, f.narrow, f.spread_of);
	}
}

static void print_games(const struct cl_report *r, double *room)
{
	static const struct cl_column columns[] = {
		{"game", 16, 6, 0, false},    {"variant", 28, 9, 0, false}, {"questions", 9, 0, 1, true},
		{"positions", 9, 0, 0, true}, {"cpu", 7, 0, 0, true},
	};
	struct cl_table table;
	pd_print(stdout, "\nratios to %s by game\n", r->columns[0].label);
	cl_table_begin(&table, stdout, columns, sizeof columns / sizeof *columns);
	for (unsigned q = 0; q < r->question_count; q++)
		for (unsigned c = 1; is_first_of_family(r, q) && c < r->column_count; c++) {
			const char *game = r->questions[q].game;
			struct cl_text text;
			snprintf(text.at, sizeof text.at, "%.*s", (int)cl_game_family(game), game);
			cl_table_cell(&table, text.at);
			cl_table_cell(&table, r->columns[c].label);
			unsigned n = gather_ratios(r, c, CL_UNIT_POSITIONS, game, room);
			double positions = cl_geometric_mean(room, n);
			snprintf(text.at, sizeof text.at, "%u", n);
			cl_table_cell(&table, text.at);
			cl_table_cell(&table, ratio_text(&text, positions));
			n = gather_ratios(r, c, CL_UNIT_CPU, game, room);
			cl_table_cell(&table, ratio_text(&text, cl_geometric_mean(room, n)));
		}
}

/* `costs`: of all answered runs, in rising order. */
static int put_costs(const struct cl_report *r, unsigned c, enum cl_unit unit, struct pr_out *out, struct pd_fail *fail)
{
	unsigned count = cl_report_costs(r, c, UINT_MAX, unit, NULL);
	double *costs = calloc((size_t)count + 1, sizeof *costs);
	if (!costs)
		return cl_no_memory(fail);
	cl_report_costs(r, c, UINT_MAX, unit, costs);
	pr_open_array(out, "costs");
	for (unsigned i = 0; i < count && isfinite(costs[i]); i++)
		pr_real(out, NULL, costs[i], 6);
	pr_close(out);
	free(costs);
	return PD_OK;
}

/* `builds`: the digests of the programs that did its runs, each once. */
static void put_builds(const struct cl_report *r, unsigned c, struct pr_out *out)
{
	const char *put[CL_BUILDS_MAX];
	unsigned count = 0;
	pr_open_array(out, "builds");
	for (unsigned i = 0; i < r->run_count && count < CL_BUILDS_MAX; i++) {
		const struct cl_result *run = r->runs[i].run;
		unsigned k = 0;
		if (!cl_column_has(&r->columns[c], r->runs[i].head, run->variant, run->program))
			continue;
		while (k < count && strcmp(put[k], run->build) != 0)
			k++;
		if (k < count)
			continue;
		put[count++] = run->build;
		pr_str(out, NULL, run->build);
	}
	pr_close(out);
}

static int print_variant_json(const struct cl_report *r, unsigned c, enum cl_unit unit, double *room,
			      struct pd_fail *fail)
{
	struct figures f = find_figures(r, c, unit, room);
	struct cl_json json;
	cl_json_begin(&json);
	pr_members(&json.out, PR_S("variant", r->columns[c].label), PR_S("unit", cl_unit_name(unit)),
		   PR_U("runs", f.runs), PR_U("solved", f.solved), PR_R("median", f.median, 6),
		   PR_R("median_low", f.interval.low, 6), PR_R("median_high", f.interval.high, 6),
		   PR_R("par2", f.par2, 6), PR_R("ratio", f.ratio, 6), PR_R("ratio_low", f.ratio_interval.low, 6),
		   PR_R("ratio_high", f.ratio_interval.high, 6), PR_R("ratio_games", f.ratio_games, 6),
		   PR_U("compared", f.compared), PR_R("spread", f.spread, 6), PR_U("spread_within_2", f.narrow),
		   PR_U("spread_of", f.spread_of));
	put_builds(r, c, &json.out);
	int rc = put_costs(r, c, unit, &json.out, fail);
	if (!rc)
		return cl_json_print(&json, stdout, fail);
	pd_buf_fini(&json.buf);
	return rc;
}

static int print_questions_json(const struct cl_report *r, unsigned c, enum cl_unit unit, struct pd_fail *fail)
{
	double costs[CL_SUITE_SEEDS * 2];
	int rc = PD_OK;
	for (unsigned q = 0; !rc && q < r->question_count; q++) {
		unsigned n = cl_report_costs(r, c, q, unit, costs), solved = 0;
		for (unsigned i = 0; i < n; i++)
			solved += isfinite(costs[i]) != 0;
		if (n)
			rc = cl_print_members(stdout, fail, PR_S("variant", r->columns[c].label),
					      PR_S("unit", cl_unit_name(unit)), PR_S("question", r->questions[q].name),
					      PR_S("game", r->questions[q].game), PR_U("runs", n),
					      PR_U("solved", solved), PR_R("median", cl_median(costs, n), 6),
					      PR_R("percentile_90", cl_percentile_90(costs, n), 6),
					      PR_R("ratio", ratio_of(r, c, q, unit), 6));
	}
	return rc;
}

static int print_games_json(const struct cl_report *r, unsigned c, enum cl_unit unit, double *room,
			    struct pd_fail *fail)
{
	int rc = PD_OK;
	for (unsigned q = 0; !rc && q < r->question_count; q++) {
		const char *game = r->questions[q].game;
		struct cl_text family;
		if (!is_first_of_family(r, q))
			continue;
		unsigned n = gather_ratios(r, c, unit, game, room);
		snprintf(family.at, sizeof family.at, "%.*s", (int)cl_game_family(game), game);
		rc = cl_print_members(stdout, fail, PR_S("variant", r->columns[c].label),
				      PR_S("unit", cl_unit_name(unit)), PR_S("family", family.at), PR_U("compared", n),
				      PR_R("ratio", cl_geometric_mean(room, n), 6));
	}
	return rc;
}

static int print_json(const struct cl_report *r, double *room, struct pd_fail *fail)
{
	int rc = PD_OK;
	for (enum cl_unit u = 0; u < CL_UNIT_COUNT; u++)
		for (unsigned c = 0; !rc && c < r->column_count; c++) {
			rc = print_variant_json(r, c, u, room, fail);
			if (!rc)
				rc = print_games_json(r, c, u, room, fail);
			if (!rc)
				rc = print_questions_json(r, c, u, fail);
		}
	return rc;
}

static void print_csv(const struct cl_report *r)
{
	puts("question,game,variant,degree,seed,status,wrong,lo,hi,nodes,positions,facts,cpu,seconds,peak,build");
	for (unsigned f = 0; f < r->file_count; f++)
		for (unsigned i = 0; i < r->files[f].count; i++) {
			const struct cl_result *run = &r->files[f].runs[i];
			int c = cl_report_column(r, &r->files[f].head, run->variant, run->program);
			const char *const names[] = {run->question, run->game, r->columns[c].label};
			for (unsigned k = 0; k < sizeof names / sizeof *names; k++) {
				cl_print_field(stdout, names[k]);
				pd_print(stdout, ",");
			}
			pd_print(stdout, "%" PRId64 ",%" PRId64 ",%s,%d,%" PRId64 ",%" PRId64 ",", run->degree,
				 run->seed, run->status, run->wrong, run->lo, run->hi);
			pd_print(stdout, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%.6f,%.6f,%" PRId64 ",%s\n", run->nodes,
				 run->positions, run->facts, run->cpu, run->seconds, run->peak, run->build);
		}
}

static void print_builds(const struct cl_report *r)
{
	for (unsigned f = 0; f < r->file_count; f++)
		if (r->files[f].build_count > 1)
			pd_print(stdout,
				 "\n%u builds of the programs took part, one after the other: positions and times "
				 "of different builds may differ\n",
				 r->files[f].build_count);
}

int cl_suite_report(const struct cl_options *options, struct pd_fail *fail)
{
	struct cl_report *r = calloc(1, sizeof *r);
	double *room = NULL;
	if (!r)
		return cl_no_memory(fail);
	int rc = cl_given(options, CL_OPT_CSV) && cl_given(options, CL_OPT_JSON)
			 ? pd_fail_set(fail, PD_E_USAGE, "csv", "--csv and --json cannot be combined")
			 : cl_report_read(r, options, fail);
	if (!rc && !r->question_count)
		rc = pd_fail_set(fail, PD_E_USAGE, "results", "there are no runs yet");
	if (!rc && !(room = calloc(2 * (size_t)r->question_count, sizeof *room)))
		rc = cl_no_memory(fail);
	if (!rc && cl_given(options, CL_OPT_SVG))
		rc = cl_suite_plots(r, options->text[CL_OPT_SVG], fail);
	if (!rc && cl_given(options, CL_OPT_CSV)) {
		print_csv(r);
	} else if (!rc && cl_given(options, CL_OPT_JSON)) {
		rc = print_json(r, room, fail);
	} else if (!rc) {
		for (enum cl_unit u = 0; u < CL_UNIT_COUNT; u++)
			print_unit(r, u, room);
		print_games(r, room);
		print_builds(r);
	}
	free(room);
	cl_report_fini(r);
	free(r);
	return rc;
}
