#include "clients/guess.h"

#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "clients/ask.h"
#include "clients/show.h"
#include "proto/base/assert.h"
#include "proto/base/clock.h"

enum {
	PLIES_MAX = 24,         /* of best play that are looked at */
	CYCLIC_MAX = 8,         /* open plies; more of them prove nothing where positions can recur */
	TABLE_BYTES = 64 << 20, /* memory of a short search */
	NODES_PER_ENTRY = 1500, /* of a transposition table */
	BYTES_PER_ENTRY = 64,   /* with what level 2 needs */
	MEMORY_MIN = 256 << 20, /* suggested at least */
	MINUTE = 60,
	HOUR = 3600,
	DAY = 86400
};

static const int64_t short_nodes[2] = {100000, 300000};
static const double guess_seconds = 5;

struct walk {
	struct cl_adviser adviser;
	const struct cl_order *order;
	struct cl_guess *guess;
	char position[2100];
	bool over; /* the game is */
	double nodes;
	uint64_t begin_ns, end_ns;
};

/* Plays the move of the last search. */
static int play_best(struct walk *w, struct pd_fail *fail)
{
	pr_ref shown;
	int rc = cl_ask(w->adviser.link, "position.show", &shown, fail, PR_S("game", w->order->game),
			PR_S("position", w->position), PR_OPEN_ARRAY("moves"), PR_S(NULL, w->adviser.advice.move),
			PR_CLOSE);
	if (!rc) {
		snprintf(w->position, sizeof w->position, "%s", pr_get_str(shown, "position", ""));
		w->over = pr_get_bool(shown, "terminal", false);
	}
	return rc;
}

static bool is_answered(const struct cl_advice *advice)
{
	return advice->exact || advice->pn == 0 || advice->dn == 0;
}

/* Counts the plies of best play that searches of so many nodes leave open. */
static int count_open(struct walk *w, int64_t nodes, unsigned *open, int *signal, struct pd_fail *fail)
{
	struct cl_order order = *w->order;
	int rc = PD_OK;
	snprintf(w->position, sizeof w->position, "%s", w->order->position);
	order.position = w->position;
	order.nodes = nodes;
	order.threads = 1;
	order.memory = TABLE_BYTES;
	w->over = false;
	for (*open = 0; !rc && *open < PLIES_MAX && !w->over; ++*open) {
		uint64_t now = pd_now_ns();
		if (now >= w->end_ns) {
			w->guess->slow = true;
			return PD_OK;
		}
		rc = cl_adviser_run(&w->adviser, &order, (double)(w->end_ns - now) / 1e9, signal, fail);
		if (rc || *signal)
			return rc;
		w->nodes += (double)w->adviser.advice.nodes;
		if (is_answered(&w->adviser.advice) || !w->adviser.advice.move[0])
			return PD_OK;
		rc = play_best(w, fail);
	}
	return rc;
}

static enum cl_span span_of(double seconds)
{
	return seconds < MINUTE ? CL_SPAN_SECONDS
	       : seconds < HOUR ? CL_SPAN_MINUTES
	       : seconds < DAY  ? CL_SPAN_HOURS
				: CL_SPAN_DAYS;
}

/* What follows from the open plies. */
static void judge_open(struct cl_guess *g)
{
	double open = (g->open[0] + g->open[1]) / 2.0;
	g->nodes = g->solved ? g->nodes : pow(10, 5.2 + 0.33 * open);
	if (!g->slow && !(g->cyclic && open > CYCLIC_MAX))
		g->span = span_of(g->nodes / g->rate);
	g->at_end = g->open[0] >= PLIES_MAX;
	int64_t machine = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 2, wanted = MEMORY_MIN;
	double bytes = g->span ? g->nodes / NODES_PER_ENTRY * BYTES_PER_ENTRY : INFINITY;
	while (wanted < bytes && 2 * wanted <= machine)
		wanted *= 2;
	g->memory = wanted;
	g->threads = g->span == CL_SPAN_SECONDS ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
}

