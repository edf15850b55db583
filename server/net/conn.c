/* Connection: see conn.h.
 *
 * Every event of a connection (bytes came, the core answered, a write is done) ends in settle(), the one place that
 * decides what comes next. Nothing is closed inside a call from the core: `broken` is set, and settle() acts on it. */
#include "server/net/conn.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "server/net/places.h"

enum { UNCLOCKED_MAX = 8 }; /* fast queries between two readings of the clock */

static void settle(struct nt_conn *conn);

static size_t queued(const struct nt_conn *conn)
{
	return conn->out.size + uv_stream_get_write_queue_size(&conn->stream);
}

static unsigned inflight(const struct nt_conn *conn)
{
	return conn->session ? sv_session_inflight(conn->session) : 0;
}

/* --- what is buffered ------------------------------------------------------------------------- */

/* Counts its buffers again. A broken connection counts as freed. */
static void count_buffered(struct nt_conn *conn)
{
	bool over = conn->broken || conn->state == NT_CLOSED;
	size_t kept = conn->tls ? nt_tls_kept(conn->tls) : 0;
	size_t now = over ? 0 : conn->in.size + conn->out.size + conn->flight.size + conn->own_bytes + kept;
	PD_ASSERT(conn->conns->buffered >= conn->buffered);
	conn->conns->buffered += now - conn->buffered;
	conn->buffered = now;
}

/* The client left `bytes` unread: the connection is to be closed. */
static void drop(struct nt_conn *conn, enum nt_drop kind, size_t bytes)
{
	nt_drop_log(&conn->conns->drops, kind, &conn->stream, bytes);
	conn->conns->total.stalled += kind != NT_DROP_MOST;
	conn->conns->total.relieved += kind == NT_DROP_MOST;
	conn->broken = true;
}

/* Whether it is dropped before the other one: a stranger before a user, then the one with more. */
static bool weighs_more(const struct nt_conn *conn, const struct nt_conn *other)
{
	bool user = conn->standing == NT_USER, other_user = other->standing == NT_USER;
	return user == other_user ? conn->buffered > other->buffered : other_user;
}

/* Drops the connections that weigh most until the limit of all is kept. */
static void relieve(struct nt_conns *conns)
{
	while (conns->buffered > conns->buffered_max) {
		struct nt_conn *most = NULL, *conn;
		TAILQ_FOREACH(conn, &conns->all, all)
			if (conn->buffered && (!most || weighs_more(conn, most)))
				most = conn;
		if (!most)
			return;
		drop(most, NT_DROP_MOST, most->buffered);
		pd_buf_fini(&most->out);
		count_buffered(most);
		nt_conn_list_in(most, &conns->touched);
	}
}

static void buffer_changed(struct nt_conn *conn)
{
	count_buffered(conn);
	relieve(conn->conns);
}

/* --- out ---------------------------------------------------------------------------------- */

/* Calls in flight are begun only while the client reads what it is sent. */
static void suspend(struct nt_conn *conn)
{
	bool suspended = queued(conn) > NT_QUEUE_SOFT;
	if (suspended != conn->suspended && conn->session)
		sv_session_suspend(conn->session, suspended);
	conn->suspended = suspended;
}

void nt_conn_put(void *ctx, const char *data, size_t size)
{
	struct nt_conn *conn = ctx;
	if (conn->broken || conn->state == NT_LINGERING || conn->state == NT_CLOSED)
		return;
	if (queued(conn) + size > NT_QUEUE_HARD)
		drop(conn, NT_DROP_FULL, queued(conn) + size);
	else if (conn->tls)
		conn->broken = !nt_tls_send(conn->tls, data, size, &conn->out);
	else
		pd_buf_put(&conn->out, data, size);
	conn->broken = conn->broken || conn->out.failed;
	suspend(conn);
	if (conn->out.size > NT_CHUNK) /* what is less is sent, or counted, before the loop turns */
		buffer_changed(conn);
	nt_conn_list_in(conn, &conn->conns->touched);
}

/* The core has no memory for a reply. */
static void hang_up(void *ctx)
{
	struct nt_conn *conn = ctx;
	conn->broken = true;
	nt_conn_list_in(conn, &conn->conns->touched);
}

static size_t backlog(void *ctx)
{
	return queued(ctx);
}

/* A buffer that was large once does not stay so. */
static void empty(struct pd_buf *buf)
{
	if (buf->capacity > NT_CHUNK)
		pd_buf_fini(buf);
	else
		pd_buf_reset(buf);
}

