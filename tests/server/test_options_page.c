/* The pages say of the options what options.def says. `test_server write_options_pages` writes
 * the parts of the pages that are made from the table (./dev options). */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/buf.h"
#include "server/daemon/options.h"
#include "server/daemon/worker_options.h"
#include "tests/support/suite.h"

#define FOLDER TEST_DATA "/../../server/daemon/"
#define BEGIN  " made of options.def by ./dev options: begin\n" /* behind a mark of comments */
#define END    " made of options.def by ./dev options: end\n"

enum { PAGE_MAX = 1 << 18 };

static void put_char(struct pd_buf *out, char c)
{
	pd_buf_put(out, &c, 1);
}

/* `bold` and _italic_ in roff; a line for each sentence. */
static void put_text(struct pd_buf *out, const char *text)
{
	char font = 0;
	for (const char *c = text; *c; c++) {
		if ((*c == '`' || *c == '_') && (!font || font == *c)) {
			font = font ? 0 : *c;
			pd_buf_puts(out, !font ? "\\fR" : font == '`' ? "\\fB" : "\\fI");
		} else if (*c == '-' && font) {
			pd_buf_puts(out, "\\-");
		} else if (!strncmp(c, ". ", 2) && isupper((unsigned char)c[2])) {
			pd_buf_puts(out, ".\n");
			c++;
		} else {
			put_char(out, *c);
		}
	}
	out->failed = out->failed || font; /* a mark is not closed */
}

/* A name, in which hyphens are to be copied; `|` separates words. */
static void put_name(struct pd_buf *out, const char *name)
{
	for (; *name; name++)
		if (*name == '-')
			pd_buf_puts(out, "\\-");
		else if (*name == '|')
			pd_buf_puts(out, "\\fR|\\fB");
		else
			put_char(out, *name);
}

static void put_heading(struct pd_buf *out, const struct dm_option_row *row)
{
	bool choice = row->argument && strchr(row->argument, '|');
	pd_buf_puts(out, row->argument && !choice ? ".TP\n.BI \\-\\-" : ".TP\n.B \\-\\-");
	put_name(out, row->name);
	if (row->argument) {
		pd_buf_puts(out, choice ? " " : " \" ");
		put_name(out, row->argument);
		pd_buf_puts(out, choice ? "" : "\"");
	}
	pd_buf_puts(out, "\n");
}

static void put_manual(struct pd_buf *out, const struct dm_option_row *row)
{
	if (row->manual) {
		put_text(out, row->manual);
	} else {
		put_char(out, (char)toupper((unsigned char)row->help[0]));
		pd_buf_puts(out, row->help + 1);
		put_char(out, '.');
	}
	pd_buf_puts(out, "\n");
	if (row->initial) {
		pd_buf_puts(out, "Default: ");
		pd_buf_puts(out, row->initial);
		pd_buf_puts(out, ".\n");
	}
}

/* Whether a section has options for the configuration file. */
static bool section_in_file(const struct dm_option_row *row, const struct dm_option_row *end)
{
	while (++row < end && !row->section)
		if (row->where != DM_LINE_ONLY)
			return true;
	return false;
}

static void print_manual(struct pd_buf *out, const struct dm_option_table *table)
{
	for (const struct dm_option_row *row = table->rows; row < table->rows + table->count; row++) {
		if (row->section) {
			pd_buf_printf(out, ".SS %s\n", row->section);
		} else {
			put_heading(out, row);
			put_manual(out, row);
		}
	}
}

/* The default, without what stands behind it, or the kind of value there is. */
static void put_example(struct pd_buf *out, const struct dm_option_row *row)
{
	const char *value = !row->argument ? "no" : row->initial && !strpbrk(row->initial, " ") ? row->initial : NULL;
	const char *note = row->argument && row->initial ? strchr(row->initial, ';') : NULL;
	if (note && !value && !memchr(row->initial, ' ', (size_t)(note - row->initial)))
		pd_buf_put(out, row->initial, (size_t)(note - row->initial));
	else
		pd_buf_puts(out, value ? value : row->argument);
}

