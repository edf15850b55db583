/* Leaves: certificates of random positions, and their leaves searched as the checker does. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/check.h"
#include "clients/proofcheck/search.h"
#include "proto/base/assert.h"
#include "server/common/open_games.h"
#include "server/proofs/certificates/export.h"
#include "solver/solver.h"
#include "store/store.h"
#include "tests/lab/leaves_round.h"
#include "tests/support/factbase.h"
#include "tests/support/graph.h"

enum {
	NODES = 60000,    /* of a search */
	HEAVY_EVERY = 11, /* rounds: more nodes, and in games without cycles HEAVY times as many plies */
	HEAVY = 2,
	HEAVY_NODES = 1000000,
	GRAPH_NODES = 300,
	WALK_CYCLIC = 12, /* plies from the variant's position, at most */
	FILE_MAX = 64 << 20,
	WHOLE_EVERY = 7,    /* rounds: the whole certificate is checked */
	WHOLE_NODES = 50000 /* of all leaves: or if they are few */
};

/* Where rounds begin. Positions of games without cycles are at most `tail` plies before the end of a random game. */
static const struct variant {
	const char *game, *from;
	unsigned tail;
} variants[] = {
	{"connect4:4x4", "", 14},
	{"mnk:3,3,3", "", 9},
	{"hex:3", "", 9},
	{"uttt", "", 14},
	{"loa:4", "1b2/2ww/4/wb2 w", 0},
	{"antichess", "8/8/8/8/8/1p6/8/R7 w - -", 0},
	{"chess-mate", "7k/8/5K2/8/8/8/8/R7 w - -", 0},
	{"breakthrough:3x4", "", 40},
	{"othello:4", "", 12},
	{"domineering:4x4", "", 20},
	{"nogo:3x3", "", 20},
	{"atari-go:3x3", "", 20},
	{"dots:2x2", "", 12},
	{"nim:3,4,5", "", 12},
	{"andor:random", "", 0},
	{"connect4:5x4", "", 14},
	{"mnk:4,4,4", "", 11},
	{"hex:4", "", 13},
	{"loa:5", "b3w/b4/5/4w/w3b b", 0},
	{"antichess:stalemate=fewer", "8/1p6/8/8/8/8/6P1/8 w - -", 0},
	{"chess-mate", "kbK5/pp6/1P6/8/8/8/8/R7 w - -", 0},
	{"breakthrough:4x4", "", 40},
	{"othello:6", "", 9},
	{"domineering:5x5", "", 20},
	{"nogo:4x3", "", 20},
	{"atari-go:4x3", "", 20},
	{"dots:3x2", "", 12},
	{"dots:5x1", "", 14},
	{"mnk:5,4,4,2,1", "", 11},
	{"connect4:7x6", "", 12},
	{"mnk:3,3,3,2,2,exact", "", 9},
	{"loa:4,simultaneous=mover,nomove=loss", "4/3w/bw1b/1w2 b", 0},
	{"breakthrough:5x5", "p3p/2P2/1P2p/4p/P4 b", 40},
	{"nim:2,3,4,5", "", 14},
	{"dots:3x3", "", 11},
	{"hex:5", "", 13},
	{"mnk:6,5,4", "", 11},
	{"andor:random", "", 0},
};

unsigned leaves_variants(void)
{
	return sizeof variants / sizeof *variants;
}

const char *leaves_variant(unsigned index)
{
	PD_ASSERT(index < leaves_variants());
	return variants[index].game;
}

/* --- the position ------------------------------------------------------------------------- */

static void write_graph(struct leaves_round *round)
{
	char path[128];
	struct pd_buf text;
	pd_buf_init(&text, 1 << 20);
	graph_random(&round->random, 20 + walk_below(&round->random, GRAPH_NODES), &text);
	snprintf(path, sizeof path, "%s/random.graph", round->dir);
	FILE *file = fopen(path, "w");
	if (!file || fwrite(text.data, 1, text.size, file) != text.size || fclose(file))
		abort();
	pd_buf_fini(&text);
}

static void open_game(struct leaves_round *round, const struct variant *v)
{
	struct game_host host = {(void *)(uintptr_t)round->dir, sv_graph_read};
	struct pd_fail fail;
	if (!strcmp(v->game, "andor:random"))
		write_graph(round);
	if (game_open(v->game, &host, &round->game, &fail) ||
	    round->game->rules->parse(round->game, v->from, &round->root, &fail)) {
		fprintf(stderr, "%s: %s\n", v->game, fail.text);
		exit(2);
	}
}

static bool is_heavy(const struct leaves_round *round)
{
	return round->number % HEAVY_EVERY == 0;
}

