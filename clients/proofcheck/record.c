#include "clients/proofcheck/record.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/search.h"
#include "clients/proofcheck/zone.h"
#include "proto/base/assert.h"

/* A reason and its offset in the file. */
struct place {
	struct ck_reason reason;
	uint64_t offset;
};

static enum ck_finding reject_reason(struct ck_judge *j, struct ck_fault *fault, uint64_t offset, const char *format,
				     ...) __attribute__((format(printf, 4, 5)));

static enum ck_finding reject_reason(struct ck_judge *j, struct ck_fault *fault, uint64_t offset, const char *format,
				     ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(fault->text, sizeof fault->text, format, args);
	va_end(args);
	fault->offset = offset;
	j->game->rules->print(j->game, &j->position, fault->position);
	return CK_BAD;
}

/* A bound in words: "at least 1 with rank 7". */
struct words {
	char text[80];
};

static struct words in_words(const struct ck_reason *r, bool below)
{
	struct words w;
	int n = snprintf(w.text, sizeof w.text, "at %s %" PRId64, r->upper ? "most" : "least", r->bound);
	if (r->has_rank)
		snprintf(w.text + n, sizeof w.text - (size_t)n,
			 below ? " with a rank below %" PRIu64 : " with rank %" PRIu64, r->rank);
	return w;
}

/* True when infinite play does not give the bound, so that it must be reached in finite time. */
static bool needs_rank(const struct ck_game *g, const struct ck_reason *r)
{
	return !g->repeats || (r->upper ? r->bound < g->infinite : r->bound > g->infinite);
}

static void list_children(struct ck_judge *j)
{
	const struct ck_game *g = j->game;
	j->children = g->rules->moves(g, &j->position, j->moves);
	PD_ASSERT(j->children >= 1 && j->children <= CK_MOVES_MAX);
	for (unsigned i = 0; i < j->children; i++) {
		j->child[i].position = j->position;
		j->child[i].move = j->moves[i];
		j->child[i].looked = false;
		g->rules->play(g, &j->child[i].position, j->moves[i]);
	}
}

/* True when the child has the bound that the reason needs, with a smaller rank where the reason has a rank (F3). A win
 * at once has rank 1. */
static bool child_has(struct ck_judge *j, struct ck_child *c, const struct ck_reason *r)
{
	if (!c->looked)
		c->view = ck_look(j->game, j->cert, &c->position);
	c->looked = true;
	return ck_view_has(j->game, &c->view, r->upper, r->bound, r->has_rank ? r->rank : CK_ANY_RANK) ||
	       (ck_has_cards(&j->cert->header) && !c->view.over && (!r->has_rank || r->rank >= 2) &&
		ck_wins_at_once(j->game, &c->position, r->upper, r->bound));
}

static enum ck_finding report_lack(struct ck_judge *j, struct ck_fault *fault, const struct place *at,
				   const struct ck_child *c)
{
	const struct ck_view *v = &c->view;
	struct words need = in_words(&at->reason, !v->over);
	char text[CK_TEXT_MAX], why[80] = "it has no record";
	j->game->rules->print(j->game, &c->position, text);
	if (v->over)
		snprintf(why, sizeof why, "the game is over there with %d", v->value);
	else if (v->count)
		snprintf(why, sizeof why, "its record does not give that");
	return reject_reason(j, fault, at->offset, "the position after move %u, '%.140s', should have %s, but %s",
			     c->move, text, need.text, why);
}

static enum ck_finding judge_by_move(struct ck_judge *j, struct ck_fault *fault, const struct place *at)
{
	const struct ck_reason *r = &at->reason;
	if (!r->has_move)
		return reject_reason(j, fault, at->offset, "the player to move wants %s, so there should be a move",
				     in_words(r, false).text);
	for (unsigned i = 0; i < j->children; i++)
		if (j->child[i].move == r->move)
			return child_has(j, &j->child[i], r) ? CK_GOOD : report_lack(j, fault, at, &j->child[i]);
	return reject_reason(j, fault, at->offset, "move %" PRIu64 " is not legal", r->move);
}

static enum ck_finding judge_by_all(struct ck_judge *j, struct ck_fault *fault, const struct place *at)
{
	const struct ck_reason *r = &at->reason;
	if (r->has_move)
		return reject_reason(j, fault, at->offset,
				     "the player to move does not want %s, so there should be no move",
				     in_words(r, false).text);
	for (unsigned i = 0; i < j->children; i++)
		if (!child_has(j, &j->child[i], r))
			return report_lack(j, fault, at, &j->child[i]);
	return CK_GOOD;
}

