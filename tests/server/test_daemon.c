/* The shell alone, V1 to V3: sockets, limits and stopping, in front of a core that is forty lines long and does what
 * the lines say.
 *
 *   echo TEXT   answers TEXT            hold TEXT   answers TEXT when somebody says release
 *   big N       answers N bytes         seen        answers how many lines came, from all clients
 *   stop        asks the server to stop
 *   lose        asks for the end of its connection
 *
 * A client that begins with anything but JSON is turned away, so each says GREETING first. */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "proto/base/buf.h"
#include "proto/base/clock.h"
#include "server/daemon/conn.h"
#include "server/daemon/server.h"
#include "tests/support/check_main.h"

#define GREETING "{"

/* --- the core ----------------------------------------------------------------------------- */

struct sv_core {
	TAILQ_HEAD(, sv_session) sessions;
	struct dm_server *server;
	unsigned seen;
	bool stopping, release;
};

struct sv_session {
	struct sv_sink sink;
	struct sv_core *core;
	TAILQ_ENTRY(sv_session) all;
	struct pd_buf withheld;
	unsigned pending;
};

struct sv_session *sv_session_new(struct sv_core *core, const struct sv_sink *sink)
{
	struct sv_session *session = calloc(1, sizeof *session);
	session->sink = *sink;
	session->core = core;
	pd_buf_init(&session->withheld, SIZE_MAX / 2);
	TAILQ_INSERT_TAIL(&core->sessions, session, all);
	return session;
}

void sv_session_free(struct sv_session *session)
{
	TAILQ_REMOVE(&session->core->sessions, session, all);
	pd_buf_fini(&session->withheld);
	free(session);
}

static void send_big(struct sv_session *session, unsigned long size)
{
	char *line = malloc(size);
	memset(line, 'x', size);
	line[size - 1] = '\n';
	session->sink.send(session->sink.ctx, line, size);
	free(line);
}

bool sv_session_line(struct sv_session *session, const char *line, size_t size)
{
	struct sv_core *core = session->core;
	char reply[32];
	if (!strncmp(line, GREETING, size))
		return false;
	core->seen++;
	if (size > 5 && !memcmp(line, "echo ", 5)) {
		struct pd_buf text;
		pd_buf_init(&text, SIZE_MAX / 2);
		pd_buf_put(&text, line + 5, size - 5);
		pd_buf_put(&text, "\n", 1);
		session->sink.send(session->sink.ctx, text.data, text.size);
		pd_buf_fini(&text);
	} else if (size > 5 && !memcmp(line, "hold ", 5)) {
		pd_buf_put(&session->withheld, line + 5, size - 5);
		pd_buf_put(&session->withheld, "\n", 1);
		session->pending++;
	} else if (size > 4 && !memcmp(line, "big ", 4)) {
		send_big(session, strtoul(line + 4, NULL, 10));
	} else if (!strncmp(line, "seen", size)) {
		int n = snprintf(reply, sizeof reply, "%u\n", core->seen);
		session->sink.send(session->sink.ctx, reply, (size_t)n);
	} else if (!strncmp(line, "release", size)) {
		core->release = true;
		dm_server_wake(core->server);
	} else if (!strncmp(line, "lose", size)) {
		session->sink.hang_up(session->sink.ctx);
	} else if (!strncmp(line, "stop", size)) {
		core->stopping = true;
	}
	return false;
}

unsigned sv_session_inflight(const struct sv_session *session)
{
	return session->pending;
}

bool sv_session_waiting(const struct sv_session *session)
{
	(void)session;
	return false;
}

bool sv_session_idle(const struct sv_session *session)
{
	return !session->pending;
}

void sv_core_pump(struct sv_core *core)
{
	struct sv_session *session;
	if (core->release)
		TAILQ_FOREACH(session, &core->sessions, all)
		{
			if (session->pending)
				session->sink.send(session->sink.ctx, session->withheld.data, session->withheld.size);
			pd_buf_reset(&session->withheld);
			session->pending = 0;
		}
}

void sv_core_tick(struct sv_core *core)
{
	(void)core;
}

bool sv_core_stopping(const struct sv_core *core)
{
	return core->stopping;
}

void sv_config_init(struct sv_config *config)
{
	*config = (struct sv_config){0};
}

/* --- server and clients ------------------------------------------------------------------- */

struct rig {
	struct dm_server *server;
	struct sv_core core;
	pthread_t thread;
	char dir[64], path[96];
};

