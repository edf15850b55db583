/* Lookup: games, positions, and what is known of them (probe.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/probe/directory.h"
#include "clients/probe/probe.h"
#include "proto/base/assert.h"
#include "proto/base/mutex.h"
#include "proto/graph_file.h"
#include "solver/known.h"
#include "solver/solver.h"
#include "solver/stored.h"

/* --- games -------------------------------------------------------------------------------- */

static int read_graph(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail)
{
	return pr_graph_load(ctx, name, out, NULL, fail);
}

/* Under the probe's lock. */
static int open_game(struct proofd_probe *probe, const char *name, struct proofd_probe_game **out, struct pd_fail *fail)
{
	const struct game_host host = {probe->graphs, read_graph};
	struct proofd_probe_game *known;
	struct game *game;
	SLIST_FOREACH(known, &probe->games, link)
		if (!strcmp(known->game->name, name)) {
			*out = known;
			return PD_OK;
		}
	int rc = game_open(name, &host, &game, fail);
	if (rc)
		return rc;
	SLIST_FOREACH(known, &probe->games, link)
		if (!strcmp(known->game->name, game->name)) { /* `name` is not the canonical one */
			game_close(game);
			*out = known;
			return PD_OK;
		}
	*out = calloc(1, sizeof **out);
	if (!*out) {
		game_close(game);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "there is no memory for a game");
	}
	(*out)->probe = probe;
	(*out)->game = game;
	atomic_init(&(*out)->number, 0);
	SLIST_INSERT_HEAD(&probe->games, *out, link);
	return PD_OK;
}

int proofd_probe_game(struct proofd_probe *probe, const char *name, struct proofd_probe_game **out,
		      struct proofd_error *error)
{
	struct pd_fail fail;
	pd_mutex_lock(&probe->lock);
	int rc = open_game(probe, name, out, &fail);
	pd_mutex_unlock(&probe->lock);
	return rc ? pb_failed(error, &fail) : 0;
}

const char *proofd_probe_game_name(const struct proofd_probe_game *game)
{
	return game->game->name;
}

void proofd_probe_game_scale(const struct proofd_probe_game *game, int *min, int *max)
{
	*min = game->game->value_min;
	*max = game->game->value_max;
}

/* Its number in the store; 0 while that has no facts of it. */
static uint32_t number_of(struct proofd_probe_game *game)
{
	unsigned number = atomic_load_explicit(&game->number, memory_order_relaxed);
	if (!number) {
		number = st_game_find(game->probe->store, game->game->name, game_version(game->game));
		atomic_store_explicit(&game->number, number, memory_order_relaxed);
	}
	return number;
}

/* --- facts -------------------------------------------------------------------------------- */

struct probe_lookup {
	struct pn_lookup base;
	struct st_reader *reader;
	uint32_t number; /* of the game in the store */
};

static int find_fact(struct pn_lookup *base, const uint8_t *key, size_t size, struct pd_fact *out, struct pd_fail *fail)
{
	const struct probe_lookup *lookup = (const struct probe_lookup *)base;
	return st_fact_get(lookup->reader, lookup->number, key, size, out, fail);
}

static int print_known(const struct game *g, const void *state, const struct pn_known *known, struct proofd_probed *out,
		       struct pd_fail *fail)
{
	static const int sources[] = {PROOFD_BY_NONE, PROOFD_BY_RULES, PROOFD_BY_FACT};
	const struct pd_reason *deciding = pn_known_deciding(known);
	int rank = pn_known_rank(known, deciding);
	game_move move = PROOFD_NO_MOVE;
	bool found;
	if (pn_known_move(g, state, known, &move, &found, fail))
		return -1;
	out->lo = known->lo;
	out->hi = known->hi;
	out->source = sources[known->source];
	out->rank = rank == PN_RANK_NONE ? PROOFD_NO_RANK : (unsigned)rank;
	out->move = found ? move : PROOFD_NO_MOVE;
	out->effort = deciding ? deciding->effort : 0;
	out->job = deciding ? deciding->job : 0;
	return known->source != PN_BY_NONE;
}

/* What is known of a position one ply down: 1, 0, or -1 with *fail. */
static int known_of(struct proofd_probe_game *game, const void *state, struct proofd_probed *out, struct pd_fail *fail)
{
	struct pb_reader *reader = pb_reader_take(game->probe, fail);
	if (!reader)
		return -1;
	struct probe_lookup lookup = {
		.base = {.game = game->game, .left = INT_MAX, .unique = true},
		.reader = reader->reader,
		.number = number_of(game),
	};
	unsigned count;
	if (lookup.number)
		lookup.base.find = find_fact;
	int rc = pn_known_get(&lookup.base, state, &reader->known, fail) ? -1 : 0;
	if (!rc && !reader->known.over)
		rc = pn_known_below(&lookup.base, state, &reader->known, NULL, &count, fail) ? -1 : 0;
	if (!rc)
		rc = print_known(game->game, state, &reader->known, out, fail);
	pb_reader_give(reader);
	return rc;
}

