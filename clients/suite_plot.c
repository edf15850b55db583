#include "clients/suite_plot.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/base/assert.h"
#include "proto/base/buf.h"

enum { WIDTH = 720, HEIGHT = 480, LEFT = 80, RIGHT = 24, TOP = 40, BOTTOM = 60, LINE = 18, BYTES = 64 << 20 };

static const char *const colours[] = {"#2f7ed8", "#e2711d", "#2a9d55", "#c03a8c",
				      "#8a6fd1", "#b08900", "#159aa5", "#d04545"};

enum { COLOURS = sizeof colours / sizeof *colours };

/* From the values to the pixels of an axis. */
struct axis {
	double low, high; /* of the values */
	bool log;
	double from, to; /* pixels */
};

static double place_of(const struct axis *a, double value)
{
	double low = a->log ? log10(a->low) : a->low, high = a->log ? log10(a->high) : a->high;
	double v = a->log ? log10(value) : value;
	return a->from + (a->to - a->from) * (v - low) / (high - low);
}

/* An axis of whole decades around the values. */
static struct axis log_axis(double low, double high, double from, double to)
{
	low = pow(10, floor(log10(low)));
	high = pow(10, ceil(log10(high)));
	return (struct axis){low, high > low ? high : 10 * low, true, from, to};
}

static void put_text(struct pd_buf *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&':
			pd_buf_puts(out, "&amp;");
			break;
		case '<':
			pd_buf_puts(out, "&lt;");
			break;
		case '>':
			pd_buf_puts(out, "&gt;");
			break;
		default:
			pd_buf_put(out, text, 1);
		}
}

/* A text at a place; `how` has more attributes. */
static void put_label(struct pd_buf *out, double x, double y, const char *how, const char *text)
{
	pd_buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, how);
	put_text(out, text);
	pd_buf_puts(out, "</text>\n");
}

