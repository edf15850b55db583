#include "store/reader.h"

#include "proto/base/assert.h"
#include "store/pack.h"
#include "store/read_txn.h"
#include "store/runs.h"
#include "store/store_state.h"

struct st_reader {
	struct st_store *store;
	struct st_read_txn read; /* on the facts; unused in memory */
	MDB_txn *txn;            /* that of `read` while it is active */
	bool active;
	size_t list_txn; /* the transaction that `list` was read in; 0: none */
	struct st_run_list list;
	struct st_finder finder;
};

int st_reader_open(struct st_store *store, struct st_reader **out, struct pd_fail *fail)
{
	struct st_reader *reader = calloc(1, sizeof *reader);
	if (!reader)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a reader");
	reader->store = store;
	if (!store->memory) {
		int rc = st_read_txn_begin(&store->facts.env, &reader->read, fail);
		if (rc) {
			free(reader);
			return rc;
		}
		st_read_txn_reset(&reader->read);
	}
	*out = reader;
	return PD_OK;
}

void st_reader_close(struct st_reader *reader)
{
	if (!reader)
		return;
	st_finder_fini(&reader->finder, &reader->store->facts);
	if (!reader->store->memory)
		st_read_txn_close(&reader->store->facts.env, &reader->read);
	free(reader);
}

void st_reader_reset(struct st_reader *reader)
{
	PD_ASSERT(!reader->active || !reader->store->memory);
	if (reader->active)
		st_read_txn_reset(&reader->read);
	st_finder_reset(&reader->finder);
	reader->active = false;
}

/* Renews the transaction and the list of runs. */
static int renew_reader(struct st_reader *reader, struct pd_fail *fail)
{
	if (reader->active)
		return PD_OK;
	int rc = st_read_txn_renew(&reader->store->facts.env, &reader->read, fail);
	if (rc)
		return rc;
	reader->txn = reader->read.txn;
	reader->active = true;
	size_t id = mdb_txn_id(reader->txn);
	if (id == reader->list_txn)
		return PD_OK;
	reader->list_txn = 0;
	rc = st_run_list_get(&reader->store->facts, reader->txn, &reader->list, fail);
	if (rc)
		st_reader_reset(reader);
	else
		reader->list_txn = id;
	return rc;
}

/* Looks a key up in the runs. A reader that was delayed while LMDB chose its transaction number may see newer runs than
 * the list that was read earlier under that number. So apparent damage is checked again with a fresh list. */
static int find_in_runs(struct st_reader *reader, const uint8_t *key, size_t size, struct pd_fact *out,
			struct pd_fail *fail)
{
	enum { TRIES = 3 };
	struct pd_fail local;
	const struct st_data wanted = {key, size};
	int rc = -1;
	fail = fail ? fail : &local;
	for (unsigned i = 0; rc < 0 && i < TRIES; i++) {
		if (!renew_reader(reader, fail)) {
			const struct st_run_snapshot runs = {&reader->store->facts, reader->txn, &reader->list};
			rc = st_run_find(&reader->finder, &runs, wanted, out, fail);
		}
		if (rc >= 0 || fail->code != PD_E_CORRUPT)
			break;
		st_reader_reset(reader);
		reader->list_txn = 0;
	}
	return rc;
}

/* Adds the reasons in the runs to those in the memtable: 1 or -1. */
static int find_older(struct st_reader *reader, const uint8_t *key, size_t size, struct pd_fact *out,
		      struct pd_fail *fail)
{
	struct pd_fact older;
	pd_fact_init(&older);
	int rc = find_in_runs(reader, key, size, &older, fail);
	int joined = rc > 0 ? st_fact_union(out, &older) : PD_OK;
	if (joined)
		st_fact_fail(joined, reader->store->facts.env.name, fail);
	pd_fact_fini(&older);
	return rc < 0 || joined ? -1 : 1;
}

int st_reader_find(struct st_reader *reader, const struct st_fact_key *key, struct pd_fact *out, struct pd_fail *fail)
{
	PD_ASSERT(key->size > 4 && key->size <= ST_DB_KEY_MAX);
	struct st_store *store = reader->store;
	bool complete = false;
	out->count = 0;
	int found = st_memtable_get(&store->memtable, key, out, &complete, fail);
	if (found < 0 || complete || (!store->read_only && !atomic_load(&store->runs_live)))
		return found;
	return found ? find_older(reader, key->bytes, key->size, out, fail)
		     : find_in_runs(reader, key->bytes, key->size, out, fail);
}

int st_fact_get(struct st_reader *reader, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *out,
		struct pd_fail *fail)
{
	uint8_t db_key[ST_DB_KEY_MAX];
	out->count = 0;
	if (!size || size > ST_KEY_MAX)
		return 0;
	pd_put_be32(db_key, game);
	memcpy(db_key + 4, key, size);
	const struct st_fact_key fact_key = st_fact_key_of(db_key, size + 4);
	int rc = st_reader_find(reader, &fact_key, out, fail);
	st_reader_reset(reader);
	return rc;
}