static int parse_position(const struct proofd_probe_game *game, const char *position, void *state, struct pd_fail *fail)
{
	return game->game->rules->parse(game->game, position, state, fail);
}

int proofd_probe_position(struct proofd_probe_game *game, const char *position, struct proofd_probed *out,
			  struct proofd_error *error)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct proofd_probed known;
	struct pd_fail fail;
	int rc = pb_keep_up(game->probe, &fail) || parse_position(game, position, state, &fail)
			 ? -1
			 : known_of(game, state, &known, &fail);
	if (rc < 0)
		return pb_failed(error, &fail);
	*out = known;
	return rc;
}

/* The position of a key, which nothing but itself packs to, into `again`. */
static int unpack_key(const struct game *g, const void *key, size_t size, void *state, uint8_t again[GAME_KEY_MAX],
		      struct pd_fail *fail)
{
	if (!size || size > g->key_size_max || g->rules->unkey(g, key, size, state) ||
	    g->rules->key(g, state, again) != size || memcmp(again, key, size) != 0)
		return pd_fail_set(fail, PD_E_POSITION, "key", "these %zu bytes are no packed position of %s", size,
				   g->name);
	return PD_OK;
}

int proofd_probe_key(struct proofd_probe_game *game, const void *key, size_t size, struct proofd_probed *out,
		     struct proofd_error *error)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t again[GAME_KEY_MAX];
	struct proofd_probed known;
	struct pd_fail fail;
	int rc = pb_keep_up(game->probe, &fail) || unpack_key(game->game, key, size, state, again, &fail)
			 ? -1
			 : known_of(game, state, &known, &fail);
	if (rc < 0)
		return pb_failed(error, &fail);
	*out = known;
	return rc;
}

int proofd_probe_pack(struct proofd_probe_game *game, const char *position, void *key, struct proofd_error *error)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t packed[GAME_KEY_MAX];
	struct pd_fail fail;
	if (parse_position(game, position, state, &fail))
		return pb_failed(error, &fail);
	size_t size = game->game->rules->key(game->game, state, packed);
	PD_ASSERT(size && size <= PROOFD_PROBE_KEY_MAX);
	memcpy(key, packed, size);
	return (int)size;
}

/* --- many positions ----------------------------------------------------------------------- */

/* Positions that are looked up together, in one read transaction, which ends with them: after some 50 us. */
enum { SHARE = 32, SHARE_BYTES = 16384 };

struct share {
	struct st_wanted wanted[SHARE];
	unsigned whose[SHARE]; /* which position of the share is wanted */
	struct pn_known known[SHARE];
	uint8_t key[SHARE][GAME_KEY_MAX];
	_Alignas(16) uint8_t states[SHARE_BYTES]; /* `stride` bytes each */
	size_t stride;
};

/* What is asked of many positions, and where the answers go: every `step` bytes from `out` on. */
struct many {
	struct proofd_probe_game *game;
	/* Makes position i and its key; the size of that, or 0 with *fail. */
	size_t (*make)(const struct many *many, size_t i, void *state, uint8_t *key, struct pd_fail *fail);
	const char *const *text;
	const struct proofd_packed *packed;
	const void *before; /* the position that the moves lead from */
	const game_move *move;
	size_t count, step;
	void *out;
};

static size_t make_of_text(const struct many *many, size_t i, void *state, uint8_t *key, struct pd_fail *fail)
{
	const struct game *g = many->game->game;
	return parse_position(many->game, many->text[i], state, fail) ? 0 : g->rules->key(g, state, key);
}

static size_t make_of_key(const struct many *many, size_t i, void *state, uint8_t *key, struct pd_fail *fail)
{
	const struct proofd_packed *packed = &many->packed[i];
	return unpack_key(many->game->game, packed->key, packed->size, state, key, fail) ? 0 : packed->size;
}

static size_t make_by_move(const struct many *many, size_t i, void *state, uint8_t *key, struct pd_fail *fail)
{
	const struct game *g = many->game->game;
	(void)fail;
	memcpy(state, many->before, g->state_size);
	g->rules->play(g, state, many->move[i]);
	return g->rules->key(g, state, key);
}

static struct proofd_probed *out_of(const struct many *many, size_t i)
{
	return (struct proofd_probed *)(void *)((uint8_t *)many->out + i * many->step);
}

