#include "solver/lambda.h"

#include <stdlib.h>
#include <string.h>

#include "solver/huge_memory.h"

enum kind { ATTACK, TURN, DEFENCE };

enum {
	SLOTS = 4,  /* of a bucket */
	EPSILON = 4 /* thresholds rise by a quarter of a number (the 1+epsilon trick) */
};

struct lambda_slot {
	struct pd_id id;
	uint32_t num[2]; /* 0, 0: empty */
	uint64_t work;   /* nodes searched below it */
};

struct lambda_child {
	struct pd_id id;
	uint32_t num[2];
	game_move move; /* PD_NO_MOVE: the pass, or the same position with a lower order */
	uint8_t kind;   /* enum kind */
	uint8_t order;
	bool by_rule; /* solved when it was made, without the table */
};

struct lambda_frame {
	struct pd_id id;
	uint64_t made;   /* of the search, when the frame was entered */
	uint32_t t[2];   /* thresholds */
	uint32_t first;  /* index of the first child */
	uint32_t count;  /* children; of an ATTACK only those that are not lost at once */
	uint32_t picked; /* the child that is searched */
	uint8_t kind;    /* enum kind */
	uint8_t order;
	bool real;   /* no pass led here */
	bool passed; /* of a TURN: the pass wins, and the children are the replies */
};

/* --- the table ------------------------------------------------------------------------------ */

static struct lambda_slot *find_bucket(const struct lambda *l, struct pd_id id)
{
	return l->slots + SLOTS * (uint64_t)(((__uint128_t)id.lo * l->buckets) >> 64);
}

static bool get_entry(const struct lambda *l, struct pd_id id, uint32_t num[2])
{
	const struct lambda_slot *s = find_bucket(l, id);
	for (unsigned i = 0; i < SLOTS; i++)
		if ((s[i].num[0] || s[i].num[1]) && pd_id_equal(s[i].id, id)) {
			num_copy(num, s[i].num);
			return true;
		}
	return false;
}

/* Replaces the node's own entry, an empty one, or that of the least work. */
static void put_entry(struct lambda *l, struct pd_id id, const uint32_t num[2], uint64_t work)
{
	struct lambda_slot *s = find_bucket(l, id), *at = s;
	PD_ASSERT(num_sound(num));
	for (unsigned i = 0; i < SLOTS; i++) {
		bool empty = !s[i].num[0] && !s[i].num[1];
		if (empty || pd_id_equal(s[i].id, id)) {
			at = &s[i];
			work += empty ? 0 : at->work;
			break;
		}
		if (s[i].work < at->work)
			at = &s[i];
	}
	*at = (struct lambda_slot){id, {num[0], num[1]}, work};
}

/* --- nodes ---------------------------------------------------------------------------------- */

static void *state_at(const struct lambda *l, uint32_t depth)
{
	return l->states + depth * l->stride;
}

static bool attacker_moves(const struct lambda *l, const void *state)
{
	const struct game *game = l->question.game;
	return game->rules->first_to_move(game, state) == l->first;
}

/* The name of a node: see lambda.h. */
static struct pd_id name_node(const struct lambda *l, const void *state, const struct lambda_child *c, bool real)
{
	const struct game *game = l->question.game;
	struct pd_id id = question_claim_id(&l->question, question_position_id(&l->question, state));
	uint64_t space = c->order;
	space = 4 * space + c->kind;
	space = 8 * space + 4 * real + 2 * l->first + game->rules->first_to_move(game, state);
	id.hi ^= (space + 1) * UINT64_C(0xd6e8feb86659fd93);
	return id;
}

/* Whether the side to move reaches its best value within its turn; *plies: in how many moves. */
static bool wins_in_turn(const struct game *game, const void *state, unsigned *plies)
{
	int value;
	*plies = 1;
	return game->rules->turn_win ? game->rules->turn_win(game, state, plies)
				     : game->rules->immediate_win(game, state, &value);
}

