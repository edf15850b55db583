#include "server/proofs/maintenance/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/log.h"
#include "proto/base/random.h"
#include "server/common/game_tables.h"
#include "server/common/open_games.h"
#include "server/experiments/experiment_lines.h"
#include "server/jobs/model/study.h"
#include "server/proofs/certificates/certificate_digest.h"
#include "server/proofs/maintenance/lies.h"
#include "server/proofs/maintenance/verify.h"
#include "server/proofs/maintenance/verify_results.h"
#include "server/proofs/tables/table_list.h"

/* A game that jobs are about. */
struct job_game {
	const char *name;  /* borrowed from the first such job */
	struct game *game; /* owned; NULL: it cannot be opened */
	struct sv_lookup lookup;
	struct pn_host host;
	struct pn_prover *prover; /* owned; NULL: not needed yet */
};

struct check {
	struct st_store *store;
	struct sv_verifier judge;
	struct sv_record *jobs;  /* owned, with their members */
	struct job_game **games; /* owned */
	size_t job_count, game_count;
	struct sv_entries entries;
	struct sv_check sum; /* problems, and what is counted here */
	void (*problem)(void *ctx, const char *text);
	void (*progress)(void *ctx, const struct sv_check *so_far);
	void *ctx;
};

static const uint64_t prover_memory = 64 << 20;

__attribute__((format(printf, 2, 3))) static void report_problem(struct check *c, const char *format, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	c->sum.problems++;
	c->problem(c->ctx, text);
}

static void record_problem(void *ctx, const char *text)
{
	report_problem(ctx, "%s", text);
}

/* --- facts -------------------------------------------------------------------------------- */

static void on_fault(void *ctx, const struct sv_fault *f)
{
	const struct pd_reason *r = f->reason;
	char text[GAME_TEXT_MAX], giver[PD_GIVER_TEXT], origin[24];
	if (!f->state) {
		report_problem(ctx, "%s: %s", f->game->name, f->text);
		return;
	}
	f->game->game->rules->print(f->game->game, f->state, text, sizeof text);
	if (pd_is_giver(r->job))
		snprintf(origin, sizeof origin, "worker %s", pd_giver_print(r->job, giver));
	else
		snprintf(origin, sizeof origin, "job %u", r->job);
	report_problem(ctx, "%s: %.200s: value %s %d within %u plies (effort %u, %s): %s", f->game->name, text,
		       r->side == PD_LO ? ">=" : "<=", r->bound, r->rank, r->effort, origin, f->text);
}

static void on_progress(void *ctx, const struct sv_check *so_far)
{
	struct check *c = ctx;
	struct sv_check sum = *so_far;
	sum.problems = c->sum.problems;
	if (c->progress)
		c->progress(c->ctx, &sum);
}

static int check_facts(struct check *c, struct pd_fail *fail)
{
	int rc = sv_verifier_run(&c->judge, fail);
	if (!rc && c->judge.failed.code)
		report_problem(c, "%s", c->judge.failed.text);
	return rc;
}

/* --- jobs --------------------------------------------------------------------------------- */

static int no_memory(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the jobs of the directory");
}

/* The record of a study must decode, and its moves must be legal, if the game can be opened here. */
static int check_study(struct check *c, uint32_t id, const void *record, size_t size)
{
	struct game_host host = {(void *)(uintptr_t)c->judge.graphs, sv_graph_read};
	struct sv_study study = {0};
	struct game_tree tree;
	struct game *game = NULL;
	struct pr_doc *doc = NULL;
	struct pd_fail fail;
	game_tree_init(&tree);
	int rc = sv_study_read(id, record, size, &study, &fail);
	rc = rc ? rc : pr_doc_parse(record, size, &doc, &fail);
	if (!rc && !sv_game_open(st_directory(c->store), study.game, &host, &game, &fail))
		rc = sv_study_play(game, pr_doc_root(doc), &tree, &fail);
	if (rc && rc != PD_E_NO_MEMORY)
		report_problem(c, "study %u: %s", id, fail.text);
	c->sum.studies++;
	if (game)
		game_close(game);
	game_tree_fini(&tree);
	pr_doc_free(doc);
	sv_study_fini(&study);
	return rc == PD_E_NO_MEMORY ? rc : PD_OK;
}

