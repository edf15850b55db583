#include "solver/pds_similar.h"

#include <stdlib.h>
#include <string.h>

#include "solver/pds_child.h"
#include "solver/pds_store.h"

enum {
	STEPS_MAX = 64, /* plies of a replay */
	ROOM_A_STEP = 2 /* states, and lists of moves: of the solved position and of the similar one */
};

struct replay {
	struct pds *pds;
	unsigned winner;
	uint32_t visits;  /* left */
	uint8_t *states;  /* owned */
	game_move *moves; /* owned */
};

/* Of a step, which: 0 of the proof, 1 of the replay. */
static void *state_at(const struct replay *r, unsigned step, unsigned which)
{
	return r->states + (ROOM_A_STEP * (size_t)step + which) * r->pds->stride;
}

static game_move *moves_at(const struct replay *r, unsigned step, unsigned which)
{
	return r->moves + (ROOM_A_STEP * (size_t)step + which) * r->pds->question.game->moves_max;
}

static bool is_listed(const game_move *moves, unsigned count, game_move move)
{
	while (count && moves[count - 1] != move)
		count--;
	return count > 0;
}

/* The move by which the winner wins at the solved position of a step, in its own frame; PD_NO_MOVE: it is not known. */
static game_move find_winning_move(const struct replay *r, unsigned step)
{
	const struct pds *pds = r->pds;
	const struct question *q = &pds->question;
	const void *state = state_at(r, step, 0);
	struct pd_id position = question_position_id(q, state);
	struct pn_entry e;
	struct cache_entry known;
	unsigned move = PD_NO_MOVE;
	if (pds_find_solved(pds, question_claim_id(q, position), &e))
		move = e.num[r->winner] ? PD_NO_MOVE : e.move;
	else if (pds->cache && cache_get(pds->cache, position, &known) &&
		 cache_answer(&known, q->threshold) == (r->winner ? PD_HI : PD_LO))
		move = known.bounds.move[r->winner ? PD_HI : PD_LO];
	return move == PD_NO_MOVE ? PD_NO_MOVE : game_canon(q->game, state, (game_move)move, true);
}

/* Plays a move at a step, in the replay and, if it is legal there, in the proof. False: it was not. */
static bool play_both(const struct replay *r, unsigned step, game_move move, bool in_proof)
{
	const struct game *game = r->pds->question.game;
	for (unsigned which = in_proof ? 0 : 1; which < ROOM_A_STEP; which++) {
		memcpy(state_at(r, step + 1, which), state_at(r, step, which), game->state_size);
		game->rules->play(game, state_at(r, step + 1, which), move);
	}
	return in_proof;
}

/* Records the position of the replay at a step, which is solved. */
static void record_position(const struct replay *r, unsigned step, struct pd_id id, const uint32_t num[2],
			    game_move move, uint32_t work)
{
	struct pds *pds = r->pds;
	struct pd_reason reason = question_reason(&pds->question, num);
	PD_ASSERT(!ghi_path_dependent(&pds->question, num)); /* F1 */
	reason.move = move;
	unsigned canonical = pds_record(pds, state_at(r, step, 1), &reason, work);
	pds_store(pds, id, num, work, canonical, pds->depth + 1 + step);
	pds_progress(pds);
	pds_note_solved(pds);
}

/* Whether the winner wins the position of the replay at a step; num is then the solved pair. in_proof: there is a
 * solved position beside it. */
static bool replay_step(struct replay *r, unsigned step, bool in_proof, uint32_t num[2])
{
	struct pds *pds = r->pds;
	const struct question *q = &pds->question;
	const void *state = state_at(r, step, 1);
	uint32_t before = r->visits;
	struct pds_child c;
	int value;
	if (!r->visits)
		return false;
	r->visits--;
	pds_child_init(pds, &c, state);
	num_copy(num, c.num);
	if (c.path_dependent || num_solved(c.num))
		return !c.path_dependent && num[r->winner] == 0;
	unsigned k = question_kind(q, state);
	if (!in_proof || step + 1 == STEPS_MAX || q->game->rules->terminal(q->game, state_at(r, step, 0), &value) ||
	    question_kind(q, state_at(r, step, 0)) != k)
		return false;
	game_move *proved = moves_at(r, step, 0), *moves = moves_at(r, step, 1), only = PD_NO_MOVE;
	unsigned proved_count = q->game->rules->moves(q->game, state_at(r, step, 0), proved), count;
	if (k == r->winner) {
		count = q->game->rules->moves(q->game, state, moves);
		only = find_winning_move(r, step);
		if (!is_listed(proved, proved_count, only) || !is_listed(moves, count, only))
			return false;
		moves[0] = only;
		count = 1;
	} else {
		count = question_moves(q, state, moves);
	}
	struct num_sum sum;
	num_sum_init(&sum);
	pds->counts.expansions++;
	pds->counts.made += count;
	for (unsigned i = 0; i < count; i++) {
		bool beside = play_both(r, step, moves[i], is_listed(proved, proved_count, moves[i]));
		if (!replay_step(r, step + 1, beside, num))
			return false;
		num_sum_add(&sum, k, num, i);
	}
	num_sum_backup(&sum, k, q->ranked, num);
	PD_ASSERT(num_sound(num) && num[r->winner] == 0);
	record_position(r, step, c.id, num, only, before - r->visits);
	return true;
}

bool pds_replay_proof(struct pds *pds, const void *solved, const void *similar, unsigned winner, uint32_t *visits,
		      uint32_t num[2])
{
	const struct game *game = pds->question.game;
	struct replay r = {.pds = pds, .winner = winner, .visits = *visits};
	PD_ASSERT(pds->started && winner < 2);
	r.states = aligned_alloc(16, ROOM_A_STEP * STEPS_MAX * pds->stride);
	r.moves = malloc(ROOM_A_STEP * STEPS_MAX * (size_t)game->moves_max * sizeof *r.moves);
	bool won = r.states && r.moves;
	if (won) {
		memcpy(state_at(&r, 0, 0), solved, game->state_size);
		memcpy(state_at(&r, 0, 1), similar, game->state_size);
		won = replay_step(&r, 0, true, num);
	}
	free(r.states);
	free(r.moves);
	PD_ASSERT(r.visits <= *visits);
	*visits = r.visits;
	return won;
}

void pds_try_siblings(struct pds *pds, const struct pds_frame *f)
{
	const struct game *game = pds->question.game;
	const struct pds_child *solved = pds_picked(pds, f);
	_Alignas(16) uint8_t proved[GAME_STATE_MAX], similar[GAME_STATE_MAX];
	uint32_t visits = pds->options->siblings.similar;
	if (!num_solved(solved->num) || solved->path_dependent || !solved->num[f->k])
		return; /* it is open, or the node is won by it */
	memcpy(proved, pds_state(pds, pds->depth), game->state_size);
	game->rules->play(game, proved, solved->move);
	for (uint32_t i = 0; visits && i < f->count; i++) {
		struct pds_child *c = &pds->children[f->first + i];
		uint32_t num[2];
		if (num_solved(c->num))
			continue;
		memcpy(similar, pds_state(pds, pds->depth), game->state_size);
		game->rules->play(game, similar, c->move);
		if (!pds_replay_proof(pds, proved, similar, 1 - f->k, &visits, num))
			continue;
		num_copy(c->num, num);
		c->in_tt = true;
		c->path_dependent = false;
	}
}
