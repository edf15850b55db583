#include "server/proofs/backups/load.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "server/common/open_games.h"
#include "server/experiments/experiment_lines.h"
#include "server/jobs/model/job_record.h"
#include "server/jobs/model/removed_jobs.h"
#include "server/jobs/model/study.h"
#include "server/proofs/maintenance/check.h"
#include "server/proofs/maintenance/fresh_directory.h"
#include "solver/table_theorem.h"
#include "store/store.h"

enum { BATCH = 20000, JOBS_MAX = 1 << 24, GAMES_MAX = 1 << 20, TELL = 10000 };

struct loaded_game {
	uint32_t number; /* in the dump */
	uint32_t id;     /* in the store */
	struct game *game;
};

struct load {
	const struct sv_load_order *order;
	struct st_store *store;
	struct st_batch *batch; /* NULL: none */
	uint32_t weight;        /* records in it */
	uint64_t line;
	uint32_t jobs_given, job; /* the last one that got a record */
	struct loaded_game *game; /* owned */
	size_t games;
	bool tables; /* one of them may have tables, on which facts may rest */
	struct sv_removed_jobs removed;
	struct sv_experiment_taker experiments;
	bool ended;
	struct sv_dumped *sum;
	struct pd_fail *fail;
};

/* --- errors and members ------------------------------------------------------------------- */

__attribute__((format(printf, 4, 5))) static int refuse_line(struct load *l, int code, const char *field,
							     const char *format, ...)
{
	char text[256];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	return pd_fail_set(l->fail, (enum pd_error)code, field, "line %" PRIu64 ", %s: %s", l->line, field, text);
}

static int no_memory(struct load *l)
{
	return pd_fail_set(l->fail, PD_E_NO_MEMORY, "", "no memory to load a dump");
}

/* Refuses members that are not in the list, whose names are separated by blanks, and those that are missing. */
static int check_members(struct load *l, pr_ref object, const char *names)
{
	const char *key;
	size_t count = 0;
	for (const char *p = names; *p; p += strcspn(p, " "), p += strspn(p, " ")) {
		char name[32];
		snprintf(name, sizeof name, "%.*s", (int)strcspn(p, " "), p);
		if (!pr_has(object, name))
			return refuse_line(l, PD_E_PARAMS, name, "is missing");
		count++;
	}
	for (size_t i = 0; count != pr_count(object) && i < pr_count(object); i++) {
		pr_member(object, i, &key);
		size_t n = strlen(key);
		const char *at = strstr(names, key);
		while (at && !((at == names || at[-1] == ' ') && (at[n] == ' ' || !at[n])))
			at = strstr(at + 1, key);
		if (!at || !n)
			return refuse_line(l, PD_E_PARAMS, key, "is not a member of such a line; the members are %s",
					   names);
	}
	return PD_OK;
}

static int read_integer(struct load *l, pr_ref object, const char *key, int64_t min, int64_t max, int64_t *out)
{
	pr_ref value = pr_get(object, key);
	int64_t n = pr_number(value, 0);
	if (pr_kind_of(value) != PR_INT || n < min || n > max)
		return refuse_line(l, PD_E_PARAMS, key, "must be an integer from %" PRId64 " to %" PRId64, min, max);
	*out = n;
	return PD_OK;
}

static int read_text(struct load *l, pr_ref object, const char *key, const char **out)
{
	pr_ref value = pr_get(object, key);
	if (pr_kind_of(value) != PR_STRING)
		return refuse_line(l, PD_E_PARAMS, key, "must be a string");
	*out = pr_text(value, "");
	return PD_OK;
}

/* --- batches ------------------------------------------------------------------------------ */

static int commit_batch(struct load *l)
{
	struct st_batch *batch = l->batch;
	l->batch = NULL;
	l->weight = 0;
	int rc = batch ? st_batch_commit(batch, l->fail) : PD_OK;
	return rc ? rc : st_facts_maintain_all(l->store, false, l->fail);
}

