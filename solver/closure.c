#include "solver/closure.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 1024, KIND = 1, SEEN = 2, LOST = 4 /* in `kinds` */ };

#define EDGE_END   UINT32_MAX              /* an end of the game with the least value */
#define EDGE_LEAST (EDGE_END - UINT16_MAX) /* numbers from here on are ends of the game */
#define EDGE_NEW   (EDGE_LEAST - 1)        /* to a position not found before */
#define NEVER      UINT32_MAX              /* no end can be forced */
#define UNLISTED   UINT32_MAX
#define IS_LOST    (UINT32_C(1) << 31) /* on the stack: those that wait for the position must be told */
#define IS_HOLDER  (UINT32_C(1) << 31) /* a link of a position where the holder moves; others are 1 + an edge */

/* Bytes for a position, with what closure_solve needs. */
static uint64_t position_bytes(const struct game *game)
{
	return game->state_size + sizeof(struct pd_id) + sizeof(uint8_t) + 7 * sizeof(uint32_t);
}

enum { EDGE_BYTES = 3 * sizeof(uint32_t), EDGES_USUAL = 32 /* edges of a position */ };

void closure_init(struct closure *c, const struct question *q, const void *root, uint64_t memory, uint32_t limit)
{
	const struct game *game = q->game;
	*c = (struct closure){.question = *q, .limit = limit, .claim = INT_MIN, .over = game->acyclic || !limit};
	uint64_t reach = c->over || !game->rules->reach ? 0 : game->rules->reach(game, root);
	bool few = reach && reach <= limit, some = reach && reach / CLOSURE_MANY <= limit;
	c->share = few ? 0 : some ? 1 : CLOSURE_SHARE * CLOSURE_PACE;
	c->most = few || limit < CLOSURE_FIRST ? limit : CLOSURE_FIRST;
	c->memory = c->over ? 0 : some ? memory / 2 : memory / 16;
	uint64_t bytes = (reach + reach / 4 + ROOM_FIRST) * (position_bytes(game) + EDGES_USUAL * EDGE_BYTES);
	if (some && bytes < c->memory)
		c->memory = bytes;
}

void closure_fini(struct closure *c)
{
	free(c->states);
	free(c->kinds);
	free(c->ids);
	free(c->slots);
	free(c->first);
	free(c->edges);
	free(c->users);
	free(c->next);
	free(c->stack);
	free(c->links);
	*c = (struct closure){.over = true, .looks = c->looks, .made = c->made};
}

/* --- positions ---------------------------------------------------------------------------- */

/* Whether the memory suffices for that many positions and edges. */
static bool has_memory(const struct closure *c, uint64_t room, uint64_t edges)
{
	return room * position_bytes(c->question.game) + edges * EDGE_BYTES <= c->memory;
}

/* Resizes an array of that many elements; returns NULL, and leaves it as it is, when memory runs out. */
#define RESIZE(array, count)                                                                                           \
	__extension__({                                                                                                \
		void *resized = realloc((array), (size_t)(count) * sizeof *(array));                                   \
		if (resized)                                                                                           \
			(array) = resized;                                                                             \
		resized != NULL;                                                                                       \
	})

static uint8_t *position_at(const struct closure *c, uint32_t i)
{
	return c->states + (size_t)i * c->question.game->state_size;
}

/* The slot of a position: its own, or the empty one in which it belongs. */
static uint32_t *find_slot(const struct closure *c, struct pd_id id)
{
	uint32_t i = (uint32_t)id.lo & c->mask;
	while (c->slots[i] && !pd_id_equal(c->ids[c->slots[i] - 1], id))
		i = (i + 1) & c->mask;
	return &c->slots[i];
}

