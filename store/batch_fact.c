/* A new fact in a batch: compared with all that is known (F4), staged for the memtable, and logged.
 *
 * What is known is this batch's stage, the memtable and the runs. A reason that adds nothing is not written again. */
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/log.h"
#include "store/backend.h"
#include "store/batch_state.h"
#include "store/conflict.h"
#include "store/reader.h"
#include "store/store_state.h"

_Static_assert(ST_KEY_MAX + 4 <= ST_DB_KEY_MAX, "a key of LMDB's holds the game and the exact key");

static void describe_reason(const struct pd_reason *r, char *out, size_t size)
{
	snprintf(out, size, "value %s %d (rank %u, job %u)", r->side == PD_LO ? ">=" : "<=", r->bound, r->rank,
		 (unsigned)r->job);
}

static int keep_contradiction(struct st_batch *batch, const struct st_fact_key *key, const struct pd_fact *fact,
			      const struct pd_reason *reason, struct pd_fail *fail)
{
	PD_ASSERT(fact->count);
	enum { SHOWN = 48 }; /* bytes of the key, behind the game */
	char stored[64] = "", found[64], hex[2 * SHOWN + sizeof "..."] = "";
	const struct pd_reason *other = pd_fact_best(fact, reason->side == PD_LO ? PD_HI : PD_LO);
	if (other)
		describe_reason(other, stored, sizeof stored);
	describe_reason(reason, found, sizeof found);
	for (size_t i = 4; i < key->size && i < 4 + SHOWN; i++)
		snprintf(hex + 2 * (i - 4), 3, "%02x", key->bytes[i]);
	if (key->size > 4 + SHOWN)
		memcpy(hex + 2 * SHOWN, "...", sizeof "...");
	batch->conflict_jobs[0] = other ? other->job : 0;
	batch->conflict_jobs[1] = reason->job;
	/* The first one is kept; not what a worker of another machine had a part in: that is taken back. */
	bool kept = !pd_is_giver(batch->conflict_jobs[0]) && !pd_is_giver(batch->conflict_jobs[1]);
	if (kept && !batch->conflict)
		batch->conflict = st_conflict_pack(key->bytes, key->size, fact, reason, &batch->conflict_size);
	if (kept && !batch->conflict)
		pd_log(PD_LOG_ERROR, "no memory to write down a contradiction between facts");
	int rc = pd_fail_set(&batch->scratch, PD_E_CONFLICT, "", "game %u, position %s: stored is %s, and now found %s",
			     (unsigned)pd_get_be32(key->bytes), hex, stored, found);
	return st_batch_result(batch, rc, fail);
}

void st_batch_contradicted(const struct st_batch *batch, uint32_t jobs[2])
{
	jobs[0] = batch->conflict_jobs[0];
	jobs[1] = batch->conflict_jobs[1];
}

static int check_reason(const struct st_batch *batch, uint32_t game, size_t size, const struct pd_reason *reason,
			struct pd_fail *fail)
{
	int rc = st_batch_usable(batch, fail);
	if (rc)
		return rc;
	if (!size || size > ST_KEY_MAX)
		return pd_fail_set(fail, PD_E_LIMIT, "", "an exact key has 1 to %d bytes, not %zu", ST_KEY_MAX, size);
	if (!game || game >= batch->counters.next_game)
		return pd_fail_set(fail, PD_E_GAME, "", "no game has the number %u", (unsigned)game);
	if (reason->side > PD_HI)
		return pd_fail_set(fail, PD_E_INTERNAL, "", "a reason has the side %u", reason->side);
	return PD_OK;
}

/* What is known of a position: 1, 0 or -1, when the batch is in doubt. */
static int read_known(struct st_batch *batch, const struct st_fact_key *key, struct pd_fact *out)
{
	int found = st_stage_get(&batch->stage, key, out, &batch->scratch);
	return found ? found : st_reader_find(batch->store->reader, key, out, &batch->scratch);
}

static int add_reason(struct st_batch *batch, const struct st_fact_key *key, struct pd_fact *fact,
		      const struct pd_reason *reason, struct pd_fail *fail)
{
	PD_ASSERT(batch->open && fact && key->size > 4);
	int rc = PD_OK, added = pd_fact_add(fact, reason);
	if (!added)
		return PD_OK;
	if (added == -1)
		return keep_contradiction(batch, key, fact, reason, fail);
	if (added < 0 || !st_stage_put(&batch->stage, key, fact))
		rc = pd_fail_set(&batch->scratch, PD_E_NO_MEMORY, "", "no memory for another fact");
	else
		rc = batch->store->backend->fact(batch, key->bytes, key->size, reason, &batch->scratch);
	return st_batch_result(batch, rc, fail);
}

int st_batch_fact(struct st_batch *batch, uint32_t game, const uint8_t *key, size_t size,
		  const struct pd_reason *reason, struct pd_fail *fail)
{
	struct pd_fact fact;
	uint8_t db_key[ST_DB_KEY_MAX];
	int rc = check_reason(batch, game, size, reason, fail);
	if (rc)
		return rc;
	pd_put_be32(db_key, game);
	memcpy(db_key + 4, key, size);
	const struct st_fact_key db = st_fact_key_of(db_key, size + 4);
	pd_fact_init(&fact);
	if (read_known(batch, &db, &fact) < 0)
		rc = st_batch_result(batch, batch->scratch.code, fail);
	else
		rc = add_reason(batch, &db, &fact, reason, fail);
	pd_fact_fini(&fact);
	return rc;
}
