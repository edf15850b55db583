/* Connection: see conn.h.
 *
 * Every event of a connection (bytes came, the core answered, a write is done) ends in settle(), the one place that
 * decides what comes next. Nothing is closed inside a call from the core: `broken` is set, and settle() acts on it. */
#include "server/daemon/conn.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"

enum { UNCLOCKED_MAX = 8 }; /* fast queries between two readings of the clock */

enum state { OPEN, DRAINING, LINGERING, CLOSED }; /* conn.h has the diagram */

struct dm_conn {
	union {
		uv_handle_t handle;
		uv_stream_t stream;
		uv_tcp_t tcp;
		uv_pipe_t pipe;
	};
	TAILQ_ENTRY(dm_conn) all;
	TAILQ_ENTRY(dm_conn) list;  /* touched, waiting, fresh or resting */
	struct dm_conn_list *where; /* the list it is in; NULL: none */
	struct dm_conns *conns;
	struct sv_session *session; /* owned; NULL for a refused visitor and when CLOSED */
	enum state state;
	bool broken;          /* to be closed by settle */
	bool reading;         /* uv_read_start is on */
	bool eof;             /* the client sends no more */
	bool skipping;        /* inside a line that was too long */
	bool more;            /* `in` may hold a complete line */
	bool spoken;          /* its first byte has come, and it was one of a request */
	bool full;            /* had its share of this turn, or came too late for one */
	bool served;          /* had one since it last rested */
	bool sealed;          /* `tls` has ciphertext that came too late for this turn */
	bool greeted;         /* the first ciphertext has come */
	struct dm_tls *tls;   /* owned; NULL: plain bytes */
	struct pd_buf in;     /* what was read and not handled; empty most of the time */
	size_t scanned;       /* bytes at the start of `in` known to hold no newline */
	struct pd_buf out;    /* replies not given to libuv yet */
	struct pd_buf flight; /* replies that libuv is writing; size 0: none */
	uv_write_t write;
	uv_shutdown_t shutdown;
	size_t buffered;   /* bytes of its buffers, as counted among all */
	uint64_t heard_ns; /* when it last sent something, or had something done */
	size_t unsent;     /* bytes queued in libuv when last looked at */
	uint64_t moved_ns; /* when that last changed; in LINGERING: when it began */
};

static void settle(struct dm_conn *conn);

/* The one place where the state changes. */
static void move(struct dm_conn *conn, enum state to)
{
	static const bool arrows[CLOSED + 1][CLOSED + 1] = {
		[OPEN] = {[DRAINING] = true, [CLOSED] = true},
		[DRAINING] = {[LINGERING] = true, [CLOSED] = true},
		[LINGERING] = {[CLOSED] = true},
	};
	PD_ASSERT(arrows[conn->state][to]);
	conn->state = to;
}

static void place(struct dm_conn *conn, struct dm_conn_list *list)
{
	if (conn->where == list)
		return;
	if (conn->where)
		TAILQ_REMOVE(conn->where, conn, list);
	conn->where = list;
	if (list)
		TAILQ_INSERT_TAIL(list, conn, list);
}

static size_t queued(const struct dm_conn *conn)
{
	return conn->out.size + uv_stream_get_write_queue_size(&conn->stream);
}

static unsigned inflight(const struct dm_conn *conn)
{
	return conn->session ? sv_session_inflight(conn->session) : 0;
}

/* --- what is buffered ------------------------------------------------------------------------- */

/* Counts its buffers again. A broken connection counts as freed. */
static void count_buffered(struct dm_conn *conn)
{
	bool over = conn->broken || conn->state == CLOSED;
	size_t kept = conn->tls ? dm_tls_kept(conn->tls) : 0;
	size_t now = over ? 0 : conn->in.size + conn->out.size + conn->flight.size + kept;
	PD_ASSERT(conn->conns->buffered >= conn->buffered);
	conn->conns->buffered += now - conn->buffered;
	conn->buffered = now;
}

