#define _GNU_SOURCE /* accept4 */
#include "server/net/listener.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/socket_path.h"
#include "proto/base/log.h"

enum {
	BACKLOG = 511,  /* connections that the kernel keeps waiting; what most servers ask for */
	ACCEPT_MAX = 32 /* connections in a turn of the loop */
};

struct nt_listener {
	uv_poll_t poll;
	nt_accept *accept;
	void *ctx;
	int fd, pending; /* `pending`: accepted, but not taken yet; -1: none */
	bool local;      /* a Unix socket */
	bool paused;     /* until nt_listener_retry */
	char address[128];
};

static void on_closed(uv_handle_t *handle)
{
	free(handle->data);
}

static void pause_listener(struct nt_listener *listener)
{
	uv_poll_stop(&listener->poll);
	listener->paused = true;
}

/* The next connection, in `pending`; false when there is none, or none can be accepted. */
static bool accept_next(struct nt_listener *listener)
{
	if (listener->pending >= 0)
		return true;
	do
		listener->pending = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	while (listener->pending < 0 && (errno == EINTR || errno == ECONNABORTED));
	if (listener->pending >= 0)
		return true;
	if (errno != EAGAIN && errno != EWOULDBLOCK) {
		/* No descriptor or memory is left, probably for a while: the connection stays in the kernel's queue. */
		pd_log(PD_LOG_WARN, "connections to %s wait: cannot accept: %s", listener->address, strerror(errno));
		pause_listener(listener);
	}
	return false;
}

static void admit_clients(struct nt_listener *listener)
{
	for (unsigned i = 0; i < ACCEPT_MAX && accept_next(listener); i++) {
		if (!listener->accept(listener->ctx, listener->pending, listener->local)) {
			pause_listener(listener);
			return;
		}
		listener->pending = -1;
	}
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct nt_listener *listener = poll->data;
	(void)events;
	if (status < 0)
		pause_listener(listener);
	else
		admit_clients(listener);
}

void nt_listener_retry(struct nt_listener *listener)
{
	if (!listener || !listener->paused)
		return;
	listener->paused = false;
	uv_poll_start(&listener->poll, UV_READABLE, on_readable);
	admit_clients(listener);
}

/* Binds to a name and listens; returns a libuv error. */
static int bind_and_listen(struct nt_listener *listener, const struct sockaddr *name, socklen_t size)
{
	const int yes = 1;
	bool local = name->sa_family == AF_UNIX;
	if (!local && setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes))
		return uv_translate_sys_error(errno);
	if (bind(listener->fd, name, size))
		return uv_translate_sys_error(errno);
	if (local) /* the file exists from now on, and is removed with the listener */
		snprintf(listener->address, sizeof listener->address, "%s",
			 ((const struct sockaddr_un *)name)->sun_path);
	/* No client can connect before it listens, so there is no gap. */
	if ((local && chmod(listener->address, S_IRUSR | S_IWUSR)) || listen(listener->fd, BACKLOG))
		return uv_translate_sys_error(errno);
	return uv_poll_start(&listener->poll, UV_READABLE, on_readable);
}

static int listener_new(uv_loop_t *loop, const struct nt_acceptor *acceptor, int family, struct nt_listener **out)
{
	PD_ASSERT(acceptor->accept);
	struct nt_listener *listener = calloc(1, sizeof *listener);
	if (!listener)
		return UV_ENOMEM;
	*listener = (struct nt_listener){
		.accept = acceptor->accept, .ctx = acceptor->ctx, .pending = -1, .local = family == AF_UNIX};
	listener->fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int rc = listener->fd < 0 ? uv_translate_sys_error(errno) : uv_poll_init(loop, &listener->poll, listener->fd);
	if (rc) {
		if (listener->fd >= 0)
			close(listener->fd);
		free(listener);
		return rc;
	}
	listener->poll.data = listener;
	*out = listener;
	return 0;
}

/* Splits HOST:PORT. */
static int read_address(struct nt_place place, struct sockaddr_storage *out, bool *loopback, struct pd_fail *fail)
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
				   "%s takes HOST:PORT, like 127.0.0.1:4590, not '%.80s'", place.option, text);
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
				   "%s: '%.60s' is not an address (loopback ones: 127.0.0.1, [::1], localhost)",
				   place.option, host);
	return PD_OK;
}