static bool grow_positions(struct closure *c)
{
	uint32_t room = c->room ? c->room + c->room / 4 : ROOM_FIRST, slots = c->room ? c->mask + 1 : 2 * ROOM_FIRST;
	while (slots < room + room / 4)
		slots *= 2;
	uint8_t *states = has_memory(c, room, c->edge_room)
				  ? realloc(c->states, (size_t)room * c->question.game->state_size)
				  : NULL;
	c->states = states ? states : c->states;
	if (!states || !RESIZE(c->kinds, room) || !RESIZE(c->ids, room) || !RESIZE(c->first, room) ||
	    !RESIZE(c->users, room) || !RESIZE(c->next, room) || !RESIZE(c->stack, room) || !RESIZE(c->slots, slots))
		return false;
	bool same = c->room && slots == c->mask + 1;
	c->room = room;
	c->mask = slots - 1;
	if (same)
		return true;
	memset(c->slots, 0, slots * sizeof *c->slots);
	for (uint32_t i = 0; i < c->count; i++)
		*find_slot(c, c->ids[i]) = i + 1;
	return true;
}

static bool grow_edges(struct closure *c, size_t more)
{
	size_t room = c->edge_room ? c->edge_room : ROOM_FIRST;
	while (room < c->edge_count + more)
		room += room / 4;
	if (room >= IS_HOLDER || !has_memory(c, c->room, room) || !RESIZE(c->edges, room) ||
	    !RESIZE(c->links, 2 * room))
		return false;
	c->edge_room = room;
	return true;
}

/* Adds a position that is new, and writes its number. False when there is no room. */
static bool add_position(struct closure *c, const void *state, struct pd_id id, uint32_t *number)
{
	if (c->count == c->room && !grow_positions(c))
		return false;
	memcpy(position_at(c, c->count), state, c->question.game->state_size);
	c->kinds[c->count] = (uint8_t)question_kind(&c->question, state);
	c->ids[c->count] = id;
	c->first[c->count] = UNLISTED;
	c->users[c->count] = 0;
	*number = c->count++;
	*find_slot(c, id) = c->count;
	return true;
}

/* Plays a move. Returns its edge, and writes the position after it and, unless the game is over there, its id. */
static uint32_t follow_move(const struct closure *c, const void *state, game_move move, void *next, struct pd_id *id)
{
	const struct game *game = c->question.game;
	int value;
	memcpy(next, state, game->state_size);
	game->rules->play(game, next, move);
	if (game->rules->terminal(game, next, &value))
		return EDGE_END - (uint32_t)(value - game->value_min);
	*id = question_position_id(&c->question, next);
	uint32_t slot = *find_slot(c, *id);
	return slot ? slot - 1 : EDGE_NEW;
}

/* The edges of a position; none if they are not listed. */
static const uint32_t *edges_of(const struct closure *c, uint32_t i, uint32_t *count)
{
	*count = c->first[i] == UNLISTED ? 0 : c->edges[c->first[i]];
	return c->edges + c->first[i] + 1;
}

/* Lists the edges of a position. False when there is no room. */
static bool list_edges(struct closure *c, uint32_t i, game_move *moves)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX], next[GAME_STATE_MAX];
	struct pd_id id;
	memcpy(state, position_at(c, i), c->question.game->state_size);
	unsigned count = question_moves(&c->question, state, moves);
	if (c->edge_count + count + 1 > c->edge_room && !grow_edges(c, count + 1))
		return false;
	for (unsigned k = 0; k < count; k++) {
		uint32_t *edge = &c->edges[c->edge_count + 1 + k];
		*edge = follow_move(c, state, moves[k], next, &id);
		if (*edge == EDGE_NEW && !add_position(c, next, id, edge))
			return false;
	}
	c->made += count;
	c->first[i] = (uint32_t)c->edge_count;
	c->edges[c->edge_count] = count;
	c->edge_count += count + 1;
	return true;
}

/* --- listing ------------------------------------------------------------------------------ */

/* The side that needs an end of the game, which is also the question_kind of the positions where it moves. 0: it proves
 * the claim; 1: it disproves it. */