/* The client left `bytes` unread: the connection is to be closed. */
static void drop(struct dm_conn *conn, enum dm_drop kind, size_t bytes)
{
	dm_drop_log(&conn->conns->drops, kind, &conn->stream, bytes);
	conn->conns->total.stalled += kind != DM_DROP_MOST;
	conn->conns->total.relieved += kind == DM_DROP_MOST;
	conn->broken = true;
}

/* Drops the connection with the largest buffers until the limit of all is kept. */
static void relieve(struct dm_conns *conns)
{
	while (conns->buffered > conns->buffered_max) {
		struct dm_conn *most = NULL, *conn;
		TAILQ_FOREACH(conn, &conns->all, all)
		if (conn->buffered && (!most || conn->buffered > most->buffered))
			most = conn;
		if (!most)
			return;
		drop(most, DM_DROP_MOST, most->buffered);
		pd_buf_fini(&most->out);
		count_buffered(most);
		place(most, &conns->touched);
	}
}

static void buffer_changed(struct dm_conn *conn)
{
	count_buffered(conn);
	relieve(conn->conns);
}

/* --- out ---------------------------------------------------------------------------------- */

static void send_bytes(void *ctx, const char *line, size_t size)
{
	struct dm_conn *conn = ctx;
	if (conn->broken || conn->state == LINGERING || conn->state == CLOSED)
		return;
	if (queued(conn) + size > DM_QUEUE_HARD)
		drop(conn, DM_DROP_FULL, queued(conn) + size);
	else if (conn->tls)
		conn->broken = !dm_tls_send(conn->tls, line, size, &conn->out);
	else
		pd_buf_put(&conn->out, line, size);
	conn->broken = conn->broken || conn->out.failed;
	if (conn->out.size > DM_CHUNK) /* what is less is sent, or counted, before the loop turns */
		buffer_changed(conn);
	place(conn, &conn->conns->touched);
}

/* The core has no memory for a reply. */
static void hang_up(void *ctx)
{
	struct dm_conn *conn = ctx;
	conn->broken = true;
	place(conn, &conn->conns->touched);
}

static size_t backlog(void *ctx)
{
	return queued(ctx);
}

static void send_refusal(struct dm_conn *conn, const struct pd_fail *fail)
{
	struct pd_buf line;
	pd_buf_init(&line, PR_REPLY_MAX);
	pr_refusal(&line, fail);
	conn->broken = conn->broken || line.failed;
	send_bytes(conn, line.data, line.size);
	pd_buf_fini(&line);
}

/* A buffer that was large once does not stay so. */
static void empty(struct pd_buf *buf)
{
	if (buf->capacity > DM_CHUNK)
		pd_buf_fini(buf);
	else
		pd_buf_reset(buf);
}

static void on_written(uv_write_t *write, int status)
{
	struct dm_conn *conn = write->data;
	PD_ASSERT(conn->flight.size); /* one write at a time */
	pd_buf_fini(&conn->flight);
	count_buffered(conn);
	if (conn->state == CLOSED)
		return;
	conn->moved_ns = pd_now_ns();
	conn->broken = conn->broken || status < 0;
	settle(conn);
}

/* Gives what is queued to the kernel, all in one write; what does not fit goes to libuv, one write at a time. */
static void flush(struct dm_conn *conn)
{
	PD_ASSERT(conn->state != CLOSED);
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
	pd_buf_init(&conn->out, DM_QUEUE_HARD);
	piece = uv_buf_init(conn->flight.data + wrote, (unsigned)conn->flight.size - (unsigned)wrote);
	conn->write.data = conn;
	conn->moved_ns = pd_now_ns();
	if (uv_write(&conn->write, &conn->stream, &piece, 1, on_written)) {
		pd_buf_fini(&conn->flight);
		conn->broken = true;
	}
}

/* --- in ----------------------------------------------------------------------------------- */

static bool may_take(const struct dm_conn *conn)
{
	return conn->state == OPEN && !conn->broken && inflight(conn) < SV_INFLIGHT_MAX &&
	       !sv_session_waiting(conn->session) && queued(conn) <= DM_QUEUE_SOFT;
}

