#include "server/proofs/backups/dump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/out.h"
#include "server/common/open_games.h"
#include "server/experiments/experiment_lines.h"
#include "server/jobs/model/job_record.h"
#include "server/jobs/model/removed_jobs.h"
#include "server/jobs/model/study.h"
#include "store/store.h"

struct dump {
	struct st_store *store;
	const char *graphs;
	FILE *out;
	struct pd_buf line;
	struct sv_dumped *sum;
	struct pd_fail *fail;
	uint32_t job; /* the one whose events are written */
	struct game *game;
	uint32_t game_id; /* of `game`; 0: none is open */
	char *name;       /* of the game that is looked for; owned */
	uint64_t rules;
};

static void begin_line(struct dump *d, struct pr_out *out)
{
	pd_buf_reset(&d->line);
	pr_out_init(out, &d->line);
	pr_open_object(out, NULL);
}

static int report_write_error(struct dump *d)
{
	return pd_fail_set(d->fail, pd_error_of_errno(errno), "", "cannot write the dump: %s", strerror(errno));
}

static int end_line(struct dump *d, struct pr_out *out)
{
	pr_close(out);
	pd_buf_put(&d->line, "\n", 1);
	if (d->line.failed)
		return pd_fail_set(d->fail, PD_E_NO_MEMORY, "", "no memory for a line of a dump");
	if (fwrite(d->line.data, 1, d->line.size, d->out) != d->line.size)
		return report_write_error(d);
	return PD_OK;
}

/* Puts a stored record: parses it and writes it out again. */
static int put_record(struct dump *d, struct pr_out *out, const char *key, const void *record, size_t size)
{
	struct pr_doc *doc;
	int rc = record ? pr_doc_parse(record, size, &doc, d->fail) : PD_E_CORRUPT;
	if (rc)
		return pd_fail_set(d->fail, rc == PD_E_NO_MEMORY ? rc : PD_E_CORRUPT, key,
				   "a record of job %" PRIu32 " does not decode: proofctl repair salvages the others",
				   d->job);
	char *text = pr_dump(pr_doc_root(doc), &size);
	pr_doc_free(doc);
	if (!text)
		return pd_fail_set(d->fail, PD_E_NO_MEMORY, "", "no memory for a line of a dump");
	pr_raw(out, key, text, size);
	free(text);
	return PD_OK;
}

static int on_event(void *ctx, const void *record, size_t size)
{
	struct dump *d = ctx;
	struct pr_out out;
	begin_line(d, &out);
	pr_uint(&out, "job", d->job);
	int rc = put_record(d, &out, "event", record, size);
	d->sum->events++;
	return rc ? rc : end_line(d, &out);
}

static int on_job(void *ctx, uint32_t job, const void *record, size_t size)
{
	struct dump *d = ctx;
	struct sv_record read;
	struct pr_out out;
	d->job = job;
	if (sv_study_is(record, size)) {
		begin_line(d, &out);
		pr_uint(&out, "job", job);
		d->sum->jobs++;
		return put_record(d, &out, "study", record, size) ? d->fail->code : end_line(d, &out);
	}
	int rc = sv_record_read(job, record, size, &read, d->fail);
	if (rc)
		return rc;
	sv_record_fini(&read);
	begin_line(d, &out);
	pr_uint(&out, "job", job);
	rc = put_record(d, &out, "record", record, size);
	if (!rc)
		rc = end_line(d, &out);
	d->sum->jobs++;
	return rc ? rc : st_event_each(d->store, job, SIZE_MAX, on_event, d, d->fail);
}

static int dump_jobs(struct dump *d)
{
	struct sv_removed_jobs removed;
	struct pr_out out;
	begin_line(d, &out);
	pr_members(&out, PR_I("proofd-dump", SV_DUMP_VERSION), PR_U("jobs_given", st_jobs_given(d->store)));
	if (end_line(d, &out) || sv_removed_jobs_read(&removed, d->store, d->fail))
		return d->fail->code;
	int rc = PD_OK;
	for (size_t i = 0; !rc && i < removed.count; i++) {
		begin_line(d, &out);
		pr_members(&out, PR_S("removed", removed.range[i].version), PR_U("first", removed.range[i].first),
			   PR_U("last", removed.range[i].last));
		rc = end_line(d, &out);
	}
	sv_removed_jobs_fini(&removed);
	return rc ? rc : st_job_each(d->store, on_job, d, d->fail);
}

static void on_game(void *ctx, uint32_t id, const char *name, uint64_t rules)
{
	struct dump *d = ctx;
	if (id != d->game_id)
		return;
	d->name = strdup(name);
	d->rules = rules;
}

/* Opens the game of that number, and writes its line. */
static int open_game(struct dump *d, uint32_t id)
{
	struct game_host host = {(void *)(uintptr_t)d->graphs, sv_graph_read};
	struct pr_out out;
	struct pd_fail why = {.text = ""};
	char rules[SV_RULES_TEXT];
	if (d->game)
		game_close(d->game);
	free(d->name);
	d->name = NULL;
	d->game = NULL;
	d->game_id = id;
	st_game_each(d->store, on_game, d);
	if (!d->name)
		return pd_fail_set(d->fail, PD_E_CORRUPT, "game", "facts of game number %" PRIu32 ", which is unknown",
				   id);
	sv_rules_text(d->rules, rules);
	if (game_open(d->name, &host, &d->game, &why))
		return pd_fail_set(d->fail, PD_E_UNSUPPORTED, "game",
				   "facts of %.90s cannot be written as text: %.180s", d->name, why.text);
	if (game_version(d->game) != d->rules)
		return pd_fail_set(d->fail, PD_E_UNSUPPORTED, "game",
				   "facts of %.90s under rules %s cannot be written as text, because this "
				   "program has other rules for it",
				   d->name, rules);
	begin_line(d, &out);
	pr_members(&out, PR_U("game", id), PR_S("name", d->name), PR_S("rules", rules));
	d->sum->games++;
	return end_line(d, &out);
}