/* Asks the game about a card of one of its theorems. */
static enum ck_finding ask_rules(struct ck_judge *j, struct ck_fault *fault, const struct place *at,
				 const struct ck_card *card, unsigned *plies)
{
	const struct ck_reason *r = &at->reason;
	const struct ck_rules *rules = j->game->rules;
	if (!rules->card)
		return reject_reason(j, fault, at->offset, "this program knows no theorems of %s", rules->name);
	if (!rules->card(j->game, &j->position, card, plies))
		return reject_reason(j, fault, at->offset,
				     "theorem %" PRIu64 " with this witness of %" PRIu64 " bytes does not give %s",
				     r->theorem, r->size, in_words(r, false).text);
	return CK_GOOD;
}

static enum ck_finding play_out(struct ck_judge *j, struct ck_fault *fault, const struct place *at,
				const struct ck_card *card, unsigned *plies)
{
	char why[CK_STRATEGY_WHY];
	switch (ck_strategy_play(j->strategies, &j->position, card, plies, why)) {
	case CK_PLAY_HOLDS:
		return CK_GOOD;
	case CK_PLAY_FAILS:
		return reject_reason(j, fault, at->offset, "the strategy does not give %s: %s",
				     in_words(&at->reason, false).text, why);
	case CK_PLAY_STOPPED:
		return CK_STOP;
	case CK_PLAY_MEMORY:
		break;
	}
	reject_reason(j, fault, at->offset, "there is not enough memory to play out a strategy");
	return CK_CANNOT;
}

/* Theorem 101: a table with this digest, which agrees with the rules, has the position. */
static enum ck_finding look_up(struct ck_judge *j, struct ck_fault *fault, const struct place *at,
			       const struct ck_card *card, unsigned *plies)
{
	const struct ck_game *g = j->game;
	const struct ck_reason *r = &at->reason;
	char why[CK_TABLE_TEXT];
	uint16_t entry;
	if (!j->tables) {
		reject_reason(j, fault, at->offset,
			      "it cites a table, and tables are not checked here: --tables names their directory");
		return CK_CANNOT;
	}
	if (r->size != PD_TABLE_DIGEST)
		return reject_reason(j, fault, at->offset, "the witness of a table should be its digest of %d bytes",
				     PD_TABLE_DIGEST);
	enum ck_table_found found = ck_tables_look_up(j->tables, card->witness, g, &j->position, &entry, why);
	if (found != CK_TABLE_FOUND) {
		reject_reason(j, fault, at->offset, "%s", why);
		return found == CK_TABLE_MEMORY ? CK_CANNOT : CK_BAD;
	}
	int64_t value = !pd_table_decided(entry)                                         ? g->infinite
			: pd_table_wins(entry) == g->rules->first_moves(g, &j->position) ? g->best
											 : g->worst;
	*plies = pd_table_decided(entry) ? pd_table_plies(entry) : CK_NO_RANK;
	return (r->upper ? value <= r->bound : value >= r->bound)
		       ? CK_GOOD
		       : reject_reason(j, fault, at->offset, "the table that it cites does not give %s",
				       in_words(r, false).text);
}

/* Theorem 102: the record of the position with this order part has the bound, with at most the same rank, and the
 * position of the reason dominates it. */
static enum ck_finding judge_by_dominance(struct ck_judge *j, struct ck_fault *fault, const struct place *at,
					  const struct ck_record *record)
{
	const struct ck_game *g = j->game;
	const struct ck_reason *r = &at->reason;
	struct ck_position other;
	uint8_t key[CK_KEY_MAX];
	if (!g->rules->dominates)
		return reject_reason(j, fault, at->offset, "this program knows no dominance in %s", g->rules->name);
	if (r->size < 1 || r->size > CK_ORDER_MAX || r->size >= record->key_size)
		return reject_reason(j, fault, at->offset,
				     "the witness of dominance should have 1 to %d bytes, fewer "
				     "than the key",
				     CK_ORDER_MAX);
	memcpy(key, record->key, record->key_size);
	memcpy(key + record->key_size - r->size, r->witness, r->size);
	if (!ck_decode(g, key, record->key_size, &other) ||
	    !g->rules->dominates(g, &j->position, &other, r->bound, r->upper) ||
	    g->rules->dominates(g, &other, &j->position, r->bound, r->upper))
		return reject_reason(j, fault, at->offset, "it does not dominate the position that its card names");
	struct ck_view view = ck_look(g, j->cert, &other);
	return !view.over && ck_view_has(g, &view, r->upper, r->bound, r->has_rank ? r->rank + 1 : CK_ANY_RANK)
		       ? CK_GOOD
		       : reject_reason(j, fault, at->offset,
				       "the position that it dominates should have %s, but its record does not say so",
				       in_words(r, true).text);
}