static void refuse_long(struct dm_conn *conn)
{
	struct pd_fail fail;
	pd_fail_set(&fail, PD_E_LIMIT, "", "a request line has at most %d bytes; this one is skipped up to its end",
		    (int)PR_LINE_MAX);
	send_refusal(conn, &fail);
}

static bool turn_is_over(struct dm_conns *conns, uint64_t now)
{
	if (!conns->turn_ns)
		conns->turn_ns = now;
	return now - conns->turn_ns > DM_TURN_NS;
}

/* Hands the complete lines of `data` to the session as long as more may be taken and there is time. Returns how many
 * bytes are done with; `scanned` speaks of the bytes behind them. */
static size_t take_lines(struct dm_conn *conn, const char *data, size_t size)
{
	size_t at = 0;
	uint64_t begin = pd_now_ns(), now = begin;
	unsigned unclocked = 0;
	PD_ASSERT(conn->scanned <= size); /* or a line would be looked for behind the data */
	conn->heard_ns = now;
	conn->more = false;
	while (at < size) {
		conn->full = turn_is_over(conn->conns, now) || now - begin > DM_SHARE_NS;
		if (conn->full || !may_take(conn)) {
			conn->more = true;
			break;
		}
		const char *line = data + at;
		const char *end = memchr(line + conn->scanned, '\n', size - at - conn->scanned);
		size_t length = end ? (size_t)(end - line) : size - at;
		if (conn->skipping) {
			conn->skipping = !end;
		} else if (length >= PR_LINE_MAX) {
			refuse_long(conn);
			conn->skipping = !end;
		} else if (!end) {
			conn->scanned = length;
			break;
		} else if (!dm_blank(line, length)) {
			PD_ASSERT(conn->session && length < PR_LINE_MAX);
			bool little = sv_session_line(conn->session, line, length);
			conn->served = true;
			if (!little || ++unclocked == UNCLOCKED_MAX) {
				now = pd_now_ns();
				unclocked = 0;
			}
		}
		conn->scanned = 0;
		at += length + (end != NULL);
	}
	PD_ASSERT(at <= size);
	return at;
}

/* The same for what was buffered. */
static void take_buffered(struct dm_conn *conn)
{
	pd_buf_eat(&conn->in, take_lines(conn, conn->in.data, conn->in.size));
	if (!conn->in.size)
		pd_buf_fini(&conn->in);
	count_buffered(conn);
}

/* `in` is used only for what a read left over, so that most lines are never copied. */
static void feed(struct dm_conn *conn, const char *data, size_t size)
{
	if (!conn->in.size) {
		size_t done = take_lines(conn, data, size);
		data += done;
		size -= done;
	}
	if (!size)
		return;
	bool fresh = !conn->in.size;
	pd_buf_put(&conn->in, data, size);
	conn->broken = conn->broken || conn->in.failed;
	buffer_changed(conn);
	if (!fresh && !conn->broken)
		take_buffered(conn);
}

/* Nothing that it sends is carried out. */
static void turn_away(struct dm_conn *conn, enum dm_stranger kind, const char *why)
{
	struct pd_buf answer;
	pd_buf_init(&answer, PR_REPLY_MAX);
	conn->conns->total.strangers++;
	dm_stranger_log(&conn->conns->strangers, kind, why);
	dm_stranger_answer(kind, &answer);
	conn->broken = conn->broken || answer.failed;
	if (answer.size)
		send_bytes(conn, answer.data, answer.size);
	pd_buf_fini(&answer);
	move(conn, DRAINING);
}

/* Takes plain bytes, unless the first one that is not blank begins no request. */
static void read_plain(struct dm_conn *conn, const char *data, size_t size)
{
	enum dm_stranger kind;
	if (!conn->spoken && dm_stranger_found(data, size, &conn->spoken, &kind))
		turn_away(conn, kind, NULL);
	else
		feed(conn, data, size);
}

