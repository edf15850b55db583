/* proofctl solve: answers a question in this process, by the server's core on a store in memory or in --data DIR.
 *
 * With --data it continues an unfinished job for the same question in that directory, whichever client submitted it.
 * Otherwise it submits a job with a key made from the question, so that a solved job gives its answer at once. A
 * question is a game under one version of its rules, a position, a claim, and the options that change the search
 * (algorithm, its options, detail, seed, shorten, memory if given). Budgets are not part of it: they count from the
 * start of this run. */
#include <inttypes.h>
#include <sys/stat.h>

#include "clients/commands.h"
#include "clients/follow.h"
#include "clients/guess.h"
#include "clients/interrupt.h"
#include "clients/show.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"
#include "server/directory.h"

static const double guess_after_s = 2; /* of a search that has not ended */

enum { JOBS_MAX = 10000, TRIES_MAX = 20, EXTRA_WORKERS_MAX = 64 };

struct solve {
	const struct cl_options *options;
	struct sv_game_dirs game_dirs; /* of plug-ins */
	struct cl_link *link;
	struct pn_options tuned;                        /* by --option */
	char game[128], position[2100];                 /* as the game itself writes them */
	char rules[32];                                 /* the version of the game's rules */
	char algorithm[32];                             /* its default */
	int64_t worst, best;                            /* values of the game, from First's view */
	char claim[sizeof((struct pd_claim *)0)->text]; /* as in records (proto/base/claim.h) */
	int64_t job;
	int64_t newest;   /* number of the newest job in the directory before this one is submitted */
	int64_t outdated; /* the newest job for this question under other rules; 0: none */
	char outdated_rules[32];
};

static const char *option_text(const struct cl_options *options, enum cl_option option, const char *missing)
{
	return cl_given(options, option) ? options->text[option] : missing;
}

/* --- opening ------------------------------------------------------------------------------ */

/* The number of queued and running jobs in the directory. They occupy search threads as soon as it is opened, so as
 * many threads are added for this question. 0 if the directory cannot be read: it is new, or opening it reports the
 * error. */
static unsigned count_waiting_jobs(const struct sv_config *config)
{
	struct sv_config reading = *config;
	struct cl_link *link;
	pr_ref stats;
	struct pd_fail fail;
	struct stat st;
	unsigned count = 0;
	reading.read_only = true;
	reading.threads = 0;
	if (stat(config->data, &st) || cl_link_embed(&reading, &link, &fail))
		return 0;
	if (!cl_link_call(link, "server.stats", NULL, &stats, &fail)) {
		pr_ref jobs = pr_get(stats, "jobs");
		int64_t n = pr_get_int(jobs, "queued", 0) + pr_get_int(jobs, "running", 0);
		count = n < EXTRA_WORKERS_MAX ? (unsigned)n : EXTRA_WORKERS_MAX;
	}
	cl_link_close(link);
	return count;
}

static int open_core(struct solve *s, struct pd_fail *fail)
{
	struct sv_config config;
	sv_config_init(&config);
	config.data = option_text(s->options, CL_OPT_DATA, NULL);
	config.graphs = option_text(s->options, CL_OPT_GRAPHS, NULL);
	config.nice = 0;
	if (cl_given(s->options, CL_OPT_THREADS))
		config.threads = (unsigned)s->options->whole[CL_OPT_THREADS];
	if (cl_given(s->options, CL_OPT_CHECKPOINT))
		config.checkpoint_s = s->options->real[CL_OPT_CHECKPOINT];
	if (config.data)
		config.threads += count_waiting_jobs(&config);
	s->game_dirs = s->options->game_dirs;
	int rc = sv_game_dirs_env(&s->game_dirs, fail);
	if (rc)
		return rc;
	config.game_dirs = &s->game_dirs;
	if (!config.data) /* a known key is safe here, because no other client chooses positions (F5) */
		config.identity = (uint64_t)s->options->whole[CL_OPT_SEED] + 1;
	if (config.threads > SV_THREADS_MAX)
		config.threads = SV_THREADS_MAX;
	PD_ASSERT(config.threads > 0);
	rc = cl_link_embed(&config, &s->link, fail);
	if (rc == PD_E_LOCKED)
		pd_fail_set(fail, PD_E_LOCKED, "data",
			    "another process has %.200s open; if it is a server, use `proofctl submit`", config.data);
	return rc;
}