/* Theorem 103: each reply is answered by the list of the witness, or else its child has the bound like any child. */
static enum ck_finding judge_by_zone(struct ck_judge *j, struct ck_fault *fault, const struct place *at)
{
	const struct ck_reason *r = &at->reason;
	uint8_t witness[CK_WITNESS_MAX]; /* a copy: the file may change */
	struct ck_card card = {r->upper, r->bound, CK_ZONE, witness, (unsigned)r->size};
	struct ck_zone zone;
	memcpy(witness, r->witness, r->size);
	if (!r->has_rank || j->game->rules->first_moves(j->game, &j->position) != r->upper)
		return reject_reason(j, fault, at->offset,
				     "a zone needs a rank, and the player to move must not want %s",
				     in_words(r, false).text);
	if (!ck_zone_read(&card, &zone))
		return reject_reason(j, fault, at->offset,
				     "the witness of a zone should list 1 to %d theorems of the game with their "
				     "witnesses",
				     CK_ZONE_ANSWERS_MAX);
	for (unsigned i = 0; i < j->children; i++)
		if (!ck_zone_plies(j->game, &zone, &j->child[i].position, r->rank) && !child_has(j, &j->child[i], r))
			return report_lack(j, fault, at, &j->child[i]);
	return CK_GOOD;
}

static enum ck_finding judge_by_card(struct ck_judge *j, struct ck_fault *fault, const struct place *at)
{
	const struct ck_reason *r = &at->reason;
	uint8_t witness[CK_WITNESS_MAX]; /* a copy: the file may change */
	struct ck_card card = {r->upper, r->bound, (unsigned)r->theorem, witness, (unsigned)r->size};
	unsigned plies = 0;
	PD_ASSERT(r->size <= CK_WITNESS_MAX && !r->has_move && !r->has_effort);
	memcpy(witness, r->witness, r->size);
	enum ck_finding finding = (r->theorem == CK_STRATEGY ? play_out
				   : r->theorem == CK_TABLE  ? look_up
							     : ask_rules)(j, fault, at, &card, &plies);
	if (finding != CK_GOOD)
		return finding;
	if (r->has_rank != (plies != CK_NO_RANK))
		return reject_reason(j, fault, at->offset,
				     plies == CK_NO_RANK ? "theorem %" PRIu64 " holds by infinite play, so there "
							   "should be no rank"
							 : "a reason with a card of theorem %" PRIu64
							   " must have a rank",
				     r->theorem);
	if (r->has_rank && plies > r->rank)
		return reject_reason(j, fault, at->offset,
				     "theorem %" PRIu64 " gives the bound within %u plies, so the rank should be at "
				     "least that, not %" PRIu64,
				     r->theorem, plies, r->rank);
	return CK_GOOD;
}

static enum ck_finding judge_by_search(struct ck_judge *j, struct ck_fault *fault, const struct place *at)
{
	const struct ck_reason *r = &at->reason;
	if (j->cert->header.full)
		return reject_reason(j, fault, at->offset,
				     "a reason has an effort, but the header says that the detail is full");
	if (!r->has_rank)
		return reject_reason(j, fault, at->offset, "a reason with an effort must have a rank");
	if (r->has_move)
		return reject_reason(j, fault, at->offset, "a reason with an effort has no move");
	struct ck_question q = {j->game, j->cert, &j->position, r->upper, r->bound, r->rank, ck_search_limit(r->effort),
				j->stop, j->ctx};
	uint64_t nodes;
	PD_ASSERT(q.rank >= 1 && q.nodes >= 1);
	enum ck_answer answer = ck_search(&q, &nodes);
	j->searched += nodes;
	switch (answer) {
	case CK_FOUND:
		return CK_GOOD;
	case CK_REFUTED:
		return reject_reason(j, fault, at->offset, "a search of %" PRIu64 " nodes shows that %s does not hold",
				     nodes, in_words(r, false).text);
	case CK_GAVE_UP:
		return reject_reason(j, fault, at->offset,
				     "a search of %" PRIu64 " nodes did not find %s, for which %" PRIu64
				     " are said to be enough",
				     nodes, in_words(r, false).text, r->effort);
	case CK_STOPPED:
		return CK_STOP;
	case CK_NO_MEMORY:
		break;
	}
	reject_reason(j, fault, at->offset, "there is not enough memory for a search");
	return CK_CANNOT;
}

