#include "server/daemon/option_table.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/doc.h"

enum { HELP_COLUMN = 26 };

int dm_read_number(const char *name, const char *text, struct dm_number_range range, double *out, struct pd_fail *fail)
{
	char *end;
	double value = strtod(text, &end);
	PD_ASSERT(range.min <= range.max);
	if (end == text || *end || !(value >= range.min && value <= range.max) ||
	    (range.whole && value != (double)(long)value))
		return pd_fail_set(fail, PD_E_USAGE, name, "--%s takes %s from %g to %g, not '%.40s'", name,
				   range.whole ? "an integer" : "a number", range.min, range.max, text);
	*out = value;
	return PD_OK;
}

int dm_read_unsigned(const char *name, const char *text, double min, double max, unsigned *out, struct pd_fail *fail)
{
	double value = 0;
	int rc = dm_read_number(name, text, (struct dm_number_range){min, max, true}, &value, fail);
	if (!rc)
		*out = (unsigned)value;
	return rc;
}

int dm_read_size(const char *name, const char *text, uint64_t *out, struct pd_fail *fail)
{
	struct pd_fail why;
	if (pr_size_parse(text, out, &why))
		return pd_fail_set(fail, PD_E_USAGE, name, "--%s: %.280s", name, why.text);
	return PD_OK;
}

int dm_read_nice(const char *text, int *out, struct pd_fail *fail)
{
	double number = 0;
	int rc = dm_read_number("nice", text, (struct dm_number_range){0, 19, true}, &number, fail);
	*out = rc ? 0 : (int)number;
	return rc;
}

int dm_read_log(const char *text, enum pd_log_level *out, struct pd_fail *fail)
{
	static const char *const names[] = {"error", "warn", "info", "debug"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(text, names[i])) {
			*out = (enum pd_log_level)i;
			return PD_OK;
		}
	return pd_fail_set(fail, PD_E_USAGE, "log", "--log takes error, warn, info or debug, not '%.40s'", text);
}

int dm_read_form(const char *text, enum dm_log_form *out, struct pd_fail *fail)
{
	static const char *const names[] = {
		[DM_LOG_AS_TEXT] = "text", [DM_LOG_AS_JSON] = "json", [DM_LOG_AS_JOURNAL] = "journal"};
	for (unsigned i = DM_LOG_AS_TEXT; i < sizeof names / sizeof *names; i++)
		if (!strcmp(text, names[i])) {
			*out = (enum dm_log_form)i;
			return PD_OK;
		}
	return pd_fail_set(fail, PD_E_USAGE, "log-format", "--log-format takes text, json or journal, not '%.40s'",
			   text);
}

void dm_option_help(const struct dm_option_row *rows, size_t count, FILE *file)
{
	for (const struct dm_option_row *row = rows; row < rows + count; row++) {
		if (row->section) {
			fprintf(file, "\n%s:\n", row->section);
			continue;
		}
		int width = fprintf(file, "  --%s %s", row->name, row->argument ? row->argument : "");
		if (width >= HELP_COLUMN)
			width = fprintf(file, "\n") - 1;
		fprintf(file, "%*s%s", HELP_COLUMN - width, "", row->help);
		fprintf(file, "%s%s\n", row->initial ? "; default: " : "", row->initial ? row->initial : "");
	}
}