/* Makes sure that there is a batch for another record. */
static int ensure_batch(struct load *l)
{
	int rc = l->weight >= BATCH ? commit_batch(l) : PD_OK;
	if (!rc && !l->batch)
		rc = st_batch_begin(l->store, &l->batch, l->fail);
	l->weight++;
	return rc;
}

/* --- jobs --------------------------------------------------------------------------------- */

static int take_head(struct load *l, pr_ref line)
{
	int64_t version = 0, given = 0;
	if (pr_kind_of(line) != PR_OBJECT || !pr_has(line, "proofd-dump"))
		return refuse_line(l, PD_E_PARSE, "proofd-dump",
				   "this is not a dump: its first line must have this member");
	if (read_integer(l, line, "proofd-dump", 1, INT32_MAX, &version))
		return l->fail->code;
	if (version != SV_DUMP_VERSION)
		return refuse_line(l, PD_E_FORMAT, "proofd-dump", "is %" PRId64 ", and this program reads %d", version,
				   SV_DUMP_VERSION);
	if (check_members(l, line, "proofd-dump jobs_given") ||
	    read_integer(l, line, "jobs_given", 0, JOBS_MAX, &given))
		return l->fail->code;
	l->jobs_given = (uint32_t)given;
	return PD_OK;
}

static int take_removed(struct load *l, pr_ref line)
{
	int64_t first = 0, last = 0;
	const char *version = "";
	if (check_members(l, line, "removed first last") || read_text(l, line, "removed", &version))
		return l->fail->code;
	if (!*version || strlen(version) > 40 || strcspn(version, " \n") != strlen(version))
		return refuse_line(l, PD_E_PARAMS, "removed", "must be a version of this program, without blanks");
	if (read_integer(l, line, "first", 1, l->jobs_given, &first) ||
	    read_integer(l, line, "last", first, l->jobs_given, &last))
		return l->fail->code;
	return sv_removed_jobs_add(&l->removed, (uint32_t)first, version) &&
			       sv_removed_jobs_add(&l->removed, (uint32_t)last, version)
		       ? PD_OK
		       : no_memory(l);
}

/* Assigns the numbers up to `last`; those before `kept` have no record, because their jobs were removed. */
static int give_numbers(struct load *l, uint32_t last, uint32_t kept)
{
	while (l->job < last) {
		uint32_t number;
		bool left;
		if (ensure_batch(l) || st_batch_job_new(l->batch, &number, l->fail))
			return l->fail->code;
		PD_ASSERT(number == l->job + 1);
		l->job++;
		if (l->job < kept && st_batch_job_remove(l->batch, number, 1, &left, l->fail))
			return l->fail->code;
	}
	return PD_OK;
}

/* A job's position and claim must be possible in its game, if that can be opened under its rules. */
static int check_job(struct load *l, const struct sv_record *job)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct game_host host = {(void *)(uintptr_t)l->order->graphs, sv_graph_read};
	struct game *game;
	struct pd_fail why;
	if (game_open(job->spec.game, &host, &game, &why))
		return refuse_line(l, PD_E_GAME, "game", "%.200s", why.text);
	int rc = PD_OK;
	if (!sv_job_rules_differ(&job->spec, game) && game->rules->parse(game, job->spec.position, state, &why))
		rc = refuse_line(l, PD_E_POSITION, "position", "%.200s", why.text);
	game_close(game);
	return rc;
}

/* The bytes of the object of that name, a record of the jobs with this number; the caller frees them. */
static int take_bytes(struct load *l, pr_ref line, uint32_t number, const char *name, char **bytes, size_t *size)
{
	if (number <= l->job)
		return refuse_line(l, PD_E_PARAMS, "job", "must be larger than %" PRIu32 ", the last one", l->job);
	*bytes = pr_dump(pr_get(line, name), size);
	return *bytes ? PD_OK : no_memory(l);
}

