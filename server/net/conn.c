/* Connection: see conn.h.
 *
 * Every event of a connection (bytes came, the core answered, a write is done) leads to settle_conn(), the one place
 * that decides what comes next. Nothing is closed inside a call from the core: `broken` is set, and settle_conn() acts
 * on it. */
#include "server/net/conn.h"

#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/net/conn_in.h"
#include "server/net/conn_out.h"
#include "server/net/places.h"

static void settle_conn(struct nt_conn *conn);

/* The core has no memory for a reply. */
static void hang_up(void *ctx)
{
	struct nt_conn *conn = ctx;
	conn->broken = true;
	nt_conn_list_in(conn, &conn->conns->touched);
}

static size_t count_backlog(void *ctx)
{
	return nt_conn_queued(ctx);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	(void)suggested;
	struct nt_conn *conn = handle->data;
	*buf = uv_buf_init(conn->conns->chunk, NT_CHUNK);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buf)
{
	struct nt_conn *conn = stream->data;
	if (!count)
		return;
	conn->in.served = false;
	if (count < 0) {
		conn->broken = conn->broken || count != UV_EOF;
		conn->in.eof = true;
		if (!conn->tls) /* under TLS, close_notify says so */
			nt_conn_read_end(conn);
	} else if (conn->state == NT_OPEN) {
		if (conn->tls)
			nt_conn_read_ciphertext(conn, buf->base, (size_t)count);
		else
			nt_conn_read_plain(conn, buf->base, (size_t)count);
		/* A read that did not fill the chunk emptied the socket: this client need not rest. */
		conn->in.full = conn->in.full || (conn->in.served && count == NT_CHUNK);
	}
	settle_conn(conn);
}

static void want_reading(struct nt_conn *conn, bool want)
{
	if (want == conn->in.reading)
		return;
	conn->in.reading = want;
	if (!want)
		uv_read_stop(&conn->stream);
	else if (uv_read_start(&conn->stream, on_alloc, on_read))
		conn->broken = true;
}

static void on_closed(uv_handle_t *handle)
{
	struct nt_conn *conn = handle->data;
	pd_buf_fini(&conn->in.buf);
	pd_buf_fini(&conn->out.queue);
	pd_buf_fini(&conn->out.flight);
	nt_tls_free(conn->tls);
	if (conn->framing->free)
		conn->framing->free(conn);
	free(conn);
}

static void close_conn(struct nt_conn *conn)
{
	if (conn->state == NT_CLOSED)
		return;
	nt_conn_move(conn, NT_CLOSED);
	nt_conn_list_in(conn, NULL);
	TAILQ_REMOVE(&conn->conns->all, conn, all);
	nt_conn_end_session(conn);
	nt_place_leave(conn);
	PD_ASSERT(conn->conns->count);
	conn->conns->count--;
	nt_conn_count_buffers(conn);
	pd_log(PD_LOG_DEBUG, "client disconnected; %u connected", conn->conns->count);
	uv_close(&conn->handle, on_closed);
}

static void on_shutdown(uv_shutdown_t *request, int status)
{
	(void)request, (void)status; /* end of file or the deadline closes it */
}

static void begin_linger(struct nt_conn *conn)
{
	nt_conn_move(conn, NT_LINGERING);
	conn->out.moved_ns = pd_now_ns();
	pd_buf_fini(&conn->in.buf);
	if (conn->in.eof || uv_shutdown(&conn->out.shutdown, &conn->stream, on_shutdown))
		close_conn(conn);
}

static struct nt_conn *next_in_turn(struct nt_conns *conns)
{
	struct nt_conn *conn = TAILQ_FIRST(&conns->fresh);
	return conn ? conn : TAILQ_FIRST(&conns->resting);
}

/* In the next turn: connections that rested continue, while there is time. */
static void on_idle(uv_idle_t *idle)
{
	struct nt_conns *conns = idle->data;
	for (struct nt_conn *conn; (conn = next_in_turn(conns)) && !nt_conns_turn_is_over(conns, pd_now_ns());) {
		conn->in.full = conn->in.served = false;
		nt_conn_list_in(conn, NULL);
		settle_conn(conn);
	}
	if (!next_in_turn(conns))
		uv_idle_stop(idle);
}

/* All calls are answered and all replies written. */
static bool is_done(const struct nt_conn *conn)
{
	return conn->state == NT_DRAINING && !nt_conn_inflight(conn) && !nt_conn_queued(conn) && !conn->broken;
}