/* Guesses how long the question takes, by a core of its own in memory. */
static int make_guess(const struct solve *s, struct cl_guess *guess, int *number, struct pd_fail *fail)
{
	struct cl_order order = {.game = s->game, .position = s->position, .claim = s->claim};
	struct sv_config config;
	struct cl_link *link;
	sv_config_init(&config);
	config.graphs = option_text(s->options, CL_OPT_GRAPHS, NULL);
	config.game_dirs = &s->game_dirs;
	config.nice = 0;
	config.identity = 1;
	int rc = cl_link_embed(&config, &link, fail);
	if (rc)
		return rc;
	rc = cl_guess_make(link, &order, guess, number, fail);
	cl_link_close(link);
	return rc;
}

/* The canonical name of the game, and the position of the question. */
static int read_position(struct solve *s, struct pd_fail *fail)
{
	pr_ref shown;
	int rc = cl_ask_given(s->link, s->options, PR_POSITION_SHOW, &shown, fail, PR_S("game", s->options->words[0]));
	if (rc)
		return rc;
	snprintf(s->game, sizeof s->game, "%s", pr_get_str(shown, "game", ""));
	snprintf(s->position, sizeof s->position, "%s", pr_get_str(shown, "position", ""));
	return PD_OK;
}

/* --- the job ------------------------------------------------------------------------------ */

/* The options that differ from their defaults, each as NAME=VALUE and a comma. */
static void print_tuning(const struct pn_options *tuned, char *out, size_t size)
{
	const struct pn_tunable *t;
	*out = 0;
	for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++) {
		char value[PN_TUNABLE_TEXT];
		size_t used = strlen(out);
		if (pn_option_text(tuned, t, value))
			snprintf(out + used, size - used, "%s=%s,", t->name, value);
	}
}

/* Whether the job has the same search options. */
static bool is_tuned_alike(const struct solve *s, pr_ref job)
{
	pr_ref options = pr_get(job, "options");
	const struct pn_tunable *t;
	for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++) {
		char value[PN_TUNABLE_TEXT];
		bool changed = pn_option_text(&s->tuned, t, value);
		if (changed != pr_has(options, t->name))
			return false;
		if (!changed)
			continue;
		bool same = t->kind == PN_YES_NO ? pr_get_bool(options, t->name, false) == !strcmp(value, "true")
						 : pr_get_real(options, t->name, -1) == strtod(value, NULL);
		if (!same)
			return false;
	}
	return true;
}

static int read_rules(struct solve *s, struct pd_fail *fail)
{
	pr_ref game;
	int rc = cl_ask(s->link, "game.describe", &game, fail, PR_S("game", s->game));
	if (rc)
		return rc;
	snprintf(s->rules, sizeof s->rules, "%s", pr_get_str(game, "rules_version", ""));
	snprintf(s->algorithm, sizeof s->algorithm, "%s", pr_get_str(game, "algorithm", ""));
	s->worst = pr_get_int(pr_get(game, "values"), "min", 0);
	s->best = pr_get_int(pr_get(game, "values"), "max", 0);
	return PD_OK;
}

static int read_claim(struct solve *s, struct pd_fail *fail)
{
	struct pd_claim claim;
	int rc = pd_claim_parse(option_text(s->options, CL_OPT_CLAIM, "value"), &claim, fail);
	if (!rc)
		memcpy(s->claim, claim.text, sizeof s->claim);
	return rc;
}