static int take_record(struct load *l, pr_ref line, uint32_t number)
{
	struct sv_record job;
	struct pd_fail why;
	size_t size;
	char *record;
	int rc = take_bytes(l, line, number, "record", &record, &size);
	if (rc)
		return rc;
	if (size > ST_JOB_MAX)
		rc = refuse_line(l, PD_E_LIMIT, "record", "may have at most %d bytes", ST_JOB_MAX);
	else if (sv_record_read(number, record, size, &job, &why))
		rc = refuse_line(l, PD_E_PARAMS, "record", "%.200s", why.text);
	else {
		rc = check_job(l, &job);
		sv_record_fini(&job);
	}
	if (!rc)
		rc = give_numbers(l, number, number);
	if (!rc)
		rc = st_batch_job_put(l->batch, number, record, size, l->fail);
	free(record);
	l->sum->jobs++;
	return rc;
}

/* Plays a study, and writes it again. */
static int rewrite_study(struct load *l, pr_ref object, struct sv_study *study)
{
	struct game_host host = {(void *)(uintptr_t)l->order->graphs, sv_graph_read};
	struct game *game;
	struct game_tree tree;
	struct pd_fail why;
	if (game_open(study->game, &host, &game, &why))
		return refuse_line(l, PD_E_GAME, "game", "%.200s", why.text);
	game_tree_init(&tree);
	pd_buf_fini(&study->record);
	int rc = sv_study_play(game, object, &tree, &why);
	rc = rc ? rc : sv_study_write(study, game, &tree, &why);
	if (rc)
		refuse_line(l, rc, "study", "%.200s", why.text);
	game_tree_fini(&tree);
	game_close(game);
	return rc;
}

static int take_study(struct load *l, pr_ref line, uint32_t number)
{
	struct sv_study study;
	struct pd_fail why;
	size_t size;
	char *record;
	int rc = take_bytes(l, line, number, "study", &record, &size);
	if (rc)
		return rc;
	rc = sv_study_read(number, record, size, &study, &why);
	free(record);
	if (rc)
		return refuse_line(l, PD_E_PARAMS, "study", "%.200s", why.text);
	rc = rewrite_study(l, pr_get(line, "study"), &study);
	rc = rc ? rc : give_numbers(l, number, number);
	if (!rc)
		rc = st_batch_job_put(l->batch, number, study.record.data, study.record.size, l->fail);
	sv_study_fini(&study);
	l->sum->jobs++;
	return rc;
}

/* Checks the members that the reader of a history uses; others may be anything. */
static int check_event(struct load *l, pr_ref event)
{
	static const char *const counts[] = {"t", "nodes", "entries", "facts"};
	static const char *const numbers[] = {"pn", "dn"};
	const char *what = "";
	int64_t n = 0;
	if (pr_kind_of(event) != PR_OBJECT)
		return refuse_line(l, PD_E_PARAMS, "event", "must be an object");
	if (read_text(l, event, "event", &what))
		return l->fail->code;
	for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
		if (read_integer(l, event, counts[i], 0, INT64_MAX, &n))
			return l->fail->code;
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (strcmp(pr_get_str(event, numbers[i], ""), "inf") != 0 &&
		    read_integer(l, event, numbers[i], 0, UINT32_MAX, &n))
			return l->fail->code;
	return PD_OK;
}

static int take_event(struct load *l, pr_ref line, uint32_t number)
{
	size_t size;
	if (number != l->job || !l->sum->jobs)
		return refuse_line(l, PD_E_PARAMS, "job", "an event must follow the record of its job");
	if (check_event(l, pr_get(line, "event")))
		return l->fail->code;
	char *event = pr_dump(pr_get(line, "event"), &size);
	if (!event)
		return no_memory(l);
	int rc = size > ST_EVENT_MAX ? refuse_line(l, PD_E_LIMIT, "event", "may have at most %d bytes", ST_EVENT_MAX)
				     : ensure_batch(l);
	if (!rc)
		rc = st_batch_event(l->batch, number, event, size, l->fail);
	free(event);
	l->sum->events++;
	return rc;
}