static void *run(void *ctx)
{
	struct rig *rig = ctx;
	dm_server_hear_signals(rig->server);
	dm_server_run(rig->server, &rig->core);
	return NULL;
}

static struct rig *rig_with(struct dm_config config)
{
	struct rig *rig = calloc(1, sizeof *rig);
	struct pd_fail fail;
	strcpy(rig->dir, "/tmp/test_shell.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(rig->dir));
	snprintf(rig->path, sizeof rig->path, "%s/socket", rig->dir);
	config.listen = "127.0.0.1:0";
	config.socket = rig->path;
	ck_assert_msg(!dm_server_open(&config, &rig->server, &fail), "%s", fail.text);
	TAILQ_INIT(&rig->core.sessions);
	rig->core.server = rig->server;
	ck_assert_int_eq(pthread_create(&rig->thread, NULL, run, rig), 0);
	return rig;
}

static struct rig *rig_new(unsigned connections_max, double stall_s)
{
	struct dm_config config;
	dm_config_init(&config);
	config.connections_max = connections_max;
	config.stall_s = stall_s;
	return rig_with(config);
}

/* Waits for the server to end; somebody has told it to. */
static void rig_join(struct rig *rig)
{
	struct stat st;
	pthread_join(rig->thread, NULL);
	ck_assert(TAILQ_EMPTY(&rig->core.sessions));
	dm_server_close(rig->server);
	ck_assert_int_ne(lstat(rig->path, &st), 0);
	ck_assert_int_eq(rmdir(rig->dir), 0);
	free(rig);
}

static void say(int fd, const char *text);

/* Connects, and does not say the first word. */
static int dial_silently(const struct rig *rig)
{
	struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	name.sin_port = htons((uint16_t)atoi(strrchr(dm_server_address(rig->server), ':') + 1));
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct timeval patience = {.tv_sec = 20};
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&name, sizeof name), 0);
	return fd;
}

/* Over the Unix socket. */
static int dial_locally(const struct rig *rig)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	struct timeval patience = {.tv_sec = 20};
	strcpy(name.sun_path, rig->path);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&name, sizeof name), 0);
	say(fd, GREETING "\n");
	return fd;
}

static int dial(const struct rig *rig)
{
	int fd = dial_silently(rig);
	say(fd, GREETING "\n");
	return fd;
}

static void say_bytes(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = send(fd, data, size, MSG_NOSIGNAL);
		ck_assert_msg(n > 0, "send: %s", strerror(errno));
		data += n;
		size -= (size_t)n;
	}
}

static void say(int fd, const char *text)
{
	say_bytes(fd, text, strlen(text));
}

/* Reads one line without its newline; byte by byte, so that nothing is read too far. False at the end of the stream. */
static bool hear(int fd, char *line, size_t room)
{
	size_t n = 0;
	for (char c; n + 1 < room;) {
		ssize_t got = recv(fd, &c, 1, 0);
		ck_assert_msg(got >= 0 || errno == ECONNRESET, "recv: %s", strerror(errno));
		if (got <= 0)
			return false;
		if (c == '\n')
			break;
		line[n++] = c;
	}
	line[n] = 0;
	return true;
}

static void expect(int fd, const char *text)
{
	char line[512];
	ck_assert(hear(fd, line, sizeof line));
	ck_assert_str_eq(line, text);
}

static void expect_holding(int fd, const char *part)
{
	char line[512];
	ck_assert(hear(fd, line, sizeof line));
	ck_assert_msg(strstr(line, part) != NULL, "%s", line);
}

static void expect_end(int fd)
{
	char line[512];
	ck_assert(!hear(fd, line, sizeof line));
	close(fd);
}

static unsigned seen(int fd)
{
	char line[32];
	say(fd, "seen\n");
	ck_assert(hear(fd, line, sizeof line));
	return (unsigned)atoi(line);
}

static void stop(struct rig *rig)
{
	int fd = dial(rig);
	say(fd, "stop\n");
	expect_end(fd);
	rig_join(rig);
}

/* --- tests -------------------------------------------------------------------------------- */

START_TEST(lines_are_answered_however_they_are_cut)
{
	struct rig *rig = rig_new(10, 60);
	int fd = dial(rig);
	say(fd, "echo one\n\n \t\r\necho t");
	expect(fd, "one");
	say(fd, "w");
	say(fd, "o\necho three\r\n");
	expect(fd, "two");
	expect(fd, "three\r");
	close(fd);
	stop(rig);
}
END_TEST