static bool is_same_position(struct solve *s, const char *position)
{
	pr_ref shown;
	struct pd_fail fail;
	return !strcmp(position, s->position) ||
	       (!cl_ask(s->link, "position.show", &shown, &fail, PR_S("game", s->game), PR_S("position", position)) &&
		!strcmp(pr_get_str(shown, "position", position), s->position));
}

/* Compares game, claim, position and search, under any version of the rules. */
static bool is_same_question(struct solve *s, pr_ref job)
{
	const struct cl_options *o = s->options;
	if (strcmp(pr_get_str(job, "game", ""), s->game) != 0 || strcmp(pr_get_str(job, "claim", ""), s->claim) != 0 ||
	    strcmp(pr_get_str(job, "algorithm", ""), option_text(o, CL_OPT_ALGORITHM, s->algorithm)) != 0 ||
	    strcmp(pr_get_str(job, "detail", ""), option_text(o, CL_OPT_DETAIL, "frontier")) != 0 ||
	    pr_get_int(job, "seed", 0) != o->whole[CL_OPT_SEED] ||
	    pr_get_int(job, "shorten", 0) != o->whole[CL_OPT_SHORTEN] || !is_tuned_alike(s, job))
		return false;
	if (cl_given(o, CL_OPT_MEMORY) && pr_get_int(job, "memory", 0) != o->whole[CL_OPT_MEMORY])
		return false;
	return is_same_position(s, pr_get_str(job, "position", ""));
}

static bool is_unfinished(pr_ref job)
{
	static const char *const states[] = {"queued", "running", "paused", "exhausted"};
	bool open = false;
	for (unsigned k = 0; k < sizeof states / sizeof *states; k++)
		open |= !strcmp(pr_get_str(job, "state", ""), states[k]);
	return open;
}

/* Examines a job of the directory; false ends the search for an unfinished one. */
static bool look_at_job(void *ctx, pr_ref job)
{
	struct solve *s = ctx;
	const char *rules = pr_get_str(job, "rules", s->rules);
	int64_t number = pr_get_int(job, "job", 0);
	s->newest = s->newest ? s->newest : number;
	if (strcmp(rules, s->rules) != 0) {
		if (!s->outdated && is_same_question(s, job)) {
			s->outdated = number;
			snprintf(s->outdated_rules, sizeof s->outdated_rules, "%s", rules);
		}
	} else if (is_unfinished(job) && is_same_question(s, job)) {
		s->job = number;
	}
	return !s->job;
}

/* Searches for an unfinished job for the question (s->job; 0: none), and for one under other rules. */
static int find_unfinished(struct solve *s, struct pd_fail *fail)
{
	return cl_jobs_each(s->link, NULL, JOBS_MAX, look_at_job, s, fail);
}

static void make_key(const struct solve *s, char *out, size_t size)
{
	const struct cl_options *o = s->options;
	char text[4096], tuning[512];
	print_tuning(&s->tuned, tuning, sizeof tuning);
	int n = snprintf(text, sizeof text, "%s|%s|%s|%s|%s|%s|%" PRId64 "|%" PRId64 "|%" PRId64 "%s%s", s->game,
			 s->rules, s->position, s->claim, option_text(o, CL_OPT_ALGORITHM, s->algorithm),
			 option_text(o, CL_OPT_DETAIL, "frontier"), o->whole[CL_OPT_SEED], o->whole[CL_OPT_MEMORY],
			 o->whole[CL_OPT_SHORTEN], *tuning ? "|" : "", tuning);
	PD_ASSERT(n > 0 && (size_t)n < sizeof text && *s->claim && *s->rules);
	struct pd_id id = pd_id_of(text, (size_t)n, 0);
	snprintf(out, size, "solve:%016" PRIx64 "%016" PRIx64, id.hi, id.lo);
}

static int submit_job(struct solve *s, struct pd_fail *fail)
{
	pr_ref result;
	char key[64];
	make_key(s, key, sizeof key);
	int rc = cl_ask_given(s->link, s->options, PR_JOB_SUBMIT, &result, fail, PR_S("game", s->game),
			      PR_U("priority", 100), PR_S("key", key));
	if (!rc)
		s->job = pr_get_int(result, "job", 0);
	return rc;
}

