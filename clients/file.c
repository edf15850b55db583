#include "clients/file.h"

#include <errno.h>
#include <stdio.h>

#include "proto/base/assert.h"

bool cl_file_is_stdout(const struct cl_options *options, enum cl_option option)
{
	return cl_given(options, option) && !strcmp(options->text[option], "-");
}

int cl_file_check(const struct cl_options *options, enum cl_option option, struct pd_fail *fail)
{
	const char *name = cl_option_info(option)->name;
	return cl_file_is_stdout(options, option) && cl_given(options, CL_OPT_JSON)
		       ? pd_fail_set(fail, PD_E_USAGE, name, "--%s - and --json both write to stdout", name)
		       : PD_OK;
}

int cl_file_write(const struct cl_options *options, enum cl_option option, const char *text, struct pd_fail *fail)
{
	const char *name = options->text[option];
	PD_ASSERT(name);
	FILE *file = cl_file_is_stdout(options, option) ? stdout : fopen(name, "w");
	size_t size = strlen(text);
	bool good = file && fwrite(text, 1, size, file) == size;
	if (file && file != stdout && fclose(file))
		good = false;
	return good ? PD_OK
		    : pd_fail_set(fail, PD_E_IO, cl_option_info(option)->name, "cannot write %.200s: %s", name,
				  strerror(errno));
}
