/* Similar positions: a proof replayed on a position like it costs exactly the positions of that proof, fails where a
 * stone is in its way, and gives facts that are justified; searches that do so answer as others do. */
#include "solver/pds_similar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/algorithms.h"
#include "solver/pds_policy.h"
#include "tests/support/effort.h"
#include "tests/support/factbase.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

/* A df-pn search of "First wins" at `solved`, and what it and the replays found. */
struct rig {
	struct game *game;
	struct question question;
	struct pn_options options;
	struct tt tt;
	struct fact_buffer facts;
	struct search_group *group;
	struct pds *pds;
	struct factbase base;
	_Alignas(16) uint8_t solved[GAME_STATE_MAX];
};

static void rig_init(struct rig *r, const char *game)
{
	memset(r, 0, sizeof *r);
	ck_assert(!game_open(game, NULL, &r->game, NULL));
	r->question = question_of(r->game, 1);
	pn_options_init(&r->options);
	r->options.algorithm = PN_DFPN;
	r->group = calloc(1, sizeof *r->group);
	ck_assert_ptr_nonnull(r->group);
}

/* Searches the position to the end; returns whether First wins. */
static bool rig_solve(struct rig *r)
{
	enum pn_engine_end end = PN_ENGINE_MORE;
	uint32_t num[2];
	game_move leading;
	ck_assert(tt_init(&r->tt, 1 << 20, false));
	fact_buffer_init(&r->facts);
	factbase_init(&r->base);
	r->pds = (void *)pn_engine_pds.create(&(struct pn_engine_setup){
		.game = r->game,
		.options = &r->options,
		.tt = &r->tt,
		.facts = &r->facts,
		.group = r->group,
		.policy = pn_algorithm(PN_DFPN)->policy,
	});
	ck_assert_ptr_nonnull(r->pds);
	ck_assert(pn_engine_pds.start(&r->pds->engine, &r->question, r->solved));
	while (end != PN_ENGINE_SOLVED) {
		uint64_t nodes = 100000;
		end = pn_engine_pds.run(&r->pds->engine, &nodes);
		fact_buffer_take(&r->facts, factbase_add, &r->base);
	}
	pn_engine_pds.numbers(&r->pds->engine, num, &leading);
	return num[0] == 0;
}

static void rig_drop(struct rig *r)
{
	unsigned leaves;
	ck_assert_uint_eq(factbase_check(&r->base, r->game, &leaves) + r->base.conflicts + leaves, 0);
	pn_engine_pds.destroy(&r->pds->engine);
	fact_buffer_fini(&r->facts);
	factbase_fini(&r->base);
	tt_fini(&r->tt);
}

static void rig_fini(struct rig *r)
{
	free(r->group);
	game_close(r->game);
}

static bool has_fact(const struct rig *r, struct factbase *base, const void *state, struct pd_fact *fact)
{
	uint8_t key[GAME_KEY_MAX];
	pd_fact_init(fact);
	return factbase_get(base, key, r->game->rules->key(r->game, state, key), fact);
}

/* Whether nothing has to be searched there: the game is over, or won at once, or `known` has it, or it was met. */
static bool is_leaf(const struct rig *r, struct factbase *known, const void *state)
{
	struct pd_fact fact;
	uint32_t num[2];
	bool settled = has_fact(r, known, state, &fact) && question_settled(&r->question, &fact, num);
	pd_fact_fini(&fact);
	return settled || question_terminal(&r->question, state, num) ||
	       question_immediate_win(&r->question, state, num);
}

/* The positions of the proof that the facts have of First's win there: those in `met` count as leaves, and it is added
 * to. */
static unsigned count_proof(const struct rig *r, struct factbase *met, const void *state)
{
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	game_move moves[64], own;
	struct pd_fact fact;
	unsigned sum = 1;
	if (is_leaf(r, met, state))
		return 1;
	ck_assert(has_fact(r, (struct factbase *)&r->base, state, &fact));
	struct pd_reason reason = *pd_fact_find(&fact, PD_LO, 1);
	pd_fact_fini(&fact);
	bool first = r->game->rules->first_to_move(r->game, state);
	unsigned count = question_moves(&r->question, state, moves);
	if (first) {
		ck_assert(game_legal_from_key(r->game, state, reason.move, &own));
		moves[0] = own;
		count = 1;
	}
	for (unsigned i = 0; i < count; i++) {
		memcpy(child, state, r->game->state_size);
		r->game->rules->play(r->game, child, moves[i]);
		sum += count_proof(r, met, child);
	}
	factbase_add(met, key, r->game->rules->key(r->game, state, key), &reason);
	return sum;
}

