/* proofctl top: all jobs of a server that have not ended; live on a terminal, elsewhere as text. */
#include <inttypes.h>

#include "clients/commands.h"
#include "clients/follow.h"
#include "clients/interrupt.h"
#include "clients/live.h"
#include "clients/show.h"
#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/print.h"

enum {
	JOBS_MAX = 1000,  /* listed jobs of each state */
	LISTS = 3,        /* states of jobs that have not ended */
	PERIOD_MS = 1000, /* between two updates, by default */
	QUESTION_MIN = 12,
	KEY_LINES = 2, /* lines that explain the keys */
	BELOW = 5      /* lines of the screen that are not rows: the head, a message, the keys */
};

/* How jobs are sorted. */
enum order { BY_STATE, BY_RATE, BY_PRIORITY, ORDERS };

static const char *const order_names[ORDERS] = {"state", "rate", "priority"};
/* Sorted as by BY_STATE. */
static const char *const states[LISTS] = {"running", "queued", "paused"};

struct top {
	const struct cl_options *options;
	struct cl_live live;
	enum order order;
	struct pr_doc *docs[LISTS + 1]; /* owned: the lists, and the server's figures */
	pr_ref stats;                   /* borrowed from `docs`; NULL: none yet */
	pr_ref jobs[LISTS * JOBS_MAX];  /* borrowed from `docs`, sorted */
	unsigned count;
	int64_t selected; /* number of the selected job; 0: the first one */
	char message[CL_LIVE_MESSAGE];
};

/* --- the jobs ----------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
	int64_t x = pr_get_int(*(const pr_ref *)a, "job", 0), y = pr_get_int(*(const pr_ref *)b, "job", 0);
	return (x > y) - (x < y);
}

static int by_rate(const void *a, const void *b)
{
	pr_ref p = *(const pr_ref *)a, q = *(const pr_ref *)b;
	double x = pr_get_real(p, "rate", 0), y = pr_get_real(q, "rate", 0);
	return x != y ? (x < y) - (x > y) : by_number(a, b);
}

static int by_priority(const void *a, const void *b)
{
	pr_ref p = *(const pr_ref *)a, q = *(const pr_ref *)b;
	int64_t x = pr_get_int(p, "priority", 0), y = pr_get_int(q, "priority", 0);
	return x != y ? (x < y) - (x > y) : by_number(a, b);
}

static int rank_of_state(pr_ref job)
{
	int rank = 0;
	while (rank < LISTS && strcmp(pr_get_str(job, "state", ""), states[rank]) != 0)
		rank++;
	return rank;
}

static int by_state(const void *a, const void *b)
{
	int x = rank_of_state(*(const pr_ref *)a), y = rank_of_state(*(const pr_ref *)b);
	return x != y ? x - y : by_priority(a, b);
}

static void sort_jobs(struct top *t)
{
	static int (*const compare[ORDERS])(const void *, const void *) = {by_state, by_rate, by_priority};
	PD_ASSERT(t->order < ORDERS);
	qsort(t->jobs, t->count, sizeof *t->jobs, compare[t->order]);
}

static void drop_replies(struct top *t)
{
	for (unsigned i = 0; i <= LISTS; i++) {
		pr_doc_free(t->docs[i]);
		t->docs[i] = NULL;
	}
	t->stats = NULL;
	t->count = 0;
}

/* Drops the second of two entries for a job that changed its state between two lists. */
static void drop_doubles(struct top *t)
{
	unsigned kept = 0;
	qsort(t->jobs, t->count, sizeof *t->jobs, by_number);
	for (unsigned i = 0; i < t->count; i++)
		if (!kept || by_number(&t->jobs[kept - 1], &t->jobs[i]) != 0)
			t->jobs[kept++] = t->jobs[i];
	t->count = kept;
}

