#include "server/proofs/certificates/small_walk.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/hash.h"
#include "solver/plain_search.h"

enum {
	PASSES = 20,            /* of a lesson */
	LESSON_NODES = 1 << 17, /* of the oracle, for one question of a lesson */
	MOVE_NODES = 1 << 19,   /* for the question whether a move keeps the bound */
	MISTAKES_FEW = 40,      /* if all lessons have more, W's moves stay in the order of the rules */
	CARD_NODES = 1 << 23,   /* for all questions of a card */
	ASKED_NODES = 4,        /* what a question costs besides, with the play around it */
	SPEND_SHARE = 8,        /* a decision may spend that part of the account, */
	SPEND_MOST = 1 << 23,   /* at most that much, */
	SPEND_LEAST = 1 << 10,  /* and in any case that */
	CARD_GAIN = 1 << 15,    /* what a card brings to the account, besides */
	CARD_FACTOR = 2,        /* times what it cost */
	MOVE_MORE = 16,         /* times as many when no move is found */
	LISTS_MORE = 4,
	LEFT_SHARE = 3 /* tenths of a mistake that a reply which needs a decision weighs */
};

enum done { IS_DONE, IS_BUSY, IS_STOPPED };

/* A position with its key, in the key's frame. */
struct place {
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	uint16_t size;
};

/* What a thread has decided for a node. */
struct decision {
	uint8_t kind;
	game_move move;
	uint32_t card;       /* of the node */
	uint32_t child_card; /* of the node after `move`; SV_SMALL_NONE: it has none */
	bool child_tried;
};

int sv_small_walker_init(struct sv_small_walker *w, struct sv_small_proof *p, unsigned number, struct pd_fail *fail)
{
	const struct game *g = p->game;
	*w = (struct sv_small_walker){.proof = p, .number = number};
	int rc = pn_asker_init(&w->asker, &p->oracle, fail);
	if (!rc)
		rc = pn_strategy_init(&w->strategy, g, sv_small_threshold(p), p->first, p->limit, fail);
	size_t room = (size_t)(g->plies_max + LISTS_MORE) * g->moves_max * sizeof *w->moves;
	w->moves = rc ? NULL : malloc(room);
	w->scratch = rc ? NULL : malloc(room);
	return rc || (w->moves && w->scratch) ? rc
					      : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a small proof");
}

void sv_small_walker_fini(struct sv_small_walker *w)
{
	pn_asker_fini(&w->asker);
	pn_strategy_fini(&w->strategy);
	free(w->moves);
	free(w->scratch);
}

static bool set_place(const struct game *g, const void *state, struct place *out)
{
	out->size = (uint16_t)g->rules->key(g, state, out->key);
	return !g->rules->unkey(g, out->key, out->size, out->state);
}

/* The place after a move. False when the game is over there; it is then reached unless *lost. */
static bool place_after(const struct sv_small_walker *w, const void *state, game_move move, struct place *out,
			bool *lost)
{
	const struct game *g = w->proof->game;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	int value;
	memcpy(child, state, g->state_size);
	g->rules->play(g, child, move);
	*lost = false;
	if (g->rules->terminal(g, child, &value)) {
		*lost = !pn_strategy_reached(&w->strategy, value);
		return false;
	}
	bool good = set_place(g, child, out);
	PD_ASSERT(good); /* law 2 of game_rules.h */
	return true;
}

static void fail_proof(struct sv_small_walker *w, const struct pd_fail *fail)
{
	struct sv_small_proof *p = w->proof;
	pd_mutex_lock(&p->lock);
	if (!p->fail.code)
		p->fail = *fail;
	p->stop = true;
	atomic_store(&p->oracle.stop, true);
	pthread_cond_broadcast(&p->changed);
	pd_mutex_unlock(&p->lock);
}

static bool is_stopped(const struct sv_small_walker *w)
{
	return atomic_load_explicit(&w->proof->oracle.stop, memory_order_relaxed);
}