void st_fact_settle(struct st_reader *reader)
{
	st_memtable_settle(&reader->store->memtable);
}

/* What is looked up in one read transaction. */
enum { SHARE = 32 };
struct share {
	struct st_wanted *wanted;
	size_t count;
	struct st_fact_key key[SHARE]; /* of size 0 where no fact can have such a key */
	bool complete[SHARE];          /* the runs have nothing to add */
	uint8_t bytes[SHARE][ST_DB_KEY_MAX];
};

/* Makes the keys, and prefetches their places in the memtable. */
static void share_keys(struct share *share, struct st_memtable *memtable, uint32_t game)
{
	for (size_t i = 0; i < share->count; i++) {
		const struct st_wanted *w = &share->wanted[i];
		uint8_t *bytes = share->bytes[i];
		share->key[i].size = 0;
		if (!w->size || w->size > ST_KEY_MAX)
			continue;
		pd_put_be32(bytes, game);
		memcpy(bytes + 4, w->key, w->size);
		share->key[i] = st_fact_key_of(bytes, w->size + 4);
		st_memtable_prefetch(memtable, share->key[i].hash);
	}
}

static int share_from_memtable(struct share *share, struct st_memtable *memtable, struct pd_fail *fail)
{
	for (size_t i = 0; i < share->count; i++) {
		struct st_wanted *w = &share->wanted[i];
		const struct st_fact_key *key = &share->key[i];
		share->complete[i] = !key->size;
		w->fact->count = 0;
		int found = key->size ? st_memtable_get(memtable, key, w->fact, &share->complete[i], fail) : 0;
		if (found < 0)
			return -1;
		w->found = found;
	}
	return 0;
}

static int share_from_runs(struct share *share, struct st_reader *reader, struct pd_fail *fail)
{
	int rc = 0;
	for (size_t i = 0; i < share->count && rc >= 0; i++) {
		struct st_wanted *w = &share->wanted[i];
		const struct st_fact_key *key = &share->key[i];
		if (share->complete[i])
			continue;
		rc = w->found ? find_older(reader, key->bytes, key->size, w->fact, fail)
			      : find_in_runs(reader, key->bytes, key->size, w->fact, fail);
		w->found = w->found || rc > 0;
	}
	return rc < 0 ? -1 : 0;
}

int st_fact_get_many(struct st_reader *reader, uint32_t game, struct st_wanted *wanted, size_t count,
		     struct pd_fail *fail)
{
	struct st_store *store = reader->store;
	struct share share;
	int rc = 0;
	for (size_t done = 0; done < count && !rc; done += SHARE) {
		share.wanted = wanted + done;
		share.count = count - done < SHARE ? count - done : SHARE;
		share_keys(&share, &store->memtable, game);
		rc = share_from_memtable(&share, &store->memtable, fail);
		/* The read transaction begins after all look-ups in the memtable (reader.h). */
		if (!rc && !store->memory && (store->read_only || atomic_load(&store->runs_live)))
			rc = share_from_runs(&share, reader, fail);
		st_reader_reset(reader);
	}
	return rc;
}

enum {
	CHUNK_BYTES = 1 << 18, /* copied out of runs at once; more when one record takes more */
	CHUNK_HEAD = 6
};

/* The walk goes on while facts are added and moved, so it holds no transaction while it calls back: it copies the
 * memtable once, and the runs in chunks, each in a short transaction that begins after the last key. What is added
 * meanwhile may or may not be seen. */
struct walk {
	struct st_reader *reader;
	int (*each)(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact);
	void *ctx;
	struct pd_fail *fail;
	struct st_memtable_copy memtable;
	size_t memtable_next;
	struct pd_fact fact, mine; /* of the current record in runs, and in the memtable */
	uint8_t *chunk;            /* records: le16 key size, le32 fact size, key, fact */
	size_t chunk_size, chunk_room;
	uint8_t last[ST_DB_KEY_MAX]; /* the next chunk begins after this key */
	size_t last_size;
	bool runs_end;
	bool ended; /* by the callback */
};

static bool make_room(struct walk *w, size_t room)
{
	if (w->chunk_size + room <= w->chunk_room)
		return true;
	room = room < CHUNK_BYTES ? CHUNK_BYTES : room;
	uint8_t *chunk = realloc(w->chunk, room);
	if (!chunk)
		return false;
	w->chunk = chunk;
	w->chunk_room = room;
	return true;
}

