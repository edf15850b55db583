/* Lies: what a worker of another machine gave goes, with all that depends on it; what is still to be taken back stands
 * in a file, which survives every crash, and a server that learns of a lie does it without ending. */
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "server/daemon/serve.h"
#include "server/proofs/backups/dump.h"
#include "server/proofs/certificates/export.h"
#include "server/proofs/maintenance/lies.h"
#include "server/proofs/maintenance/repair.h"
#include "tests/server/liar_directory.h"
#include "tests/support/child.h"

enum { KILLS = 5 };

/* --- by hand ------------------------------------------------------------------------------ */

START_TEST(a_worker_takes_what_depends_on_it_along)
{
	char dir[64], copy[128];
	make_directory(dir);
	for (unsigned i = 0; i < 2; i++) {
		storedir_copy(dir, copy, sizeof copy);
		uint32_t giver = pd_giver_of(i ? TWO : ONE);
		struct facts expected = without(copy, i ? TWO : ONE);
		struct sv_retracted sum =
			taint_naively(copy, (struct sv_retraction_order){.givers = &giver, .giver_count = 1});
		ck_assert_uint_gt(sum.chosen, 0);
		ck_assert_uint_eq(sum.jobs, 2);
		assert_same_facts(&expected, copy);
		assert_clean(copy, NULL);
		sum = taint_naively(copy, (struct sv_retraction_order){.givers = &giver, .giver_count = 1});
		ck_assert_uint_eq(sum.chosen + sum.fallen + sum.jobs, 0); /* nothing is left of it, which is no error */
		free(expected.at);
		storedir_remove(copy);
	}
	uint32_t all = 0, both[] = {pd_giver_of(ONE), pd_giver_of(TWO)};
	struct sv_retracted a =
		taint_naively(dir, (struct sv_retraction_order){.givers = both, .giver_count = 2, .dry_run = true});
	struct sv_retracted b = taint_naively(dir, (struct sv_retraction_order){.givers = &all, .giver_count = 1});
	ck_assert(!memcmp(&a, &b, sizeof a));
	struct facts left = facts_of(dir);
	for (size_t i = 0; i < left.count; i++)
		ck_assert(!pd_is_giver(left.at[i].reason.job));
	free(left.at);
	scratch_remove(dir);
}
END_TEST

START_TEST(numbers_of_workers)
{
	char text[PD_GIVER_TEXT];
	ck_assert_str_eq(pd_giver_print(pd_giver_of(ONE), text), "89abcdef");
	ck_assert_uint_eq(pd_giver_parse("0123456789abcdef"), pd_giver_of(ONE));
	ck_assert_uint_eq(pd_giver_parse("89ABCDEF"), pd_giver_of(ONE));
	ck_assert_uint_eq(pd_giver_parse("fedcba9876543210"), 0xf6543210);
	ck_assert_uint_eq(pd_giver_parse("09abcdef"), 0); /* a job could have this number */
	ck_assert_uint_eq(pd_giver_parse("89abcdef0"), 0);
	ck_assert_uint_eq(pd_giver_parse("89abcdeg"), 0);
	ck_assert_uint_eq(pd_giver_parse(""), 0);
	ck_assert_uint_eq(pd_giver_parse("+9abcdef"), 0);
}
END_TEST

/* --- the file ----------------------------------------------------------------------------- */