static int64_t add_budget(int64_t spent, int64_t budget)
{
	return budget < INT64_MAX - spent ? spent + budget : INT64_MAX;
}

/* Sets new budgets, counted from what is spent; those that are not given are removed. */
static int set_budget(struct solve *s, pr_ref job, struct pd_fail *fail)
{
	const struct cl_options *o = s->options;
	int64_t spent = (int64_t)cl_job_nodes(job);
	int64_t nodes = cl_given(o, CL_OPT_NODES) ? add_budget(spent, o->whole[CL_OPT_NODES]) : 0;
	double seconds = cl_given(o, CL_OPT_SECONDS) ? pr_get_real(job, "seconds", 0) + o->real[CL_OPT_SECONDS] : 0;
	double cpu = cl_given(o, CL_OPT_CPU) ? pr_get_real(job, "cpu", 0) + o->real[CL_OPT_CPU] : 0;
	return cl_ask(s->link, "job.set", NULL, fail, PR_I("job", s->job), PR_OPEN_OBJECT("budget"),
		      PR_I("nodes", nodes), PR_R("seconds", seconds, 3), PR_R("cpu", cpu, 3), PR_CLOSE);
}

/* Whether the job's state has changed since it was read. */
static bool was_overtaken(int rc, const struct pd_fail *fail)
{
	return rc == PD_E_STATE && !strcmp(fail->field, "job");
}

/* Gives the job this run's budgets, unless it is solved (*over) and needs none. */
static int renew_budget(struct solve *s, bool *over, struct pd_fail *fail)
{
	pr_ref job;
	int rc = cl_ask(s->link, "job.get", &job, fail, PR_I("job", s->job));
	if (rc)
		return rc;
	*over = !strcmp(pr_get_str(job, "state", ""), "solved");
	return *over ? PD_OK : set_budget(s, job, fail);
}

/* Resumes the job unless it is queued, running or solved. */
static int resume_job(struct solve *s, struct pd_fail *fail)
{
	pr_ref job;
	int rc = cl_ask(s->link, "job.get", &job, fail, PR_I("job", s->job));
	const char *state = rc ? "" : pr_get_str(job, "state", "");
	if (rc || !strcmp(state, "queued") || !strcmp(state, "running") || !strcmp(state, "solved"))
		return rc;
	rc = cl_ask(s->link, "job.resume", NULL, fail, PR_I("job", s->job));
	/* An error about the budget means that the budget of this run is already spent. */
	return rc == PD_E_STATE && !strcmp(fail->field, "budget") ? PD_OK : rc;
}

/* Continues an earlier job. It may have been running since the directory was opened, so it may end between two calls.
 */
static int continue_job(struct solve *s, struct pd_fail *fail)
{
	bool over = false;
	int rc = renew_budget(s, &over, fail);
	for (unsigned i = 0; was_overtaken(rc, fail) && i < TRIES_MAX; i++)
		rc = renew_budget(s, &over, fail);
	if (rc || over)
		return rc;
	rc = resume_job(s, fail);
	for (unsigned i = 0; was_overtaken(rc, fail) && i < TRIES_MAX; i++)
		rc = resume_job(s, fail);
	return rc;
}

/* Explains why there is a new search although the directory has a job for a game of the same name. */
static void report_outdated(const struct solve *s)
{
	if (s->outdated && !cl_given(s->options, CL_OPT_JSON))
		pd_print(stderr,
			 "proofctl: job %" PRId64
			 " in %s has the same question under other rules of %s (version %s, now %s), so this is a "
			 "new search\n",
			 s->outdated, option_text(s->options, CL_OPT_DATA, ""), s->game, s->outdated_rules, s->rules);
}