static int fill_chunk(struct walk *w)
{
	struct st_reader *reader = w->reader;
	struct st_run_walk runs;
	MDB_val key, value;
	PD_ASSERT(!reader->store->memory && !reader->active);
	w->chunk_size = 0;
	reader->list_txn = 0; /* forces the list to be read again: see find_in_runs */
	int rc = renew_reader(reader, w->fail);
	if (rc)
		return rc;
	struct st_run_range range = {reader->list.run, reader->list.count, w->last, w->last_size};
	rc = st_run_walk_open(&runs, &reader->store->facts, reader->txn, &range, w->fail);
	if (rc) {
		st_reader_reset(reader);
		return rc;
	}
	w->runs_end = true;
	while (!rc && st_run_walk_get(&runs, &key, &value)) {
		size_t room = CHUNK_HEAD + key.mv_size + value.mv_size;
		if (w->chunk_size && w->chunk_size + room > w->chunk_room) {
			w->runs_end = false;
			break;
		}
		if (!make_room(w, room)) {
			rc = pd_fail_set(w->fail, PD_E_NO_MEMORY, "", "no memory to walk over the facts");
			break;
		}
		if (key.mv_size < 5 || key.mv_size > ST_DB_KEY_MAX) {
			rc = pd_fail_set(w->fail, PD_E_CORRUPT, reader->store->facts.env.name,
					 "a fact in a run does not decode");
			break;
		}
		uint8_t *p = w->chunk + w->chunk_size;
		pd_put_le16(p, (uint16_t)key.mv_size);
		pd_put_le32(p + 2, (uint32_t)value.mv_size);
		memcpy(p + CHUNK_HEAD, key.mv_data, key.mv_size);
		memcpy(p + CHUNK_HEAD + key.mv_size, value.mv_data, value.mv_size);
		w->chunk_size += room;
		w->last_size = key.mv_size;
		memcpy(w->last, key.mv_data, key.mv_size);
		rc = st_run_walk_next(&runs, w->fail);
	}
	st_run_walk_close(&runs);
	st_reader_reset(reader);
	return rc;
}

static int call_visitor(struct walk *w, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	PD_ASSERT(size > 4 && fact->count);
	int rc = w->each(w->ctx, pd_get_be32(key), key + 4, size - 4, fact);
	w->ended = rc != 0;
	return rc;
}

/* Calls `each` for the memtable's records before `key`, or for all remaining ones when size is 0. A record of the key
 * itself is added to *fact. */
static int call_memtable(struct walk *w, const uint8_t *key, size_t size, struct pd_fact *fact)
{
	while (w->memtable_next < w->memtable.count) {
		const struct st_record *r = w->memtable.record[w->memtable_next];
		int order = size ? st_key_compare(r->bytes, r->key_size, key, size) : -1;
		if (order > 0)
			break;
		w->memtable_next++;
		int rc = st_fact_decode(st_record_fact(r), r->fact_size, &w->mine);
		if (!rc && !order)
			rc = st_fact_union(&w->mine, fact);
		if (rc)
			return st_fact_fail(rc, w->reader->store->facts.env.name, w->fail);
		if (!order) {
			struct pd_fact both = w->mine;
			w->mine = *fact;
			*fact = both;
			break;
		}
		rc = call_visitor(w, r->bytes, r->key_size, &w->mine);
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
		size_t key_size = pd_get_le16(p), fact_size = pd_get_le32(p + 2);
		const uint8_t *key = p + CHUNK_HEAD;
		p = key + key_size + fact_size;
		rc = st_fact_decode(key + key_size, fact_size, &w->fact);
		if (rc)
			st_fact_fail(rc, w->reader->store->facts.env.name, w->fail);
		else
			rc = call_memtable(w, key, key_size, &w->fact);
		if (!rc)
			rc = call_visitor(w, key, key_size, &w->fact);
	}
	return rc; /* NOLINT(clang-analyzer-unix.Malloc): st_fact_each frees the chunk */
}

int st_fact_each(struct st_reader *reader,
		 int (*each)(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact),
		 void *ctx, struct pd_fail *fail)
{
	struct walk w = {
		.reader = reader, .each = each, .ctx = ctx, .fail = fail, .runs_end = reader->store->memory != NULL};
	int rc = PD_OK;
	if (!st_memtable_copy(&reader->store->memtable, &w.memtable))
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to walk over the facts");
	while (!rc && !w.runs_end) {
		rc = fill_chunk(&w);
		if (!rc)
			rc = call_chunk(&w);
	}
	if (!rc)
		rc = call_memtable(&w, NULL, 0, NULL);
	st_memtable_copy_fini(&w.memtable);
	pd_fact_fini(&w.fact);
	pd_fact_fini(&w.mine);
	free(w.chunk);
	return rc;
}

int st_fact_walk(struct st_store *store,
		 int (*each)(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact),
		 void *ctx, struct pd_fail *fail)
{
	struct st_reader *reader = NULL;
	int rc = st_reader_open(store, &reader, fail);
	if (!rc)
		rc = st_fact_each(reader, each, ctx, fail);
	st_reader_close(reader);
	return rc;
}