/* Asks the server. An error changes nothing. */
static int ask_server(struct top *t, struct pd_fail *fail)
{
	struct pr_doc *docs[LISTS + 1] = {NULL};
	pr_ref lists[LISTS], stats = NULL;
	int rc = cl_link_call(t->live.link, "server.stats", NULL, &stats, fail);
	for (unsigned i = 0; !rc && i < LISTS; i++) {
		docs[i] = cl_link_keep(t->live.link); /* the result of the previous call */
		rc = cl_ask(t->live.link, "job.list", &lists[i], fail, PR_S("state", states[i]),
			    PR_U("limit", JOBS_MAX));
	}
	if (rc) {
		for (unsigned i = 0; i < LISTS; i++)
			pr_doc_free(docs[i]);
		return rc;
	}
	docs[LISTS] = cl_link_keep(t->live.link);
	drop_replies(t);
	memcpy(t->docs, docs, sizeof docs);
	t->stats = stats;
	for (unsigned i = 0; i < LISTS; i++) {
		pr_ref jobs = pr_get(lists[i], "jobs");
		for (size_t k = 0; k < pr_count(jobs) && k < JOBS_MAX; k++)
			t->jobs[t->count++] = pr_at(jobs, k);
	}
	drop_doubles(t);
	sort_jobs(t);
	return PD_OK;
}

/* --- texts -------------------------------------------------------------------------------- */

static void print_total(const struct top *t, unsigned line, char *out, size_t size)
{
	struct cl_text a, b, c;
	pr_ref s = t->stats, jobs = pr_get(s, "jobs");
	switch (line) {
	case 0:
		snprintf(out, size,
			 "%" PRId64 " running, %" PRId64 " queued, %" PRId64 " paused; %" PRId64 " of %" PRId64
			 " threads search",
			 pr_get_int(jobs, "running", 0), pr_get_int(jobs, "queued", 0), pr_get_int(jobs, "paused", 0),
			 pr_get_int(s, "busy", 0), pr_get_int(s, "threads", 0));
		break;
	case 1:
		snprintf(out, size, "%s nodes/s; memory %s of %s", cl_short(&a, pr_get_real(s, "rate", 0)),
			 cl_bytes(&b, pr_get_real(s, "memory", 0)), cl_bytes(&c, pr_get_real(s, "memory_limit", 0)));
		break;
	default:
		snprintf(out, size, "%s; disk %s, free %s", cl_short_of(&a, pr_get_real(s, "facts", 0), "fact"),
			 cl_bytes(&b, pr_get_real(s, "work_bytes", 0) + pr_get_real(s, "facts_bytes", 0)),
			 cl_bytes(&c, pr_get_real(s, "disk_free", 0)));
		break;
	}
}

enum { TOTALS = 3 };

static void begin_table(struct cl_table *table, FILE *file, unsigned limit)
{
	static const struct cl_column columns[] = {
		{"job", 6, 0, 0, true},     {"state", 7, 0, 0, false}, {"question", 40, QUESTION_MIN, 0, false},
		{"nodes/s", 7, 0, 0, true}, {"nodes", 7, 0, 3, true},  {"pn", 11, 0, 4, true},
		{"dn", 11, 0, 5, true},     {"table", 7, 0, 2, true},
	};
	cl_table_fit(table, file, columns, sizeof columns / sizeof *columns, limit);
}

static void put_job(struct cl_table *table, pr_ref job)
{
	struct cl_text text;
	double capacity = pr_get_real(job, "capacity", 0);
	snprintf(text.at, sizeof text.at, "%" PRId64, pr_get_int(job, "job", 0));
	cl_table_cell(table, text.at);
	cl_table_cell(table, pr_get_str(job, "state", "?"));
	cl_table_cell(table, cl_question(&text, job));
	cl_table_cell(table, cl_short(&text, pr_get_real(job, "rate", 0)));
	cl_table_cell(table, cl_short(&text, cl_job_nodes(job)));
	cl_table_cell(table, cl_number(&text, pr_get(job, "pn")));
	cl_table_cell(table, cl_number(&text, pr_get(job, "dn")));
	snprintf(text.at, sizeof text.at, "%.1f %%",
		 capacity > 0 ? 100 * pr_get_real(job, "entries", 0) / capacity : 0);
	cl_table_cell(table, text.at);
}

/* --- no terminal -------------------------------------------------------------------------- */

static int print_json(const struct top *t, struct pd_fail *fail)
{
	struct cl_json json;
	cl_json_begin(&json);
	pr_members(&json.out, PR_J("stats", t->stats));
	pr_open_array(&json.out, "jobs");
	for (unsigned i = 0; i < t->count; i++)
		pr_members(&json.out, PR_J(NULL, t->jobs[i]));
	pr_close(&json.out);
	return cl_json_print(&json, stdout, fail);
}

