/* Line: best play from a position, as far as facts go.
 *
 * The side that a bound serves plays a move that keeps it, the recorded one where there is one; the other side holds out as long as it can (the
 * reply of greatest rank). Where the value is exact both bounds are kept: each side plays for its own. Where a fact is a leaf of the frontier, or the
 * facts below were not kept, the bounded search that it names is run again, and its facts are followed from a map in memory. */
#include "server/core/internal.h"

#include <stdlib.h>
#include <string.h>

enum { REGENERATE_MIN = 100000, REGENERATE_MAX = 50000000, MAP_FIRST = 1 << 10 };
static const uint64_t line_nodes = 200000000; /* that all searches of a line may take together */
static const size_t map_bytes = 512 << 20;

struct item { /* packed behind one another: this, the reasons, the key */
	uint16_t size;
	uint16_t count;
};

struct walk {
	struct sv_core *core;
	struct st_reader *reader;
	const struct game *game;
	uint32_t game_id;
	uint64_t nodes;        /* left for searches */
	struct pd_buf items;   /* facts that were regenerated */
	uint32_t *slots;       /* offsets of items, plus 1; 0: empty. Open addressing */
	size_t count, room;
	bool failed;           /* the map is full, or memory is; the line then ends early */
	uint8_t hidden[GAME_KEY_MAX]; /* the position that is searched again: its own fact does not help */
	size_t hidden_size;
};

/* --- the map ---------------------------------------------------------------------------------------------------------------------------- */

/* Reads the item of a slot; its key is borrowed. */
static const uint8_t *unpack(const struct walk *w, uint32_t slot, struct item *item, struct pd_fact *fact)
{
	const char *p = w->items.data + (slot - 1);
	memcpy(item, p, sizeof *item);
	p += sizeof *item;
	fact->count = (uint8_t)item->count;
	memcpy(fact->reason, p, item->count * sizeof fact->reason[0]);
	return (const uint8_t *)p + item->count * sizeof fact->reason[0];
}

/* The slot where a key is, or would be; *fact is what it says. */
static uint32_t *slot_of(const struct walk *w, const uint8_t *key, size_t size, struct pd_fact *fact)
{
	struct item item;
	size_t i = pd_hash64(key, size) % w->room;
	for (; w->slots[i]; i = (i + 1) % w->room) {
		const uint8_t *own = unpack(w, w->slots[i], &item, fact);
		if (item.size == size && !memcmp(own, key, size))
			return &w->slots[i];
	}
	fact->count = 0;
	return &w->slots[i];
}

static bool grow(struct walk *w)
{
	struct walk larger = *w;
	larger.room = w->room ? 4 * w->room : MAP_FIRST;
	larger.slots = calloc(larger.room, sizeof *larger.slots);
	if (!larger.slots) {
		w->failed = true;
		return false;
	}
	for (size_t i = 0; i < w->room; i++)
		if (w->slots[i]) {
			struct item item;
			struct pd_fact fact;
			const uint8_t *key = unpack(w, w->slots[i], &item, &fact);
			*slot_of(&larger, key, item.size, &fact) = w->slots[i];
		}
	free(w->slots);
	w->slots = larger.slots;
	w->room = larger.room;
	return true;
}

static void keep(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	struct walk *w = ctx;
	struct pd_fact fact;
	if (w->failed || (w->count * 2 >= w->room && !grow(w)))
		return;
	uint32_t *slot = slot_of(w, key, size, &fact);
	if (pd_fact_add(&fact, reason) != 1)
		return;
	struct item item = {(uint16_t)size, fact.count};
	uint32_t at = (uint32_t)w->items.size + 1;
	pd_buf_put(&w->items, &item, sizeof item);
	pd_buf_put(&w->items, fact.reason, fact.count * sizeof fact.reason[0]);
	pd_buf_put(&w->items, key, size);
	w->failed = w->items.failed;
	if (w->failed)
		return;
	w->count += !*slot; /* what it said before stays behind unused */
	*slot = at;
}

/* What is known of a key: the store's fact with what was regenerated. */
static bool find(struct walk *w, const uint8_t *key, size_t size, struct pd_fact *out)
{
	struct pd_fail fail;
	out->count = 0;
	if (w->game_id && st_fact_get(w->reader, w->game_id, key, size, out, &fail) < 0)
		out->count = 0;
	struct pd_fact found = {0};
	if (w->room)
		slot_of(w, key, size, &found);
	for (unsigned i = 0; i < found.count; i++)
		pd_fact_add(out, &found.reason[i]);
	return out->count > 0;
}

static bool host_fact(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out)
{
	const struct walk *w = ctx;
	bool itself = size == w->hidden_size && !memcmp(key, w->hidden, size);
	return !itself && find(ctx, key, size, out);
}

/* --- one step ------------------------------------------------------------------------------------------------------------------------------ */

/* Bounds on a position, with the ranks of the reasons behind them. */
struct bounds {
	int lo, hi;
	unsigned lo_rank, hi_rank;
};

static bool look(struct walk *w, const void *state, struct bounds *b, struct pd_fact *fact)
{
	const struct game *g = w->game;
	uint8_t key[GAME_KEY_MAX];
	int value;
	*b = (struct bounds){.lo = g->value_min, .hi = g->value_max};
	fact->count = 0;
	if (g->rules->terminal(g, state, &value)) {
		b->lo = b->hi = value;
		return true;
	}
	if (!find(w, key, g->rules->key(g, state, key), fact))
		return false;
	const struct pd_reason *lo = pd_fact_best(fact, PD_LO), *hi = pd_fact_best(fact, PD_HI);
	if (lo) {
		b->lo = lo->bound;
		b->lo_rank = lo->rank;
	}
	if (hi) {
		b->hi = hi->bound;
		b->hi_rank = hi->rank;
	}
	return true;
}

