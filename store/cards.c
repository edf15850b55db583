/* Cards: what there must be of a job.
 *
 * A record that is looked up and not found says nothing by itself: it may never have been written, or a damaged page
 * hides it. So each job has a card, from the moment its number is given: how many events it has, and whether it has a
 * record and a table. */
#include "store/internal.h"

#include "proto/base/bytes.h"

enum { CARD_SIZE = 9, HAS_RECORD = 1, HAS_TABLE = 2 };

bool st_card_unpack(const uint8_t *p, size_t size, struct st_card *out)
{
	if (size != CARD_SIZE || p[8] > (HAS_RECORD | HAS_TABLE))
		return false;
	*out = (struct st_card){pd_get_le64(p), p[8] & HAS_RECORD, p[8] & HAS_TABLE};
	return true;
}

int st_card_get(const struct st_store *store, MDB_txn *txn, uint32_t job, struct st_card *out, struct pd_fail *fail)
{
	uint8_t key[ST_KEY_32], card[ST_SEAL + CARD_SIZE];
	size_t size;
	pd_put_be32(key, job);
	*out = (struct st_card){0};
	int rc =
		st_get_sealed(&store->work, txn, store->dbi[ST_CARDS], key, sizeof key, card, sizeof card, &size, fail);
	if (!rc && !st_card_unpack(card, size, out))
		return st_env_corrupt(&store->work, fail, "the card of job %u does not decode", (unsigned)job);
	return rc;
}

int st_card_put(const struct st_store *store, MDB_txn *txn, uint32_t job, const struct st_card *card,
		struct pd_fail *fail)
{
	uint8_t key[ST_KEY_32], p[CARD_SIZE];
	pd_put_be32(key, job);
	pd_put_le64(p, card->events);
	p[8] = (uint8_t)((card->record ? HAS_RECORD : 0) | (card->table ? HAS_TABLE : 0));
	return st_put_sealed(&store->work, txn, store->dbi[ST_CARDS], key, sizeof key, p, sizeof p, 0, fail);
}

/* Proves that a job has no card, where none was found: all that there must be are there, each sound, and none is that
 * job's. A look-up alone proves nothing, because one flipped bit of a key leads it astray. */
static int prove_absence(const struct st_store *store, MDB_txn *txn, uint32_t job, uint32_t cards, struct pd_fail *fail)
{
	const struct st_env *env = &store->work;
	struct st_cursor cursor = {.cursor = NULL};
	struct st_card card;
	uint32_t found = 0;
	bool sound = true;
	int rc = st_cursor_open(&cursor, env, txn, store->dbi[ST_CARDS], fail);
	while (!rc && !(rc = st_cursor_move(&cursor, env, MDB_NEXT, NULL, 0, fail))) {
		sound = sound && cursor.key.mv_size == ST_KEY_32 && pd_get_be32(cursor.key.mv_data) != job &&
			st_unseal(cursor.key.mv_data, cursor.key.mv_size, &cursor.data) &&
			st_card_unpack(cursor.data.mv_data, cursor.data.mv_size, &card);
		found++;
	}
	st_cursor_close(&cursor, env);
	if (rc != PD_E_NOT_FOUND)
		return rc;
	return sound && found == cards
		       ? PD_OK
		       : st_env_corrupt(env, fail,
					"the card of job %u was not found, and others are damaged or missing",
					(unsigned)job);
}

int st_card_read(const struct st_store *store, MDB_txn *txn, uint32_t job, struct st_card *out, struct pd_fail *fail)
{
	struct st_counters counters;
	int rc = st_card_get(store, txn, job, out, fail);
	if (rc != PD_E_NOT_FOUND)
		return rc;
	rc = st_counters_get(store, txn, &counters, fail);
	return rc || job >= counters.next_job ? rc : prove_absence(store, txn, job, counters.jobs, fail);
}