START_TEST(ten_thousand_pipelined_lines_come_back_in_order)
{
	struct rig *rig = rig_new(10, 60);
	int fd = dial(rig);
	char text[32];
	struct pd_buf all;
	pd_buf_init(&all, SIZE_MAX / 2);
	for (int i = 0; i < 10000; i++)
		pd_buf_printf(&all, "echo %d\n", i);
	say_bytes(fd, all.data, all.size);
	for (int i = 0; i < 10000; i++) {
		snprintf(text, sizeof text, "%d", i);
		expect(fd, text);
	}
	pd_buf_fini(&all);
	close(fd);
	stop(rig);
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
	int fd = dial(rig);
	say_long(fd, 10 << 20);
	expect_holding(fd, "\"code\":8,\"message\":\"a request line has at most 1048576 bytes");
	say(fd, "echo here\n");
	expect(fd, "here");
	say_long(fd, PR_LINE_MAX + 1);
	expect_holding(fd, "\"slug\":\"limit\"");
	say_long(fd, PR_LINE_MAX);
	char *line = malloc(PR_LINE_MAX);
	ck_assert(hear(fd, line, PR_LINE_MAX));
	ck_assert_uint_eq(strlen(line), PR_LINE_MAX - 6);
	free(line);
	close(fd);
	stop(rig);
}
END_TEST

START_TEST(a_half_closed_client_gets_what_is_pending)
{
	struct rig *rig = rig_new(10, 60);
	int fd = dial(rig), other = dial(rig);
	say(fd, "hold late\necho now\necho without a newline");
	shutdown(fd, SHUT_WR);
	expect(fd, "now");
	expect(fd, "without a newline");
	say(other, "release\n");
	expect(fd, "late");
	expect_end(fd);
	close(other);
	stop(rig);
}
END_TEST

START_TEST(no_more_is_read_while_too_much_is_pending)
{
	struct rig *rig = rig_new(10, 60);
	int fd = dial(rig), other = dial(rig);
	unsigned asked = 0;
	for (int i = 0; i < 200; i++)
		say(fd, "hold x\n");
	while (seen(other) - ++asked < SV_INFLIGHT_MAX)
		ck_assert_uint_lt(asked, 1000000);
	for (int i = 0; i < 100; i++)
		ck_assert_uint_eq(seen(other) - ++asked, SV_INFLIGHT_MAX);
	for (int i = 0; i < 200; i += SV_INFLIGHT_MAX) {
		say(other, "release\n");
		for (int k = i; k < 200 && k < i + SV_INFLIGHT_MAX; k++)
			expect(fd, "x");
	}
	close(fd);
	close(other);
	stop(rig);
}
END_TEST

/* True once the server has closed its end; asks `other` things meanwhile, to see that it still answers. */
static bool is_dropped(int fd, int other)
{
	for (uint64_t start = pd_now_ns(); pd_now_ns() - start < UINT64_C(20000000000);) {
		say(other, "echo x\n");
		expect(other, "x");
		if (send(fd, "\n", 1, MSG_NOSIGNAL) < 0)
			return true;
	}
	return false;
}

static size_t drain(int fd)
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
	int fd = dial(rig), other = dial(rig);
	for (int i = 0; i < 100; i++)
		say(fd, "big 1000000\n");
	ck_assert(is_dropped(fd, other));
	/* What the kernel keeps for a socket, and the soft limit: not the hundred replies that were asked for. */
	ck_assert_uint_lt(drain(fd), 50000000);
	close(other);
	stop(rig);
}
END_TEST

START_TEST(a_client_whose_queue_passes_the_hard_limit_is_dropped)
{
	struct rig *rig = rig_new(10, 60);
	int fd = dial(rig), other = dial(rig);
	char *line = malloc(1000000);
	memset(line, 'z', 1000000);
	memcpy(line, "hold ", 5);
	line[999999] = '\n';
	for (int i = 0; i < 20; i++)
		say_bytes(fd, line, 1000000);
	free(line);
	say(other, "hold mark\n");
	for (unsigned asked = 1; seen(other) - asked < 21;)
		asked++;
	say(other, "release\n");
	expect(other, "mark");
	ck_assert(is_dropped(fd, other));
	ck_assert_uint_eq(drain(fd), 0);
	close(other);
	stop(rig);
}
END_TEST