/* --- what is known of a position ---------------------------------------------------------- */

/* A theorem of the game gives the bound. */
static bool has_theorem(const struct sv_small_proof *p, const void *state)
{
	struct pd_reason r = {(int16_t)p->bound, p->first ? PD_LO : PD_HI, PD_RANK_MAX, PD_NO_MOVE, 0, 0};
	struct game_theorem theorem;
	return pn_plain_theorem(p->game, state, &r, &theorem, NULL);
}

static bool is_done(struct sv_small_walker *w, const struct sv_small_nodes *nodes, const struct place *at)
{
	pd_mutex_lock(&w->proof->lock);
	const struct sv_small_node *n = sv_small_find(nodes, at->key, at->size);
	bool done = n && n->done;
	pd_mutex_unlock(&w->proof->lock);
	return done;
}

static bool card_wins(struct sv_small_walker *w, const void *state, uint32_t card)
{
	int8_t weights[STRATEGY_SQUARES_MAX];
	pd_mutex_lock(&w->proof->lock);
	sv_small_card(w->proof, card, weights);
	pd_mutex_unlock(&w->proof->lock);
	return pn_strategy_play(&w->strategy, state, weights) >= 0;
}

static void use_card(struct sv_small_walker *w, uint32_t card)
{
	pd_mutex_lock(&w->proof->lock);
	sv_small_use(w->proof, card);
	pd_mutex_unlock(&w->proof->lock);
}

/* The move of the earlier proof; PD_NO_MOVE: it has none. */
static game_move find_old_move(struct sv_small_walker *w, const struct place *at)
{
	const struct sv_small_node *n = sv_small_find(&w->proof->old, at->key, at->size);
	return n && n->kind == SV_SMALL_MOVE ? n->move : PD_NO_MOVE;
}

/* --- what is spent ------------------------------------------------------------------------ */

/* The search for cards has an account. Decisions without a card are paid from it, one with a card adds to it. So where
 * strategies win, they are searched for at length, and where they do not, the earlier proof is soon followed. */

static uint64_t effort_of(const struct sv_small_walker *w)
{
	return w->asker.nodes + ASKED_NODES * w->asker.asked;
}

static void begin_spending(struct sv_small_walker *w)
{
	pd_mutex_lock(&w->proof->lock);
	uint64_t most = w->proof->account / SPEND_SHARE;
	pd_mutex_unlock(&w->proof->lock);
	w->began = effort_of(w);
	w->poor = most <= SPEND_LEAST;
	w->decision_end = w->began + (w->poor ? SPEND_LEAST : most < SPEND_MOST ? most : SPEND_MOST);
}

static void end_spending(struct sv_small_walker *w, bool found)
{
	struct sv_small_proof *p = w->proof;
	uint64_t spent = effort_of(w) - w->began;
	pd_mutex_lock(&p->lock);
	if (found)
		p->account += CARD_FACTOR * spent + CARD_GAIN;
	else
		p->account -= spent < p->account ? spent : p->account;
	pd_mutex_unlock(&p->lock);
}

/* What is left until `end`, at most `most`. */
static uint64_t nodes_left(const struct sv_small_walker *w, uint64_t end, uint64_t most)
{
	uint64_t now = effort_of(w), left = end > now ? end - now : 1;
	return left < most ? left : most;
}

/* --- lessons ------------------------------------------------------------------------------ */

static int ask_lesson(void *ctx, const void *state)
{
	struct sv_small_walker *w = ctx;
	int answer = pn_oracle_ask(&w->asker, state, nodes_left(w, w->card_end, LESSON_NODES));
	return is_stopped(w) || effort_of(w) > w->card_end ? -1 : answer == ORACLE_YES;
}

/* Finds a card that wins, an old one or by a lesson; SV_SMALL_NONE: there is none. *mistakes is then the least number
 * in a lesson. */
