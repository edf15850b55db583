#include "server/net/conn_in.h"

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/net/conn_out.h"

enum { UNCLOCKED_MAX = 8 }; /* fast queries between two readings of the clock */

unsigned nt_conn_inflight(const struct nt_conn *conn)
{
	return conn->session ? sv_session_inflight(conn->session) : 0;
}

bool nt_conn_may_take(const struct nt_conn *conn)
{
	return conn->state == NT_OPEN && !conn->broken && !conn->frame.waits &&
	       nt_conn_inflight(conn) < SV_INFLIGHT_MAX && (!conn->session || !sv_session_waiting(conn->session)) &&
	       nt_conn_queued(conn) <= NT_QUEUE_SOFT;
}

bool nt_conns_turn_is_over(struct nt_conns *conns, uint64_t now)
{
	if (!conns->turn_ns)
		conns->turn_ns = now;
	return now - conns->turn_ns > NT_TURN_NS;
}

/* Hands the complete messages of `data` to the session while more may be taken and there is time. Returns the bytes
 * consumed; `scanned` counts from there. */
static size_t take_messages(struct nt_conn *conn, char *data, size_t size)
{
	size_t at = 0;
	uint64_t begin = pd_now_ns(), now = begin;
	unsigned unclocked = 0;
	PD_ASSERT(conn->frame.scanned <= size); /* otherwise the search for a message would begin beyond the data */
	conn->in.heard_ns = now;
	conn->in.more = false;
	while (at < size) {
		conn->in.full = nt_conns_turn_is_over(conn->conns, now) || now - begin > NT_SHARE_NS;
		if (conn->in.full || !nt_conn_may_take(conn)) {
			conn->in.more = true;
			break;
		}
		bool little = true;
		size_t taken = conn->framing->take(conn, data + at, size - at, &little);
		if (!taken) {
			conn->in.more = conn->frame.waits;
			break;
		}
		at += taken;
		if (!little || ++unclocked == UNCLOCKED_MAX) {
			now = pd_now_ns();
			unclocked = 0;
		}
	}
	PD_ASSERT(at <= size);
	return at;
}

void nt_conn_take_buffered(struct nt_conn *conn)
{
	pd_buf_eat(&conn->in.buf, take_messages(conn, conn->in.buf.data, conn->in.buf.size));
	if (!conn->in.buf.size)
		pd_buf_fini(&conn->in.buf);
	nt_conn_count_buffers(conn);
}

/* Only the remainder of a read is buffered, so that most messages are never copied. */
static void feed_messages(struct nt_conn *conn, char *data, size_t size)
{
	if (!conn->in.buf.size) {
		size_t done = take_messages(conn, data, size);
		data += done;
		size -= done;
	}
	if (!size) {
		if (conn->frame.own_bytes || conn->buffered)
			nt_conn_buffers_changed(conn);
		return;
	}
	bool fresh = !conn->in.buf.size;
	pd_buf_put(&conn->in.buf, data, size);
	conn->broken = conn->broken || conn->in.buf.failed;
	nt_conn_buffers_changed(conn);
	if (!fresh && !conn->broken)
		nt_conn_take_buffered(conn);
}

void nt_conn_reject(struct nt_conn *conn, enum nt_rejection kind, const char *why)
{
	struct pd_buf answer;
	pd_buf_init(&answer, PR_REPLY_MAX);
	conn->conns->total.rejected++;
	nt_rejection_log(conn->conns->rejections, kind, why);
	nt_rejection_answer(kind, &answer);
	conn->broken = conn->broken || answer.failed;
	if (answer.size)
		nt_conn_put(conn, answer.data, answer.size);
	pd_buf_fini(&answer);
	nt_conn_leave(conn);
}

void nt_conn_read_plain(struct nt_conn *conn, char *data, size_t size)
{
	if (conn->frame.inspected || !conn->framing->inspect || conn->framing->inspect(conn, data, size))
		feed_messages(conn, data, size);
}

void nt_conn_read_end(struct nt_conn *conn)
{
	char tail[8];
	size_t size = conn->framing->tail ? strlen(conn->framing->tail) : 0;
	PD_ASSERT(size <= sizeof tail);
	conn->in.eof = true;
	if (!size || conn->state != NT_OPEN || !conn->in.buf.size || conn->frame.skipping)
		return;
	memcpy(tail, conn->framing->tail, size);
	feed_messages(conn, tail, size);
}

void nt_conn_decrypt(struct nt_conn *conn)
{
	ssize_t size = 0;
	conn->in.ciphertext_waits = false;
	while (conn->state == NT_OPEN && !conn->broken) {
		size = nt_tls_take(conn->tls, conn->conns->plain, sizeof conn->conns->plain, &conn->out.queue);
		conn->broken = conn->broken || conn->out.queue.failed;
		if (size <= 0)
			break;
		nt_conn_read_plain(conn, conn->conns->plain, (size_t)size);
	}
	if (conn->state == NT_OPEN && size == NT_TLS_END)
		nt_conn_read_end(conn);
	else if (conn->state == NT_OPEN && size == NT_TLS_BROKEN)
		nt_conn_reject(conn, NT_REJECTED_TORN, nt_tls_why(conn->tls));
	nt_conn_buffers_changed(conn);
}

/* A handshake takes long, and waits for the next turn when this one is over. */
void nt_conn_read_ciphertext(struct nt_conn *conn, const char *data, size_t size)
{
	if (!conn->in.tls_begun && data[0] != NT_TLS_FIRST) {
		nt_tls_free(conn->tls); /* the client would not understand an encrypted answer */
		conn->tls = NULL;
		conn->framing->plain(conn, data, size);
		return;
	}
	conn->in.tls_begun = conn->in.ciphertext_waits = true;
	conn->broken = conn->broken || !nt_tls_put(conn->tls, data, size);
	conn->in.full = !nt_tls_ready(conn->tls) && nt_conns_turn_is_over(conn->conns, pd_now_ns());
	if (!conn->in.full)
		nt_conn_decrypt(conn);
}