START_TEST(the_file_says_what_was_written)
{
	static const char *const damaged[] = {"",
					      "\n",
					      "89abcdef",
					      "09abcdef\n",
					      "89abcdef\nx\n",
					      "0123456789abcdef\n",
					      "all",
					      "all 1\n",
					      "all 00000000\n",
					      "all 89abcdef\n",
					      "all 12345678 \n",
					      "shared \n",
					      "89abcdef\n\n"};
	char dir[64];
	struct sv_liars liars = {.count = 0}, *many = calloc(1, sizeof *many);
	struct pd_fail fail;
	scratch_dir(dir);
	mkdir(dir, 0700);
	ck_assert(!sv_liars_read(dir, &liars, &fail));
	ck_assert_uint_eq(liars.count, 0);
	ck_assert(!st_retraction_refuse(dir, &fail));
	sv_liars_add(&liars, pd_giver_of(ONE));
	sv_liars_add(&liars, pd_giver_of(TWO));
	sv_liars_add(&liars, pd_giver_of(ONE));
	ck_assert_uint_eq(liars.count, 2);
	for (unsigned i = 0; i < 2; i++) {
		struct sv_liars read;
		ck_assert(!sv_liars_write(dir, &liars, &fail));
		ck_assert(!sv_liars_read(dir, &read, &fail));
		ck_assert_uint_eq(read.count, liars.count);
		ck_assert(!memcmp(read.giver, liars.giver, liars.count * sizeof *liars.giver));
		ck_assert_int_eq(st_retraction_refuse(dir, &fail), PD_E_STATE);
		sv_liars_add(&liars, 0); /* all, and still who lied */
		ck_assert_uint_eq(liars.count, 3);
		sv_liars_add(&liars, SV_SHARED);
		sv_liars_add(&liars, 0x12345678); /* an event */
		ck_assert(sv_liars_all(&liars) && sv_liars_gave(&liars, pd_giver_of(3)) && !sv_liars_gave(&liars, 3));
		liars.count = 3;
	}
	put_file(dir, "all 12345678\nshared\n89abcdef\n");
	ck_assert(!sv_liars_read(dir, &liars, &fail));
	ck_assert_uint_eq(liars.count, 3);
	ck_assert(liars.giver[0] == 0x12345678 && liars.giver[1] == SV_SHARED && sv_liars_all(&liars));
	for (unsigned i = 0; i <= SV_LIARS_MAX; i++)
		sv_liars_add(many, pd_giver_of(i));
	ck_assert_uint_eq(many->count, 1);
	ck_assert_uint_eq(many->giver[0], 0);
	for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
		put_file(dir, damaged[i]);
		ck_assert_msg(sv_liars_read(dir, &liars, &fail) == PD_E_CORRUPT, "%s", damaged[i]);
		ck_assert_int_eq(sv_liars_retract(dir, &(struct sv_liars_order){.threads = 1}, &fail), PD_E_CORRUPT);
		ck_assert(has_file(dir));
	}
	ck_assert_int_eq(sv_liars_write("/nonexistent/proofd", &liars, &fail), PD_E_NOT_FOUND);
	free(many);
	scratch_remove(dir);
}
END_TEST

START_TEST(a_list_that_cannot_be_read_now_is_not_empty)
{
	const struct sv_liars liars = {{pd_giver_of(ONE)}, 1};
	struct sv_liars banned, fresh = {.count = 0};
	struct rlimit old, none;
	struct pd_fail fail;
	char dir[64];
	scratch_dir(dir);
	ck_assert_int_eq(sv_liars_keep(dir, &liars, &fail), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = (struct rlimit){0, old.rlim_max};
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	int rc = sv_liars_banned(dir, &banned, &fail), learned = sv_liars_learn(dir, dir, &fresh, &fail);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &old), 0);
	ck_assert_int_eq(rc, PD_E_NO_MEMORY);
	ck_assert_int_eq(learned, PD_E_NO_MEMORY);
	ck_assert_msg(strstr(fail.text, "Too many open files") != NULL, "%s", fail.text);
	assert_banned(dir, ONE);
	scratch_remove(dir);
}
END_TEST

START_TEST(a_start_takes_back)
{
	char dir[64];
	struct insession s;
	struct sv_config config;
	struct sv_core *core;
	struct pd_fail fail;
	make_directory(dir);
	struct facts expected = without(dir, ONE);
	write_liar(dir, ONE);
	sv_config_init(&config);
	config.data = dir;
	config.threads = 0;
	config.read_only = true;
	ck_assert_int_eq(sv_core_open(&config, NULL, NULL, &core, &fail), PD_E_STATE);
	insession_open(&s, dir, 0, 0.05);
	ck_assert(!has_file(dir));
	assert_member(&s, 1, "state", "\"queued\"");
	assert_member(&s, 2, "state", "\"queued\"");
	insession_close(&s);
	assert_same_facts(&expected, dir);
	insession_open(&s, dir, 1, 0.05);
	for (unsigned job = 1; job <= 2; job++)
		insession_assert_ends(&s, job, "solved");
	insession_close(&s);
	assert_clean(dir, NULL);
	put_file(dir, "nonsense\n");
	config.read_only = false;
	ck_assert_int_eq(sv_core_open(&config, NULL, NULL, &core, &fail), PD_E_CORRUPT);
	free(expected.at);
	scratch_remove(dir);
}
END_TEST