static int take_job(struct load *l, pr_ref line)
{
	int64_t number = 0;
	bool event = pr_has(line, "event"), study = pr_has(line, "study");
	if (check_members(l, line,
			  event   ? "job event"
			  : study ? "job study"
				  : "job record") ||
	    read_integer(l, line, "job", 1, l->jobs_given, &number))
		return l->fail->code;
	if (l->games)
		return refuse_line(l, PD_E_PARAMS, "job", "jobs must come before games and facts");
	return event   ? take_event(l, line, (uint32_t)number)
	       : study ? take_study(l, line, (uint32_t)number)
		       : take_record(l, line, (uint32_t)number);
}

/* --- games and facts ---------------------------------------------------------------------- */

static struct loaded_game *find_game(struct load *l, int64_t number)
{
	for (size_t i = l->games; i-- > 0;)
		if (l->game[i].number == number)
			return &l->game[i];
	return NULL;
}

static int open_game(struct load *l, const char *name, const char *rules, struct game **out)
{
	struct game_host host = {(void *)(uintptr_t)l->order->graphs, sv_graph_read};
	struct pd_fail why;
	char here[SV_RULES_TEXT];
	if (game_open(name, &host, out, &why))
		return refuse_line(l, PD_E_GAME, "name", "%.200s", why.text);
	sv_rules_text(game_version(*out), here);
	if (!strcmp((*out)->name, name) && !strcmp(here, rules))
		return PD_OK;
	int rc = strcmp((*out)->name, name) != 0
			 ? refuse_line(l, PD_E_GAME, "name", "must be written %.95s", (*out)->name)
			 : refuse_line(l, PD_E_GAME, "rules", "%.95s has the rules %s here, not %.40s", name, here,
				       rules);
	game_close(*out);
	return rc;
}

static int take_game(struct load *l, pr_ref line)
{
	int64_t number = 0;
	const char *name = "", *rules = "";
	struct game *game;
	if (check_members(l, line, "game name rules") || read_integer(l, line, "game", 1, GAMES_MAX, &number) ||
	    read_text(l, line, "name", &name) || read_text(l, line, "rules", &rules))
		return l->fail->code;
	if (find_game(l, number))
		return refuse_line(l, PD_E_PARAMS, "game", "the number %" PRId64 " has a game already", number);
	if (open_game(l, name, rules, &game))
		return l->fail->code;
	struct loaded_game *grown = realloc(l->game, (l->games + 1) * sizeof *grown);
	if (!grown) {
		game_close(game);
		return no_memory(l);
	}
	l->game = grown;
	l->game[l->games] = (struct loaded_game){.number = (uint32_t)number, .game = game};
	l->tables |= pn_tables_possible(game);
	l->sum->games++;
	if ((!l->games++ && give_numbers(l, l->jobs_given, UINT32_MAX)) || ensure_batch(l))
		return l->fail->code;
	return st_batch_game(l->batch, name, game_version(game), &l->game[l->games - 1].id, l->fail);
}

static int read_move(struct load *l, const struct game *g, const void *state, pr_ref object, uint16_t *out)
{
	const char *name = "";
	game_move move;
	struct pd_fail why;
	*out = PD_NO_MOVE;
	if (pr_kind_of(pr_get(object, "move")) == PR_NULL)
		return PD_OK;
	if (read_text(l, object, "move", &name))
		return l->fail->code;
	if (g->rules->move_parse(g, state, name, &move, &why))
		return refuse_line(l, PD_E_MOVE, "move", "%.200s", why.text);
	*out = game_canon(g, state, move, false);
	return PD_OK;
}

