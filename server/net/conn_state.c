#include "server/net/conn_state.h"

#include "proto/base/assert.h"

/* The one place where the state changes. */
void nt_conn_move(struct nt_conn *conn, enum nt_conn_state to)
{
	static const bool arrows[NT_CLOSED + 1][NT_CLOSED + 1] = {
		[NT_OPEN] = {[NT_DRAINING] = true, [NT_CLOSED] = true},
		[NT_DRAINING] = {[NT_LINGERING] = true, [NT_CLOSED] = true},
		[NT_LINGERING] = {[NT_CLOSED] = true},
	};
	PD_ASSERT(arrows[conn->state][to]);
	conn->state = to;
}

void nt_conn_list_in(struct nt_conn *conn, struct nt_conn_list *list)
{
	if (conn->where == list)
		return;
	if (conn->where)
		TAILQ_REMOVE(conn->where, conn, list);
	conn->where = list;
	if (list)
		TAILQ_INSERT_TAIL(list, conn, list);
}

void nt_conn_touch(struct nt_conn *conn)
{
	if (conn->state != NT_CLOSED)
		nt_conn_list_in(conn, &conn->conns->touched);
}

void nt_conn_end(struct nt_conn *conn)
{
	if (conn->state == NT_OPEN)
		nt_conn_move(conn, NT_DRAINING);
	nt_conn_touch(conn);
}

void nt_conn_end_session(struct nt_conn *conn)
{
	if (conn->session)
		sv_session_free(conn->session);
	conn->session = NULL;
}

void nt_conn_leave(struct nt_conn *conn)
{
	nt_conn_end_session(conn);
	nt_conn_end(conn);
}

void nt_conn_count_buffers(struct nt_conn *conn)
{
	bool over = conn->broken || conn->state == NT_CLOSED;
	size_t kept = conn->tls ? nt_tls_kept(conn->tls) : 0;
	size_t now =
		over ? 0
		     : conn->in.buf.size + conn->out.queue.size + conn->out.flight.size + conn->frame.own_bytes + kept;
	PD_ASSERT(conn->conns->buffered >= conn->buffered);
	conn->conns->buffered += now - conn->buffered;
	conn->buffered = now;
}

void nt_conn_drop(struct nt_conn *conn, enum nt_drop kind, size_t bytes)
{
	nt_drop_log(conn->conns->drops, kind, &conn->stream, bytes);
	conn->conns->total.stalled += kind != NT_DROP_MOST;
	conn->conns->total.relieved += kind == NT_DROP_MOST;
	conn->broken = true;
}

/* Whether `conn` is dropped before `other`: anonymous clients before users, then larger before smaller ones. */
static bool weighs_more(const struct nt_conn *conn, const struct nt_conn *other)
{
	bool user = conn->place.standing == NT_USER, other_user = other->place.standing == NT_USER;
	return user == other_user ? conn->buffered > other->buffered : other_user;
}

static void relieve_buffers(struct nt_conns *conns)
{
	while (conns->buffered > conns->buffered_max) {
		struct nt_conn *most = NULL, *conn;
		TAILQ_FOREACH(conn, &conns->all, all)
			if (conn->buffered && (!most || weighs_more(conn, most)))
				most = conn;
		if (!most)
			return;
		nt_conn_drop(most, NT_DROP_MOST, most->buffered);
		pd_buf_fini(&most->out.queue);
		nt_conn_count_buffers(most);
		nt_conn_list_in(most, &conns->touched);
	}
}

void nt_conn_buffers_changed(struct nt_conn *conn)
{
	nt_conn_count_buffers(conn);
	relieve_buffers(conn->conns);
}