static int put_reason(struct dump *d, struct pr_out *out, const void *state, const struct pd_reason *r)
{
	char text[GAME_TEXT_MAX], giver[PD_GIVER_TEXT];
	game_move move;
	if (r->move != PD_NO_MOVE) {
		if (!game_legal_from_key(d->game, state, r->move, &move))
			return pd_fail_set(d->fail, PD_E_CORRUPT, "facts",
					   "a stored fact of %.90s has a move that is not legal: proofctl check lists "
					   "all",
					   d->game->name);
		d->game->rules->move_print(d->game, state, move, text, sizeof text);
	}
	pr_open_object(out, NULL);
	pr_members(out, PR_S("side", r->side == PD_LO ? "lo" : "hi"), PR_I("bound", r->bound),
		   PR_IF(r->rank != PD_RANK_NONE, PR_U("rank", r->rank)),
		   PR_S("move", r->move == PD_NO_MOVE ? NULL : text), PR_U("effort", r->effort),
		   PR_U("job", pd_is_giver(r->job) ? 0 : r->job));
	if (r->dominated) {
		snprintf(text, sizeof text, "%" PRIu64, r->dominated);
		pr_str(out, "dominated", text);
	}
	if (pd_is_giver(r->job))
		pr_str(out, "worker", pd_giver_print(r->job, giver));
	pr_close(out);
	return PD_OK;
}

static int on_fact(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char text[GAME_TEXT_MAX];
	struct dump *d = ctx;
	struct pr_out out;
	if ((game != d->game_id && open_game(d, game)) || pn_fact_sound(d->game, key, size, fact, d->fail))
		return d->fail->code;
	if (d->game->rules->unkey(d->game, key, size, state))
		return pd_fail_set(d->fail, PD_E_CORRUPT, "facts",
				   "the key of a stored fact of %.90s is not the key of a position: proofctl check "
				   "lists all",
				   d->game->name);
	d->game->rules->print(d->game, state, text, sizeof text);
	begin_line(d, &out);
	pr_members(&out, PR_U("fact", game), PR_S("position", text));
	pr_open_array(&out, "reasons");
	for (uint32_t i = 0; i < fact->count; i++)
		if (put_reason(d, &out, state, &pd_fact_reasons(fact)[i]))
			return d->fail->code;
	pr_close(&out);
	d->sum->facts++;
	return end_line(d, &out);
}

/* Dumps all facts, including those that a server has added since the jobs were read. */
static int dump_facts(struct dump *d)
{
	int rc = st_facts_maintain_all(d->store, false, d->fail);
	return rc ? rc : st_fact_walk(d->store, on_fact, d, d->fail);
}

static int put_experiment(void *ctx, const char *line, size_t size, struct pd_fail *fail)
{
	struct dump *d = ctx;
	(void)fail;
	return fwrite(line, 1, size, d->out) == size ? PD_OK : report_write_error(d);
}

static void leave_out(void *ctx, const char *name, const char *why)
{
	struct dump *d = ctx;
	sv_left_out_add(&d->sum->left_out, name, why);
}

static int dump_experiments(struct dump *d, const char *dir)
{
	struct sv_experiment_walk walk = {.put = put_experiment, .damaged = leave_out, .ctx = d};
	int rc = sv_experiments_walk(dir, &walk, d->fail);
	d->sum->experiments = walk.count;
	return rc;
}

static int dump_end(struct dump *d)
{
	struct pr_out out;
	begin_line(d, &out);
	pr_members(&out, PR_B("end", true), PR_U("games", d->sum->games), PR_U("jobs", d->sum->jobs),
		   PR_U("events", d->sum->events), PR_U("facts", d->sum->facts),
		   PR_OPT(d->sum->experiments, PR_U("experiments", d->sum->experiments)));
	int rc = end_line(d, &out);
	return rc || !fflush(d->out) ? rc : report_write_error(d);
}

int sv_dump(const char *dir, const char *graphs, FILE *out, struct sv_dumped *sum, struct pd_fail *fail)
{
	struct dump d = {.graphs = graphs, .out = out, .sum = sum, .fail = fail};
	*sum = (struct sv_dumped){0};
	PD_ASSERT(out);
	int rc = st_open(dir, ST_READ_ONLY, &d.store, fail);
	if (rc)
		return rc;
	pd_buf_init(&d.line, SIZE_MAX);
	rc = dump_jobs(&d) || dump_facts(&d) || dump_experiments(&d, dir) || dump_end(&d) ? fail->code : PD_OK;
	if (d.game)
		game_close(d.game);
	free(d.name);
	pd_buf_fini(&d.line);
	st_close(d.store);
	return rc;
}
