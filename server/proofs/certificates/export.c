#include "server/proofs/certificates/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/random.h"
#include "server/common/game_tables.h"
#include "server/proofs/certificates/export_ahead.h"
#include "server/proofs/certificates/export_gathered.h"
#include "server/proofs/answers/fact_overlay.h"
#include "server/proofs/certificates/played_out.h"
#include "server/common/program_game.h"
#include "solver/dominance.h"
#include "solver/plain_search.h"
#include "solver/table_theorem.h"

enum {
	DOMINANCE_EFFORT = 1 << 16, /* nodes, of the search that takes the place of dominance */
	ROUNDS = 3,                 /* a regenerated proof may contain leaves again (static solves) */
	PROGRESS_EVERY = 10000,     /* positions */
	PROGRESS_NODES = 1 << 20
};

static const size_t overlay_bytes = (size_t)2 << 30;

struct export
{
	const struct sv_export_order *order;
	const struct game *game;
	const char *graphs;         /* directory of graphs; may be NULL */
	struct pr_graph_file graph; /* the graph of the game; bytes is 0 when it has none */
	const void *root;           /* its position */
	struct sv_overlay overlay;
	struct sv_gathered got;
	struct sv_ahead *ahead; /* owned; NULL: this thread searches all leaves */
	struct pn_plain plain;
	struct sv_played played;
	uint64_t searched;          /* nodes of the plain search since the last progress */
	size_t clear_at;            /* size of `needs` at which the overlay is cleared; SIZE_MAX: it is empty */
	game_move *moves, *replies; /* owned; moves_max each */
	struct pd_fact fact;        /* of the current position */
};

/* --- the walk ----------------------------------------------------------------------------- */

static int report_missing(const struct export *e, const void *state, const struct sv_need *need, const char *what,
			  struct pd_fail *fail)
{
	char text[GAME_TEXT_MAX], hint[SV_MISSING_HINT];
	e->game->rules->print(e->game, state, text, sizeof text);
	return pd_fail_set(fail, PD_E_CORRUPT, "position", "%.200s: value %s %d: %s; %s", text,
			   need->side == PD_LO ? ">=" : "<=", need->bound, what, sv_missing_hint(e->game, state, hint));
}

/* A need and its position. */
struct place {
	const uint8_t *key;
	const struct sv_need *need;
	const void *state;
};

/* Searches a leaf again. The facts found stay in the overlay until the stack is back to its present size. */
static int search_again(struct export *e, const struct place *at, const struct pd_reason *r, struct pd_fail *fail)
{
	const struct pn_leaf_policy policy = pn_leaf_policy_check();
	enum pn_verdict verdict;
	if (e->clear_at == SIZE_MAX)
		e->clear_at = e->got.needs.size;
	if (e->ahead && sv_ahead_take(e->ahead, at->key, at->need->size, r, sv_overlay_keep, &e->overlay))
		return PD_OK;
	return sv_overlay_regenerate(&e->overlay, at->state, r, &policy, &verdict, fail);
}

static int push_need(struct export *e, const uint8_t *key, const struct sv_need *need, struct pd_fail *fail)
{
	if (sv_gathered_meet(&e->got, key, need))
		return PD_OK;
	if (e->ahead && e->clear_at == SIZE_MAX)
		sv_ahead_ask_need(e->ahead, key, need);
	return sv_gathered_need(&e->got, key, need, fail);
}

static bool is_within(const struct sv_need *need, int value)
{
	return need->side == PD_LO ? value >= need->bound : value <= need->bound;
}

/* Whether a move ends the game with a value within the bound. */
static bool ends_within(const struct export *e, const void *state, const struct sv_need *need)
{
	const struct game *g = e->game;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	unsigned count = g->rules->moves(g, state, e->replies);
	bool found = false;
	int value;
	for (unsigned i = 0; i < count && !found; i++) {
		memcpy(child, state, g->state_size);
		g->rules->play(g, child, e->replies[i]);
		found = g->rules->terminal(g, child, &value) && is_within(need, value);
	}
	return found;
}

