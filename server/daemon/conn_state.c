/* Connection state: see conn_state.h. */
#include "server/daemon/conn_state.h"

#include "proto/base/assert.h"

/* The one place where the state changes. */
void dm_conn_move(struct dm_conn *conn, enum dm_conn_state to)
{
	static const bool arrows[DM_CLOSED + 1][DM_CLOSED + 1] = {
		[DM_OPEN] = {[DM_DRAINING] = true, [DM_CLOSED] = true},
		[DM_DRAINING] = {[DM_LINGERING] = true, [DM_CLOSED] = true},
		[DM_LINGERING] = {[DM_CLOSED] = true},
	};
	PD_ASSERT(arrows[conn->state][to]);
	conn->state = to;
}

void dm_conn_list_in(struct dm_conn *conn, struct dm_conn_list *list)
{
	if (conn->where == list)
		return;
	if (conn->where)
		TAILQ_REMOVE(conn->where, conn, list);
	conn->where = list;
	if (list)
		TAILQ_INSERT_TAIL(list, conn, list);
}

void dm_conn_touch(struct dm_conn *conn)
{
	if (conn->state != DM_CLOSED)
		dm_conn_list_in(conn, &conn->conns->touched);
}

void dm_conn_end(struct dm_conn *conn)
{
	if (conn->state == DM_OPEN)
		dm_conn_move(conn, DM_DRAINING);
	dm_conn_touch(conn);
}

void dm_conn_end_session(struct dm_conn *conn)
{
	if (conn->session)
		sv_session_free(conn->session);
	conn->session = NULL;
}

void dm_conn_leave(struct dm_conn *conn)
{
	dm_conn_end_session(conn);
	dm_conn_end(conn);
}