static unsigned attacker_of(const struct question *q)
{
	return q->ranked[0] ? 0 : 1;
}

static bool end_is_won(const struct question *q, uint32_t edge)
{
	int value = q->game->value_min + (int)(EDGE_END - edge);
	return (value >= q->threshold) == (attacker_of(q) == 0);
}

/* Whether the attacker is known to win where an edge leads. */
static bool edge_is_lost(const struct closure *c, const struct question *q, uint32_t edge)
{
	return edge >= EDGE_LEAST ? end_is_won(q, edge) : edge != EDGE_NEW && c->kinds[edge] & LOST;
}

/* The link after this one in the list of those that wait for the same position. */
static uint32_t *next_link(const struct closure *c, uint32_t link)
{
	return link & IS_HOLDER ? &c->next[link & ~IS_HOLDER] : &c->links[2 * (size_t)link - 1];
}

/* The position that waits. */
static uint32_t link_user(const struct closure *c, uint32_t link)
{
	return link & IS_HOLDER ? link & ~IS_HOLDER : c->links[2 * (size_t)link - 2];
}

/* Adds a link to the list of those that wait for position i, which is to be expanded if it has not been. */
static void wait_for(struct closure *c, uint32_t link, uint32_t i)
{
	*next_link(c, link) = c->users[i];
	c->users[i] = link;
	if (!(c->kinds[i] & SEEN)) {
		c->kinds[i] |= SEEN;
		c->stack[c->height++] = i;
	}
}

/* Whether the root's outcome may still depend on position i. */
static bool is_waited_for(const struct closure *c, uint32_t i)
{
	uint32_t link = c->users[i];
	while (link && c->kinds[link_user(c, link)] & LOST)
		link = *next_link(c, link);
	return !i || link;
}

/* Notes that the attacker wins at position i. */
static void lose_position(struct closure *c, uint32_t i)
{
	c->kinds[i] |= LOST;
	c->stack[c->height++] = i | IS_LOST;
}

/* Chooses a move of the holder that is not known to lose: one that ends the game, else one to a position that is waited
 * for already, else one to the position with the fewest moves. Lists the edges only when all moves lose. False when
 * there is no room. */
static bool take_move(struct closure *c, const struct question *q, uint32_t i, game_move *moves)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX], next[GAME_STATE_MAX], best[GAME_STATE_MAX];
	const struct game *game = q->game;
	struct pd_id id, best_id = {0};
	uint32_t to = EDGE_END, least = UINT32_MAX;
	memcpy(state, position_at(c, i), game->state_size);
	unsigned count = question_moves(q, state, moves);
	for (unsigned k = 0; k < count && least; k++) {
		uint32_t edge = follow_move(c, state, moves[k], next, &id), cost = 0;
		if (edge_is_lost(c, q, edge))
			continue;
		if (edge < EDGE_LEAST)
			cost = edge != EDGE_NEW && c->kinds[edge] & SEEN ? 1
									 : 1 + game_count(game, next, moves + count);
		if (cost < least) {
			least = cost;
			to = edge;
			best_id = id;
			memcpy(best, next, game->state_size);
		}
	}
	c->made += count;
	if (least == UINT32_MAX) {
		lose_position(c, i);
		return list_edges(c, i, moves);
	}
	if (to == EDGE_NEW && !add_position(c, best, best_id, &to))
		return false;
	if (to < EDGE_LEAST)
		wait_for(c, i | IS_HOLDER, to);
	return true;
}

/* Expands a position. False when there is no room. */
static bool look_at(struct closure *c, const struct question *q, uint32_t i, game_move *moves)
{
	uint32_t count;
	if ((c->kinds[i] & KIND) != attacker_of(q))
		return take_move(c, q, i, moves);
	if (c->first[i] == UNLISTED && !list_edges(c, i, moves))
		return false;
	const uint32_t *edges = edges_of(c, i, &count);
	for (uint32_t k = 0; k < count; k++)
		if (edge_is_lost(c, q, edges[k])) {
			lose_position(c, i);
			return true;
		}
	for (uint32_t k = 0; k < count; k++)
		if (edges[k] < EDGE_LEAST) {
			size_t edge = (size_t)(edges + k - c->edges);
			c->links[2 * edge] = i;
			wait_for(c, (uint32_t)edge + 1, edges[k]);
		}
	return true;
}