/* Whether a certificate with cards needs no record of a position, because the player to move wants the bound and wins
 * at once. That has rank 1. Where the game has a test of its own, that decides. */
static bool wins_at_once(const struct export *e, const void *state, const struct sv_need *need)
{
	const struct game *g = e->game;
	int value;
	if (!e->order->cards || need->below <= 1 || g->rules->first_to_move(g, state) != (need->side == PD_LO))
		return false;
	return g->rules->immediate_win ? g->rules->immediate_win(g, state, &value) && is_within(need, value)
				       : ends_within(e, state, need);
}

/* Pushes what a reason needs of the child after one move (F3: a rank needs a smaller rank). */
static int need_child(struct export *e, const void *state, game_move move, const struct pd_reason *r,
		      struct pd_fail *fail)
{
	const struct game *g = e->game;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	struct sv_need need = {.side = r->side,
			       .bound = r->bound,
			       .below = pn_bound_ranked(g, r->side, r->bound) ? r->rank : PD_RANK_NONE};
	int value;
	memcpy(child, state, g->state_size);
	g->rules->play(g, child, move);
	if (g->rules->terminal(g, child, &value))
		return is_within(&need, value)
			       ? PD_OK
			       : report_missing(e, child, &need, "the game ends there with another value", fail);
	if (wins_at_once(e, child, &need))
		return PD_OK;
	need.size = (uint16_t)g->rules->key(g, child, key);
	return push_need(e, key, &need, fail);
}

static int need_children(struct export *e, const void *state, const struct pd_reason *r, const struct sv_need *need,
			 struct pd_fail *fail)
{
	const struct game *g = e->game;
	unsigned count = g->rules->moves(g, state, e->moves);
	bool own = g->rules->first_to_move(g, state) == (r->side == PD_LO), found = false;
	int rc = PD_OK;
	for (unsigned i = 0; i < count && !rc; i++) {
		if (own && (found || game_canon(g, state, e->moves[i], false) != r->move))
			continue;
		found = true;
		rc = need_child(e, state, e->moves[i], r, fail);
	}
	return rc || found ? rc : report_missing(e, state, need, "the recorded move is not legal", fail);
}

/* The best known reason that meets the need; NULL: none. */
static const struct pd_reason *best_known_reason(struct export *e, const uint8_t *key, const struct sv_need *need)
{
	return sv_overlay_find(&e->overlay, key, need->size, &e->fact) ? sv_need_choose(&e->fact, need) : NULL;
}

/* --- leaves ------------------------------------------------------------------------------- */

/* The context of records_say, which tells the plain search what the certificate says of a position, as proofcheck will
 * see it. */
struct asked {
	const struct export *e;
	const struct pd_reason *leaf;
};

static bool records_say(void *ctx, const uint8_t *key, size_t size, unsigned plies)
{
	const struct asked *a = ctx;
	struct sv_need need = {a->leaf->side, a->leaf->bound, (uint16_t)(plies + 1), (uint16_t)size};
	return sv_gathered_meet(&a->e->got, key, &need);
}

/* Puts a reason as a leaf if the plain search finds it; the size of that search is then its effort. Leaves that the
 * game knows are not searched where that search has mostly missed them (played_out.h). */
static int try_leaf(struct export *e, const struct place *at, const struct pd_reason *r, bool *found,
		    struct pd_fail *fail)
{
	struct asked asked = {e, r};
	struct pd_reason leaf = *r;
	uint64_t nodes;
	bool known = r->effort && sv_played_knows(&e->played, at->state, r);
	*found = false;
	if (known && sv_played_omits_search(&e->played, r))
		return PD_OK;
	int rc = pn_plain_search(&e->plain,
				 &(struct pn_plain_question){at->state, r, pn_leaf_plain_nodes(r->effort), records_say,
							     &asked, e->order->cards},
				 found, &nodes, fail);
	if (rc)
		return rc;
	e->searched += nodes;
	if (known)
		sv_played_count_search(&e->played, r, *found);
	leaf.effort = (uint32_t)nodes;
	leaf.move = PD_NO_MOVE;
	leaf.job = 0;
	return *found ? sv_gathered_put(&e->got, at->key, at->need->size, &leaf, fail) : PD_OK;
}