/* Whether the attacker would win within a turn if the defender passed at `state`. `room` is overwritten. */
static bool side_threatens(const struct lambda *l, const void *state, void *room)
{
	const struct game *game = l->question.game;
	unsigned plies;
	memcpy(room, state, game->state_size);
	game->rules->flip_side(game, room);
	PD_ASSERT(attacker_moves(l, room));
	return wins_in_turn(game, room, &plies);
}

/* What the rules say of a new child at `state`, or of the root: true when it is solved. */
static bool solve_by_rule(const struct lambda *l, struct lambda_child *c, void *state, void *room)
{
	const struct question *q = &l->question;
	unsigned plies;
	uint32_t num[2];
	if (question_terminal(q, state, num)) {
		num_set_solved(c->num, (num[0] == 0) == l->first, 0);
		return true;
	}
	bool wins = wins_in_turn(q->game, state, &plies);
	if (c->kind == ATTACK && (wins || !c->order)) {
		num_set_solved(c->num, wins, wins ? plies : 1);
		return true;
	}
	bool lost = c->kind != ATTACK &&
		    (wins || (c->kind == TURN && (!c->order || (c->order == 1 && !side_threatens(l, state, room)))));
	if (lost)
		num_set_solved(c->num, false, 1);
	return lost;
}

/* Numbers and name of a child whose kind, order and move are set; `state` is its position, with room for another state
 * behind it. */
static void init_child(struct lambda *l, struct lambda_child *c, void *state, bool real)
{
	l->made++;
	c->num[0] = c->num[1] = 1;
	c->by_rule = solve_by_rule(l, c, state, (uint8_t *)state + l->stride);
	if (c->by_rule)
		return;
	c->id = name_node(l, state, c, real);
	get_entry(l, c->id, c->num);
}

static bool reserve_children(struct lambda *l, unsigned count)
{
	if (l->children_count + count <= l->children_capacity)
		return true;
	uint32_t capacity = 2 * l->children_capacity + count;
	struct lambda_child *children = realloc(l->children, capacity * sizeof *children);
	if (!children)
		return false;
	l->children = children;
	l->children_capacity = capacity;
	return true;
}

/* Makes the children that moves lead to, until one of them decides the node. */
static void make_replies(struct lambda *l, struct lambda_frame *f)
{
	const struct question *q = &l->question;
	const void *state = state_at(l, l->depth);
	void *child = state_at(l, l->depth + 1);
	unsigned count = question_moves(q, state, l->moves), k = f->kind == ATTACK ? 0 : 1;
	PD_ASSERT(count && count <= q->game->moves_max);
	for (unsigned i = 0; i < count; i++) {
		struct lambda_child *c = &l->children[l->children_count];
		memcpy(child, state, q->game->state_size);
		q->game->rules->play(q->game, child, l->moves[i]);
		*c = (struct lambda_child){.move = l->moves[i], .order = f->order};
		c->kind = attacker_moves(l, child) ? ATTACK : f->kind == ATTACK ? TURN : DEFENCE;
		init_child(l, c, child, f->real);
		if (k == 0 && c->num[1] == 0) /* a lost attempt */
			continue;
		l->children_count++;
		f->count++;
		if (c->num[k] == 0)
			break;
	}
}

/* Expands the node whose position is at l->depth. False when memory runs out. */
static bool make_children(struct lambda *l, struct lambda_frame *f)
{
	void *child = state_at(l, l->depth + 1);
	const struct game *game = l->question.game;
	bool pass = f->kind == TURN && !f->passed, lower = f->kind == ATTACK && f->order > 1;
	l->children_count = f->first;
	f->count = 0;
	if (!reserve_children(l, game->moves_max + 1))
		return false;
	l->expansions++;
	if (pass || lower) {
		struct lambda_child *c = &l->children[l->children_count++];
		*c = (struct lambda_child){.move = PD_NO_MOVE, .kind = ATTACK, .order = f->order - 1};
		memcpy(child, state_at(l, l->depth), game->state_size);
		if (pass)
			game->rules->flip_side(game, child);
		init_child(l, c, child, f->real && !pass);
		f->count = 1;
	}
	if (!pass && !(lower && l->children[f->first].num[0] == 0))
		make_replies(l, f);
	return true;
}