/* Tells the positions that wait for a lost one: the attacker moves there, the holder needs another move. */
static void tell_users(struct closure *c, uint32_t lost)
{
	for (uint32_t link = c->users[lost]; link; link = *next_link(c, link)) {
		uint32_t i = link_user(c, link);
		if (link & IS_HOLDER)
			c->stack[c->height++] = i;
		else if (!(c->kinds[i] & LOST))
			lose_position(c, i);
	}
}

/* Starts with the root alone, unless the claim is the same as before. False when there is no room. */
static bool begin_claim(struct closure *c, const struct question *q, const void *root)
{
	uint32_t number;
	if (c->claim == q->threshold)
		return true;
	c->count = 0;
	c->edge_count = 0;
	if (!c->room && !grow_positions(c))
		return false;
	memset(c->slots, 0, ((size_t)c->mask + 1) * sizeof *c->slots);
	if (!add_position(c, root, question_position_id(q, root), &number))
		return false;
	c->claim = q->threshold;
	c->kinds[number] |= SEEN;
	c->stack[0] = number;
	c->height = 1;
	return true;
}

bool closure_list(struct closure *c, const struct question *q, const void *root, uint64_t *quota)
{
	PD_ASSERT(!c->over);
	game_move *moves = malloc(2 * (size_t)c->question.game->moves_max * sizeof *moves);
	bool whole = moves && begin_claim(c, q, root);
	while (whole && c->height && !(c->kinds[0] & LOST) && c->count <= c->most && *quota) {
		uint32_t i = c->stack[--c->height];
		if (i & IS_LOST) {
			tell_users(c, i & ~IS_LOST);
		} else if (is_waited_for(c, i)) {
			whole = look_at(c, q, i, moves);
			c->looks++;
			--*quota;
		} else {
			c->kinds[i] &= (uint8_t)~SEEN;
		}
	}
	free(moves);
	if (whole && c->count > c->most && c->most < c->limit) {
		c->most = c->most <= c->limit / 2 ? 2 * c->most : c->limit;
		return false;
	}
	if (!whole || c->count > c->most)
		closure_fini(c);
	return !c->over && (!c->height || c->kinds[0] & LOST);
}

/* --- the fixed point ---------------------------------------------------------------------- */

/* One claim among the positions whose edges are listed; others count as held. All arrays have one element for each
 * position. */
struct attack {
	const struct closure *c;
	const struct question *q;
	unsigned winner;    /* the attacker */
	uint32_t *distance; /* plies within which the attacker forces an end; NEVER */
	uint32_t *open;     /* moves of a position that are not yet known to lead to one that the attacker wins */
	uint32_t *queue;    /* positions that the attacker wins, by distance; later the positions of the proof */
	uint32_t count;     /* of the queue */
	uint32_t
		*back_first; /* where the predecessors of a position begin in `back`; one element more than positions */
	uint32_t *back;      /* predecessors */
};

/* Plies to the end that the attacker forces from where an edge leads; NEVER. */
static uint32_t edge_distance(const struct attack *a, uint32_t edge)
{
	if (edge < EDGE_LEAST)
		return a->distance[edge];
	return end_is_won(a->q, edge) ? 0 : NEVER;
}