/* Postpones a leaf of the facts until everything else has its records, which the plain search may use. */
static int postpone_leaf(struct export *e, const struct place *at, const struct pd_reason *r, struct pd_fail *fail)
{
	struct pd_reason leaf = *r;
	leaf.job = 0;
	return sv_gathered_postpone(&e->got, at->key, at->need->size, &leaf, fail);
}

/* Puts a reason with a card when a theorem of the game meets the need. */
static int try_card(struct export *e, const struct place *at, bool *found, struct pd_fail *fail)
{
	const struct sv_need *need = at->need;
	struct pd_reason card = {need->bound, need->side, PD_RANK_NONE, PD_NO_MOVE, 0, 0};
	struct game_theorem theorem;
	uint8_t witness[GAME_WITNESS_MAX];
	if (need->below != PD_RANK_NONE || pn_bound_ranked(e->game, need->side, need->bound))
		card.rank = (uint16_t)(need->below == PD_RANK_NONE ? PD_RANK_MAX : need->below - 1);
	*found = e->order->cards && card.rank &&
		 (pn_plain_theorem(e->game, at->state, &card, &theorem, witness) ||
		  (e->order->tables && pn_plain_table(e->game, at->state, &card, &theorem, witness)));
	if (!*found)
		return PD_OK;
	card.rank = theorem.plies == GAME_NO_RANK ? PD_RANK_NONE : theorem.plies;
	card.job = sv_gathered_card(&e->got, &theorem, witness);
	return card.job ? sv_gathered_put(&e->got, at->key, need->size, &card, fail)
			: pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the cards of a certificate");
}

/* Puts a reason by dominance as a card (theorem 102), and pushes what it needs: the same bound of the dominated
 * position, with at most the same rank. */
static int dominate_position(struct export *e, const struct place *at, const struct pd_reason *r, struct pd_fail *fail)
{
	const struct game *g = e->game;
	bool ranked = pn_bound_ranked(g, r->side, r->bound);
	struct game_theorem theorem = {.number = GAME_DOMINANCE, .proved = r->side == PD_LO};
	struct sv_need need = {r->side, r->bound, ranked ? (uint16_t)(r->rank + 1) : PD_RANK_NONE, at->need->size};
	struct pd_reason card = {.bound = r->bound, .side = r->side, .rank = ranked ? r->rank : PD_RANK_NONE};
	uint8_t key[GAME_KEY_MAX], witness[GAME_WITNESS_MAX];
	if (!pn_dominated_key(g, at->key, need.size, r, key))
		return report_missing(e, at->state, at->need, "it does not dominate the position that its fact names",
				      fail);
	if (!e->order->cards)
		return pd_fail_set(
			fail, PD_E_UNSUPPORTED, "cards",
			"the bound of a position in the proof follows by dominance, and a search does not find "
			"it; only a certificate with cards can say so");
	theorem.witness = (uint16_t)g->rules->order_part(g);
	memcpy(witness, key + need.size - theorem.witness, theorem.witness);
	card.move = PD_NO_MOVE;
	card.job = sv_gathered_card(&e->got, &theorem, witness);
	if (!card.job)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the cards of a certificate");
	int rc = sv_gathered_put(&e->got, at->key, need.size, &card, fail);
	return rc ? rc : push_need(e, key, &need, fail);
}

/* Whether a reason is searched again before it can be justified: a leaf, and without cards one by dominance. */
static bool is_searched(const struct export *e, const struct pd_reason *r)
{
	return r->effort || (r->dominated && !e->order->cards);
}

/* Puts a reason that is justified one ply down, and pushes what it needs. A leaf is first searched again to find such a
 * reason. */
