/* pd_fail_set for plug-ins, which do not link error.c. Part of the installed headers (fail.h). */
#pragma once

#include <stdarg.h>
#include <stdio.h>

#include "proto/base/fail.h"

/* Fills *fail, which may be NULL, and returns code. */
__attribute__((format(printf, 4, 5), unused)) static int game_fail(struct pd_fail *fail, enum pd_error code,
								   const char *field, const char *format, ...)
{
	if (fail) {
		va_list ap;
		fail->code = code;
		snprintf(fail->field, sizeof fail->field, "%s", field);
		va_start(ap, format);
		vsnprintf(fail->text, sizeof fail->text, format, ap);
		va_end(ap);
	}
	return code;
}
