/* Reader: one thread's window on the facts (S3).
 *
 * A look-up asks the delta first, then the runs in a read transaction that begins after that: a fact that leaves the delta meanwhile stands in
 * a run by then. Between calls the transaction is at rest (reset), which costs some ten nanoseconds and holds no page. */
#include "store/internal.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/bytes.h"

struct st_reader {
	struct st_store *store;
	MDB_txn *txn;    /* NULL in memory */
	bool awake;      /* the transaction is not reset */
	size_t list_txn; /* the transaction that `list` was read in; 0: none */
	struct st_run_list list;
};

int st_reader_open(struct st_store *store, struct st_reader **out, struct pd_fail *fail)
{
	struct st_reader *reader = calloc(1, sizeof *reader);
	if (!reader)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a reader");
	reader->store = store;
	if (!store->memory) {
		int rc = st_txn_begin(&store->facts, true, &reader->txn, fail);
		if (rc) {
			free(reader);
			return rc;
		}
		mdb_txn_reset(reader->txn);
	}
	*out = reader;
	return PD_OK;
}

void st_reader_close(struct st_reader *reader)
{
	if (!reader)
		return;
	if (reader->txn)
		mdb_txn_abort(reader->txn);
	free(reader);
}

void st_reader_rest(struct st_reader *reader)
{
	if (reader->awake)
		mdb_txn_reset(reader->txn);
	reader->awake = false;
}

/* Renews the transaction and the list of runs. */
static int wake(struct st_reader *reader, struct pd_fail *fail)
{
	if (reader->awake)
		return PD_OK;
	int rc = mdb_txn_renew(reader->txn);
	if (rc)
		return st_env_fail(&reader->store->facts, rc, "renew a reader", fail);
	reader->awake = true;
	size_t id = mdb_txn_id(reader->txn);
	if (id == reader->list_txn)
		return PD_OK;
	reader->list_txn = 0;
	rc = st_run_list_get(reader->store, reader->txn, &reader->list, fail);
	if (rc)
		st_reader_rest(reader);
	else
		reader->list_txn = id;
	return rc;
}

int st_reader_find(struct st_reader *reader, uint64_t hash, const uint8_t *key, size_t size, struct pd_fact *out,
		   struct pd_fail *fail)
{
	struct st_store *store = reader->store;
	struct pd_fact older;
	bool complete = false;
	int found = st_delta_get(&store->delta, hash, key, size, out, &complete);
	if (complete || store->memory || (!store->read_only && !atomic_load(&store->runs_live)))
		return found;
	if (wake(reader, fail))
		return -1;
	int rc = st_run_find(store, reader->txn, &reader->list, key, size, &older, fail);
	if (rc <= 0)
		return rc < 0 ? rc : found;
	if (found)
		st_fact_union(out, &older);
	else
		*out = older;
	return 1;
}

int st_fact_get(struct st_reader *reader, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *out,
		struct pd_fail *fail)
{
	uint8_t db_key[ST_DB_KEY_MAX];
	struct pd_fact fact;
	if (!size || size > ST_KEY_MAX)
		return 0;
	pd_put_be32(db_key, game);
	memcpy(db_key + 4, key, size);
	int rc = st_reader_find(reader, st_key_hash(db_key, size + 4), db_key, size + 4, &fact, fail);
	st_reader_rest(reader);
	if (rc == 1)
		*out = fact;
	return rc;
}

static size_t db_key_of(uint32_t game, const struct st_wanted *w, uint8_t *db_key)
{
	if (!w->size || w->size > ST_KEY_MAX)
		return 0;
	pd_put_be32(db_key, game);
	memcpy(db_key + 4, w->key, w->size);
	return w->size + 4;
}

/* What the runs say of those that the delta does not know completely. */
static int many_from_runs(struct st_reader *reader, uint32_t game, struct st_wanted *wanted, size_t count,
			  const bool *complete, struct pd_fail *fail)
{
	for (size_t i = 0; i < count; i++) {
		struct st_wanted *w = &wanted[i];
		uint8_t db_key[ST_DB_KEY_MAX];
		struct pd_fact older;
		size_t size = complete[i] ? 0 : db_key_of(game, w, db_key);
		if (!size)
			continue;
		int rc = wake(reader, fail) ? -1 :
					      st_run_find(reader->store, reader->txn, &reader->list, db_key, size,
							  w->found ? &older : w->fact, fail);
		if (rc < 0)
			return -1;
		if (rc && w->found)
			st_fact_union(w->fact, &older);
		w->found = w->found || rc;
	}
	return 0;
}

int st_fact_get_many(struct st_reader *reader, uint32_t game, struct st_wanted *wanted, size_t count,
		     struct pd_fail *fail)
{
	enum { SHARE = 64 };
	struct st_store *store = reader->store;
	int rc = 0;
	/* A share's transaction begins when the delta has been asked about all of it. */
	for (size_t done = 0; done < count && !rc; done += SHARE) {
		bool complete[SHARE];
		size_t share = count - done < SHARE ? count - done : SHARE;
		for (size_t i = 0; i < share; i++) {
			struct st_wanted *w = &wanted[done + i];
			uint8_t db_key[ST_DB_KEY_MAX];
			size_t size = db_key_of(game, w, db_key);
			complete[i] = false;
			w->found = size && st_delta_get(&store->delta, st_key_hash(db_key, size), db_key, size,
							w->fact, &complete[i]);
		}
		if (!store->memory && (store->read_only || atomic_load(&store->runs_live)))
			rc = many_from_runs(reader, game, wanted + done, share, complete, fail);
		st_reader_rest(reader);
	}
	return rc;
}

