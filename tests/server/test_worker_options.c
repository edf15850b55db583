/* The command line of `proofd worker`: what it sets, and what is said when it is wrong. */
#include <stdlib.h>
#include <string.h>

#include "server/daemon/worker_options.h"
#include "tests/support/suite.h"

static struct dm_worker_options options;
static struct pd_fail fail;

/* Parses words separated by single blanks. */
static int parse_line(const char *line)
{
	static char words[400];
	char *argv[40] = {"worker"}, *rest = NULL;
	int argc = 1;
	ck_assert_uint_lt(strlen(line), sizeof words);
	strcpy(words, line);
	for (char *word = strtok_r(words, " ", &rest); word && argc < 39; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	memset(&fail, 0, sizeof fail);
	unsetenv("PROOFD_GAME_DIR");
	return dm_worker_options_parse(argc, argv, &options, &fail);
}

static void is_good(const char *line)
{
	ck_assert_msg(!parse_line(line), "%s: %s", line, fail.text);
}

static void refuse_line(const char *line, const char *field, const char *part)
{
	ck_assert_int_eq(parse_line(line), PD_E_USAGE);
	ck_assert_str_eq(fail.field, field);
	ck_assert_msg(strstr(fail.text, part) != NULL, "%s lacks '%s'", fail.text, part);
	dm_worker_options_fini(&options);
}

START_TEST(defaults)
{
	is_good("--join nats://h:1");
	ck_assert_str_eq(options.join, "nats://h:1");
	ck_assert_uint_ge(options.worker.threads, 1);
	ck_assert_int_eq(options.worker.nice, 19);
	ck_assert_uint_eq(options.worker.memory, 0);
	ck_assert_uint_eq(options.plugin_timeout_s, 60);
	ck_assert_int_eq(options.log, PD_LOG_INFO);
	ck_assert(!options.worker.name && !options.worker_key && !options.creds && !options.help);
	ck_assert_uint_eq(options.game_dirs.count, 0);
	dm_worker_options_fini(&options);
}
END_TEST

START_TEST(all_are_taken)
{
	is_good("--join j --threads 3 --memory 64M --nice 5 --name ant:1 --worker-key k --game-dir a --game-dir b "
		"--graphs g "
		"--creds c --tls-ca d --tls-cert e --tls-key f --log warn --log-format json --log-file l "
		"--plugin-timeout 7");
	ck_assert_uint_eq(options.worker.threads, 3);
	ck_assert_uint_eq(options.worker.memory, 64 << 20);
	ck_assert_int_eq(options.worker.nice, 5);
	ck_assert_str_eq(options.worker.name, "ant:1");
	ck_assert_str_eq(options.worker.graphs, "g");
	ck_assert_str_eq(options.worker_key, "k");
	ck_assert_uint_eq(options.game_dirs.count, 2);
	ck_assert_str_eq(options.game_dirs.dir[1], "b");
	ck_assert_str_eq(options.creds, "c");
	ck_assert_str_eq(options.tls_ca, "d");
	ck_assert_str_eq(options.tls_cert, "e");
	ck_assert_str_eq(options.tls_key, "f");
	ck_assert_int_eq(options.log, PD_LOG_WARN);
	ck_assert_int_eq(options.log_form, DM_LOG_AS_JSON);
	ck_assert_str_eq(options.log_file, "l");
	ck_assert_uint_eq(options.plugin_timeout_s, 7);
	dm_worker_options_fini(&options);
}
END_TEST

START_TEST(help_and_version_need_nothing_else)
{
	is_good("--help");
	ck_assert(options.help);
	is_good("-h");
	ck_assert(options.help);
	is_good("--version");
	ck_assert(options.version);
}
END_TEST

START_TEST(what_is_wrong_is_named)
{
	refuse_line("", "join", "--join nats://");
	refuse_line("--join", "--join", "needs a value");
	refuse_line("--join j --threads 0", "threads", "from 1 to 1024");
	refuse_line("--join j --threads 1025", "threads", "not '1025'");
	refuse_line("--join j --memory 0", "memory", "of 1M or more");
	refuse_line("--join j --memory 1000K", "memory", "of 1M or more");
	refuse_line("--join j --memory lots", "memory", "--memory");
	refuse_line("--join j --nice 20", "nice", "0 to 19");
	refuse_line("--join j --name ", "--name", "needs a value");
	refuse_line("--join j --name \x01", "name", "ASCII");
	refuse_line("--join j --name aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "name", "63");
	refuse_line("--join j --tls-cert c", "tls-key", "belong together");
	refuse_line("--join j --tls-key k", "tls-cert", "belong together");
	refuse_line("--join j --log loud", "log", "error, warn, info or debug");
	refuse_line("--join j more", "more", "unexpected argument");
	refuse_line("--join j --data d", "--data", "not an option of proofd worker");
}
END_TEST

SUITE(worker_options)
{
	tcase_add_test(c, defaults);
	tcase_add_test(c, all_are_taken);
	tcase_add_test(c, help_and_version_need_nothing_else);
	tcase_add_test(c, what_is_wrong_is_named);
}
