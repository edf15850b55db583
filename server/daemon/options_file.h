/* Options file: the lines `NAME = VALUE` of a configuration file. The caller knows the names. */
#pragma once

#include "proto/base/error.h"

/* A line; borrowed. */
struct dm_file_line {
	const char *name, *value; /* without blanks around them */
	unsigned line;            /* from 1 */
};
struct dm_file_text {
	const char *data;
	size_t size;
};
typedef int dm_take_line(void *ctx, const struct dm_file_line *line, struct pd_fail *fail);

/* Calls take(ctx, ...) for each line in order, until it fails. PD_E_USAGE with the name as field and a sentence that
 * begins with file and line: a line is malformed or was not taken. PD_E_USAGE with field "config": the file cannot be
 * read, or is not a regular file of at most 1 MiB. */
int dm_options_file_read(const char *path, dm_take_line *take, void *ctx, struct pd_fail *fail);
/* The same for the text of that file. */
int dm_options_file_parse(const char *path, struct dm_file_text text, dm_take_line *take, void *ctx,
			  struct pd_fail *fail);
