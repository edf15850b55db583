/* Assertions: a wrong state stops the process with file, line and condition.
 *
 * PD_ASSERT stays in every build, so its condition is cheap: comparisons, flags. PD_DEBUG_ASSERT is for expensive
 * conditions (a walk over a list, a second look-up): it is checked in debug and sanitizer builds (PD_DEBUG) and only
 * compiled in others. Assertions check the program; wrong input from a disk or a client is an error, never asserted. */
#pragma once

#include <stdbool.h>

/* Prints the place and the condition to stderr and aborts. */
_Noreturn void pd_assert_fail(const char *file, int line, const char *condition);

#define PD_ASSERT(condition)                                                                                           \
	(__builtin_expect(!(condition), 0) ? pd_assert_fail(__FILE__, __LINE__, #condition) : (void)0)

#ifdef PD_DEBUG
#define PD_DEBUG_ASSERT(condition) PD_ASSERT(condition)
#else
#define PD_DEBUG_ASSERT(condition) ((void)(0 && (condition)))
#endif
