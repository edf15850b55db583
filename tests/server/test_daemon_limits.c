/* Limits of the daemon, V1 to V3: clients that do not read, connections, and memory for all clients. */
#include "tests/server/daemon_rig.h"

static bool is_dropped(int fd, int other)
{
	for (uint64_t start = pd_now_ns(); pd_now_ns() - start < PATIENCE_S * UINT64_C(1000000000);) {
		send_text(other, "echo x\n");
		expect_text(other, "x");
		if (send(fd, "\n", 1, MSG_NOSIGNAL) < 0)
			return true;
	}
	return false;
}

static size_t drain_socket(int fd)
{
	char *sink = malloc(1 << 20);
	size_t bytes = 0;
	for (ssize_t n; (n = recv(fd, sink, 1 << 20, 0)) > 0;)
		bytes += (size_t)n;
	free(sink);
	close(fd);
	return bytes;
}

START_TEST(a_client_that_does_not_read_is_held_back_and_then_dropped)
{
	struct rig *rig = rig_new(10, 0.2);
	int fd = dial_daemon(rig), other = dial_daemon(rig);
	char lines[2000] = "";
	for (int i = 0; i < 100; i++)
		strcat(lines, "big 1000000\n");
	send_text(fd, lines); /* at once: it may be dropped a fifth of a second after the first */
	ck_assert(is_dropped(fd, other));
	/* What the kernel keeps for a socket, and the soft limit: not the hundred replies that were asked for. */
	ck_assert_uint_lt(drain_socket(fd), 50000000);
	close(other);
	stop_daemon(rig);
}
END_TEST

START_TEST(a_client_whose_queue_passes_the_hard_limit_is_dropped)
{
	struct rig *rig = rig_new(10, 60);
	int fd = dial_daemon(rig), other = dial_daemon(rig);
	char *line = malloc(1000000);
	memset(line, 'z', 1000000);
	memcpy(line, "hold ", 5);
	line[999999] = '\n';
	for (int i = 0; i < 20; i++)
		say_bytes(fd, line, 1000000);
	free(line);
	send_text(other, "hold mark\n");
	for (unsigned asked = 1; seen(other) - asked < 21;)
		asked++;
	send_text(other, "release\n");
	expect_text(other, "mark");
	ck_assert(is_dropped(fd, other));
	ck_assert_uint_eq(drain_socket(fd), 0);
	close(other);
	stop_daemon(rig);
}
END_TEST

/* Connects; true when there is a place. Where there is none, the server may have hung up before a word is said. */
static bool is_let_in(const struct rig *rig, int *fd)
{
	static const char words[] = GREETING "\necho here\n";
	char line[512];
	*fd = dial_silently(rig);
	bool in = send(*fd, words, sizeof words - 1, MSG_NOSIGNAL) > 0 && read_text(*fd, line, sizeof line) &&
		  !strcmp(line, "here");
	if (!in)
		close(*fd);
	return in;
}

START_TEST(a_connection_too_many_is_told_so)
{
	struct rig *rig = rig_new(2, 60);
	int one = dial_daemon(rig), two = dial_daemon(rig);
	send_text(one, "echo 1\n");
	expect_text(one, "1");
	send_text(two, "echo 2\n");
	expect_text(two, "2");
	int three = dial_daemon(rig);
	send_text(three, "echo 3\n");
	expect_holding(three, "has no place for another connection (at most 2)");
	expect_end(three);
	close(two);
	int four;
	while (!is_let_in(rig, &four)) /* until the server has noticed that two is gone */
		;
	close(four);
	close(one);
	int five;
	while (!is_let_in(rig, &five))
		;
	send_text(five, "stop\n");
	close(five);
	rig_join(rig);
}
END_TEST

START_TEST(what_is_kept_for_all_clients_has_a_limit)
{
	enum { CLIENTS = 6, SIZE = 10000000 };
	struct nt_config config;
	int fds[CLIENTS];
	unsigned whole = 0, asked = 0;
	nt_config_init(&config);
	config.buffers_max = 3 * SIZE;
	struct rig *rig = rig_with(config);
	int other = dial_daemon(rig);
	for (int i = 0; i < CLIENTS; i++) {
		fds[i] = dial_daemon(rig);
		send_text(fds[i], "big 10000000\n"); /* each alone may leave it unread */
	}
	while (seen(other) - ++asked < CLIENTS)
		ck_assert_uint_lt(asked, 1000000);
	for (int i = 0; i < 100; i++) {
		send_text(other, "echo x\n");
		expect_text(other, "x");
	}
	stop_daemon(rig);
	for (int i = 0; i < CLIENTS; i++)
		whole += drain_socket(fds[i]) == SIZE;
	ck_assert_uint_lt(whole, CLIENTS);
	close(other);
}
END_TEST

