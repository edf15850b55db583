#include "solver/closure.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 1024 };

#define EDGE_END   UINT32_MAX              /* an end of the game with the least value */
#define EDGE_LEAST (EDGE_END - UINT16_MAX) /* numbers from here on are ends of the game */
#define NEVER      UINT32_MAX              /* no end can be forced */

void closure_init(struct closure *c, const struct question *q, const void *root, uint64_t memory, uint32_t limit)
{
	const struct game *game = q->game;
	*c = (struct closure){.question = *q, .memory = memory, .limit = limit, .over = game->acyclic || !limit};
	uint64_t reach = c->over || !game->rules->reach ? 0 : game->rules->reach(game, root);
	c->few = reach && reach <= limit;
	c->most = c->few || limit < CLOSURE_FIRST ? limit : CLOSURE_FIRST;
}

void closure_fini(struct closure *c)
{
	free(c->states);
	free(c->kinds);
	free(c->ids);
	free(c->slots);
	free(c->first);
	free(c->edges);
	*c = (struct closure){.over = true, .expanded = c->expanded, .edge_count = c->edge_count};
}

/* --- listing positions -------------------------------------------------------------------- */

/* Whether that much room is within the memory, that of closure_solve included. */
static bool has_memory(const struct closure *c, uint64_t room, uint64_t edges)
{
	uint64_t position = c->question.game->state_size + 1 + sizeof *c->ids + (2 + 1 + 5) * sizeof(uint32_t);
	return room * position + 2 * edges * sizeof *c->edges <= c->memory;
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
	if (!states || !RESIZE(c->kinds, room) || !RESIZE(c->ids, room) || !RESIZE(c->first, room + 1) ||
	    !RESIZE(c->slots, slots))
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

static bool grow_edges(struct closure *c)
{
	size_t room = c->edge_room ? c->edge_room : ROOM_FIRST;
	while (room < c->edge_count + c->question.game->moves_max)
		room += room / 4;
	if (room > EDGE_LEAST || !has_memory(c, c->room, room) || !RESIZE(c->edges, room))
		return false;
	c->edge_room = room;
	return true;
}

/* Writes the number of a position, which is added when it is new. False when there is no room. */
static bool add_position(struct closure *c, const void *state, uint32_t *number)
{
	struct pd_id id = question_position_id(&c->question, state);
	if (c->count == c->room && !grow_positions(c))
		return false;
	uint32_t *slot = find_slot(c, id);
	if (!*slot) {
		memcpy(position_at(c, c->count), state, c->question.game->state_size);
		c->kinds[c->count] = (uint8_t)question_kind(&c->question, state);
		c->ids[c->count] = id;
		*slot = ++c->count;
	}
	*number = *slot - 1;
	return true;
}

/* Adds the edges of the next position. False when there is no room. */
static bool expand_position(struct closure *c, game_move *moves)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX], next[GAME_STATE_MAX];
	const struct game *game = c->question.game;
	if (c->edge_count + game->moves_max > c->edge_room && !grow_edges(c))
		return false;
	memcpy(state, position_at(c, c->expanded), game->state_size);
	unsigned count = question_moves(&c->question, state, moves);
	c->first[c->expanded] = (uint32_t)c->edge_count;
	for (unsigned i = 0; i < count; i++) {
		uint32_t *edge = &c->edges[c->edge_count + i];
		int value;
		memcpy(next, state, game->state_size);
		game->rules->play(game, next, moves[i]);
		if (game->rules->terminal(game, next, &value))
			*edge = EDGE_END - (uint32_t)(value - game->value_min);
		else if (!add_position(c, next, edge))
			return false;
	}
	c->edge_count += count;
	c->first[++c->expanded] = (uint32_t)c->edge_count;
	return true;
}

bool closure_list(struct closure *c, const void *root, uint64_t *quota)
{
	uint32_t number;
	PD_ASSERT(!c->over);
	game_move *moves = malloc(c->question.game->moves_max * sizeof *moves);
	bool whole = moves && add_position(c, root, &number);
	while (whole && c->expanded < c->count && c->count <= c->most && *quota) {
		whole = expand_position(c, moves);
		--*quota;
	}
	free(moves);
	if (whole && c->count > c->most && c->most < c->limit && !c->few) {
		c->most = c->most <= c->limit / 2 ? 2 * c->most : c->limit;
		return false;
	}
	if (!whole || c->count > c->most)
		closure_fini(c);
	return !c->over && c->expanded == c->count;
}

/* --- the fixed point ---------------------------------------------------------------------- */

/* One claim in a closure. The attacker is the side whose outcome is ranked: it must reach an end that is good for it,
 * and the others count as a failure. All arrays are owned and have one element for each position. */
struct attack {
	const struct closure *c;
	const struct question *q;
	unsigned winner;      /* 0: the attacker is who proves the claim, 1: who disproves it; also its question_kind */
	uint32_t *distance;   /* plies within which the attacker forces an end; NEVER */
	uint32_t *open;       /* where the defender moves: moves that are not known to lose yet */
	uint32_t *queue;      /* positions that the attacker wins, by distance; later the positions of the proof */
	uint32_t count;       /* of the queue */
	uint32_t *back_first; /* where the edges that lead to a position begin in `back`; one more element */
	uint32_t *back;       /* the positions that they come from */
};

static bool end_is_won(const struct attack *a, uint32_t edge)
{
	int value = a->q->game->value_min + (int)(EDGE_END - edge);
	return (value >= a->q->threshold) == (a->winner == 0);
}

