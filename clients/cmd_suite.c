/* proofctl suite run: every question of a suite with every variant and seed, each in a process of its own. check: reads
 * the suite, and says how large it is.
 *
 * A child process, not a job of a server, because then processor time and memory are the kernel's figures of that run
 * alone. Runs are ordered by question, seed, variant and program; with two programs each pair begins with the other
 * program than the pair before. What the results file has is not run again. */
#include <inttypes.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clients/commands.h"
#include "clients/interrupt.h"
#include "clients/suite_child.h"
#include "clients/suite_results.h"
#include "clients/suite_show.h"
#include "clients/text.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"

enum { ARGUMENTS = 128, CHILDREN_MAX = 256, OUTPUT_BYTES = 16 << 20, SIZE_TEXT = 32 };

/* A run to be done, or done. */
struct order {
	unsigned question, variant, seed, program; /* indices */
	bool started;                              /* or in the file */
};

struct bounds {
	int64_t lo, hi;
};

struct suite_run {
	const struct cl_options *options;
	struct cl_suite suite;
	struct cl_results before; /* what the file had */
	struct cl_results_head head;
	char program[CL_PROGRAMS_MAX][PATH_MAX];
	struct order *orders; /* owned */
	unsigned order_count, next;
	struct bounds *known; /* owned; of each question's value, by all runs */
	struct cl_child children[CHILDREN_MAX];
	unsigned running[CHILDREN_MAX]; /* indices of orders */
	unsigned child_count;
	int fd;
	unsigned done, solved, wrong, failed, broken; /* runs; broken: without a result */
	bool other_build;                             /* the file's last runs are of another build */
};

/* --- checks ------------------------------------------------------------------------------- */

/* Asks a core in this process whether the games have these positions, so that a slip is found before hours of runs. */
static int check_questions(const struct suite_run *s, struct pd_fail *fail)
{
	struct sv_config config;
	struct cl_link *link;
	struct pd_fail why;
	sv_config_init(&config);
	config.threads = 0;
	config.graphs = s->options->text[CL_OPT_GRAPHS];
	int rc = cl_plugins_load(s->options, NULL, fail);
	if (!rc)
		rc = cl_link_embed(&config, &link, fail);
	if (rc)
		return rc;
	for (unsigned i = 0; !rc && i < s->suite.question_count; i++) {
		const struct cl_question_line *q = &s->suite.questions[i];
		struct pd_claim claim;
		rc = cl_ask(link, "position.show", NULL, &why, PR_S("game", q->game),
			    PR_OPT_S("position", q->position));
		if (!rc && q->claim)
			rc = pd_claim_parse(q->claim, &claim, &why);
		if (rc)
			pd_fail_set(fail, PD_E_USAGE, "suite", "question '%.60s': %.220s", q->name, why.text);
	}
	cl_link_close(link);
	return rc ? PD_E_USAGE : PD_OK;
}

static int digest_program(const char *path, char out[CL_DIGEST_TEXT], struct pd_fail *fail)
{
	struct stat st;
	FILE *file = fopen(path, "r");
	void *bytes = file && !fstat(fileno(file), &st) && st.st_size > 0
			      ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fileno(file), 0)
			      : MAP_FAILED;
	int rc = bytes == MAP_FAILED ? pd_fail_errno(fail, "program", "read", path) : PD_OK;
	if (!rc) {
		cl_digest(bytes, (size_t)st.st_size, out);
		munmap(bytes, (size_t)st.st_size);
	}
	if (file)
		fclose(file);
	return rc;
}

/* This program, and that of --against. */
static int find_programs(struct suite_run *s, struct pd_fail *fail)
{
	const char *other = s->options->text[CL_OPT_AGAINST];
	ssize_t size = readlink("/proc/self/exe", s->program[0], PATH_MAX - 1);
	if (size <= 0)
		return pd_fail_errno(fail, "program", "find", "this program");
	s->program[0][size] = 0;
	s->head.program_count = other ? 2 : 1;
	if (other && !realpath(other, s->program[1]))
		return pd_fail_errno(fail, "against", "run", other);
	int rc = digest_program(s->program[0], s->head.program[0], fail);
	return rc || !other ? rc : digest_program(s->program[1], s->head.program[1], fail);
}

/* --- orders ------------------------------------------------------------------------------- */

