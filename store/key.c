/* Keys: see key.h. */
#include "store/key.h"

#include <string.h>

#include "proto/base/bytes.h"
#include "proto/base/hash.h"
#include "proto/base/random.h"

void st_put_be64(uint8_t *p, uint64_t v)
{
	pd_put_be32(p, (uint32_t)(v >> 32));
	pd_put_be32(p + 4, (uint32_t)v);
}

uint64_t st_get_be64(const uint8_t *p)
{
	return (uint64_t)pd_get_be32(p) << 32 | pd_get_be32(p + 4);
}

uint64_t st_key_hash(const uint8_t *key, size_t size)
{
	return pd_bucket_hash(key, size);
}

int st_key_compare(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
	int c = memcmp(a, b, a_size < b_size ? a_size : b_size);
	return c ? c : (a_size > b_size) - (a_size < b_size);
}
