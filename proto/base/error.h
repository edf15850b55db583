/* Errors: the one list.
 *
 * Bad input, a full disk or a damaged file is an error code; a programming error is an assertion. A function that can
 * fail returns an `enum pd_error` as int, 0 for success, and describes the failure in a `struct pd_fail` that the
 * caller owns. A caller handles an error or passes it on, never both. */
#pragma once

#include <stddef.h>

#include "proto/base/fail.h"

/* Fills *fail, which may be NULL, and returns code. */
int pd_fail_set(struct pd_fail *fail, enum pd_error code, const char *field, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
#ifdef __clang_analyzer__ /* which reads one file at a time and does not know what the function returns */
#define pd_fail_set(fail, code, ...) (pd_fail_set((fail), (code), __VA_ARGS__), (code) ? (int)(code) : PD_E_INTERNAL)
#endif

/* pd_fail_set with the code of `errno`: "cannot DOING WHAT: ...". */
int pd_fail_errno(struct pd_fail *fail, const char *field, const char *doing, const char *what);

/* The slug and the meaning of a code; "unknown" for a number that is not in the list. */
const char *pd_error_slug(int code);
const char *pd_error_meaning(int code);

/* Translates an errno value at the border: ENOSPC, EDQUOT, EFBIG -> PD_E_NO_SPACE; ENOMEM, EMFILE, ENFILE, which
 * say nothing about the file -> PD_E_NO_MEMORY; ENOENT -> PD_E_NOT_FOUND; everything else PD_E_IO. */
enum pd_error pd_error_of_errno(int errnum);