static bool stopping(struct sv_core *core)
{
	pthread_mutex_lock(&core->lock);
	bool stop = core->stop_workers || core->stop_readers;
	pthread_mutex_unlock(&core->lock);
	return stop;
}

/* Runs the search that a leaf names, for one side's bound. */
static void regenerate(struct walk *w, const void *state, const struct pd_fact *fact, enum pd_side side)
{
	const struct pd_reason *r = pd_fact_best(fact, side);
	struct pn_host host = {w, host_fact};
	enum pn_verdict verdict;
	struct pd_fail fail;
	uint64_t nodes = r ? 64 * (uint64_t)r->effort : 0;
	if (!r)
		return;
	nodes = nodes < REGENERATE_MIN ? REGENERATE_MIN : nodes > REGENERATE_MAX ? REGENERATE_MAX : nodes;
	nodes = nodes < w->nodes ? nodes : w->nodes;
	w->nodes -= nodes; /* the search does not say how few it took, so this is the most that there can be */
	if (!nodes || w->failed || stopping(w->core))
		return;
	struct pn_goal goal = pn_goal_of(w->game, r);
	w->hidden_size = w->game->rules->key(w->game, state, w->hidden);
	/* What cannot be regenerated ends the line early; the line says so. */
	(void)pn_bounded(w->game, state, &goal, nodes, &host, keep, w, &verdict, &fail);
}

/* The move that keeps `b`, longest for the side that is not served. PD_NO_MOVE when the facts do not say. */
static game_move choose(struct walk *w, const void *state, const struct bounds *b, game_move *moves)
{
	const struct game *g = w->game;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	bool first = g->rules->first_to_move(g, state);
	/* The mover's own interest: its bound when it is better than the trivial one, else to lose slowly against the other's. */
	bool own = first ? b->lo > g->value_min : b->hi < g->value_max;
	unsigned count = g->rules->moves(g, state, moves);
	game_move best = PD_NO_MOVE;
	long best_score = -1;
	for (unsigned i = 0; i < count; i++) {
		struct bounds c;
		struct pd_fact fact;
		memcpy(child, state, g->state_size);
		g->rules->play(g, child, moves[i]);
		bool known = look(w, child, &c, &fact);
		bool keeps_lo = c.lo >= b->lo, keeps_hi = c.hi <= b->hi;
		long score;
		if (own) { /* among moves that keep the bound the shortest; where the value is exact, one whose child is as exact */
			if (!known || !(first ? keeps_lo : keeps_hi))
				continue;
			unsigned rank = first ? c.lo_rank : c.hi_rank;
			score = 0x10000 - (long)rank + (keeps_lo && keeps_hi ? 0x100000 : 0);
		} else {
			if (!known || !(first ? keeps_hi : keeps_lo))
				continue;
			score = first ? c.hi_rank : c.lo_rank;
		}
		if (score > best_score) {
			best_score = score;
			best = moves[i];
		}
	}
	return best;
}

static game_move next_move(struct walk *w, const void *state, game_move *moves)
{
	struct bounds b;
	struct pd_fact fact;
	if (!look(w, state, &b, &fact))
		return PD_NO_MOVE;
	game_move move = choose(w, state, &b, moves);
	bool leaf = false;
	for (unsigned i = 0; i < fact.count; i++)
		leaf |= fact.reason[i].effort > 0;
	if (leaf || move == PD_NO_MOVE) {
		regenerate(w, state, &fact, PD_LO);
		regenerate(w, state, &fact, PD_HI);
		if (look(w, state, &b, &fact))
			move = choose(w, state, &b, moves);
	}
	return move;
}

int sv_line_make(struct sv_core *core, struct st_reader *reader, const struct game *game, const void *state, unsigned limit,
		 struct sv_line *out, struct pd_fail *fail)
{
	struct walk w = {.core = core, .reader = reader, .game = game, .nodes = line_nodes};
	_Alignas(16) uint8_t now[GAME_STATE_MAX];
	int value;
	w.game_id = st_game_find(core->store, game->name, game->rules_version);
	*out = (struct sv_line){.moves = malloc((limit + 1) * sizeof(game_move))};
	pd_buf_init(&w.items, map_bytes);
	game_move *moves = malloc(game->moves_max * sizeof *moves);
	if (!out->moves || !moves) {
		free(moves);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a line");
	}
	memcpy(now, state, game->state_size);
	while (out->count < limit && !game->rules->terminal(game, now, &value)) {
		game_move move = next_move(&w, now, moves);
		if (move == PD_NO_MOVE)
			break;
		out->moves[out->count++] = move;
		game->rules->play(game, now, move);
	}
	out->complete = game->rules->terminal(game, now, &value);
	free(moves);
	free(w.slots);
	pd_buf_fini(&w.items);
	return PD_OK;
}

void sv_line_print(const struct game *game, const void *state, const struct sv_line *line, const char *key, struct pr_out *out)
{
	_Alignas(16) uint8_t now[GAME_STATE_MAX];
	char text[GAME_TEXT_MAX];
	memcpy(now, state, game->state_size);
	pr_open_array(out, key);
	for (unsigned i = 0; i < line->count; i++) {
		game->rules->move_print(game, now, line->moves[i], text, sizeof text);
		pr_str(out, NULL, text);
		game->rules->play(game, now, line->moves[i]);
	}
	pr_close(out);
}
