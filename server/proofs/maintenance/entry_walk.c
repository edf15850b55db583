#include "server/proofs/maintenance/entry_walk.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/buf.h"
#include "server/jobs/model/tt_entry.h"

enum { ROOM_FIRST = 1 << 10, VISITED = 1 };

struct walking {
	const struct sv_entry_walk *walk;
	uint64_t *marks;      /* owned; open addressing; for each entry the low half of its identity, and VISITED */
	uint64_t room, count; /* `room` is a power of two */
	struct pd_buf open;   /* keys of positions whose moves are not followed yet, the size behind each */
};

/* Two entries with the same low half share a mark, and so one of them may be missed. */
static uint64_t *find_mark(const struct walking *w, uint64_t half)
{
	uint64_t name = half | VISITED;
	PD_ASSERT(w->count < w->room);
	for (uint64_t i = half >> 1;; i++) {
		uint64_t *mark = &w->marks[i & (w->room - 1)];
		if (!*mark || (*mark | VISITED) == name)
			return mark;
	}
}

static bool grow_marks(struct walking *w)
{
	struct walking larger = *w;
	larger.room = w->room ? 2 * w->room : ROOM_FIRST;
	larger.marks = calloc(larger.room, sizeof *larger.marks);
	if (!larger.marks)
		return false;
	for (uint64_t i = 0; i < w->room; i++)
		if (w->marks[i])
			*find_mark(&larger, w->marks[i]) = w->marks[i];
	free(w->marks);
	*w = larger;
	return true;
}

static int mark_entries(void *ctx, const struct st_tt_entry *entries, size_t count)
{
	struct walking *w = ctx;
	for (size_t i = 0; i < count; i++) {
		struct pn_entry e;
		sv_entry_unpack(&entries[i], &e);
		if (2 * (w->count + 1) > w->room && !grow_marks(w))
			return PD_E_NO_MEMORY;
		uint64_t *mark = find_mark(w, e.id.lo);
		w->count += !*mark;
		*mark = e.id.lo & ~(uint64_t)VISITED; /* 0 with odds of 2^-63: that entry is not found */
	}
	return PD_OK;
}

static void add_open(struct walking *w, const uint8_t *key, size_t size)
{
	const uint16_t tail = (uint16_t)size;
	pd_buf_put(&w->open, key, size);
	pd_buf_put(&w->open, &tail, sizeof tail);
}

static bool take_open(struct walking *w, uint8_t *key, size_t *size)
{
	uint16_t tail;
	if (!w->open.size || w->open.failed)
		return false;
	memcpy(&tail, w->open.data + w->open.size - sizeof tail, sizeof tail);
	*size = tail;
	w->open.size -= tail + sizeof tail;
	memcpy(key, w->open.data + w->open.size, tail);
	return true;
}

static void visit_position(struct walking *w, const void *state)
{
	const struct game *g = w->walk->game;
	uint8_t key[GAME_KEY_MAX];
	bool fresh = false;
	int value;
	if (g->rules->terminal(g, state, &value))
		return;
	size_t size = g->rules->key(g, state, key);
	for (int claim = w->walk->first; claim <= w->walk->last; claim += g->value_step) {
		uint64_t *mark = find_mark(w, pn_entry_id(g, w->walk->names, claim, key, size).lo);
		fresh |= *mark && !(*mark & VISITED);
		*mark |= *mark ? VISITED : 0;
	}
	if (!fresh)
		return;
	add_open(w, key, size);
	for (int claim = w->walk->first; claim <= w->walk->last; claim += g->value_step)
		w->walk->entry(w->walk->ctx, state, claim, pn_entry_id(g, w->walk->names, claim, key, size));
}

static void follow_moves(struct walking *w, const void *state)
{
	const struct game *g = w->walk->game;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX];
	unsigned count = g->rules->moves(g, state, moves);
	for (unsigned i = 0; i < count; i++) {
		memcpy(child, state, g->state_size);
		g->rules->play(g, child, moves[i]);
		visit_position(w, child);
	}
}

/* Follows the moves of all positions that were found, until nothing more is wanted. */
static void follow_open(struct walking *w)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	size_t size;
	while (*w->walk->wanted && take_open(w, key, &size))
		if (!w->walk->game->rules->unkey(w->walk->game, key, size, state))
			follow_moves(w, state);
}

/* A position with a fact may lead back to the table where others were overwritten. */
static int follow_fact(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct walking *w = ctx;
	(void)fact;
	if (game != w->walk->game_id || size > GAME_KEY_MAX || !*w->walk->wanted)
		return PD_OK;
	add_open(w, key, size);
	follow_open(w);
	return w->open.failed ? PD_E_NO_MEMORY : PD_OK;
}

static int follow_facts(struct walking *w, struct pd_fail *fail)
{
	struct st_reader *reader;
	int rc = st_reader_open(w->walk->store, &reader, fail);
	if (rc)
		return rc;
	rc = st_fact_each(reader, follow_fact, w, fail);
	st_reader_close(reader);
	return rc;
}

int sv_entry_walk(const struct sv_entry_walk *walk, struct pd_fail *fail)
{
	const struct game *g = walk->game;
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
	struct walking w = {.walk = walk};
	struct pd_fail bad;
	pd_buf_init(&w.open, SIZE_MAX / 2);
	int rc = grow_marks(&w) ? st_tt_each(walk->store, walk->job, mark_entries, &w, fail) : PD_E_NO_MEMORY;
	if (!rc && !g->rules->parse(g, walk->position, root, &bad)) {
		visit_position(&w, root);
		follow_moves(&w, root);
		follow_open(&w);
	}
	if (!rc && !w.open.failed && *walk->wanted)
		rc = follow_facts(&w, fail);
	if (w.open.failed)
		rc = PD_E_NO_MEMORY;
	pd_buf_fini(&w.open);
	free(w.marks);
	return rc == PD_E_NO_MEMORY ? pd_fail_set(fail, rc, "", "no memory for the table of job %u", walk->job) : rc;
}
