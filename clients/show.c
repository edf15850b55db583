#include "clients/show.h"

#include <inttypes.h>
#include <math.h>

#include "clients/commands.h"
#include "clients/libproofd/reply.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"

enum { ROW_BYTES = 1 << 16 };

bool cl_job_over(pr_ref job)
{
	return pc_is_over(pr_get_str(job, "state", ""));
}

double cl_job_nodes(pr_ref job)
{
	pr_ref nodes = pr_get(job, "nodes");
	return pr_get_real(nodes, "level1", 0) + pr_get_real(nodes, "level2", 0);
}

double cl_job_number_of(pr_ref job, const char *name)
{
	return pr_kind_of(pr_get(job, name)) == PR_STRING ? INFINITY : pr_get_real(job, name, 1);
}

bool cl_is_bounded(pr_ref value)
{
	return pr_kind_of(pr_get(value, "lo")) == PR_INT && pr_kind_of(pr_get(value, "hi")) == PR_INT;
}

int cl_job_exit(pr_ref job)
{
	const char *state = pr_get_str(job, "state", "");
	if (!strcmp(state, "solved"))
		return CL_EXIT_OK;
	return strcmp(state, "exhausted") ? CL_EXIT_FAILED : CL_EXIT_UNANSWERED;
}

const char *cl_state_ink(const struct cl_ink *ink, const char *state)
{
	if (!strcmp(state, "solved"))
		return ink->good;
	if (!strcmp(state, "failed"))
		return ink->bad;
	return !strcmp(state, "running") ? ink->bold : ink->warm;
}

const char *cl_question(struct cl_text *out, pr_ref job)
{
	const char *position = pr_get_str(job, "position", "");
	snprintf(out->at, sizeof out->at, "%s%s%.20s, %s", pr_get_str(job, "game", "?"), *position ? ", " : "",
		 position, pr_get_str(job, "claim", "value"));
	return out->at;
}

void cl_show_moves(FILE *file, pr_ref moves, unsigned indent)
{
	unsigned width = cl_width(file), column = indent;
	PD_ASSERT(indent < CL_WIDTH_MIN);
	for (size_t i = 0; i < pr_count(moves); i++) {
		const char *move = pr_text(pr_at(moves, i), "?");
		unsigned size = (unsigned)strlen(move);
		if (i && column + 1 + size >= width) {
			pd_print(file, "\n%*s", (int)indent, "");
			column = indent;
		} else if (i) {
			fputc(' ', file);
			column++;
		}
		pd_print(file, "%s", move);
		column += size;
	}
	fputc('\n', file);
}

/* "yes: first wins", "draw", "no answer yet: first wins or draw" */
static void show_verdict(FILE *file, pr_ref answer)
{
	struct cl_ink ink = cl_ink_of(file);
	struct cl_text question;
	const char *status = pr_get_str(answer, "status", "unsolved"),
		   *text = pr_get_str(pr_get(answer, "value"), "text", "unknown");
	const char *word = !strcmp(status, "proved") ? "yes: " : !strcmp(status, "disproved") ? "no: " : "";
	bool open = !strcmp(status, "unsolved");
	if (open)
		word = strcmp(text, "unknown") != 0 ? "not answered; so far: " : "not answered";
	pd_print(file, "%s%s%s%s%s   %s%s%s\n", ink.bold, open ? ink.warm : ink.good, word,
		 open && !strcmp(text, "unknown") ? "" : text, ink.off, ink.dim, cl_question(&question, answer),
		 ink.off);
}