static int make_orders(struct suite_run *s, struct pd_fail *fail)
{
	const struct cl_suite *suite = &s->suite;
	unsigned programs = s->head.program_count, n = 0;
	s->order_count = suite->question_count * suite->seed_count * suite->variant_count * programs;
	s->orders = calloc(s->order_count, sizeof *s->orders);
	s->known = calloc(suite->question_count, sizeof *s->known);
	if (!s->orders || !s->known)
		return cl_no_memory(fail);
	for (unsigned q = 0; q < suite->question_count; q++) {
		s->known[q] = (struct bounds){INT16_MIN, INT16_MAX};
		for (unsigned i = 0; i < suite->seed_count; i++)
			for (unsigned v = 0; v < suite->variant_count; v++)
				for (unsigned p = 0; p < programs; p++, n++)
					s->orders[n] = (struct order){q, v, i, programs > 1 ? (p ^ n / 2) & 1 : 0};
	}
	return PD_OK;
}

/* The order of a run in the file; NULL: the suite has none. */
static struct order *find_order(const struct suite_run *s, const struct cl_result *r)
{
	const struct cl_suite *suite = &s->suite;
	unsigned programs = s->head.program_count, seed = 0;
	int q = cl_suite_question(suite, r->question), v = cl_suite_variant(suite, r->variant);
	while (seed < suite->seed_count && suite->seeds[seed] != r->seed)
		seed++;
	if (q < 0 || v < 0 || seed == suite->seed_count || r->program >= programs)
		return NULL;
	struct order *pair =
		s->orders + (((unsigned)q * suite->seed_count + seed) * suite->variant_count + (unsigned)v) * programs;
	return pair->program == r->program ? pair : pair + 1;
}

/* --- results ------------------------------------------------------------------------------ */

/* Counts a run, and reports a value that contradicts the known one or that of another run. */
static void count_run(struct suite_run *s, unsigned question, const struct cl_result *r)
{
	struct bounds *known = &s->known[question];
	const struct cl_question_line *q = &s->suite.questions[question];
	bool contradicts = r->lo > known->hi || r->hi < known->lo;
	s->done++;
	s->solved += cl_result_answered(r);
	s->failed += !strcmp(r->status, "failed");
	s->wrong += r->wrong || contradicts;
	if (r->wrong || contradicts)
		pd_print(stderr,
			 "proofctl: WRONG: %s (%s), variant %s, seed %" PRId64 ", program %u: %s, value %" PRId64
			 " to %" PRId64 "; %s\n",
			 r->question, r->game, r->variant, r->seed, r->program + 1, r->status, r->lo, r->hi,
			 r->wrong ? "the suite has another value" : "another run has another value");
	if (r->wrong && q->source)
		pd_print(stderr, "proofctl: the value of the suite is from: %s\n", q->source);
	if (contradicts)
		return;
	known->lo = r->lo > known->lo ? r->lo : known->lo;
	known->hi = r->hi < known->hi ? r->hi : known->hi;
}

/* Takes what the file has. */
static int take_before(struct suite_run *s, const char *path, struct pd_fail *fail)
{
	const struct cl_results_head *had = &s->before.head;
	if (!s->before.bytes)
		return PD_OK;
	if (strcmp(had->digest, s->head.digest) != 0)
		return pd_fail_set(
			fail, PD_E_USAGE, "out",
			"%.200s has the results of another suite, or of one that was changed since; name another "
			"file",
			path);
	s->other_build = strcmp(had->program[0], s->head.program[0]) || strcmp(had->program[1], s->head.program[1]);
	if (had->program_count != s->head.program_count || (s->other_build && !cl_given(s->options, CL_OPT_ANY_BUILD)))
		return pd_fail_set(
			fail, PD_E_USAGE, "out",
			"%.150s has the results of another build of proofctl (or with another --against): finish "
			"with that one, name another file, or continue them with this build (--any-build)",
			path);
	for (unsigned i = 0; i < s->before.count; i++) {
		struct order *order = find_order(s, &s->before.runs[i]);
		if (!order || order->started)
			return pd_fail_set(fail, PD_E_CORRUPT, "out",
					   "%.200s, line %u: the suite has no such run, or it is there twice", path,
					   s->before.runs[i].line);
		order->started = true;
		count_run(s, order->question, &s->before.runs[i]);
	}
	return PD_OK;
}

