/* Deadlines of connections by HTTP and WebSocket, with a clock that is put forward: who reads steadily, or is not read
 * by the server itself, is not cut off; who is silent is. By itself the clock goes at a tenth of its speed, so that a
 * busy machine brings no deadline nearer. */
#include <stdatomic.h>

#include "server/net/assets.h"
#include "tests/server/daemon_rig.h"

enum { STALL_S = 60, KEEP_S = 60, REQUEST_S = 10, ROOM = 4 << 20, FILE_BYTES_MIN = 10000 };

uint64_t __real_pd_now_ns(void);
uint64_t __wrap_pd_now_ns(void);
void __wrap_sv_core_tick(struct sv_core *core);

static atomic_uint_fast64_t later; /* nanoseconds */
static atomic_uint ticks;

uint64_t __wrap_pd_now_ns(void)
{
	return __real_pd_now_ns() / 10 + atomic_load(&later);
}

/* A tick begins. */
void __wrap_sv_core_tick(struct sv_core *core)
{
	sv_core_tick(core);
	atomic_fetch_add(&ticks, 1);
}

/* Waits until the daemon has looked at all deadlines, and read what was said before. */
static void wait_for_tick(void)
{
	for (unsigned now = atomic_load(&ticks); atomic_load(&ticks) - now < 2;)
		usleep(1000);
}

/* That much time passes, after all that was done before. */
static void pass(unsigned seconds)
{
	wait_for_tick();
	atomic_fetch_add(&later, seconds * UINT64_C(1000000000));
	wait_for_tick();
}

/* --- clients ------------------------------------------------------------------------------ */

static struct rig *web_rig(double stall_s)
{
	struct nt_config config;
	nt_config_init(&config);
	config.connections_max = 10;
	config.stall_s = stall_s;
	config.http = "127.0.0.1:0";
	return rig_with(config);
}

static int dial_web(const struct rig *rig)
{
	struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	name.sin_port = htons((uint16_t)atoi(strrchr(dm_server_http(rig->server), ':') + 1));
	int fd = socket(AF_INET, SOCK_STREAM, 0), small = 32 << 10;
	struct timeval patience = {.tv_sec = PATIENCE_S};
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&name, sizeof name), 0);
	return fd;
}

/* The kernel keeps little of what the server sends. Its end of the connection is one of ours. */
static void keep_little(int fd)
{
	struct sockaddr_in client, peer;
	socklen_t size = sizeof client;
	int small = 32 << 10;
	ck_assert(!getsockname(fd, (struct sockaddr *)&client, &size));
	for (unsigned tries = 0; tries < PATIENCE_S * 1000; tries++) {
		for (int other = 0; other < 100; other++) {
			size = sizeof peer;
			if (other == fd || getpeername(other, (struct sockaddr *)&peer, &size) ||
			    peer.sin_family != AF_INET || peer.sin_port != client.sin_port)
				continue;
			ck_assert(!setsockopt(other, SOL_SOCKET, SO_SNDBUF, &small, sizeof small));
			return;
		}
		usleep(1000); /* it has not been accepted */
	}
	ck_abort_msg("the server's end is not found");
}

static void hear_bytes(int fd, char *data, size_t size)
{
	for (size_t at = 0; at < size;) {
		ssize_t n = recv(fd, data + at, size - at, 0);
		ck_assert_msg(n > 0, "the connection ended after %zu of %zu bytes", at, size);
		at += (size_t)n;
	}
}

static bool is_closed(int fd)
{
	char c;
	ssize_t n = recv(fd, &c, 1, MSG_DONTWAIT);
	return !n || (n < 0 && errno != EAGAIN);
}

/* It is, or will be soon: the end may come some time after the last byte. */
static void expect_closed(int fd)
{
	char c;
	ssize_t n = recv(fd, &c, 1, 0);
	ck_assert(!n || (n < 0 && errno != EAGAIN));
}

/* Reads an answer by HTTP; its status, and the bytes of its body, which are passed over. */
static unsigned hear_answer(int fd, size_t *size)
{
	static char body[ROOM];
	char line[512];
	unsigned status = 0;
	*size = 0;
	ck_assert(read_text(fd, line, sizeof line));
	ck_assert_int_eq(sscanf(line, "HTTP/1.1 %u", &status), 1);
	do {
		ck_assert(read_text(fd, line, sizeof line));
		sscanf(line, "Content-Length: %zu", size);
	} while (strcmp(line, "\r") != 0);
	ck_assert_uint_le(*size, sizeof body);
	hear_bytes(fd, body, *size);
	return status;
}

static void send_get(int fd, const char *path)
{
	char request[200];
	snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
	send_text(fd, request);
}