void cl_show_answer(FILE *file, pr_ref answer)
{
	struct cl_text a, b, c;
	pr_ref line = pr_get(answer, "line"), plies = pr_get(answer, "plies");
	int64_t level1 = pr_get_int(pr_get(answer, "nodes"), "level1", 0), sum = (int64_t)cl_job_nodes(answer);
	show_verdict(file, answer);
	if (pr_get_str(answer, "move", NULL))
		cl_row(file, "move", "%s", pr_get_str(answer, "move", ""));
	if (pr_count(line)) {
		fputs("  line      ", file);
		cl_show_moves(file, line, 12);
	}
	if (pr_kind_of(plies) == PR_INT)
		cl_row(file, "length", "%s at most", cl_counted(&a, pr_number(plies, 0), "ply"));
	cl_row(file, "effort", "%s (%s of level 1) in %s", cl_counted(&a, sum, "node"), cl_count(&b, level1),
	       cl_duration(&c, pr_get_real(answer, "seconds", 0)));
	cl_row(file, "facts", "%s", cl_count(&a, pr_get_int(answer, "facts", 0)));
	if (!strcmp(pr_get_str(answer, "status", ""), "unsolved"))
		cl_row(file, "numbers", "pn %s, dn %s", cl_number(&a, pr_get(answer, "pn")),
		       cl_number(&b, pr_get(answer, "dn")));
}

static void show_search(FILE *file, pr_ref job)
{
	struct cl_text a;
	if (pr_get_str(job, "rules", NULL))
		cl_row(file, "rules", "version %s", pr_get_str(job, "rules", ""));
	cl_row(file, "search", "%s, detail %s, %s of memory, seed %" PRId64 ", priority %" PRId64,
	       pr_get_str(job, "algorithm", "?"), pr_get_str(job, "detail", "?"),
	       cl_bytes(&a, pr_get_real(job, "memory", 0)), pr_get_int(job, "seed", 0), pr_get_int(job, "priority", 0));
	const char *name;
	pr_ref options = pr_get(job, "options"), value;
	for (size_t i = 0; (value = pr_member(options, i, &name)) != NULL; i++)
		if (pr_kind_of(value) == PR_BOOL)
			cl_row(file, "option", "%s=%s", name, pr_get_bool(options, name, false) ? "yes" : "no");
		else
			cl_row(file, "option", "%s=%.15g", name, pr_get_real(options, name, 0));
	for (size_t i = 0; i < pr_count(pr_get(job, "after")); i++)
		cl_row(file, i ? "" : "after", "job %lld", (long long)pr_number(pr_at(pr_get(job, "after"), i), 0));
	if (pr_get_int(job, "under", 0))
		cl_row(file, "under", "job %" PRId64, pr_get_int(job, "under", 0));
	for (size_t i = 0; i < pr_count(pr_get(job, "sub_jobs")); i++)
		cl_row(file, i ? "" : "sub-jobs", "job %" PRId64, pr_number(pr_at(pr_get(job, "sub_jobs"), i), 0));
	for (size_t i = 0; i < pr_count(pr_get(job, "first")); i++)
		cl_row(file, i ? "" : "first", "%s", pr_text(pr_at(pr_get(job, "first"), i), ""));
	if (pr_get_str(job, "group", NULL))
		cl_row(file, "group", "%s", pr_get_str(job, "group", ""));
	if (pr_get_str(job, "client", NULL))
		cl_row(file, "client", "%s", pr_get_str(job, "client", ""));
	if (pr_get_str(job, "key", NULL))
		cl_row(file, "key", "%s", pr_get_str(job, "key", ""));
	pr_ref budget = pr_get(job, "budget");
	int64_t nodes = pr_get_int(budget, "nodes", 0);
	double seconds = pr_get_real(budget, "seconds", 0);
	if (nodes > 0)
		cl_row(file, "budget", "%s", cl_counted(&a, nodes, "node"));
	if (seconds > 0)
		cl_row(file, "budget", "%s", cl_duration(&a, seconds));
	if (pr_get_real(budget, "cpu", 0) > 0)
		cl_row(file, "budget", "%s of processor time", cl_duration(&a, pr_get_real(budget, "cpu", 0)));
	if (pr_get_int(budget, "disk", 0) > 0)
		cl_row(file, "budget", "%s of disk for its table", cl_bytes(&a, pr_get_real(budget, "disk", 0)));
}

