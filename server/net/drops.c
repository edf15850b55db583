#include "server/net/drops.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/log.h"

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
		[NT_DROP_ANONYMOUS] = "it has shown no token, and its place is needed",
		[NT_DROP_UNKNOWN] = "it has shown no token in time",
		[NT_DROP_IDLE] = "it has been idle the longest, and its place is needed",
	};
	char name[NAME_MAX_BYTES];
	PD_ASSERT(why[kind]);
	unsigned count = nt_log_limit_count(&limits[kind]);
	if (!count)
		return;
	name_client(client, name, sizeof name);
	pd_log(PD_LOG_WARN, "%s disconnected: %s (%zu bytes buffered); %u since the last such line", name, why[kind],
	       bytes, count);
}
