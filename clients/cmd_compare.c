/* proofctl compare: the same questions, answered by several algorithms with several seeds, one run after the other.
 *
 * Each run has a core of its own in this process, on a store in memory: no run uses the results of another. With one
 * thread a run repeats node for node, as `proofctl solve` without --data does (P4). */
#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "clients/commands.h"
#include "clients/follow.h"
#include "clients/interrupt.h"
#include "clients/show.h"
#include "clients/suite_stats.h"
#include "proto/base/print.h"

enum { ALGORITHMS_MAX = 16, SEEDS_MAX = 1000, RUNS_MAX = 1000000 };

struct run {
	unsigned game, algorithm; /* indices */
	int64_t seed;
	char state[16], status[16], text[64]; /* of the job; `text`: its value in words; `state`: "" before the run */
	bool answered;
	bool has_lo, has_hi; /* bounds of the value */
	int64_t lo, hi;
	int64_t level1, level2; /* nodes */
	int64_t positions;      /* made: the unit of work that is the same for all algorithms */
	double seconds;
	int64_t entries, facts;
};

struct compare {
	const struct cl_options *options;
	enum pn_algorithm algorithm[ALGORITHMS_MAX];
	unsigned algorithm_count;
	int64_t seed[SEEDS_MAX];
	unsigned seed_count;
	char (*game)[128]; /* owned; full names */
	unsigned game_count;
	struct run *runs; /* owned; in the order of execution */
	unsigned run_count, done;
	struct cl_table table;
	bool failed, contradiction;
};

/* --- the command line --------------------------------------------------------------------- */

static int read_algorithms(struct compare *c, struct pd_fail *fail)
{
	const char *text =
		cl_given(c->options, CL_OPT_ALGORITHMS) ? c->options->text[CL_OPT_ALGORITHMS] : "pds-pn,df-pn";
	struct pd_fail why;
	for (const char *p = text;; p += strspn(p, ",")) {
		char name[32];
		size_t size = strcspn(p, ",");
		snprintf(name, sizeof name, "%.*s", (int)(size < sizeof name ? size : sizeof name - 1), p);
		if (c->algorithm_count == ALGORITHMS_MAX)
			return pd_fail_set(fail, PD_E_USAGE, "algorithms", "--algorithms takes at most %d names",
					   ALGORITHMS_MAX);
		if (pn_algorithm_parse(name, &c->algorithm[c->algorithm_count], &why))
			return pd_fail_set(fail, PD_E_USAGE, "algorithms", "--algorithms: %.280s", why.text);
		c->algorithm_count++;
		p += size;
		if (!*p)
			return PD_OK;
	}
}

static int read_seeds(struct compare *c, struct pd_fail *fail)
{
	const char *text = cl_given(c->options, CL_OPT_SEEDS) ? c->options->text[CL_OPT_SEEDS] : "0";
	for (const char *p = text;; p++) {
		char *end = NULL;
		errno = 0;
		long long seed = *p >= '0' && *p <= '9' ? strtoll(p, &end, 10) : -1;
		if (seed < 0 || errno || (*end && *end != ','))
			return pd_fail_set(fail, PD_E_USAGE, "seeds",
					   "--seeds takes integers of at least 0, separated by commas, not '%.40s'",
					   text);
		if (c->seed_count == SEEDS_MAX)
			return pd_fail_set(fail, PD_E_USAGE, "seeds", "--seeds takes at most %d numbers", SEEDS_MAX);
		c->seed[c->seed_count++] = seed;
		if (!*end)
			return PD_OK;
		p = end;
	}
}

static int check_options(const struct cl_options *o, struct pd_fail *fail)
{
	struct pn_options tuned;
	struct pd_claim claim;
	if (cl_given(o, CL_OPT_CSV) && cl_given(o, CL_OPT_JSON))
		return pd_fail_set(fail, PD_E_USAGE, "csv", "--csv and --json cannot be combined");
	if (o->word_count > 1 && (cl_given(o, CL_OPT_POSITION) || cl_given(o, CL_OPT_RECORD)))
		return pd_fail_set(fail, PD_E_USAGE, "position", "--position and --moves need a single GAME");
	int rc = cl_tunables(o, &tuned, fail);
	if (!rc && cl_given(o, CL_OPT_CLAIM))
		rc = pd_claim_parse(o->text[CL_OPT_CLAIM], &claim, fail);
	return rc;
}

