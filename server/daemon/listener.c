/* Listener: see listener.h. */
#include "server/daemon/listener.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/log.h"

enum { BACKLOG = 511 }; /* connections that the kernel keeps waiting; what most servers ask for */

struct dm_listener {
	union {
		uv_handle_t handle;
		uv_stream_t stream;
		uv_tcp_t tcp;
		uv_pipe_t pipe;
	};
	dm_visitor *visitor;
	void *ctx;
	bool owed; /* a connection was announced and not accepted */
	char address[128];
};

static void on_closed(uv_handle_t *handle)
{
	free(handle->data);
}

static void on_visitor(uv_stream_t *stream, int status)
{
	struct dm_listener *listener = stream->data;
	if (status < 0) {
		pd_log(PD_LOG_WARN, "cannot take in a connection: %s", uv_strerror(status));
		return;
	}
	listener->owed = !listener->visitor(listener->ctx, stream);
}

void dm_listener_retry(struct dm_listener *listener)
{
	if (listener->owed)
		listener->owed = !listener->visitor(listener->ctx, &listener->stream);
}

static struct dm_listener *listener_new(dm_visitor *visitor, void *ctx)
{
	PD_ASSERT(visitor);
	struct dm_listener *listener = calloc(1, sizeof *listener);
	if (listener) {
		listener->visitor = visitor;
		listener->ctx = ctx;
		listener->handle.data = listener;
	}
	return listener;
}

/* Splits HOST:PORT. */
static int read_address(struct dm_place place, struct sockaddr_storage *out, bool *loopback, struct pd_fail *fail)
{
	const char *text = place.address;
	const char *colon = strrchr(text, ':');
	char host[64];
	size_t size = colon ? (size_t)(colon - text) : 0;
	bool bracket = size > 2 && text[0] == '[' && text[size - 1] == ']';
	char *end = NULL;
	long port = colon && colon[1] >= '0' && colon[1] <= '9' ? strtol(colon + 1, &end, 10) : -1;
	if (!size || size >= sizeof host || port < 0 || port > 65535 || *end)
		return pd_fail_set(fail, PD_E_USAGE, place.option,
				   "%s takes HOST:PORT, like 127.0.0.1:4590; '%.80s' is not one", place.option, text);
	snprintf(host, sizeof host, "%.*s", (int)(bracket ? size - 2 : size), text + bracket);
	if (!strcmp(host, "localhost"))
		strcpy(host, "127.0.0.1");
	struct sockaddr_in *v4 = (struct sockaddr_in *)out;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
	if (!bracket && !uv_ip4_addr(host, (int)port, v4))
		*loopback = ntohl(v4->sin_addr.s_addr) >> 24 == 127;
	else if (bracket && !uv_ip6_addr(host, (int)port, v6))
		*loopback = IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
	else
		return pd_fail_set(fail, PD_E_USAGE, place.option,
				   "'%.60s' is not an address; use 127.0.0.1, [::1] or localhost", host);
	return PD_OK;
}

static void name_tcp(struct dm_listener *listener)
{
	struct sockaddr_storage name;
	int size = sizeof name;
	char host[64] = "?";
	if (uv_tcp_getsockname(&listener->tcp, (struct sockaddr *)&name, &size))
		return;
	bool v6 = name.ss_family == AF_INET6;
	int port = ntohs(v6 ? ((struct sockaddr_in6 *)&name)->sin6_port : ((struct sockaddr_in *)&name)->sin_port);
	if (v6)
		uv_ip6_name((struct sockaddr_in6 *)&name, host, sizeof host);
	else
		uv_ip4_name((struct sockaddr_in *)&name, host, sizeof host);
	snprintf(listener->address, sizeof listener->address, v6 ? "[%s]:%d" : "%s:%d", host, port);
}

int dm_listen_check(struct dm_place place, const struct dm_config *config, struct pd_fail *fail)
{
	struct sockaddr_storage name;
	bool loopback = false, tls = config->tls_cert || config->plain_tcp;
	int rc = read_address(place, &name, &loopback, fail);
	if (rc || loopback || (tls && config->token_file))
		return rc;
	return pd_fail_set(
		fail, PD_E_UNSUPPORTED, place.option,
		"%.60s can be reached from other machines: give%s%s%s, or listen on 127.0.0.1 or [::1] and let "
		"ssh carry the port",
		place.address, config->token_file ? "" : " --token-file, so that clients show who they are",
		config->token_file || tls ? "" : ", and",
		tls ? "" : " --tls-cert and --tls-key (or --plain-tcp, to do without TLS)");
}

