#include "server/proofs/maintenance/verify_results.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "server/proofs/maintenance/verify.h"

struct looking { /* the check of one job */
	struct sv_result_check *check;
	const struct sv_record *job;
	const struct game *game;
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
	bool over;
	int lo, hi;          /* bounds on the root's value by rules and facts */
	struct pd_fact fact; /* of the root; empty when it is terminal */
};

__attribute__((format(printf, 2, 3))) static void report_problem(const struct looking *l, const char *format, ...)
{
	char text[600];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	l->check->problem(l->check->ctx, l->job->id, text);
}

/* Reads the bounds of a position from rules and facts; *fact is initialized by the caller. */
static void look_up_position(const struct looking *l, const void *state, int *lo, int *hi, struct pd_fact *fact)
{
	const struct game *g = l->game;
	uint8_t key[GAME_KEY_MAX];
	int value;
	*lo = g->value_min;
	*hi = g->value_max;
	if (g->rules->terminal(g, state, &value)) {
		*lo = *hi = value;
		return;
	}
	if (!sv_lookup_fact(l->check->lookup, key, g->rules->key(g, state, key), fact))
		return;
	const struct pd_reason *best = pd_fact_best(fact, PD_LO);
	*lo = best ? best->bound : *lo;
	best = pd_fact_best(fact, PD_HI);
	*hi = best ? best->bound : *hi;
}

static bool is_value(const struct game *g, int64_t value)
{
	return value >= g->value_min && value <= g->value_max && (value - g->value_min) % g->value_step == 0;
}

/* True when the bounds in the record follow from the facts; else reports a problem. */
static bool bounds_follow(const struct looking *l, const char *what, int64_t lo, int64_t hi)
{
	if (!is_value(l->game, lo) || !is_value(l->game, hi) || lo > hi) {
		report_problem(l,
			       "%s says that the value lies between %" PRId64 " and %" PRId64
			       ", which are not bounds in this game",
			       what, lo, hi);
		return false;
	}
	if (lo > l->lo || hi < l->hi) {
		report_problem(l,
			       "%s says that the value lies between %" PRId64 " and %" PRId64
			       ", and the facts that it lies between %d and %d",
			       what, lo, hi, l->lo, l->hi);
		return false;
	}
	return true;
}

static const char *status_of(const struct pd_claim *c, int64_t lo, int64_t hi)
{
	if (c->value)
		return lo == hi ? "solved" : "unsolved";
	if (lo < c->threshold && hi >= c->threshold)
		return "unsolved";
	return (lo >= c->threshold) != c->refusal ? "proved" : "disproved";
}

/* The plies within which the facts give both bounds; PD_RANK_NONE: infinite play gives one of them. */
static unsigned plies_of(const struct looking *l, int64_t lo, int64_t hi)
{
	const struct pd_reason *r;
	unsigned plies = 0;
	if (!l->over && lo > l->game->value_min && (r = pd_fact_find(&l->fact, PD_LO, (int)lo)) != NULL)
		plies = r->rank;
	if (!l->over && hi < l->game->value_max && (r = pd_fact_find(&l->fact, PD_HI, (int)hi)) != NULL)
		plies = r->rank > plies ? r->rank : plies;
	return plies;
}

static void check_plies(const struct looking *l, pr_ref plies, int64_t lo, int64_t hi)
{
	unsigned known = plies_of(l, lo, hi);
	if (pr_kind_of(plies) == PR_NULL)
		return;
	int64_t says = pr_number(plies, -1);
	if (says < 0 || says > PD_RANK_MAX || known == PD_RANK_NONE || says < known)
		report_problem(l,
			       "its result says that it takes %" PRId64
			       " plies at most, and the facts that it takes %s%.0u",
			       says, known == PD_RANK_NONE ? "for ever, perhaps" : "up to ",
			       known == PD_RANK_NONE ? 0 : known);
}

/* Whether a position has a bound: by the rules, by its fact, or by a search of the size that the root's reason
 * names. */
static int has_bound(const struct looking *l, const void *state, const struct pd_reason *wanted, bool *has,
		     struct pd_fail *fail)
{
	struct pd_fact fact = {0};
	int lo, hi;
	PD_ASSERT(is_value(l->game, wanted->bound));
	look_up_position(l, state, &lo, &hi, &fact);
	pd_fact_fini(&fact);
	*has = wanted->side == PD_LO ? lo >= wanted->bound : hi <= wanted->bound;
	if (*has || l->check->lookup->failed.code)
		return PD_OK;
	struct pn_leaf_verdict result;
	int rc = sv_leaf_check(l->check->prover, state, wanted, 0, &result, fail);
	l->check->searched += result.nodes;
	*has = !rc && pn_leaf_confirmed(wanted, result.verdict);
	return rc;
}