/* --- the runs ----------------------------------------------------------------------------- */

static int open_core(const struct compare *c, unsigned threads, int64_t seed, struct cl_link **out,
		     struct pd_fail *fail)
{
	struct sv_config config;
	sv_config_init(&config);
	config.graphs = c->options->text[CL_OPT_GRAPHS];
	config.nice = 0;
	config.threads = threads;
	/* Safe here, because no other client chooses positions. */
	config.identity = (uint64_t)seed + 1;
	return cl_link_embed(&config, out, fail);
}

/* Checks all questions before the first run. */
static int check_games(struct compare *c, struct pd_fail *fail)
{
	struct cl_link *link;
	pr_ref shown;
	int rc = open_core(c, 0, 0, &link, fail);
	if (rc)
		return rc;
	for (unsigned i = 0; !rc && i < c->game_count; i++) {
		rc = cl_ask_given(link, c->options, PR_POSITION_SHOW, &shown, fail, PR_S("game", c->options->words[i]));
		if (!rc)
			snprintf(c->game[i], sizeof c->game[i], "%s", pr_get_str(shown, "game", "?"));
	}
	cl_link_close(link);
	return rc;
}

static int submit_run(const struct compare *c, const struct run *run, struct cl_link *link, int64_t *job,
		      struct pd_fail *fail)
{
	pr_ref result;
	int rc = cl_ask_given(link, c->options, PR_JOB_SUBMIT, &result, fail, PR_S("game", c->game[run->game]),
			      PR_S("algorithm", pn_algorithm_text(c->algorithm[run->algorithm])),
			      PR_I("seed", run->seed));
	if (!rc)
		*job = pr_get_int(result, "job", 0);
	return rc;
}

static void take_result(struct run *run, pr_ref job)
{
	pr_ref value = pr_get(job, "value"), nodes = pr_get(job, "nodes"), answer = pr_get(job, "result");
	snprintf(run->state, sizeof run->state, "%s", pr_get_str(job, "state", "?"));
	snprintf(run->status, sizeof run->status, "%s", pr_get_str(answer, "status", "unsolved"));
	snprintf(run->text, sizeof run->text, "%s", pr_get_str(value, "text", "unknown"));
	run->answered = !strcmp(run->state, "solved");
	run->has_lo = pr_kind_of(pr_get(value, "lo")) == PR_INT;
	run->has_hi = pr_kind_of(pr_get(value, "hi")) == PR_INT;
	run->lo = pr_get_int(value, "lo", 0);
	run->hi = pr_get_int(value, "hi", 0);
	run->level1 = pr_get_int(nodes, "level1", 0);
	run->level2 = pr_get_int(nodes, "level2", 0);
	run->positions = pr_get_int(nodes, "positions", 0);
	run->seconds = pr_get_real(job, "seconds", 0);
	run->entries = pr_get_int(job, "entries", 0);
	run->facts = pr_get_int(job, "facts", 0);
}

/* Does one run. *number is the number of a signal that arrived meanwhile, or 0; after a signal there is no result. */
static int do_run(struct compare *c, struct run *run, int *number, struct pd_fail *fail)
{
	unsigned threads = cl_given(c->options, CL_OPT_THREADS) ? (unsigned)c->options->whole[CL_OPT_THREADS] : 1;
	struct cl_panel panel;
	struct cl_link *link;
	pr_ref job;
	int64_t id = 0;
	int rc = open_core(c, threads < SV_THREADS_MAX ? threads : SV_THREADS_MAX, run->seed, &link, fail);
	if (rc)
		return rc;
	cl_panel_init(&panel, stderr, 0);
	struct cl_follow how = {panel.live ? &panel : NULL, false, true, panel.live ? 0.2 : 1};
	rc = submit_run(c, run, link, &id, fail);
	if (!rc)
		rc = cl_follow_job(link, id, &how, &job, number, fail);
	cl_panel_end(&panel, true);
	if (!rc && !*number)
		take_result(run, job);
	cl_link_close(link);
	return rc;
}