/* Decodes a job's record, which is opaque to the store. */
static int load_job(void *ctx, uint32_t id, const void *record, size_t size)
{
	struct check *c = ctx;
	struct sv_record job;
	struct pd_fail fail;
	if (sv_study_is(record, size))
		return check_study(c, id, record, size);
	int rc = sv_record_read(id, record, size, &job, &fail);
	if (rc == PD_E_NO_MEMORY)
		return rc;
	if (rc) {
		report_problem(c, "job %u: %s", id, fail.text);
		return PD_OK;
	}
	struct sv_record *jobs = realloc(c->jobs, (c->job_count + 1) * sizeof *jobs);
	if (!jobs) {
		sv_record_fini(&job);
		return PD_E_NO_MEMORY;
	}
	c->jobs = jobs;
	c->jobs[c->job_count++] = job;
	return PD_OK;
}

static struct job_game *find_game(const struct check *c, const char *name)
{
	for (size_t i = 0; i < c->game_count; i++)
		if (!strcmp(c->games[i]->name, name))
			return c->games[i];
	return NULL;
}

/* True when the game can be opened under the rules that the job was submitted under. */
static bool is_here(const struct job_game *g, const struct sv_record *job)
{
	PD_ASSERT(g);
	return g->game && !sv_job_rules_differ(&job->spec, g->game);
}

/* The game of a job, opened at its first job. NULL without memory. */
static struct job_game *open_job_game(struct check *c, const struct sv_record *job)
{
	struct game_host host = {(void *)(uintptr_t)c->judge.graphs, sv_graph_read};
	struct job_game *known = find_game(c, job->spec.game);
	struct pd_fail fail;
	if (known)
		return known;
	struct job_game **games = realloc(c->games, (c->game_count + 1) * sizeof *games);
	if (games)
		c->games = games;
	struct job_game *g = games ? calloc(1, sizeof *g) : NULL;
	if (!g)
		return NULL;
	c->games[c->game_count++] = g;
	g->name = job->spec.game;
	if (sv_game_open(st_directory(c->store), g->name, &host, &g->game, &fail))
		g->game = NULL;
	g->lookup.game = g->game;
	g->host = (struct pn_host){&g->lookup, sv_lookup_fact};
	return g;
}

static int load_tables(struct check *c, struct pd_fail *fail)
{
	int rc = PD_OK;
	for (size_t i = 0; i < c->job_count && !rc; i++) {
		const struct sv_record *job = &c->jobs[i];
		const struct job_game *g = open_job_game(c, job);
		if (!g)
			return no_memory(fail);
		if (!is_here(g, job))
			continue;
		rc = sv_entries_load(&c->entries, c->store, job, g->game, fail);
		if (rc && rc != PD_E_NO_MEMORY) {
			report_problem(c, "job %u: its table cannot be read: %s", job->id, fail->text);
			rc = PD_OK;
		}
	}
	return rc;
}

/* Looks up the numbers under which the store has the facts of the jobs' games. */
static void number_games(struct check *c)
{
	for (size_t i = 0; i < c->game_count; i++) {
		struct job_game *g = c->games[i];
		if (!g->game)
			continue;
		g->lookup.game_id = st_game_find(c->store, g->game->name, game_version(g->game));
		sv_entries_number(&c->entries, g->game, g->lookup.game_id);
	}
}

static void on_wrong_entry(void *ctx, uint32_t job, const struct game *game, const void *state,
			   const struct pd_reason *says)
{
	struct sv_verified_game of = {.name = (char *)(uintptr_t)game->name, .game = (struct game *)(uintptr_t)game};
	struct pd_reason r = *says;
	struct sv_fault f = {.game = &of, .state = state, .reason = &r};
	r.job = job;
	f.text = "a solved entry of the job's table says so, and a table by retrograde analysis says otherwise";
	on_fault(ctx, &f);
}

