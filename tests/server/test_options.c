/* The configuration file: what it sets, who comes first, and what is said when it is wrong. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/daemon/options.h"
#include "tests/support/suite.h"

enum { LONG = 5000 };

static char path[] = "/tmp/proofd-conf-XXXXXX";
static struct dm_options options;
static struct pd_fail fail;

static void setup(void)
{
	unsetenv("PROOFD_GAME_DIR");
	strcpy(path + strlen(path) - 6, "XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void teardown(void)
{
	unlink(path);
}

/* Parses --config of that text, and three more words. */
static int parse_config(const char *text, size_t size, const char *one, const char *two, const char *three)
{
	const char *const words[] = {"proofd", "--config", path, one, two, three, NULL};
	int argc = 0;
	FILE *file = fopen(path, "w");
	ck_assert(file && fwrite(text, 1, size, file) == size);
	ck_assert_int_eq(fclose(file), 0);
	while (words[argc])
		argc++;
	memset(&fail, 0, sizeof fail);
	optind = 0;
	return dm_options_parse(argc, (char **)(uintptr_t)words, &options, &fail);
}

static void good(const char *text, const char *one, const char *two, const char *three)
{
	ck_assert_msg(!parse_config(text, strlen(text), one, two, three), "%s", fail.text);
}

START_TEST(shares_to_verify)
{
	static const struct {
		const char *word;
		unsigned percent;
	} shares[] = {{"all", 100},
		      {"none", 0},
		      {"0", 0},
		      {"25", 25},
		      {"25%", 25},
		      {"100", 100},
		      {"certificates", SV_VERIFY_PROOFS}};
	static const char *const wrong[] = {"101", "-1", "2.5", "", "x", "10 %", "some"};
	good("memory-only = yes", NULL, NULL, NULL);
	ck_assert_uint_eq(options.workers.verify_sealed, 0);
	ck_assert_uint_eq(options.workers.verify_others, SV_VERIFY_PROOFS);
	for (unsigned i = 0; i < sizeof shares / sizeof *shares; i++) {
		good("memory-only = yes\nworkers = nats://h/p", "--verify", shares[i].word, NULL);
		ck_assert_uint_eq(options.workers.verify_sealed, shares[i].percent);
		ck_assert_uint_eq(options.workers.verify_others, shares[i].percent);
		ck_assert_str_eq(options.workers.url, "nats://h/p");
		dm_options_fini(&options);
	}
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
		ck_assert_int_eq(parse_config("memory-only = yes", 17, "--verify", wrong[i], NULL), PD_E_USAGE);
	ck_assert_int_eq(parse_config("memory-only = yes", 17, "--workers-tls-key", "k", NULL), PD_E_USAGE);
	ck_assert_str_eq(fail.field, "workers-tls-cert");
	good("memory-only = yes\nthreads = 0", "--workers", "nats://h", NULL);
	ck_assert(options.core.only_workers && options.core.threads == 1);
	dm_options_fini(&options);
	good("memory-only = yes\nthreads = 2", "--workers", "nats://h", NULL);
	ck_assert(!options.core.only_workers && options.core.threads == 2);
	dm_options_fini(&options);
	good("memory-only = yes\nthreads = 0", NULL, NULL, NULL);
	ck_assert(!options.core.only_workers && !options.core.threads);
	dm_options_fini(&options);
	ck_assert_int_eq(parse_config("data = d\nread-only = yes", 24, "--workers", "nats://h", NULL), PD_E_USAGE);
	ck_assert_str_eq(fail.field, "workers");
	dm_options_fini(&options);
}
END_TEST

START_TEST(a_file_sets_options)
{
	good("# a comment\n\n  data = /srv/games  \nthreads=3\n ; another\nread-only = yes\nmemory-only = no\r\n"
	     "memory = 64M ; enough\ngame-dir = /a\n\tgame-dir = /b c\nlog = warn\nlisten = none\nsocket = /run/s",
	     NULL, NULL, NULL);
	ck_assert_str_eq(options.core.data, "/srv/games");
	ck_assert_uint_eq(options.core.threads, 3);
	ck_assert(options.core.read_only && !options.memory_only);
	ck_assert_uint_eq(options.core.memory, 64 << 20);
	ck_assert_uint_eq(options.game_dirs.count, 2);
	ck_assert_str_eq(options.game_dirs.dir[0], "/a");
	ck_assert_str_eq(options.game_dirs.dir[1], "/b c");
	ck_assert_int_eq(options.log, PD_LOG_WARN);
	ck_assert_ptr_null(options.server.listen);
	ck_assert_str_eq(options.server.socket, "/run/s");
	dm_options_fini(&options);
}
END_TEST

