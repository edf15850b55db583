#include "proto/base/assert.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void pd_assert_fail(const char *file, int line, const char *condition)
{
	fprintf(stderr, "proofd: %s:%d: assertion failed: %s\n", file, line, condition);
	fflush(stderr);
	abort();
}
