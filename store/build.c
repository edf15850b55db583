#include "store/build.h"

#include "proto/base/assert.h"
#include "store/record.h"

void st_build_init(struct st_build *build, uint32_t slot)
{
	PD_ASSERT(slot < ST_RUN_SLOTS);
	/* Random, so that blocks of an older run in the same database are not taken for blocks of this one. */
	*build = (struct st_build){.run = {.slot = slot, .id = pd_random64()}};
}

int st_builder_open(struct st_builder *b, const struct st_facts *facts, MDB_txn *txn, const struct st_build *build,
		    struct pd_fail *fail)
{
	PD_ASSERT(txn && build->run.slot < ST_RUN_SLOTS);
	*b = (struct st_builder){.facts = facts, .txn = txn, .build = *build};
	if (!st_run_block_start(&b->block, build->fence, build->fence_size))
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to write facts");
	return PD_OK;
}

void st_builder_close(struct st_builder *b)
{
	st_run_block_fini(&b->block);
}

static int put_block(struct st_builder *b, const uint8_t *upper, size_t size, struct pd_fail *fail)
{
	struct st_build *build = &b->build;
	PD_ASSERT(b->block.count && size <= ST_DB_KEY_MAX);
	PD_DEBUG_ASSERT(st_key_compare(build->fence, build->fence_size, upper, size) < 0 /* fences rise */);
	st_run_block_seal(&b->block, build->run.id, upper, size);
	int rc =
		st_put((struct st_place){&b->facts->env, b->txn, b->facts->run[build->run.slot]},
		       (struct st_data){upper, size}, (struct st_data){b->block.data, b->block.size}, MDB_APPEND, fail);
	if (rc)
		return rc;
	build->run.entries += b->block.count;
	build->run.blocks++;
	memcpy(build->fence, upper, size);
	build->fence_size = (uint16_t)size;
	return st_run_block_start(&b->block, upper, size)
		       ? PD_OK
		       : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to write facts");
}

int st_builder_cut(struct st_builder *b, const uint8_t *next, size_t size, struct pd_fail *fail)
{
	uint8_t fence[ST_DB_KEY_MAX];
	if (!b->block.count)
		return PD_OK;
	if (!next)
		return put_block(b, st_run_end, sizeof st_run_end, fail);
	return put_block(b, fence, st_run_block_fence(&b->block, next, size, fence), fail);
}

int st_builder_add(struct st_builder *b, const uint8_t *key, size_t size, const void *value, size_t value_size,
		   struct pd_fail *fail)
{
	PD_ASSERT(size && size <= ST_DB_KEY_MAX);
	if (value_size > ST_VALUE_MAX - 2 * ST_DB_KEY_MAX)
		return pd_fail_set(fail, PD_E_LIMIT, "", "a fact of %zu bytes is too long", value_size);
	int rc = st_run_block_fits(&b->block, size, value_size) ? PD_OK : st_builder_cut(b, key, size, fail);
	if (!rc && !st_run_block_add(&b->block, key, size, value, value_size))
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to write facts");
	return rc;
}
