#include "store/games.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/log.h"
#include "store/batch.h"
#include "store/cursor.h"
#include "store/record.h"
#include "store/store_state.h"
#include "store/txn.h"

enum { GAME_HEAD = 8 /* le64 rules version */ };

/* Writes the record of a game to either file. */
static int put_game(struct st_place at, const struct st_game *game, struct pd_fail *fail)
{
	uint8_t key[ST_KEY_32], record[GAME_HEAD + ST_NAME_MAX];
	size_t length = strlen(game->name);
	PD_ASSERT(game->id && length && length <= ST_NAME_MAX);
	pd_put_be32(key, game->id);
	pd_put_le64(record, game->rules_version);
	memcpy(record + GAME_HEAD, game->name, length);
	return st_put_sealed(at, ST_BYTES(key), (struct st_data){record, GAME_HEAD + length}, 0, fail);
}

int st_games_publish(const struct st_store *store, MDB_txn *facts, struct pd_fail *fail)
{
	int rc = PD_OK;
	for (uint32_t i = 0; !rc && i < store->games_committed; i++)
		rc = put_game((struct st_place){&store->facts.env, facts, store->facts.games}, &store->game[i], fail);
	return rc;
}

/* Adds to the list in memory; the name is copied. Called under the lock, or before other threads exist. */
static bool add_game(struct st_store *store, uint32_t id, const char *name, size_t length, uint64_t rules_version)
{
	PD_ASSERT(id == store->games + 1 && length);
	if (store->games == store->games_capacity) {
		uint32_t capacity = store->games_capacity ? 2 * store->games_capacity : 8;
		struct st_game *grown = realloc(store->game, capacity * sizeof *grown);
		if (!grown)
			return false;
		store->game = grown;
		store->games_capacity = capacity;
	}
	char *copy = strndup(name, length);
	if (!copy)
		return false;
	store->game[store->games++] = (struct st_game){.id = id, .rules_version = rules_version, .name = copy};
	return true;
}

enum { GAME_ROOM = ST_SEAL + GAME_HEAD + ST_NAME_MAX };

/* The record of a game in facts.mdb; false when it has no sound one. */
static bool read_from_facts(const struct st_store *store, const uint8_t *key, uint8_t *out, size_t *size)
{
	struct pd_fail fail;
	MDB_txn *txn;
	if (st_txn_begin(&store->facts.env, true, &txn, &fail))
		return false;
	bool found = !st_get_sealed((struct st_place){&store->facts.env, txn, store->facts.games},
				    (struct st_data){key, ST_KEY_32}, out, GAME_ROOM, size, &fail) &&
		     *size > GAME_HEAD;
	st_txn_abort(&store->facts.env, txn);
	return found;
}

/* Reads game number `id`; a damaged record is restored from the other file. */
static int load_game(struct st_store *store, MDB_txn *txn, uint32_t id, struct pd_fail *fail)
{
	uint8_t key[ST_KEY_32], record[GAME_ROOM];
	size_t size;
	pd_put_be32(key, id);
	int rc = st_get_sealed(st_work_place(&store->work, txn, ST_GAMES), ST_BYTES(key), record, sizeof record, &size,
			       fail);
	if (!rc && size <= GAME_HEAD)
		rc = PD_E_CORRUPT;
	if (rc == PD_E_NOT_FOUND || rc == PD_E_CORRUPT) {
		if (!read_from_facts(store, key, record, &size))
			return st_env_corrupt(
				&store->work.env, fail,
				"the record of game %u is damaged; the facts under that number cannot be attributed",
				(unsigned)id);
		pd_log(PD_LOG_WARN, "work.mdb: the record of game %u was damaged; facts.mdb has it", (unsigned)id);
		rc = store->read_only ? PD_OK
				      : st_put_sealed(st_work_place(&store->work, txn, ST_GAMES), ST_BYTES(key),
						      (struct st_data){record, size}, 0, fail);
	}
	if (rc)
		return rc;
	pd_mutex_lock(&store->lock);
	bool added = add_game(store, id, (const char *)record + GAME_HEAD, size - GAME_HEAD, pd_get_le64(record));
	if (added)
		store->games_committed = store->games;
	pd_mutex_unlock(&store->lock);
	return added ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the games");
}

int st_games_load(struct st_store *store, MDB_txn *txn, struct pd_fail *fail)
{
	struct st_counters counters; /* as of this transaction */
	int rc = st_counters_get(&store->work, txn, &counters, fail);
	while (!rc && store->games + 1 < counters.next_game) /* they are numbered from 1 without gaps */
		rc = load_game(store, txn, store->games + 1, fail);
	return rc;
}