START_TEST(a_connection_too_many_is_told_so)
{
	struct rig *rig = rig_new(2, 60);
	int one = dial(rig), two = dial(rig);
	say(one, "echo 1\n");
	expect(one, "1");
	say(two, "echo 2\n");
	expect(two, "2");
	int three = dial(rig);
	say(three, "echo 3\n");
	expect_holding(three, "cannot take one more connection (at most 2)");
	expect_end(three);
	close(two);
	for (bool in = false; !in;) { /* until the server has noticed that two is gone */
		char line[512];
		int four = dial(rig);
		say(four, "echo 4\n");
		in = hear(four, line, sizeof line) && !strcmp(line, "4");
		close(four);
	}
	close(one);
	for (bool in = false; !in;) {
		char line[512];
		int five = dial(rig);
		say(five, "echo 5\n");
		in = hear(five, line, sizeof line) && !strcmp(line, "5");
		if (in)
			say(five, "stop\n");
		close(five);
	}
	rig_join(rig);
}
END_TEST

START_TEST(what_is_kept_for_all_clients_has_a_limit)
{
	enum { CLIENTS = 6, SIZE = 10000000 };
	struct dm_config config;
	int fds[CLIENTS];
	unsigned whole = 0, asked = 0;
	dm_config_init(&config);
	config.buffers_max = 3 * SIZE;
	struct rig *rig = rig_with(config);
	int other = dial(rig);
	for (int i = 0; i < CLIENTS; i++) {
		fds[i] = dial(rig);
		say(fds[i], "big 10000000\n"); /* each alone may leave it unread */
	}
	while (seen(other) - ++asked < CLIENTS)
		ck_assert_uint_lt(asked, 1000000);
	for (int i = 0; i < 100; i++) {
		say(other, "echo x\n");
		expect(other, "x");
	}
	stop(rig);
	for (int i = 0; i < CLIENTS; i++)
		whole += drain(fds[i]) == SIZE;
	ck_assert_uint_lt(whole, CLIENTS);
	close(other);
}
END_TEST

START_TEST(many_unfinished_lines_count_as_kept)
{
	enum { CLIENTS = 8, SIZE = 1000000 };
	struct dm_config config;
	int fds[CLIENTS];
	dm_config_init(&config);
	config.buffers_max = 4 * SIZE;
	struct rig *rig = rig_with(config);
	char *text = malloc(SIZE);
	memset(text, 'u', SIZE);
	int other = dial(rig);
	for (int i = 0; i < CLIENTS; i++) {
		fds[i] = dial(rig);
		say_bytes(fds[i], text, SIZE);
	}
	unsigned dropped = 0;
	for (uint64_t start = pd_now_ns(); dropped < 4 && pd_now_ns() - start < UINT64_C(20000000000);) {
		say(other, "echo x\n");
		expect(other, "x");
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
	stop(rig);
}
END_TEST

START_TEST(who_is_idle_longest_makes_room)
{
	struct dm_config config;
	dm_config_init(&config);
	config.connections_max = 3;
	config.idle_s = 0;
	struct rig *rig = rig_with(config);
	int one = dial(rig), two = dial(rig);
	say(two, "hold late\necho 2\n");
	expect(two, "2");
	say(one, "echo 1\n");
	expect(one, "1");
	int three = dial(rig);
	say(three, "echo 3\n");
	expect(three, "3");
	int four = dial(rig); /* two has been silent longer, but waits for an answer */
	say(four, "echo 4\n");
	expect(four, "4");
	expect_end(one);
	int five = dial(rig);
	say(five, "release\n");
	expect(two, "late");
	expect_end(three);
	close(two);
	close(four);
	close(five);
	stop(rig);
}
END_TEST

START_TEST(some_places_are_for_the_unix_socket)
{
	struct dm_config config;
	int fds[DM_RESERVED];
	dm_config_init(&config);
	config.connections_max = 2;
	config.idle_s = 1000;
	struct rig *rig = rig_with(config);
	int one = dial(rig), two = dial(rig);
	say(one, "echo 1\n");
	expect(one, "1");
	say(two, "echo 2\n");
	expect(two, "2");
	int three = dial(rig);
	expect_holding(three, "cannot take one more connection (at most 2)");
	expect_end(three);
	for (unsigned i = 0; i < DM_RESERVED; i++) {
		fds[i] = dial_locally(rig);
		say(fds[i], "echo local\n");
		expect(fds[i], "local");
	}
	int more = dial_locally(rig);
	expect_holding(more, "cannot take one more connection");
	expect_end(more);
	say(fds[0], "stop\n");
	expect_end(fds[0]);
	rig_join(rig);
	for (unsigned i = 1; i < DM_RESERVED; i++)
		close(fds[i]);
	close(one);
	close(two);
}
END_TEST

START_TEST(a_reply_without_memory_ends_the_connection)
{
	struct rig *rig = rig_new(10, 60);
	int fd = dial(rig), other = dial(rig);
	say(fd, "hold x\necho here\n");
	expect(fd, "here");
	say(fd, "lose\necho no more\n");
	expect_end(fd);
	say(other, "echo x\n");
	expect(other, "x");
	close(other);
	stop(rig);
}
END_TEST

START_TEST(a_stranger_is_turned_away)
{
	struct rig *rig = rig_new(10, 60);
	int other = dial(rig);
	int fd = dial_silently(rig);
	say(fd, "\r\n \n");
	say(fd, "P");
	expect_holding(fd, "\"slug\":\"parse-error\"");
	expect_end(fd);
	ck_assert_uint_eq(seen(other), 1);
	close(other);
	stop(rig);
}
END_TEST

START_TEST(a_signal_stops_it_after_the_pending_answers)
{
	struct rig *rig = rig_new(10, 60);
	int fd = dial(rig), other = dial(rig);
	say(other, "hold last\n");
	say(fd, "echo ready\n");
	expect(fd, "ready");
	for (unsigned asked = 1; seen(fd) - asked < 2;)
		asked++;
	say(fd, "release\n");
	kill(getpid(), SIGTERM);
	expect(other, "last");
	expect_end(other);
	expect_end(fd);
	rig_join(rig);
}
END_TEST

START_TEST(an_answer_that_never_comes_does_not_keep_it_from_stopping)
{
	struct rig *rig = rig_new(10, 60);
	int fd = dial(rig);
	say(fd, "hold for ever\necho ready\n");
	expect(fd, "ready");
	uint64_t start = pd_now_ns();
	kill(getpid(), SIGINT);
	expect_end(fd);
	rig_join(rig);
	ck_assert_uint_lt(pd_now_ns() - start, UINT64_C(2000000000));
}
END_TEST

START_TEST(clients_may_come_and_go_by_the_hundred)
{
	struct rig *rig = rig_new(1000, 60);
	int fds[300];
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 300; i++) {
			fds[i] = dial(rig);
			say(fds[i], "hold x\necho a\nhold half a li");
		}
		for (int i = 0; i < 300; i++) {
			if (i % 3)
				expect(fds[i], "a");
			close(fds[i]);
		}
	}
	stop(rig);
}
END_TEST