static void count_pending(void *ctx, const char *text)
{
	*(unsigned *)ctx += strstr(text, "a retraction is pending: facts of worker 89abcdef") != NULL;
}

START_TEST(tools_know_the_file)
{
	char dir[64], other[128], copy[160];
	struct sv_check sum;
	struct sv_dumped dumped;
	struct sv_exported exported;
	struct sv_backup_made backup;
	struct sv_repaired repaired;
	struct sv_liars liars;
	struct pd_fail fail;
	unsigned pending = 0;
	make_directory(dir);
	write_liar(dir, ONE);
	put_text(dir, "liars", "f6543210\n");
	const struct sv_check_order order = {NULL, 2, count_pending, NULL, &pending};
	ck_assert(!sv_check_directory(dir, &order, &sum, &fail));
	ck_assert_uint_eq(pending, 1);
	ck_assert_uint_eq(sum.problems, 1);
	ck_assert_int_eq(sv_dump(dir, NULL, stdout, &dumped, &fail), PD_E_STATE);
	const struct sv_export_order export = {.game = "connect4:4x4", .file = "/dev/null"};
	ck_assert_int_eq(sv_export_directory(dir, NULL, &export, &exported, &fail), PD_E_STATE);
	ck_assert_str_eq(fail.field, "data");
	ck_assert_ptr_nonnull(strstr(fail.text, "retract"));
	snprintf(other, sizeof other, "%s.other", dir);
	ck_assert(!mkdir(other, 0700));
	snprintf(copy, sizeof copy, "%s/backup", other);
	ck_assert_int_eq(sv_backup_directory(dir, copy, &(struct sv_backup_watch){go_on, NULL}, &backup, &fail),
			 PD_E_STATE);
	snprintf(copy, sizeof copy, "%s/repaired", other);
	for (unsigned i = 0; i < 2; i++) { /* the second time the file is damaged */
		ck_assert_msg(!sv_repair(dir, copy, &repaired, &fail), "%s", fail.text);
		ck_assert(!sv_liars_read(copy, &liars, &fail));
		ck_assert_uint_eq(liars.count, 1);
		ck_assert_uint_eq(liars.giver[0], i ? 0 : pd_giver_of(ONE));
		sv_liars_banned(copy, &liars, NULL);
		ck_assert(sv_liars_name(&liars, pd_giver_of(TWO)));
		storedir_remove(copy);
		put_file(dir, "x");
	}
	scratch_remove_all(other);
	scratch_remove(dir);
}
END_TEST

/* A reader that has the directory open learns of a retraction when it looks for what is new. */
START_TEST(a_reader_that_is_open_tells_no_lies)
{
	char dir[64], path[160];
	struct st_store *store;
	struct pd_fail fail;
	make_directory(dir);
	ck_assert(!st_open(dir, ST_READ_ONLY, &store, &fail));
	ck_assert_int_ge(st_facts_maintain(store, false, &fail), 0);
	write_liar(dir, ONE);
	ck_assert_int_eq(st_facts_maintain(store, false, &fail), -1);
	ck_assert_int_eq(fail.code, PD_E_STATE);
	snprintf(path, sizeof path, "%s/retract", dir);
	ck_assert(!unlink(path));
	ck_assert_int_ge(st_facts_maintain(store, false, &fail), 0);
	st_close(store);
	scratch_remove(dir);
}
END_TEST

/* --- backups ------------------------------------------------------------------------------ */

/* A server opens the directory, with that place for backups. */
/* --- crashes ------------------------------------------------------------------------------ */

static int retract_now(const char *dir)
{
	struct pd_fail fail;
	return sv_liars_retract(dir, &(struct sv_liars_order){.threads = 2}, &fail);
}

