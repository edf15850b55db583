#include "server/proofs/backups/import.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/base/assert.h"
#include "solver/stored.h"
#include "server/common/open_games.h"
#include "server/proofs/maintenance/check.h"
#include "server/proofs/maintenance/lies.h"
#include "server/proofs/tables/table_list.h"
#include "store/store.h"

enum { BATCH = 20000 };

struct game_pair {
	uint32_t from, into; /* its numbers in the two directories; into 0: no facts there yet */
	uint64_t rules;
	char *name;        /* owned */
	struct game *game; /* owned; NULL: not needed yet */
};

struct import {
	const struct sv_import_order *order;
	struct st_store *from, *into;
	struct st_reader *reader; /* of `into` */
	struct st_batch *batch;   /* NULL: none */
	uint32_t weight;          /* reasons in it */
	struct game_pair *game;   /* owned */
	size_t games;
	struct sv_imported *sum;
	struct pd_fact there;   /* of `into` */
	struct sv_liars banned; /* workers that lied, as `into` knows and `from` does not */
	struct pd_fail *fail;
};

static void add_game(void *ctx, uint32_t id, const char *name, uint64_t rules)
{
	struct import *m = ctx;
	struct game_pair *grown = realloc(m->game, (m->games + 1) * sizeof *grown);
	char *copy = grown ? strdup(name) : NULL;
	if (grown)
		m->game = grown;
	if (copy)
		m->game[m->games++] = (struct game_pair){.from = id, .name = copy, .rules = rules};
	else
		pd_fail_set(m->fail, PD_E_NO_MEMORY, "", "no memory to import facts");
}

struct other { /* another rules version of a game in `into` */
	const struct game_pair *pair;
	uint64_t rules;
	bool found;
};

static void find_other(void *ctx, uint32_t id, const char *name, uint64_t rules)
{
	struct other *o = ctx;
	(void)id;
	if (strcmp(name, o->pair->name) != 0 || o->found)
		return;
	o->rules = rules;
	o->found = true;
}

static int refuse_rules(struct import *m, const struct game_pair *p, uint64_t rules, const char *where)
{
	char one[SV_RULES_TEXT], two[SV_RULES_TEXT];
	sv_rules_text(p->rules, one);
	sv_rules_text(rules, two);
	return pd_fail_set(m->fail, PD_E_UNSUPPORTED, "game",
			   "the facts of %.90s are under rules %s, but %s has rules %s: nothing was imported", p->name,
			   one, where, two);
}

/* The game of a fact, opened at its first fact. */
static int open_pair(struct import *m, uint32_t number, struct game_pair **out)
{
	struct game_host host = {(void *)(uintptr_t)m->order->graphs, sv_graph_read};
	struct game_pair *p = NULL;
	struct pd_fail why;
	for (size_t i = 0; i < m->games && !p; i++)
		if (m->game[i].from == number)
			p = &m->game[i];
	if (!p)
		return pd_fail_set(m->fail, PD_E_CORRUPT, "game", "facts of game number %" PRIu32 ", which is unknown",
				   number);
	*out = p;
	if (p->game)
		return PD_OK;
	if (game_open(p->name, &host, &p->game, &why)) {
		p->game = NULL;
		return pd_fail_set(m->fail, PD_E_UNSUPPORTED, "game",
				   "%.90s cannot be opened, and nothing was imported: "
				   "%.150s",
				   p->name, why.text);
	}
	if (game_version(p->game) != p->rules)
		return refuse_rules(m, p, game_version(p->game), "this program");
	struct other other = {.pair = p};
	p->into = st_game_find(m->into, p->name, p->rules);
	if (!p->into)
		st_game_each(m->into, find_other, &other);
	m->sum->games++;
	return other.found ? refuse_rules(m, p, other.rules, "the directory") : PD_OK;
}

static void print_reason(const struct pd_reason *r, char *out, size_t size)
{
	char rank[32] = "", origin[24], giver[PD_GIVER_TEXT];
	if (pd_is_giver(r->job))
		snprintf(origin, sizeof origin, "worker %s", pd_giver_print(r->job, giver));
	else
		snprintf(origin, sizeof origin, "job %" PRIu32, r->job);
	if (r->rank != PD_RANK_NONE)
		snprintf(rank, sizeof rank, " within %u plies", r->rank);
	snprintf(out, size, "value %s %d%s (effort %" PRIu32 ", %s)", r->side == PD_LO ? ">=" : "<=", r->bound, rank,
		 r->effort, origin);
}

