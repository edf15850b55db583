#include "server/proofs/certificates/small_write.h"

#include <stdlib.h>
#include <string.h>

#include "solver/plain_search.h"

struct writing {
	struct sv_small_proof *proof;
	struct sv_export_records *records;
	struct pn_strategy strategy;
	uint32_t *card_at; /* place of each card's witness in the records; 0: not written */
	uint64_t uses, strategies;
	struct pd_fail *fail;
};

struct position {
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
};

static int refuse_position(struct writing *w, const void *state, const char *what)
{
	const struct game *g = w->proof->game;
	char text[GAME_TEXT_MAX];
	g->rules->print(g, state, text, sizeof text);
	pd_fail_set(w->fail, PD_E_CORRUPT, "position", "%.200s: %s", text, what);
	return -1;
}

static int lack_memory(struct writing *w)
{
	pd_fail_set(w->fail, PD_E_NO_MEMORY, "", "no memory for a certificate");
	return -1;
}

/* The rank of a strategy that wins. */
static int put_strategy(struct writing *w, const void *state, uint32_t card, struct pd_reason *r)
{
	uint8_t witness[1 + STRATEGY_SQUARES_MAX] = {STRATEGY_POLICY};
	int8_t *weights = (int8_t *)witness + 1;
	if (card >= w->proof->card_count)
		return refuse_position(w, state, "its strategy is missing");
	sv_small_card(w->proof, card, weights);
	int plies = pn_strategy_play(&w->strategy, state, weights);
	if (plies <= 0)
		return refuse_position(w, state, "its strategy does not win");
	w->strategies += !w->card_at[card];
	if (!w->card_at[card])
		w->card_at[card] =
			sv_certificate_card(&w->records->cards, STRATEGY_THEOREM, witness, 1 + w->proof->squares);
	r->job = w->card_at[card];
	w->uses++;
	return r->job ? plies : lack_memory(w);
}

static int put_theorem(struct writing *w, const void *state, struct pd_reason *r)
{
	struct game_theorem theorem;
	uint8_t witness[GAME_WITNESS_MAX];
	r->rank = PD_RANK_MAX;
	if (!pn_plain_theorem(w->proof->game, state, r, &theorem, witness) || theorem.plies == GAME_NO_RANK)
		return refuse_position(w, state, "no theorem of the game gives the bound");
	r->job = sv_certificate_card(&w->records->cards, theorem.number, witness, theorem.witness);
	return r->job ? theorem.plies : lack_memory(w);
}

static int write_position(struct writing *w, const void *from, bool root);

/* The rank of the position after a move, 0 where the game is over. */
static int write_child(struct writing *w, const void *state, game_move move)
{
	const struct game *g = w->proof->game;
	struct position child;
	int value;
	memcpy(child.state, state, g->state_size);
	g->rules->play(g, child.state, move);
	if (!g->rules->terminal(g, child.state, &value))
		return write_position(w, child.state, false);
	return pn_strategy_reached(&w->strategy, value) ? 0 : refuse_position(w, state, "a move loses at once");
}

/* The rank of a position from those below it: one move of W, or all moves. */
static int write_children(struct writing *w, const void *state, const struct sv_small_node *n, struct pd_reason *r)
{
	const struct game *g = w->proof->game;
	bool own = pn_strategy_moves(&w->strategy, state), found = !own;
	int most = 0;
	if (own != (n->kind == SV_SMALL_MOVE))
		return refuse_position(w, state, "the wrong side moves");
	game_move *moves = malloc(g->moves_max * sizeof *moves);
	if (!moves)
		return lack_memory(w);
	unsigned count = g->rules->moves(g, state, moves);
	for (unsigned i = 0; i < count && most >= 0; i++) {
		if (own && moves[i] != n->move)
			continue;
		found = true;
		int rank = write_child(w, state, moves[i]);
		most = rank < 0 ? rank : rank + 1 > most ? rank + 1 : most;
	}
	free(moves);
	r->move = own ? game_canon(g, state, n->move, false) : PD_NO_MOVE;
	return found ? most : refuse_position(w, state, "its move is not legal");
}

static int put_record(struct writing *w, const struct sv_small_node *n, const void *state, struct pd_reason *r)
{
	int rank = n->kind == SV_SMALL_CARD      ? put_strategy(w, state, n->card, r)
		   : n->kind == SV_SMALL_THEOREM ? put_theorem(w, state, r)
		   : n->kind == SV_SMALL_OPEN    ? refuse_position(w, state, "it is not proved")
						 : write_children(w, state, n, r);
	if (rank > PD_RANK_MAX)
		return refuse_position(w, state, "the game is too long");
	r->rank = (uint16_t)(rank < 0 ? 0 : rank);
	return rank;
}

/* The rank of a position that is not over; its record is written unless it has one, or needs none. */
static int write_position(struct writing *w, const void *from, bool root)
{
	const struct game *g = w->proof->game;
	struct pd_reason r = {(int16_t)w->proof->bound, w->proof->first ? PD_LO : PD_HI, 0, PD_NO_MOVE, 0, 0};
	uint8_t key[GAME_KEY_MAX];
	struct position at;
	size_t size = g->rules->key(g, from, key);
	if (g->rules->unkey(g, key, size, at.state))
		return refuse_position(w, from, "its key is not that of a position");
	if (!root && pn_strategy_moves(&w->strategy, at.state)) {
		game_move *moves = malloc(g->moves_max * sizeof *moves);
		unsigned plies = 0;
		if (!moves)
			return lack_memory(w);
		pn_strategy_choices(&w->strategy, at.state, moves, &plies);
		free(moves);
		if (plies == 1)
			return 1;
	}
	struct sv_small_node *n = sv_small_find(&w->proof->now, key, size);
	if (!n)
		return refuse_position(w, at.state, "it is not proved");
	if (n->rank)
		return n->rank;
	int rank = put_record(w, n, at.state, &r);
	if (rank <= 0)
		return rank < 0 ? rank : refuse_position(w, at.state, "the game is over");
	n->rank = (uint16_t)rank;
	return sv_export_records_put(w->records, key, size, &r, w->fail) ? -1 : rank;
}

int sv_small_write(struct sv_small_proof *p, struct sv_export_records *records, uint64_t *uses, uint64_t *strategies,
		   struct pd_fail *fail)
{
	struct writing w = {.proof = p, .records = records, .fail = fail};
	for (size_t i = 0; i < p->now.count; i++)
		p->now.list[i].rank = 0;
	int rc = pn_strategy_init(&w.strategy, p->game, sv_small_threshold(p), p->first, p->limit, fail);
	w.card_at = calloc(p->card_count + 1, sizeof *w.card_at);
	if (!rc && !w.card_at)
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a certificate");
	if (!rc && write_position(&w, p->root, true) < 0)
		rc = fail->code;
	*uses += w.uses;
	*strategies += w.strategies;
	pn_strategy_fini(&w.strategy);
	free(w.card_at);
	return rc;
}
