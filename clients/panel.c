/* Panel: see panel.h. */
#include "clients/panel.h"

#include <inttypes.h>
#include <string.h>

#include "clients/show.h"
#include "clients/text.h"
#include "proto/base/clock.h"

static const double interval_default_s = 5;

enum { LINE_BYTES = 256 };

void cl_panel_init(struct cl_panel *panel, FILE *file, double interval_s)
{
	*panel = (struct cl_panel){.file = file, .live = cl_is_terminal(file), .said_ns = pd_now_ns()};
	panel->interval_s = interval_s > 0 ? interval_s : interval_default_s;
}

static double nodes_of(pr_ref job)
{
	pr_ref nodes = pr_get(job, "nodes");
	return pr_get_real(nodes, "level1", 0) + pr_get_real(nodes, "level2", 0);
}

static void say_numbers(pr_ref job, char *out, size_t size)
{
	struct cl_text pn, dn;
	snprintf(out, size, "first>=%" PRId64 ": pn %s, dn %s", pr_get_int(job, "threshold", 0),
		 cl_number(&pn, pr_get(job, "pn")), cl_number(&dn, pr_get(job, "dn")));
}

static void say_line(struct cl_panel *panel, pr_ref job)
{
	struct cl_text time, nodes, rate, facts;
	char numbers[LINE_BYTES];
	say_numbers(job, numbers, sizeof numbers);
	fprintf(panel->file, "job %" PRId64 "  %-8s  %12s  %7s nodes  %7s/s  %8s facts  %s\n",
		pr_get_int(job, "job", 0), pr_get_str(job, "state", "?"),
		cl_duration(&time, pr_get_real(job, "seconds", 0)), cl_short(&nodes, nodes_of(job)),
		cl_short(&rate, pr_get_real(job, "rate", 0)), cl_short(&facts, pr_get_real(job, "facts", 0)), numbers);
	fflush(panel->file);
}

/* One line of the panel, cut to the terminal's width: a line that wraps could not be drawn over. */
static void draw_line(struct cl_panel *panel, const char *colour, const char *off, const char *text)
{
	fprintf(panel->file, "%s%.*s%s\033[K\n", colour, (int)cl_width(panel->file) - 1, text, off);
	panel->lines++;
}

static void go_up(struct cl_panel *panel)
{
	if (panel->lines)
		fprintf(panel->file, "\033[%uA\r", panel->lines);
	panel->lines = 0;
}

static void draw_head(struct cl_panel *panel, const struct cl_ink *ink, pr_ref job)
{
	char line[LINE_BYTES];
	struct cl_text question, time;
	const char *state = pr_get_str(job, "state", "?"), *reason = pr_get_str(job, "reason", NULL);
	snprintf(line, sizeof line, "job %" PRId64 "  %s  %s  %s%s%s", pr_get_int(job, "job", 0),
		 cl_question(&question, job), state, cl_duration(&time, pr_get_real(job, "seconds", 0)),
		 reason ? "  " : "", reason ? reason : "");
	draw_line(panel, cl_state_ink(ink, state), ink->off, line);
}

static void draw(struct cl_panel *panel, pr_ref job)
{
	char line[LINE_BYTES], numbers[LINE_BYTES / 2];
	struct cl_ink ink = cl_ink_of(panel->file);
	struct cl_text a, b, c, d;
	double entries = pr_get_real(job, "entries", 0), capacity = pr_get_real(job, "capacity", 0);
	const char *known = pr_get_str(pr_get(job, "value"), "text", "unknown");
	bool unknown = !strcmp(known, "unknown");
	go_up(panel);
	draw_head(panel, &ink, job);
	say_numbers(job, numbers, sizeof numbers);
	snprintf(line, sizeof line, "  %s nodes  %s/s   %s%s%s", cl_short(&a, nodes_of(job)),
		 cl_short(&b, pr_get_real(job, "rate", 0)), numbers, unknown ? "" : "   known: ", unknown ? "" : known);
	draw_line(panel, "", "", line);
	snprintf(line, sizeof line, "  %s facts   table %s entries (%.1f %%)   disk %s",
		 cl_short(&a, pr_get_real(job, "facts", 0)), cl_short(&b, entries),
		 capacity > 0 ? 100 * entries / capacity : 0, cl_bytes(&c, pr_get_real(job, "disk", 0)));
	if (pr_get_int(job, "restarts", 0))
		snprintf(line + strlen(line), sizeof line - strlen(line), "   restarts %s",
			 cl_count(&d, pr_get_int(job, "restarts", 0)));
	draw_line(panel, ink.dim, ink.off, line);
	fflush(panel->file);
}

void cl_panel_update(struct cl_panel *panel, pr_ref job)
{
	const char *state = pr_get_str(job, "state", "?");
	uint64_t now = pd_now_ns();
	bool changed = strcmp(state, panel->state) != 0;
	if (panel->live) {
		draw(panel, job);
	} else if ((changed && !panel->sparing) || (double)(now - panel->said_ns) >= panel->interval_s * 1e9) {
		panel->said_ns = now;
		say_line(panel, job);
	}
	snprintf(panel->state, sizeof panel->state, "%s", state);
}

void cl_panel_end(struct cl_panel *panel, bool wipe)
{
	if (panel->live && panel->lines && wipe) {
		go_up(panel);
		fputs("\033[J", panel->file);
		fflush(panel->file);
	}
	panel->lines = 0;
}