static void show_progress(FILE *file, pr_ref job)
{
	struct cl_text a, b, c, d, e;
	int64_t level1 = pr_get_int(pr_get(job, "nodes"), "level1", 0), sum = (int64_t)cl_job_nodes(job);
	int64_t entries = pr_get_int(job, "entries", 0), capacity = pr_get_int(job, "capacity", 0);
	bool runs = pr_get_real(job, "rate", 0) > 0;
	cl_row(file, "effort", "%s (%s of level 1) in %s of search time, %s of processor time%s%s%s",
	       cl_counted(&a, sum, "node"), cl_count(&b, level1), cl_duration(&c, pr_get_real(job, "seconds", 0)),
	       cl_duration(&e, pr_get_real(job, "cpu", 0)), runs ? ", now " : "",
	       runs ? cl_short(&d, pr_get_real(job, "rate", 0)) : "", runs ? " per second" : "");
	cl_row(file, "numbers", "first>=%" PRId64 ": pn %s, dn %s", pr_get_int(job, "threshold", 0),
	       cl_number(&a, pr_get(job, "pn")), cl_number(&b, pr_get(job, "dn")));
	if (capacity)
		cl_row(file, "tt", "%s of %s entries", cl_count(&a, entries), cl_count(&b, capacity));
	cl_row(file, "facts", "%s", cl_count(&a, pr_get_int(job, "facts", 0)));
}

static void show_times(FILE *file, pr_ref job)
{
	struct cl_text a, b, c;
	int64_t started = pr_get_int(job, "started", 0), finished = pr_get_int(job, "finished", 0);
	cl_row(file, "times", "submitted %s%s%s%s%s", cl_when(&a, pr_get_int(job, "submitted", 0)),
	       started ? ", started " : "", started ? cl_when(&b, started) : "", finished ? ", finished " : "",
	       finished ? cl_when(&c, finished) : "");
}

void cl_show_job(FILE *file, pr_ref job)
{
	struct cl_ink ink = cl_ink_of(file);
	const char *state = pr_get_str(job, "state", "?"), *position = pr_get_str(job, "position", "");
	pr_ref result = pr_get(job, "result");
	pd_print(file, "%sjob %" PRId64 "%s  %s%s%s  %s%s%s, %s\n", ink.bold, pr_get_int(job, "job", 0), ink.off,
		 cl_state_ink(&ink, state), state, ink.off, pr_get_str(job, "game", "?"), *position ? ", " : "",
		 position, pr_get_str(job, "claim", "?"));
	if (pr_get_str(job, "reason", NULL))
		cl_row(file, "reason", "%s", pr_get_str(job, "reason", ""));
	show_search(file, job);
	show_progress(file, job);
	if (strcmp(pr_get_str(pr_get(job, "value"), "text", "unknown"), "unknown") != 0)
		cl_row(file, "known", "%s", pr_get_str(pr_get(job, "value"), "text", ""));
	show_times(file, job);
	cl_row(file, "restarts", "%" PRId64, pr_get_int(job, "restarts", 0));
	if (pr_count(pr_get(job, "engines"))) {
		fputs("  engines   ", file);
		cl_show_moves(file, pr_get(job, "engines"), 12);
	}
	if (result) {
		fputc('\n', file);
		cl_show_answer(file, result);
	}
}

void cl_show_job_head(struct cl_table *table, FILE *file)
{
	static const struct cl_column columns[] = {
		{"job", 5, 0, 0, true},   {"state", 9, 0, 0, false},    {"question", 34, 14, 0, false},
		{"nodes", 9, 0, 1, true}, {"searched", 13, 0, 2, true}, {"value", 19, 9, 0, false},
	};
	cl_table_begin(table, file, columns, sizeof columns / sizeof *columns);
}