/* Reports the entries that no fact leads to, after all facts were compared with them. */
static void check_entries(struct check *c)
{
	for (unsigned i = 0; i < c->entries.count; i++) {
		struct pd_fail fail;
		if (sv_entries_follow(&c->entries, i, c->store, on_wrong_entry, c, &fail))
			pd_log(PD_LOG_WARN, "%s: not all entries could be checked", fail.text);
		struct sv_entry_sum sum = sv_entries_sum(&c->entries, i);
		c->sum.entries += sum.solved;
		c->sum.untold += sum.untold;
		c->sum.unreached += sum.unreached;
		if (sum.unfounded)
			report_problem(
				c,
				"job %u: %llu solved entries of its table are of positions about which nothing is "
				"proved",
				sum.job, (unsigned long long)sum.unfounded);
	}
}

static void result_problem(void *ctx, uint32_t job, const char *text)
{
	report_problem(ctx, "job %u: %s", job, text);
}

static int check_result(struct check *c, const struct sv_record *job, struct job_game *g, struct st_reader *reader,
			struct pd_fail *fail)
{
	struct sv_result_check check = {.game = g->game, .lookup = &g->lookup, .ctx = c, .problem = result_problem};
	g->lookup.reader = reader;
	struct pn_prover_options options = {
		.memory = prover_memory, .knowledge = true, .host = &g->host, .identity = pd_random64()};
	if (!g->prover && pn_prover_new(g->game, &options, &g->prover, fail))
		return fail->code;
	check.prover = g->prover;
	int rc = sv_result_check(&check, job, fail);
	c->sum.leaf_nodes += check.searched;
	if (!rc || rc == PD_E_NO_MEMORY)
		return rc;
	report_problem(c, "job %u: %s", job->id, fail->text);
	g->lookup.failed.code = 0;
	return PD_OK;
}

static int check_results(struct check *c, struct pd_fail *fail)
{
	struct st_reader *reader;
	int rc = st_reader_open(c->store, &reader, fail);
	if (rc)
		return rc;
	for (size_t i = 0; i < c->job_count && !rc; i++) {
		struct job_game *g = find_game(c, c->jobs[i].spec.game);
		c->sum.jobs++;
		if (is_here(g, &c->jobs[i]))
			rc = check_result(c, &c->jobs[i], g, reader, fail);
		else
			c->sum.skipped_jobs++;
	}
	st_reader_close(reader);
	return rc;
}

/* --- all of it ---------------------------------------------------------------------------- */

static void add_unopened(struct check *c, const char *name)
{
	char *list = c->sum.unopened;
	size_t size = strlen(list), room = sizeof c->sum.unopened - size;
	const char *known = strstr(list, name);
	size_t length = strlen(name);
	if (known && (known[length] == ',' || !known[length]) && (known == list || known[-1] == ' '))
		return;
	if (length + 8 < room)
		snprintf(list + size, room, "%s%s", size ? ", " : "", name);
	else if (room > 6 && (size < 3 || strcmp(list + size - 3, "...") != 0))
		snprintf(list + size, room, ", ...");
}

static void sum_up(struct check *c)
{
	const struct sv_check *judged = &c->judge.sum;
	c->sum.facts = judged->facts;
	c->sum.reasons = judged->reasons;
	c->sum.leaves = judged->leaves;
	c->sum.leaf_nodes += judged->leaf_nodes;
	c->sum.skipped = judged->skipped;
	for (unsigned i = 0; i < c->judge.game_count; i++)
		if (c->judge.games[i].passed_over)
			add_unopened(c, c->judge.games[i].name);
	for (size_t i = 0; i < c->job_count; i++)
		if (!is_here(find_game(c, c->jobs[i].spec.game), &c->jobs[i]))
			add_unopened(c, c->jobs[i].spec.game);
}

static int run_check(struct check *c, struct pd_fail *fail)
{
	if (st_check(c->store, record_problem, c, fail) < 0)
		return fail->code;
	int rc = st_job_each(c->store, load_job, c, fail);
	if (rc)
		return rc == PD_E_NO_MEMORY ? no_memory(fail) : rc;
	/* This makes visible what a server has added meanwhile. */
	if (load_tables(c, fail) || st_facts_maintain_all(c->store, false, fail))
		return fail->code;
	number_games(c);
	rc = sv_verifier_open(&c->judge, fail);
	c->judge.entries = &c->entries;
	if (!rc)
		rc = check_facts(c, fail) || check_results(c, fail) ? fail->code : PD_OK;
	if (!rc)
		check_entries(c);
	sum_up(c);
	sv_verifier_close(&c->judge);
	return rc;
}