START_TEST(the_command_line_comes_first)
{
	good("memory-only = yes\nthreads = 3\nnice = 4\ngame-dir = /a\n", "--data=/x", "--threads=5", "--game-dir=/c");
	ck_assert_str_eq(options.core.data, "/x");
	ck_assert(!options.memory_only);
	ck_assert_uint_eq(options.core.threads, 5);
	ck_assert_int_eq(options.core.nice, 4);
	ck_assert_uint_eq(options.game_dirs.count, 1);
	ck_assert_str_eq(options.game_dirs.dir[0], "/c");
	dm_options_fini(&options);
	good("data = /x\nthreads = many\n", "--memory-only", "--threads", "5");
	ck_assert(options.memory_only && !options.core.data);
	dm_options_fini(&options);
	good("nonsense\n", "--help", NULL, NULL); /* which is not the time to complain */
	dm_options_fini(&options);
}
END_TEST

static const struct {
	const char *text, *field;
	unsigned line;
	const char *part;
} wrong[] = {
	{"data = /x\nthread = 3\n", "thread", 2, "did you mean 'threads'?"},
	{"\n\ncolour = red\n", "colour", 3, "unknown option 'colour'; proofd(8) lists them"},
	{"data = /x\nthreads = many\n", "threads", 2, "threads takes an integer from 0 to 1024, not 'many'"},
	{"threads = 2\ndata = /x\nthreads = 3\n", "threads", 3, "threads is already set in line 1"},
	{"idle-tables = 1G\n", "idle-tables", 1, "'idle-tables' is now called 'idle-tt'"},
	{"data =\n", "data", 1, "data needs a value: data = DIR"},
	{"data\n", "config", 1, "NAME = VALUE"},
	{"data = /x\n= 3\n", "", 2, "unknown option ''"},
	{"nice = 3\nwhat is this?\nnice = 99\n", "config", 2, "NAME = VALUE"},
	{"nice = 99\nwhat is this?\n", "nice", 1, "nice takes an integer from 0 to 19"},
	{"[search]\nthreads = 3\n", "config", 1, "sections are not supported"},
	{"data = \"/x\"\n", "data", 1, "values have no quotes"},
	{"read-only = perhaps\n", "read-only", 1, "read-only takes yes or no, not 'perhaps'"},
	{"read-only =\n", "read-only", 1, "read-only takes yes or no, not ''"},
	{"help = yes\n", "help", 1, "of the command line only"},
	{"config = /etc/more\n", "config", 1, "of the command line only"},
	{"log = loud\n", "log", 1, "log takes error, warn, info or debug, not 'loud'"},
	{"token-file = /no/such/file\n", "token-file", 1, "token-file: /no/such/file cannot be read"},
	{"token = sesame open now please\n", "token", 1, "unknown option"},
};

START_TEST(what_is_wrong_is_named)
{
	char where[80];
	ck_assert_int_eq(parse_config(wrong[_i].text, strlen(wrong[_i].text), NULL, NULL, NULL), PD_E_USAGE);
	snprintf(where, sizeof where, "%s:%u: ", path, wrong[_i].line);
	ck_assert_msg(!strncmp(fail.text, where, strlen(where)), "%s", fail.text);
	ck_assert_msg(strstr(fail.text, wrong[_i].part) != NULL, "%s", fail.text);
	ck_assert_str_eq(fail.field, wrong[_i].field);
	dm_options_fini(&options);
}
END_TEST