static void print_example(struct pd_buf *out, const struct dm_option_table *table)
{
	enum { COLUMN = 34 };
	const struct dm_option_row *end = table->rows + table->count;
	for (const struct dm_option_row *row = table->rows; row < end; row++) {
		if (row->section && section_in_file(row, end)) {
			pd_buf_printf(out, "\n# --- %s\n", row->section);
		} else if (!row->section && row->where != DM_LINE_ONLY) {
			size_t before = out->size;
			pd_buf_printf(out, ";%s = ", row->name);
			put_example(out, row);
			int gap = (int)(out->size - before) < COLUMN ? COLUMN - (int)(out->size - before) : 1;
			pd_buf_printf(out, "%*s; %s%s%s\n", gap, "", row->help, row->initial ? "; default: " : "",
				      row->initial ? row->initial : "");
		}
	}
	pd_buf_puts(out, "\n");
}

/* Files with a part made from the table. */
static const struct page {
	const char *path;
	void (*print)(struct pd_buf *out, const struct dm_option_table *table);
	const struct dm_option_table *table;
} pages[] = {
	{FOLDER "proofd.8", print_manual, &dm_options_table},
	{FOLDER "proofd-worker.8", print_manual, &dm_worker_options_table},
	{FOLDER "proofd.conf.example", print_example, &dm_options_table},
};

enum { PAGES = sizeof pages / sizeof *pages };

/* The page as it is and as it would be made; false when it cannot be read or has no such part. */
static bool make_page(const struct page *page, struct pd_buf *is, struct pd_buf *made)
{
	FILE *file = fopen(page->path, "r");
	char *text = calloc(1, PAGE_MAX);
	size_t size = file && text ? fread(text, 1, PAGE_MAX - 1, file) : 0;
	if (file)
		fclose(file);
	const char *begin = text ? strstr(text, BEGIN) : NULL, *end = text ? strstr(text, END) : NULL;
	bool good = begin && end && begin < end;
	if (good) {
		while (end[-1] != '\n') /* the mark of a comment */
			end--;
		pd_buf_put(is, text, size);
		pd_buf_put(made, text, (size_t)(begin - text));
		pd_buf_puts(made, BEGIN);
		page->print(made, page->table);
		pd_buf_puts(made, end);
	}
	free(text);
	return good && !is->failed && !made->failed;
}

START_TEST(the_page_is_what_the_table_says)
{
	struct pd_buf is, made;
	pd_buf_init(&is, PAGE_MAX);
	pd_buf_init(&made, PAGE_MAX);
	ck_assert_msg(make_page(&pages[_i], &is, &made), "%s", pages[_i].path);
	ck_assert_msg(is.size == made.size && !memcmp(is.data, made.data, is.size),
		      "%s differs from options.def: run ./dev options", pages[_i].path);
	pd_buf_fini(&is);
	pd_buf_fini(&made);
}
END_TEST

START_TEST(the_rows_are_whole)
{
	const struct dm_option_table *table = _i ? &dm_worker_options_table : &dm_options_table;
	ck_assert_ptr_nonnull(table->rows->section);
	for (unsigned i = 0; i < table->count; i++) {
		const struct dm_option_row *row = &table->rows[i];
		if (row->section)
			continue;
		ck_assert_msg(row->help[0] && row->help[strlen(row->help) - 1] != '.',
			      "the help of %s is half a sentence", row->name);
		ck_assert_msg(!row->manual || (isupper((unsigned char)row->manual[0]) &&
					       row->manual[strlen(row->manual) - 1] == '.'),
			      "the manual's text of %s is sentences", row->name);
		for (unsigned j = 0; j < i; j++)
			ck_assert_msg(table->rows[j].section || strcmp(table->rows[j].name, row->name) != 0,
				      "%s is there twice", row->name);
	}
}
END_TEST

static int write_pages(void)
{
	bool good = true;
	for (unsigned i = 0; i < PAGES; i++) {
		struct pd_buf is, made;
		pd_buf_init(&is, PAGE_MAX);
		pd_buf_init(&made, PAGE_MAX);
		FILE *file = make_page(&pages[i], &is, &made) ? fopen(pages[i].path, "w") : NULL;
		bool wrote = file && fwrite(made.data, 1, made.size, file) == made.size;
		wrote = file && !fclose(file) && wrote;
		if (!wrote)
			fprintf(stderr, "%s cannot be written, or lacks the lines between which options stand\n",
				pages[i].path);
		good = good && wrote;
		pd_buf_fini(&is);
		pd_buf_fini(&made);
	}
	return good ? 0 : 1;
}

PROGRAM(write_options_pages)
{
	return write_pages();
}

SUITE(options_page)
{
	tcase_add_loop_test(c, the_page_is_what_the_table_says, 0, PAGES);
	tcase_add_loop_test(c, the_rows_are_whole, 0, 2);
}