/* Reads the giver of a reason that a worker of another machine found. */
static int read_giver(struct load *l, pr_ref object, int64_t *job)
{
	const char *number = "";
	if (read_text(l, object, "worker", &number))
		return l->fail->code;
	uint32_t giver = strlen(number) == PD_GIVER_TEXT - 1 ? pd_giver_parse(number) : 0;
	if (!giver || *job)
		return refuse_line(l, PD_E_PARAMS, "worker",
				   "must be eight hexadecimal digits from 80000000, with job 0");
	*job = giver;
	return PD_OK;
}

/* Reads the order part of a reason by dominance, in decimal: it may be greater than a number of JSON. */
static int read_dominated(struct load *l, pr_ref object, uint64_t *out)
{
	const char *text = "";
	char *end;
	if (read_text(l, object, "dominated", &text))
		return l->fail->code;
	*out = strtoull(text, &end, 10);
	return *out && !*end ? PD_OK : refuse_line(l, PD_E_PARAMS, "dominated", "must be a number from 1, as a text");
}

static int read_reason(struct load *l, const struct game *g, const void *state, pr_ref object, struct pd_reason *out)
{
	const char *side = "";
	int64_t bound = 0, rank = PD_RANK_NONE, effort = 0, job = 0;
	if (pr_kind_of(object) != PR_OBJECT)
		return refuse_line(l, PD_E_PARAMS, "reasons", "must be a list of objects");
	bool worker = pr_has(object, "worker");
	bool dominance = pr_has(object, "dominated");
	uint64_t dominated = 0;
	if (check_members(l, object,
			  dominance ? "side bound rank move effort job dominated"
			  : worker  ? "side bound rank move effort job worker"
				    : "side bound rank move effort job") ||
	    read_text(l, object, "side", &side) || (dominance && read_dominated(l, object, &dominated)))
		return l->fail->code;
	if (strcmp(side, "lo") != 0 && strcmp(side, "hi") != 0)
		return refuse_line(l, PD_E_PARAMS, "side", "must be lo or hi");
	if (read_integer(l, object, "bound", g->value_min, g->value_max, &bound) ||
	    (pr_kind_of(pr_get(object, "rank")) != PR_NULL && read_integer(l, object, "rank", 1, PD_RANK_MAX, &rank)) ||
	    read_integer(l, object, "effort", 0, UINT32_MAX, &effort) ||
	    read_integer(l, object, "job", 0, l->jobs_given, &job) || (worker && read_giver(l, object, &job)))
		return l->fail->code;
	*out = (struct pd_reason){.side = strcmp(side, "hi") ? PD_LO : PD_HI,
				  .bound = (int16_t)bound,
				  .rank = (uint16_t)rank,
				  .effort = (uint32_t)effort,
				  .job = (uint32_t)job,
				  .dominated = dominated};
	if (dominated && effort)
		return refuse_line(l, PD_E_PARAMS, "effort", "must be 0 where dominated is");
	const char *fault = pn_reason_wrong(g, out);
	if (fault)
		return refuse_line(l, PD_E_PARAMS, strstr(fault, "rank") ? "rank" : "bound", "%s", fault);
	return read_move(l, g, state, object, &out->move);
}

static int put_fact(struct load *l, const struct loaded_game *of, const char *position, pr_ref reasons)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	struct pd_fail why;
	int value;
	const struct game *g = of->game;
	if (g->rules->parse(g, position, state, &why))
		return refuse_line(l, PD_E_POSITION, "position", "%.200s", why.text);
	if (g->rules->terminal(g, state, &value))
		return refuse_line(l, PD_E_POSITION, "position", "the game is over there, so it needs no fact");
	size_t size = g->rules->key(g, state, key);
	if (pr_kind_of(reasons) != PR_ARRAY || !pr_count(reasons))
		return refuse_line(l, PD_E_PARAMS, "reasons", "must be a list with at least one reason");
	int rc = ensure_batch(l);
	for (size_t i = 0; !rc && i < pr_count(reasons); i++) {
		struct pd_reason r;
		rc = read_reason(l, g, state, pr_at(reasons, i), &r);
		if (!rc)
			rc = st_batch_fact(l->batch, of->id, key, size, &r, &why);
		if (rc == PD_E_CONFLICT)
			return refuse_line(l, rc, "reasons", "they contradict each other or an earlier line");
		if (rc && l->fail->code != rc)
			*l->fail = why;
	}
	return rc;
}

