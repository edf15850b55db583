#include "server/net/web_socket.h"

#include <stdio.h>

#include "proto/base/assert.h"
#include "server/net/websocket.h"
#include "server/net/conn_out.h"

static void put_frame(struct nt_conn *conn, enum nt_ws_opcode opcode, const char *data, size_t size)
{
	uint8_t head[NT_WS_HEAD_MAX];
	nt_conn_put(conn, (const char *)head, nt_ws_head(opcode, size, head));
	if (size)
		nt_conn_put(conn, data, size);
}

void nt_web_socket_send(void *ctx, const char *line, size_t size)
{
	PD_ASSERT(nt_web_client(ctx)->socket && size && line[size - 1] == '\n');
	put_frame(ctx, NT_WS_TEXT, line, size - 1);
}

/* Closes it after the answers in flight. Skips all that was read. */
static size_t close_with(struct nt_conn *conn, unsigned code, size_t size)
{
	nt_web_client(conn)->code = code;
	nt_conn_end(conn);
	return size;
}

static void send_close(struct nt_conn *conn)
{
	struct nt_web_client *client = nt_web_client(conn);
	unsigned code = client->code ? client->code : NT_WS_GOING_AWAY;
	const char text[2] = {(char)(code >> 8), (char)code};
	if (client->said_bye)
		return;
	client->said_bye = true;
	put_frame(conn, NT_WS_CLOSE, text, code == NT_WS_NO_CODE ? 0 : sizeof text);
}

/* Hands a complete message to the session. */
static bool deliver_message(struct nt_conn *conn, const char *text, size_t size, bool ascii)
{
	if (!ascii && !nt_ws_is_text(text, size)) {
		close_with(conn, NT_WS_NO_TEXT, 0);
		return false;
	}
	PD_ASSERT(conn->session && size < PR_LINE_MAX);
	conn->in.served = true;
	return sv_session_line(conn->session, text, size);
}

static bool take_text(struct nt_conn *conn, const struct nt_ws_frame *frame, const char *text, bool ascii)
{
	struct nt_web_client *client = nt_web_client(conn);
	size_t size = (size_t)frame->size;
	if (frame->opcode == NT_WS_TEXT && frame->whole)
		return deliver_message(conn, text, size, ascii);
	if (frame->opcode == NT_WS_TEXT)
		client->ascii = true;
	client->ascii = client->ascii && ascii;
	client->fragmented = !frame->whole;
	pd_buf_put(&client->message, text, size);
	conn->broken = conn->broken || client->message.failed;
	conn->frame.own_bytes = client->message.size;
	if (!frame->whole || conn->broken)
		return false;
	bool little = deliver_message(conn, client->message.data ? client->message.data : "", client->message.size,
				      client->ascii);
	pd_buf_fini(&client->message);
	conn->frame.own_bytes = 0;
	return little;
}

/* The code with which the frame ends the connection; 0: it does not. */
static unsigned find_fault(const struct nt_web_client *client, const struct nt_ws_frame *frame)
{
	bool data = frame->opcode == NT_WS_TEXT || frame->opcode == NT_WS_BINARY;
	if ((data && client->fragmented) || (frame->opcode == NT_WS_CONTINUATION && !client->fragmented))
		return NT_WS_PROTOCOL_ERROR;
	if (frame->opcode == NT_WS_BINARY)
		return NT_WS_UNSUPPORTED;
	if (frame->size >= PR_LINE_MAX - client->message.size && frame->opcode <= NT_WS_TEXT)
		return NT_WS_TOO_LONG;
	return 0;
}

static size_t take_frame(struct nt_conn *conn, char *data, size_t size, bool *little)
{
	struct nt_web_client *client = nt_web_client(conn);
	struct nt_ws_frame frame;
	int read = nt_ws_read(data, size, &frame);
	if (read < 0)
		return close_with(conn, NT_WS_PROTOCOL_ERROR, size);
	if (!read)
		return 0;
	unsigned code = find_fault(client, &frame);
	if (code)
		return close_with(conn, code, size);
	size_t all = frame.head + (size_t)frame.size;
	if (size < all)
		return 0;
	char *payload = data + frame.head;
	bool ascii = nt_ws_unmask(&frame, payload);
	switch (frame.opcode) {
	case NT_WS_CLOSE:
		client->code = nt_ws_close_code(payload, (size_t)frame.size);
		nt_conn_leave(conn);
		return size;
	case NT_WS_PING:
		put_frame(conn, NT_WS_PONG, payload, (size_t)frame.size);
		break;
	case NT_WS_PONG: /* it is alive, but may still be idle */
		client->alive_ns = conn->in.heard_ns;
		conn->in.heard_ns = client->asked_ns;
		return all;
	default:
		*little = take_text(conn, &frame, payload, ascii);
	}
	if (client->alive_ns > conn->in.heard_ns) /* a pong came with it */
		conn->in.heard_ns = client->alive_ns;
	client->asked_ns = conn->in.heard_ns;
	return all;
}

/* A client gets a ping half of --stall after its last sign of life; it is gone if that is unanswered for --stall. But
 * not while its answer would not be read, or while the ping is queued behind replies that it is reading. */
static bool is_gone(struct nt_conn *conn, uint64_t now)
{
	struct nt_web_client *client = nt_web_client(conn);
	uint64_t stall = conn->conns->stall_ns;
	if (!conn->in.reading || conn->out.unsent)
		client->alive_ns = now;
	uint64_t heard = client->alive_ns > conn->in.heard_ns ? client->alive_ns : conn->in.heard_ns;
	if (client->pinged_ns <= heard) /* it has answered the last one */
		client->pinged_ns = 0;
	if (!client->pinged_ns && now > heard && now - heard > stall / 2) {
		client->pinged_ns = now;
		put_frame(conn, NT_WS_PING, NULL, 0);
	}
	if (!client->pinged_ns || now - client->pinged_ns <= stall)
		return false;
	conn->conns->total.stalled++;
	nt_drop_log(conn->conns->drops, NT_DROP_SILENT, &conn->stream, conn->buffered);
	return true;
}

static void free_client(struct nt_conn *conn)
{
	struct nt_web_client *client = nt_web_client(conn);
	pd_buf_fini(&client->message);
	free(client);
}

static const struct nt_framing framing = {
	.token_ms = NT_WEB_KEEP_MS,
	.take = take_frame,
	.leaves = true,
	.bye = send_close,
	.late = is_gone,
	.free = free_client,
	.send = nt_web_socket_send,
};

void nt_web_socket_open(struct nt_conn *conn, const struct nt_head *head)
{
	struct nt_web_client *client = nt_web_client(conn);
	char accept[NT_WS_ACCEPT], answer[256];
	PD_ASSERT(head->upgrade && !client->socket);
	if (!nt_ws_accept(head->key.at, head->key.size, accept)) {
		conn->broken = true;
		return;
	}
	bool named = nt_piece_lists(head->protocols, "jsonrpc");
	int size = snprintf(answer, sizeof answer,
			    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
			    "Sec-WebSocket-Accept: %s\r\n%s\r\n",
			    accept, named ? "Sec-WebSocket-Protocol: jsonrpc\r\n" : "");
	PD_ASSERT(size > 0 && (size_t)size < sizeof answer);
	nt_conn_put(conn, answer, (size_t)size);
	pd_buf_init(&client->message, PR_LINE_MAX);
	client->asked_ns = conn->in.heard_ns;
	client->socket = true;
	conn->framing = &framing;
}
