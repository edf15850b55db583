/* Option table: what the command lines of proofd and of `proofd worker` have in common: the rows of options.def and
 * worker_options.def, --help, and the values that options take. Errors of the readers are PD_E_USAGE, with the option
 * as field and a sentence that names it. */
#ifndef DM_OPTION_TABLE_H
#define DM_OPTION_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/base/error.h"
#include "proto/base/log.h"
#include "server/daemon/log_file.h"

enum dm_option_where { DM_ANYWHERE, DM_LINE_ONLY, DM_REPEATED };

/* A row of a table: a section's title, or an option. */
struct dm_option_row {
	const char *section; /* NULL: an option */
	const char *name, *argument, *initial, *help, *manual;
	enum dm_option_where where;
	int id;
};

/* What an option takes. */
struct dm_number_range {
	double min, max;
	bool whole;
};

int dm_read_number(const char *name, const char *text, struct dm_number_range range, double *out, struct pd_fail *fail);
/* An integer. */
int dm_read_unsigned(const char *name, const char *text, double min, double max, unsigned *out, struct pd_fail *fail);
int dm_read_size(const char *name, const char *text, uint64_t *out, struct pd_fail *fail);
int dm_read_nice(const char *text, int *out, struct pd_fail *fail);
int dm_read_log(const char *text, enum pd_log_level *out, struct pd_fail *fail);
int dm_read_form(const char *text, enum dm_log_form *out, struct pd_fail *fail);

/* The rows from *rows on, `count` of them, as --help shows them. */
void dm_option_help(const struct dm_option_row *rows, size_t count, FILE *file);

#endif