static int take_fact(struct load *l, pr_ref line)
{
	int64_t number = 0;
	const char *position = "";
	if (check_members(l, line, "fact position reasons") || read_integer(l, line, "fact", 1, GAMES_MAX, &number))
		return l->fail->code;
	const struct loaded_game *of = find_game(l, number);
	if (!of)
		return refuse_line(l, PD_E_PARAMS, "fact", "no earlier line names the game %" PRId64, number);
	if (read_text(l, line, "position", &position))
		return l->fail->code;
	int rc = put_fact(l, of, position, pr_get(line, "reasons"));
	if (++l->sum->facts % TELL == 0 && l->order->progress)
		l->order->progress(l->order->ctx, l->sum->facts);
	return rc;
}

/* --- lines -------------------------------------------------------------------------------- */

static int take_experiment(struct load *l, pr_ref line)
{
	struct pd_fail why;
	int rc = sv_experiment_take(&l->experiments, line, &why);
	return rc ? refuse_line(l, rc, *why.field ? why.field : "experiment", "%.200s", why.text) : PD_OK;
}

static int take_end(struct load *l, pr_ref line)
{
	struct pd_fail why;
	const struct {
		const char *key;
		uint64_t found;
	} counts[] = {{"games", l->sum->games},
		      {"jobs", l->sum->jobs},
		      {"events", l->sum->events},
		      {"facts", l->sum->facts},
		      {"experiments", l->experiments.count}};
	bool experiments = l->experiments.count || pr_has(line, "experiments");
	if (check_members(l, line,
			  experiments ? "end games jobs events facts experiments" : "end games jobs events facts"))
		return l->fail->code;
	if (sv_experiment_take_end(&l->experiments, &why))
		return refuse_line(l, why.code, why.field, "%.200s", why.text);
	if (!pr_get_bool(line, "end", false))
		return refuse_line(l, PD_E_PARAMS, "end", "must be true");
	for (unsigned i = 0; i < sizeof counts / sizeof *counts - !experiments; i++) {
		int64_t n = 0;
		if (read_integer(l, line, counts[i].key, 0, INT64_MAX, &n))
			return l->fail->code;
		if ((uint64_t)n != counts[i].found)
			return refuse_line(l, PD_E_PARAMS, counts[i].key, "says %" PRId64 ", and %" PRIu64 " were read",
					   n, counts[i].found);
	}
	l->ended = true;
	return give_numbers(l, l->jobs_given, UINT32_MAX);
}

static int take_line(struct load *l, pr_ref line)
{
	static const struct {
		const char *key;
		int (*take)(struct load *l, pr_ref line);
	} kinds[] = {{"fact", take_fact},
		     {"job", take_job},
		     {"game", take_game},
		     {"removed", take_removed},
		     {"experiment", take_experiment},
		     {"end", take_end}};
	if (l->line == 1)
		return take_head(l, line);
	if (l->ended)
		return refuse_line(l, PD_E_PARSE, "end", "nothing may follow the line that ends the dump");
	for (unsigned i = 0; pr_kind_of(line) == PR_OBJECT && i < sizeof kinds / sizeof *kinds; i++)
		if (pr_has(line, kinds[i].key))
			return kinds[i].take(l, line);
	return refuse_line(l, PD_E_PARSE, "line",
			   "must be an object with the member fact, job, game, removed, experiment or end");
}