/* --- all facts -------------------------------------------------------------------------------------------------------- */

enum {
	CHUNK_BYTES = 1 << 18, /* copied out of runs between two callbacks */
	CHUNK_RECORD_MAX = 4 + ST_DB_KEY_MAX + ST_FACT_PACKED_MAX
};

/* The walk goes on while facts are added and moved, so it holds no transaction while it calls back: it copies the delta once, and the
 * runs in chunks, each in a short transaction that begins behind the last key. What is added meanwhile may be seen or not. */
struct walk {
	struct st_reader *reader;
	int (*each)(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact);
	void *ctx;
	struct pd_fail *fail;
	struct st_delta_copy delta;
	size_t delta_next;
	uint8_t *chunk; /* records: le16 key size, le16 fact size, key, fact */
	size_t chunk_size;
	uint8_t last[ST_DB_KEY_MAX]; /* the key where the next chunk begins behind */
	size_t last_size;
	bool runs_end;
	bool ended; /* by the callback */
};

static int fill_chunk(struct walk *w)
{
	struct st_reader *reader = w->reader;
	struct st_run_walk runs;
	MDB_val key, value;
	w->chunk_size = 0;
	int rc = wake(reader, w->fail);
	if (rc)
		return rc;
	rc = st_run_walk_open(&runs, reader->store, reader->txn, reader->list.run, reader->list.count, w->last,
			      w->last_size, w->fail);
	if (rc) {
		st_reader_rest(reader);
		return rc;
	}
	w->runs_end = true;
	while (!rc && st_run_walk_get(&runs, &key, &value)) {
		if (w->chunk_size + CHUNK_RECORD_MAX > CHUNK_BYTES) {
			w->runs_end = false;
			break;
		}
		if (key.mv_size < 5 || value.mv_size > ST_FACT_PACKED_MAX) {
			rc = pd_fail_set(w->fail, PD_E_CORRUPT, reader->store->facts.name,
					 "a fact in a run does not decode");
			break;
		}
		uint8_t *p = w->chunk + w->chunk_size;
		pd_put_le16(p, (uint16_t)key.mv_size);
		pd_put_le16(p + 2, (uint16_t)value.mv_size);
		memcpy(p + 4, key.mv_data, key.mv_size);
		memcpy(p + 4 + key.mv_size, value.mv_data, value.mv_size);
		w->chunk_size += 4 + key.mv_size + value.mv_size;
		w->last_size = key.mv_size;
		memcpy(w->last, key.mv_data, key.mv_size);
		rc = st_run_walk_next(&runs, w->fail);
	}
	st_run_walk_close(&runs);
	st_reader_rest(reader);
	return rc;
}

static int call(struct walk *w, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	int rc = w->each(w->ctx, pd_get_be32(key), key + 4, size - 4, fact);
	w->ended = rc != 0;
	return rc;
}

/* Calls back for the delta's records before `key`, or for all that are left when size is 0. A record of the key itself is added to *fact. */
static int call_delta(struct walk *w, const uint8_t *key, size_t size, struct pd_fact *fact)
{
	while (w->delta_next < w->delta.count) {
		const struct st_record *r = w->delta.record[w->delta_next];
		int order = size ? st_key_compare(r->bytes, r->key_size, key, size) : -1;
		struct pd_fact mine;
		if (order > 0)
			break;
		w->delta_next++;
		if (!st_fact_unpack(st_record_fact(r), r->fact_size, &mine))
			return pd_fail_set(w->fail, PD_E_INTERNAL, "", "a fact in memory does not decode");
		if (!order) {
			st_fact_union(&mine, fact);
			*fact = mine;
			break;
		}
		int rc = call(w, r->bytes, r->key_size, &mine);
		if (rc)
			return rc;
	}
	return PD_OK;
}

static int call_chunk(struct walk *w)
{
	const uint8_t *p = w->chunk, *end = p + w->chunk_size;
	int rc = PD_OK;
	while (!rc && p < end) {
		struct pd_fact fact;
		size_t key_size = pd_get_le16(p), fact_size = pd_get_le16(p + 2);
		const uint8_t *key = p + 4;
		p = key + key_size + fact_size;
		if (!st_fact_unpack(key + key_size, fact_size, &fact))
			return pd_fail_set(w->fail, PD_E_CORRUPT, w->reader->store->facts.name,
					   "a fact in a run does not decode");
		rc = call_delta(w, key, key_size, &fact);
		if (!rc)
			rc = call(w, key, key_size, &fact);
	}
	return rc;
}

int st_fact_each(struct st_reader *reader,
		 int (*each)(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact),
		 void *ctx, struct pd_fail *fail)
{
	struct walk w = {
		.reader = reader, .each = each, .ctx = ctx, .fail = fail, .runs_end = reader->store->memory != NULL};
	int rc = PD_OK;
	if (!w.runs_end && !(w.chunk = malloc(CHUNK_BYTES)))
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to walk over the facts");
	if (!st_delta_copy(&reader->store->delta, &w.delta)) {
		free(w.chunk);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to walk over the facts");
	}
	while (!rc && !w.runs_end) {
		rc = fill_chunk(&w);
		if (!rc)
			rc = call_chunk(&w);
	}
	if (!rc)
		rc = call_delta(&w, NULL, 0, NULL);
	st_delta_copy_fini(&w.delta);
	free(w.chunk);
	return rc;
}
