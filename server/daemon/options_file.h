/* Options file: the lines `NAME = VALUE` of a configuration file. Which names there are is the reader's matter. */
#ifndef DM_OPTIONS_FILE_H
#define DM_OPTIONS_FILE_H

#include <stddef.h>

#include "proto/base/error.h"

/* What a line says; borrowed. */
struct dm_file_line {
	const char *name, *value; /* without blanks around them */
	unsigned line;            /* from 1 */
};
struct dm_file_text {
	const char *data;
	size_t size;
};
typedef int dm_take_line(void *ctx, const struct dm_file_line *line, struct pd_fail *fail);

/* Calls take(ctx, ...) for each such line, in their order, until it fails. PD_E_USAGE, with the name as field and a
 * sentence that begins with file and line: a line is malformed, or was not taken. PD_E_USAGE with field "config" when
 * the file cannot be read, or is no plain file of at most 1 MiB. */
int dm_options_file_read(const char *path, dm_take_line *take, void *ctx, struct pd_fail *fail);
/* The same of a text of `size` bytes that stands in that file. */
int dm_options_file_parse(const char *path, struct dm_file_text text, dm_take_line *take, void *ctx,
			  struct pd_fail *fail);

#endif
