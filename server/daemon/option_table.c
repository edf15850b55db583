#include "server/daemon/option_table.h"

#include <getopt.h>

#include "proto/base/assert.h"
#include "proto/doc.h"
#include "server/core.h"
#include "server/daemon/log_file.h"

enum { FIRST_ID = 256 /* of rows, for getopt_long: above the characters that it returns */ };

enum { HELP_COLUMN = 26 };

static int read_number(const struct dm_option_row *row, const char *text, double *out, struct pd_fail *fail)
{
	char *end;
	bool whole = row->kind != DM_KIND_REAL;
	double value = strtod(text, &end);
	PD_ASSERT(row->min < row->max);
	if (end == text || *end || !(value >= row->min && value <= row->max) || (whole && value != (double)(long)value))
		return pd_fail_set(fail, PD_E_USAGE, row->name, "--%s takes %s from %g to %g, not '%.40s'", row->name,
				   whole ? "an integer" : "a number", row->min, row->max, text);
	*out = value;
	return PD_OK;
}

static int read_size(const struct dm_option_row *row, const char *text, uint64_t *out, struct pd_fail *fail)
{
	const double mega = 1 << 20;
	struct pd_fail why;
	if (pr_size_parse(text, out, &why))
		return pd_fail_set(fail, PD_E_USAGE, row->name, "--%s: %.280s", row->name, why.text);
	if ((double)*out < row->min)
		return pd_fail_set(fail, PD_E_USAGE, row->name, "--%s takes a size of %gM or more, not '%.40s'",
				   row->name, row->min < mega ? 1 : row->min / mega, text);
	return PD_OK;
}

int dm_option_set(const struct dm_option_row *row, const char *text, void *options, struct pd_fail *fail)
{
	void *member = (char *)options + row->offset;
	double number = 0;
	int rc = PD_OK;
	PD_ASSERT(!row->section && !text == !row->argument);
	switch (row->kind) {
	case DM_KIND_WORD:
		*(const char **)member = text;
		break;
	case DM_KIND_WORD_OR_NONE:
		*(const char **)member = strcmp(text, "none") != 0 ? text : NULL;
		break;
	case DM_KIND_FLAG:
		*(bool *)member = true;
		break;
	case DM_KIND_SIZE:
		return read_size(row, text, member, fail);
	case DM_KIND_UNSIGNED:
		rc = read_number(row, text, &number, fail);
		*(unsigned *)member = (unsigned)number;
		break;
	case DM_KIND_INT:
		rc = read_number(row, text, &number, fail);
		*(int *)member = (int)number;
		break;
	case DM_KIND_REAL:
		return read_number(row, text, member, fail);
	case DM_KIND_READ:
		return row->read(row->name, text, member, fail);
	}
	return rc;
}

/* The index of a word in a list; `count` if it is not there. */
static unsigned find_word(const char *text, const char *const *words, unsigned count)
{
	unsigned i = 0;
	while (i < count && strcmp(text, words[i]) != 0)
		i++;
	return i;
}

int dm_read_log_level(const char *name, const char *text, void *member, struct pd_fail *fail)
{
	static const char *const levels[] = {"error", "warn", "info", "debug"};
	unsigned i = find_word(text, levels, 4);
	if (i == 4)
		return pd_fail_set(fail, PD_E_USAGE, name, "--%s takes error, warn, info or debug, not '%.40s'", name,
				   text);
	*(enum pd_log_level *)member = (enum pd_log_level)i;
	return PD_OK;
}

int dm_read_log_form(const char *name, const char *text, void *member, struct pd_fail *fail)
{
	static const char *const forms[] = {"text", "json", "journal"};
	unsigned i = find_word(text, forms, 3);
	if (i == 3)
		return pd_fail_set(fail, PD_E_USAGE, name, "--%s takes text, json or journal, not '%.40s'", name, text);
	*(enum dm_log_form *)member = (enum dm_log_form)(DM_LOG_AS_TEXT + i);
	return PD_OK;
}

int dm_read_game_dir(const char *name, const char *text, void *member, struct pd_fail *fail)
{
	return sv_game_dirs_add(member, name, text, fail);
}

int dm_check_pair(const char *prefix, const char *cert, const char *key, struct pd_fail *fail)
{
	char missing[40];
	if (!cert == !key)
		return PD_OK;
	snprintf(missing, sizeof missing, "%stls-%s", prefix, cert ? "key" : "cert");
	return pd_fail_set(fail, PD_E_USAGE, missing,
			   "--%stls-cert and --%stls-key belong together: a certificate and its key", prefix, prefix);
}

const struct dm_option_row *dm_option_find(const struct dm_option_table *table, const char *name)
{
	for (const struct dm_option_row *row = table->rows; row < table->rows + table->count; row++)
		if (!row->section && !strcmp(row->name, name))
			return row;
	return NULL;
}

int dm_option_parse(const struct dm_option_table *table, int argc, char **argv, void *options, bool *given,
		    struct pd_fail *fail)
{
	struct option list[DM_ROWS_MAX + 1] = {0};
	unsigned count = 0;
	PD_ASSERT(table->count <= DM_ROWS_MAX);
	for (size_t i = 0; i < table->count; i++)
		if (!table->rows[i].section)
			list[count++] = (struct option){table->rows[i].name,
							table->rows[i].argument ? required_argument : no_argument, NULL,
							(int)i + FIRST_ID};
	opterr = optind = 0;
	for (int id; (id = getopt_long(argc, argv, ":h", list, NULL)) != -1;) {
		const char *word = argv[optind - 1];
		if (id == ':')
			return pd_fail_set(fail, PD_E_USAGE, word, "%.80s needs a value; see %s --help", word,
					   table->command);
		if (id == '?')
			return pd_fail_set(fail, PD_E_USAGE, word,
					   "%.80s is not an option of %s, or takes no value; see %s --help", word,
					   table->command, table->command);
		const struct dm_option_row *row =
			id == 'h' ? dm_option_find(table, "help") : &table->rows[id - FIRST_ID];
		given[row - table->rows] = true;
		int rc = dm_option_set(row, optarg, options, fail);
		if (rc)
			return rc;
	}
	if (optind < argc)
		return pd_fail_set(fail, PD_E_USAGE, argv[optind], "unexpected argument '%.80s'; see %s --help",
				   argv[optind], table->command);
	return PD_OK;
}

void dm_option_help(const struct dm_option_table *table, FILE *file)
{
	for (const struct dm_option_row *row = table->rows; row < table->rows + table->count; row++) {
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
