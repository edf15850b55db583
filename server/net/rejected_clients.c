#include "server/net/rejected_clients.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/rpc.h"
#include "server/net/tls.h"

enum { METHOD_MAX = 20 };

/* "GET /", or a beginning of it: a method, then a path, an address or a star. */
static bool is_http(const char *data, size_t size)
{
	size_t word = 0;
	while (word < size && word <= METHOD_MAX &&
	       (data[word] == '-' || (data[word] >= 'A' && data[word] <= 'Z') ||
		(data[word] >= 'a' && data[word] <= 'z')))
		word++;
	if (!word || word > METHOD_MAX)
		return false;
	if (word == size)
		return true;
	return data[word] == ' ' && (word + 1 == size || data[word + 1] == '/' || data[word + 1] == '*' ||
				     !strncmp(data, "CONNECT ", 8) || !strncmp(data + word, " http", 5));
}

static bool has_header(const char *data, size_t size, const char *name)
{
	for (size_t i = 0, length = strlen(name); i + length < size; i++)
		if (data[i] == '\n' && !strncasecmp(data + i + 1, name, length))
			return true;
	return false;
}

enum nt_rejection nt_rejection_kind(const char *data, size_t size)
{
	PD_ASSERT(size);
	if (data[0] == NT_TLS_FIRST)
		return NT_REJECTED_TLS;
	if (data[0] == '{' || data[0] == '[')
		return NT_REJECTED_PLAIN;
	if (!is_http(data, size))
		return NT_REJECTED_OTHER;
	return has_header(data, size, "Origin:") || has_header(data, size, "Sec-Fetch-") ? NT_REJECTED_PAGE
											 : NT_REJECTED_HTTP;
}

bool nt_rejection_found(const char *data, size_t size, bool *seen, enum nt_rejection *kind)
{
	size_t i = 0;
	while (i < size && (nt_blank(data + i, 1) || data[i] == '\n'))
		i++;
	*seen = i < size && (data[i] == '{' || data[i] == '[');
	if (i == size || *seen)
		return false;
	*kind = nt_rejection_kind(data + i, size - i);
	return true;
}

void nt_rejection_answer(enum nt_rejection kind, struct pd_buf *out)
{
	static const char http[] = "HTTP/1.0 400 Bad Request\r\n"
				   "Content-Type: text/plain\r\n"
				   "Content-Length: 54\r\n"
				   "Connection: close\r\n\r\n"
				   "This is proofd: JSON-RPC, one message a line; no HTTP\n";
	static const char *const other[NT_REJECTED_KINDS] = {
		[NT_REJECTED_TLS] =
			"this port does not speak TLS but JSON-RPC, one message a line; the first byte must be { or [",
		[NT_REJECTED_PLAIN] = "this port requires TLS (proofctl --tls)",
		[NT_REJECTED_OTHER] = "this port speaks JSON-RPC, one message a line; the first byte must be { or [",
	};
	struct pd_fail fail;
	if (kind == NT_REJECTED_HTTP || kind == NT_REJECTED_PAGE) {
		pd_buf_puts(out, http);
	} else if (other[kind]) {
		pd_fail_set(&fail, PD_E_PARSE, "", "%s", other[kind]);
		pr_refusal(out, &fail);
	}
}

/* Counts an event. The number of events since the last line if a new one is due, else 0. */
static unsigned count_event(struct nt_log_limit *limit)
{
	uint64_t now = pd_now_ns();
	unsigned count = ++limit->count;
	if (limit->said_ns && now - limit->said_ns <= NT_SAY_MS * UINT64_C(1000000))
		return 0;
	*limit = (struct nt_log_limit){.said_ns = now};
	return count;
}

void nt_rejection_log(struct nt_log_limit limits[NT_REJECTED_KINDS], enum nt_rejection kind, const char *why)
{
	static const char *const words[NT_REJECTED_KINDS] = {
		[NT_REJECTED_HTTP] = "an HTTP request",
		[NT_REJECTED_PAGE] = "an HTTP request of a web page",
		[NT_REJECTED_TLS] = "TLS on a port without TLS",
		[NT_REJECTED_PLAIN] = "a plain request on the port with TLS",
		[NT_REJECTED_TORN] = "failed TLS",
		[NT_REJECTED_OTHER] = "a client that speaks another protocol",
		[NT_REJECTED_ORIGIN] = "a request by a web page of another origin",
		[NT_REJECTED_HOST] = "a request for a foreign host name",
	};
	PD_ASSERT(words[kind]);
	unsigned count = count_event(&limits[kind]);
	if (count)
		pd_log(PD_LOG_WARN, "client rejected: %s%s%s; %u since the last such line", words[kind],
		       why ? ": " : "", why ? why : "", count);
}

enum { NAME_MAX_BYTES = 80 };

static void name_client(const uv_stream_t *client, char *out, size_t room)
{
	struct sockaddr_storage peer;
	int size = sizeof peer;
	char host[64] = "";
	snprintf(out, room, "%s", client->type == UV_TCP ? "TCP client" : "client of the Unix socket");
	if (client->type != UV_TCP || uv_tcp_getpeername((const uv_tcp_t *)client, (struct sockaddr *)&peer, &size))
		return;
	bool v6 = peer.ss_family == AF_INET6;
	int port = ntohs(v6 ? ((struct sockaddr_in6 *)&peer)->sin6_port : ((struct sockaddr_in *)&peer)->sin_port);
	int rc = v6 ? uv_ip6_name((struct sockaddr_in6 *)&peer, host, sizeof host)
		    : uv_ip4_name((struct sockaddr_in *)&peer, host, sizeof host);
	if (!rc)
		snprintf(out, room, v6 ? "client [%s]:%d" : "client %s:%d", host, port);
}

void nt_drop_log(struct nt_log_limit limits[NT_DROP_KINDS], enum nt_drop kind, const uv_stream_t *client, size_t bytes)
{
	static const char *const why[NT_DROP_KINDS] = {
		[NT_DROP_STALLED] = "it has read nothing for longer than --stall",
		[NT_DROP_FULL] = "too many unread replies for one client",
		[NT_DROP_SILENT] = "its WebSocket has not answered a ping for longer than --stall",
		[NT_DROP_MOST] = "the buffers of all clients exceed --buffers-max, and its own are the largest",
		[NT_DROP_ANONYMOUS] = "it has shown no token or made no request, and its place is needed",
		[NT_DROP_UNKNOWN] = "it has shown no token in time",
		[NT_DROP_IDLE] = "it has been idle the longest, and its place is needed",
	};
	char name[NAME_MAX_BYTES];
	PD_ASSERT(why[kind]);
	unsigned count = count_event(&limits[kind]);
	if (!count)
		return;
	name_client(client, name, sizeof name);
	pd_log(PD_LOG_WARN, "%s disconnected: %s (%zu bytes buffered); %u since the last such line", name, why[kind],
	       bytes, count);
}