static uint32_t find_card(struct sv_small_walker *w, const struct place *at, unsigned *mistakes)
{
	struct sv_small_proof *p = w->proof;
	struct strategy_lesson lesson = {ask_lesson, w, PASSES, pd_hash64(at->key, at->size)};
	int8_t weights[2][STRATEGY_SQUARES_MAX] = {{0}};
	uint32_t recent[SV_SMALL_RECENT];
	pd_mutex_lock(&p->lock);
	unsigned count = p->recent_count, starts = count ? 2 : 1;
	memcpy(recent, p->recent, sizeof recent);
	if (count)
		sv_small_card(p, recent[0], weights[1]);
	pd_mutex_unlock(&p->lock);
	*mistakes = UINT_MAX;
	w->card_end = effort_of(w) + nodes_left(w, w->decision_end, CARD_NODES);
	for (unsigned i = 0; i < count; i++)
		if (card_wins(w, at->state, recent[i])) {
			use_card(w, recent[i]);
			return recent[i];
		}
	for (unsigned i = 0; i < starts; i++) {
		unsigned least;
		int plies = pn_strategy_learn(&w->strategy, at->state, weights[i], &lesson, &least);
		*mistakes = least < *mistakes ? least : *mistakes;
		if (plies < 0)
			continue;
		pd_mutex_lock(&p->lock);
		uint32_t card = sv_small_add_card(p, weights[i]);
		if (card != SV_SMALL_NONE)
			sv_small_use(p, card);
		pd_mutex_unlock(&p->lock);
		return card;
	}
	return SV_SMALL_NONE;
}

/* Finds a card among all of the earlier proof, the one it used most first. */
static uint32_t find_any_card(struct sv_small_walker *w, const void *state)
{
	const struct sv_small_proof *p = w->proof;
	for (uint32_t i = 0; i < p->order.count && !is_stopped(w); i++)
		if (card_wins(w, state, p->order.card[i]))
			return p->order.card[i];
	return SV_SMALL_NONE;
}

/* --- decisions ---------------------------------------------------------------------------- */

/* How many replies at a position, M to move, need a decision of W, down to the next free ones. */
static unsigned count_left(struct sv_small_walker *w, const struct place *at, game_move *room)
{
	const struct game *g = w->proof->game;
	unsigned count = g->rules->moves(g, at->state, room), left = 0, plies;
	for (unsigned i = 0; i < count; i++) {
		struct place child, next;
		bool lost;
		if (!place_after(w, at->state, room[i], &child, &lost) || is_done(w, &w->proof->now, &child))
			continue;
		if (!pn_strategy_moves(&w->strategy, child.state)) {
			left++;
			continue;
		}
		unsigned choices = pn_strategy_choices(&w->strategy, child.state, room + count, &plies);
		if (plies)
			continue;
		if (choices != 1)
			left++;
		else if (place_after(w, child.state, room[count], &next, &lost) && !is_done(w, &w->proof->now, &next))
			left += pn_strategy_moves(&w->strategy, next.state) ? 1 : count_left(w, &next, room + count);
	}
	return left;
}

/* Puts W's moves in the order of the game's rules, which list better ones first. */
static void order_moves(const struct sv_small_walker *w, const struct place *at, game_move *moves, unsigned count)
{
	const struct game *g = w->proof->game;
	game_move *all = moves + count;
	unsigned legal = g->rules->moves(g, at->state, all), n = 0;
	for (unsigned i = 0; i < legal && n < count; i++)
		for (unsigned j = n; j < count; j++)
			if (moves[j] == all[i]) {
				moves[j] = moves[n];
				moves[n++] = all[i];
			}
}

/* Keeps of W's moves those that the oracle says keep the bound; if little may be spent only one. If one is `known`, the
 * others may be missed. */