static void begin_plot(struct pd_buf *out, const char *title, const char *across, const char *up)
{
	pd_buf_printf(
		out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
		"font-family=\"DejaVu Sans, sans-serif\" font-size=\"13\">\n<style>.paper{fill:#fff}text{fill:#222}"
		".grid{stroke:#ddd}.edge{stroke:#888}@media(prefers-color-scheme:dark){.paper{fill:#181a1d}"
		"text{fill:#ddd}.grid{stroke:#33373c}.edge{stroke:#999}}</style>\n"
		"<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n",
		WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
	put_label(out, LEFT, TOP - 16, "font-weight=\"bold\"", title);
	put_label(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 16, "text-anchor=\"middle\"", across);
	char turn[80];
	snprintf(turn, sizeof turn, "text-anchor=\"middle\" transform=\"rotate(-90 18 %d)\"",
		 (TOP + HEIGHT - BOTTOM) / 2);
	put_label(out, 18, (TOP + HEIGHT - BOTTOM) / 2.0, turn, up);
}

static void put_tick(struct pd_buf *out, const struct axis *a, double value, bool across)
{
	double at = place_of(a, value);
	char text[32];
	if (a->log && (value >= 1e5 || value < 1e-3))
		snprintf(text, sizeof text, "1e%.0f", log10(value));
	else
		snprintf(text, sizeof text, "%g", value);
	if (across) {
		pd_buf_printf(out, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>\n", at, TOP, HEIGHT - BOTTOM);
		put_label(out, at, HEIGHT - BOTTOM + LINE, "text-anchor=\"middle\"", text);
	} else {
		pd_buf_printf(out, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", LEFT, at, WIDTH - RIGHT);
		put_label(out, LEFT - 8, at + 4, "text-anchor=\"end\"", text);
	}
}

/* At the decades, or at about eight round numbers. */
static void put_ticks(struct pd_buf *out, const struct axis *a, bool across)
{
	double step = pow(10, floor(log10(fmax(a->high, 1))));
	step = step > a->high / 2 ? step / 5 : step;
	if (a->log)
		for (double v = a->low; v <= a->high * 1.01; v *= 10)
			put_tick(out, a, v, across);
	else
		for (double v = 0; v <= a->high; v += fmax(step, 1))
			put_tick(out, a, v, across);
}

static int end_plot(struct pd_buf *out, const char *dir, const char *name, struct pd_fail *fail)
{
	char path[PATH_MAX];
	pd_buf_puts(out, "</svg>\n");
	snprintf(path, sizeof path, "%s/%s", dir, name);
	if (out->failed)
		return cl_no_memory(fail);
	FILE *file = fopen(path, "w");
	bool good = file && fwrite(out->data, 1, out->size, file) == out->size;
	if (file && fclose(file))
		good = false;
	return good ? PD_OK : pd_fail_errno(fail, "svg", "write", path);
}

/* One variant's steps; `costs` are its answered runs, sorted. */
static void put_steps(struct pd_buf *out, const struct axis *x, const struct axis *y, const double *costs,
		      unsigned count, const char *colour)
{
	pd_buf_printf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", colour);
	for (unsigned i = 0; i < count; i++)
		pd_buf_printf(out, "%c%.1f %.1f", i ? 'L' : 'M', place_of(x, i + 1), place_of(y, costs[i]));
	pd_buf_puts(out, "\"/>\n");
}

static int plot_cactus(const struct cl_report *r, enum cl_unit unit, const char *dir, struct pd_fail *fail)
{
	struct pd_buf out;
	char name[64];
	unsigned most = 0;
	double low = INFINITY, high = 0;
	for (unsigned c = 0; c < r->column_count; c++) {
		unsigned n = cl_report_costs(r, c, UINT_MAX, unit, NULL);
		most = n > most ? n : most;
	}
	double *costs = calloc((size_t)most + 1, sizeof *costs);
	if (!costs)
		return cl_no_memory(fail);
	for (unsigned c = 0; c < r->column_count; c++)
		for (unsigned i = cl_report_costs(r, c, UINT_MAX, unit, costs); i-- > 0;)
			if (isfinite(costs[i])) {
				low = fmin(low, costs[i]);
				high = fmax(high, costs[i]);
			}
	low = high > 0 ? low : 1;
	const struct axis x = {0, most, false, LEFT, WIDTH - RIGHT};
	const struct axis y = log_axis(low, fmax(high, low), HEIGHT - BOTTOM, TOP);
	pd_buf_init(&out, BYTES);
	begin_plot(&out, "runs answered within a cost", "runs answered", cl_unit_axis(unit));
	put_ticks(&out, &x, true);
	put_ticks(&out, &y, false);
	for (unsigned c = 0; c < r->column_count; c++) {
		unsigned n = cl_report_costs(r, c, UINT_MAX, unit, costs), solved = 0;
		while (solved < n && isfinite(costs[solved]))
			solved++;
		put_steps(&out, &x, &y, costs, solved, colours[c % COLOURS]);
		pd_buf_printf(&out, "<path stroke=\"%s\" stroke-width=\"3\" d=\"M%d %dh20\"/>\n", colours[c % COLOURS],
			      LEFT + 12, TOP + 12 + LINE * (int)c);
		put_label(&out, LEFT + 38, TOP + 16 + LINE * (int)c, "", r->columns[c].label);
	}
	free(costs);
	snprintf(name, sizeof name, "cactus-%s.svg", cl_unit_name(unit));
	int rc = end_plot(&out, dir, name, fail);
	pd_buf_fini(&out);
	return rc;
}

static void put_point(struct pd_buf *out, const struct axis *x, const struct axis *y, const double at[2],
		      const struct cl_report_question *q)
{
	bool both = isfinite(at[0]) && isfinite(at[1]);
	pd_buf_printf(out,
		      "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\" fill-opacity=\"%s\" stroke=\"%s\"><title>",
		      place_of(x, fmin(at[0], x->high)), place_of(y, fmin(at[1], y->high)), colours[0],
		      both ? "0.6" : "0", colours[0]);
	put_text(out, q->name);
	pd_buf_puts(out, "</title></circle>\n");
}

static int plot_scatter(const struct cl_report *r, unsigned column, enum cl_unit unit, const char *dir,
			struct pd_fail *fail)
{
	struct pd_buf out;
	char text[3][2 * CL_LABEL];
	double low = INFINITY, high = 0;
	for (unsigned q = 0; q < r->question_count; q++)
		for (unsigned i = 0; i < 2; i++) {
			double cost = cl_report_median(r, i ? column : 0, q, unit);
			low = isfinite(cost) ? fmin(low, cost) : low;
			high = isfinite(cost) ? fmax(high, cost) : high;
		}
	low = high > 0 ? low : 1;
	const struct axis x = log_axis(low, fmax(high, low) * 1.5, LEFT, WIDTH - RIGHT);
	const struct axis y = log_axis(low, fmax(high, low) * 1.5, HEIGHT - BOTTOM, TOP);
	pd_buf_init(&out, BYTES);
	snprintf(text[0], sizeof text[0], "%s: %s", r->columns[0].label, cl_unit_axis(unit));
	snprintf(text[1], sizeof text[1], "%s: %s", r->columns[column].label, cl_unit_axis(unit));
	begin_plot(&out, "medians of the questions; hollow at an edge: not answered", text[0], text[1]);
	put_ticks(&out, &x, true);
	put_ticks(&out, &y, false);
	pd_buf_printf(&out, "<path class=\"edge\" d=\"M%d %dL%d %d\"/>\n", LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, TOP);
	for (unsigned q = 0; q < r->question_count; q++) {
		const double at[2] = {cl_report_median(r, 0, q, unit), cl_report_median(r, column, q, unit)};
		if (!isnan(at[0]) && !isnan(at[1]))
			put_point(&out, &x, &y, at, &r->questions[q]);
	}
	snprintf(text[2], sizeof text[2], "scatter-%s-%u.svg", cl_unit_name(unit), column + 1);
	int rc = end_plot(&out, dir, text[2], fail);
	pd_buf_fini(&out);
	return rc;
}

int cl_suite_plots(const struct cl_report *report, const char *dir, struct pd_fail *fail)
{
	int rc = PD_OK;
	PD_ASSERT(report->column_count);
	if (mkdir(dir, 0777) && errno != EEXIST)
		return pd_fail_errno(fail, "svg", "make", dir);
	for (enum cl_unit u = 0; !rc && u < CL_UNIT_COUNT; u++) {
		rc = plot_cactus(report, u, dir, fail);
		for (unsigned c = 1; !rc && c < report->column_count; c++)
			rc = plot_scatter(report, c, u, dir, fail);
	}
	return rc;
}