static void on_written(uv_write_t *write, int status)
{
	struct nt_conn *conn = write->data;
	PD_ASSERT(conn->flight.size); /* one write at a time */
	pd_buf_fini(&conn->flight);
	count_buffered(conn);
	if (conn->state == NT_CLOSED)
		return;
	conn->moved_ns = pd_now_ns();
	conn->broken = conn->broken || status < 0;
	settle(conn);
}

/* Gives what is queued to the kernel, all in one write; what does not fit goes to libuv, one write at a time. */
static void flush(struct nt_conn *conn)
{
	PD_ASSERT(conn->state != NT_CLOSED);
	if (conn->broken || conn->flight.size || !conn->out.size)
		return;
	uv_buf_t piece = uv_buf_init(conn->out.data, (unsigned)conn->out.size);
	int wrote = uv_try_write(&conn->stream, &piece, 1);
	if (wrote == UV_EAGAIN)
		wrote = 0;
	if (wrote < 0) {
		conn->broken = true;
		return;
	}
	if ((size_t)wrote == conn->out.size) {
		empty(&conn->out);
		count_buffered(conn);
		return;
	}
	buffer_changed(conn);
	if (conn->broken)
		return;
	conn->flight = conn->out;
	pd_buf_init(&conn->out, NT_QUEUE_HARD);
	piece = uv_buf_init(conn->flight.data + wrote, (unsigned)conn->flight.size - (unsigned)wrote);
	conn->write.data = conn;
	conn->moved_ns = pd_now_ns();
	if (uv_write(&conn->write, &conn->stream, &piece, 1, on_written)) {
		pd_buf_fini(&conn->flight);
		conn->broken = true;
	}
}

/* --- in ----------------------------------------------------------------------------------- */

static bool may_take(const struct nt_conn *conn)
{
	return conn->state == NT_OPEN && !conn->broken && !conn->waits && inflight(conn) < SV_INFLIGHT_MAX &&
	       (!conn->session || !sv_session_waiting(conn->session)) && queued(conn) <= NT_QUEUE_SOFT;
}

static bool turn_is_over(struct nt_conns *conns, uint64_t now)
{
	if (!conns->turn_ns)
		conns->turn_ns = now;
	return now - conns->turn_ns > NT_TURN_NS;
}

/* Hands the complete messages of `data` to the session as long as more may be taken and there is time. Returns how many
 * bytes are done with; `scanned` speaks of the bytes behind them. */