static int fail_differs(const char *what, const MDB_val *key, const MDB_val *record, struct pd_fail *fail)
{
	int length = record->mv_size > GAME_HEAD ? (int)(record->mv_size - GAME_HEAD) : 0;
	return pd_fail_set(fail, PD_E_CORRUPT, "facts.mdb",
			   "facts.mdb calls game number %u '%.*s', and in work.mdb %s: both files of a backup belong "
			   "together",
			   key->mv_size == ST_KEY_32 ? pd_get_be32(key->mv_data) : 0, length < 80 ? length : 80,
			   length ? (const char *)record->mv_data + GAME_HEAD : "", what);
}

/* Compares a game of facts.mdb with the list, which comes from work.mdb, except for damaged records. */
static int check_game_agrees(const struct st_store *store, const MDB_val *key, const MDB_val *record,
			     struct pd_fail *fail)
{
	uint32_t id = key->mv_size == ST_KEY_32 ? pd_get_be32(key->mv_data) : 0;
	const uint8_t *p = record->mv_data;
	if (!id || id > store->games_committed || record->mv_size <= GAME_HEAD)
		return fail_differs("the number was never given", key, record, fail);
	const struct st_game *game = &store->game[id - 1];
	size_t length = record->mv_size - GAME_HEAD;
	if (game->rules_version != pd_get_le64(p) || strlen(game->name) != length ||
	    memcmp(game->name, p + GAME_HEAD, length))
		return fail_differs("it is another game, or has other rules", key, record, fail);
	return PD_OK;
}

int st_games_agree(const struct st_store *store, MDB_txn *facts, struct pd_fail *fail)
{
	struct st_cursor c = {0};
	int rc = st_cursor_open(&c, &store->facts.env, facts, store->facts.games, fail);
	if (rc)
		return rc;
	while (!(rc = st_cursor_move(&c, &store->facts.env, MDB_NEXT, NULL, 0, fail))) {
		MDB_val record = c.data;
		if (!st_unseal(c.key.mv_data, c.key.mv_size, &record))
			rc = st_env_corrupt(&store->facts.env, fail, "the record of a game does not decode");
		else
			rc = check_game_agrees(store, &c.key, &record, fail);
		if (rc)
			break;
	}
	st_cursor_close(&c, &store->facts.env);
	return rc == PD_E_NOT_FOUND ? PD_OK : rc;
}

static uint32_t find_game(const struct st_store *store, uint32_t games, const char *name, uint64_t rules_version)
{
	for (uint32_t i = 0; i < games; i++)
		if (store->game[i].rules_version == rules_version && !strcmp(store->game[i].name, name))
			return store->game[i].id;
	return 0;
}

uint32_t st_game_find(struct st_store *store, const char *name, uint64_t rules_version)
{
	pd_mutex_lock(&store->lock);
	uint32_t id = find_game(store, store->games_committed, name, rules_version);
	pd_mutex_unlock(&store->lock);
	return id;
}

void st_game_each(struct st_store *store,
		  void (*each)(void *ctx, uint32_t id, const char *name, uint64_t rules_version), void *ctx)
{
	for (uint32_t i = 0;; i++) {
		char name[ST_NAME_MAX + 1];
		pd_mutex_lock(&store->lock);
		bool there = i < store->games_committed;
		struct st_game game = {0};
		if (there) {
			game = store->game[i];
			snprintf(name, sizeof name, "%s", game.name);
		}
		pd_mutex_unlock(&store->lock);
		if (!there)
			return;
		each(ctx, game.id, name, game.rules_version); /* without the lock: `each` may use the store */
	}
}

int st_batch_game(struct st_batch *batch, const char *name, uint64_t rules_version, uint32_t *id, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	size_t length = strlen(name);
	int rc = st_batch_usable(batch, fail);
	if (rc)
		return rc;
	if (!length || length > ST_NAME_MAX)
		return pd_fail_set(fail, PD_E_LIMIT, "game", "the name of a game has 1 to %d bytes, not %zu",
				   ST_NAME_MAX, length);
	uint32_t known = find_game(store, store->games, name, rules_version); /* the writer alone changes the list */
	if (known) {
		*id = known;
		return PD_OK;
	}
	pd_mutex_lock(&store->lock);
	bool added = add_game(store, batch->counters.next_game, name, length, rules_version);
	pd_mutex_unlock(&store->lock);
	batch->games_new += added;
	if (!added)
		rc = pd_fail_set(&batch->scratch, PD_E_NO_MEMORY, "", "no memory for another game");
	else if (!store->memory)
		rc = put_game(st_work_place(&store->work, batch->txn, ST_GAMES), &store->game[store->games - 1],
			      &batch->scratch);
	rc = st_batch_result(batch, rc, fail);
	if (!rc)
		*id = batch->counters.next_game++;
	return rc;
}
