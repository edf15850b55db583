#include "clients/libproofd/address.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "clients/libproofd/deadline.h"
#include "clients/libproofd/fault.h"

static const char usual[] = "127.0.0.1:4590";

/* Splits HOST:PORT and removes brackets around the host. */
static bool split_address(const char *text, struct pc_address *out)
{
	const char *colon = strrchr(text, ':'), *from = text, *to = colon;
	if (!colon || !colon[1] || strlen(colon + 1) > 5 || strspn(colon + 1, "0123456789") != strlen(colon + 1) ||
	    atoi(colon + 1) > 65535)
		return false;
	if (*from == '[' && to > from && to[-1] == ']') {
		from++;
		to--;
	}
	if (to <= from || (size_t)(to - from) >= sizeof out->host)
		return false;
	memcpy(out->host, from, (size_t)(to - from));
	out->host[to - from] = 0;
	snprintf(out->port, sizeof out->port, "%s", colon + 1);
	return true;
}

/* Refuses a URL and says what to write instead. */
static int refuse_url(const char *text, struct proofd_error *error)
{
	const char *rest = strstr(text, "://") + 3;
	bool path = !strncmp(text, "unix:", 5);
	return pc_fault_code(error, PD_E_USAGE, "address", "'%.80s' is a URL; write %s: %.*s", text,
			     path ? "the path of the socket" : "HOST:PORT",
			     (int)(path ? strlen(rest) : strcspn(rest, "/")), rest);
}

int pc_address_parse(const char *text, struct pc_address *out, struct proofd_error *error)
{
	struct sockaddr_un at;
	if (!text || !*text)
		text = getenv("PROOFD_SERVER");
	if (!text || !*text)
		text = usual;
	*out = (struct pc_address){.path = strchr(text, '/') != NULL};
	if (strstr(text, "://"))
		return refuse_url(text, error);
	if (strlen(text) >= sizeof out->text || (out->path && strlen(text) >= sizeof at.sun_path))
		return pc_fault_code(error, PD_E_USAGE, "address",
				     "the address is too long; the path of a socket has at most %zu bytes",
				     sizeof at.sun_path - 1);
	snprintf(out->text, sizeof out->text, "%s", text);
	if (!out->path && !split_address(text, out))
		return pc_fault_code(error, PD_E_USAGE, "address",
				     "an address is HOST:PORT or the path of a Unix socket, not '%.80s'", text);
	return 0;
}

/* Makes the kernel notice within two minutes that the other machine is gone, and send small requests at once. */
static void keep_alive(int fd)
{
	const int on = 1, idle = 60, interval = 10, count = 6;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

/* Connects within that many seconds (negative: no limit); -1 with errno. */
static int connect_to(int family, const struct sockaddr *at, socklen_t size, double seconds)
{
	double limit = seconds < 0 ? 0 : seconds < 0.001 ? 0.001 : seconds; /* 0 would mean no limit */
	const struct timeval time = {(time_t)limit, (suseconds_t)((limit - (double)(time_t)limit) * 1e6)};
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time); /* connect obeys it, too */
	if (!connect(fd, at, size) && !fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK)) {
		if (family != AF_UNIX)
			keep_alive(fd);
		return fd;
	}
	int why = errno;
	close(fd);
	errno = why;
	return -1;
}

static int set_unreachable(const struct pc_address *address, const char *why, struct proofd_error *error)
{
	return pc_fault_code(error, PD_E_UNREACHABLE, "", "no server answers at %.200s: %s", address->text, why);
}

static const char *connect_reason(int errnum)
{
	return errnum == EINPROGRESS || errnum == EAGAIN ? "it neither accepts nor refuses the connection"
							 : strerror(errnum);
}

int pc_address_connect(const struct pc_address *address, uint64_t deadline, struct proofd_error *error)
{
	struct addrinfo *list, hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	int fd = -1, count = 0;
	if (address->path) {
		struct sockaddr_un at = {.sun_family = AF_UNIX};
		memcpy(at.sun_path, address->text, strlen(address->text));
		fd = connect_to(AF_UNIX, (const struct sockaddr *)&at, sizeof at, pc_left(deadline));
		return fd < 0 ? set_unreachable(address, connect_reason(errno), error) : fd;
	}
	int rc = getaddrinfo(address->host, address->port, &hints, &list);
	if (rc)
		return set_unreachable(address, gai_strerror(rc), error);
	for (const struct addrinfo *a = list; a; a = a->ai_next)
		count++;
	for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next)
		fd = connect_to(a->ai_family, a->ai_addr, a->ai_addrlen, pc_left(deadline) / count--);
	int why = errno;
	freeaddrinfo(list);
	return fd < 0 ? set_unreachable(address, connect_reason(why), error) : fd;
}