START_TEST(a_line_that_is_too_long_or_no_text)
{
	static const char zero[] = "data = /x\nni\0ce = 3\n";
	char text[LONG + 20] = "data = /x\n#";
	memset(text + 11, 'x', LONG); /* a comment may be long */
	strcpy(text + 11 + LONG, "\n");
	good(text, NULL, NULL, NULL);
	dm_options_fini(&options);
	text[10] = 'd';
	ck_assert_int_eq(parse_config(text, strlen(text), NULL, NULL, NULL), PD_E_USAGE);
	ck_assert_msg(strstr(fail.text, ":2: the line is too long") != NULL, "%s", fail.text);
	dm_options_fini(&options);
	ck_assert_int_eq(parse_config(zero, sizeof zero - 1, NULL, NULL, NULL), PD_E_USAGE);
	ck_assert_msg(strstr(fail.text, ":2: the line contains a zero byte") != NULL, "%s", fail.text);
	dm_options_fini(&options);
	strcpy(text, "socket = /");
	memset(text + 10, 's', 180); /* as long as proofd.conf(5) promises */
	strcpy(text + 190, "\nmemory-only = yes\n");
	good(text, NULL, NULL, NULL);
	ck_assert_uint_eq(strlen(options.server.socket), 181);
	dm_options_fini(&options);
}
END_TEST

START_TEST(a_file_that_is_none)
{
	static const struct {
		const char *path, *part;
	} cases[] = {{"/no/such/file", "cannot read /no/such/file: No such file"},
		     {"/tmp", "is not a regular file"},
		     {"/dev/zero", "is not a regular file"}};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *const words[] = {"proofd", "--config", cases[i].path, NULL};
		optind = 0;
		ck_assert_int_eq(dm_options_parse(3, (char **)(uintptr_t)words, &options, &fail), PD_E_USAGE);
		ck_assert_str_eq(fail.field, "config");
		ck_assert_msg(strstr(fail.text, cases[i].part) != NULL, "%s", fail.text);
		dm_options_fini(&options);
	}
}
END_TEST

/* Every option with a value takes it from the file as from the command line: the same refusal. */
START_TEST(a_value_means_the_same_in_both_places)
{
	char text[80], word[80];
	for (unsigned i = 0; i < dm_options_table.count; i++) {
		const struct dm_option_row *row = &dm_options_table.rows[i];
		if (row->section || row->where == DM_LINE_ONLY || !row->argument)
			continue;
		snprintf(text, sizeof text, "%s = \t-1;x\n", row->name);
		int rc = parse_config(text, strlen(text), NULL, NULL, NULL);
		struct pd_fail first = fail;
		dm_options_fini(&options);
		snprintf(word, sizeof word, "--%s=-1;x", row->name);
		int again = parse_config("", 0, word, NULL, NULL);
		dm_options_fini(&options);
		ck_assert_msg(rc == again, "%s", row->name);
		if (strcmp(fail.field, row->name) != 0) /* no complaint of the option itself */
			continue;
		const char *said = strstr(first.text, ":1: ");
		ck_assert_msg(said && !strncmp(fail.text, "--", 2) && !strcmp(said + 4, fail.text + 2), "%s / %s",
			      first.text, fail.text);
	}
}
END_TEST

static void read_example(char *text, size_t room)
{
	FILE *file = fopen(TEST_DATA "/../../server/daemon/proofd.conf.example", "r");
	ck_assert_ptr_nonnull(file);
	size_t size = fread(text, 1, room - 1, file);
	fclose(file);
	text[size] = 0;
}

START_TEST(the_example_is_one)
{
	static char text[1 << 16], lines[1 << 16];
	read_example(text, sizeof text);
	good(text, "--memory-only", NULL, NULL);
	dm_options_fini(&options);
	/* Its options, those with a default to copy. */
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		const char *value = strstr(line, " = "), *help = value ? strstr(value, " ; ") : NULL;
		if (line[0] == ';' && help && value + 3 + strcspn(value + 3, "ABCDEFGHIJKLMNOPQRSTUVWXYZ|") > help) {
			strcat(lines, line + 1);
			strcat(lines, "\n");
		}
	}
	ck_assert_ptr_nonnull(strstr(lines, "keep-jobs = 10000 "));
	good(lines, "--memory-only", NULL, NULL);
	ck_assert_uint_eq(options.core.keep_jobs, 10000);
	dm_options_fini(&options);
}
END_TEST

SUITE(options)
{
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, a_file_sets_options);
	tcase_add_test(c, shares_to_verify);
	tcase_add_test(c, the_command_line_comes_first);
	tcase_add_loop_test(c, what_is_wrong_is_named, 0, sizeof wrong / sizeof *wrong);
	tcase_add_test(c, a_line_that_is_too_long_or_no_text);
	tcase_add_test(c, a_file_that_is_none);
	tcase_add_test(c, a_value_means_the_same_in_both_places);
	tcase_add_test(c, the_example_is_one);
}
