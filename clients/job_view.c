#include "clients/job_view.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "clients/show.h"
#include "proto/base/assert.h"

enum {
	LABEL = 9,          /* columns of a gauge's label, indent included */
	VALUE = 11,         /* columns of its number, with the blank after it */
	SPARK_MIN = 12,     /* the narrowest sparkline, columns */
	TWO_COLUMNS = 100,  /* from this width on, gauges are side by side */
	RATE_SPAN_MS = 200, /* no rate is computed from points that are closer together */
	REASON_LINES = 3
};

void cl_job_view_init(struct cl_job_view *view)
{
	memset(view, 0, sizeof *view);
	view->threads = -1;
}

void cl_job_view_fini(struct cl_job_view *view)
{
	pr_doc_free(view->doc);
	view->doc = NULL;
	view->job = NULL;
}

/* An event after which the job is not searched. */
static bool ends_run(const char *event)
{
	static const char *const ends[] = {"paused", "queued", "exhausted", "failed"};
	for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
		if (!strcmp(event, ends[i]))
			return true;
	return false;
}

void cl_job_view_history(struct cl_job_view *view, pr_ref points)
{
	PD_ASSERT(!view->job);
	for (size_t i = 0; i < pr_count(points); i++) {
		pr_ref p = pr_at(points, i);
		int64_t at = pr_get_int(p, "t", 0);
		double nodes = pr_get_real(p, "nodes", 0);
		if (at <= 0) /* damaged on disk */
			continue;
		cl_series_add(&view->pn, at, cl_job_number_of(p, "pn"));
		cl_series_add(&view->dn, at, cl_job_number_of(p, "dn"));
		cl_series_add(&view->entries, at, pr_get_real(p, "entries", 0));
		cl_series_add(&view->facts, at, pr_get_real(p, "facts", 0));
		if (view->nodes_ms && at - view->nodes_ms < RATE_SPAN_MS && !ends_run(pr_get_str(p, "event", "")))
			continue;
		if (view->nodes_ms && nodes >= view->nodes && at > view->nodes_ms)
			cl_series_add(&view->rate, at, 1000 * (nodes - view->nodes) / (double)(at - view->nodes_ms));
		if (ends_run(pr_get_str(p, "event", "")))
			cl_series_add(&view->rate, at, 0);
		view->nodes = nodes;
		view->nodes_ms = at;
	}
}

void cl_job_view_update(struct cl_job_view *view, struct pr_doc *doc, pr_ref job, int64_t at_ms)
{
	pr_doc_free(view->doc);
	view->doc = doc;
	view->job = job;
	cl_series_add(&view->pn, at_ms, cl_job_number_of(job, "pn"));
	cl_series_add(&view->dn, at_ms, cl_job_number_of(job, "dn"));
	cl_series_add(&view->rate, at_ms, pr_get_real(job, "rate", 0));
	cl_series_add(&view->entries, at_ms, pr_get_real(job, "entries", 0));
	cl_series_add(&view->facts, at_ms, pr_get_real(job, "facts", 0));
	cl_series_add(&view->disk, at_ms, pr_get_real(job, "disk", 0));
}

void cl_job_view_explain(struct cl_job_view *view, pr_ref result)
{
	bool runs = !strcmp(pr_get_str(result, "reason", ""), "running");
	view->threads = pr_get_int(result, "threads", -1);
	view->checkpoint_ms = pr_get_int(result, "checkpoint", 0);
	snprintf(view->why, sizeof view->why, "%s", runs ? "" : pr_get_str(result, "text", ""));
}

/* The index of the child with the most search threads at or below it; 0: no child has any. */
static size_t searched_child(pr_ref positions, size_t parent)
{
	size_t best = 0;
	int64_t threads = 0;
	for (size_t i = parent + 1; i < pr_count(positions); i++) {
		pr_ref p = pr_at(positions, i);
		if (pr_get_int(p, "parent", -1) != (int64_t)parent || pr_get_int(p, "threads", 0) <= threads)
			continue;
		best = i;
		threads = pr_get_int(p, "threads", 0);
	}
	return best;
}

void cl_job_view_tree(struct cl_job_view *view, pr_ref result)
{
	pr_ref positions = pr_get(result, "positions");
	size_t used = 0;
	view->line[0] = 0;
	for (size_t at = 0; (at = searched_child(positions, at)) != 0;) {
		const char *move = pr_get_str(pr_at(positions, at), "move", "?");
		if (used + strlen(move) + 2 > sizeof view->line)
			return;
		used += (size_t)snprintf(view->line + used, sizeof view->line - used, "%s%s", used ? " " : "", move);
	}
}