/* The client sends no more; a last line without its newline counts. */
static void read_end(struct dm_conn *conn)
{
	conn->eof = true;
	if (conn->state == OPEN && conn->in.size && !conn->skipping)
		feed(conn, "\n", 1);
}

/* Goes on with the handshake, or takes what has been decrypted. */
static void unseal(struct dm_conn *conn)
{
	ssize_t size = 0;
	conn->sealed = false;
	while (conn->state == OPEN && !conn->broken) {
		size = dm_tls_take(conn->tls, conn->conns->plain, sizeof conn->conns->plain, &conn->out);
		conn->broken = conn->broken || conn->out.failed;
		if (size <= 0)
			break;
		read_plain(conn, conn->conns->plain, (size_t)size);
	}
	if (conn->state == OPEN && size == DM_TLS_END)
		read_end(conn);
	else if (conn->state == OPEN && size == DM_TLS_BROKEN)
		turn_away(conn, DM_STRANGER_TORN, dm_tls_why(conn->tls));
	buffer_changed(conn);
}

/* A handshake takes long, so that those that come when the turn is over wait for the next. */
static void read_sealed(struct dm_conn *conn, const char *data, size_t size)
{
	if (!conn->greeted && data[0] != DM_TLS_FIRST) {
		dm_tls_free(conn->tls); /* it would not understand */
		conn->tls = NULL;
		turn_away(conn, dm_stranger_kind(data, size), NULL);
		return;
	}
	conn->greeted = conn->sealed = true;
	conn->broken = conn->broken || !dm_tls_put(conn->tls, data, size);
	conn->full = !dm_tls_ready(conn->tls) && turn_is_over(conn->conns, pd_now_ns());
	if (!conn->full)
		unseal(conn);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	(void)suggested;
	struct dm_conn *conn = handle->data;
	*buf = uv_buf_init(conn->conns->chunk, DM_CHUNK);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buf)
{
	struct dm_conn *conn = stream->data;
	if (!count)
		return;
	conn->served = false;
	if (count < 0) {
		conn->broken = conn->broken || count != UV_EOF;
		conn->eof = true;
		if (!conn->tls) /* under TLS that is for the client to say */
			read_end(conn);
	} else if (conn->state == OPEN) {
		if (conn->tls)
			read_sealed(conn, buf->base, (size_t)count);
		else
			read_plain(conn, buf->base, (size_t)count);
		/* A read that did not fill the chunk emptied the socket, so that this client need not rest. */
		conn->full = conn->full || (conn->served && count == DM_CHUNK);
	}
	settle(conn);
}

static void want_reading(struct dm_conn *conn, bool want)
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
	struct dm_conn *conn = handle->data;
	pd_buf_fini(&conn->in);
	pd_buf_fini(&conn->out);
	pd_buf_fini(&conn->flight);
	dm_tls_free(conn->tls);
	free(conn);
}