/* Decides what a connection does next, and puts it into the list where the next event finds it. */
static void settle_conn(struct nt_conn *conn)
{
	struct nt_conns *conns = conn->conns;
	if (conn->state == NT_CLOSED)
		return;
	if (conn->in.ciphertext_waits && !conn->in.full && conn->state == NT_OPEN && !conn->broken)
		nt_conn_decrypt(conn);
	nt_conn_flush(conn);
	while (conn->in.more && !conn->in.full && nt_conn_may_take(conn)) {
		nt_conn_take_buffered(conn);
		nt_conn_flush(conn);
	}
	nt_place_look(conn);
	nt_conn_flush(conn);
	if (conn->state == NT_OPEN && conn->in.eof && !conn->in.more) {
		if (conn->framing->leaves)
			nt_conn_end_session(conn);
		nt_conn_move(conn, NT_DRAINING);
	}
	if (is_done(conn) && conn->framing->bye && (!conn->tls || nt_tls_ready(conn->tls))) {
		conn->framing->bye(conn);
		nt_conn_flush(conn);
	}
	if (is_done(conn) && conn->tls) {
		nt_tls_close_notify(conn->tls, &conn->out.queue);
		nt_conn_flush(conn);
	}
	if (is_done(conn))
		begin_linger(conn);
	if (conn->state == NT_CLOSED)
		return;
	nt_conn_suspend(conn);
	bool read = (conn->state == NT_OPEN && nt_conn_may_take(conn) && !conn->in.more && !conn->in.full) ||
		    conn->state == NT_LINGERING;
	want_reading(conn, read && !conn->in.eof);
	if (conn->broken || (conn->state == NT_LINGERING && conn->in.eof)) {
		close_conn(conn);
	} else if (conn->state == NT_OPEN && conn->in.full && nt_conn_may_take(conn)) {
		nt_conn_list_in(conn,
				conn->in.served || conn->place.standing != NT_USER ? &conns->resting : &conns->fresh);
		uv_idle_start(&conns->idle, on_idle);
	} else {
		/* A connection that waits for libuv only (input, the end of a write) is in no list. */
		nt_conn_list_in(conn, conn->state != NT_LINGERING && nt_conn_inflight(conn) ? &conns->waiting : NULL);
	}
}

/* Makes the handle of the client's socket; returns a libuv error. */
static int take_socket(struct nt_conn *conn, const struct nt_socket *socket)
{
	uv_loop_t *loop = conn->conns->loop;
	int rc = socket->local ? uv_pipe_init(loop, &conn->pipe, 0) : uv_tcp_init(loop, &conn->tcp);
	if (rc)
		return rc;
	conn->handle.data = conn;
	rc = socket->local ? uv_pipe_open(&conn->pipe, socket->fd) : uv_tcp_open(&conn->tcp, socket->fd);
	if (rc)
		close(socket->fd);
	else if (!socket->local)
		uv_tcp_nodelay(&conn->tcp, 1);
	conn->broken = rc != 0;
	return 0;
}

bool nt_conns_accept(struct nt_conns *conns, const struct nt_socket *socket, const struct nt_framing *framing,
		     void *own)
{
	struct nt_conn *conn = conns->paused ? NULL : calloc(1, sizeof *conn);
	if (!conn)
		return false;
	conn->conns = conns;
	if (take_socket(conn, socket)) {
		free(conn);
		return false;
	}
	conn->framing = framing;
	conn->frame.own = own;
	pd_buf_init(&conn->in.buf, PR_LINE_MAX + 2 * NT_CHUNK);
	pd_buf_init(&conn->out.queue, NT_QUEUE_HARD);
	conns->count++;
	conns->total.accepted++;
	TAILQ_INSERT_TAIL(&conns->all, conn, all);
	if (!socket->local && conns->identity && !(conn->tls = nt_tls_new(conns->identity)))
		conn->broken = true;
	conn->in.heard_ns = pd_now_ns();
	if (framing->send) {
		const struct sv_sink sink = {conn, framing->send, count_backlog, hang_up, socket->local};
		conn->session = sv_session_new(conns->core, &sink);
		nt_place_enter(conn);
	}
	pd_log(PD_LOG_DEBUG, "client connected; %u connected", conns->count);
	settle_conn(conn);
	return true;
}