static int dial_socket(const struct rig *rig)
{
	char line[512];
	int fd = dial_web(rig);
	send_text(fd, "GET /rpc HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
		      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n");
	expect_holding(fd, "HTTP/1.1 101 ");
	do
		ck_assert(read_text(fd, line, sizeof line));
	while (strcmp(line, "\r") != 0);
	return fd;
}

/* Sends a frame of at most 125 bytes, whose mask is zero. */
static void say_frame(int fd, unsigned opcode, const char *text)
{
	char frame[140] = {(char)(0x80 | opcode), (char)(0x80 | strlen(text))};
	ck_assert_uint_le(strlen(text), 125);
	memcpy(frame + 6, text, strlen(text));
	say_bytes(fd, frame, 6 + strlen(text));
}

/* Reads a frame; its opcode, and its payload, ended by a zero. */
static unsigned hear_frame(int fd, char *payload, size_t room, size_t *size)
{
	unsigned char head[2], more[8];
	hear_bytes(fd, (char *)head, 2);
	unsigned extra = head[1] == 127 ? 8 : head[1] == 126 ? 2 : 0;
	hear_bytes(fd, (char *)more, extra);
	*size = extra ? 0 : head[1];
	for (unsigned i = 0; i < extra; i++)
		*size = *size << 8 | more[i];
	ck_assert_uint_lt(*size, room);
	hear_bytes(fd, payload, *size);
	payload[*size] = 0;
	return head[0] & 0x0f;
}

enum { TEXT = 1, PING = 9, PONG = 10 };

static void expect_frame(int fd, unsigned opcode, const char *text)
{
	char payload[200];
	size_t size;
	ck_assert_uint_eq(hear_frame(fd, payload, sizeof payload, &size), opcode);
	ck_assert_str_eq(payload, text);
}

/* --- HTTP --------------------------------------------------------------------------------- */

/* The address of the style sheet. */
static const char *style_sheet(void)
{
	const struct nt_asset *asset = nt_assets;
	while (asset->path && !strstr(asset->path, "/style.css"))
		asset++;
	ck_assert_ptr_nonnull(asset->path);
	return asset->path;
}

/* The end of the answers is still in the server, or so much of them that it reads no more requests. */
START_TEST(who_reads_answers_has_time)
{
	static const unsigned counts[] = {40, 450};
	struct rig *rig = web_rig(STALL_S);
	size_t size;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		int fd = dial_web(rig);
		keep_little(fd);
		for (unsigned n = 0; n < counts[i]; n++)
			send_get(fd, style_sheet());
		wait_for_tick();
		for (unsigned n = 0; n < counts[i]; n++) {
			if (n < 24 && !(n % 8)) /* some answers in half a minute */
				pass(KEEP_S / 2 + 1);
			ck_assert_uint_eq(hear_answer(fd, &size), 200);
			ck_assert_uint_gt(size, FILE_BYTES_MIN);
		}
		close(fd);
	}
	stop_daemon(rig);
}
END_TEST

/* However long it takes; the core of this test never answers it. */
START_TEST(who_waits_for_an_answer_has_time)
{
	struct rig *rig = web_rig(STALL_S);
	int fd = dial_web(rig);
	send_text(fd, "POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 22\r\n\r\n[{\"game\":");
	wait_for_tick();
	send_text(fd, "\"mnk:3,3,3\"}]");
	wait_for_tick();
	for (unsigned i = 0; i < 3; i++) {
		pass(KEEP_S);
		ck_assert(!is_closed(fd));
	}
	close(fd);
	stop_daemon(rig);
}
END_TEST

START_TEST(who_asks_nothing_is_cut_off)
{
	struct rig *rig = web_rig(STALL_S);
	int fresh = dial_web(rig), fd = dial_web(rig);
	size_t size;
	send_get(fd, "/no");
	ck_assert_uint_eq(hear_answer(fd, &size), 404);
	pass(REQUEST_S + 1);
	expect_closed(fresh);
	ck_assert(!is_closed(fd));
	pass(KEEP_S - REQUEST_S);
	expect_closed(fd);
	close(fresh);
	close(fd);
	fd = dial_web(rig);
	send_text(fd, "GET /no HTTP/1.1\r\nHo");
	wait_for_tick();
	pass(REQUEST_S + 1);
	ck_assert_uint_eq(hear_answer(fd, &size), 408);
	expect_closed(fd);
	close(fd);
	stop_daemon(rig);
}
END_TEST