/* --- wins ----------------------------------------------------------------------------------- */

static void put_fact(struct lambda *l, const void *state, const uint32_t num[2], game_move move)
{
	uint32_t own[2] = {num[!l->first], num[l->first]}; /* of the question */
	struct pd_reason reason = question_reason(&l->question, own);
	PD_ASSERT(num[0] == 0); /* F1: that a threat fails proves nothing */
	reason.move = move;
	fact_buffer_put(l->facts, &l->question, state, reason);
}

/* The move that begins a win within the attacker's turn of `plies` moves; `child` becomes the position after it. */
static game_move find_turn_move(struct lambda *l, const void *state, unsigned plies, void *child)
{
	const struct game *game = l->question.game;
	game_move *moves = l->moves + game->moves_max;
	unsigned count = question_moves(&l->question, state, moves), less;
	uint32_t num[2];
	for (unsigned i = 0; i < count; i++) {
		memcpy(child, state, game->state_size);
		game->rules->play(game, child, moves[i]);
		bool over = question_terminal(&l->question, child, num);
		if (over ? plies == 1 && (num[0] == 0) == l->first
			 : attacker_moves(l, child) && wins_in_turn(game, child, &less) && less < plies)
			return moves[i];
	}
	PD_ASSERT(!"the game announced a win within a turn that no move begins");
	return PD_NO_MOVE;
}

/* Writes out a win within the attacker's turn, the last move first. */
static void put_turn_win(struct lambda *l, const void *state)
{
	const struct game *game = l->question.game;
	_Alignas(16) uint8_t at[GAME_STATE_MAX], after[GAME_STATE_MAX];
	uint32_t num[2];
	unsigned most, plies;
	bool wins = wins_in_turn(game, state, &most);
	PD_ASSERT(wins && attacker_moves(l, state));
	for (unsigned left = 1; left <= most; left++) {
		memcpy(at, state, game->state_size);
		game_move move = find_turn_move(l, at, most, after);
		for (plies = most; plies > left; plies--) {
			memcpy(at, after, game->state_size);
			move = find_turn_move(l, at, plies - 1, after);
		}
		num_set_solved(num, true, left);
		put_fact(l, at, num, move);
	}
}

/* The innermost frame is won: facts of the replies that the rules alone refute, and its own. */
static void put_win(struct lambda *l, const struct lambda_frame *f, const uint32_t num[2], game_move move)
{
	const struct game *game = l->question.game;
	void *child = state_at(l, l->depth + 1);
	if (!f->real || !l->facts || (f->kind == ATTACK && move == PD_NO_MOVE)) /* the lower order wrote it out */
		return;
	for (uint32_t i = 0; i < f->count; i++) {
		const struct lambda_child *c = &l->children[f->first + i];
		if (!c->by_rule || c->num[0] || num_rank(c->num) == 0)
			continue;
		memcpy(child, state_at(l, l->depth), game->state_size);
		game->rules->play(game, child, c->move);
		put_turn_win(l, child);
	}
	put_fact(l, state_at(l, l->depth), num, move);
}

/* --- the loop ------------------------------------------------------------------------------- */

static bool enter_frame(struct lambda *l, uint32_t depth, const struct lambda_child *node, bool real,
			const uint32_t t[2])
{
	PD_ASSERT(depth <= l->depth_max && t[0] && t[1]);
	l->depth = depth;
	l->frames[depth] = (struct lambda_frame){
		.id = node->id,
		.made = l->made,
		.t = {t[0], t[1]},
		.first = l->children_count,
		.kind = node->kind,
		.order = node->order,
		.real = real,
	};
	return make_children(l, &l->frames[depth]);
}