static int find_or_submit(struct solve *s, struct pd_fail *fail)
{
	if (!cl_given(s->options, CL_OPT_DATA))
		return submit_job(s, fail);
	int rc = find_unfinished(s, fail);
	if (!rc && !s->job)
		rc = submit_job(s, fail);
	if (rc || s->job <= s->newest)
		return rc ? rc : continue_job(s, fail);
	report_outdated(s); /* the job is new, and has its budget */
	return PD_OK;
}

/* --- the end ------------------------------------------------------------------------------ */

static void report_interrupted(const struct solve *s, int number, int *exit_code)
{
	const char *dir = option_text(s->options, CL_OPT_DATA, NULL);
	*exit_code = CL_EXIT_SIGNAL + number;
	if (cl_given(s->options, CL_OPT_JSON))
		return;
	if (dir)
		pd_print(stderr, "proofctl: interrupted; the results are in %s, where the same command continues\n",
			 dir);
	else
		fputs("proofctl: interrupted; --data DIR would have kept the results\n", stderr);
}

static int print_outcome(const struct solve *s, pr_ref job, int *exit_code, struct pd_fail *fail)
{
	pr_ref answer = pr_get(job, "result");
	const char *reason = pr_get_str(job, "reason", NULL);
	*exit_code = cl_job_exit(job);
	if (*exit_code == CL_EXIT_FAILED || !answer)
		return pd_fail_set(fail, PD_E_STATE, "", "the search is %s: %.200s", pr_get_str(job, "state", "?"),
				   reason ? reason : "no reason given");
	if (cl_given(s->options, CL_OPT_JSON))
		return cl_print_json(answer, fail);
	cl_show_answer(stdout, answer);
	if (*exit_code == CL_EXIT_UNANSWERED)
		pd_print(stderr, "proofctl: the budget ended before the answer%s%s\n", reason ? ": " : "",
			 reason ? reason : "");
	return PD_OK;
}

/* --- all winning moves ---------------------------------------------------------------------- */

/* The bound that the player to move reaches by the answer, and the moves that may keep it. */
struct wins {
	bool first; /* First is to move, so `bound` is a lower one; else an upper one */
	int64_t bound;
	unsigned count;
	struct win {
		char move[64];
		bool known, keeps;
		int64_t plies; /* of the whole game, at most; 0: no number */
	} * move;
};

/* Takes in what is known after a move: `plies` from there. */
static void judge_move(const struct wins *all, struct win *w, pr_ref bounds, pr_ref plies)
{
	int64_t lo = pr_get_int(bounds, "lo", INT64_MIN), hi = pr_get_int(bounds, "hi", INT64_MAX);
	w->keeps = all->first ? lo >= all->bound : hi <= all->bound;
	w->known = w->keeps || (all->first ? hi < all->bound : lo > all->bound);
	w->plies = w->keeps && pr_kind_of(plies) == PR_INT ? 1 + pr_number(plies, 0) : 0;
}

/* Reads who is to move and what is known after each move. */
static int read_moves(struct solve *s, struct wins *all, struct pd_fail *fail)
{
	pr_ref shown, facts;
	int rc = cl_ask(s->link, "position.show", &shown, fail, PR_S("game", s->game), PR_S("position", s->position));
	if (rc)
		return rc;
	all->first = pr_get_bool(shown, "first_to_move", true);
	rc = cl_ask(s->link, "fact.query", &facts, fail, PR_S("game", s->game), PR_S("position", s->position),
		    PR_B("each_move", true));
	if (rc)
		return rc;
	pr_ref fact = pr_at(pr_get(facts, "facts"), 0), moves = pr_get(fact, "moves");
	all->bound = pr_get_int(fact, all->first ? "lo" : "hi", 0);
	if (all->bound == (all->first ? s->worst : s->best)) /* the player to move has nothing to keep */
		return PD_OK;
	all->move = calloc(pr_count(moves) + 1, sizeof *all->move);
	if (!all->move)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the moves");
	for (size_t i = 0; i < pr_count(moves); i++) {
		struct win *w = &all->move[all->count++];
		pr_ref after = pr_at(moves, i);
		snprintf(w->move, sizeof w->move, "%s", pr_get_str(after, "move", ""));
		judge_move(all, w, after, pr_get(after, "rank"));
	}
	return PD_OK;
}