START_TEST(many_unfinished_lines_count_as_kept)
{
	enum { CLIENTS = 8, SIZE = 1000000 };
	struct nt_config config;
	int fds[CLIENTS];
	nt_config_init(&config);
	config.buffers_max = 4 * SIZE;
	struct rig *rig = rig_with(config);
	char *text = malloc(SIZE);
	memset(text, 'u', SIZE);
	int other = dial_daemon(rig);
	for (int i = 0; i < CLIENTS; i++) {
		fds[i] = dial_daemon(rig);
		ssize_t sent = 1; /* it may be dropped before it has said all */
		for (size_t at = 0; at < SIZE && sent > 0; at += (size_t)sent)
			sent = send(fds[i], text + at, SIZE - at, MSG_NOSIGNAL);
	}
	unsigned dropped = 0;
	for (uint64_t start = pd_now_ns(); dropped < 4 && pd_now_ns() - start < PATIENCE_S * UINT64_C(1000000000);) {
		send_text(other, "echo x\n");
		expect_text(other, "x");
		dropped = 0;
		for (int i = 0; i < CLIENTS; i++) {
			char c;
			dropped += recv(fds[i], &c, 1, MSG_DONTWAIT) == 0 || errno == ECONNRESET;
			errno = 0;
		}
	}
	ck_assert_uint_ge(dropped, 4);
	for (int i = 0; i < CLIENTS; i++)
		close(fds[i]);
	free(text);
	close(other);
	stop_daemon(rig);
}
END_TEST

START_TEST(who_is_idle_longest_makes_room)
{
	struct nt_config config;
	nt_config_init(&config);
	config.connections_max = 3;
	config.idle_s = 0;
	struct rig *rig = rig_with(config);
	int one = dial_daemon(rig), two = dial_daemon(rig);
	send_text(two, "hold late\necho 2\n");
	expect_text(two, "2");
	send_text(one, "echo 1\n");
	expect_text(one, "1");
	int three = dial_daemon(rig);
	send_text(three, "echo 3\n");
	expect_text(three, "3");
	int four = dial_daemon(rig); /* two has been silent longer, but waits for an answer */
	send_text(four, "echo 4\n");
	expect_text(four, "4");
	expect_end(one);
	int five = dial_daemon(rig);
	send_text(five, "release\n");
	expect_text(two, "late");
	expect_end(three);
	close(two);
	close(four);
	close(five);
	stop_daemon(rig);
}
END_TEST

START_TEST(who_is_silent_in_the_middle_of_a_line_makes_room)
{
	struct nt_config config;
	nt_config_init(&config);
	config.connections_max = 2;
	config.idle_s = 0;
	struct rig *rig = rig_with(config);
	int one = dial_daemon(rig), two = dial_daemon(rig);
	send_text(one, "echo 1\necho and no mo");
	expect_text(one, "1");
	send_text(two, "echo 2\n");
	expect_text(two, "2");
	int three = dial_daemon(rig);
	send_text(three, "echo 3\n");
	expect_text(three, "3");
	expect_end(one);
	close(two);
	stop_daemon(rig);
	close(three);
}
END_TEST

START_TEST(some_places_are_for_the_unix_socket)
{
	struct nt_config config;
	int fds[NT_RESERVED];
	nt_config_init(&config);
	config.connections_max = 2;
	config.idle_s = 1000;
	struct rig *rig = rig_with(config);
	int one = dial_daemon(rig), two = dial_daemon(rig);
	send_text(one, "echo 1\n");
	expect_text(one, "1");
	send_text(two, "echo 2\n");
	expect_text(two, "2");
	int three = dial_daemon(rig);
	expect_holding(three, "has no place for another connection (at most 2)");
	expect_end(three);
	for (unsigned i = 0; i < NT_RESERVED; i++) {
		fds[i] = dial_locally(rig);
		send_text(fds[i], "echo local\n");
		expect_text(fds[i], "local");
	}
	int more = dial_locally(rig);
	expect_holding(more, "has no place for another connection");
	expect_end(more);
	send_text(fds[0], "stop\n");
	expect_end(fds[0]);
	rig_join(rig);
	for (unsigned i = 1; i < NT_RESERVED; i++)
		close(fds[i]);
	close(one);
	close(two);
}
END_TEST

SUITE(daemon_limits)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, a_client_that_does_not_read_is_held_back_and_then_dropped);
	tcase_add_test(c, a_client_whose_queue_passes_the_hard_limit_is_dropped);
	tcase_add_test(c, a_connection_too_many_is_told_so);
	tcase_add_test(c, what_is_kept_for_all_clients_has_a_limit);
	tcase_add_test(c, many_unfinished_lines_count_as_kept);
	tcase_add_test(c, who_is_idle_longest_makes_room);
	tcase_add_test(c, who_is_silent_in_the_middle_of_a_line_makes_room);
	tcase_add_test(c, some_places_are_for_the_unix_socket);
}