static int open_results(struct suite_run *s, struct pd_fail *fail)
{
	const char *path = s->options->text[CL_OPT_OUT];
	memcpy(s->head.digest, s->suite.digest, CL_DIGEST_TEXT);
	memcpy(s->head.asked, s->suite.asked, CL_DIGEST_TEXT);
	s->head.limits = s->suite.limits;
	int rc = cl_results_open(path, &s->fd, fail);
	if (!rc)
		rc = cl_results_read(path, &s->before, fail);
	if (!rc)
		rc = take_before(s, path, fail);
	rc = rc ? rc : cl_results_begin(s->fd, path, s->before.bytes, &s->head, &s->suite, fail);
	bool same = !s->other_build && (s->before.head.summed || !s->before.bytes);
	return rc || same ? rc : cl_results_add_head(s->fd, &s->head, &s->suite, fail);
}

/* --- children ----------------------------------------------------------------------------- */

/* A command line under construction; its texts are in `text`, one after the other. */
struct line {
	char *argv[ARGUMENTS];
	unsigned count;
	struct pd_buf text;
	size_t at[ARGUMENTS];
};

static void add_word(struct line *line, const char *word)
{
	PD_ASSERT(line->count + 1 < ARGUMENTS);
	line->at[line->count++] = line->text.size;
	pd_buf_put(&line->text, word, strlen(word) + 1);
}

static void add_option(struct line *line, const char *option, const char *value)
{
	if (!value || !*value)
		return;
	add_word(line, option);
	add_word(line, value);
}

static void add_number(struct line *line, const char *option, double value)
{
	char text[SIZE_TEXT];
	snprintf(text, sizeof text, "%.15g", value);
	add_option(line, option, value > 0 ? text : NULL);
}

static void add_search_options(struct line *line, pr_ref options)
{
	for (size_t i = 0; i < pr_count(options); i++) {
		const char *key;
		pr_ref value = pr_member(options, i, &key);
		char text[100], *json = pr_kind_of(value) == PR_STRING ? NULL : pr_dump(value, NULL);
		snprintf(text, sizeof text, "%s=%s", key, json ? json : pr_text(value, ""));
		add_option(line, "--option", text);
		free(json);
	}
}

static void put_line(const struct suite_run *s, const struct order *o, struct line *line)
{
	const struct cl_question_line *q = &s->suite.questions[o->question];
	const struct cl_variant_line *v = &s->suite.variants[o->variant];
	const struct cl_limits *limits = &s->suite.limits;
	char seed[SIZE_TEXT];
	pd_buf_init(&line->text, OUTPUT_BYTES);
	line->count = 0;
	snprintf(seed, sizeof seed, "%" PRId64, s->suite.seeds[o->seed]);
	add_word(line, s->program[o->program]);
	add_word(line, "solve");
	add_word(line, q->game);
	add_word(line, "--json");
	add_option(line, "--threads", "1");
	add_option(line, "--seed", seed);
	add_option(line, "--position", q->position);
	add_option(line, "--claim", q->claim);
	add_option(line, "--algorithm", v->algorithm);
	add_option(line, "--detail", v->detail);
	add_option(line, "--memory", limits->memory);
	add_number(line, "--nodes", (double)limits->nodes);
	add_number(line, "--seconds", limits->seconds);
	add_number(line, "--cpu", limits->cpu);
	add_option(line, "--graphs", s->options->text[CL_OPT_GRAPHS]);
	for (unsigned i = 0; i < s->options->game_dirs.count; i++)
		add_option(line, "--game-dir", s->options->game_dirs.dir[i]);
	for (unsigned i = 0; i < s->options->game_dirs.programs; i++)
		add_option(line, "--game-program", s->options->game_dirs.program[i]);
	for (unsigned i = 0; i < s->options->game_dirs.file_lists; i++)
		add_option(line, "--game-files", s->options->game_dirs.files[i]);
	add_search_options(line, v->options);
	for (unsigned i = 0; i < line->count; i++)
		line->argv[i] = line->text.data + line->at[i];
	line->argv[line->count] = NULL;
}

static int start_child(struct suite_run *s, unsigned slot, unsigned order, struct pd_fail *fail)
{
	struct line line;
	put_line(s, &s->orders[order], &line);
	int rc = line.text.failed ? cl_no_memory(fail) : cl_child_start(line.argv, &s->children[slot], fail);
	pd_buf_fini(&line.text);
	s->orders[order].started |= !rc;
	s->running[slot] = order;
	return rc;
}