static int justify_reason(struct export *e, const struct place *at, const struct pd_reason *r, struct pd_fail *fail)
{
	const struct game *g = e->game;
	const struct sv_need *need = at->need;
	const void *state = at->state;
	int rc = PD_OK;
	if (sv_played_is_open(&e->played) || (r && r->effort && sv_played_knows(&e->played, state, r)))
		rc = sv_played_open(&e->played, r ? r->rank : PD_RANK_NONE, e->got.needs.size, e->got.records.count,
				    fail);
	for (unsigned tries = 0; !rc && r && is_searched(e, r) && tries < ROUNDS; tries++) {
		struct pd_reason leaf = *r;
		leaf.effort = r->dominated ? DOMINANCE_EFFORT : r->effort;
		leaf.dominated = 0;
		rc = search_again(e, at, &leaf, fail);
		r = best_known_reason(e, at->key, need);
	}
	if (rc)
		return rc;
	if (e->overlay.failed && sv_played_is_open(&e->played))
		return sv_played_refuse(&e->played, e->got.records.count, fail);
	if (e->overlay.why.code) {
		*fail = e->overlay.why;
		return fail->code;
	}
	if (!r)
		return report_missing(e, state, need, "no fact says so", fail);
	if (r->effort)
		return report_missing(e, state, need, "its search does not find it again", fail);
	if (r->dominated)
		return dominate_position(e, at, r, fail);
	struct pd_reason taken = *r;
	PD_ASSERT(need->below == PD_RANK_NONE || taken.rank < need->below); /* F3 */
	if (!pn_bound_ranked(g, taken.side, taken.bound))
		taken.rank = PD_RANK_NONE;
	if (g->rules->first_to_move(g, state) != (taken.side == PD_LO))
		taken.move = PD_NO_MOVE;
	taken.job = 0;
	rc = sv_gathered_put(&e->got, at->key, need->size, &taken, fail);
	return rc ? rc : need_children(e, state, &taken, need, fail);
}

/* `last`: the need is that of a postponed leaf. A theorem goes before the facts. A leaf is kept where the plain search
 * finds it. Below a leaf that it did not find, any reason that it finds becomes a leaf, so that the certificate grows
 * no deeper than it must. */
static int resolve_need(struct export *e, const uint8_t *key, const struct sv_need *need, bool last,
			struct pd_fail *fail)
{
	const struct game *g = e->game;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct place at = {key, need, state};
	if (last ? sv_export_records_meet(&e->got.records, key, need) : sv_gathered_meet(&e->got, key, need))
		return PD_OK;
	if (g->rules->unkey(g, key, need->size, state))
		return pd_fail_set(fail, PD_E_CORRUPT, "position", "the key of a fact is not the key of a position");
	bool below = e->clear_at != SIZE_MAX, keeps = false;
	int rc = try_card(e, &at, &keeps, fail);
	if (rc || keeps)
		return rc;
	const struct pd_reason *r = best_known_reason(e, key, need);
	if (!r) { /* the child's fact may become visible just after the parent's */
		st_fact_settle(e->overlay.reader);
		r = best_known_reason(e, key, need);
	}
	if (r && e->order->frontier && (r->effort || below) && pn_bound_ranked(g, r->side, r->bound)) {
		if (!below && !last)
			return postpone_leaf(e, &at, r, fail);
		rc = try_leaf(e, &at, r, &keeps, fail);
	}
	return rc || keeps ? rc : justify_reason(e, &at, r, fail);
}

static int ask_progress(const struct export *e, const struct sv_export_progress *p, struct pd_fail *fail)
{
	return e->order->progress && !e->order->progress(e->order->ctx, p)
		       ? pd_fail_set(fail, PD_E_STATE, "", "the export was stopped")
		       : PD_OK;
}

