#include "server/daemon/loop_memory.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "proto/base/assert.h"

/* Used by the loop thread alone: no other thread makes libuv reallocate. */
static struct {
	void *bytes;
	size_t size;
	bool used;
} reserve;

static void *take_reserve(void *old, size_t size)
{
	size_t held = old ? malloc_usable_size(old) : 0;
	PD_ASSERT(!reserve.used && size <= reserve.size);
	if (held)
		memcpy(reserve.bytes, old, held < size ? held : size);
	free(old);
	reserve.used = true;
	return reserve.bytes;
}

static void *leave_reserve(size_t size)
{
	PD_ASSERT(reserve.used && size > reserve.size);
	void *out = malloc(size);
	if (!out)
		return NULL;
	memcpy(out, reserve.bytes, reserve.size);
	reserve.used = false;
	return out;
}

static void *loop_realloc(void *old, size_t size)
{
	if (old && old == reserve.bytes)
		return size <= reserve.size ? old : leave_reserve(size);
	void *out = realloc(old, size);
	return out || !size || reserve.used || size > reserve.size ? out : take_reserve(old, size);
}

static void loop_free(void *old)
{
	if (old && old == reserve.bytes)
		reserve.used = false;
	else
		free(old);
}

int dm_loop_memory_init(unsigned descriptors, struct pd_fail *fail)
{
	if (reserve.bytes)
		return PD_OK;
	reserve.size = 2 * ((size_t)descriptors + 2) * sizeof(void *); /* it grows to a power of two */
	reserve.bytes = malloc(reserve.size);
	if (!reserve.bytes)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the event loop");
	return uv_replace_allocator(malloc, loop_realloc, calloc, loop_free)
		       ? pd_fail_set(fail, PD_E_INTERNAL, "", "libuv does not accept an allocator")
		       : PD_OK;
}