/* --- printing ----------------------------------------------------------------------------- */

static int64_t count_nodes(const struct run *run)
{
	return run->level1 + run->level2;
}

static void begin_table(struct compare *c)
{
	static const struct cl_column columns[] = {
		{"game", 24, 9, 0, false},     {"algorithm", 9, 7, 0, false}, {"seed", 6, 0, 2, true},
		{"positions", 13, 0, 0, true}, {"time", 12, 0, 3, true},      {"entries", 11, 0, 4, true},
		{"answer", 16, 6, 0, false},
	};
	if (cl_given(c->options, CL_OPT_CSV)) {
		puts("game,claim,algorithm,seed,state,lo,hi,nodes,level1,level2,seconds,entries,facts,positions");
	} else if (!cl_given(c->options, CL_OPT_JSON)) {
		cl_table_begin(&c->table, stdout, columns, sizeof columns / sizeof *columns);
	}
}

static const char *claim_text(const struct compare *c)
{
	return cl_given(c->options, CL_OPT_CLAIM) ? c->options->text[CL_OPT_CLAIM] : "value";
}

/* Quotes the game's name, because it may contain commas. */
static void print_csv(const struct compare *c, const struct run *run)
{
	pd_print(stdout, "\"%s\",%s,%s,%" PRId64 ",%s,", c->game[run->game], claim_text(c),
		 pn_algorithm_text(c->algorithm[run->algorithm]), run->seed, run->state);
	if (run->has_lo)
		pd_print(stdout, "%" PRId64, run->lo);
	putchar(',');
	if (run->has_hi)
		pd_print(stdout, "%" PRId64, run->hi);
	pd_print(stdout, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%.3f,%" PRId64 ",%" PRId64 ",%" PRId64 "\n",
		 count_nodes(run), run->level1, run->level2, run->seconds, run->entries, run->facts, run->positions);
}

static int print_json(const struct compare *c, const struct run *run, struct pd_fail *fail)
{
	return cl_print_members(stdout, fail, PR_S("game", c->game[run->game]), PR_S("claim", claim_text(c)),
				PR_S("algorithm", pn_algorithm_text(c->algorithm[run->algorithm])),
				PR_I("seed", run->seed), PR_S("state", run->state), PR_S("status", run->status),
				PR_OPEN_OBJECT("value"), PR_IF(run->has_lo, PR_I("lo", run->lo)),
				PR_IF(run->has_hi, PR_I("hi", run->hi)), PR_S("text", run->text), PR_CLOSE,
				PR_OPEN_OBJECT("nodes"), PR_I("level1", run->level1), PR_I("level2", run->level2),
				PR_I("positions", run->positions), PR_CLOSE, PR_R("seconds", run->seconds, 3),
				PR_I("entries", run->entries), PR_I("facts", run->facts));
}

static void print_row(struct compare *c, const struct run *run)
{
	struct cl_text text;
	cl_table_cell(&c->table, c->game[run->game]);
	cl_table_cell(&c->table, pn_algorithm_text(c->algorithm[run->algorithm]));
	snprintf(text.at, sizeof text.at, "%" PRId64, run->seed);
	cl_table_cell(&c->table, text.at);
	cl_table_cell(&c->table, cl_count(&text, run->positions));
	cl_table_cell(&c->table, cl_duration(&text, run->seconds));
	cl_table_cell(&c->table, cl_count(&text, run->entries));
	cl_table_ink(&c->table, run->answered ? run->text : run->state, run->answered ? "" : c->table.ink.warm);
}

static int print_run(struct compare *c, const struct run *run, struct pd_fail *fail)
{
	int rc = PD_OK;
	if (cl_given(c->options, CL_OPT_CSV))
		print_csv(c, run);
	else if (cl_given(c->options, CL_OPT_JSON))
		rc = print_json(c, run, fail);
	else
		print_row(c, run);
	if (!rc && (fflush(stdout) || ferror(stdout)))
		rc = pd_fail_set(fail, PD_E_IO, "", "cannot write the results: %s", strerror(errno));
	return rc;
}

/* --- the summary -------------------------------------------------------------------------- */