/* Searches the position after a move. *number: of a signal that arrived. */
static int search_move(struct solve *s, const struct wins *all, struct win *w, int *number, struct pd_fail *fail)
{
	struct cl_options own = *s->options;
	struct cl_follow how = {.stop_paused = true, .interval_s = 1};
	char claim[40];
	pr_ref job, result;
	own.given &= ~(CL_BIT(RECORD) | CL_BIT(GAME_NUMBER) | CL_BIT(POSITION) | CL_BIT(CLAIM));
	snprintf(claim, sizeof claim, "first-at-least-%" PRId64, all->bound + !all->first);
	int rc = cl_ask_given(s->link, &own, PR_JOB_SUBMIT, &result, fail, PR_S("game", s->game),
			      PR_S("position", s->position), PR_OPEN_ARRAY("moves"), PR_S(NULL, w->move), PR_CLOSE,
			      PR_S("claim", claim), PR_U("priority", 100));
	if (!rc)
		rc = cl_follow_job(s->link, pr_get_int(result, "job", 0), &how, &job, number, fail);
	if (rc || *number)
		return rc;
	result = pr_get(job, "result");
	judge_move(all, w, pr_get(result, "value"), pr_get(result, "plies"));
	return PD_OK;
}

static int print_moves_json(const struct wins *all, struct pd_fail *fail)
{
	struct cl_json json;
	cl_json_begin(&json);
	pr_open_array(&json.out, "wins");
	for (unsigned i = 0; i < all->count; i++)
		if (all->move[i].keeps) {
			pr_open_object(&json.out, NULL);
			pr_str(&json.out, "move", all->move[i].move);
			if (all->move[i].plies)
				pr_int(&json.out, "plies", all->move[i].plies);
			pr_close(&json.out);
		}
	pr_close(&json.out);
	pr_open_array(&json.out, "open");
	for (unsigned i = 0; i < all->count; i++)
		if (!all->move[i].known)
			pr_str(&json.out, NULL, all->move[i].move);
	pr_close(&json.out);
	return cl_json_print(&json, stdout, fail);
}

/* A row of the moves that keep the bound, or of those that are open; nothing when there are none. */
static void print_moves(const struct wins *all, const char *label, bool open)
{
	unsigned n = 0;
	for (unsigned i = 0; i < all->count; i++) {
		const struct win *w = &all->move[i];
		if (open ? w->known : !w->keeps)
			continue;
		if (n++)
			pd_print(stdout, ", %s", w->move);
		else
			pd_print(stdout, "  %-9s %s", label, w->move);
		if (w->plies)
			pd_print(stdout, " (%" PRId64 " plies)", w->plies);
	}
	if (n)
		fputc('\n', stdout);
}

/* Lists all first moves that keep the answer. */
static int list_wins(struct solve *s, int *exit_code, struct pd_fail *fail)
{
	struct wins all = {0};
	int number = 0, rc = read_moves(s, &all, fail);
	for (unsigned i = 0; !rc && !number && i < all.count; i++)
		if (!all.move[i].known)
			rc = search_move(s, &all, &all.move[i], &number, fail);
	if (number)
		report_interrupted(s, number, exit_code);
	for (unsigned i = 0; i < all.count && !number; i++)
		if (!all.move[i].known)
			*exit_code = CL_EXIT_UNANSWERED;
	if (!rc && cl_given(s->options, CL_OPT_JSON)) {
		rc = print_moves_json(&all, fail);
	} else if (!rc) {
		if (!all.count)
			cl_row(stdout, "wins", "none");
		print_moves(&all, all.first == (all.bound > 0) && all.bound ? "wins" : "keep", false);
		print_moves(&all, "open", true);
	}
	free(all.move);
	return rc;
}

