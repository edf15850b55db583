#include "clients/table.h"

#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/print.h"

enum { GAP = 2 }; /* blanks between two columns */

/* The width of the table with its flexible columns at their minimum. */
static unsigned sum_widths(const struct cl_table *t)
{
	unsigned sum = 0, shown = 0;
	for (unsigned i = 0; i < t->count; i++) {
		sum += !t->width[i] ? 0 : t->columns[i].min ? t->columns[i].min : t->columns[i].width;
		shown += t->width[i] != 0;
	}
	return sum + (shown ? shown - 1 : 0) * GAP;
}

/* Drops the column of the largest rank; false if all that are left must stay. */
static bool drop_one(struct cl_table *t)
{
	unsigned worst = CL_COLUMNS_MAX;
	for (unsigned i = 0; i < t->count; i++)
		if (t->width[i] && t->columns[i].rank &&
		    (worst == CL_COLUMNS_MAX || t->columns[i].rank > t->columns[worst].rank))
			worst = i;
	if (worst == CL_COLUMNS_MAX)
		return false;
	t->width[worst] = 0;
	return true;
}

void cl_table_fit(struct cl_table *table, FILE *file, const struct cl_column *columns, unsigned count, unsigned limit)
{
	PD_ASSERT(count && count <= CL_COLUMNS_MAX);
	*table = (struct cl_table){
		.file = file, .columns = columns, .count = count, .cut = limit != CL_NO_LIMIT, .ink = cl_ink_of(file)};
	for (unsigned i = 0; i < count; i++) {
		PD_ASSERT(columns[i].width >= columns[i].min && columns[i].width);
		table->width[i] = columns[i].width;
	}
	while (sum_widths(table) >= limit && drop_one(table))
		;
	unsigned used = sum_widths(table), spare = limit > used + 1 ? limit - used - 1 : 0;
	for (unsigned i = 0; i < count; i++) {
		if (!table->width[i] || !columns[i].min)
			continue;
		unsigned more = columns[i].width - columns[i].min;
		more = more < spare ? more : spare;
		table->width[i] = columns[i].min + more;
		spare -= more;
	}
}

void cl_table_head(struct cl_table *table)
{
	for (unsigned i = 0; i < table->count; i++)
		cl_table_ink(table, table->columns[i].title, table->ink.dim);
}

void cl_table_begin(struct cl_table *table, FILE *file, const struct cl_column *columns, unsigned count)
{
	cl_table_fit(table, file, columns, count, cl_limit(file));
	cl_table_head(table);
}

void cl_table_ink(struct cl_table *table, const char *text, const char *ink)
{
	PD_ASSERT(table->at < table->count);
	unsigned width = table->width[table->at], size = (unsigned)strlen(text);
	if (width) {
		unsigned shown = table->cut && size > width ? width : size, fill = shown < width ? width - shown : 0;
		bool right = table->columns[table->at].right;
		pd_print(table->file, "%*s%s%.*s%s", (int)(table->pad + (right ? fill : 0)), "", ink, (int)shown, text,
			 *ink ? table->ink.off : "");
		table->pad = GAP + (right ? 0 : fill);
	}
	if (++table->at < table->count)
		return;
	fputc('\n', table->file);
	table->at = table->pad = 0;
}

void cl_table_cell(struct cl_table *table, const char *text)
{
	cl_table_ink(table, text, "");
}

void cl_table_rest(struct cl_table *table, const char *text, const char *ink)
{
	unsigned used = 0;
	for (unsigned i = 0; i < table->at && i < table->count; i++)
		used += table->width[i] ? table->width[i] + GAP : 0;
	pd_print(table->file, "%*s%s", (int)table->pad, "", ink);
	cl_wrap(table->file, text, used, used, table->cut ? cl_width(table->file) : CL_NO_LIMIT);
	pd_print(table->file, "%s", *ink ? table->ink.off : "");
	table->at = table->pad = 0;
}