static int report_progress(struct export *e, uint64_t *told, bool last, struct pd_fail *fail)
{
	struct sv_export_progress p = {.positions = e->got.records.count};
	if (e->got.records.count < *told + PROGRESS_EVERY && e->searched < PROGRESS_NODES)
		return PD_OK;
	*told = e->got.records.count;
	e->searched = 0;
	if (last) {
		p.whole = e->got.leaves_most;
		p.done = e->got.leaves_most - e->got.leaves_left;
	}
	return ask_progress(e, &p, fail);
}

static int gather_records(struct export *e, struct pd_fail *fail)
{
	int rc = PD_OK;
	uint64_t told = e->got.records.count;
	bool last = false;
	while (!rc && (e->got.needs.size || e->got.leaves.size)) {
		struct sv_need need;
		uint8_t key[GAME_KEY_MAX];
		if (e->clear_at != SIZE_MAX && e->got.needs.size <= e->clear_at) {
			sv_overlay_clear(&e->overlay);
			e->clear_at = SIZE_MAX;
		}
		sv_played_close(&e->played, e->got.needs.size, e->got.records.count);
		/* What its program has not answered counts as the end of a game: nothing that rests on it is kept. */
		rc = sv_program_failed(e->game, fail)
			     ? fail->code
			     : sv_gathered_keep(&e->got, e->clear_at == SIZE_MAX, &e->played, fail);
		if (rc)
			break;
		bool postponed = sv_gathered_take(&e->got, key, &need);
		last |= postponed;
		rc = resolve_need(e, key, &need, postponed, fail);
		if (!rc)
			rc = report_progress(e, &told, last, fail);
		if (!rc)
			rc = sv_played_check(&e->played, e->got.records.count, fail);
	}
	sv_played_close(&e->played, 0, e->got.records.count);
	if (!rc && sv_program_failed(e->game, fail))
		rc = fail->code;
	return rc ? rc : sv_gathered_complete(&e->got, &e->played, fail);
}

/* --- the claim ---------------------------------------------------------------------------- */

/* Reads the root's bounds from the facts and determines the bounds that the claim needs. */
static int read_claim(struct export *e, struct pd_fail *fail)
{
	const struct game *g = e->game;
	const void *root = e->root;
	uint8_t key[GAME_KEY_MAX];
	const struct pd_fact *fact = &e->fact;
	struct sv_export_answer *answer = &e->got.answer;
	struct sv_claim_needs needs;
	int value;
	answer->lo = g->value_min;
	answer->hi = g->value_max;
	if (g->rules->terminal(g, root, &value)) {
		answer->lo = answer->hi = value;
	} else if (sv_overlay_find(&e->overlay, key, g->rules->key(g, root, key), &e->fact)) {
		const struct pd_reason *lo = pd_fact_best(fact, PD_LO), *hi = pd_fact_best(fact, PD_HI);
		answer->lo = lo ? lo->bound : answer->lo;
		answer->hi = hi ? hi->bound : answer->hi;
	}
	if (e->overlay.why.code) {
		*fail = e->overlay.why;
		return fail->code;
	}
	int rc = sv_claim_needs(g, e->order->claim, (struct game_interval){answer->lo, answer->hi}, &needs, fail);
	if (rc)
		return rc;
	memcpy(answer->claim, needs.claim, sizeof answer->claim);
	memcpy(answer->status, needs.status, sizeof answer->status);
	answer->has_lo = needs.lo; /* trivial bounds need no proof, but are in the header */
	answer->has_hi = needs.hi;
	return PD_OK;
}

static int need_root(struct export *e, const uint8_t *root, size_t size, struct pd_fail *fail)
{
	const struct game *g = e->game;
	const struct sv_export_answer *answer = &e->got.answer;
	struct sv_need lo = {PD_LO, (int16_t)answer->lo, PD_RANK_NONE, (uint16_t)size}, hi = lo;
	int value;
	hi.side = PD_HI;
	hi.bound = (int16_t)answer->hi;
	if (g->rules->terminal(g, e->root, &value))
		return PD_OK;
	int rc = answer->has_lo && answer->lo > g->value_min ? push_need(e, root, &lo, fail) : PD_OK;
	return !rc && answer->has_hi && answer->hi < g->value_max ? push_need(e, root, &hi, fail) : rc;
}