/* A guess is for a new question whose search nothing else ends. */
static bool is_guess_due(const struct solve *s)
{
	const cl_bits budgets = CL_BIT(NODES) | CL_BIT(SECONDS) | CL_BIT(CPU) | CL_BIT(JSON);
	return !(s->options->given & budgets) && s->job > s->newest;
}

static int tell_guess(const struct solve *s, struct cl_panel *panel, int *number, struct pd_fail *fail)
{
	struct cl_guess guess;
	int rc = make_guess(s, &guess, number, fail);
	if (rc || *number)
		return rc;
	cl_panel_end(panel, true);
	cl_guess_show(stderr, &guess);
	return PD_OK;
}

static int run_search(struct solve *s, int *exit_code, struct pd_fail *fail)
{
	bool quiet = cl_given(s->options, CL_OPT_JSON) && !cl_is_terminal(stderr);
	struct cl_panel panel;
	pr_ref job;
	int number = 0;
	int rc = read_position(s, fail);
	if (!rc)
		rc = read_rules(s, fail);
	if (!rc)
		rc = find_or_submit(s, fail);
	if (rc)
		return rc;
	PD_ASSERT(s->job > 0);
	cl_panel_init(&panel, stderr, 0);
	panel.sparing = true;
	struct cl_follow how = {quiet ? NULL : &panel, false, true, panel.live ? 0.2 : 1, 0};
	if (is_guess_due(s)) {
		how.limit_s = guess_after_s;
		rc = cl_follow_job(s->link, s->job, &how, &job, &number, fail);
		how.limit_s = 0;
		if (!rc && !number && !cl_job_over(job))
			rc = tell_guess(s, &panel, &number, fail);
	}
	if (!rc && !number)
		rc = cl_follow_job(s->link, s->job, &how, &job, &number, fail);
	cl_panel_end(&panel, true);
	if (!rc && number)
		report_interrupted(s, number, exit_code);
	else if (!rc)
		rc = print_outcome(s, job, exit_code, fail);
	if (!rc && !number && *exit_code == CL_EXIT_OK && cl_given(s->options, CL_OPT_ALL_WINS))
		rc = list_wins(s, exit_code, fail);
	return rc;
}

int cl_cmd_solve(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct solve s = {.options = options};
	PD_ASSERT(options->word_count == 1);
	if (cl_given(options, CL_OPT_CHECKPOINT) && !cl_given(options, CL_OPT_DATA))
		return pd_fail_set(fail, PD_E_USAGE, "checkpoint",
				   "--checkpoint needs --data: without it nothing is kept");
	int rc = cl_tunables(options, &s.tuned, fail);
	if (!rc)
		rc = read_claim(&s, fail);
	if (!rc && cl_given(options, CL_OPT_DATA))
		rc = sv_directory_check(options->text[CL_OPT_DATA], fail);
	if (rc)
		return rc;
	cl_interrupt_hold();
	rc = open_core(&s, fail);
	if (!rc)
		rc = run_search(&s, exit_code, fail);
	cl_link_close(s.link);
	sv_game_dirs_fini(&s.game_dirs);
	return rc;
}

int cl_cmd_guess(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct solve s = {.options = options};
	struct cl_guess guess;
	int number = 0, rc = read_claim(&s, fail);
	cl_interrupt_hold();
	if (!rc)
		rc = open_core(&s, fail);
	if (!rc)
		rc = read_position(&s, fail);
	if (!rc)
		rc = make_guess(&s, &guess, &number, fail);
	if (!rc && number)
		*exit_code = CL_EXIT_SIGNAL + number;
	else if (!rc && cl_given(options, CL_OPT_JSON))
		rc = cl_guess_json(&guess, fail);
	else if (!rc)
		cl_guess_show(stdout, &guess);
	cl_link_close(s.link);
	sv_game_dirs_fini(&s.game_dirs);
	return rc;
}