static size_t take_messages(struct nt_conn *conn, char *data, size_t size)
{
	size_t at = 0;
	uint64_t begin = pd_now_ns(), now = begin;
	unsigned unclocked = 0;
	PD_ASSERT(conn->scanned <= size); /* or a message would be looked for behind the data */
	conn->heard_ns = now;
	conn->more = false;
	while (at < size) {
		conn->full = turn_is_over(conn->conns, now) || now - begin > NT_SHARE_NS;
		if (conn->full || !may_take(conn)) {
			conn->more = true;
			break;
		}
		bool little = true;
		size_t taken = conn->framing->take(conn, data + at, size - at, &little);
		if (!taken) {
			conn->more = conn->waits;
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

/* The same for what was buffered. */
static void take_buffered(struct nt_conn *conn)
{
	pd_buf_eat(&conn->in, take_messages(conn, conn->in.data, conn->in.size));
	if (!conn->in.size)
		pd_buf_fini(&conn->in);
	count_buffered(conn);
}

/* `in` is used only for what a read left over, so that most messages are never copied. */
static void feed(struct nt_conn *conn, char *data, size_t size)
{
	if (!conn->in.size) {
		size_t done = take_messages(conn, data, size);
		data += done;
		size -= done;
	}
	if (!size) {
		if (conn->own_bytes || conn->buffered)
			buffer_changed(conn);
		return;
	}
	bool fresh = !conn->in.size;
	pd_buf_put(&conn->in, data, size);
	conn->broken = conn->broken || conn->in.failed;
	buffer_changed(conn);
	if (!fresh && !conn->broken)
		take_buffered(conn);
}

/* Nothing that it sends is carried out, and when its TLS is broken no answer can be sent. */
void nt_conn_turn_away(struct nt_conn *conn, enum nt_stranger kind, const char *why)
{
	struct pd_buf answer;
	pd_buf_init(&answer, PR_REPLY_MAX);
	conn->conns->total.strangers++;
	nt_stranger_log(&conn->conns->strangers, kind, why);
	nt_stranger_answer(kind, &answer);
	conn->broken = conn->broken || answer.failed;
	if (answer.size)
		nt_conn_put(conn, answer.data, answer.size);
	pd_buf_fini(&answer);
	nt_conn_leave(conn);
}

/* Takes plain bytes, unless the framing turns the client away. */
static void read_plain(struct nt_conn *conn, char *data, size_t size)
{
	if (conn->spoken || !conn->framing->meet || conn->framing->meet(conn, data, size))
		feed(conn, data, size);
}

/* The client sends no more. */
static void read_end(struct nt_conn *conn)
{
	char tail[8];
	size_t size = conn->framing->tail ? strlen(conn->framing->tail) : 0;
	PD_ASSERT(size <= sizeof tail);
	conn->eof = true;
	if (!size || conn->state != NT_OPEN || !conn->in.size || conn->skipping)
		return;
	memcpy(tail, conn->framing->tail, size);
	feed(conn, tail, size);
}

/* Goes on with the handshake, or takes what has been decrypted. */
static void unseal(struct nt_conn *conn)
{
	ssize_t size = 0;
	conn->sealed = false;
	while (conn->state == NT_OPEN && !conn->broken) {
		size = nt_tls_take(conn->tls, conn->conns->plain, sizeof conn->conns->plain, &conn->out);
		conn->broken = conn->broken || conn->out.failed;
		if (size <= 0)
			break;
		read_plain(conn, conn->conns->plain, (size_t)size);
	}
	if (conn->state == NT_OPEN && size == NT_TLS_END)
		read_end(conn);
	else if (conn->state == NT_OPEN && size == NT_TLS_BROKEN)
		nt_conn_turn_away(conn, NT_STRANGER_TORN, nt_tls_why(conn->tls));
	buffer_changed(conn);
}

/* A handshake takes long, so that those that come when the turn is over wait for the next. */
static void read_sealed(struct nt_conn *conn, const char *data, size_t size)
{
	if (!conn->greeted && data[0] != NT_TLS_FIRST) {
		nt_tls_free(conn->tls); /* it would not understand */
		conn->tls = NULL;
		conn->framing->plain(conn, data, size);
		return;
	}
	conn->greeted = conn->sealed = true;
	conn->broken = conn->broken || !nt_tls_put(conn->tls, data, size);
	conn->full = !nt_tls_ready(conn->tls) && turn_is_over(conn->conns, pd_now_ns());
	if (!conn->full)
		unseal(conn);
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
	conn->served = false;
	if (count < 0) {
		conn->broken = conn->broken || count != UV_EOF;
		conn->eof = true;
		if (!conn->tls) /* under TLS that is for the client to say */
			read_end(conn);
	} else if (conn->state == NT_OPEN) {
		if (conn->tls)
			read_sealed(conn, buf->base, (size_t)count);
		else
			read_plain(conn, buf->base, (size_t)count);
		/* A read that did not fill the chunk emptied the socket, so that this client need not rest. */
		conn->full = conn->full || (conn->served && count == NT_CHUNK);
	}
	settle(conn);
}

static void want_reading(struct nt_conn *conn, bool want)
{
	if (want == conn->reading)
		return;
	conn->reading = want;
	if (!want)
		uv_read_stop(&conn->stream);
	else if (uv_read_start(&conn->stream, on_alloc, on_read))
		conn->broken = true;
}

/* --- life --------------------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
	struct nt_conn *conn = handle->data;
	pd_buf_fini(&conn->in);
	pd_buf_fini(&conn->out);
	pd_buf_fini(&conn->flight);
	nt_tls_free(conn->tls);
	if (conn->framing->free)
		conn->framing->free(conn);
	free(conn);
}

static void shut(struct nt_conn *conn)
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
	count_buffered(conn);
	pd_log(PD_LOG_DEBUG, "a client has gone; %u are there", conn->conns->count);
	uv_close(&conn->handle, on_closed);
}

static void on_shutdown(uv_shutdown_t *request, int status)
{
	(void)request, (void)status; /* the client's end of file or the deadline closes */
}

static void linger(struct nt_conn *conn)
{
	nt_conn_move(conn, NT_LINGERING);
	conn->moved_ns = pd_now_ns();
	pd_buf_fini(&conn->in);
	if (conn->eof || uv_shutdown(&conn->shutdown, &conn->stream, on_shutdown))
		shut(conn);
}

static struct nt_conn *next_in_turn(struct nt_conns *conns)
{
	struct nt_conn *conn = TAILQ_FIRST(&conns->fresh);
	return conn ? conn : TAILQ_FIRST(&conns->resting);
}

/* A turn later: connections that rested go on, while there is time. */
static void on_idle(uv_idle_t *idle)
{
	struct nt_conns *conns = idle->data;
	for (struct nt_conn *conn; (conn = next_in_turn(conns)) && !turn_is_over(conns, pd_now_ns());) {
		conn->full = conn->served = false;
		nt_conn_list_in(conn, NULL);
		settle(conn);
	}
	if (!next_in_turn(conns))
		uv_idle_stop(idle);
}

/* All calls are answered and all replies written. */
static bool is_done(const struct nt_conn *conn)
{
	return conn->state == NT_DRAINING && !inflight(conn) && !queued(conn) && !conn->broken;
}

/* Decides what a connection does next; leaves it in the list where the next event will find it. */
static void settle(struct nt_conn *conn)
{
	struct nt_conns *conns = conn->conns;
	if (conn->state == NT_CLOSED)
		return;
	if (conn->sealed && !conn->full && conn->state == NT_OPEN && !conn->broken)
		unseal(conn);
	flush(conn);
	while (conn->more && !conn->full && may_take(conn)) {
		take_buffered(conn);
		flush(conn);
	}
	nt_place_look(conn);
	flush(conn);
	if (conn->state == NT_OPEN && conn->eof && !conn->more) {
		if (conn->framing->leaves)
			nt_conn_end_session(conn);
		nt_conn_move(conn, NT_DRAINING);
	}
	if (is_done(conn) && conn->framing->bye && (!conn->tls || nt_tls_ready(conn->tls))) {
		conn->framing->bye(conn);
		flush(conn);
	}
	if (is_done(conn) && conn->tls) {
		nt_tls_bye(conn->tls, &conn->out);
		flush(conn);
	}
	if (is_done(conn))
		linger(conn);
	if (conn->state == NT_CLOSED)
		return;
	suspend(conn);
	bool read =
		(conn->state == NT_OPEN && may_take(conn) && !conn->more && !conn->full) || conn->state == NT_LINGERING;
	want_reading(conn, read && !conn->eof);
	if (conn->broken || (conn->state == NT_LINGERING && conn->eof)) {
		shut(conn);
	} else if (conn->state == NT_OPEN && conn->full && may_take(conn)) {
		nt_conn_list_in(conn, conn->served || conn->standing != NT_USER ? &conns->resting : &conns->fresh);
		uv_idle_start(&conns->idle, on_idle);
	} else {
		/* A connection that waits for libuv only (bytes to come, a write to finish) is in no list. */
		nt_conn_list_in(conn, conn->state != NT_LINGERING && inflight(conn) ? &conns->waiting : NULL);
	}
}

/* The handle of the client's socket; a libuv error. */
static int take_socket(struct nt_conn *conn, const struct nt_visit *visit)
{
	uv_loop_t *loop = conn->conns->loop;
	int rc = visit->local ? uv_pipe_init(loop, &conn->pipe, 0) : uv_tcp_init(loop, &conn->tcp);
	if (rc)
		return rc;
	conn->handle.data = conn;
	rc = visit->local ? uv_pipe_open(&conn->pipe, visit->fd) : uv_tcp_open(&conn->tcp, visit->fd);
	if (rc)
		close(visit->fd);
	else if (!visit->local)
		uv_tcp_nodelay(&conn->tcp, 1);
	conn->broken = rc != 0;
	return 0;
}

bool nt_conns_accept(struct nt_conns *conns, const struct nt_visit *visit, const struct nt_framing *framing, void *own)
{
	struct nt_conn *conn = conns->paused ? NULL : calloc(1, sizeof *conn);
	if (!conn)
		return false;
	conn->conns = conns;
	if (take_socket(conn, visit)) {
		free(conn);
		return false;
	}
	conn->framing = framing;
	conn->own = own;
	pd_buf_init(&conn->in, PR_LINE_MAX + 2 * NT_CHUNK);
	pd_buf_init(&conn->out, NT_QUEUE_HARD);
	conns->count++;
	conns->total.accepted++;
	TAILQ_INSERT_TAIL(&conns->all, conn, all);
	if (!visit->local && conns->identity && !(conn->tls = nt_tls_new(conns->identity)))
		conn->broken = true;
	conn->heard_ns = pd_now_ns();
	if (framing->send) {
		const struct sv_sink sink = {conn, framing->send, backlog, hang_up, visit->local};
		conn->session = sv_session_new(conns->core, &sink);
		nt_place_enter(conn);
	}
	pd_log(PD_LOG_DEBUG, "a client has come; %u are there", conns->count);
	settle(conn);
	return true;
}

/* --- all of them -------------------------------------------------------------------------- */

void nt_conns_init(struct nt_conns *conns, uv_loop_t *loop, const struct nt_config *config)
{
	*conns = (struct nt_conns){
		.loop = loop,
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

void nt_conns_settle(struct nt_conns *conns)
{
	for (struct nt_conn *conn; (conn = TAILQ_FIRST(&conns->touched));) {
		nt_conn_list_in(conn, NULL);
		settle(conn);
	}
}

void nt_conns_pumped(struct nt_conns *conns)
{
	for (struct nt_conn *conn; (conn = TAILQ_FIRST(&conns->waiting));)
		nt_conn_list_in(conn, &conns->touched);
	nt_conns_settle(conns);
}

void nt_conns_turn(struct nt_conns *conns)
{
	conns->turn_ns = 0;
}

/* Its handshake takes too long. */
static bool is_unshaken(const struct nt_conn *conn, uint64_t now)
{
	return conn->state == NT_OPEN && conn->tls && !nt_tls_ready(conn->tls) &&
	       now - conn->heard_ns > NT_HANDSHAKE_MS * UINT64_C(1000000);
}

/* True when the deadline of its state has passed. */
static bool is_late(struct nt_conn *conn, uint64_t now)
{
	if (conn->state == NT_LINGERING)
		return now - conn->moved_ns > NT_LINGER_MS * UINT64_C(1000000);
	size_t unsent = uv_stream_get_write_queue_size(&conn->stream);
	if (unsent != conn->unsent)
		conn->moved_ns = now;
	conn->unsent = unsent;
	return unsent && now > conn->moved_ns && now - conn->moved_ns > conn->conns->stall_ns;
}

/* It has shown no token in time. */
static bool is_unknown(const struct nt_conn *conn, uint64_t now)
{
	return conn->state == NT_OPEN && conn->standing == NT_STRANGER && !queued(conn) && now > conn->stranger_ns &&
	       now - conn->stranger_ns > conn->framing->token_ms * UINT64_C(1000000);
}

/* A deadline has passed, and it is to be closed. */
static bool is_over(struct nt_conn *conn, uint64_t now)
{
	if (is_unshaken(conn, now)) {
		nt_stranger_log(&conn->conns->strangers, NT_STRANGER_TORN, "no handshake in time");
		return true;
	}
	nt_place_look(conn); /* tokens may have been replaced */
	if (is_unknown(conn, now)) {
		nt_drop_log(&conn->conns->drops, NT_DROP_UNKNOWN, &conn->stream, conn->buffered);
		conn->conns->total.pushed++;
		return true;
	}
	if (!is_late(conn, now))
		return conn->state != NT_LINGERING && conn->framing->late && conn->framing->late(conn, now);
	if (conn->state != NT_LINGERING)
		drop(conn, NT_DROP_STALLED, queued(conn));
	return true;
}

void nt_conns_tick(struct nt_conns *conns)
{
	uint64_t now = pd_now_ns();
	for (struct nt_conn *conn = TAILQ_FIRST(&conns->all), *next; conn; conn = next) {
		next = TAILQ_NEXT(conn, all);
		if (is_over(conn, now))
			shut(conn);
	}
}

void nt_conns_finish(struct nt_conns *conns)
{
	for (struct nt_conn *conn = TAILQ_FIRST(&conns->all), *next; conn; conn = next) {
		next = TAILQ_NEXT(conn, all);
		if (conn->state == NT_OPEN)
			nt_conn_move(conn, NT_DRAINING);
		conn->more = false;
		settle(conn);
	}
}

void nt_conns_close_oldest(struct nt_conns *conns)
{
	PD_ASSERT(conns->count);
	shut(TAILQ_FIRST(&conns->all));
}

void nt_conns_close(struct nt_conns *conns)
{
	for (struct nt_conn *conn; (conn = TAILQ_FIRST(&conns->all));)
		shut(conn);
	PD_ASSERT(!conns->count && !conns->buffered);
	if (!conns->paused && !uv_is_closing((uv_handle_t *)&conns->idle))
		uv_close((uv_handle_t *)&conns->idle, NULL);
}