/* Opens the log, which may have a state to go on from. */
static int open_log(struct export *e, const uint8_t *root, size_t size, struct pd_fail *fail)
{
	const struct game *g = e->game;
	struct pd_buf title;
	pd_buf_init(&title, SIZE_MAX / 2);
	pd_buf_printf(&title, "program: %s\ngame: %s\nrules: %" PRIu64 "\nroot: ", PD_VERSION, g->name,
		      game_version(g));
	for (size_t i = 0; i < size; i++)
		pd_buf_printf(&title, "%02x", root[i]);
	pd_buf_printf(&title, "\nclaim: %s\ndetail: %s\ncards: %d\n%s", e->order->claim ? e->order->claim : "",
		      e->order->frontier ? "frontier" : "full", e->order->cards, e->order->tables ? "tables\n" : "");
	int rc = title.failed ? pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a certificate")
			      : sv_gathered_open(&e->got, e->order->file, title.data, &e->played, fail);
	pd_buf_fini(&title);
	return rc;
}

/* --- the whole ---------------------------------------------------------------------------- */

static bool report_written(void *ctx, uint64_t written)
{
	const struct export *e = ctx;
	const struct sv_export_progress p = {
		.positions = e->got.records.count, .done = written, .whole = e->got.records.count, .writes = true};
	return !e->order->progress || e->order->progress(e->order->ctx, &p);
}

static unsigned count_threads(const struct export *e)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	return e->order->threads ? e->order->threads : (unsigned)(processors > 0 ? processors : 1);
}

static int write_certificate(struct export *e, struct sv_certificate_head *head, struct sv_exported *out,
			     struct pd_fail *fail)
{
	const struct sv_export_answer *answer = &e->got.answer;
	struct sv_export_records *records = &e->got.records;
	const struct sv_export_writing how = {
		.path = e->order->file,
		.threads = count_threads(e),
		.go_on = report_written,
		.ctx = e,
	};
	*out = (struct sv_exported){.positions = records->count,
				    .reasons = records->reasons,
				    .leaves = records->leaves,
				    .cards = records->with_card,
				    .effort = records->effort,
				    .lo = answer->lo,
				    .hi = answer->hi};
	memcpy(out->claim, answer->claim, sizeof out->claim);
	memcpy(out->status, answer->status, sizeof out->status);
	head->claim = out->claim;
	head->status = out->status;
	head->has_lo = answer->has_lo;
	head->has_hi = answer->has_hi;
	head->lo = answer->lo;
	head->hi = answer->hi;
	head->positions = records->count;
	head->reasons = records->reasons;
	head->leaves = records->leaves;
	head->with_card = records->with_card;
	return sv_export_records_write(records, &how, head, &out->bytes, fail);
}

static int export_root(struct export *e, struct sv_exported *out, struct pd_fail *fail)
{
	const struct game *g = e->game;
	uint8_t root[GAME_KEY_MAX];
	char position[GAME_TEXT_MAX];
	struct sv_certificate_head head = {
		.game = g->name,
		.position = position,
		.rules = g->rules_version,
		.plugin = g->plugin_digest,
		.root = root,
		.root_size = g->rules->key(g, e->root, root),
		.full = !e->order->frontier,
		.compress = e->order->compress,
		.cards = e->order->cards ? &e->got.records.cards : NULL,
		.graph_file = e->graph.bytes ? &e->graph : NULL,
		.graph_size = e->graph.bytes,
	};
	g->rules->print(g, e->root, position, sizeof position);
	if (open_log(e, root, head.root_size, fail) ||
	    (!e->got.resumed && (read_claim(e, fail) || need_root(e, root, head.root_size, fail))) ||
	    gather_records(e, fail))
		return fail->code;
	return write_certificate(e, &head, out, fail);
}

/* The key of the identities in searches: the same for every export from a data directory, so that they find the same,
 * but another than that of the searches that found the facts. */