/* Plies to the end behind an edge; NEVER. */
static uint32_t edge_distance(const struct attack *a, uint32_t edge)
{
	if (edge < EDGE_LEAST)
		return a->distance[edge];
	return end_is_won(a, edge) ? 0 : NEVER;
}

static void turn_edges_round(struct attack *a)
{
	const struct closure *c = a->c;
	for (size_t i = 0; i < c->edge_count; i++)
		if (c->edges[i] < EDGE_LEAST)
			a->back_first[c->edges[i] + 1]++;
	for (uint32_t i = 0; i < c->count; i++)
		a->back_first[i + 1] += a->back_first[i];
	for (uint32_t i = 0; i < c->count; i++)
		for (uint32_t e = c->first[i]; e < c->first[i + 1]; e++)
			if (c->edges[e] < EDGE_LEAST)
				a->back[a->back_first[c->edges[e]]++] = i;
	memmove(a->back_first + 1, a->back_first, c->count * sizeof *a->back_first);
	a->back_first[0] = 0;
}

/* A move of position i leads to a position, or an end, that the attacker wins within `plies`. */
static void note_won_move(struct attack *a, uint32_t i, uint32_t plies)
{
	if (a->distance[i] != NEVER || (a->c->kinds[i] != a->winner && --a->open[i]))
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
		a->open[i] = c->first[i + 1] - c->first[i];
	}
	for (uint32_t i = 0; i < c->count; i++)
		for (uint32_t e = c->first[i]; e < c->first[i + 1]; e++)
			if (c->edges[e] >= EDGE_LEAST && end_is_won(a, c->edges[e]))
				note_won_move(a, i, 0);
	for (uint32_t at = 0; at < a->count; at++) {
		uint32_t to = a->queue[at];
		for (uint32_t e = a->back_first[to]; e < a->back_first[to + 1]; e++)
			note_won_move(a, a->back[e], a->distance[to]);
	}
}

/* --- the proof ---------------------------------------------------------------------------- */

enum { EVERY_MOVE = UINT32_MAX };

/* The edge that the side with the outcome takes at position i: the attacker the shortest way; the defender one that
 * ends the game, or leads to a position that is in the proof already, or to one with few moves. */
static uint32_t choose_edge(const struct attack *a, uint32_t i, const uint32_t *picked)
{
	const struct closure *c = a->c;
	uint32_t best = EVERY_MOVE, least = UINT32_MAX;
	for (uint32_t e = c->first[i]; e < c->first[i + 1]; e++) {
		uint32_t to = c->edges[e], distance = edge_distance(a, to), cost = distance;
		if ((distance == NEVER) != (a->distance[i] == NEVER))
			continue;
		if (distance == NEVER)
			cost = to >= EDGE_LEAST ? 0 : picked[to] ? 1 : 1 + c->first[to + 1] - c->first[to];
		if (best == EVERY_MOVE || cost < least) {
			best = e;
			least = cost;
		}
	}
	PD_ASSERT(best != EVERY_MOVE);
	return best;
}

/* Marks the positions of the root's proof in `picked`: EVERY_MOVE, or 1 + the edge that is taken; 0 for all others.
 * `stack` has room for all positions. */
static void pick_proof(const struct attack *a, uint32_t *picked, uint32_t *stack)
{
	const struct closure *c = a->c;
	unsigned mover = a->distance[0] == NEVER ? 1 - a->winner : a->winner;
	uint32_t count = 1;
	memset(picked, 0, c->count * sizeof *picked);
	stack[0] = 0;
	picked[0] = EVERY_MOVE;
	while (count) {
		uint32_t i = stack[--count], begin = c->first[i], end = c->first[i + 1];
		if (c->kinds[i] == mover) {
			begin = choose_edge(a, i, picked);
			end = begin + 1;
			picked[i] = end;
		}
		for (uint32_t e = begin; e < end; e++)
			if (c->edges[e] < EDGE_LEAST && !picked[c->edges[e]]) {
				picked[c->edges[e]] = EVERY_MOVE;
				stack[count++] = c->edges[e];
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
		reason.move = moves[picked - 1 - a->c->first[i]];
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
		pick_proof(a, picked, a->queue);
		for (uint32_t i = a->c->count; i-- > 0;)
			if (picked[i])
				move = record_position(a, i, picked[i], moves, facts);
		return move; /* the root's, which came last */
	}
	pick_proof(a, picked, a->back_first);
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
	struct attack a = {.c = c, .q = q, .winner = q->ranked[0] ? 0 : 1};
	PD_ASSERT(!c->over && c->expanded == c->count && q->ranked[a.winner] && !q->ranked[1 - a.winner]);
	a.distance = malloc(n * sizeof *a.distance);
	a.open = malloc(n * sizeof *a.open);
	a.queue = malloc(n * sizeof *a.queue);
	a.back_first = calloc(n + 1, sizeof *a.back_first);
	a.back = malloc((c->edge_count + 1) * sizeof *a.back);
	game_move *moves = malloc(q->game->moves_max * sizeof *moves);
	bool solved = a.distance && a.open && a.queue && a.back_first && a.back && moves;
	if (solved) {
		turn_edges_round(&a);
		find_distances(&a);
		solved = a.distance[0] == NEVER || a.distance[0] <= PD_RANK_MAX;
	}
	if (solved) {
		set_pair(&a, 0, num);
		*move = record_proof(&a, moves, facts);
	} else {
		closure_fini(c);
	}
	free(a.distance);
	free(a.open);
	free(a.queue);
	free(a.back_first);
	free(a.back);
	free(moves);
	return solved;
}