int cl_guess_make(struct cl_link *link, const struct cl_order *order, struct cl_guess *out, int *signal,
		  struct pd_fail *fail)
{
	struct walk w = {.adviser.link = link, .order = order, .guess = out, .begin_ns = pd_now_ns()};
	pr_ref game;
	*out = (struct cl_guess){0};
	w.end_ns = w.begin_ns + (uint64_t)(guess_seconds * 1e9);
	int rc = cl_ask(link, "game.describe", &game, fail, PR_S("game", order->game));
	if (rc)
		return rc;
	out->cyclic = !pr_get_bool(game, "acyclic", true);
	for (unsigned i = 0; !rc && !*signal && !out->slow && !out->solved && i < 2; i++) {
		if (i && out->open[0] >= PLIES_MAX) { /* it will not be fewer */
			out->open[1] = PLIES_MAX;
			break;
		}
		rc = count_open(&w, short_nodes[i], &out->open[i], signal, fail);
		out->hurried = i && out->slow;
		out->solved = !rc && !*signal && !out->open[i] && is_answered(&w.adviser.advice);
	}
	if (out->hurried) {
		out->slow = false;
		out->open[1] = out->open[1] > out->open[0] ? out->open[1] : out->open[0];
	}
	out->rate = fmax(w.nodes, 1) / fmax((double)(pd_now_ns() - w.begin_ns) / 1e9, 1e-6);
	if (out->solved)
		out->nodes = w.nodes;
	if (!rc && !*signal)
		judge_open(out);
	return rc;
}

static const char *name_span(enum cl_span span)
{
	static const char *const names[] = {"unknown", "seconds", "minutes", "hours", "days"};
	PD_ASSERT(span < sizeof names / sizeof *names);
	return names[span];
}

static void print_reason(const struct cl_guess *g, char *out, size_t size)
{
	if (g->solved)
		snprintf(out, size, "a search of %.0f nodes answers it", g->nodes);
	else if (g->slow)
		snprintf(out, size,
			 "%.0f nodes a second are too few for short searches: the machine is busy, or the game is slow",
			 g->rate);
	else if (g->hurried)
		snprintf(out, size,
			 "along best play, %u%s plies stay open to searches of 100,000 nodes, and there was no time "
			 "for longer ones%s",
			 g->open[0], g->open[0] >= PLIES_MAX ? " or more" : "",
			 g->span ? "" : "; positions can recur in this game, so this says little");
	else
		snprintf(out, size,
			 "along best play, %u%s plies stay open to searches of 100,000 nodes, and %u%s to 300,000%s",
			 g->open[0], g->open[0] >= PLIES_MAX ? " or more" : "", g->open[1],
			 g->open[1] >= PLIES_MAX ? " or more" : "",
			 g->span ? "" : "; positions can recur in this game, so this says little");
}

void cl_guess_show(FILE *file, const struct cl_guess *g)
{
	static const char *const text[] = {"cannot tell", "seconds", "minutes", "hours",
					   "more than a day on this machine"};
	struct cl_text a, b, c;
	char reason[256], seconds[160] = "";
	if (g->span && !g->at_end && !g->solved)
		snprintf(seconds, sizeof seconds, ": about %s nodes, %s to %s with one thread", cl_short(&a, g->nodes),
			 cl_duration(&b, g->nodes / CL_GUESS_FACTOR / g->rate),
			 cl_duration(&c, g->nodes * CL_GUESS_FACTOR / g->rate));
	print_reason(g, reason, sizeof reason);
	cl_row(file, "guess", "%s%s", text[g->span], seconds);
	cl_row(file, "why", "%s", reason);
	if (g->span != CL_SPAN_SECONDS)
		cl_row(file, "try",
		       "--memory %" PRId64 "M --threads %" PRId64 " --data DIR, which keeps what is proved%s",
		       g->memory >> 20, g->threads,
		       g->span == CL_SPAN_DAYS || !g->span ? "; or a smaller board, or a position further on" : "");
}

int cl_guess_json(const struct cl_guess *g, struct pd_fail *fail)
{
	char reason[256];
	bool known = g->span != CL_SPAN_UNKNOWN;
	print_reason(g, reason, sizeof reason);
	return cl_print_members(stdout, fail, PR_S("guess", name_span(g->span)), PR_S("why", reason),
				PR_OPT(known, PR_R("nodes", g->nodes, 0)),
				PR_OPT(known, PR_R("seconds", g->nodes / g->rate, 3)), PR_R("rate", g->rate, 0),
				PR_I("memory", g->memory), PR_I("threads", g->threads));
}