static uint64_t export_identity(const struct st_store *store)
{
	uint64_t seed = st_identity(store);
	return pd_random_next(&seed);
}

static int export_game(struct export *e, struct st_store *store, struct sv_exported *out, struct pd_fail *fail)
{
	const struct game *g = e->game;
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
	struct st_reader *reader;
	if (g->rules->parse(g, e->order->position, root, fail) || st_reader_open(store, &reader, fail))
		return fail->code;
	e->root = root;
	e->moves = malloc(2 * g->moves_max * sizeof *e->moves);
	e->replies = e->moves ? e->moves + g->moves_max : NULL;
	sv_overlay_init(&e->overlay, reader, g, st_game_find(store, g->name, game_version(g)), overlay_bytes);
	e->overlay.identity = export_identity(store);
	if (!e->order->frontier && count_threads(e) > 1)
		e->ahead = sv_ahead_new(store, g, e->overlay.game_id, count_threads(e) - 1);
	int rc = e->moves ? export_root(e, out, fail)
			  : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a certificate");
	sv_ahead_free(e->ahead);
	sv_overlay_fini(&e->overlay);
	st_reader_close(reader);
	free(e->moves);
	return rc;
}

/* Reads the graph of an andor game and keeps the bytes of its file, which become a part of the certificate. */
static int load_graph(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail)
{
	struct export *e = ctx;
	return pr_graph_load(e->graphs, name, out, &e->graph, fail);
}

/* Whether an export that ended so can go on from its log. */
static bool may_go_on(int rc)
{
	return rc == PD_E_STATE || rc == PD_E_NO_SPACE || rc == PD_E_IO || rc == PD_E_NO_MEMORY || rc == PD_E_BUSY;
}

/* *resumed: it went on from a log. */
static int export_once(struct st_store *store, const char *graphs, const struct sv_export_order *order,
		       struct sv_exported *out, bool *resumed, struct pd_fail *fail)
{
	struct export e = {.order = order, .clear_at = SIZE_MAX, .graphs = graphs};
	struct game_host host = {&e, load_graph};
	struct game *game;
	*out = (struct sv_exported){0};
	int rc = sv_game_open(st_directory(store), order->game, &host, &game, fail);
	if (rc)
		return rc;
	e.game = game;
	pn_tables_as_facts(game); /* a certificate holds what it takes from them, or cites them */
	sv_gathered_init(&e.got);
	pn_plain_init(&e.plain, game);
	sv_played_init(&e.played, game);
	rc = order->rules && *order->rules != game_version(game)
		     ? pd_fail_set(fail, PD_E_STATE, "game",
				   "the rules of %.80s are not those that were asked for: the file of its graph has "
				   "changed",
				   game->name)
		     : export_game(&e, store, out, fail);
	if (rc && sv_program_failed(game, fail)) /* the reason for whatever was noticed */
		rc = fail->code;
	*resumed = e.got.resumed;
	sv_gathered_fini(&e.got, may_go_on(rc));
	pn_plain_fini(&e.plain);
	sv_played_fini(&e.played);
	pd_fact_fini(&e.fact);
	game_close(game);
	return rc;
}

/* A log may not fit the facts any more: they are those of another directory, or some were retracted. Then the export
 * begins anew. */
int sv_export(struct st_store *store, const char *graphs, const struct sv_export_order *order, struct sv_exported *out,
	      struct pd_fail *fail)
{
	bool resumed = false;
	int rc = export_once(store, graphs, order, out, &resumed, fail);
	return rc == PD_E_CORRUPT && resumed ? export_once(store, graphs, order, out, &resumed, fail) : rc;
}

int sv_export_directory(const char *dir, const char *graphs, const struct sv_export_order *order,
			struct sv_exported *out, struct pd_fail *fail)
{
	struct st_store *store;
	int rc = st_open(dir, ST_READ_ONLY, &store, fail);
	if (rc)
		return rc;
	rc = sv_export(store, graphs, order, out, fail);
	st_close(store);
	return rc;
}