void nt_conns_init(struct nt_conns *conns, uv_loop_t *loop, const struct nt_config *config)
{
	*conns = (struct nt_conns){
		.loop = loop,
		.public = &config->public,
		.count_max = config->connections_max,
		.stall_ns = (uint64_t)(config->stall_s * 1e9),
		.idle_ns = (uint64_t)(config->idle_s * 1e9),
		.buffered_max = config->buffers_max,
	};
	TAILQ_INIT(&conns->all);
	TAILQ_INIT(&conns->touched);
	TAILQ_INIT(&conns->waiting);
	TAILQ_INIT(&conns->fresh);
	TAILQ_INIT(&conns->resting);
	uv_idle_init(loop, &conns->idle);
	conns->idle.data = conns;
}

static void settle_touched(struct nt_conns *conns)
{
	for (struct nt_conn *conn; (conn = TAILQ_FIRST(&conns->touched));) {
		nt_conn_list_in(conn, NULL);
		settle_conn(conn);
	}
}

void nt_conns_pumped(struct nt_conns *conns)
{
	for (struct nt_conn *conn; (conn = TAILQ_FIRST(&conns->waiting));)
		nt_conn_list_in(conn, &conns->touched);
	settle_touched(conns);
}

void nt_conns_turn(struct nt_conns *conns)
{
	settle_touched(conns);
	conns->turn_ns = 0;
}

/* The handshake takes too long. */
static bool is_unshaken(const struct nt_conn *conn, uint64_t now)
{
	return conn->state == NT_OPEN && conn->tls && !nt_tls_ready(conn->tls) &&
	       now - conn->in.heard_ns > NT_HANDSHAKE_MS * UINT64_C(1000000);
}

/* The deadline of its state has passed. */
static bool is_late(struct nt_conn *conn, uint64_t now)
{
	if (conn->state == NT_LINGERING)
		return now - conn->out.moved_ns > NT_LINGER_MS * UINT64_C(1000000);
	size_t unsent = uv_stream_get_write_queue_size(&conn->stream);
	if (unsent != conn->out.unsent)
		conn->out.moved_ns = now;
	conn->out.unsent = unsent;
	return unsent && now > conn->out.moved_ns && now - conn->out.moved_ns > conn->conns->stall_ns;
}

/* It did not show a token in time. */
static bool is_unknown(const struct nt_conn *conn, uint64_t now)
{
	return conn->state == NT_OPEN && conn->place.standing == NT_ANONYMOUS && !nt_conn_queued(conn) &&
	       now > conn->place.since_ns && now - conn->place.since_ns > conn->framing->token_ms * UINT64_C(1000000);
}

/* A deadline has passed: it is to be closed. */
static bool is_over(struct nt_conn *conn, uint64_t now)
{
	if (is_unshaken(conn, now)) {
		nt_rejection_log(conn->conns->rejections, NT_REJECTED_TORN, "no handshake in time");
		return true;
	}
	nt_place_look(conn); /* tokens may have been replaced */
	if (is_unknown(conn, now)) {
		nt_drop_log(conn->conns->drops, NT_DROP_UNKNOWN, &conn->stream, conn->buffered);
		conn->conns->total.pushed++;
		return true;
	}
	if (!is_late(conn, now))
		return conn->state != NT_LINGERING && conn->framing->late && conn->framing->late(conn, now);
	if (conn->state != NT_LINGERING)
		nt_conn_drop(conn, NT_DROP_STALLED, nt_conn_queued(conn));
	return true;
}

void nt_conns_tick(struct nt_conns *conns)
{
	uint64_t now = pd_now_ns();
	for (struct nt_conn *conn = TAILQ_FIRST(&conns->all), *next; conn; conn = next) {
		next = TAILQ_NEXT(conn, all);
		if (is_over(conn, now))
			close_conn(conn);
	}
}

void nt_conns_finish(struct nt_conns *conns)
{
	for (struct nt_conn *conn = TAILQ_FIRST(&conns->all), *next; conn; conn = next) {
		next = TAILQ_NEXT(conn, all);
		if (conn->state == NT_OPEN)
			nt_conn_move(conn, NT_DRAINING);
		conn->in.more = false;
		settle_conn(conn);
	}
}

void nt_conns_close_oldest(struct nt_conns *conns)
{
	PD_ASSERT(conns->count);
	close_conn(TAILQ_FIRST(&conns->all));
}

void nt_conns_close(struct nt_conns *conns)
{
	for (struct nt_conn *conn; (conn = TAILQ_FIRST(&conns->all));)
		close_conn(conn);
	PD_ASSERT(!conns->count && !conns->buffered);
	if (!conns->paused && !uv_is_closing((uv_handle_t *)&conns->idle))
		uv_close((uv_handle_t *)&conns->idle, NULL);
}