static enum ck_finding judge_reason(struct ck_judge *j, struct ck_fault *fault, const struct place *at,
				    const struct ck_record *record)
{
	const struct ck_game *g = j->game;
	const struct ck_reason *r = &at->reason;
	if (r->bound < g->worst || r->bound > g->best)
		return reject_reason(j, fault, at->offset, "the bound %" PRId64 " is off the game's scale of %d to %d",
				     r->bound, g->worst, g->best);
	if (!ck_is_value(g, r->bound))
		return reject_reason(j, fault, at->offset, "the bound %" PRId64 " lies between two values of the game",
				     r->bound);
	if (!r->has_rank && needs_rank(g, r))
		return reject_reason(j, fault, at->offset,
				     "%s must be reached in finite time, so the reason should have a rank",
				     in_words(r, false).text);
	if (r->has_card && r->theorem == CK_DOMINANCE)
		return judge_by_dominance(j, fault, at, record);
	if (r->has_card && r->theorem == CK_ZONE)
		return judge_by_zone(j, fault, at);
	if (r->has_card)
		return judge_by_card(j, fault, at);
	if (r->has_effort)
		return judge_by_search(j, fault, at);
	bool wants = g->rules->first_moves(g, &j->position) != r->upper;
	return wants ? judge_by_move(j, fault, at) : judge_by_all(j, fault, at);
}

struct ck_judge *ck_judge_new(const struct ck_game *game, const struct ck_cert *cert, bool (*stop)(void *ctx),
			      void *ctx)
{
	struct ck_judge *judge = calloc(1, sizeof *judge);
	struct ck_strategies *strategies = ck_strategies_new(game, stop, ctx);
	if (!judge || !strategies) {
		ck_strategies_free(strategies);
		free(judge);
		return NULL;
	}
	judge->game = game;
	judge->cert = cert;
	judge->stop = stop;
	judge->ctx = ctx;
	judge->strategies = strategies;
	return judge;
}

void ck_judge_free(struct ck_judge *judge)
{
	if (judge)
		ck_strategies_free(judge->strategies);
	free(judge);
}

/* Lower bounds come before upper bounds; within a side bounds ascend. */
static bool in_order(const struct ck_reason *before, const struct ck_reason *r)
{
	return before->upper == r->upper ? before->bound < r->bound : r->upper;
}

enum ck_finding ck_judge_record(struct ck_judge *j, const struct ck_record *record, const uint8_t *end,
				struct ck_fault *fault)
{
	const uint8_t *p = record->reason;
	int value;
	PD_ASSERT(record->reasons >= 1 && record->key_size <= CK_KEY_MAX && record->start < p && p <= end);
	if (!ck_decode(j->game, record->key, record->key_size, &j->position)) {
		ck_fault_set(fault, record->offset, "the key of a record is not the canonical key of a position of %s",
			     j->game->name);
		return CK_BAD;
	}
	if (j->game->rules->over(j->game, &j->position, &value))
		return reject_reason(j, fault, record->offset,
				     "the game is over in this position, so it should have no record");
	list_children(j);
	struct place at, before = {0};
	for (unsigned i = 0; i < record->reasons; i++, before = at) {
		at.offset = record->offset + (uint64_t)(p - record->start);
		const char *why = ck_reason_read(&p, end, &at.reason);
		if (why)
			return reject_reason(j, fault, at.offset, "%s", why);
		if (i && !in_order(&before.reason, &at.reason))
			return reject_reason(
				j, fault, at.offset,
				"the reasons of a record must be in order: lower bounds first, each side ascending");
		enum ck_finding finding = judge_reason(j, fault, &at, record);
		if (finding != CK_GOOD)
			return finding;
	}
	return CK_GOOD;
}
