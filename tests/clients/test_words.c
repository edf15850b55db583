/* Numbers for people, and command lines. */

#include "clients/commands.h"
#include "clients/table.h"
#include "proto/base/distance.h"
#include "tests/support/suite.h"

START_TEST(counts_are_grouped)
{
	struct cl_text t;
	ck_assert_str_eq(cl_count(&t, 0), "0");
	ck_assert_str_eq(cl_count(&t, 999), "999");
	ck_assert_str_eq(cl_count(&t, 1000), "1,000");
	ck_assert_str_eq(cl_count(&t, -1234567), "-1,234,567");
	ck_assert_str_eq(cl_count(&t, INT64_MIN), "-9,223,372,036,854,775,808");
}
END_TEST

START_TEST(large_numbers_are_short)
{
	struct cl_text t;
	ck_assert_str_eq(cl_short(&t, 0), "0");
	ck_assert_str_eq(cl_short(&t, 999), "999");
	ck_assert_str_eq(cl_short(&t, 1000), "1.00 k");
	ck_assert_str_eq(cl_short(&t, 12340), "12.3 k");
	ck_assert_str_eq(cl_short(&t, 999600), "1.00 M");
	ck_assert_str_eq(cl_short(&t, 1e17), "100000 T");
	ck_assert_str_eq(cl_bytes(&t, 1536), "1.50 KiB");
	ck_assert_str_eq(cl_bytes(&t, 512 << 20), "512 MiB");
}
END_TEST

START_TEST(a_noun_has_the_number_of_its_figure)
{
	struct cl_text t;
	ck_assert_str_eq(cl_counted(&t, 0, "node"), "0 nodes");
	ck_assert_str_eq(cl_counted(&t, 1, "node"), "1 node");
	ck_assert_str_eq(cl_counted(&t, 1234, "node"), "1,234 nodes");
	ck_assert_str_eq(cl_counted(&t, 1, "ply"), "1 ply");
	ck_assert_str_eq(cl_counted(&t, 7, "ply"), "7 plies");
	ck_assert_str_eq(cl_short_of(&t, 1.2, "solved entry"), "1 solved entry");
	ck_assert_str_eq(cl_short_of(&t, 1000, "solved entry"), "1.00 k solved entries");
}
END_TEST

START_TEST(durations_have_two_units)
{
	struct cl_text t;
	ck_assert_str_eq(cl_duration(&t, 0.0123), "0.012 s");
	ck_assert_str_eq(cl_duration(&t, 9.876), "9.88 s");
	ck_assert_str_eq(cl_duration(&t, 59.9), "59.9 s");
	ck_assert_str_eq(cl_duration(&t, 125), "2 min 05 s");
	ck_assert_str_eq(cl_duration(&t, 3 * 3600 + 125), "3 h 02 min");
	ck_assert_str_eq(cl_duration(&t, 2 * 86400 + 3 * 3600), "2 d 03 h");
	ck_assert_str_eq(cl_duration(&t, -1), "0.000 s");
	ck_assert_str_eq(cl_when(&t, 0), "-");
}
END_TEST