/* The next line without its end: its length, -1 at the end of the file, -2 when it is too long. */
static ssize_t read_line(FILE *in, char *buffer)
{
	size_t n = 0;
	int c;
	while ((c = getc_unlocked(in)) != EOF && c != '\n') {
		if (n == SV_DUMP_LINE_MAX)
			return -2;
		buffer[n++] = (char)c;
	}
	return c == EOF && !n ? -1 : (ssize_t)n;
}

static int read_lines(struct load *l, FILE *in)
{
	char *buffer = malloc(SV_DUMP_LINE_MAX);
	int rc = buffer ? PD_OK : no_memory(l);
	ssize_t n;
	while (!rc && (n = read_line(in, buffer)) != -1) {
		struct pr_doc *doc;
		struct pd_fail why;
		l->line++;
		if (n < 0) {
			rc = refuse_line(l, PD_E_LIMIT, "line", "a line may have at most %d bytes", SV_DUMP_LINE_MAX);
			break;
		}
		if (pr_doc_parse(buffer, (size_t)n, &doc, &why)) {
			rc = refuse_line(l, PD_E_PARSE, "line", "%.200s", why.text);
			break;
		}
		rc = take_line(l, pr_doc_root(doc));
		pr_doc_free(doc);
	}
	free(buffer);
	if (!rc && ferror(in))
		rc = pd_fail_set(l->fail, PD_E_IO, "", "cannot read the dump: %s", strerror(errno));
	if (!rc && !l->ended)
		rc = pd_fail_set(l->fail, PD_E_PARSE, "end",
				 "the dump is cut off: its last line must have the member end");
	return rc;
}

/* --- all of it ---------------------------------------------------------------------------- */

static int load_lines(struct load *l, FILE *in)
{
	int rc = read_lines(l, in);
	if (!rc && l->removed.count && (ensure_batch(l) || sv_removed_jobs_write(&l->removed, l->batch, l->fail)))
		rc = l->fail->code;
	if (!rc)
		rc = commit_batch(l);
	if (l->batch)
		st_batch_abort(l->batch);
	if (!rc)
		rc = st_facts_maintain_all(l->store, true, l->fail);
	for (size_t i = 0; i < l->games; i++)
		game_close(l->game[i].game);
	free(l->game);
	sv_removed_jobs_fini(&l->removed);
	return rc;
}

static int make_directory(FILE *in, const char *path, const struct sv_load_order *order, struct sv_dumped *sum,
			  struct pd_fail *fail)
{
	struct load l = {.order = order, .sum = sum, .fail = fail};
	int rc = st_open(path, 0, &l.store, fail);
	if (rc)
		return rc;
	sv_experiment_taker_init(&l.experiments, path, path);
	rc = load_lines(&l, in);
	sum->experiments = l.experiments.count;
	sv_experiment_taker_fini(&l.experiments);
	st_close(l.store);
	const struct sv_check_order check = {.graphs = order->graphs, .threads = order->threads};
	const char *what = l.tables ? "the dump is not right, or rests on tables, which dumps leave out (load it with "
				      "--no-verify, copy the tables, then proofctl check)"
				    : "the dump is not right";
	return rc || order->unverified ? rc : sv_check_sound(path, &check, what, fail);
}

int sv_load(FILE *in, const char *dir, const struct sv_load_order *order, struct sv_dumped *sum, struct pd_fail *fail)
{
	char name[PATH_MAX], path[PATH_MAX];
	*sum = (struct sv_dumped){0};
	*fail = (struct pd_fail){0};
	if (sv_fresh_name(dir, ".loading", name, path, fail))
		return fail->code;
	if (!make_directory(in, path, order, sum, fail) && !sv_fresh_publish(path, name, NULL, fail))
		return PD_OK;
	sv_fresh_remove(path);
	return fail->code;
}
