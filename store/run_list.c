#include "store/run_list.h"

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "store/meta_record.h"

enum { LIST_HEAD = 12, LIST_RUN = 28 };

bool st_run_list_unpack(const uint8_t *p, size_t size, struct st_run_list *out)
{
	uint32_t used = 0;
	if (size < LIST_HEAD)
		return false;
	*out = (struct st_run_list){.merged = pd_get_le64(p), .count = pd_get_le32(p + 8)};
	if (out->count > ST_RUNS_MAX || size != LIST_HEAD + (size_t)out->count * LIST_RUN)
		return false;
	for (uint32_t i = 0; i < out->count; i++) {
		const uint8_t *q = p + LIST_HEAD + i * LIST_RUN;
		struct st_run *run = &out->run[i];
		*run = (struct st_run){.slot = pd_get_le32(q),
				       .id = pd_get_le64(q + 4),
				       .entries = pd_get_le64(q + 12),
				       .blocks = pd_get_le64(q + 20)};
		if (run->slot >= ST_RUN_SLOTS || used >> run->slot & 1 || !run->blocks || run->entries < run->blocks)
			return false;
		used |= 1u << run->slot;
	}
	return true;
}

int st_run_list_get(const struct st_facts *facts, MDB_txn *txn, struct st_run_list *out, struct pd_fail *fail)
{
	uint8_t record[ST_SEAL + LIST_HEAD + ST_RUNS_MAX * LIST_RUN];
	size_t size;
	*out = (struct st_run_list){0};
	int rc = st_get_sealed((struct st_place){&facts->env, txn, facts->meta}, st_meta_key(ST_META_RUNS), record,
			       sizeof record, &size, fail);
	if (rc == PD_E_NOT_FOUND)
		return st_env_corrupt(&facts->env, fail, "the list of runs is missing");
	if (!rc && !st_run_list_unpack(record, size, out))
		return st_env_corrupt(&facts->env, fail, "the list of runs does not decode");
	return rc;
}

int st_run_list_put(const struct st_facts *facts, MDB_txn *txn, const struct st_run_list *list, struct pd_fail *fail)
{
	uint8_t record[LIST_HEAD + ST_RUNS_MAX * LIST_RUN];
	PD_ASSERT(list->count <= ST_RUNS_MAX);
	pd_put_le64(record, list->merged);
	pd_put_le32(record + 8, list->count);
	for (uint32_t i = 0; i < list->count; i++) {
		uint8_t *q = record + LIST_HEAD + i * LIST_RUN;
		PD_ASSERT(list->run[i].slot < ST_RUN_SLOTS && list->run[i].blocks);
		PD_ASSERT(list->run[i].entries >= list->run[i].blocks);
		pd_put_le32(q, list->run[i].slot);
		pd_put_le64(q + 4, list->run[i].id);
		pd_put_le64(q + 12, list->run[i].entries);
		pd_put_le64(q + 20, list->run[i].blocks);
	}
	return st_put_sealed((struct st_place){&facts->env, txn, facts->meta}, st_meta_key(ST_META_RUNS),
			     (struct st_data){record, LIST_HEAD + list->count * LIST_RUN}, 0, fail);
}

bool st_run_list_has(const struct st_run_list *list, uint32_t slot)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (list->run[i].slot == slot)
			return true;
	return false;
}