static unsigned keep_good(struct sv_small_walker *w, const struct place *at, game_move *moves, unsigned count,
			  bool known)
{
	unsigned kept = 0;
	for (uint64_t nodes = w->poor ? SPEND_LEAST : MOVE_NODES; !kept && !is_stopped(w); nodes *= MOVE_MORE) {
		unsigned open = 0;
		for (unsigned i = 0; i < count && !(kept && w->poor); i++) {
			struct place child;
			bool lost;
			game_move move = moves[i];
			uint64_t most = known ? nodes_left(w, w->decision_end, nodes) : nodes;
			int answer = place_after(w, at->state, move, &child, &lost)
					     ? pn_oracle_ask(&w->asker, child.state, most)
					     : !lost;
			open += answer == ORACLE_OPEN;
			if (answer == ORACLE_YES) {
				moves[i] = moves[kept];
				moves[kept++] = move;
			}
		}
		if (!open || known)
			break;
	}
	return kept;
}

static void decide_again(struct sv_small_walker *w, const struct place *at, const game_move *moves, unsigned count,
			 struct decision *d)
{
	struct sv_small_proof *p = w->proof;
	d->move = find_old_move(w, at);
	for (unsigned i = 0; i < count && d->move == PD_NO_MOVE; i++) {
		struct place child;
		bool lost;
		if (place_after(w, at->state, moves[i], &child, &lost) && is_done(w, &p->old, &child))
			d->move = moves[i];
	}
}

/* W is to move, and `moves` are its choices that keep the bound: one whose position has a card, else the one where the
 * lesson was best. */