static void take_answer(struct cl_result *r, pr_ref answer)
{
	pr_ref value = pr_get(answer, "value"), nodes = pr_get(answer, "nodes");
	r->status = pr_get_str(answer, "status", "failed");
	r->lo = pr_get_int(value, "lo", INT16_MIN);
	r->hi = pr_get_int(value, "hi", INT16_MAX);
	r->nodes = pr_get_int(nodes, "level1", 0) + pr_get_int(nodes, "level2", 0);
	r->positions = pr_get_int(nodes, "positions", -1);
	r->facts = pr_get_int(answer, "facts", 0);
}

/* The child that did the order has ended: adds its result. A search that gave up for lack of memory has failed, and is
 * not run again; what a signal ended is run again by the next `suite run`. */
static int end_child(struct suite_run *s, const struct order *o, const struct cl_child_end *end, pr_ref answer,
		     const char *error, struct pd_fail *fail)
{
	const struct cl_question_line *q = &s->suite.questions[o->question];
	struct cl_result r = {q->name,
			      q->game,
			      s->suite.variants[o->variant].name,
			      s->suite.seeds[o->seed],
			      q->degree,
			      o->program,
			      .status = "failed",
			      .lo = INT16_MIN,
			      .hi = INT16_MAX,
			      .nodes = -1,
			      .positions = -1,
			      .cpu = end->cpu,
			      .seconds = end->seconds,
			      .peak = end->peak};
	if (end->exit == CL_EXIT_USAGE)
		return pd_fail_set(fail, PD_E_USAGE, "suite", "question '%.60s', variant '%.60s': %.180s", q->name,
				   r.variant, error);
	bool answered = answer && (end->exit == CL_EXIT_OK || end->exit == CL_EXIT_UNANSWERED);
	if (!answered && end->exit != CL_EXIT_FAILED) {
		pd_print(stderr,
			 "proofctl: BROKEN: %s (%s), variant %s, seed %" PRId64
			 ", program %u: exit code %d, signal %d %.200s\n",
			 r.question, r.game, r.variant, r.seed, r.program + 1, end->exit, end->signal, error);
		s->broken++;
		return PD_OK;
	}
	if (answered)
		take_answer(&r, answer);
	else
		r.error = error;
	r.wrong = answered && cl_suite_wrong(q, r.lo, r.hi, r.status);
	int rc = cl_results_add(s->fd, &r, fail);
	if (!rc)
		count_run(s, o->question, &r);
	return rc;
}

/* Waits a moment for a child, and takes its result. */
static int await_child(struct suite_run *s, struct pd_fail *fail)
{
	struct cl_child_end end;
	struct pd_buf out, err;
	struct pr_doc *doc = NULL, *why = NULL;
	struct pd_fail ignored;
	int slot = cl_child_await(s->children, s->child_count, &end);
	if (slot < 0)
		return PD_OK;
	pd_buf_init(&out, OUTPUT_BYTES);
	pd_buf_init(&err, OUTPUT_BYTES);
	cl_child_output(&s->children[slot], &out, &err);
	if (out.size && pr_doc_parse(out.data, out.size, &doc, &ignored))
		doc = NULL;
	if (err.size && pr_doc_parse(err.data, err.size, &why, &ignored))
		why = NULL;
	const char *error = why        ? pr_get_str(pr_get(pr_doc_root(why), "error"), "message", "")
			    : err.size ? err.data
				       : "";
	int rc = end_child(s, &s->orders[s->running[slot]], &end, doc ? pr_doc_root(doc) : NULL, error, fail);
	pr_doc_free(doc);
	pr_doc_free(why);
	pd_buf_fini(&out);
	pd_buf_fini(&err);
	return rc;
}

static void show_progress(const struct suite_run *s)
{
	if (cl_is_terminal(stderr) && !cl_given(s->options, CL_OPT_JSON))
		pd_print(stderr, "\r%u of %u runs, %u solved, %u wrong ", s->done, s->order_count, s->solved, s->wrong);
}

static int do_runs(struct suite_run *s, int *number, struct pd_fail *fail)
{
	unsigned busy;
	int rc = PD_OK;
	do {
		busy = 0;
		for (unsigned i = 0; !rc && i < s->child_count; i++) {
			while (s->next < s->order_count && s->orders[s->next].started)
				s->next++;
			if (!s->children[i].pid && s->next < s->order_count)
				rc = start_child(s, i, s->next, fail);
			busy += s->children[i].pid > 0;
		}
		if (!rc && busy)
			rc = await_child(s, fail);
		show_progress(s);
		*number = cl_interrupt_take();
	} while (!rc && !*number && busy);
	cl_child_kill(s->children, s->child_count);
	return rc;
}

