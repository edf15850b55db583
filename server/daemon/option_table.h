/* Option table: what the command lines of proofd and of `proofd worker` share: rows of options, the parser that they
 * drive, --help, and the values that options take. Errors are PD_E_USAGE, with the option as field and a sentence that
 * names it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/base/error.h"

enum dm_option_where { DM_ANYWHERE, DM_LINE_ONLY, DM_REPEATED };

enum dm_option_kind {
	DM_KIND_WORD,
	DM_KIND_WORD_OR_NONE, /* "none" is NULL */
	DM_KIND_FLAG,
	DM_KIND_SIZE,
	DM_KIND_UNSIGNED,
	DM_KIND_INT,
	DM_KIND_REAL,
	DM_KIND_READ
};

/* Reads a text into the member of the row. */
typedef int dm_read_option(const char *name, const char *text, void *member, struct pd_fail *fail);

/* A row of a table: a section's title, or an option. */
struct dm_option_row {
	const char *section; /* NULL: an option */
	const char *name, *argument, *initial, *help, *manual;
	enum dm_option_where where;
	enum dm_option_kind kind;
	size_t offset;        /* of the member that it sets, in the struct of the table's program */
	double min, max;      /* of numbers and sizes; max 0: no limit of sizes */
	dm_read_option *read; /* of DM_KIND_READ */
};

enum { DM_ROWS_MAX = 80 };

struct dm_option_table {
	const struct dm_option_row *rows;
	size_t count; /* at most DM_ROWS_MAX */
	const char *command;
};

/* The column `value` of options.def and worker_options.def. DM_OPTIONS is the struct of the member, whose type says
 * how the text is read. */
#define DM_SET(member)                                                                                                 \
	.kind = _Generic(((DM_OPTIONS *)0)->member, const char *                                                       \
			 : DM_KIND_WORD, bool                                                                          \
			 : DM_KIND_FLAG, uint64_t                                                                      \
			 : DM_KIND_SIZE, unsigned                                                                      \
			 : DM_KIND_UNSIGNED, int                                                                       \
			 : DM_KIND_INT, double                                                                         \
			 : DM_KIND_REAL),                                                                              \
	.offset = offsetof(DM_OPTIONS, member)
#define DM_SET_OR_NONE(member)      .kind = DM_KIND_WORD_OR_NONE, .offset = offsetof(DM_OPTIONS, member)
#define DM_RANGE(member, low, high) DM_SET(member), .min = low, .max = high
#define DM_READ(member, function)   .kind = DM_KIND_READ, .offset = offsetof(DM_OPTIONS, member), .read = function
#define DM_READ_INTO_ALL(function)  .kind = DM_KIND_READ, .read = function

#define DM_SECTION(title) {.section = title},
#define DM_OPTION(name, argument, initial, where, value, help, manual)                                                 \
	{NULL, name, argument, initial, help, manual, DM_##where, DM_##value},

/* The row of a name; NULL: none. */
const struct dm_option_row *dm_option_find(const struct dm_option_table *table, const char *name);
/* Sets one option. The text is borrowed for as long as `options`; NULL when the option takes none. */
int dm_option_set(const struct dm_option_row *row, const char *text, void *options, struct pd_fail *fail);
/* Reads a command line into `options`, the struct of the table. given[i]: row i was given. */
int dm_option_parse(const struct dm_option_table *table, int argc, char **argv, void *options, bool *given,
		    struct pd_fail *fail);
/* Prints the rows as --help shows them. */
void dm_option_help(const struct dm_option_table *table, FILE *file);

/* For rows. The member: an enum pd_log_level, an enum dm_log_form, a struct sv_game_dirs. */
int dm_read_log_level(const char *name, const char *text, void *member, struct pd_fail *fail);
int dm_read_log_form(const char *name, const char *text, void *member, struct pd_fail *fail);
int dm_read_game_dir(const char *name, const char *text, void *member, struct pd_fail *fail);

/* A certificate and its key must be given together. `prefix`: that of the two options' names. */
int dm_check_pair(const char *prefix, const char *cert, const char *key, struct pd_fail *fail);