static int check_move(const struct looking *l, const char *text, int64_t lo, int64_t hi, struct pd_fail *fail)
{
	const struct game *g = l->game;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	bool first = g->rules->first_to_move(g, l->root), has = true;
	struct pd_fail bad;
	game_move move;
	if (l->over || g->rules->move_parse(g, l->root, text, &move, &bad)) {
		report_problem(l, "the move of its result, '%.40s', is not legal", text);
		return PD_OK;
	}
	enum pd_side side = first ? PD_LO : PD_HI;
	int64_t bound = first ? lo : hi;
	const struct pd_reason *r = pd_fact_find(&l->fact, side, (int)bound);
	if ((first ? lo == g->value_min : hi == g->value_max) || !r)
		return PD_OK; /* any move will do */
	struct pd_reason wanted = *r;
	wanted.bound = (int16_t)bound;
	wanted.rank = PD_RANK_NONE;
	memcpy(child, l->root, g->state_size);
	g->rules->play(g, child, move);
	int rc = has_bound(l, child, &wanted, &has, fail);
	if (!rc && !has && !l->check->lookup->failed.code)
		report_problem(l, "the move of its result, '%.40s', does not lead to the value", text);
	return rc;
}

static void check_line(const struct looking *l, pr_ref line, int64_t lo, int64_t hi)
{
	const struct game *g = l->game;
	_Alignas(16) uint8_t now[GAME_STATE_MAX];
	struct pd_fail bad;
	game_move move;
	int value;
	memcpy(now, l->root, g->state_size);
	for (size_t i = 0; i < pr_count(line); i++) {
		const char *text = pr_text(pr_at(line, i), "");
		if (g->rules->terminal(g, now, &value) || g->rules->move_parse(g, now, text, &move, &bad)) {
			report_problem(l, "move %zu of its line, '%.40s', is not legal", i + 1, text);
			return;
		}
		g->rules->play(g, now, move);
	}
	if (g->rules->terminal(g, now, &value) && (value < lo || value > hi))
		report_problem(l, "its line ends with the value %d", value);
}

static int check_parts(const struct looking *l, pr_ref result, struct pd_fail *fail)
{
	const struct sv_spec *spec = &l->job->spec;
	pr_ref value = pr_get(result, "value");
	int64_t lo = pr_get_int(value, "lo", INT64_MIN), hi = pr_get_int(value, "hi", INT64_MIN);
	const char *status = pr_get_str(result, "status", ""), *move = pr_get_str(result, "move", NULL);
	if (strcmp(pr_get_str(result, "game", ""), spec->game) ||
	    strcmp(pr_get_str(result, "position", "?"), spec->position) ||
	    strcmp(pr_get_str(result, "claim", ""), spec->claim.text)) {
		report_problem(l, "its result answers another question");
		return PD_OK;
	}
	if (!bounds_follow(l, "its result", lo, hi))
		return PD_OK;
	const char *right = status_of(&spec->claim, lo, hi);
	if (strcmp(status, right))
		report_problem(l, "the status of its result is '%.20s', but should be '%s'", status, right);
	if (l->job->state == SV_SOLVED && !strcmp(right, "unsolved"))
		report_problem(l, "it is solved, and its result does not answer it");
	check_plies(l, pr_get(result, "plies"), lo, hi);
	check_line(l, pr_get(result, "line"), lo, hi);
	return move ? check_move(l, move, lo, hi, fail) : PD_OK;
}

static int check_result(const struct looking *l, struct pd_fail *fail)
{
	const struct sv_record *job = l->job;
	struct pr_doc *doc;
	if (!job->result) { /* the record had no room for it */
		if (job->state == SV_SOLVED && !strcmp(status_of(&job->spec.claim, l->lo, l->hi), "unsolved"))
			report_problem(l, "it is solved, and the facts do not answer it");
		return PD_OK;
	}
	int rc = pr_doc_parse(job->result, strlen(job->result), &doc, fail);
	if (rc == PD_E_NO_MEMORY)
		return rc;
	if (rc) {
		report_problem(l, "its result is not JSON");
		return PD_OK;
	}
	rc = check_parts(l, pr_doc_root(doc), fail);
	pr_doc_free(doc);
	return rc;
}

int sv_result_check(struct sv_result_check *check, const struct sv_record *job, struct pd_fail *fail)
{
	struct looking l = {.check = check, .job = job, .game = check->game};
	const struct pn_progress *p = &job->progress;
	struct pd_fail bad;
	int value;
	PD_ASSERT(l.game->state_size <= sizeof l.root);
	if (l.game->rules->parse(l.game, job->spec.position, l.root, &bad)) {
		report_problem(&l, "its position cannot be read: %s", bad.text);
		return PD_OK;
	}
	l.over = l.game->rules->terminal(l.game, l.root, &value);
	look_up_position(&l, l.root, &l.lo, &l.hi, &l.fact);
	if (p->lo != INT16_MIN || p->hi != INT16_MAX)
		bounds_follow(&l, "its progress", p->lo, p->hi);
	int rc = check->lookup->failed.code ? PD_OK : check_result(&l, fail);
	pd_fact_fini(&l.fact);
	if (!rc && check->lookup->failed.code) {
		*fail = check->lookup->failed;
		rc = fail->code;
	}
	return rc;
}