/* An empty line begins no request, whole or in two pieces, and is no reason to wait longer either. */
START_TEST(an_empty_line_is_no_request)
{
	struct rig *rig = web_rig(STALL_S);
	int fd = dial_web(rig);
	size_t size;
	send_get(fd, "/no");
	ck_assert_uint_eq(hear_answer(fd, &size), 404);
	send_text(fd, "\r");
	wait_for_tick();
	send_text(fd, "\n");
	pass(REQUEST_S + 1);
	send_get(fd, "/no");
	ck_assert_uint_eq(hear_answer(fd, &size), 404);
	for (unsigned i = 0; i < KEEP_S / REQUEST_S; i++) {
		ck_assert(!is_closed(fd));
		send_text(fd, i % 2 ? "\n" : "\r");
		pass(REQUEST_S + 1);
	}
	expect_closed(fd);
	close(fd);
	stop_daemon(rig);
}
END_TEST

/* --- WebSocket ---------------------------------------------------------------------------- */

START_TEST(who_is_silent_is_asked_and_cut_off)
{
	struct rig *rig = web_rig(STALL_S);
	int fd = dial_socket(rig), gone = dial_socket(rig);
	for (unsigned i = 0; i < 3; i++) {
		pass(STALL_S / 2 + 1);
		expect_frame(fd, PING, "");
		say_frame(fd, PONG, "");
		wait_for_tick();
	}
	expect_frame(gone, PING, "");
	expect_closed(gone);
	say_frame(fd, TEXT, "echo x");
	expect_frame(fd, TEXT, "x");
	close(gone);
	close(fd);
	stop_daemon(rig);
}
END_TEST

/* With 64 calls in flight the server reads nothing of a client, its pongs included. */
START_TEST(who_is_not_read_is_not_silent)
{
	struct rig *rig = web_rig(STALL_S);
	int fd = dial_socket(rig), other = dial_daemon(rig);
	char all[2 * SV_INFLIGHT_MAX + 1] = "";
	for (unsigned i = 0; i < SV_INFLIGHT_MAX; i++) {
		say_frame(fd, TEXT, "hold x");
		strcat(all, i ? "\nx" : "x");
	}
	wait_for_tick();
	for (unsigned i = 0; i < 3; i++)
		pass(STALL_S + 1);
	say_frame(fd, TEXT, "echo y");
	send_text(other, "release\n");
	expect_frame(fd, TEXT, all); /* all in one, as the core of this test answers */
	expect_frame(fd, TEXT, "y");
	close(other);
	close(fd);
	stop_daemon(rig);
}
END_TEST

/* A ping stands behind the replies that a client is reading. After the second one the server reads nothing, too. */
START_TEST(who_reads_replies_is_not_silent)
{
	static const unsigned sizes[] = {900000, 3000000};
	static char payload[ROOM + 1];
	struct rig *rig = web_rig(STALL_S);
	size_t size;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		char text[32], head[10];
		int fd = dial_socket(rig);
		keep_little(fd);
		snprintf(text, sizeof text, "big %u ", sizes[i]);
		say_frame(fd, TEXT, text);
		hear_bytes(fd, head, sizeof head);
		wait_for_tick();
		for (unsigned n = 0; n < 4; n++) {
			pass(STALL_S / 2 + 1);
			hear_bytes(fd, payload, 150000);
		}
		hear_bytes(fd, payload, sizes[i] - 1 - 4 * 150000);
		wait_for_tick();
		say_frame(fd, TEXT, "echo x");
		while (hear_frame(fd, payload, sizeof payload, &size) == PING)
			;
		ck_assert_str_eq(payload, "x");
		close(fd);
	}
	stop_daemon(rig);
}
END_TEST

START_TEST(who_reads_no_replies_is_cut_off)
{
	static char payload[ROOM];
	struct rig *rig = web_rig(STALL_S);
	size_t heard = 0;
	int fd = dial_socket(rig);
	keep_little(fd);
	say_frame(fd, TEXT, "big 900000 ");
	wait_for_tick();
	pass(STALL_S / 2 + 1);
	pass(STALL_S / 2 + 1);
	for (ssize_t n; (n = recv(fd, payload, sizeof payload, 0)) > 0;)
		heard += (size_t)n;
	ck_assert_uint_lt(heard, 900000);
	close(fd);
	stop_daemon(rig);
}
END_TEST

SUITE(web_clock)
{
	tcase_add_test(c, who_reads_answers_has_time);
	tcase_add_test(c, who_waits_for_an_answer_has_time);
	tcase_add_test(c, who_asks_nothing_is_cut_off);
	tcase_add_test(c, an_empty_line_is_no_request);
	tcase_add_test(c, who_is_silent_is_asked_and_cut_off);
	tcase_add_test(c, who_is_not_read_is_not_silent);
	tcase_add_test(c, who_reads_replies_is_not_silent);
	tcase_add_test(c, who_reads_no_replies_is_cut_off);
}