static void choose_move(struct sv_small_walker *w, const struct place *at, const game_move *moves, unsigned count,
			struct decision *d)
{
	struct sv_small_proof *p = w->proof;
	unsigned *left = malloc(2 * count * sizeof *left), *order = left + count;
	uint64_t least = UINT64_MAX;
	struct place child;
	bool lost;
	for (unsigned i = 0; left && i < count; i++) {
		place_after(w, at->state, moves[i], &child, &lost);
		left[i] = pn_strategy_moves(&w->strategy, child.state)
				  ? 1
				  : count_left(w, &child, w->scratch + p->game->moves_max);
		unsigned j = i;
		for (; j && left[order[j - 1]] > left[i]; j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
	for (unsigned i = 0; left && i < count && d->child_card == SV_SMALL_NONE && !is_stopped(w); i++) {
		unsigned mistakes;
		game_move move = moves[order[i]];
		place_after(w, at->state, move, &child, &lost);
		d->child_card = find_card(w, &child, &mistakes);
		uint64_t score = mistakes > MISTAKES_FEW
					 ? UINT64_MAX
					 : (uint64_t)mistakes * 10 + (uint64_t)left[order[i]] * LEFT_SHARE;
		if (d->child_card != SV_SMALL_NONE || score < least) {
			least = score;
			d->move = move;
		}
	}
	d->child_tried = d->child_card == SV_SMALL_NONE;
	free(left);
}

static void refuse_position(struct sv_small_walker *w, const struct place *at)
{
	struct sv_small_proof *p = w->proof;
	char text[GAME_TEXT_MAX];
	struct pd_fail fail;
	p->game->rules->print(p->game, at->state, text, sizeof text);
	pd_fail_set(&fail, PD_E_STATE, "position", "the claim does not hold: it fails at the position %.200s", text);
	fail_proof(w, &fail);
}

/* W is to move. */
static void decide_move(struct sv_small_walker *w, const struct place *at, struct decision *d)
{
	struct sv_small_proof *p = w->proof;
	game_move *moves = w->scratch;
	unsigned plies, count = pn_strategy_choices(&w->strategy, at->state, moves, &plies);
	struct place child;
	bool lost;
	d->kind = SV_SMALL_MOVE;
	d->move = count ? moves[0] : PD_NO_MOVE;
	if (plies || count == 1)
		return;
	for (unsigned i = 0; i < count; i++)
		if (place_after(w, at->state, moves[i], &child, &lost) && is_done(w, &p->now, &child)) {
			d->move = moves[i];
			return;
		}
	if (p->again) {
		decide_again(w, at, moves, count, d);
		return;
	}
	d->move = find_old_move(w, at);
	bool known = d->move != PD_NO_MOVE;
	if (known && (p->plain || w->poor))
		return;
	count = keep_good(w, at, moves, count, known);
	if (!count)
		return;
	for (unsigned i = 0; i < count; i++)
		if (place_after(w, at->state, moves[i], &child, &lost) && has_theorem(p, child.state)) {
			d->move = moves[i];
			return;
		}
	order_moves(w, at, moves, count);
	d->move = known ? d->move : moves[0];
	if (count > 1 && !p->plain)
		choose_move(w, at, moves, count, d);
}

static void decide_reason(struct sv_small_walker *w, const struct place *at, bool tried, struct decision *d)
{
	struct sv_small_proof *p = w->proof;
	bool moves = pn_strategy_moves(&w->strategy, at->state);
	unsigned mistakes;
	*d = (struct decision){SV_SMALL_ALL, PD_NO_MOVE, SV_SMALL_NONE, SV_SMALL_NONE, false};
	const struct sv_small_node *old = sv_small_find(&p->old, at->key, at->size);
	begin_spending(w);
	if (p->again)
		d->card = find_any_card(w, at->state);
	else if (old && old->kind == SV_SMALL_CARD && card_wins(w, at->state, old->card))
		d->card = old->card;
	if (d->card == SV_SMALL_NONE && has_theorem(p, at->state))
		d->kind = SV_SMALL_THEOREM;
	else if (d->card == SV_SMALL_NONE && !p->again && !p->plain && !moves && !tried)
		d->card = find_card(w, at, &mistakes);
	if (d->card != SV_SMALL_NONE)
		d->kind = SV_SMALL_CARD;
	if (d->kind == SV_SMALL_ALL && moves)
		decide_move(w, at, d);
	end_spending(w, d->card != SV_SMALL_NONE || d->child_card != SV_SMALL_NONE);
	if (d->kind == SV_SMALL_MOVE && d->move == PD_NO_MOVE && !is_stopped(w))
		refuse_position(w, at);
}

/* --- the walk ----------------------------------------------------------------------------- */

/* Looks at the node of a place, and claims it if nobody has: *mine. The node is copied. False without memory. */
static bool claim_node(struct sv_small_walker *w, const struct place *at, struct sv_small_node *out, bool *mine,
		       double share)
{
	struct sv_small_proof *p = w->proof;
	pd_mutex_lock(&p->lock);
	struct sv_small_node *n = sv_small_add(&p->now, at->key, at->size);
	*mine = n && n->kind == SV_SMALL_OPEN && !n->owner;
	if (*mine)
		n->owner = (uint8_t)(w->number + 1);
	if (n)
		*out = *n;
	if (!w->number)
		p->share = share;
	pd_mutex_unlock(&p->lock);
	return n != NULL;
}

/* Publishes a decision. False without memory. */
static bool set_node(struct sv_small_walker *w, const struct place *at, const struct decision *d,
		     struct sv_small_node *out)
{
	struct sv_small_proof *p = w->proof;
	struct place child;
	bool lost, after = d->kind == SV_SMALL_MOVE && (d->child_tried || d->child_card != SV_SMALL_NONE) &&
			   place_after(w, at->state, d->move, &child, &lost);
	pd_mutex_lock(&p->lock);
	struct sv_small_node *next = after ? sv_small_add(&p->now, child.key, child.size) : NULL;
	struct sv_small_node *n = sv_small_find(&p->now, at->key, at->size);
	PD_ASSERT(n && n->kind == SV_SMALL_OPEN);
	n->kind = d->kind;
	n->move = d->move;
	n->card = d->card;
	n->owner = 0;
	n->done = d->kind == SV_SMALL_CARD || d->kind == SV_SMALL_THEOREM;
	p->decided[d->kind]++;
	p->steps++;
	if (next && next->kind == SV_SMALL_OPEN && !next->owner) {
		next->tried = d->child_tried;
		if (d->child_card != SV_SMALL_NONE) {
			next->kind = SV_SMALL_CARD;
			next->card = d->child_card;
			next->done = true;
			p->decided[SV_SMALL_CARD]++;
		}
	}
	p->nodes += w->asker.nodes - w->nodes;
	w->nodes = w->asker.nodes;
	*out = *n;
	pthread_cond_broadcast(&p->changed);
	pd_mutex_unlock(&p->lock);
	return !after || next;
}

static void end_node(struct sv_small_walker *w, const struct place *at)
{
	struct sv_small_proof *p = w->proof;
	pd_mutex_lock(&p->lock);
	struct sv_small_node *n = sv_small_find(&p->now, at->key, at->size);
	PD_ASSERT(n && n->kind != SV_SMALL_OPEN);
	n->done = true;
	p->steps++;
	pthread_cond_broadcast(&p->changed);
	pd_mutex_unlock(&p->lock);
}

/* A node's part of the walk: the share of the whole before it, and its own share. */
struct part {
	double from, width;
};

static enum done walk_node(struct sv_small_walker *w, const struct place *at, struct part part, game_move *room);

static enum done walk_child(struct sv_small_walker *w, const struct place *at, game_move move, struct part part,
			    game_move *room)
{
	struct place child;
	unsigned plies = 0;
	bool lost;
	if (!place_after(w, at->state, move, &child, &lost)) {
		if (lost)
			refuse_position(w, at);
		return lost ? IS_STOPPED : IS_DONE;
	}
	if (pn_strategy_moves(&w->strategy, child.state))
		pn_strategy_choices(&w->strategy, child.state, room, &plies);
	if (plies == 1) /* such a position needs no record */
		return IS_DONE;
	return walk_node(w, &child, part, room);
}

static enum done walk_node(struct sv_small_walker *w, const struct place *at, struct part part, game_move *room)
{
	const struct game *g = w->proof->game;
	struct sv_small_node n;
	struct decision d;
	bool mine, good = claim_node(w, at, &n, &mine, part.from);
	if (good && mine) {
		decide_reason(w, at, n.tried, &d);
		if (is_stopped(w))
			return IS_STOPPED;
		good = set_node(w, at, &d, &n);
	}
	if (!good) {
		struct pd_fail fail;
		pd_fail_set(&fail, PD_E_NO_MEMORY, "", "no memory for a small proof");
		fail_proof(w, &fail);
		return IS_STOPPED;
	}
	if (n.done)
		return IS_DONE;
	if (n.kind == SV_SMALL_OPEN)
		return IS_BUSY;
	unsigned count = n.kind == SV_SMALL_ALL ? g->rules->moves(g, at->state, room) : 1;
	if (n.kind == SV_SMALL_MOVE)
		room[0] = n.move;
	enum done all = IS_DONE;
	part.width /= count;
	for (unsigned i = 0; i < count && all != IS_STOPPED; i++, part.from += part.width) {
		enum done one = walk_child(w, at, room[i], part, room + count);
		all = one == IS_DONE ? all : one;
	}
	if (all == IS_DONE)
		end_node(w, at);
	return all;
}

void sv_small_walk(struct sv_small_walker *w)
{
	struct sv_small_proof *p = w->proof;
	struct place root;
	enum done done = IS_BUSY;
	set_place(p->game, p->root, &root);
	while (done == IS_BUSY && !is_stopped(w)) {
		pd_mutex_lock(&p->lock);
		uint64_t before = p->steps;
		pd_mutex_unlock(&p->lock);
		done = walk_node(w, &root, (struct part){0, 1}, w->moves);
		pd_mutex_lock(&p->lock);
		while (done == IS_BUSY && p->steps == before && !p->stop)
			pd_mutex_wait(&p->lock, &p->changed);
		pd_mutex_unlock(&p->lock);
	}
}