/* A time without fractions of a second. */
static const char *duration_text(struct cl_text *out, double seconds)
{
	if (!(seconds < 60))
		return cl_duration(out, seconds);
	snprintf(out->at, sizeof out->at, "%.0f s", seconds > 0 ? floor(seconds) : 0);
	return out->at;
}

/* The place of the gauges on the screen. */
struct grid {
	struct cl_screen *screen;
	struct cl_spark spark; /* everything except the heights */
	unsigned columns;      /* gauges side by side: 1 or 2 */
	unsigned width;        /* of one, columns */
	unsigned next;         /* gauges drawn */
};

static void draw_gauge(struct grid *g, const char *label, const char *value, const struct cl_series *series)
{
	char drawing[CL_SPARK_BYTES];
	unsigned at = g->next++ % g->columns * g->width, room = g->width > LABEL + VALUE ? g->width - LABEL - VALUE : 0;
	struct cl_screen *s = g->screen;
	cl_screen_to(s, at + 2);
	cl_screen_put(s, s->ink.dim, "%-*s", LABEL - 2, label);
	cl_screen_put(s, "", "%*s ", VALUE - 1, value);
	if (room >= SPARK_MIN) {
		g->spark.columns = room - 2 < CL_SPARK_COLUMNS ? room - 2 : CL_SPARK_COLUMNS;
		cl_series_draw(series, &g->spark, drawing);
		cl_screen_put(s, s->ink.good, "%s", drawing);
	}
	if (g->next % g->columns == 0)
		cl_screen_newline(s);
}

/* Draws pn and dn on one scale, so that the smaller one is visible. */
static void draw_numbers(const struct cl_job_view *v, struct grid *g)
{
	struct cl_text text;
	int64_t from = g->spark.from_ms;
	double low = INFINITY, high = 0;
	cl_series_range(&v->pn, from, true, &low, &high);
	cl_series_range(&v->dn, from, true, &low, &high);
	g->spark.log = true;
	g->spark.low = isfinite(low) ? low : 0;
	g->spark.high = high;
	draw_gauge(g, "pn", cl_number(&text, pr_get(v->job, "pn")), &v->pn);
	draw_gauge(g, "dn", cl_number(&text, pr_get(v->job, "dn")), &v->dn);
	g->spark.log = false;
	g->spark.low = 0;
}

/* Draws a gauge from 0 to the largest value. */
static void draw_amount(struct grid *g, const char *label, const char *value, const struct cl_series *series)
{
	double low = 0;
	g->spark.high = 0;
	cl_series_range(series, g->spark.from_ms, false, &low, &g->spark.high);
	draw_gauge(g, label, value, series);
}

static void draw_gauges(const struct cl_job_view *v, struct cl_screen *s, int64_t now_ms)
{
	struct cl_text text;
	char rate[sizeof text.at + 4];
	double entries = pr_get_real(v->job, "entries", 0), capacity = pr_get_real(v->job, "capacity", 0);
	struct grid g = {.screen = s, .columns = s->width >= TWO_COLUMNS ? 2 : 1};
	g.width = s->width / g.columns;
	g.spark.utf8 = s->utf8;
	g.spark.from_ms = v->pn.count ? v->pn.at_ms[0] : now_ms;
	g.spark.to_ms = now_ms > g.spark.from_ms ? now_ms : g.spark.from_ms;
	draw_numbers(v, &g);
	snprintf(rate, sizeof rate, "%s/s", cl_short(&text, pr_get_real(v->job, "rate", 0)));
	draw_amount(&g, "rate", rate, &v->rate);
	draw_amount(&g, "facts", cl_short(&text, pr_get_real(v->job, "facts", 0)), &v->facts);
	snprintf(text.at, sizeof text.at, "%.1f %%", capacity > 0 ? 100 * entries / capacity : 0);
	g.spark.high = capacity > 0 ? capacity : 1;
	draw_gauge(&g, "table", text.at, &v->entries);
	draw_amount(&g, "disk", cl_bytes(&text, pr_get_real(v->job, "disk", 0)), &v->disk);
	if (g.next % g.columns)
		cl_screen_newline(s);
}

/* Draws texts side by side, separated by three blanks, on one line or more. */
static void draw_piece(struct cl_screen *s, const char *ink, const char *text)
{
	unsigned size = (unsigned)strlen(text);
	if (!size)
		return;
	if (s->column > 2 && s->column + 3 + size > s->width)
		cl_screen_newline(s);
	cl_screen_to(s, s->column > 2 ? s->column + 3 : 2);
	cl_screen_put(s, ink, "%s", text);
}