/* Replays the proof; when it wins, the visits are those of the proof that is then known. */
static bool replay_proof(struct rig *r, const void *similar, uint32_t most, uint32_t *visits)
{
	struct factbase met;
	uint32_t num[2] = {1, 1}, left = most;
	bool known = is_leaf(r, &r->base, similar);
	factbase_init(&met);
	for (size_t i = 0; i < r->base.capacity; i++) {
		const struct factbase_item *item = &r->base.items[i];
		for (uint32_t j = 0; j < item->fact.count; j++)
			factbase_add(&met, item->key, item->size, &pd_fact_reasons(&item->fact)[j]);
	}
	bool won = pds_replay_proof(r->pds, r->solved, similar, 0, &left, num);
	*visits = most - left;
	fact_buffer_take(&r->facts, factbase_add, &r->base);
	ck_assert(!won || num[0] == 0);
	if (won)
		ck_assert_uint_eq(*visits, count_proof(r, &met, similar));
	factbase_fini(&met);
	return won && !known;
}

START_TEST(a_stone_on_the_line_ends_it)
{
	static const struct {
		const char *position;
		bool wins;
	} similar[] = {{"4o1/o5/6/2xx2/6/6 x", true}, /* the other stone is far as well */
		       {"6/o5/6/2xx2/6/5o x", true},
		       {"6/o5/6/1oxx2/6/6 x", false}, /* it is on the line */
		       {"6/o5/6/2xxo1/6/6 x", false}};
	for (unsigned i = 0; i < sizeof similar / sizeof *similar; i++) {
		struct rig r;
		_Alignas(16) uint8_t state[GAME_STATE_MAX];
		uint32_t visits;
		rig_init(&r, "mnk:6,6,4");
		ck_assert(!r.game->rules->parse(r.game, "5o/o5/6/2xx2/6/6 x", r.solved, NULL));
		ck_assert(!r.game->rules->parse(r.game, similar[i].position, state, NULL));
		ck_assert(rig_solve(&r));
		ck_assert_int_eq(replay_proof(&r, state, 10000, &visits), similar[i].wins);
		/* itself, the position after First's move, and the 31 replies */
		ck_assert(!similar[i].wins || visits == 33);
		ck_assert(!replay_proof(&r, state, 0, &visits));
		if (similar[i].wins) { /* one visit, because it is known now */
			ck_assert(!replay_proof(&r, state, 1, &visits));
			ck_assert_uint_eq(visits, 1);
		}
		rig_drop(&r);
		rig_fini(&r);
	}
}
END_TEST

/* Random positions with Second to move: of two moves that First beats, or may beat, the proof of one is replayed on the
 * other. */
START_TEST(replays_cost_the_proof_and_give_facts)
{
	static const char *const games[] = {"mnk:4,4,3", "connect4:4x4", "hex:3", "breakthrough:3x4", "nogo:3x3"};
	unsigned won = 0, failed = 0;
	uint64_t random = walk_seed("similar", 31);
	for (unsigned i = 0; i < sizeof games / sizeof *games; i++) {
		struct rig r;
		rig_init(&r, games[i]);
		for (unsigned n = 0; n < effort_of(300, 30); n++) {
			_Alignas(16) uint8_t state[GAME_STATE_MAX], similar[GAME_STATE_MAX];
			game_move moves[64];
			uint32_t visits;
			int value;
			walk_from_start(r.game, state, 9, &random);
			if (r.game->rules->terminal(r.game, state, &value) ||
			    r.game->rules->first_to_move(r.game, state))
				continue;
			unsigned count = r.game->rules->moves(r.game, state, moves);
			memcpy(r.solved, state, r.game->state_size);
			r.game->rules->play(r.game, r.solved, moves[walk_below(&random, count)]);
			if (r.game->rules->terminal(r.game, r.solved, &value))
				continue;
			bool proved = rig_solve(&r);
			for (unsigned m = 0; proved && m < count; m++) {
				memcpy(similar, state, r.game->state_size);
				r.game->rules->play(r.game, similar, moves[m]);
				bool wins = replay_proof(&r, similar, 100000, &visits);
				won += wins;
				failed += !wins;
			}
			rig_drop(&r); /* checks the facts */
		}
		rig_fini(&r);
	}
	printf("%u replays won, %u failed\n", won, failed);
	ck_assert_uint_gt(won, 20);
	ck_assert_uint_gt(failed, 20);
}
END_TEST

SUITE(similar)
{
	tcase_set_timeout(c, 120);
	tcase_add_test(c, a_stone_on_the_line_ends_it);
	tcase_add_test(c, replays_cost_the_proof_and_give_facts);
}