static void print_text(const struct top *t)
{
	struct cl_table table;
	char line[300];
	for (unsigned i = 0; i < TOTALS; i++) {
		print_total(t, i, line, sizeof line);
		pd_print(stdout, "%s\n", line);
	}
	begin_table(&table, stdout, CL_NO_LIMIT);
	cl_table_head(&table);
	for (unsigned i = 0; i < t->count; i++)
		put_job(&table, t->jobs[i]);
}

/* Prints once, or with --interval until a signal arrives or the reader closes the pipe. */
static int print_all(struct top *t, int *exit_code, struct pd_fail *fail)
{
	bool again = cl_given(t->options, CL_OPT_INTERVAL);
	int number = 0, rc = PD_OK;
	if (again)
		cl_interrupt_hold();
	while (!rc && !number) {
		rc = ask_server(t, fail);
		if (!rc && cl_given(t->options, CL_OPT_JSON))
			rc = print_json(t, fail);
		else if (!rc)
			print_text(t);
		if (rc || !again || fflush(stdout) || ferror(stdout))
			return rc;
		rc = cl_follow_pause(t->live.link, t->live.interval_s, &number, fail);
	}
	*exit_code = number ? CL_EXIT_SIGNAL + number : *exit_code;
	return rc;
}

/* --- a terminal --------------------------------------------------------------------------- */

/* The index of the selected job. */
static unsigned find_selection(const struct top *t)
{
	for (unsigned i = 0; i < t->count; i++)
		if (pr_get_int(t->jobs[i], "job", 0) == t->selected)
			return i;
	return 0;
}

static void select_next(struct top *t, int step)
{
	unsigned at = find_selection(t);
	if (step > 0 && at + 1 < t->count)
		at++;
	else if (step < 0 && at)
		at--;
	t->selected = t->count ? pr_get_int(t->jobs[at], "job", 0) : 0;
}

static void draw_table(struct top *t)
{
	struct cl_screen *s = &t->live.screen;
	struct cl_table table;
	unsigned at = find_selection(t), room = s->height > s->line + BELOW ? s->height - s->line - BELOW : 1;
	unsigned from = at >= room ? at - room + 1 : 0;
	for (unsigned i = from; i <= t->count && i <= from + room; i++) {
		char *text = NULL;
		size_t size = 0;
		FILE *file = open_memstream(&text, &size); /* the head of the table, or row i - 1 */
		if (!file)
			return;
		begin_table(&table, file, s->width - 1);
		bool head = i == from;
		if (head)
			cl_table_head(&table);
		else
			put_job(&table, t->jobs[i - 1]);
		fclose(file);
		const char *mark = !head && i - 1 == at ? "> " : "  ";
		cl_screen_put(s,
			      head          ? s->ink.dim
			      : i - 1 == at ? s->ink.bold
					    : "",
			      "%s%.*s", mark, (int)strcspn(text, "\n"), text);
		cl_screen_newline(s);
		free(text);
	}
}

static void draw_screen(struct top *t)
{
	struct cl_screen *s = &t->live.screen;
	char line[300];
	cl_screen_begin(s);
	for (unsigned i = 0; t->stats && i < TOTALS; i++) {
		print_total(t, i, line, sizeof line);
		cl_screen_put(s, i ? "" : s->ink.bold, "%s", line);
		cl_screen_newline(s);
	}
	draw_table(t);
	cl_screen_wrap(s, s->ink.warm, t->message, 2, 2);
	snprintf(line, sizeof line, "q quit   up, down, Enter: a job   s by %s   p pause   r resume",
		 order_names[(t->order + 1) % ORDERS]);
	cl_screen_wrap(s, s->ink.dim, s->keys ? line : "", 2, KEY_LINES);
	cl_screen_end(s);
}

/* The panel of the selected job, until the user leaves it or the job ends. */
static void open_job(struct top *t)
{
	enum cl_live_end end;
	struct pr_doc *doc;
	pr_ref job;
	struct pd_fail why;
	double period_s = t->live.interval_s;
	if (!t->count || !t->live.link)
		return;
	t->selected = pr_get_int(t->jobs[find_selection(t)], "job", 0);
	t->message[0] = 0;
	t->live.interval_s = period_s < 0.25 ? period_s : 0.25;
	int rc = cl_live_job(&t->live, t->selected, &end, &doc, &job, &why);
	t->live.interval_s = period_s;
	if (rc)
		snprintf(t->message, sizeof t->message, "%.290s", why.text);
	else if (end == CL_LIVE_OVER)
		snprintf(t->message, sizeof t->message, "job %" PRId64 " is %.20s: %.200s", t->selected,
			 pr_get_str(job, "state", "over"), pr_get_str(pr_get(job, "value"), "text", ""));
	if (!rc)
		pr_doc_free(doc);
}

