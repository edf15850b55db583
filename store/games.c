/* Games: which number stands for which rules.
 *
 * Facts are kept under a game's number, so a game with other rules is another game. The list is small: it is read at start and kept in
 * memory, under the store's lock; a batch adds to its end and takes back what it added when it fails. */
#include "store/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/bytes.h"

enum { GAME_HEAD = 8 /* le64 rules version */ };

int st_game_put(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const struct st_game *game, struct pd_fail *fail)
{
	uint8_t key[ST_KEY_32], record[GAME_HEAD + ST_NAME_MAX];
	size_t length = strlen(game->name);
	pd_put_be32(key, game->id);
	pd_put_le64(record, game->rules_version);
	memcpy(record + GAME_HEAD, game->name, length);
	return st_put_sealed(env, txn, dbi, key, sizeof key, record, GAME_HEAD + length, 0, fail);
}

/* Adds to the list in memory; the name is copied. Under the lock, or before there are threads. */
static bool game_add(struct st_store *store, uint32_t id, const char *name, size_t length, uint64_t rules_version)
{
	if (store->games == store->games_capacity) {
		uint32_t capacity = store->games_capacity ? 2 * store->games_capacity : 8;
		struct st_game *grown = realloc(store->game, capacity * sizeof *grown);
		if (!grown)
			return false;
		store->game = grown;
		store->games_capacity = capacity;
	}
	char *copy = malloc(length + 1);
	if (!copy)
		return false;
	memcpy(copy, name, length);
	copy[length] = 0;
	store->game[store->games++] = (struct st_game){.id = id, .rules_version = rules_version, .name = copy};
	return true;
}

int st_games_load(struct st_store *store, MDB_txn *txn, struct pd_fail *fail)
{
	MDB_cursor *cursor;
	MDB_val key, record;
	uint8_t from[ST_KEY_32];
	int rc = mdb_cursor_open(txn, store->dbi[ST_GAMES], &cursor);
	if (rc)
		return st_env_fail(&store->work, rc, "read the games", fail);
	pd_put_be32(from, store->games + 1); /* they are numbered from 1 without gaps */
	key = (MDB_val){sizeof from, from};
	for (MDB_cursor_op op = MDB_SET_RANGE; !(rc = st_cursor(&store->work, cursor, &key, &record, op, fail));
	     op = MDB_NEXT) {
		if (key.mv_size != ST_KEY_32 || !st_unseal(key.mv_data, key.mv_size, &record) ||
		    record.mv_size <= GAME_HEAD || record.mv_size > GAME_HEAD + ST_NAME_MAX) {
			rc = pd_fail_set(fail, PD_E_CORRUPT, store->work.name, "the record of a game does not decode");
			break;
		}
		const uint8_t *p = record.mv_data;
		pthread_mutex_lock(&store->lock);
		bool added = game_add(store, pd_get_be32(key.mv_data), (const char *)p + GAME_HEAD,
				      record.mv_size - GAME_HEAD, pd_get_le64(p));
		if (added)
			store->games_committed = store->games;
		pthread_mutex_unlock(&store->lock);
		if (!added) {
			rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the games");
			break;
		}
	}
	mdb_cursor_close(cursor);
	return rc == PD_E_NOT_FOUND ? PD_OK : rc;
}

static uint32_t game_find(const struct st_store *store, uint32_t games, const char *name, uint64_t rules_version)
{
	for (uint32_t i = 0; i < games; i++)
		if (store->game[i].rules_version == rules_version && !strcmp(store->game[i].name, name))
			return store->game[i].id;
	return 0;
}

uint32_t st_game_find(struct st_store *store, const char *name, uint64_t rules_version)
{
	pthread_mutex_lock(&store->lock);
	uint32_t id = game_find(store, store->games_committed, name, rules_version);
	pthread_mutex_unlock(&store->lock);
	return id;
}

void st_game_each(struct st_store *store,
		  void (*each)(void *ctx, uint32_t id, const char *name, uint64_t rules_version), void *ctx)
{
	for (uint32_t i = 0;; i++) {
		char name[ST_NAME_MAX + 1];
		pthread_mutex_lock(&store->lock);
		bool there = i < store->games_committed;
		struct st_game game = {0};
		if (there) {
			game = store->game[i];
			snprintf(name, sizeof name, "%s", game.name);
		}
		pthread_mutex_unlock(&store->lock);
		if (!there)
			return;
		each(ctx, game.id, name, game.rules_version); /* without the lock: it may ask the store */
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
	uint32_t known = game_find(store, store->games, name, rules_version); /* the writer alone changes the list */
	if (known) {
		*id = known;
		return PD_OK;
	}
	pthread_mutex_lock(&store->lock);
	bool added = game_add(store, batch->counters.next_game, name, length, rules_version);
	pthread_mutex_unlock(&store->lock);
	if (!added)
		return st_batch_result(
			batch, pd_fail_set(&batch->scratch, PD_E_NO_MEMORY, "", "no memory for another game"), fail);
	batch->games_new++;
	if (!store->memory) {
		rc = st_game_put(&store->work, batch->txn, store->dbi[ST_GAMES], &store->game[store->games - 1],
				 &batch->scratch);
		if (rc)
			return st_batch_result(batch, rc, fail);
	}
	*id = batch->counters.next_game++;
	return PD_OK;
}