/* The numbers of a frame from its children. */
static void sum_children(const struct lambda *l, const struct lambda_frame *f, struct num_sum *sum, uint32_t num[2])
{
	static const bool ranked[2] = {true, true};
	const struct lambda_child *c = l->children + f->first;
	num_sum_init(sum);
	for (uint32_t i = 0; i < f->count; i++)
		num_sum_add(sum, f->kind == ATTACK ? 0 : 1, c[i].num, i);
	if (!f->count) /* every attempt is lost */
		num_set_solved(num, false, 1);
	else
		num_sum_backup(sum, f->kind == ATTACK ? 0 : 1, ranked, num);
	bool same = f->kind == ATTACK && num[0] == 0 && c[sum->best].move == PD_NO_MOVE;
	if (same || (f->kind == TURN && !f->passed))
		num_copy(num, c[sum->best].num);
}

/* Leaves the innermost frame with its numbers. */
static void leave_frame(struct lambda *l, const struct lambda_frame *f, const uint32_t num[2], uint32_t best)
{
	game_move move = f->kind == ATTACK && f->count ? l->children[f->first + best].move : PD_NO_MOVE;
	if (num[0] == 0)
		put_win(l, f, num, move);
	put_entry(l, f->id, num, l->made - f->made);
	l->children_count = f->first;
	if (l->depth == 0) {
		num_copy(l->num, num);
		l->move = move;
		return;
	}
	const struct lambda_frame *parent = &l->frames[--l->depth];
	num_copy(l->children[parent->first + parent->picked].num, num);
}

/* Picks the open child with the least number for the mover, then the least other number. *second: the least of the
 * others. */
static struct lambda_child *pick_child(struct lambda *l, struct lambda_frame *f, uint32_t *second)
{
	struct lambda_child *c = l->children + f->first;
	unsigned k = f->kind == ATTACK ? 0 : 1;
	uint32_t best = UINT32_MAX;
	*second = PN_INF;
	for (uint32_t i = 0; i < f->count; i++) {
		if (num_solved(c[i].num))
			continue;
		bool before = best == UINT32_MAX || c[i].num[k] < c[best].num[k] ||
			      (c[i].num[k] == c[best].num[k] && c[i].num[1 - k] < c[best].num[1 - k]);
		uint32_t other = !before ? c[i].num[k] : best == UINT32_MAX ? PN_INF : c[best].num[k];
		*second = other < *second ? other : *second;
		best = before ? i : best;
	}
	PD_ASSERT(best != UINT32_MAX);
	f->picked = best;
	return &c[best];
}

/* Enters the most promising child, with the thresholds of df-pn. False when memory runs out. */
static bool search_child(struct lambda *l, struct lambda_frame *f, const uint32_t num[2])
{
	const struct game *game = l->question.game;
	unsigned k = f->kind == ATTACK ? 0 : 1;
	uint32_t second, t[2];
	const struct lambda_child node = *pick_child(l, f, &second); /* entering moves the children */
	void *child = state_at(l, l->depth + 1);
	bool pass = f->kind == TURN && !f->passed;
	uint64_t raised = (uint64_t)second + second / EPSILON + 1;
	t[k] = raised < f->t[k] ? (uint32_t)raised : f->t[k];
	t[1 - k] = f->t[1 - k] - (num[1 - k] - node.num[1 - k]);
	memcpy(child, state_at(l, l->depth), game->state_size);
	if (pass)
		game->rules->flip_side(game, child);
	else if (node.move != PD_NO_MOVE)
		game->rules->play(game, child, node.move);
	return enter_frame(l, l->depth + 1, &node, f->real && !pass, t);
}

/* One turn of the innermost frame. False when memory runs out. */
static bool run_frame(struct lambda *l)
{
	struct lambda_frame *f = &l->frames[l->depth];
	struct num_sum sum;
	uint32_t num[2];
	sum_children(l, f, &sum, num);
	PD_ASSERT(num_sound(num));
	if (f->kind == TURN && !f->passed && num[0] == 0) {
		f->passed = true;
		return make_children(l, f);
	}
	if (num_solved(num) || num[0] >= f->t[0] || num[1] >= f->t[1]) {
		leave_frame(l, f, num, sum.best);
		return true;
	}
	return search_child(l, f, num);
}