/* False when the game is over there. */
static bool choose_position(struct leaves_round *round, const struct variant *v)
{
	const struct game *g = round->game;
	uint64_t again = round->random;
	unsigned plies = walk_below(&round->random, WALK_CYCLIC), tail = is_heavy(round) ? HEAVY * v->tail : v->tail;
	int value;
	if (v->tail) {
		struct walk_state end = round->root;
		unsigned length = walk_on(g, &end, UINT32_MAX, &again), back = 1 + walk_below(&round->random, tail);
		plies = length > back ? length - back : 0;
	}
	walk_on(g, &round->root, plies, &round->random);
	size_t used = (size_t)snprintf(round->name, sizeof round->name, "%s ", g->name);
	g->rules->print(g, &round->root, round->name + used, sizeof round->name - used);
	return !g->rules->terminal(g, &round->root, &value);
}

/* --- the certificate ---------------------------------------------------------------------- */

/* True when the search has ended with an answer. */
static bool search_leaf(struct leaves_round *round, const void *state, enum pn_algorithm algorithm, const char *claim,
			struct factbase *facts)
{
	struct pn_options options;
	struct pd_claim asked;
	struct pn_host host = {facts, factbase_get};
	struct pn_solver *solver;
	struct pn_entry entries[64];
	struct pn_answer answer;
	struct pd_fail fail;
	enum pn_state s = PN_RUNNING;
	pn_options_init(&options);
	options.algorithm = algorithm;
	options.memory = PN_MEMORY_MIN << walk_below(&round->random, 6);
	options.seed = walk_random(&round->random);
	options.identity = walk_random(&round->random);
	if (pd_claim_parse(claim, &asked, &fail) ||
	    pn_solver_new(&(struct pn_solver_setup){round->game, state, &asked, &options, &host, NULL, NULL, 0},
			  &solver, &fail))
		return false;
	unsigned nodes = is_heavy(round) ? HEAVY_NODES : NODES;
	for (unsigned used = 0; used < nodes && (s == PN_RUNNING || s == PN_COLLECT); used += 1000) {
		s = pn_solver_step(solver, 1000);
		while (pn_solver_take_entries(solver, entries, 64) > 0)
			;
		pn_solver_take_facts(solver, factbase_add, facts);
	}
	pn_solver_answer(solver, &answer);
	pn_solver_free(solver);
	return answer.answered;
}

/* Puts the facts into a store and exports. */
static bool export(struct leaves_round *round, const struct factbase *facts, const char *path)
{
	char position[GAME_TEXT_MAX];
	const struct game *g = round->game;
	struct st_store *store;
	struct st_batch *batch;
	struct sv_exported out;
	struct pd_fail fail;
	uint32_t id;
	if (st_open(NULL, 0, &store, &fail) || st_batch_begin(store, &batch, &fail) ||
	    st_batch_game(batch, g->name, game_version(g), &id, &fail))
		abort();
	for (size_t i = 0; i < facts->capacity; i++)
		for (uint32_t k = 0; k < facts->items[i].fact.count; k++)
			if (st_batch_fact(batch, id, facts->items[i].key, facts->items[i].size,
					  &pd_fact_reasons(&facts->items[i].fact)[k], &fail))
				abort();
	if (st_batch_commit(batch, &fail))
		abort();
	g->rules->print(g, &round->root, position, sizeof position);
	struct sv_export_order order = {.game = g->name, .position = position, .file = path, .frontier = true};
	bool good = !sv_export(store, round->dir, &order, &out, &fail);
	if (!good)
		leaves_fault(round, "the export fails: %s", fail.text);
	st_close(store);
	return good;
}

static void read_file(struct leaves_round *round, const char *path)
{
	FILE *file = fopen(path, "rb");
	char part[65536];
	size_t n;
	while (file && (n = fread(part, 1, sizeof part, file)) > 0)
		pd_buf_put(&round->file, part, n);
	if (!file || round->file.failed)
		abort();
	fclose(file);
}

bool leaves_make(struct leaves_round *round, unsigned variant)
{
	static const char *const claims[] = {"value", "value", "first-wins", "second-wins", "first-draws"};
	char path[128];
	struct factbase facts;
	pd_buf_init(&round->file, FILE_MAX);
	open_game(round, &variants[variant]);
	if (!choose_position(round, &variants[variant]))
		return false;
	enum pn_algorithm algorithm = (enum pn_algorithm)walk_below(&round->random, PN_ALGORITHM_END);
	const char *claim = claims[walk_below(&round->random, sizeof claims / sizeof *claims)];
	factbase_init(&facts);
	if (walk_below(&round->random, 3) == 0) { /* what another search has found below is known already */
		struct walk_state below = round->root;
		int value;
		walk_on(round->game, &below, 1 + walk_below(&round->random, 3), &round->random);
		if (!round->game->rules->terminal(round->game, &below, &value))
			search_leaf(round, &below, algorithm, "value", &facts);
	}
	snprintf(path, sizeof path, "%s/certificate", round->dir);
	bool good = search_leaf(round, &round->root, algorithm, claim, &facts);
	round->sum->unsolved += !good;
	good = good && export(round, &facts, path);
	if (good)
		read_file(round, path);
	round->sum->certificates += good;
	factbase_fini(&facts);
	return good;
}