static int report_contradiction(struct import *m, const struct game *g, const void *state, const struct pd_reason *r)
{
	char one[100], two[100] = "another fact", text[GAME_TEXT_MAX];
	const struct pd_reason *other = pd_fact_best(&m->there, r->side == PD_LO ? PD_HI : PD_LO);
	print_reason(r, one, sizeof one);
	if (other)
		print_reason(other, two, sizeof two);
	g->rules->print(g, state, text, sizeof text);
	return pd_fail_set(m->fail, PD_E_CONFLICT, "facts",
			   "nothing was imported: %.60s, position '%.50s': %s contradicts %s", g->name, text, one, two);
}

static int given_by_liar(struct import *m, uint32_t giver)
{
	char number[PD_GIVER_TEXT];
	return pd_fail_set(
		m->fail, PD_E_STATE, "FROM",
		"nothing was imported: worker %s, a liar according to the other directory or misled by one, gave some "
		"of these facts; leave out --no-verify, or take them back first (proofctl taint --worker %s)",
		pd_giver_print(giver, number), number);
}

/* Checks that a fact of `from` is well formed and agrees with the facts of `into`. */
static int compare_fact(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct import *m = ctx;
	struct game_pair *p;
	if (open_pair(m, game, &p) || pn_fact_sound(p->game, key, size, fact, m->fail))
		return m->fail->code;
	if (p->game->rules->unkey(p->game, key, size, state))
		return pd_fail_set(m->fail, PD_E_CORRUPT, "facts",
				   "the key of a fact of %.90s is not the key of a position", p->name);
	m->sum->facts++;
	m->sum->reasons += fact->count;
	for (uint32_t i = 0; m->order->unverified && i < fact->count; i++)
		if (sv_liars_gave(&m->banned, pd_fact_reasons(fact)[i].job))
			return given_by_liar(m, pd_fact_reasons(fact)[i].job);
	int found = p->into ? st_fact_get(m->reader, p->into, key, size, &m->there, m->fail) : 0;
	if (found < 0)
		return m->fail->code;
	for (uint32_t i = 0; found && i < fact->count; i++) {
		const struct pd_reason *r = &pd_fact_reasons(fact)[i];
		int added = pd_fact_add(&m->there, r);
		if (added == -1)
			return report_contradiction(m, p->game, state, r);
		if (added == -2)
			return pd_fail_set(m->fail, PD_E_NO_MEMORY, "", "no memory to import facts");
	}
	return PD_OK;
}

static int commit_batch(struct import *m)
{
	struct st_batch *batch = m->batch;
	m->batch = NULL;
	m->weight = 0;
	int rc = batch ? st_batch_commit(batch, m->fail) : PD_OK;
	return rc ? rc : st_facts_maintain_all(m->into, false, m->fail);
}

static int put_fact(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct import *m = ctx;
	struct game_pair *p;
	if (open_pair(m, game, &p))
		return m->fail->code;
	PD_ASSERT(p->rules == game_version(p->game));
	if ((m->weight >= BATCH && commit_batch(m)) || (!m->batch && st_batch_begin(m->into, &m->batch, m->fail)) ||
	    (!p->into && st_batch_game(m->batch, p->name, p->rules, &p->into, m->fail)))
		return m->fail->code;
	if (st_fact_get(m->reader, p->into, key, size, &m->there, m->fail) <= 0)
		m->there.count = 0;
	for (uint32_t i = 0; i < fact->count; i++) {
		struct pd_reason r = pd_fact_reasons(fact)[i];
		if (!pd_is_giver(r.job)) /* a job number, which belongs to the other directory */
			r.job = 0;
		int added = pd_fact_add(&m->there, &r);
		if (added == -1) /* nothing contradicted it when it was compared */
			return pd_fail_set(m->fail, PD_E_CORRUPT, "FROM",
					   "the facts of %.90s have changed meanwhile, and contradict those of INTO: "
					   "end the server that works on FROM",
					   p->name);
		m->sum->added += added == 1;
		m->weight++;
		if (st_batch_fact(m->batch, p->into, key, size, &r, m->fail))
			return m->fail->code;
	}
	return PD_OK;
}