int dm_listen_tcp(uv_loop_t *loop, struct dm_place place, dm_visitor *visitor, void *ctx, struct dm_listener **out,
		  struct pd_fail *fail)
{
	struct sockaddr_storage name;
	bool loopback;
	int rc = read_address(place, &name, &loopback, fail);
	if (rc)
		return rc;
	struct dm_listener *listener = listener_new(visitor, ctx);
	if (!listener)
		return pd_fail_set(fail, PD_E_NO_MEMORY, place.option, "no memory to listen");
	int uv = uv_tcp_init(loop, &listener->tcp);
	if (uv) {
		free(listener);
		return pd_fail_set(fail, PD_E_IO, place.option, "cannot make a socket: %s", uv_strerror(uv));
	}
	uv = uv_tcp_bind(&listener->tcp, (struct sockaddr *)&name, 0);
	if (!uv)
		uv = uv_listen(&listener->stream, BACKLOG, on_visitor);
	if (uv) {
		dm_listener_close(listener);
		return pd_fail_set(fail, PD_E_IO, place.option, "%s: cannot listen on %.100s: %s", place.option,
				   place.address, uv_strerror(uv));
	}
	name_tcp(listener);
	*out = listener;
	return PD_OK;
}

/* Removes a socket file on which no process listens any more. */
static int clear_path(const char *path, struct pd_fail *fail)
{
	struct stat st;
	if (lstat(path, &st))
		return PD_OK;
	if (!S_ISSOCK(st.st_mode))
		return pd_fail_set(fail, PD_E_IO, "--socket", "%.200s is there already and is no socket", path);
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return pd_fail_set(fail, PD_E_IO, "--socket", "cannot make a socket: %s", strerror(errno));
	bool dead = connect(fd, (struct sockaddr *)&name, sizeof name) && errno == ECONNREFUSED;
	close(fd);
	if (!dead)
		return pd_fail_set(fail, PD_E_LOCKED, "--socket", "a server answers on %.200s already", path);
	if (unlink(path))
		return pd_fail_set(fail, PD_E_IO, "--socket", "cannot remove %.200s: %s", path, strerror(errno));
	return PD_OK;
}

/* A user who may write to the directory could put a socket of his own in the place of ours. */
static int check_directory(const char *path, struct pd_fail *fail)
{
	char dir[sizeof((struct sockaddr_un *)0)->sun_path + 1];
	struct stat st;
	const char *slash = strrchr(path, '/');
	snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - path) + (slash == path) : 1, slash ? path : ".");
	if (stat(dir, &st))
		return pd_fail_set(fail, PD_E_IO, "--socket", "%.200s: %s", dir, strerror(errno));
	if (st.st_uid != geteuid() && st.st_uid)
		return pd_fail_set(
			fail, PD_E_USAGE, "--socket",
			"the directory %.200s of the socket belongs to another user, who could replace it; use one "
			"of your own",
			dir);
	mode_t open_to = S_IWOTH | (st.st_gid == getegid() ? 0 : S_IWGRP);
	if ((st.st_mode & open_to) && !(st.st_mode & S_ISVTX))
		return pd_fail_set(
			fail, PD_E_USAGE, "--socket",
			"other users may write to the directory %.200s and replace the socket; use chmod go-w, or "
			"another directory",
			dir);
	return PD_OK;
}

int dm_listen_unix(uv_loop_t *loop, const char *path, dm_visitor *visitor, void *ctx, struct dm_listener **out,
		   struct pd_fail *fail)
{
	size_t room = sizeof((struct sockaddr_un *)0)->sun_path;
	if (!*path || strlen(path) >= room)
		return pd_fail_set(fail, PD_E_USAGE, "--socket", "a socket's path has 1 to %zu bytes", room - 1);
	int rc = check_directory(path, fail);
	if (!rc)
		rc = clear_path(path, fail);
	if (rc)
		return rc;
	struct dm_listener *listener = listener_new(visitor, ctx);
	if (!listener)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "--socket", "no memory to listen");
	int uv = uv_pipe_init(loop, &listener->pipe, 0);
	if (uv) {
		free(listener);
		return pd_fail_set(fail, PD_E_IO, "--socket", "cannot make a socket: %s", uv_strerror(uv));
	}
	uv = uv_pipe_bind(&listener->pipe, path);
	if (!uv && chmod(path, S_IRUSR | S_IWUSR)) /* no client can connect before uv_listen, so there is no gap */
		uv = uv_translate_sys_error(errno);
	if (!uv)
		uv = uv_listen(&listener->stream, BACKLOG, on_visitor);
	if (uv) {
		dm_listener_close(listener);
		return pd_fail_set(fail, PD_E_IO, "--socket", "cannot listen on %.200s: %s", path, uv_strerror(uv));
	}
	PD_ASSERT(strlen(path) < sizeof listener->address);
	snprintf(listener->address, sizeof listener->address, "%s", path);
	*out = listener;
	return PD_OK;
}

const char *dm_listener_address(const struct dm_listener *listener)
{
	return listener->address;
}

void dm_listener_close(struct dm_listener *listener)
{
	if (listener && !uv_is_closing(&listener->handle))
		uv_close(&listener->handle, on_closed);
}