/* Looks up the `count` positions of the share that are wanted. */
static int share_look_up(const struct many *many, unsigned count, struct share *share, struct pd_fail *fail)
{
	uint32_t number = number_of(many->game);
	if (!number || !count)
		return PD_OK;
	struct pb_reader *reader = pb_reader_take(many->game->probe, fail);
	if (!reader)
		return -1;
	int rc = st_fact_get_many(reader->reader, number, share->wanted, count, fail);
	pb_reader_give(reader);
	for (unsigned i = 0; i < count && !rc; i++) {
		const struct st_wanted *wanted = &share->wanted[i];
		if (!wanted->found)
			continue;
		rc = pn_fact_sound(many->game->game, wanted->key, wanted->size, wanted->fact, fail);
		if (!rc)
			pn_known_found(&share->known[share->whose[i]]);
	}
	return rc;
}

/* Answers `count` positions from number `from` on. */
static int share_answer(const struct many *many, size_t from, unsigned count, struct share *share, struct pd_fail *fail)
{
	const struct game *g = many->game->game;
	unsigned wanted = 0;
	int rc = 0;
	if (pb_keep_up(many->game->probe, fail))
		return -1;
	for (unsigned i = 0; i < count; i++) {
		void *state = share->states + i * share->stride;
		size_t size = many->make(many, from + i, state, share->key[wanted], fail);
		if (!size)
			return -1;
		PD_ASSERT(size <= GAME_KEY_MAX);
		if (pn_known_by_rules(g, state, &share->known[i]))
			continue;
		share->whose[wanted] = i;
		share->wanted[wanted] = (struct st_wanted){share->key[wanted], size, &share->known[i].fact, false};
		wanted++;
	}
	if (share_look_up(many, wanted, share, fail))
		return -1;
	for (unsigned i = 0; i < count && rc >= 0; i++)
		rc = print_known(g, share->states + i * share->stride, &share->known[i], out_of(many, from + i), fail);
	return rc < 0 ? rc : 0;
}

static int answer_many(const struct many *many, struct proofd_error *error)
{
	struct share share;
	struct pd_fail fail;
	int rc = PD_OK;
	share.stride = (many->game->game->state_size + 15u) & ~(size_t)15;
	const size_t most = SHARE_BYTES / share.stride < SHARE ? SHARE_BYTES / share.stride : SHARE;
	PD_ASSERT(most);
	for (unsigned i = 0; i < most; i++)
		pd_fact_init(&share.known[i].fact);
	size_t from = 0;
	do { /* also of no position: a refresh that fails is an error of every call */
		size_t left = many->count - from;
		rc = share_answer(many, from, (unsigned)(left < most ? left : most), &share, &fail);
		from += most;
	} while (from < many->count && !rc);
	for (unsigned i = 0; i < most; i++)
		pd_fact_fini(&share.known[i].fact);
	return rc ? pb_failed(error, &fail) : 0;
}

int proofd_probe_positions(struct proofd_probe_game *game, const char *const *positions, size_t count,
			   struct proofd_probed *out, struct proofd_error *error)
{
	const struct many many = {
		.game = game, .make = make_of_text, .text = positions, .count = count, .step = sizeof *out, .out = out};
	return answer_many(&many, error);
}

int proofd_probe_keys(struct proofd_probe_game *game, const struct proofd_packed *keys, size_t count,
		      struct proofd_probed *out, struct proofd_error *error)
{
	const struct many many = {
		.game = game, .make = make_of_key, .packed = keys, .count = count, .step = sizeof *out, .out = out};
	return answer_many(&many, error);
}

/* --- moves -------------------------------------------------------------------------------- */

int proofd_probe_moves(struct proofd_probe_game *game, const char *position, struct proofd_probed_move *out,
		       size_t room, struct proofd_error *error)
{
	const struct game *g = game->game;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX];
	struct pd_fail fail;
	if (parse_position(game, position, state, &fail))
		return pb_failed(error, &fail);
	size_t count = g->rules->moves(g, state, moves);
	const struct many many = {.game = game,
				  .make = make_by_move,
				  .before = state,
				  .move = moves,
				  .count = count < room ? count : room,
				  .step = sizeof *out,
				  .out = room ? &out->after : NULL};
	if (answer_many(&many, error))
		return -1;
	for (size_t i = 0; i < many.count; i++)
		out[i].move = moves[i];
	return (int)count;
}

int proofd_probe_move_text(struct proofd_probe_game *game, const char *position, uint32_t move, char *out, size_t size,
			   struct proofd_error *error)
{
	const struct game *g = game->game;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX];
	struct pd_fail fail;
	if (parse_position(game, position, state, &fail))
		return pb_failed(error, &fail);
	unsigned count = g->rules->moves(g, state, moves);
	for (unsigned i = 0; i < count; i++)
		if (moves[i] == move)
			return (int)g->rules->move_print(g, state, moves[i], out, size);
	pd_fail_set(&fail, PD_E_MOVE, "move", "%u is no legal move in that position", (unsigned)move);
	return pb_failed(error, &fail);
}