static void name_tcp(struct nt_listener *listener)
{
	struct sockaddr_storage name;
	socklen_t size = sizeof name;
	char host[64] = "?";
	if (getsockname(listener->fd, (struct sockaddr *)&name, &size))
		return;
	bool v6 = name.ss_family == AF_INET6;
	int port = ntohs(v6 ? ((struct sockaddr_in6 *)&name)->sin6_port : ((struct sockaddr_in *)&name)->sin_port);
	uv_ip_name((struct sockaddr *)&name, host, sizeof host);
	snprintf(listener->address, sizeof listener->address, v6 ? "[%s]:%d" : "%s:%d", host, port);
}

int nt_listen_check(struct nt_place place, const struct nt_config *config, struct pd_fail *fail)
{
	struct sockaddr_storage name;
	bool loopback = false, tls = config->tls_cert || config->plain_tcp;
	int rc = read_address(place, &name, &loopback, fail);
	if (rc || loopback || config->public.on || (tls && config->token_file))
		return rc;
	return pd_fail_set(
		fail, PD_E_UNSUPPORTED, place.option,
		"%.60s can be reached from other machines: give%s%s%s, or listen on 127.0.0.1 or [::1] and let "
		"ssh carry the port",
		place.address, config->token_file ? "" : " --token-file, so that clients show who they are",
		config->token_file || tls ? "" : ", and",
		tls ? "" : " --tls-cert and --tls-key (or --plain-tcp, to do without TLS)");
}

int nt_listen_check_loopback(struct nt_place place, struct pd_fail *fail)
{
	struct sockaddr_storage name;
	bool loopback = false;
	int rc = read_address(place, &name, &loopback, fail);
	return rc || loopback ? rc
			      : pd_fail_set(fail, PD_E_UNSUPPORTED, place.option,
					    "%s takes a loopback address or the path of a Unix socket, not '%.60s'",
					    place.option, place.address);
}

int nt_listen_tcp(uv_loop_t *loop, struct nt_place place, const struct nt_acceptor *acceptor, struct nt_listener **out,
		  struct pd_fail *fail)
{
	struct sockaddr_storage name;
	bool loopback;
	int rc = read_address(place, &name, &loopback, fail);
	if (rc)
		return rc;
	struct nt_listener *listener;
	socklen_t size = name.ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
	int uv = listener_new(loop, acceptor, name.ss_family, &listener);
	if (uv)
		return pd_fail_set(fail, PD_E_IO, place.option, "cannot make a socket: %s", uv_strerror(uv));
	uv = bind_and_listen(listener, (struct sockaddr *)&name, size);
	if (uv) {
		nt_listener_close(listener);
		return pd_fail_set(fail, PD_E_IO, place.option, "%s: cannot listen on %.100s: %s", place.option,
				   place.address, uv_strerror(uv));
	}
	name_tcp(listener);
	*out = listener;
	return PD_OK;
}

int nt_listen_unix(uv_loop_t *loop, const char *path, const struct nt_acceptor *acceptor, struct nt_listener **out,
		   struct pd_fail *fail)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	struct nt_listener *listener;
	int rc = pd_socket_path_clear(path, "--socket", fail);
	if (rc)
		return rc;
	int uv = listener_new(loop, acceptor, AF_UNIX, &listener);
	if (uv)
		return pd_fail_set(fail, PD_E_IO, "--socket", "cannot make a socket: %s", uv_strerror(uv));
	PD_ASSERT(strlen(path) < sizeof listener->address);
	memcpy(name.sun_path, path, strlen(path) + 1);
	uv = bind_and_listen(listener, (struct sockaddr *)&name, sizeof name);
	if (uv) {
		nt_listener_close(listener);
		return pd_fail_set(fail, PD_E_IO, "--socket", "cannot listen on %.200s: %s", path, uv_strerror(uv));
	}
	*out = listener;
	return PD_OK;
}

const char *nt_listener_address(const struct nt_listener *listener)
{
	return listener ? listener->address : NULL;
}

void nt_listener_close(struct nt_listener *listener)
{
	if (!listener || uv_is_closing((uv_handle_t *)&listener->poll))
		return;
	if (listener->local && *listener->address)
		unlink(listener->address);
	uv_close((uv_handle_t *)&listener->poll, on_closed);
	close(listener->fd);
	if (listener->pending >= 0)
		close(listener->pending);
}
