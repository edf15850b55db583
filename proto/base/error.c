#include "proto/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

int pd_fail_errno(struct pd_fail *fail, const char *field, const char *doing, const char *what)
{
	int error = errno;
	return pd_fail_set(fail, pd_error_of_errno(error), field, "cannot %s %.200s: %s", doing, what, strerror(error));
}

static const struct error_row {
	enum pd_error code;
	const char *slug, *meaning;
} rows[] = {
#define X(name, number, slug, meaning) {name, slug, meaning},
	PD_ERRORS(X)
#undef X
};

static const struct error_row *find_row(int code)
{
	static const struct error_row unknown = {PD_OK, "unknown", "unknown"};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		if ((int)rows[i].code == code)
			return &rows[i];
	return &unknown;
}

const char *pd_error_slug(int code)
{
	return find_row(code)->slug;
}

const char *pd_error_meaning(int code)
{
	return find_row(code)->meaning;
}

enum pd_error pd_error_of_errno(int errnum)
{
	switch (errnum) {
	case ENOSPC:
	case EDQUOT:
	case EFBIG: /* a limit on the size of files has the same remedy */
		return PD_E_NO_SPACE;
	case ENOMEM:
	case EMFILE:
	case ENFILE:
		return PD_E_NO_MEMORY;
	case ENOENT:
		return PD_E_NOT_FOUND;
	default:
		return PD_E_IO;
	}
}