/* False when the user leaves; sets *asked to 0 to ask the server again. */
static bool take_key(struct top *t, uint64_t *asked)
{
	int key = cl_screen_key(&t->live.screen, CL_LOOK_MS);
	switch (key) {
	case 'q':
	case 'Q':
	case CL_KEY_ESCAPE:
		return false;
	case CL_KEY_UP:
	case 'k':
	case CL_KEY_DOWN:
	case 'j':
		select_next(t, key == CL_KEY_DOWN || key == 'j' ? 1 : -1);
		break;
	case 's':
		t->order = (enum order)((t->order + 1) % ORDERS);
		sort_jobs(t);
		break;
	case 'p':
	case 'r':
		if (t->count)
			cl_live_change(&t->live, key == 'p' ? "job.pause" : "job.resume",
				       pr_get_int(t->jobs[find_selection(t)], "job", 0), t->message);
		*asked = 0;
		break;
	case CL_KEY_ENTER:
		open_job(t);
		*asked = 0;
		break;
	default:
		if (!cl_screen_resized(&t->live.screen))
			return true;
		break;
	}
	draw_screen(t);
	return true;
}

/* Asks the server if that is due, and draws the reply. */
static int update_screen(struct top *t, uint64_t *asked, struct pd_fail *fail)
{
	bool was = t->live.link != NULL;
	struct pd_fail why;
	if (!cl_live_reconnect(&t->live, &why)) {
		cl_live_say_lost(&t->live, t->message, sizeof t->message);
		draw_screen(t);
		return PD_OK;
	}
	if (!was)
		t->message[0] = 0;
	uint64_t now = pd_now_ns();
	if (*asked && (double)(now - *asked) < 1e9 * t->live.interval_s)
		return PD_OK;
	*asked = now;
	int rc = ask_server(t, fail);
	if (rc && rc != PD_E_UNREACHABLE)
		return rc;
	if (rc)
		cl_live_lost(&t->live);
	draw_screen(t);
	return PD_OK;
}

static int run_live(struct top *t, int *exit_code, struct pd_fail *fail)
{
	uint64_t asked = 0;
	int rc = PD_OK;
	bool stay = true;
	cl_interrupt_hold();
	cl_screen_open(&t->live.screen, stdout);
	while (!rc && stay && !t->live.signal) {
		rc = update_screen(t, &asked, fail);
		stay = !rc && take_key(t, &asked);
		if (!t->live.signal) /* a signal may have arrived in the panel of a job */
			t->live.signal = cl_interrupt_take();
	}
	cl_screen_close(&t->live.screen);
	if (!rc && t->live.signal)
		*exit_code = CL_EXIT_SIGNAL + t->live.signal;
	return rc;
}

static int read_order(const struct cl_options *options, enum order *out, struct pd_fail *fail)
{
	const char *name = cl_given(options, CL_OPT_SORT) ? options->text[CL_OPT_SORT] : order_names[BY_STATE];
	for (unsigned i = 0; i < ORDERS; i++)
		if (!strcmp(name, order_names[i])) {
			*out = (enum order)i;
			return PD_OK;
		}
	return pd_fail_set(fail, PD_E_USAGE, "sort", "--sort takes state, rate or priority, not '%.40s'", name);
}

int cl_cmd_top(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	enum order order = BY_STATE;
	int rc = read_order(options, &order, fail);
	if (rc)
		return rc;
	struct top *t = calloc(1, sizeof *t);
	if (!t)
		return cl_no_memory(fail);
	t->options = t->live.options = options;
	t->order = order;
	t->live.interval_s = cl_given(options, CL_OPT_INTERVAL) ? options->real[CL_OPT_INTERVAL] : PERIOD_MS / 1000.0;
	rc = cl_open(options, &t->live.link, fail);
	if (!rc && !cl_given(options, CL_OPT_JSON) && cl_is_terminal(stdout))
		rc = run_live(t, exit_code, fail);
	else if (!rc)
		rc = print_all(t, exit_code, fail);
	drop_replies(t);
	cl_link_close(t->live.link);
	free(t);
	return rc;
}
