/* proofctl game-test: the laws of a game (clients/gametest/law.h), each in a process of its own, so that a crash or a
 * loop is a result like any other. */
#include <inttypes.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clients/commands.h"
#include "clients/gametest/law.h"
#include "clients/text.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"
#include "server/proofs/certificates/checker.h"

enum { ROUNDS = 500, NAME_COLUMN = 18, LOOPED = -1 };

struct test {
	struct gt gt;
	struct gt_report *report; /* shared with the law's process */
	uint64_t seed;
	bool json;
	unsigned broken;
};

/* Reports a fault of the plug-in that its caller noticed as a breach of the current law. */
static void on_broken(void *ctx, const char *sentence)
{
	cl_gt_broken_text(ctx, sentence);
}

static const struct {
	int number;
	const char *name;
} faults[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"}};

static void reset_signals(void)
{
	for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++)
		signal(faults[i].number, SIG_DFL); /* the signal ends the process, and the report names it */
	signal(SIGALRM, SIG_DFL);
	signal(SIGPROF, SIG_DFL);
}

/* Runs `work` in a process of its own; returns its status from wait, or -1 if no process can be started. */
static int run_in_process(struct gt *gt, void (*work)(struct gt *gt))
{
	int status;
	fflush(stdout);
	pid_t child = fork();
	if (child < 0)
		return -1;
	if (!child) {
		reset_signals();
		cl_gt_watch(GT_LOOP_S);
		work(gt);
		_exit(0);
	}
	while (waitpid(child, &status, 0) < 0)
		;
	return status;
}

/* Prints the moves to the position of the crash, in another process because it may crash again. */
static void tell_path(struct gt *gt)
{
	gt->report->broken = false;
	cl_gt_broken_text(gt, "");
}

static const char *fault_name(int number)
{
	for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++)
		if (faults[i].number == number)
			return faults[i].name;
	return "a signal";
}

static void judge_law(struct test *t, int status)
{
	struct gt_report *r = t->report;
	char what[sizeof r->what];
	if (status >= 0 && WIFEXITED(status) && (WEXITSTATUS(status) == 0 || r->broken))
		return;
	if (r->broken) /* the breach is reported already; the process then crashed */
		return;
	if (status < 0)
		snprintf(what, sizeof what, "cannot start a process");
	else if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM))
		snprintf(what, sizeof what, "a function of the game did not return in time");
	else if (WIFSIGNALED(status))
		snprintf(what, sizeof what, "the game crashed (%s)", fault_name(WTERMSIG(status)));
	else
		snprintf(what, sizeof what, "the game ended the process (exit code %d)", WEXITSTATUS(status));
	run_in_process(&t->gt, tell_path);
	snprintf(r->what, sizeof r->what, "%s", what);
	r->broken = true;
}

static void print_law(const struct test *t, const struct gt_law *law)
{
	const struct gt_report *r = t->report;
	struct cl_ink ink = cl_ink_of(stdout);
	struct cl_text n;
	pd_print(stdout, "%s%s%s  %-16s%s", r->broken ? ink.bad : ink.good, r->broken ? "BROKEN" : "ok    ", ink.off,
		 law->name, r->broken ? "" : " ");
	if (!r->broken) {
		if (r->positions)
			pd_print(stdout, "%s", cl_counted(&n, r->positions, "position"));
		pd_print(stdout, "\n");
		if (r->note[0])
			cl_row(stdout, "", "%s", r->note);
		return;
	}
	pd_print(stdout, " the law: %s\n", law->says);
	cl_row(stdout, "broken", "%s", r->what);
	if (r->position[0])
		cl_row(stdout, "position", "%s", r->position);
	cl_row(stdout, "after", "%s",
	       r->plies == 0 ? "no moves"
	       : r->path[0]  ? r->path
			     : "moves that cannot be printed");
}

static void put_law(struct pr_out *out, const struct test *t, const struct gt_law *law)
{
	const struct gt_report *r = t->report;
	bool broken = r->broken;
	pr_members(out, PR_OPEN_OBJECT(NULL), PR_S("law", law->name), PR_S("says", law->says), PR_B("holds", !broken),
		   PR_U("positions", r->positions), PR_OPT(broken, PR_S("what", r->what)),
		   PR_OPT(broken, PR_S("position", r->position)), PR_OPT(broken, PR_S("after", r->path)),
		   PR_OPT(!broken, PR_S("note", r->note[0] ? r->note : NULL)), PR_CLOSE);
}

static void run_laws(struct test *t, struct pr_out *out)
{
	const struct gt_law *law;
	PD_ASSERT(t->report && t->gt.report == t->report);
	for (unsigned i = 0; (law = cl_gt_law(i)) != NULL; i++) {
		memset(t->report, 0, sizeof *t->report);
		t->gt.seed = t->seed + i;
		judge_law(t, run_in_process(&t->gt, law->run));
		t->broken += t->report->broken;
		if (t->json)
			put_law(out, t, law);
		else
			print_law(t, law);
	}
}

static int test_game(struct test *t, struct pd_fail *fail)
{
	struct cl_json json;
	cl_json_begin(&json);
	pr_members(&json.out, PR_S("game", t->gt.game->name), PR_U("seed", t->seed), PR_OPEN_ARRAY("laws"));
	if (!t->json)
		pd_print(stdout, "%s, seed %" PRIu64 "\n", t->gt.game->name, t->seed);
	run_laws(t, &json.out);
	pr_members(&json.out, PR_CLOSE, PR_U("broken", t->broken));
	if (t->json)
		return cl_json_print(&json, stdout, fail);
	pd_buf_fini(&json.buf);
	pd_print(stdout, t->broken ? "%u laws are broken\n" : "no law was found broken\n", t->broken);
	return PD_OK;
}

int cl_cmd_game_test(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct test t = {.json = cl_given(options, CL_OPT_JSON), .seed = 1};
	struct game *game;
	int rc = cl_plugins_load(options, NULL, fail);
	if (!rc)
		rc = game_open(options->words[0], NULL, &game, fail);
	if (rc)
		return rc;
	t.report = mmap(NULL, sizeof *t.report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (t.report == MAP_FAILED) {
		game_close(game);
		return cl_no_memory(fail);
	}
	if (cl_given(options, CL_OPT_SEED))
		t.seed = (uint64_t)options->whole[CL_OPT_SEED];
	char *checker = NULL;
	rc = sv_checker_find(NULL, &checker, fail);
	t.gt = (struct gt){.game = game,
			   .rules = game->rules,
			   .report = t.report,
			   .rounds = ROUNDS,
			   .checker = checker,
			   .checker_rules = options->text[CL_OPT_RULES],
			   .checker_program = sv_checker_program(&options->game_dirs, game->name)};
	sv_plugins_on_broken(on_broken, &t.gt);
	rc = rc ? rc : test_game(&t, fail);
	free(checker);
	sv_plugins_on_broken(NULL, NULL);
	munmap(t.report, sizeof *t.report);
	game_close(game);
	*exit_code = t.broken ? CL_EXIT_FAILED : CL_EXIT_OK;
	return rc;
}
