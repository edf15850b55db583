#include "proto/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#undef pd_fail_set /* error.h defines it for the analyzer */

int pd_fail_set(struct pd_fail *fail, enum pd_error code, const char *field, const char *format, ...)
{
	if (fail) {
		va_list ap;
		fail->code = code;
		snprintf(fail->field, sizeof fail->field, "%s", field ? field : "");
		va_start(ap, format);
		vsnprintf(fail->text, sizeof fail->text, format, ap);
		va_end(ap);
	}
	return code;
}

const char *pd_error_slug(int code)
{
	switch (code) {
#define X(name, number, slug, meaning)                                                                                 \
	case name:                                                                                                     \
		return slug;
		PD_ERRORS(X)
#undef X
	}
	return "unknown";
}

const char *pd_error_meaning(int code)
{
	switch (code) {
#define X(name, number, slug, meaning)                                                                                 \
	case name:                                                                                                     \
		return meaning;
		PD_ERRORS(X)
#undef X
	}
	return "unknown";
}

enum pd_error pd_error_of_errno(int errnum)
{
	switch (errnum) {
	case ENOSPC:
	case EDQUOT:
	case EFBIG: /* a limit on the size of files is a full disk to anyone who has to make room */
		return PD_E_NO_SPACE;
	case ENOMEM:
		return PD_E_NO_MEMORY;
	case ENOENT:
		return PD_E_NOT_FOUND;
	default:
		return PD_E_IO;
	}
}