enum lambda_end lambda_run(struct lambda *l, uint64_t *nodes)
{
	while (!num_solved(l->num)) {
		uint64_t before = l->made + l->expansions;
		if (!*nodes)
			return LAMBDA_MORE;
		if (!run_frame(l))
			return LAMBDA_NO_MEMORY;
		uint64_t used = l->made + l->expansions - before + 1;
		*nodes -= used < *nodes ? used : *nodes;
	}
	return l->num[0] == 0 ? LAMBDA_WON : LAMBDA_NOTHING;
}

game_move lambda_leading(const struct lambda *l)
{
	const struct lambda_frame *f = &l->frames[0];
	if (num_solved(l->num))
		return l->move;
	if (f->picked < f->count && l->children[f->first + f->picked].move != PD_NO_MOVE)
		return l->children[f->first + f->picked].move;
	return question_moves(&l->question, l->states, l->moves) ? l->moves[0] : PD_NO_MOVE;
}

/* --- making --------------------------------------------------------------------------------- */

bool lambda_possible(const struct game *game)
{
	return game->acyclic && game->plies_max && game->rules->flip_side &&
	       (game->rules->immediate_win || game->rules->turn_win);
}

bool lambda_attacks(const struct question *question, bool first)
{
	const struct game *game = question->game;
	return question->threshold == (first ? game->value_max : game->value_min + game->value_step);
}

bool lambda_init(struct lambda *l, const struct game *game, uint64_t bytes, struct fact_buffer *facts)
{
	bytes = bytes < LAMBDA_BYTES_MIN ? LAMBDA_BYTES_MIN : bytes;
	*l = (struct lambda){
		.question = question_of(game, 0), .facts = facts, .buckets = bytes / (SLOTS * sizeof *l->slots)};
	l->stride = (game->state_size + 15) & ~(size_t)15;
	/* Each frame is a move, a pass, or a lower order; each of the latter two lowers the order. */
	l->depth_max = game->plies_max + LAMBDA_ORDER_MAX + 1;
	l->children_capacity = 4 * game->moves_max + 64;
	l->slots = pn_memory_map(l->buckets * SLOTS * sizeof *l->slots);
	l->frames = malloc(((size_t)l->depth_max + 1) * sizeof *l->frames);
	l->states = aligned_alloc(16, ((size_t)l->depth_max + 3) * l->stride);
	l->children = malloc(l->children_capacity * sizeof *l->children);
	l->moves = malloc(2 * (size_t)game->moves_max * sizeof *l->moves);
	if (l->slots && l->frames && l->states && l->children && l->moves)
		return true;
	lambda_fini(l);
	return false;
}

void lambda_fini(struct lambda *l)
{
	pn_memory_unmap(l->slots, l->buckets * SLOTS * sizeof *l->slots);
	free(l->frames);
	free(l->states);
	free(l->children);
	free(l->moves);
	*l = (struct lambda){0};
}

bool lambda_start(struct lambda *l, const struct question *question, const void *state, bool first, unsigned order)
{
	static const uint32_t t[2] = {PN_INF, PN_INF};
	PD_ASSERT(order <= LAMBDA_ORDER_MAX && lambda_attacks(question, first));
	l->question = *question;
	l->first = first;
	l->depth = 0;
	l->children_count = 0;
	l->move = PD_NO_MOVE;
	memcpy(l->states, state, question->game->state_size);
	struct lambda_child root = {.order = (uint8_t)order, .kind = attacker_moves(l, state) ? ATTACK : DEFENCE};
	root.num[0] = root.num[1] = 1;
	if (solve_by_rule(l, &root, l->states, state_at(l, 1))) {
		num_copy(l->num, root.num);
		if (root.num[0] == 0)
			l->move = find_turn_move(l, l->states, num_rank(root.num), state_at(l, 1));
		if (l->facts && root.num[0] == 0)
			put_turn_win(l, l->states);
		return true;
	}
	l->num[0] = l->num[1] = 1;
	root.id = name_node(l, state, &root, true);
	return enter_frame(l, 0, &root, true, t);
}
