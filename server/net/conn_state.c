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