/* Returns the time it had. */
static uint64_t retract_and_kill(const char *dir, uint64_t delay_ns)
{
	int status;
	uint64_t start = pd_now_ns();
	pid_t pid = fork_child();
	if (!pid)
		_exit(retract_now(dir) ? 1 : 0);
	while (pd_now_ns() - start < delay_ns && !waitpid(pid, &status, WNOHANG))
		poll(NULL, 0, 1);
	uint64_t took = pd_now_ns() - start;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return took;
}

START_TEST(a_crash_is_completed_by_the_next_start)
{
	char dir[64], copy[128];
	unsigned pending = 0;
	make_directory(dir);
	struct facts expected = without(dir, TWO);
	write_liar(dir, TWO);
	storedir_copy(dir, copy, sizeof copy);
	ck_assert(!has_file(copy));
	write_liar(copy, TWO);
	uint64_t full = retract_and_kill(copy, UINT64_MAX);
	ck_assert(!has_file(copy));
	storedir_remove(copy);
	for (unsigned i = 0; i < KILLS; i++) {
		struct insession s;
		storedir_copy(dir, copy, sizeof copy);
		write_liar(copy, TWO);
		retract_and_kill(copy, full * (i + 1) / KILLS);
		pending += has_file(copy);
		insession_open(&s, copy, 0, 0.05);
		insession_close(&s);
		ck_assert(!has_file(copy));
		assert_same_facts(&expected, copy);
		storedir_remove(copy);
	}
	printf("the file was still there after %u of %u kills\n", pending, KILLS);
	free(expected.at);
	scratch_remove(dir);
}
END_TEST

/* --- a server that runs ------------------------------------------------------------------- */

struct running {
	struct nt_config server;
	struct sv_config core;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct sv_core *now; /* the core of the last `ready` */
	unsigned times;
	int rc;
};

static void on_ready(void *ctx, const struct dm_server *server, struct sv_core *core, bool again)
{
	struct running *r = ctx;
	ck_assert_ptr_nonnull(dm_server_socket(server));
	pthread_mutex_lock(&r->lock);
	ck_assert_int_eq(again, r->times > 0);
	r->now = core;
	r->times++;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

static void *serve_main(void *arg)
{
	struct running *r = arg;
	struct pd_fail fail = {.text = ""};
	const struct dm_serving serving = {.server = &r->server, .core = &r->core, .ready = on_ready, .ctx = r};
	r->rc = dm_serve(&serving, &fail);
	if (r->rc)
		printf("dm_serve: %s\n", fail.text);
	return NULL;
}

static struct sv_core *wait_ready(struct running *r, unsigned times)
{
	pthread_mutex_lock(&r->lock);
	while (r->times < times)
		pthread_cond_wait(&r->changed, &r->lock);
	struct sv_core *core = r->now;
	pthread_mutex_unlock(&r->lock);
	return core;
}

static int connect_to(const char *dir)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	snprintf(name.sun_path, sizeof name.sun_path, "%s/proofd.sock", dir);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	ck_assert(fd >= 0 && !connect(fd, (struct sockaddr *)&name, sizeof name));
	return fd;
}

/* Sends a request and reads the line of its reply; false: the server has closed the connection. */
static bool send_request(int fd, const char *request, char *line, size_t room)
{
	size_t size = 0;
	if (*request && send(fd, request, strlen(request), MSG_NOSIGNAL) != (ssize_t)strlen(request))
		return false;
	while (size + 1 < room && read(fd, line + size, 1) == 1 && line[size] != '\n')
		size++;
	line[size] = 0;
	return size > 0;
}

#define GET "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"job.get\",\"params\":{\"job\":2}}\n"

