/* The daemon alone, V1 to V3: lines, sockets and stopping. */
#include "tests/server/daemon_rig.h"

START_TEST(lines_are_answered_however_they_are_cut)
{
	struct rig *rig = rig_new(10, 60);
	int fd = dial_daemon(rig);
	send_text(fd, "echo one\n\n \t\r\necho t");
	expect_text(fd, "one");
	send_text(fd, "w");
	send_text(fd, "o\necho three\r\n");
	expect_text(fd, "two");
	expect_text(fd, "three\r");
	close(fd);
	stop_daemon(rig);
}
END_TEST

START_TEST(ten_thousand_pipelined_lines_come_back_in_order)
{
	struct rig *rig = rig_new(10, 60);
	int fd = dial_daemon(rig);
	char text[32];
	struct pd_buf all;
	pd_buf_init(&all, SIZE_MAX / 2);
	for (int i = 0; i < 10000; i++)
		pd_buf_printf(&all, "echo %d\n", i);
	say_bytes(fd, all.data, all.size);
	for (int i = 0; i < 10000; i++) {
		snprintf(text, sizeof text, "%d", i);
		expect_text(fd, text);
	}
	pd_buf_fini(&all);
	close(fd);
	stop_daemon(rig);
}
END_TEST

static void say_long(int fd, size_t size)
{
	char *line = malloc(size);
	memset(line, 'y', size);
	memcpy(line, "echo ", 5);
	line[size - 1] = '\n';
	say_bytes(fd, line, size);
	free(line);
}

START_TEST(a_line_over_the_limit_is_refused_once_and_skipped)
{
	struct rig *rig = rig_new(10, 60);
	int fd = dial_daemon(rig);
	say_long(fd, 10 << 20);
	expect_holding(fd, "\"code\":8,\"message\":\"a request line may have at most 1048576 bytes");
	send_text(fd, "echo here\n");
	expect_text(fd, "here");
	say_long(fd, PR_LINE_MAX + 1);
	expect_holding(fd, "\"slug\":\"limit\"");
	say_long(fd, PR_LINE_MAX);
	char *line = malloc(PR_LINE_MAX);
	ck_assert(read_text(fd, line, PR_LINE_MAX));
	ck_assert_uint_eq(strlen(line), PR_LINE_MAX - 6);
	free(line);
	close(fd);
	stop_daemon(rig);
}
END_TEST

START_TEST(a_half_closed_client_gets_what_is_pending)
{
	struct rig *rig = rig_new(10, 60);
	int fd = dial_daemon(rig), other = dial_daemon(rig);
	send_text(fd, "hold late\necho now\necho without a newline");
	shutdown(fd, SHUT_WR);
	expect_text(fd, "now");
	expect_text(fd, "without a newline");
	send_text(other, "release\n");
	expect_text(fd, "late");
	expect_end(fd);
	close(other);
	stop_daemon(rig);
}
END_TEST

START_TEST(no_more_is_read_while_too_much_is_pending)
{
	struct rig *rig = rig_new(10, 60);
	int fd = dial_daemon(rig), other = dial_daemon(rig);
	unsigned asked = 0;
	for (int i = 0; i < 200; i++)
		send_text(fd, "hold x\n");
	while (seen(other) - ++asked < SV_INFLIGHT_MAX)
		ck_assert_uint_lt(asked, 1000000);
	for (int i = 0; i < 100; i++)
		ck_assert_uint_eq(seen(other) - ++asked, SV_INFLIGHT_MAX);
	for (int i = 0; i < 200; i += SV_INFLIGHT_MAX) {
		send_text(other, "release\n");
		for (int k = i; k < 200 && k < i + SV_INFLIGHT_MAX; k++)
			expect_text(fd, "x");
	}
	close(fd);
	close(other);
	stop_daemon(rig);
}
END_TEST

/* True once the server has closed its end; asks `other` things meanwhile, to see that it still answers. */
START_TEST(a_reply_without_memory_ends_the_connection)
{
	struct rig *rig = rig_new(10, 60);
	int fd = dial_daemon(rig), other = dial_daemon(rig);
	send_text(fd, "hold x\necho here\n");
	expect_text(fd, "here");
	send_text(fd, "lose\necho no more\n");
	expect_end(fd);
	send_text(other, "echo x\n");
	expect_text(other, "x");
	close(other);
	stop_daemon(rig);
}
END_TEST

START_TEST(a_stranger_is_turned_away)
{
	struct rig *rig = rig_new(10, 60);
	int other = dial_daemon(rig);
	int fd = dial_silently(rig);
	send_text(fd, "\r\n \n");
	send_text(fd, "7");
	expect_holding(fd, "\"slug\":\"parse-error\"");
	expect_end(fd);
	fd = dial_silently(rig);
	send_text(fd, "P"); /* of POST, for all that can be known */
	expect_holding(fd, "HTTP/1.0 400 ");
	close(fd);
	ck_assert_uint_eq(seen(other), 1);
	close(other);
	stop_daemon(rig);
}
END_TEST