/* --- the command -------------------------------------------------------------------------- */

static int print_summary(const struct suite_run *s, int number, struct pd_fail *fail)
{
	const char *out = s->options->text[CL_OPT_OUT];
	if (cl_given(s->options, CL_OPT_JSON))
		return cl_print_members(stdout, fail, PR_U("runs", s->order_count), PR_U("before", s->before.count),
					PR_U("done", s->done), PR_U("solved", s->solved), PR_U("failed", s->failed),
					PR_U("wrong", s->wrong), PR_U("broken", s->broken), PR_S("out", out));
	if (cl_is_terminal(stderr))
		fputs("\n", stderr);
	pd_print(stdout, "%u of %u runs in %s: %u solved, %u failed, %u wrong", s->done, s->order_count, out, s->solved,
		 s->failed, s->wrong);
	pd_print(stdout, s->broken ? ", %u broken\n" : "\n", s->broken);
	if (number)
		fputs("proofctl: interrupted; the same command does the rest\n", stderr);
	return PD_OK;
}

static int run_suite(struct suite_run *s, int *exit_code, struct pd_fail *fail)
{
	const struct cl_options *o = s->options;
	int number = 0;
	if (!cl_given(o, CL_OPT_OUT))
		return pd_fail_set(fail, PD_E_USAGE, "out", "--out FILE has to name the file of the results");
	s->child_count = cl_given(o, CL_OPT_PARALLEL) ? (unsigned)o->whole[CL_OPT_PARALLEL] : 1;
	PD_ASSERT(s->child_count && s->child_count <= CHILDREN_MAX);
	int rc = cl_suite_read(o->words + 1, o->word_count - 1, &s->suite, fail);
	if (!rc)
		rc = find_programs(s, fail);
	if (!rc)
		rc = make_orders(s, fail);
	if (!rc)
		rc = check_questions(s, fail);
	cl_interrupt_hold();
	cl_child_hold();
	if (!rc)
		rc = open_results(s, fail);
	if (!rc)
		rc = do_runs(s, &number, fail);
	if (!rc)
		rc = print_summary(s, number, fail);
	*exit_code = number ? CL_EXIT_SIGNAL + number : s->wrong || s->broken ? CL_EXIT_FAILED : CL_EXIT_OK;
	return rc;
}

static int check_suite(struct suite_run *s, struct pd_fail *fail)
{
	const struct cl_suite *suite = &s->suite;
	struct cl_text a, b, c, d;
	int rc = cl_suite_read(s->options->words + 1, s->options->word_count - 1, &s->suite, fail);
	if (!rc)
		rc = check_questions(s, fail);
	unsigned runs = suite->question_count * suite->variant_count * suite->seed_count;
	if (!rc && cl_given(s->options, CL_OPT_JSON))
		return cl_print_members(
			stdout, fail, PR_S("suite", suite->name), PR_U("questions", suite->question_count),
			PR_U("variants", suite->variant_count), PR_U("seeds", suite->seed_count), PR_U("runs", runs));
	if (!rc)
		pd_print(stdout, "%s, %s, %s: %s\n", cl_counted(&a, suite->question_count, "question"),
			 cl_counted(&b, suite->variant_count, "variant"), cl_counted(&c, suite->seed_count, "seed"),
			 cl_counted(&d, runs, "run"));
	return rc;
}

int cl_cmd_suite(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	PD_ASSERT(options->word_count);
	bool check = !strcmp(options->words[0], "check");
	if (!strcmp(options->words[0], "report"))
		return cl_suite_report(options, fail);
	if (!check && strcmp(options->words[0], "run") != 0)
		return pd_fail_set(fail, PD_E_USAGE, "suite",
				   "the first word must be check, run or report, not '%.40s'", options->words[0]);
	if (options->word_count < 2)
		return pd_fail_set(fail, PD_E_USAGE, "suite", "name the files of the suite");
	struct suite_run *s = calloc(1, sizeof *s);
	if (!s)
		return cl_no_memory(fail);
	s->options = options;
	s->fd = -1;
	int rc = check ? check_suite(s, fail) : run_suite(s, exit_code, fail);
	if (s->fd >= 0)
		close(s->fd);
	cl_results_fini(&s->before);
	cl_suite_fini(&s->suite);
	free(s->orders);
	free(s->known);
	free(s);
	return rc;
}
