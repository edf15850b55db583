#include "store/meta_record.h"

#include <string.h>

#include "proto/base/assert.h"

static const struct {
	struct st_data key;
	unsigned flags;
} records[ST_META_COUNT] = {
#define X(id, key, flags) [ST_META_##id] = {{key, sizeof key - 1}, flags},
	ST_META_RECORDS(X)
#undef X
};

struct st_data st_meta_key(enum st_meta_id id)
{
	PD_ASSERT(id < ST_META_COUNT);
	return records[id].key;
}

unsigned st_meta_flags(enum st_meta_id id)
{
	PD_ASSERT(id < ST_META_COUNT);
	return records[id].flags;
}

enum st_meta_id st_meta_find(enum st_meta_flag file, const void *key, size_t size)
{
	unsigned id = 0;
	while (id < ST_META_COUNT && !((records[id].flags & file) && records[id].key.size == size &&
				       !memcmp(records[id].key.bytes, key, size)))
		id++;
	return id;
}