static void shut(struct dm_conn *conn)
{
	if (conn->state == CLOSED)
		return;
	move(conn, CLOSED);
	place(conn, NULL);
	TAILQ_REMOVE(&conn->conns->all, conn, all);
	if (conn->session)
		sv_session_free(conn->session);
	conn->session = NULL;
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

static void linger(struct dm_conn *conn)
{
	move(conn, LINGERING);
	conn->moved_ns = pd_now_ns();
	pd_buf_fini(&conn->in);
	if (conn->eof || uv_shutdown(&conn->shutdown, &conn->stream, on_shutdown))
		shut(conn);
}

static struct dm_conn *next_in_turn(struct dm_conns *conns)
{
	struct dm_conn *conn = TAILQ_FIRST(&conns->fresh);
	return conn ? conn : TAILQ_FIRST(&conns->resting);
}

/* A turn later: connections that rested go on, while there is time. */
static void on_idle(uv_idle_t *idle)
{
	struct dm_conns *conns = idle->data;
	for (struct dm_conn *conn; (conn = next_in_turn(conns)) && !turn_is_over(conns, pd_now_ns());) {
		conn->full = conn->served = false;
		place(conn, NULL);
		settle(conn);
	}
	if (!next_in_turn(conns))
		uv_idle_stop(idle);
}

/* All calls are answered and all replies written. */
static bool is_done(const struct dm_conn *conn)
{
	return conn->state == DRAINING && !inflight(conn) && !queued(conn) && !conn->broken;
}

/* Decides what a connection does next; leaves it in the list where the next event will find it. */
static void settle(struct dm_conn *conn)
{
	struct dm_conns *conns = conn->conns;
	if (conn->state == CLOSED)
		return;
	if (conn->sealed && !conn->full && conn->state == OPEN && !conn->broken)
		unseal(conn);
	flush(conn);
	while (conn->more && !conn->full && may_take(conn)) {
		take_buffered(conn);
		flush(conn);
	}
	if (conn->state == OPEN && conn->eof && !conn->more)
		move(conn, DRAINING);
	if (is_done(conn) && conn->tls) {
		dm_tls_bye(conn->tls, &conn->out);
		flush(conn);
	}
	if (is_done(conn))
		linger(conn);
	if (conn->state == CLOSED)
		return;
	bool read = (conn->state == OPEN && may_take(conn) && !conn->more && !conn->full) || conn->state == LINGERING;
	want_reading(conn, read && !conn->eof);
	if (conn->broken || (conn->state == LINGERING && conn->eof)) {
		shut(conn);
	} else if (conn->state == OPEN && conn->full && may_take(conn)) {
		place(conn, conn->served ? &conns->resting : &conns->fresh);
		uv_idle_start(&conns->idle, on_idle);
	} else {
		/* A connection that waits for libuv only (bytes to come, a write to finish) is in no list. */
		place(conn, conn->state != LINGERING && inflight(conn) ? &conns->waiting : NULL);
	}
}

/* Closes the client that has been idle longest, if that is long enough. */
static void make_room(struct dm_conns *conns)
{
	uint64_t now = pd_now_ns();
	struct dm_conn *longest = NULL, *conn;
	TAILQ_FOREACH(conn, &conns->all, all)
	{
		bool idle = conn->state == OPEN && conn->session && !conn->broken &&
			    now - conn->heard_ns > conns->idle_ns && !conn->more && !queued(conn) &&
			    sv_session_idle(conn->session);
		if (idle && (!longest || conn->heard_ns < longest->heard_ns))
			longest = conn;
	}
	if (!longest)
		return;
	pd_log(PD_LOG_INFO, "a client that has been idle for %llu s makes room for another",
	       (unsigned long long)((now - longest->heard_ns) / 1000000000));
	conns->total.idle++;
	shut(longest);
}

static void refuse_visitor(struct dm_conn *conn, enum pd_error code)
{
	struct pd_fail fail;
	conn->conns->total.refused++;
	conn->broken = conn->broken || conn->tls; /* a word through TLS would take a handshake */
	pd_fail_set(&fail, code, "", "this server cannot take one more connection (at most %u); try again later",
		    conn->conns->count_max);
	send_refusal(conn, &fail);
	move(conn, DRAINING);
}

bool dm_conns_accept(void *ctx, uv_stream_t *listener)
{
	struct dm_conns *conns = ctx;
	struct dm_conn *conn = calloc(1, sizeof *conn);
	if (!conn)
		return false;
	bool tcp = listener->type == UV_TCP;
	int rc = tcp ? uv_tcp_init(conns->loop, &conn->tcp) : uv_pipe_init(conns->loop, &conn->pipe, 0);
	if (rc) {
		free(conn);
		return false;
	}
	conn->handle.data = conn;
	conn->conns = conns;
	pd_buf_init(&conn->in, PR_LINE_MAX + 2 * DM_CHUNK);
	pd_buf_init(&conn->out, DM_QUEUE_HARD);
	conns->count++;
	conns->total.accepted++;
	TAILQ_INSERT_TAIL(&conns->all, conn, all);
	conn->broken = uv_accept(listener, &conn->stream) != 0;
	if (tcp && !conn->broken)
		uv_tcp_nodelay(&conn->tcp, 1);
	if (tcp && conns->identity && !(conn->tls = dm_tls_new(conns->identity)))
		conn->broken = true;
	const struct sv_sink sink = {conn, send_bytes, backlog, hang_up, !tcp};
	unsigned count_max = conns->count_max + (tcp ? 0 : DM_RESERVED);
	conn->heard_ns = pd_now_ns();
	if (conns->count > count_max)
		make_room(conns);
	if (conns->count > count_max + DM_REFUSED_MAX)
		conn->broken = true;
	else if (conns->count > count_max)
		refuse_visitor(conn, PD_E_LIMIT);
	else if (!(conn->session = sv_session_new(conns->core, &sink)))
		refuse_visitor(conn, PD_E_NO_MEMORY);
	pd_log(PD_LOG_DEBUG, "a client has come; %u are there", conns->count);
	settle(conn);
	return true;
}

/* --- all of them -------------------------------------------------------------------------- */

void dm_conns_init(struct dm_conns *conns, uv_loop_t *loop, const struct dm_config *config)
{
	*conns = (struct dm_conns){
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

void dm_conns_settle(struct dm_conns *conns)
{
	for (struct dm_conn *conn; (conn = TAILQ_FIRST(&conns->touched));) {
		place(conn, NULL);
		settle(conn);
	}
}

void dm_conns_pumped(struct dm_conns *conns)
{
	for (struct dm_conn *conn; (conn = TAILQ_FIRST(&conns->waiting));)
		place(conn, &conns->touched);
	dm_conns_settle(conns);
}

void dm_conns_turn(struct dm_conns *conns)
{
	conns->turn_ns = 0;
}

/* Its handshake takes too long. */
static bool is_unshaken(const struct dm_conn *conn, uint64_t now)
{
	return conn->state == OPEN && conn->tls && !dm_tls_ready(conn->tls) &&
	       now - conn->heard_ns > DM_HANDSHAKE_MS * UINT64_C(1000000);
}

/* True when the deadline of its state has passed. */
static bool is_late(struct dm_conn *conn, uint64_t now)
{
	if (conn->state == LINGERING)
		return now - conn->moved_ns > DM_LINGER_MS * UINT64_C(1000000);
	size_t unsent = uv_stream_get_write_queue_size(&conn->stream);
	if (unsent != conn->unsent)
		conn->moved_ns = now;
	conn->unsent = unsent;
	return unsent && now > conn->moved_ns && now - conn->moved_ns > conn->conns->stall_ns;
}

void dm_conns_tick(struct dm_conns *conns)
{
	uint64_t now = pd_now_ns();
	for (struct dm_conn *conn = TAILQ_FIRST(&conns->all), *next; conn; conn = next) {
		next = TAILQ_NEXT(conn, all);
		if (is_unshaken(conn, now))
			dm_stranger_log(&conns->strangers, DM_STRANGER_TORN, "no handshake in time");
		else if (!is_late(conn, now))
			continue;
		else if (conn->state != LINGERING)
			drop(conn, DM_DROP_STALLED, queued(conn));
		shut(conn);
	}
}

void dm_conns_finish(struct dm_conns *conns)
{
	for (struct dm_conn *conn = TAILQ_FIRST(&conns->all), *next; conn; conn = next) {
		next = TAILQ_NEXT(conn, all);
		if (conn->state == OPEN)
			move(conn, DRAINING);
		conn->more = false;
		settle(conn);
	}
}

void dm_conns_close(struct dm_conns *conns)
{
	for (struct dm_conn *conn; (conn = TAILQ_FIRST(&conns->all));)
		shut(conn);
	PD_ASSERT(!conns->count && !conns->buffered);
	if (!uv_is_closing((uv_handle_t *)&conns->idle))
		uv_close((uv_handle_t *)&conns->idle, NULL);
}
