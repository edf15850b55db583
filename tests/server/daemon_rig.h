/* The daemon in front of a core that is forty lines long and does what the lines say.
 *
 *   echo TEXT   answers TEXT            hold TEXT   answers TEXT when somebody says release
 *   big N       answers N bytes         seen        answers how many lines came, from all clients
 *   stop        asks the server to stop
 *   lose        asks for the end of its connection
 *
 * A client that begins with anything but JSON is turned away, so each says GREETING first. */
#pragma once

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/buf.h"
#include "proto/base/clock.h"
#include "server/net/conn.h"
#include "server/daemon/server.h"
#include "tests/support/suite.h"

#define GREETING "{"

/* That a client waits for the server at most, on a machine that does much else. */
enum { PATIENCE_S = 120 };

/* --- the core ----------------------------------------------------------------------------- */

struct sv_core {
	TAILQ_HEAD(, sv_session) sessions;
	struct dm_server *server;
	unsigned seen;
	bool stopping;
	atomic_bool release;
};

struct sv_session {
	struct sv_sink sink;
	struct sv_core *core;
	TAILQ_ENTRY(sv_session) all;
	struct pd_buf withheld;
	unsigned pending;
	bool suspended; /* the client leaves replies unread */
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

void sv_session_suspend(struct sv_session *session, bool suspended)
{
	PD_ASSERT(session->suspended != suspended);
	session->suspended = suspended;
}

static inline void send_big(struct sv_session *session, unsigned long size)
{
	char *line = malloc(size);
	memset(line, 'x', size);
	line[size - 1] = '\n';
	session->sink.send(session->sink.ctx, line, size);
	free(line);
}

/* Withheld answers are sent at the next turn; any thread. */
static inline void release_daemon(struct sv_core *core)
{
	atomic_store(&core->release, true);
	dm_server_wake(core->server);
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
		release_daemon(core);
	} else if (!strncmp(line, "lose", size)) {
		session->sink.hang_up(session->sink.ctx);
	} else if (!strncmp(line, "stop", size)) {
		core->stopping = true;
	}
	return false;
}

/* Never answered. */
void sv_call_text(struct sv_session *session, enum pr_method method, const struct sv_text *params, sv_completed *done,
		  void *ctx)
{
}

bool sv_session_known(const struct sv_session *session)
{
	return true;
}

unsigned sv_session_inflight(const struct sv_session *session)
{
	return session->pending;
}

bool sv_session_waiting(const struct sv_session *session)
{
	return false;
}

bool sv_session_idle(const struct sv_session *session)
{
	return !session->pending;
}

void sv_core_pump(struct sv_core *core)
{
	struct sv_session *session;
	if (atomic_load(&core->release))
		TAILQ_FOREACH(session, &core->sessions, all) {
			if (session->pending)
				session->sink.send(session->sink.ctx, session->withheld.data, session->withheld.size);
			pd_buf_reset(&session->withheld);
			session->pending = 0;
		}
}

void sv_core_tick(struct sv_core *core)
{
}

bool sv_core_tokens(struct sv_core *core, const struct sv_tokens *tokens)
{
	return true;
}

bool sv_core_stopping(const struct sv_core *core)
{
	return core->stopping;
}

bool sv_core_lied(const struct sv_core *core, bool *written)
{
	*written = false;
	return false;
}

const char *sv_core_stuck(struct sv_core *core)
{
	return NULL;
}

void sv_core_on_finish(struct sv_core *core, sv_tell_finished *tell, void *ctx)
{
	ck_assert(!tell && !ctx); /* no test asks for a hook here */
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

static inline void *run_daemon(void *ctx)
{
	struct rig *rig = ctx;
	dm_server_watch_signals(rig->server);
	dm_server_run(rig->server, &rig->core);
	return NULL;
}

static inline struct rig *rig_with(struct nt_config config)
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
	ck_assert_int_eq(pthread_create(&rig->thread, NULL, run_daemon, rig), 0);
	return rig;
}

static inline struct rig *rig_new(unsigned connections_max, double stall_s)
{
	struct nt_config config;
	nt_config_init(&config);
	config.connections_max = connections_max;
	config.stall_s = stall_s;
	return rig_with(config);
}

/* Waits for the server to end; somebody has told it to. */
static inline void rig_join(struct rig *rig)
{
	struct stat st;
	pthread_join(rig->thread, NULL);
	ck_assert(TAILQ_EMPTY(&rig->core.sessions));
	dm_server_close(rig->server);
	ck_assert_int_ne(lstat(rig->path, &st), 0);
	ck_assert_int_eq(rmdir(rig->dir), 0);
	free(rig);
}

static void send_text(int fd, const char *text);

/* Connects, and does not say the first word. */
static inline int dial_silently(const struct rig *rig)
{
	struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	name.sin_port = htons((uint16_t)atoi(strrchr(dm_server_address(rig->server), ':') + 1));
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct timeval patience = {.tv_sec = PATIENCE_S};
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&name, sizeof name), 0);
	return fd;
}

/* Over the Unix socket. */
static inline int dial_locally(const struct rig *rig)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	struct timeval patience = {.tv_sec = PATIENCE_S};
	strcpy(name.sun_path, rig->path);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&name, sizeof name), 0);
	send_text(fd, GREETING "\n");
	return fd;
}

static inline int dial_daemon(const struct rig *rig)
{
	int fd = dial_silently(rig);
	send_text(fd, GREETING "\n");
	return fd;
}

static inline void say_bytes(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = send(fd, data, size, MSG_NOSIGNAL);
		ck_assert_msg(n > 0, "send: %s", strerror(errno));
		data += n;
		size -= (size_t)n;
	}
}

static inline void send_text(int fd, const char *text)
{
	say_bytes(fd, text, strlen(text));
}

/* Reads one line without its newline, and nothing behind it. False at the end of the stream. */
static inline bool read_text(int fd, char *line, size_t room)
{
	size_t n = 0;
	for (bool whole = false; !whole && n + 1 < room;) {
		ssize_t there = recv(fd, line + n, room - 1 - n, MSG_PEEK);
		ck_assert_msg(there >= 0 || errno == ECONNRESET, "recv: %s", strerror(errno));
		if (there <= 0)
			return false;
		const char *end = memchr(line + n, '\n', (size_t)there);
		size_t size = end ? (size_t)(end - line) + 1 - n : (size_t)there;
		ck_assert_int_eq(recv(fd, line + n, size, 0), (ssize_t)size);
		whole = end != NULL;
		n += size - whole;
	}
	line[n] = 0;
	return true;
}

static inline void expect_text(int fd, const char *text)
{
	char line[512];
	ck_assert(read_text(fd, line, sizeof line));
	ck_assert_str_eq(line, text);
}

static inline void expect_holding(int fd, const char *part)
{
	char line[512];
	ck_assert(read_text(fd, line, sizeof line));
	ck_assert_msg(strstr(line, part) != NULL, "%s", line);
}

static inline void expect_end(int fd)
{
	char line[512];
	ck_assert(!read_text(fd, line, sizeof line));
	close(fd);
}

static inline unsigned seen(int fd)
{
	char line[32];
	send_text(fd, "seen\n");
	ck_assert(read_text(fd, line, sizeof line));
	return (unsigned)atoi(line);
}

static inline void stop_daemon(struct rig *rig)
{
	int fd = dial_daemon(rig);
	send_text(fd, "stop\n");
	expect_end(fd);
	rig_join(rig);
}
