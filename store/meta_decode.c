#include "store/meta_decode.h"

#include "proto/base/bytes.h"
#include "store/counters.h"
#include "store/format.h"
#include "store/run_list.h"
#include "store/store_types.h"

bool st_meta_decodes(enum st_meta_id id, enum st_meta_flag file, const uint8_t *p, size_t size)
{
	struct st_counters counters;
	struct st_run_list runs;
	switch (id) {
	case ST_META_FORMAT:
		return st_format_version(p, size, file == ST_META_FACTS) == ST_FORMAT_VERSION;
	case ST_META_TXN: /* st_txn_check compares it */
		return size == 8;
	case ST_META_COUNTERS:
		return st_counters_unpack(p, size, &counters);
	case ST_META_IDENTITY:
		return size == 8 && pd_get_le64(p);
	case ST_META_REMOVED_JOBS: /* opaque to the store */
		return size <= ST_JOB_MAX;
	case ST_META_RUNS:
		return st_run_list_unpack(p, size, &runs);
	case ST_META_COUNT:
		break;
	}
	return false;
}
