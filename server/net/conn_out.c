#include "server/net/conn_out.h"

#include "proto/base/assert.h"
#include "proto/base/clock.h"

size_t nt_conn_queued(const struct nt_conn *conn)
{
	return conn->out.queue.size + uv_stream_get_write_queue_size(&conn->stream);
}

void nt_conn_suspend(struct nt_conn *conn)
{
	bool suspended = nt_conn_queued(conn) > NT_QUEUE_SOFT;
	if (suspended != conn->out.suspended && conn->session)
		sv_session_suspend(conn->session, suspended);
	conn->out.suspended = suspended;
}

void nt_conn_put(void *ctx, const char *data, size_t size)
{
	struct nt_conn *conn = ctx;
	if (conn->broken || conn->state == NT_LINGERING || conn->state == NT_CLOSED)
		return;
	if (nt_conn_queued(conn) + size > NT_QUEUE_HARD)
		nt_conn_drop(conn, NT_DROP_FULL, nt_conn_queued(conn) + size);
	else if (conn->tls)
		conn->broken = !nt_tls_send(conn->tls, data, size, &conn->out.queue);
	else
		pd_buf_put(&conn->out.queue, data, size);
	conn->broken = conn->broken || conn->out.queue.failed;
	nt_conn_suspend(conn);
	if (conn->out.queue.size > NT_CHUNK) /* smaller queues are counted when the loop turns */
		nt_conn_buffers_changed(conn);
	nt_conn_list_in(conn, &conn->conns->touched);
}

/* Frees a large buffer. */
static void empty_buffer(struct pd_buf *buf)
{
	if (buf->capacity > NT_CHUNK)
		pd_buf_fini(buf);
	else
		pd_buf_reset(buf);
}

static void on_written(uv_write_t *write, int status)
{
	struct nt_conn *conn = write->data;
	PD_ASSERT(conn->out.flight.size); /* one write at a time */
	pd_buf_fini(&conn->out.flight);
	nt_conn_count_buffers(conn);
	if (conn->state == NT_CLOSED)
		return;
	conn->out.moved_ns = pd_now_ns();
	conn->broken = conn->broken || status < 0;
	nt_conn_touch(conn);
}

void nt_conn_flush(struct nt_conn *conn)
{
	PD_ASSERT(conn->state != NT_CLOSED);
	if (conn->broken || conn->out.flight.size || !conn->out.queue.size)
		return;
	uv_buf_t piece = uv_buf_init(conn->out.queue.data, (unsigned)conn->out.queue.size);
	int wrote = uv_try_write(&conn->stream, &piece, 1);
	if (wrote == UV_EAGAIN)
		wrote = 0;
	if (wrote < 0) {
		conn->broken = true;
		return;
	}
	if ((size_t)wrote == conn->out.queue.size) {
		empty_buffer(&conn->out.queue);
		nt_conn_count_buffers(conn);
		return;
	}
	nt_conn_buffers_changed(conn);
	if (conn->broken)
		return;
	conn->out.flight = conn->out.queue;
	pd_buf_init(&conn->out.queue, NT_QUEUE_HARD);
	piece = uv_buf_init(conn->out.flight.data + wrote, (unsigned)conn->out.flight.size - (unsigned)wrote);
	conn->out.write.data = conn;
	conn->out.moved_ns = pd_now_ns();
	if (uv_write(&conn->out.write, &conn->stream, &piece, 1, on_written)) {
		pd_buf_fini(&conn->out.flight);
		conn->broken = true;
	}
}
