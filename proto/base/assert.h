/* Assertions: a wrong state stops the process with file, line and condition.
 *
 * PD_ASSERT stays in every build, so its condition is cheap: comparisons, flags. PD_DEBUG_ASSERT is for what costs more
 * (a walk over a list, a second look-up): it is checked in debug and sanitizer builds (PD_DEBUG) and only compiled in
 * others. Assertions hold the program to its own rules. Input from disk or from a client is never asserted: it is an
 * error. */
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
