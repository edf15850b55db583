#include "store/meta_decode.h"

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "store/counters.h"
#include "store/format.h"
#include "store/run_list.h"
#include "store/store_types.h"

static bool decode_format(enum st_meta_flag file, const uint8_t *p, size_t size)
{
	return st_format_version(p, size, file == ST_META_FACTS) == ST_FORMAT_VERSION;
}

static bool decode_txn(enum st_meta_flag file, const uint8_t *p, size_t size)
{
	(void)file, (void)p; /* st_txn_check compares it */
	return size == 8;
}

static bool decode_counters(enum st_meta_flag file, const uint8_t *p, size_t size)
{
	struct st_counters counters;
	(void)file;
	return st_counters_unpack(p, size, &counters);
}

static bool decode_identity(enum st_meta_flag file, const uint8_t *p, size_t size)
{
	(void)file;
	return size == 8 && pd_get_le64(p);
}

static bool decode_removed_jobs(enum st_meta_flag file, const uint8_t *p, size_t size)
{
	(void)file, (void)p; /* its meaning is not the store's */
	return size <= ST_JOB_MAX;
}

static bool decode_runs(enum st_meta_flag file, const uint8_t *p, size_t size)
{
	struct st_run_list runs;
	(void)file;
	return st_run_list_unpack(p, size, &runs);
}

bool st_meta_decodes(enum st_meta_id id, enum st_meta_flag file, const uint8_t *p, size_t size)
{
	static bool (*const decoder[])(enum st_meta_flag file, const uint8_t *p, size_t size) = {
#define X(id, key, decoder, flags) [ST_META_##id] = decoder,
		ST_META_RECORDS(X)
#undef X
	};
	PD_ASSERT(id < ST_META_COUNT);
	return decoder[id](file, p, size);
}
