#include "server/proofs/maintenance/table_sift.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "server/jobs/model/tt_entry.h"
#include "store/store.h"

enum { FIRST = 1 << 12, SHARE = 1 << 17 /* entries of a transaction */ };

struct sifted_table {
	struct st_tt_entry *entry; /* owned */
	size_t count, room;
	bool no_memory;
};

static bool make_room(struct sifted_table *t)
{
	size_t room = t->room ? 2 * t->room : FIRST;
	struct st_tt_entry *grown = t->count < t->room ? t->entry : realloc(t->entry, room * sizeof *grown);
	if (!grown) {
		t->no_memory = true;
		return false;
	}
	t->room = t->count < t->room ? t->room : room;
	t->entry = grown;
	return true;
}

static int keep_unsolved(void *ctx, const struct st_tt_entry *entries, size_t count)
{
	struct sifted_table *t = ctx;
	struct pn_entry e;
	for (size_t i = 0; i < count; i++) {
		sv_entry_unpack(&entries[i], &e);
		if (!e.num[0] || !e.num[1])
			continue;
		if (!make_room(t))
			return PD_E_NO_MEMORY;
		t->entry[t->count++] = entries[i];
	}
	return PD_OK;
}

/* One transaction: entries from..past - 1 of the new snapshot, which is then begun, or complete. */
static int write_share(struct st_store *store, uint32_t job, const struct sifted_table *t, size_t from,
		       struct pd_fail *fail)
{
	struct st_batch *batch;
	size_t share = t->count - from < SHARE ? t->count - from : SHARE;
	int rc = st_batch_begin(store, &batch, fail);
	if (rc)
		return rc;
	if (!t->count)
		rc = st_batch_tt_drop(batch, job, fail);
	if (!rc && t->count && !from)
		rc = st_batch_snapshot_start(batch, job, fail);
	if (!rc && t->count)
		rc = st_batch_snapshot_put(batch, job, t->entry + from, share, fail);
	if (!rc && t->count && from + share == t->count)
		rc = st_batch_snapshot_end(batch, job, fail);
	if (!rc)
		return st_batch_commit(batch, fail);
	st_batch_abort(batch);
	return rc;
}

int sv_table_sift(struct st_store *store, uint32_t job, struct pd_fail *fail)
{
	struct sifted_table t = {.count = 0};
	size_t from = 0;
	int rc = st_tt_each(store, job, keep_unsolved, &t, fail);
	if (rc == PD_E_CORRUPT || t.no_memory) {
		t.count = 0;
		rc = PD_OK;
	}
	PD_ASSERT(t.count <= t.room);
	do {
		if (!rc)
			rc = write_share(store, job, &t, from, fail);
		from += SHARE;
	} while (!rc && from < t.count);
	free(t.entry);
	return rc;
}