/* The cost of a game by one algorithm. */
struct summary {
	unsigned runs, answered;
	double nodes, positions, seconds; /* medians; infinite if the middle run has no answer */
};

static struct summary sum_up(const struct compare *c, unsigned game, unsigned algorithm)
{
	double nodes[SEEDS_MAX], positions[SEEDS_MAX], seconds[SEEDS_MAX];
	struct summary s = {.nodes = INFINITY, .positions = INFINITY, .seconds = INFINITY};
	for (unsigned i = 0; i < c->done; i++) {
		const struct run *run = &c->runs[i];
		if (run->game != game || run->algorithm != algorithm)
			continue;
		nodes[s.runs] = run->answered ? (double)count_nodes(run) : INFINITY;
		positions[s.runs] = run->answered ? (double)run->positions : INFINITY;
		seconds[s.runs++] = run->answered ? run->seconds : INFINITY;
		s.answered += run->answered;
	}
	if (s.runs) {
		s.nodes = cl_median(nodes, s.runs);
		s.positions = cl_median(positions, s.runs);
		s.seconds = cl_median(seconds, s.runs);
	}
	return s;
}

/* "0.87", or "-" if one of them is unknown. */
static const char *ratio_text(struct cl_text *out, double value, double base)
{
	bool known = isfinite(value) && isfinite(base) && base > 0;
	snprintf(out->at, sizeof out->at, "%.2f", known ? value / base : 0);
	return known ? out->at : "-";
}

static int print_summary_json(const struct compare *c, unsigned game, unsigned algorithm, struct pd_fail *fail)
{
	struct summary s = sum_up(c, game, algorithm), base = sum_up(c, game, 0);
	/* Unknown numbers are infinite or NAN, and become null. */
	return cl_print_members(
		stdout, fail, PR_OPEN_OBJECT("median"), PR_S("game", c->game[game]), PR_S("claim", claim_text(c)),
		PR_S("algorithm", pn_algorithm_text(c->algorithm[algorithm])), PR_U("runs", s.runs),
		PR_U("answered", s.answered), PR_R("nodes", s.nodes, 1), PR_R("positions", s.positions, 1),
		PR_R("seconds", s.seconds, 3), PR_R("nodes_ratio", base.nodes > 0 ? s.nodes / base.nodes : NAN, 3),
		PR_R("positions_ratio", base.positions > 0 ? s.positions / base.positions : NAN, 3),
		PR_R("seconds_ratio", base.seconds > 0 ? s.seconds / base.seconds : NAN, 3), PR_CLOSE);
}

static void print_summary_row(struct cl_table *table, const struct compare *c, unsigned game, unsigned algorithm)
{
	struct summary s = sum_up(c, game, algorithm), base = sum_up(c, game, 0);
	struct cl_text text;
	cl_table_cell(table, c->game[game]);
	cl_table_cell(table, pn_algorithm_text(c->algorithm[algorithm]));
	snprintf(text.at, sizeof text.at, "%u/%u", s.answered, s.runs);
	cl_table_cell(table, text.at);
	cl_table_cell(table, isfinite(s.positions) ? cl_count(&text, (int64_t)llround(s.positions)) : "-");
	cl_table_cell(table, ratio_text(&text, s.positions, base.positions));
	cl_table_cell(table, isfinite(s.seconds) ? cl_duration(&text, s.seconds) : "-");
	cl_table_cell(table, ratio_text(&text, s.seconds, base.seconds));
}

static int print_summary(const struct compare *c, struct pd_fail *fail)
{
	static const struct cl_column columns[] = {
		{"game", 24, 9, 0, false},   {"algorithm", 9, 7, 0, false},
		{"answered", 8, 0, 2, true}, {"median positions", 16, 0, 0, true},
		{"ratio", 7, 0, 0, true},    {"median time", 12, 0, 3, true},
		{"ratio", 7, 0, 1, true},
	};
	bool json = cl_given(c->options, CL_OPT_JSON);
	struct cl_table table;
	int rc = PD_OK;
	if (cl_given(c->options, CL_OPT_CSV) || !c->done)
		return PD_OK;
	if (!json) {
		putchar('\n');
		cl_table_begin(&table, stdout, columns, sizeof columns / sizeof *columns);
	}
	for (unsigned g = 0; !rc && g < c->game_count; g++)
		for (unsigned a = 0; !rc && a < c->algorithm_count; a++) {
			if (!sum_up(c, g, a).runs)
				continue;
			if (json)
				rc = print_summary_json(c, g, a, fail);
			else
				print_summary_row(&table, c, g, a);
		}
	return rc;
}

