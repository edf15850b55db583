/* Table: columns of text that fit the terminal.
 *
 * A file or a pipe gets every column at its full width, for scripts. On a terminal, a table that is too wide loses
 * columns, those of the largest rank first; then its flexible columns share the rest. All tables here fit
 * 45 columns. After the head, add the cells of each row in order. */
#pragma once

#include "clients/text.h"

enum { CL_COLUMNS_MAX = 8 };

struct cl_column {
	const char *title;
	unsigned width; /* maximum; longer text is cut on a terminal, and left whole in a file */
	unsigned min;   /* minimum of a flexible column, which may shrink; else 0 */
	unsigned rank;  /* the largest is dropped first when there is no room; 0: never dropped */
	bool right;     /* numbers */
};

struct cl_table {
	FILE *file;                      /* borrowed */
	const struct cl_column *columns; /* borrowed */
	unsigned count;
	unsigned width[CL_COLUMNS_MAX]; /* as shown; 0: not shown */
	unsigned at;                    /* the column of the next cell */
	unsigned pad;                   /* blanks to print before it */
	bool cut;                       /* a terminal: cells are cut to their width */
	struct cl_ink ink;              /* for its cells */
};

/* Begins a table and prints its head; `count` up to CL_COLUMNS_MAX. */
void cl_table_begin(struct cl_table *table, FILE *file, const struct cl_column *columns, unsigned count);
/* Begins a table, without its head, for a given number of columns of the terminal; CL_NO_LIMIT: any. */
void cl_table_fit(struct cl_table *table, FILE *file, const struct cl_column *columns, unsigned count, unsigned limit);
void cl_table_head(struct cl_table *table);
/* The next cell of the row; the last one ends the line. */
void cl_table_cell(struct cl_table *table, const char *text);
/* The same in a colour: a member of table->ink. */
void cl_table_ink(struct cl_table *table, const char *text, const char *ink);
/* The rest of the row in one text, wrapped; ends the line. */
void cl_table_rest(struct cl_table *table, const char *text, const char *ink);