static void draw_head(const struct cl_job_view *v, struct cl_screen *s)
{
	char text[200];
	struct cl_text a, question;
	const char *state = pr_get_str(v->job, "state", "?"), *reason = pr_get_str(v->job, "reason", "");
	cl_screen_put(s, s->ink.bold, "job %" PRId64 "  %s", pr_get_int(v->job, "job", 0),
		      cl_question(&question, v->job));
	cl_screen_newline(s);
	draw_piece(s, cl_state_ink(&s->ink, state), state);
	draw_piece(s, "", cl_duration(&a, pr_get_real(v->job, "seconds", 0)));
	draw_piece(s, "", cl_short_of(&a, cl_job_nodes(v->job), "node"));
	draw_piece(s, "", v->threads > 0 ? cl_counted(&a, v->threads, "thread") : "");
	snprintf(text, sizeof text, "restarts %" PRId64, pr_get_int(v->job, "restarts", 0));
	draw_piece(s, "", pr_get_int(v->job, "restarts", 0) ? text : "");
	cl_screen_newline(s);
	cl_screen_wrap(s, s->ink.warm, *reason ? reason : v->why, 2, REASON_LINES);
}

static void draw_question(const struct cl_job_view *v, struct cl_screen *s)
{
	char text[200];
	const char *known = pr_get_str(pr_get(v->job, "value"), "text", "unknown"),
		   *leading = pr_get_str(v->job, "leading", NULL);
	snprintf(text, sizeof text, "is it true that first>=%" PRId64 "?", pr_get_int(v->job, "threshold", 0));
	draw_piece(s, "", text);
	snprintf(text, sizeof text, "leading move %.100s", leading ? leading : "");
	draw_piece(s, "", leading ? text : "");
	snprintf(text, sizeof text, "searches %s", v->line);
	draw_piece(s, "", v->line[0] && !strcmp(pr_get_str(v->job, "state", ""), "running") ? text : "");
	snprintf(text, sizeof text, "known: %.100s", known);
	draw_piece(s, s->ink.good, strcmp(known, "unknown") != 0 ? text : "");
	cl_screen_newline(s);
}

static void draw_budget(struct cl_screen *s, double used, double budget, const char *of)
{
	char text[240];
	if (budget <= 0)
		return;
	snprintf(text, sizeof text, "%.0f %% of %.100s used", 100 * used / budget, of);
	draw_piece(s, "", text);
}

static void draw_limits(const struct cl_job_view *v, struct cl_screen *s, int64_t now_ms)
{
	char text[200];
	struct cl_text a;
	pr_ref budget = pr_get(v->job, "budget");
	double nodes = pr_get_real(budget, "nodes", 0), seconds = pr_get_real(budget, "seconds", 0);
	double cpu = pr_get_real(budget, "cpu", 0), disk = pr_get_real(budget, "disk", 0);
	double since = (double)(now_ms - v->checkpoint_ms) / 1000;
	snprintf(text, sizeof text, "last checkpoint %s ago", duration_text(&a, since));
	draw_piece(s, "", since < 2 ? "last checkpoint just now" : v->checkpoint_ms ? text : "");
	draw_budget(s, cl_job_nodes(v->job), nodes, cl_short_of(&a, nodes, "node"));
	draw_budget(s, pr_get_real(v->job, "seconds", 0), seconds, cl_duration(&a, seconds));
	snprintf(text, sizeof text, "%s of processor time", cl_duration(&a, cpu));
	draw_budget(s, pr_get_real(v->job, "cpu", 0), cpu, text);
	snprintf(text, sizeof text, "%s of disk", cl_bytes(&a, disk));
	draw_budget(s, pr_get_real(v->job, "table_bytes", 0), disk, text);
	snprintf(text, sizeof text, "drawn: the last %s",
		 duration_text(&a, v->pn.count ? (double)(now_ms - v->pn.at_ms[0]) / 1000 : 0));
	draw_piece(s, s->ink.dim, text);
	cl_screen_newline(s);
}

void cl_job_view_draw(const struct cl_job_view *v, struct cl_screen *s, int64_t now_ms, const char *keys)
{
	PD_ASSERT(v->job);
	cl_screen_begin(s);
	draw_head(v, s);
	draw_question(v, s);
	draw_gauges(v, s, now_ms);
	draw_limits(v, s, now_ms);
	cl_screen_wrap(s, s->ink.warm, v->message, 2, 2);
	if (s->keys)
		draw_piece(s, s->ink.dim, keys);
	cl_screen_end(s);
}