START_TEST(a_signal_stops_it_after_the_pending_answers)
{
	struct rig *rig = rig_new(10, 60);
	int fd = dial_daemon(rig), other = dial_daemon(rig);
	send_text(other, "hold last\n");
	send_text(fd, "echo ready\n");
	expect_text(fd, "ready");
	for (unsigned asked = 1; seen(fd) - asked < 2;)
		asked++;
	release_daemon(&rig->core); /* not by a line: the server may hear the signal before it reads one */
	kill(getpid(), SIGTERM);
	expect_text(other, "last");
	expect_end(other);
	expect_end(fd);
	rig_join(rig);
}
END_TEST

/* Two seconds are promised; what a busy machine adds it does not add every time. */
START_TEST(an_answer_that_never_comes_does_not_keep_it_from_stopping)
{
	uint64_t took = UINT64_MAX;
	for (unsigned i = 0; i < 5 && took >= UINT64_C(2000000000); i++) {
		struct rig *rig = rig_new(10, 60);
		int fd = dial_daemon(rig);
		send_text(fd, "hold for ever\necho ready\n");
		expect_text(fd, "ready");
		uint64_t start = pd_now_ns();
		kill(getpid(), SIGINT);
		expect_end(fd);
		rig_join(rig);
		took = pd_now_ns() - start;
	}
	ck_assert_uint_lt(took, UINT64_C(2000000000));
}
END_TEST

START_TEST(clients_may_come_and_go_by_the_hundred)
{
	struct rig *rig = rig_new(1000, 60);
	int fds[300];
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 300; i++) {
			fds[i] = dial_daemon(rig);
			send_text(fds[i], "hold x\necho a\nhold half a li");
		}
		for (int i = 0; i < 300; i++) {
			if (i % 3)
				expect_text(fds[i], "a");
			close(fds[i]);
		}
	}
	stop_daemon(rig);
}
END_TEST

static int listen_on(const char *address, const char *path, struct pd_fail *fail)
{
	struct nt_config config;
	struct dm_server *server;
	nt_config_init(&config);
	config.listen = address;
	config.socket = path;
	int rc = dm_server_open(&config, &server, fail);
	if (!rc)
		dm_server_close(server);
	return rc;
}

START_TEST(only_loopback_addresses_are_listened_on)
{
	struct pd_fail fail;
	ck_assert_int_eq(listen_on("127.0.0.1:0", NULL, &fail), PD_OK);
	ck_assert_int_eq(listen_on("127.9.9.9:0", NULL, &fail), PD_OK);
	ck_assert_int_eq(listen_on("localhost:0", NULL, &fail), PD_OK);
	ck_assert_int_eq(listen_on("0.0.0.0:0", NULL, &fail), PD_E_UNSUPPORTED);
	ck_assert_int_eq(listen_on("192.168.1.1:4590", NULL, &fail), PD_E_UNSUPPORTED);
	ck_assert_int_eq(listen_on("[::]:0", NULL, &fail), PD_E_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(fail.text, "other machines"));
	const char *wrong[] = {"",
			       ":",
			       "127.0.0.1",
			       "127.0.0.1:",
			       "127.0.0.1:65536",
			       "127.0.0.1:1x",
			       "example.org:1",
			       "::1:4590",
			       "[127.0.0.1]:1",
			       "127.0.0.1:-1",
			       ":4590",
			       "[]:1"};
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
		ck_assert_msg(listen_on(wrong[i], NULL, &fail) == PD_E_USAGE, "'%s'", wrong[i]);
}
END_TEST

START_TEST(a_socket_file_is_replaced_only_when_its_server_is_dead)
{
	struct rig *rig = rig_new(10, 60);
	struct pd_fail fail;
	struct stat st;
	ck_assert_int_eq(stat(rig->path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(listen_on(NULL, rig->path, &fail), PD_E_LOCKED);
	ck_assert_int_eq(listen_on(dm_server_address(rig->server), NULL, &fail), PD_E_IO);
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	strcpy(name.sun_path, rig->path);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&name, sizeof name), 0);
	send_text(fd, GREETING "\necho over a socket\n");
	expect_text(fd, "over a socket");
	close(fd);
	char dead[128];
	snprintf(dead, sizeof dead, "%s/dead", rig->dir);
	strcpy(name.sun_path, dead);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
	close(fd); /* the file stays, and no one listens */
	ck_assert_int_eq(listen_on(NULL, dead, &fail), PD_OK);
	ck_assert_int_ne(lstat(dead, &st), 0);
	ck_assert_int_eq(listen_on(NULL, rig->dir, &fail), PD_E_IO);
	stop_daemon(rig);
}
END_TEST

SUITE(daemon)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, lines_are_answered_however_they_are_cut);
	tcase_add_test(c, ten_thousand_pipelined_lines_come_back_in_order);
	tcase_add_test(c, a_line_over_the_limit_is_refused_once_and_skipped);
	tcase_add_test(c, a_half_closed_client_gets_what_is_pending);
	tcase_add_test(c, no_more_is_read_while_too_much_is_pending);
	tcase_add_test(c, a_reply_without_memory_ends_the_connection);
	tcase_add_test(c, a_stranger_is_turned_away);
	tcase_add_test(c, a_signal_stops_it_after_the_pending_answers);
	tcase_add_test(c, an_answer_that_never_comes_does_not_keep_it_from_stopping);
	tcase_add_test(c, clients_may_come_and_go_by_the_hundred);
	tcase_add_test(c, only_loopback_addresses_are_listened_on);
	tcase_add_test(c, a_socket_file_is_replaced_only_when_its_server_is_dead);
}