START_TEST(distance_counts_letters_to_change)
{
	ck_assert_uint_eq(pd_distance("solve", "solve"), 0);
	ck_assert_uint_eq(pd_distance("solve", "sovle"), 1);
	ck_assert_uint_eq(pd_distance("solve", "slve"), 1);
	ck_assert_uint_eq(pd_distance("solve", "resolved"), 3);
	ck_assert_uint_eq(pd_distance("", "abc"), 3);
	ck_assert_uint_gt(pd_distance("a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), 3);
}
END_TEST

/* Parses words ended by NULL; the caller gives *out to cl_options_fini. */
static int parse_words(struct cl_options *out, struct pd_fail *fail, char **words)
{
	int count = 0;
	while (words[count])
		count++;
	return cl_options_parse(count, words, out, fail);
}

START_TEST(options_and_words_mix)
{
	struct cl_options o;
	struct pd_fail fail;
	char *words[] = {"proofctl", "query", "--moves", "mnk:3,3,3", "--data=here", "-", "--", "--json", NULL};
	ck_assert_int_eq(parse_words(&o, &fail, words), PD_OK);
	ck_assert(cl_given(&o, CL_OPT_MOVES) && !cl_given(&o, CL_OPT_JSON));
	ck_assert_str_eq(o.text[CL_OPT_DATA], "here");
	ck_assert_uint_eq(o.word_count, 4);
	ck_assert_str_eq(o.words[2], "-");
	ck_assert_str_eq(o.words[3], "--json");
	cl_options_fini(&o);
}
END_TEST

START_TEST(numbers_have_several_forms)
{
	static const struct {
		char *text;
		int64_t value;
	} cases[] = {{"1", 1},       {"1000000", 1000000}, {"1e6", 1000000},
		     {"1.5k", 1500}, {"10M", 10000000},    {"9223372036854775807", INT64_MAX}};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cl_options o;
		struct pd_fail fail;
		char *words[] = {"proofctl", "--nodes", cases[i].text, NULL};
		ck_assert_int_eq(parse_words(&o, &fail, words), PD_OK);
		ck_assert_int_eq(o.whole[CL_OPT_NODES], cases[i].value);
		cl_options_fini(&o);
	}
}
END_TEST

START_TEST(nonsense_is_refused_with_its_name)
{
	static char *const texts[] = {"",  "x", "1x", "1.5", "0", "-1", "1e30", "nan", "inf", "9223372036854775808",
				      "1 "};
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct cl_options o;
		struct pd_fail fail;
		char *words[] = {"proofctl", "--nodes", texts[i], NULL};
		ck_assert_int_eq(parse_words(&o, &fail, words), PD_E_USAGE);
		ck_assert_str_eq(fail.field, "nodes");
		cl_options_fini(&o);
	}
}
END_TEST

START_TEST(a_list_may_be_given_several_times)
{
	struct cl_options o;
	struct pn_options tuned;
	struct pd_fail fail;
	char *words[] = {"proofctl",      "-O",       "weak=yes", "--option=cap-last=2k",
			 "-Oepsilon=0.1", "--option", "cache=no", NULL};
	ck_assert_int_eq(parse_words(&o, &fail, words), PD_OK);
	ck_assert_uint_eq(o.list_count, 4);
	ck_assert_str_eq(o.list[1], "cap-last=2k");
	ck_assert_int_eq(cl_tunables(&o, &tuned, &fail), PD_OK);
	ck_assert(tuned.weak && !tuned.cache && tuned.mobility);
	ck_assert_uint_eq(tuned.cap_last, 2000);
	ck_assert(tuned.epsilon == 0.1);
	cl_options_fini(&o);
}
END_TEST

START_TEST(list_items_are_names_with_values)
{
	static char *const items[] = {"", "weak", "=1"};
	for (unsigned i = 0; i < sizeof items / sizeof *items; i++) {
		struct cl_options o;
		struct pd_fail fail;
		char *words[] = {"proofctl", "-O", items[i], NULL};
		ck_assert_int_eq(parse_words(&o, &fail, words), PD_E_USAGE);
		ck_assert_str_eq(fail.field, "option");
		cl_options_fini(&o);
	}
}
END_TEST

START_TEST(every_command_can_be_found)
{
	const struct cl_command *c, *found;
	struct pd_fail fail;
	for (unsigned i = 0; (c = cl_command_at(i)) != NULL; i++) {
		ck_assert_int_eq(cl_command_find(c->name, &found, &fail), PD_OK);
		ck_assert_ptr_eq(found, c);
		ck_assert_uint_le(c->words_min, c->words_max);
	}
	ck_assert_int_eq(cl_command_find("wath", &found, &fail), PD_E_USAGE);
	ck_assert_ptr_nonnull(strstr(fail.text, "proofctl watch"));
}
END_TEST

