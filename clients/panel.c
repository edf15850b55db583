#include "clients/panel.h"

#include <inttypes.h>
#include <string.h>

#include "clients/show.h"
#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/print.h"

static const double interval_default_s = 5;

enum { LINE_BYTES = 512 };

void cl_panel_init(struct cl_panel *panel, FILE *file, double interval_s)
{
	*panel = (struct cl_panel){.file = file, .live = cl_is_terminal(file), .said_ns = pd_now_ns()};
	panel->interval_s = interval_s > 0 ? interval_s : interval_default_s;
	PD_ASSERT(file && panel->interval_s > 0);
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
	pd_print(panel->file, "job %" PRId64 "  %-8s  %12s  %7s nodes  %7s/s  %8s facts  %s\n",
		 pr_get_int(job, "job", 0), pr_get_str(job, "state", "?"),
		 cl_duration(&time, pr_get_real(job, "seconds", 0)), cl_short(&nodes, cl_job_nodes(job)),
		 cl_short(&rate, pr_get_real(job, "rate", 0)), cl_short(&facts, pr_get_real(job, "facts", 0)), numbers);
	fflush(panel->file);
}

/* Draws one line, cut to the terminal's width, because a wrapped line could not be redrawn. */
static void draw_line(struct cl_panel *panel, const char *ink, const char *off, const char *text)
{
	pd_print(panel->file, "%s%.*s%s\033[K\n", ink, (int)cl_width(panel->file) - 1, text, off);
	panel->lines++;
}

/* Draws pieces of text side by side, on one line or more. Cuts a piece only if it is longer than a line; omits
 * empty pieces. */
static void draw_pieces(struct cl_panel *panel, const char *ink, const char *off, const char *indent,
			const char *const *pieces, unsigned count)
{
	char line[LINE_BYTES];
	size_t room = cl_width(panel->file) - 1, used = strlen(indent);
	PD_ASSERT(panel->live && used < sizeof line);
	snprintf(line, sizeof line, "%s", indent);
	for (unsigned i = 0; i < count; i++) {
		size_t size = strlen(pieces[i]), gap = used > strlen(indent) ? 3 : 0;
		if (!size)
			continue;
		if (gap && (used + gap + size > room || used + gap + size >= sizeof line)) {
			draw_line(panel, ink, off, line);
			used = strlen(indent);
			gap = 0;
		}
		int n = snprintf(line + used, sizeof line - used, "%*s%s", (int)gap, "", pieces[i]);
		PD_ASSERT(n >= 0);
		used = strlen(line);
	}
	draw_line(panel, ink, off, line);
}

static void go_up(struct cl_panel *panel)
{
	if (panel->lines)
		pd_print(panel->file, "\033[%uA\r", panel->lines);
	panel->lines = 0;
}

static void draw_head(struct cl_panel *panel, const struct cl_ink *ink, pr_ref job)
{
	char name[LINE_BYTES];
	struct cl_text question, time;
	const char *state = pr_get_str(job, "state", "?");
	snprintf(name, sizeof name, "job %" PRId64 "  %s", pr_get_int(job, "job", 0), cl_question(&question, job));
	const char *pieces[] = {name, state, cl_duration(&time, pr_get_real(job, "seconds", 0)),
				pr_get_str(job, "reason", "")};
	draw_pieces(panel, cl_state_ink(ink, state), ink->off, "", pieces, sizeof pieces / sizeof *pieces);
}

static void draw_panel(struct cl_panel *panel, pr_ref job)
{
	char nodes[LINE_BYTES / 4], numbers[LINE_BYTES / 2], known[LINE_BYTES / 4] = "", facts[LINE_BYTES / 4];
	char entries[LINE_BYTES / 4], disk[LINE_BYTES / 4], restarts[LINE_BYTES / 4] = "";
	struct cl_ink ink = cl_ink_of(panel->file);
	struct cl_text a, b;
	double full = pr_get_real(job, "entries", 0), capacity = pr_get_real(job, "capacity", 0);
	const char *value = pr_get_str(pr_get(job, "value"), "text", "unknown");
	go_up(panel);
	draw_head(panel, &ink, job);
	snprintf(nodes, sizeof nodes, "%s  %s/s", cl_short_of(&a, cl_job_nodes(job), "node"),
		 cl_short(&b, pr_get_real(job, "rate", 0)));
	say_numbers(job, numbers, sizeof numbers);
	if (strcmp(value, "unknown") != 0)
		snprintf(known, sizeof known, "known: %s", value);
	const char *search[] = {nodes, numbers, known};
	draw_pieces(panel, "", "", "  ", search, sizeof search / sizeof *search);
	snprintf(facts, sizeof facts, "%s", cl_short_of(&a, pr_get_real(job, "facts", 0), "fact"));
	snprintf(entries, sizeof entries, "tt %s entries (%.1f %%)", cl_short(&a, full),
		 capacity > 0 ? 100 * full / capacity : 0);
	snprintf(disk, sizeof disk, "disk %s", cl_bytes(&a, pr_get_real(job, "disk", 0)));
	if (pr_get_int(job, "restarts", 0))
		snprintf(restarts, sizeof restarts, "restarts %s", cl_count(&a, pr_get_int(job, "restarts", 0)));
	const char *memory[] = {facts, entries, disk, restarts};
	draw_pieces(panel, ink.dim, ink.off, "  ", memory, sizeof memory / sizeof *memory);
	fflush(panel->file);
}

void cl_panel_update(struct cl_panel *panel, pr_ref job)
{
	const char *state = pr_get_str(job, "state", "?");
	uint64_t now = pd_now_ns();
	bool changed = strcmp(state, panel->state) != 0;
	if (panel->live) {
		draw_panel(panel, job);
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