/* True if no value lies within the bounds of both runs. */
static bool runs_contradict(const struct run *a, const struct run *b)
{
	return (a->has_lo && b->has_hi && a->lo > b->hi) || (b->has_lo && a->has_hi && b->lo > a->hi);
}

static void check_answer(struct compare *c, const struct run *run)
{
	for (const struct run *other = c->runs; other < run; other++) {
		if (other->game != run->game || !runs_contradict(other, run))
			continue;
		pd_print(stderr,
			 "proofctl: the answers contradict each other: %s, %s, seed %" PRId64 ": %s; %s, seed %" PRId64
			 ": %s\n",
			 c->game[run->game], pn_algorithm_text(c->algorithm[other->algorithm]), other->seed,
			 other->text, pn_algorithm_text(c->algorithm[run->algorithm]), run->seed, run->text);
		c->contradiction = true;
		return;
	}
}

/* --- the command -------------------------------------------------------------------------- */

static int prepare_runs(struct compare *c, struct pd_fail *fail)
{
	c->game_count = c->options->word_count;
	c->run_count = c->game_count * c->algorithm_count * c->seed_count;
	if (c->run_count > RUNS_MAX)
		return pd_fail_set(fail, PD_E_USAGE, "seeds", "%u runs exceed the limit of %d", c->run_count, RUNS_MAX);
	c->game = calloc(c->game_count, sizeof *c->game);
	c->runs = calloc(c->run_count, sizeof *c->runs);
	if (!c->game || !c->runs)
		return cl_no_memory(fail);
	struct run *run = c->runs;
	for (unsigned g = 0; g < c->game_count; g++)
		for (unsigned s = 0; s < c->seed_count; s++)
			for (unsigned a = 0; a < c->algorithm_count; a++)
				*run++ = (struct run){.game = g, .algorithm = a, .seed = c->seed[s]};
	int rc = cl_plugins_load(c->options, NULL, fail);
	return rc ? rc : check_games(c, fail);
}

static int do_runs(struct compare *c, int *number, struct pd_fail *fail)
{
	int rc = PD_OK;
	begin_table(c);
	while (!rc && c->done < c->run_count) {
		struct run *run = &c->runs[c->done];
		rc = do_run(c, run, number, fail);
		if (rc || *number)
			break;
		c->done++;
		c->failed |= !run->answered && strcmp(run->state, "exhausted") != 0;
		rc = print_run(c, run, fail);
		check_answer(c, run);
	}
	return rc;
}

static int exit_code_of(const struct compare *c)
{
	unsigned answered = 0;
	for (unsigned i = 0; i < c->done; i++)
		answered += c->runs[i].answered;
	if (c->failed || c->contradiction)
		return CL_EXIT_FAILED;
	return answered == c->run_count ? CL_EXIT_OK : CL_EXIT_UNANSWERED;
}

int cl_cmd_compare(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct compare *c = calloc(1, sizeof *c);
	int number = 0;
	if (!c)
		return cl_no_memory(fail);
	c->options = options;
	int rc = check_options(options, fail);
	if (!rc)
		rc = read_algorithms(c, fail);
	if (!rc)
		rc = read_seeds(c, fail);
	if (!rc)
		rc = prepare_runs(c, fail);
	if (!rc) {
		cl_interrupt_hold();
		rc = do_runs(c, &number, fail);
		if (!rc)
			rc = print_summary(c, fail);
		*exit_code = number ? CL_EXIT_SIGNAL + number : exit_code_of(c);
	}
	if (!rc && number && !cl_given(options, CL_OPT_JSON))
		pd_print(stderr, "proofctl: interrupted after %u of %u runs\n", c->done, c->run_count);
	free(c->game);
	free(c->runs);
	free(c);
	return rc;
}