void cl_show_job_row(struct cl_table *table, pr_ref job)
{
	struct cl_ink ink = cl_ink_of(table->file);
	struct cl_text text;
	const char *state = pr_get_str(job, "state", "?");
	snprintf(text.at, sizeof text.at, "%" PRId64, pr_get_int(job, "job", 0));
	cl_table_cell(table, text.at);
	cl_table_ink(table, state, cl_state_ink(&ink, state));
	cl_table_cell(table, cl_question(&text, job));
	cl_table_cell(table, cl_short(&text, cl_job_nodes(job)));
	cl_table_cell(table, cl_duration(&text, pr_get_real(job, "seconds", 0)));
	cl_table_cell(table, pr_get_str(pr_get(job, "value"), "text", ""));
}

void cl_show_fact_head(struct cl_table *table, FILE *file)
{
	static const struct cl_column columns[] = {
		{"position", 24, 10, 0, false}, {"value", 19, 10, 0, false},  {"plies", 5, 0, 2, true},
		{"move", 8, 0, 1, false},       {"known by", 8, 0, 3, false},
	};
	cl_table_begin(table, file, columns, sizeof columns / sizeof *columns);
}

void cl_show_fact_row(struct cl_table *table, const char *name, pr_ref fact)
{
	struct cl_ink ink = table->ink;
	struct cl_text rank;
	pr_ref error = pr_get(fact, "error");
	const char *source = pr_get_str(fact, "source", "none");
	bool known = strcmp(source, "none") != 0, ranked = pr_kind_of(pr_get(fact, "rank")) == PR_INT;
	cl_table_cell(table, *name ? name : "(initial)");
	if (error) {
		cl_table_rest(table, pr_get_str(error, "message", "?"), ink.bad);
		return;
	}
	cl_table_ink(table, pr_get_str(fact, "text", "?"), known ? ink.bold : ink.dim);
	cl_table_cell(table, ranked ? cl_count(&rank, pr_get_int(fact, "rank", 0)) : "-");
	cl_table_cell(table, pr_get_str(fact, "move", "-"));
	cl_table_ink(table, known ? source : "-", ink.dim);
}

const char *cl_theorem_name(struct cl_text *out, pr_ref theorem, bool titled)
{
	const char *title = titled ? pr_get_str(theorem, "title", "") : "";
	snprintf(out->at, sizeof out->at, "T%" PRId64 "%s%.60s", pr_get_int(theorem, "number", 0), *title ? ", " : "",
		 title);
	return out->at;
}

/* "1 a1 b1, 2 c1 d1" */
static void show_groups(FILE *file, pr_ref groups)
{
	struct pd_buf text;
	pd_buf_init(&text, ROW_BYTES);
	for (size_t i = 0; i < pr_count(groups); i++) {
		pr_ref group = pr_at(groups, i), squares = pr_get(group, "squares");
		pd_buf_printf(&text, "%s%s:", i ? ", " : "", pr_get_str(group, "mark", "*"));
		for (size_t j = 0; j < pr_count(squares); j++)
			pd_buf_printf(&text, " %s", pr_text(pr_at(squares, j), "?"));
	}
	if (text.size)
		cl_row(file, "groups", "%s", text.data);
	pd_buf_fini(&text);
}

void cl_show_theorems(FILE *file, pr_ref theorems)
{
	struct cl_text name, plies;
	for (size_t i = 0; i < pr_count(theorems); i++) {
		pr_ref theorem = pr_at(theorems, i);
		bool ranked = pr_kind_of(pr_get(theorem, "plies")) == PR_INT;
		cl_row(file, "theorem", "%s: %s%s%s%s", cl_theorem_name(&name, theorem, true),
		       pr_get_str(pr_get(theorem, "value"), "text", "?"), ranked ? " within " : "",
		       ranked ? cl_count(&plies, pr_get_int(theorem, "plies", 0)) : "", ranked ? " plies" : "");
		cl_row(file, "why", "%s", pr_get_str(theorem, "text", "?"));
		show_groups(file, pr_get(theorem, "groups"));
	}
}