START_TEST(words_that_mean_a_command_suggest_it)
{
	static const char *const cases[][2] = {
		{"stop", "shutdown"}, {"rm", "remove"}, {"fsck", "check"}, {"sovle", "solve"}};
	const struct cl_command *found;
	struct pd_fail fail;
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		ck_assert_int_eq(cl_command_find(cases[i][0], &found, &fail), PD_E_USAGE);
		ck_assert_ptr_nonnull(strstr(fail.text, cases[i][1]));
	}
	ck_assert_int_eq(cl_command_find("", &found, &fail), PD_E_USAGE);
	ck_assert_int_eq(cl_command_find("sto", &found, &fail), PD_E_USAGE);
}
END_TEST

/* What a function writes to a file. */
struct written {
	FILE *file;
	char text[4096];
};

static void written_open(struct written *w)
{
	w->file = tmpfile();
	ck_assert_ptr_nonnull(w->file);
}

static const char *written_text(struct written *w)
{
	rewind(w->file);
	w->text[fread(w->text, 1, sizeof w->text - 1, w->file)] = 0;
	fclose(w->file);
	return w->text;
}

START_TEST(text_is_wrapped_at_blanks)
{
	static const struct {
		const char *text;
		unsigned column, indent;
		const char *lines;
	} cases[] = {
		{"", 0, 0, "\n"},
		{"short", 0, 0, "short\n"},
		{"one two three four five six", 0, 0, "one two three four\nfive six\n"},
		{"one two three four five six", 0, 2, "  one two three\n  four five six\n"},
		{"one two three four", 10, 4, "one two\n    three four\n"},
		{"one\n\ntwo", 0, 0, "one\n\ntwo\n"},
		{"two paragraphs\n", 0, 0, "two paragraphs\n"},
		{"abcdefghijklmnopqrstuvwxyz", 0, 0, "abcdefghijklmnopqrs\ntuvwxyz\n"},
		{"a  b", 0, 0, "a  b\n"},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct written w;
		written_open(&w);
		cl_wrap_lines(w.file, cases[i].text, cases[i].column, cases[i].indent, 20);
		ck_assert_str_eq(written_text(&w), cases[i].lines);
	}
}
END_TEST

static const struct cl_column some_columns[] = {
	{"id", 4, 0, 0, true}, {"name", 20, 6, 0, false}, {"extra", 10, 0, 1, false}, {"last", 12, 4, 0, false}};

static void row(struct cl_table *table)
{
	cl_table_cell(table, "7");
	cl_table_cell(table, "a long name that goes on");
	cl_table_cell(table, "more");
	cl_table_cell(table, "end");
}

START_TEST(a_table_fits)
{
	static const struct {
		unsigned limit;
		const char *lines;
	} cases[] = {
		{CL_NO_LIMIT,
		 "  id  name                  extra       last\n   7  a long name that goes on  more        end\n"},
		{100, "  id  name                  extra       last\n   7  a long name that goe  more        end\n"},
		{40, "  id  name             extra       last\n   7  a long name tha  more        end\n"},
		{30, "  id  name               last\n   7  a long name that   end\n"},
		{20, "  id  name     last\n   7  a long   end\n"},
		{10, "  id  name    last\n   7  a long  end\n"},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct written w;
		struct cl_table table;
		written_open(&w);
		cl_table_fit(&table, w.file, some_columns, 4, cases[i].limit);
		cl_table_head(&table);
		row(&table);
		ck_assert_str_eq(written_text(&w), cases[i].lines);
	}
}
END_TEST

SUITE(words)
{
	tcase_add_test(c, counts_are_grouped);
	tcase_add_test(c, large_numbers_are_short);
	tcase_add_test(c, a_noun_has_the_number_of_its_figure);
	tcase_add_test(c, durations_have_two_units);
	tcase_add_test(c, distance_counts_letters_to_change);
	tcase_add_test(c, options_and_words_mix);
	tcase_add_test(c, numbers_have_several_forms);
	tcase_add_test(c, nonsense_is_refused_with_its_name);
	tcase_add_test(c, a_list_may_be_given_several_times);
	tcase_add_test(c, list_items_are_names_with_values);
	tcase_add_test(c, every_command_can_be_found);
	tcase_add_test(c, words_that_mean_a_command_suggest_it);
	tcase_add_test(c, text_is_wrapped_at_blanks);
	tcase_add_test(c, a_table_fits);
}