/* Fills in `back_first` and `back`. */
static void turn_edges_round(struct attack *a)
{
	const struct closure *c = a->c;
	uint32_t count;
	for (uint32_t i = 0; i < c->count; i++) {
		const uint32_t *edges = edges_of(c, i, &count);
		for (uint32_t k = 0; k < count; k++)
			if (edges[k] < EDGE_LEAST)
				a->back_first[edges[k] + 1]++;
	}
	for (uint32_t i = 0; i < c->count; i++)
		a->back_first[i + 1] += a->back_first[i];
	for (uint32_t i = 0; i < c->count; i++) {
		const uint32_t *edges = edges_of(c, i, &count);
		for (uint32_t k = 0; k < count; k++)
			if (edges[k] < EDGE_LEAST)
				a->back[a->back_first[edges[k]]++] = i;
	}
	memmove(a->back_first + 1, a->back_first, c->count * sizeof *a->back_first);
	a->back_first[0] = 0;
}

/* Notes that a move of position i leads to a position that the attacker wins within `plies`, or to a won end (0). */
static void note_won_move(struct attack *a, uint32_t i, uint32_t plies)
{
	if (a->distance[i] != NEVER || ((a->c->kinds[i] & KIND) != a->winner && --a->open[i]))
		return;
	a->distance[i] = plies + 1;
	a->queue[a->count++] = i;
}

/* Finds all distances: breadth first from the ends, so that positions come in the order of their distance. */
static void find_distances(struct attack *a)
{
	const struct closure *c = a->c;
	for (uint32_t i = 0; i < c->count; i++) {
		a->distance[i] = NEVER;
		edges_of(c, i, &a->open[i]);
	}
	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t count;
		const uint32_t *edges = edges_of(c, i, &count);
		for (uint32_t k = 0; k < count; k++)
			if (edges[k] >= EDGE_LEAST && end_is_won(a->q, edges[k]))
				note_won_move(a, i, 0);
	}
	for (uint32_t at = 0; at < a->count; at++) {
		uint32_t to = a->queue[at];
		for (uint32_t e = a->back_first[to]; e < a->back_first[to + 1]; e++)
			note_won_move(a, a->back[e], a->distance[to]);
	}
}

/* --- the proof ---------------------------------------------------------------------------- */

enum { EVERY_MOVE = UINT32_MAX };

/* The attacker's move at position i that ends the game soonest. */
static uint32_t shortest_move(const struct attack *a, uint32_t i, uint32_t *to)
{
	uint32_t best = 0, count;
	const uint32_t *edges = edges_of(a->c, i, &count);
	for (uint32_t k = 1; k < count; k++)
		if (edge_distance(a, edges[k]) < edge_distance(a, edges[best]))
			best = k;
	*to = edges[best];
	return best;
}

/* The holder's move at position i: one that ends the game, else one to a position that is in the proof already, else
 * one to the position with the fewest moves. */
static uint32_t holding_move(const struct attack *a, uint32_t i, const uint32_t *picked, game_move *moves, uint32_t *to)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX], next[GAME_STATE_MAX];
	const struct closure *c = a->c;
	uint32_t best = EVERY_MOVE, least = UINT32_MAX, others;
	struct pd_id id;
	memcpy(state, position_at(c, i), a->q->game->state_size);
	unsigned count = question_moves(a->q, state, moves);
	for (unsigned k = 0; k < count; k++) {
		uint32_t edge = follow_move(c, state, moves[k], next, &id), cost = 0;
		if (edge_is_lost(c, a->q, edge) || edge == EDGE_NEW || (edge < EDGE_LEAST && !(c->kinds[edge] & SEEN)))
			continue;
		if (edge < EDGE_LEAST) {
			edges_of(c, edge, &others);
			cost = picked[edge] ? 1 : 1 + others;
		}
		if (cost < least) {
			best = k;
			least = cost;
			*to = edge;
		}
	}
	PD_ASSERT(best != EVERY_MOVE);
	return best;
}

/* Marks the positions of the root's proof in `picked`: EVERY_MOVE, or 1 + the move that is taken; 0 for all others.
 * `stack` has room for all positions. */
