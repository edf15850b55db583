/* Web socket: see web_socket.h. */
#include "server/daemon/web_socket.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/base/assert.h"
#include "server/daemon/web_reply.h"
#include "server/daemon/websocket.h"

static void put_frame(struct dm_conn *conn, enum dm_ws_opcode opcode, const char *data, size_t size)
{
	uint8_t head[DM_WS_HEAD_MAX];
	dm_conn_put(conn, (const char *)head, dm_ws_head(opcode, size, head));
	if (size)
		dm_conn_put(conn, data, size);
}

void dm_web_socket_send(void *ctx, const char *line, size_t size)
{
	PD_ASSERT(size && line[size - 1] == '\n');
	put_frame(ctx, DM_WS_TEXT, line, size - 1);
}

/* Says why, when everything in flight is answered. All that was read is passed over. */
static size_t close_with(struct dm_conn *conn, unsigned code, size_t size)
{
	dm_web_client(conn)->code = code;
	dm_conn_end(conn);
	return size;
}

static void bye(struct dm_conn *conn)
{
	struct dm_web_client *client = dm_web_client(conn);
	unsigned code = client->code ? client->code : DM_WS_GOING_AWAY;
	const char text[2] = {(char)(code >> 8), (char)code};
	if (client->said_bye)
		return;
	client->said_bye = true;
	put_frame(conn, DM_WS_CLOSE, text, code == DM_WS_NO_CODE ? 0 : sizeof text);
}

/* Hands a whole message to the session. */
static bool hand_over(struct dm_conn *conn, const char *text, size_t size, bool ascii)
{
	if (!ascii && !dm_ws_is_text(text, size)) {
		close_with(conn, DM_WS_NO_TEXT, 0);
		return false;
	}
	PD_ASSERT(conn->session && size < PR_LINE_MAX);
	conn->served = true;
	return sv_session_line(conn->session, text, size);
}

/* A frame of a text message. */
static bool take_text(struct dm_conn *conn, const struct dm_ws_frame *frame, const char *text, bool ascii)
{
	struct dm_web_client *client = dm_web_client(conn);
	size_t size = (size_t)frame->size;
	if (frame->opcode == DM_WS_TEXT && frame->whole)
		return hand_over(conn, text, size, ascii);
	if (frame->opcode == DM_WS_TEXT)
		client->ascii = true;
	client->ascii = client->ascii && ascii;
	client->fragmented = !frame->whole;
	pd_buf_put(&client->message, text, size);
	conn->broken = conn->broken || client->message.failed;
	conn->own_bytes = client->message.size;
	if (!frame->whole || conn->broken)
		return false;
	bool little =
		hand_over(conn, client->message.data ? client->message.data : "", client->message.size, client->ascii);
	pd_buf_fini(&client->message);
	conn->own_bytes = 0;
	return little;
}

/* Why the frame ends the connection; 0: it does not. */
static unsigned fault(const struct dm_web_client *client, const struct dm_ws_frame *frame)
{
	bool data = frame->opcode == DM_WS_TEXT || frame->opcode == DM_WS_BINARY;
	if ((data && client->fragmented) || (frame->opcode == DM_WS_CONTINUATION && !client->fragmented))
		return DM_WS_PROTOCOL_ERROR;
	if (frame->opcode == DM_WS_BINARY)
		return DM_WS_UNSUPPORTED;
	if (frame->size >= PR_LINE_MAX - client->message.size && frame->opcode <= DM_WS_TEXT)
		return DM_WS_TOO_LONG;
	return 0;
}

static size_t take(struct dm_conn *conn, char *data, size_t size, bool *little)
{
	struct dm_web_client *client = dm_web_client(conn);
	struct dm_ws_frame frame;
	int read = dm_ws_read(data, size, &frame);
	if (read < 0)
		return close_with(conn, DM_WS_PROTOCOL_ERROR, size);
	if (!read)
		return 0;
	unsigned code = fault(client, &frame);
	if (code)
		return close_with(conn, code, size);
	size_t all = frame.head + (size_t)frame.size;
	if (size < all)
		return 0;
	char *payload = data + frame.head;
	bool ascii = dm_ws_unmask(&frame, payload);
	switch (frame.opcode) {
	case DM_WS_CLOSE:
		client->code = dm_ws_close_code(payload, (size_t)frame.size);
		dm_conn_leave(conn);
		return size;
	case DM_WS_PING:
		put_frame(conn, DM_WS_PONG, payload, (size_t)frame.size);
		break;
	case DM_WS_PONG: /* it is there; that is no reason to keep its place for it */
		client->alive_ns = conn->heard_ns;
		conn->heard_ns = client->asked_ns;
		return all;
	default:
		*little = take_text(conn, &frame, payload, ascii);
	}
	if (client->alive_ns > conn->heard_ns) /* a pong came with it */
		conn->heard_ns = client->alive_ns;
	client->asked_ns = conn->heard_ns;
	return all;
}

/* Half of --stall after it was heard it gets a ping; when it leaves that unanswered for --stall, it is gone. But not
 * while its answer would not be read, or the ping stands behind replies that it is reading; one that does not read them
 * is late. */
static bool is_gone(struct dm_conn *conn, uint64_t now)
{
	struct dm_web_client *client = dm_web_client(conn);
	uint64_t stall = conn->conns->stall_ns;
	if (!conn->reading || conn->unsent)
		client->alive_ns = now;
	uint64_t heard = client->alive_ns > conn->heard_ns ? client->alive_ns : conn->heard_ns;
	if (client->pinged_ns <= heard) /* it has answered the last one */
		client->pinged_ns = 0;
	if (!client->pinged_ns && now > heard && now - heard > stall / 2) {
		client->pinged_ns = now;
		put_frame(conn, DM_WS_PING, NULL, 0);
	}
	if (!client->pinged_ns || now - client->pinged_ns <= stall)
		return false;
	conn->conns->total.stalled++;
	dm_drop_log(&conn->conns->drops, DM_DROP_SILENT, &conn->stream, conn->buffered);
	return true;
}

static void free_client(struct dm_conn *conn)
{
	struct dm_web_client *client = dm_web_client(conn);
	pd_buf_fini(&client->message);
	free(client);
}

static const struct dm_framing framing = {
	.token_ms = DM_WEB_KEEP_MS,
	.take = take,
	.leaves = true,
	.bye = bye,
	.late = is_gone,
	.free = free_client,
	.send = dm_web_socket_send,
};

void dm_web_socket_open(struct dm_conn *conn, const struct dm_head *head)
{
	struct dm_web_client *client = dm_web_client(conn);
	char accept[DM_WS_ACCEPT], answer[256];
	PD_ASSERT(head->upgrade && !client->socket);
	if (!dm_ws_accept(head->key.at, head->key.size, accept)) {
		conn->broken = true;
		return;
	}
	bool named = dm_piece_lists(head->protocols, "jsonrpc");
	int size = snprintf(answer, sizeof answer,
			    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
			    "Sec-WebSocket-Accept: %s\r\n%s\r\n",
			    accept, named ? "Sec-WebSocket-Protocol: jsonrpc\r\n" : "");
	PD_ASSERT(size > 0 && (size_t)size < sizeof answer);
	dm_conn_put(conn, answer, (size_t)size);
	pd_buf_init(&client->message, PR_LINE_MAX);
	client->asked_ns = conn->heard_ns;
	client->socket = true;
	conn->framing = &framing;
}