START_TEST(a_server_that_runs_takes_back_and_serves_on)
{
	static char line[1 << 16];
	char dir[64];
	pthread_t thread;
	struct running r = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
	make_directory(dir);
	struct facts expected = without(dir, ONE);
	nt_config_init(&r.server);
	r.server.listen = NULL;
	sv_config_init(&r.core);
	r.core.data = dir;
	r.core.threads = 0;
	ck_assert(!pthread_create(&thread, NULL, serve_main, &r));
	struct sv_core *core = wait_ready(&r, 1);
	int before = connect_to(dir);
	ck_assert(send_request(before, GET, line, sizeof line));
	ck_assert_ptr_nonnull(strstr(line, "\"state\":\"solved\""));
	sv_lied(core, pd_giver_of(ONE), "liar", false);
	ck_assert(!send_request(before, "", line, sizeof line)); /* closed */
	close(before);
	int after = connect_to(dir); /* waits, or is served already */
	ck_assert(send_request(after, GET, line, sizeof line));
	ck_assert_ptr_nonnull(strstr(line, "\"state\":\"queued\""));
	wait_ready(&r, 2);
	ck_assert(!has_file(dir));
	/* Once more: it is no matter of the first time. */
	sv_lied(wait_ready(&r, 2), pd_giver_of(TWO), "another", true);
	ck_assert(!send_request(after, "", line, sizeof line));
	close(after);
	after = connect_to(dir);
	ck_assert(send_request(after, GET, line, sizeof line));
	ck_assert(send_request(after, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"server.shutdown\"}\n", line,
			       sizeof line));
	close(after);
	ck_assert(!pthread_join(thread, NULL));
	ck_assert_int_eq(r.rc, PD_OK);
	ck_assert_uint_eq(r.times, 3);
	struct facts left = facts_of(dir);
	ck_assert_uint_gt(left.count, 0);
	for (size_t i = 0; i < left.count; i++)
		ck_assert(!pd_is_giver(left.at[i].reason.job));
	ck_assert_uint_le(left.count, expected.count);
	assert_clean(dir, NULL);
	free(left.at);
	free(expected.at);
	scratch_remove(dir);
}
END_TEST

#define SUBMIT                                                                                                         \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"job.submit\",\"params\":{\"game\":\"mnk:3,3,3\",\"algorithm\":"    \
	"\"pn\","                                                                                                      \
	"\"detail\":\"full\",\"memory\":\"16M\"}}\n"
#define GET_ONE "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"job.get\",\"params\":{\"job\":1}}\n"

START_TEST(a_job_that_meets_a_lie_goes_on_without_it)
{
	static char line[1 << 16];
	char dir[64];
	pthread_t thread;
	struct sv_liars banned;
	struct running r = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
	scratch_dir(dir);
	forge_fact(dir, "b2", pd_giver_of(ONE));
	nt_config_init(&r.server);
	r.server.listen = NULL;
	sv_config_init(&r.core);
	r.core.data = dir;
	r.core.threads = 1;
	r.core.checkpoint_s = 0.05;
	ck_assert(!pthread_create(&thread, NULL, serve_main, &r));
	wait_ready(&r, 1);
	int fd = connect_to(dir);
	ck_assert(send_request(fd, SUBMIT, line, sizeof line)); /* `pn` asks for no facts, and finds the truth */
	close(fd);
	wait_ready(&r, 2);
	fd = connect_to(dir);
	do
		ck_assert(send_request(fd, GET_ONE, line, sizeof line));
	while (strstr(line, "\"state\":\"queued\"") || strstr(line, "\"state\":\"running\""));
	ck_assert_msg(strstr(line, "\"state\":\"solved\"") != NULL, "%s", line);
	close(fd);
	kill(getpid(), SIGTERM);
	pthread_join(thread, NULL);
	ck_assert_int_eq(r.rc, PD_OK);
	ck_assert(!has_file(dir));
	sv_liars_banned(dir, &banned, NULL);
	ck_assert_uint_eq(banned.count, 1);
	ck_assert_uint_eq(banned.giver[0], pd_giver_of(ONE));
	assert_clean(dir, NULL);
	scratch_remove(dir);
}
END_TEST

SUITE(lies)
{
	tcase_set_timeout(c, 300);
	pd_log_threshold(PD_LOG_ERROR);
	tcase_add_test(c, a_worker_takes_what_depends_on_it_along);
	tcase_add_test(c, numbers_of_workers);
	tcase_add_test(c, the_file_says_what_was_written);
	tcase_add_test(c, a_list_that_cannot_be_read_now_is_not_empty);
	tcase_add_test(c, a_start_takes_back);
	tcase_add_test(c, tools_know_the_file);
	tcase_add_test(c, a_reader_that_is_open_tells_no_lies);
	tcase_add_test(c, a_crash_is_completed_by_the_next_start);
	tcase_add_test(c, a_server_that_runs_takes_back_and_serves_on);
	tcase_add_test(c, a_job_that_meets_a_lie_goes_on_without_it);
}