static int listen_on(const char *address, const char *path, struct pd_fail *fail)
{
	struct dm_config config;
	struct dm_server *server;
	dm_config_init(&config);
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
	say(fd, GREETING "\necho over a socket\n");
	expect(fd, "over a socket");
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
	stop(rig);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("shell");
	TCase *c = tcase_create("shell");
	tcase_set_timeout(c, 300);
	tcase_add_test(c, lines_are_answered_however_they_are_cut);
	tcase_add_test(c, ten_thousand_pipelined_lines_come_back_in_order);
	tcase_add_test(c, a_line_over_the_limit_is_refused_once_and_skipped);
	tcase_add_test(c, a_half_closed_client_gets_what_is_pending);
	tcase_add_test(c, no_more_is_read_while_too_much_is_pending);
	tcase_add_test(c, a_client_that_does_not_read_is_held_back_and_then_dropped);
	tcase_add_test(c, a_client_whose_queue_passes_the_hard_limit_is_dropped);
	tcase_add_test(c, a_connection_too_many_is_told_so);
	tcase_add_test(c, what_is_kept_for_all_clients_has_a_limit);
	tcase_add_test(c, many_unfinished_lines_count_as_kept);
	tcase_add_test(c, who_is_idle_longest_makes_room);
	tcase_add_test(c, some_places_are_for_the_unix_socket);
	tcase_add_test(c, a_reply_without_memory_ends_the_connection);
	tcase_add_test(c, a_stranger_is_turned_away);
	tcase_add_test(c, a_signal_stops_it_after_the_pending_answers);
	tcase_add_test(c, an_answer_that_never_comes_does_not_keep_it_from_stopping);
	tcase_add_test(c, clients_may_come_and_go_by_the_hundred);
	tcase_add_test(c, only_loopback_addresses_are_listened_on);
	tcase_add_test(c, a_socket_file_is_replaced_only_when_its_server_is_dead);
	suite_add_tcase(s, c);
	return check_main(s);
}