void leaves_fini(struct leaves_round *round)
{
	pd_buf_fini(&round->file);
	game_close(round->game);
}

/* --- the checker -------------------------------------------------------------------------- */

static const char *open_all(struct leaves_open *o)
{
	struct ck_sums sums = {0};
	if (ck_cert_prepare(&o->cert, &o->fault) != CK_VERIFIED)
		return "prepare";
	if (ck_open_game(&o->cert, &o->game, &o->fault) != CK_VERIFIED)
		return "game";
	o->judge = ck_judge_new(&o->game, &o->cert, NULL, NULL);
	if (!o->judge)
		abort();
	for (uint64_t i = 0; i < o->cert.header.blocks; i++)
		if (!ck_block_survey(&o->cert, i, &sums, &o->fault))
			return "survey";
	return NULL;
}

void leaves_open(struct leaves_open *o, const struct pd_buf *file)
{
	memset(o, 0, sizeof *o);
	enum ck_verdict verdict = ck_cert_open(&o->cert, (const uint8_t *)file->data, file->size, &o->fault);
	o->wrong = verdict == CK_VERIFIED ? open_all(o) : "open";
}

void leaves_close(struct leaves_open *o)
{
	ck_judge_free(o->judge);
	if (o->game.rules)
		ck_close(&o->game);
	ck_cert_close(&o->cert);
}

bool leaves_verified(const struct pd_buf *file, struct ck_fault *fault)
{
	struct ck_options options = {.threads = 1, .digest = true};
	struct ck_result result;
	ck_check((const uint8_t *)file->data, file->size, &options, &result);
	*fault = result.fault;
	return result.verdict == CK_VERIFIED;
}

static void note_ratio(struct leaves_sum *sum, double ratio)
{
	if (sum->leaves == sum->room) {
		sum->room = sum->room ? 2 * sum->room : 1 << 10;
		sum->ratio = realloc(sum->ratio, sum->room * sizeof *sum->ratio);
		if (!sum->ratio)
			abort();
	}
	sum->ratio[sum->leaves++] = ratio;
}

static void judge_leaf(struct leaves_round *round, const struct leaves_open *o, const struct ck_position *p,
		       const struct ck_reason *r)
{
	struct leaves_sum *sum = round->sum;
	uint64_t nodes;
	struct ck_question q = {&o->game, &o->cert, p, r->upper, r->bound, r->rank, ck_search_limit(r->effort),
				NULL,     NULL};
	enum ck_answer answer = ck_search(&q, &nodes);
	if (answer != CK_FOUND) {
		sum->refused++;
		leaves_fault(round, "a leaf of effort %" PRIu64 " and rank %" PRIu64 " is refused: %d", r->effort,
			     r->rank, answer);
	}
	sum->told += r->effort;
	sum->made += nodes;
	sum->other += nodes != r->effort;
	note_ratio(sum, (double)nodes / (double)r->effort);
}

void leaves_judge(struct leaves_round *round)
{
	struct leaves_open o;
	struct ck_walk walk;
	uint64_t told = round->sum->told;
	bool wrong = false;
	leaves_open(&o, &round->file);
	if (o.wrong)
		leaves_fault(round, "the certificate cannot be opened: %s, %s", o.wrong, o.fault.text);
	for (uint64_t i = 0; !o.wrong && i < o.cert.header.blocks; i++) {
		ck_walk_begin(&o.cert, i, &walk, &o.fault);
		while (ck_walk_next(&walk, &wrong, &o.fault)) {
			struct ck_position p;
			struct ck_reason r;
			const uint8_t *at = walk.record.reason;
			if (!ck_decode(&o.game, walk.record.key, walk.record.key_size, &p))
				leaves_fault(round, "a key is refused");
			for (unsigned k = 0; k < walk.record.reasons && !ck_reason_read(&at, walk.end, &r); k++)
				if (r.has_effort)
					judge_leaf(round, &o, &p, &r);
		}
	}
	bool few = round->sum->told - told < WHOLE_NODES;
	if ((few || round->number % WHOLE_EVERY == 0) && !o.wrong && !leaves_verified(&round->file, &o.fault))
		leaves_fault(round, "the certificate is rejected: %s", o.fault.text);
	leaves_close(&o);
}
