#include "tests/support/shortage.h"

#include <stdatomic.h>
#include <stddef.h>

static atomic_long countdown; /* allocations until they fail; 0: never */
static atomic_long burst;     /* number of failures then */
static atomic_long failures;
static _Thread_local bool spared;
static _Thread_local long here; /* failures in this thread since it armed */

static bool must_fail(void)
{
	long left = atomic_load(&countdown);
	if (spared)
		return false;
	while (left > 1 && !atomic_compare_exchange_weak(&countdown, &left, left - 1))
		;
	if (left != 1 || atomic_fetch_sub(&burst, 1) <= 0)
		return false;
	atomic_fetch_add(&failures, 1);
	here++;
	return true;
}

void shortage_arm(long k, long count)
{
	here = 0;
	atomic_store(&failures, 0);
	atomic_store(&burst, count);
	atomic_store(&countdown, k);
}

long shortage_end(void)
{
	atomic_store(&countdown, 0);
	return atomic_load(&failures);
}

long shortage_here(void)
{
	return here;
}

void shortage_spare(bool spare)
{
	spared = spare;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size)
{
	return must_fail() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return must_fail() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return must_fail() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
	return must_fail() ? NULL : __real_strdup(text);
}