static void pick_proof(const struct attack *a, uint32_t *picked, uint32_t *stack, game_move *moves)
{
	const struct closure *c = a->c;
	bool won = a->distance[0] != NEVER;
	uint32_t count = 1;
	memset(picked, 0, c->count * sizeof *picked);
	stack[0] = 0;
	picked[0] = EVERY_MOVE;
	while (count) {
		uint32_t i = stack[--count], end = 1, to;
		const uint32_t *edges = &to;
		if (((c->kinds[i] & KIND) == a->winner) == won)
			picked[i] = 1 + (won ? shortest_move(a, i, &to) : holding_move(a, i, picked, moves, &to));
		else
			edges = edges_of(c, i, &end);
		for (uint32_t k = 0; k < end; k++)
			if (edges[k] < EDGE_LEAST && !picked[edges[k]]) {
				picked[edges[k]] = EVERY_MOVE;
				stack[count++] = edges[k];
			}
	}
}

/* The solved pair of a position. */
static void set_pair(const struct attack *a, uint32_t i, uint32_t num[2])
{
	bool won = a->distance[i] != NEVER;
	num_set_solved(num, (a->winner == 0) == won, won ? a->distance[i] : NUM_ANY_PATH);
}

static game_move record_position(const struct attack *a, uint32_t i, uint32_t picked, game_move *moves,
				 struct fact_buffer *facts)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint32_t num[2];
	set_pair(a, i, num);
	struct pd_reason reason = question_reason(a->q, num);
	memcpy(state, position_at(a->c, i), a->q->game->state_size);
	if (picked != EVERY_MOVE) {
		question_moves(a->q, state, moves);
		reason.move = moves[picked - 1];
	}
	fact_buffer_put(facts, a->q, state, reason);
	return reason.move;
}

/* Records the proof: ranked facts in the order of their ranks, unranked ones as they come, all of them at once. Returns
 * the root's move. */
static game_move record_proof(struct attack *a, game_move *moves, struct fact_buffer *facts)
{
	uint32_t *picked = a->open;
	game_move move = PD_NO_MOVE;
	if (a->distance[0] == NEVER) {
		pick_proof(a, picked, a->queue, moves);
		for (uint32_t i = a->c->count; i-- > 0;)
			if (picked[i])
				move = record_position(a, i, picked[i], moves, facts);
		return move; /* the root's, which came last */
	}
	pick_proof(a, picked, a->back_first, moves);
	for (uint32_t at = 0; at < a->count; at++) {
		uint32_t i = a->queue[at];
		game_move its = picked[i] ? record_position(a, i, picked[i], moves, facts) : PD_NO_MOVE;
		move = i ? move : its;
	}
	return move;
}

bool closure_solve(struct closure *c, const struct question *q, struct fact_buffer *facts, uint32_t num[2],
		   game_move *move)
{
	size_t n = c->count;
	struct attack a = {.c = c,
			   .q = q,
			   .winner = attacker_of(q),
			   .distance = c->users,
			   .open = c->next,
			   .queue = c->stack,
			   .back = c->links};
	bool lost = c->kinds[0] & LOST;
	PD_ASSERT(!c->over && c->claim == q->threshold && q->ranked[a.winner] && !q->ranked[1 - a.winner]);
	c->claim = INT_MIN; /* closure_solve overwrites what was listed for it */
	a.back_first = calloc(n + 1, sizeof *a.back_first);
	game_move *moves = malloc(q->game->moves_max * sizeof *moves);
	bool solved = a.back_first && moves;
	if (solved) {
		turn_edges_round(&a);
		find_distances(&a);
		PD_ASSERT((a.distance[0] != NEVER) == lost);
		solved = !lost || a.distance[0] <= PD_RANK_MAX;
	}
	if (solved) {
		set_pair(&a, 0, num);
		*move = record_proof(&a, moves, facts);
	} else {
		closure_fini(c);
	}
	free(a.back_first);
	free(moves);
	return solved;
}