/* Counts a table of `from` that `into` lacks, if there are facts of its game. */
static int count_lacking(void *ctx, const char *file, const char *game, const struct sv_table_built *table,
			 const char *wrong)
{
	struct import *m = ctx;
	bool has_facts = false;
	for (size_t i = 0; i < m->games && !wrong; i++)
		has_facts |= m->game[i].game && !strcmp(m->game[i].name, game);
	if (!has_facts || sv_table_is_there(st_directory(m->into), file, table->digest))
		return PD_OK;
	if (!m->sum->tables++)
		snprintf(m->sum->table, sizeof m->sum->table, "%s", file);
	return PD_OK;
}

static int run_import(struct import *m)
{
	m->fail->code = PD_OK;
	st_game_each(m->from, add_game, m);
	if (m->fail->code || st_reader_open(m->into, &m->reader, m->fail))
		return m->fail->code;
	pd_fact_init(&m->there);
	int rc = st_fact_walk(m->from, compare_fact, m, m->fail);
	if (!rc)
		rc = sv_tables_list(st_directory(m->from), count_lacking, m, m->fail);
	if (!rc)
		rc = st_fact_walk(m->from, put_fact, m, m->fail);
	if (!rc)
		rc = commit_batch(m);
	if (m->batch)
		st_batch_abort(m->batch);
	if (!rc)
		rc = st_facts_maintain_all(m->into, true, m->fail);
	pd_fact_fini(&m->there);
	st_reader_close(m->reader);
	return rc;
}

/* The directories must differ, and the second one must exist, because opening it would create it. */
static int check_paths(const char *from, const char *into, struct pd_fail *fail)
{
	char path[4096];
	struct stat a, b;
	if (snprintf(path, sizeof path, "%s/work.mdb", into) >= (int)sizeof path || stat(path, &b))
		return pd_fail_set(fail, PD_E_USAGE, "INTO", "%.200s is not a data directory: it has no work.mdb",
				   into);
	if (snprintf(path, sizeof path, "%s/work.mdb", from) < (int)sizeof path && !stat(path, &a) &&
	    a.st_dev == b.st_dev && a.st_ino == b.st_ino)
		return pd_fail_set(fail, PD_E_USAGE, "INTO", "FROM and INTO are the same directory");
	return PD_OK;
}

/* Lists the workers whose facts are not to be imported unchecked. If workers of `from` have shared what they solved, it
 * holds for `into` from now on. */
static int learn_lies(struct import *m, const char *from, const char *into)
{
	static const struct sv_liars shared = {{SV_SHARED}, 1};
	struct sv_liars there;
	if (sv_liars_banned(from, &there, m->fail))
		return m->fail->code;
	if (m->order->unverified && sv_liars_name(&there, SV_SHARED) && sv_liars_keep(into, &shared, m->fail))
		return m->fail->code;
	return sv_liars_learn(from, into, &m->banned, m->fail);
}

int sv_import_facts(const char *from, const char *into, const struct sv_import_order *order, struct sv_imported *out,
		    struct pd_fail *fail)
{
	struct import m = {.order = order, .sum = out, .fail = fail};
	*out = (struct sv_imported){0};
	const struct sv_check_order check = {.graphs = order->graphs, .threads = order->threads};
	if (check_paths(from, into, fail) || st_retraction_refuse(from, fail) || st_retraction_refuse(into, fail) ||
	    (!order->unverified &&
	     sv_check_sound(from, &check, "nothing was imported, because FROM is not sound", fail)) ||
	    st_open(from, ST_READ_ONLY, &m.from, fail))
		return fail->code;
	int rc = learn_lies(&m, from, into);
	if (!rc)
		rc = st_open(into, 0, &m.into, fail);
	if (!rc)
		rc = run_import(&m);
	for (size_t i = 0; i < m.games; i++) {
		if (m.game[i].game)
			game_close(m.game[i].game);
		free(m.game[i].name);
	}
	free(m.game);
	st_close(m.into);
	st_close(m.from);
	return rc;
}