static void end_check(struct check *c)
{
	sv_entries_fini(&c->entries);
	for (size_t i = 0; i < c->game_count; i++) {
		pn_prover_free(c->games[i]->prover);
		if (c->games[i]->game)
			game_close(c->games[i]->game);
		free(c->games[i]);
	}
	for (size_t i = 0; i < c->job_count; i++)
		sv_record_fini(&c->jobs[i]);
	free(c->games);
	free(c->jobs);
}

/* A retraction that is pending is a problem: what comes from those workers may be false, whatever is found below. */
static int report_lies(struct check *c, const char *dir, struct pd_fail *fail)
{
	char number[PD_GIVER_TEXT];
	struct sv_liars liars;
	int rc = sv_liars_read(dir, &liars, fail);
	if (rc == PD_E_CORRUPT) {
		report_problem(c, "%s", fail->text);
		return PD_OK;
	}
	for (size_t i = 0; !rc && i < liars.count; i++)
		report_problem(
			c,
			"a retraction is pending: facts of %s%s, which lied, are to be taken back; the next start of "
			"proofd does it",
			pd_is_giver(liars.giver[i]) ? "worker " : "all workers",
			pd_is_giver(liars.giver[i]) ? pd_giver_print(liars.giver[i], number) : "");
	return rc;
}

/* A search goes on without a table that is damaged, but what it has said before may rest on it. */
static int check_table(void *ctx, const char *path, const char *wrong)
{
	struct check *c = ctx;
	c->sum.tables++;
	if (wrong)
		report_problem(c, "the table %.300s: %.300s; build the table again", path, wrong);
	return PD_OK;
}

static void experiment_problem(void *ctx, const char *name, const char *why)
{
	report_problem(ctx, "%s: %s", name, why);
}

static int check_experiments(struct check *c, const char *dir, struct pd_fail *fail)
{
	struct sv_experiment_walk walk = {.damaged = experiment_problem, .ctx = c};
	int rc = sv_experiments_walk(dir, &walk, fail);
	c->sum.experiments = walk.count;
	return rc;
}

/* proof.verify judges what a certificate says. */
static int check_certificate(void *ctx, const char *path, enum sv_damage damage, struct pd_fail *fail)
{
	struct check *c = ctx;
	(void)fail;
	c->sum.certificates++;
	if (damage == SV_DAMAGED)
		report_problem(c, "the certificate %.300s is damaged; remove it, and export it again", path);
	return PD_OK;
}

int sv_check_directory(const char *dir, const struct sv_check_order *order, struct sv_check *out, struct pd_fail *fail)
{
	struct check c = {.problem = order->problem, .progress = order->progress, .ctx = order->ctx};
	PD_ASSERT(order->problem);
	int rc = st_open(dir, ST_READ_ONLY | ST_UNRETRACTED, &c.store, fail);
	if (rc)
		return rc;
	c.judge = (struct sv_verifier){.store = c.store,
				       .graphs = order->graphs,
				       .threads = order->threads,
				       .parts = SV_ONE_PLY | SV_LEAVES,
				       .ctx = &c,
				       .fault = on_fault,
				       .progress = on_progress};
	rc = report_lies(&c, dir, fail);
	rc = rc ? rc : sv_tables_examine(dir, check_table, &c, fail);
	rc = rc ? rc : check_experiments(&c, dir, fail);
	rc = rc ? rc : sv_certificates_examine(dir, check_certificate, &c, fail);
	if (!rc)
		rc = run_check(&c, fail);
	end_check(&c);
	st_close(c.store);
	*out = c.sum;
	return rc;
}

static void keep_first(void *ctx, const char *problem)
{
	struct pd_fail *first = ctx;
	if (!first->code)
		pd_fail_set(first, PD_E_CORRUPT, "facts", "%s", problem);
}

int sv_check_sound(const char *dir, const struct sv_check_order *order, const char *what, struct pd_fail *fail)
{
	struct pd_fail first = {.code = 0};
	struct sv_check sum;
	struct sv_check_order check = *order;
	check.problem = keep_first;
	check.ctx = &first;
	int rc = sv_check_directory(dir, &check, &sum, fail);
	return rc || !first.code ? rc : pd_fail_set(fail, PD_E_CORRUPT, "facts", "%s: %.220s", what, first.text);
}
