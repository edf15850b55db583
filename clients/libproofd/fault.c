#include "clients/libproofd/fault.h"

#include <stdarg.h>
#include <stdio.h>

#include "proto/doc.h"

/* fault.h defines these macros for the analyzer. */
#undef pc_fault
#undef pc_fault_code
#undef pc_fault_memory

__attribute__((format(printf, 5, 0))) static int fill(struct proofd_error *error, int code, const char *slug,
						      const char *field, const char *format, va_list ap)
{
	char text[sizeof error->message]; /* the arguments may point into the error itself */
	if (!error)
		return -1;
	vsnprintf(text, sizeof text, format, ap);
	*error = (struct proofd_error){.code = code};
	snprintf(error->slug, sizeof error->slug, "%s", slug);
	snprintf(error->field, sizeof error->field, "%s", field);
	snprintf(error->message, sizeof error->message, "%s", text);
	return -1;
}

int pc_fault(struct proofd_error *error, const char *slug, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	fill(error, 0, slug, "", format, ap);
	va_end(ap);
	return -1;
}

int pc_fault_code(struct proofd_error *error, enum pd_error code, const char *field, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	fill(error, code, pd_error_slug(code), field, format, ap);
	va_end(ap);
	return -1;
}

int pc_fault_fail(struct proofd_error *error, const struct pd_fail *fail)
{
	return pc_fault_code(error, (enum pd_error)fail->code, fail->field, "%s", fail->text);
}

int pc_fault_memory(struct proofd_error *error)
{
	return pc_fault_code(error, PD_E_NO_MEMORY, "", "out of memory");
}

int pc_fault_copy(struct proofd_error *error, const struct proofd_error *from)
{
	if (error)
		*error = *from;
	return -1;
}

int pc_fault_reply(struct proofd_error *error, pr_ref reply)
{
	pr_ref data = pr_get(reply, "data");
	*error = (struct proofd_error){.code = (int)pr_get_int(reply, "code", PD_E_INTERNAL)};
	snprintf(error->slug, sizeof error->slug, "%s", pr_get_str(data, "slug", "internal"));
	snprintf(error->field, sizeof error->field, "%s", pr_get_str(data, "field", ""));
	snprintf(error->message, sizeof error->message, "%s", pr_get_str(reply, "message", "the server refused"));
	return -1;
}
