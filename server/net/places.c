#include "server/net/places.h"

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/net/visitor.h"

static unsigned hash_address(const struct in6_addr *address)
{
	return (unsigned)(nt_address_hash(address) % NT_SHARES);
}

/* The bucket of a connection's address. A proxy's has one after the other: whose they are is not known yet. */
static unsigned find_bucket(const struct nt_conn *conn)
{
	struct in6_addr peer;
	if (conn->stream.type != UV_TCP)
		return NT_SHARES;
	if (!nt_address_of(&conn->tcp, &peer))
		return 0; /* gone already */
	return nt_is_proxy(conn->conns->public, &peer) ? (unsigned)(conn->conns->total.accepted % NT_SHARES)
						       : hash_address(&peer);
}

static void take_place(struct nt_conn *conn, enum nt_standing as)
{
	struct nt_places *places = &conn->conns->places;
	if (conn->place.standing != NT_NO_PLACE) {
		PD_ASSERT(places->count[conn->place.standing] &&
			  places->share[conn->place.standing][conn->place.share]);
		places->count[conn->place.standing]--;
		places->share[conn->place.standing][conn->place.share]--;
	}
	conn->place.standing = as;
	if (as == NT_NO_PLACE)
		return;
	places->count[as]++;
	places->share[as][conn->place.share]++;
}

/* Its place is free at once; settle_conn() closes it. */
static void evict_client(struct nt_conn *conn)
{
	take_place(conn, NT_NO_PLACE);
	conn->broken = true;
	nt_conn_touch(conn);
}

static unsigned find_largest(const unsigned *share)
{
	unsigned most = 0;
	for (unsigned i = 0; i < NT_SHARES; i++)
		most = share[i] > most ? share[i] : most;
	return most;
}

static unsigned count_anonymous_max(const struct nt_conns *conns)
{
	unsigned shared = conns->count_max - conns->count_max / 4, users = conns->places.count[NT_USER];
	return NT_ANONYMOUS_MAX + (users < shared ? shared - users : 0);
}

static void evict_anonymous(struct nt_conns *conns)
{
	struct nt_places *places = &conns->places;
	const unsigned *share = places->share[NT_ANONYMOUS];
	while (places->count[NT_ANONYMOUS] > count_anonymous_max(conns)) {
		unsigned most = find_largest(share);
		struct nt_conn *conn;
		TAILQ_FOREACH(conn, &conns->all, all) /* in the order in which they came */
			if (conn->place.standing == NT_ANONYMOUS && share[conn->place.share] == most)
				break;
		if (!conn)
			return;
		nt_drop_log(conns->drops, NT_DROP_ANONYMOUS, &conn->stream, conn->buffered);
		conns->total.pushed++;
		evict_client(conn);
	}
}

/* Whether the client waits for nothing. */
static bool is_quiet(const struct nt_conn *conn)
{
	return conn->state == NT_OPEN && conn->place.standing == NT_USER && !conn->broken && !conn->in.more &&
	       !conn->out.queue.size && !uv_stream_get_write_queue_size(&conn->stream) &&
	       sv_session_idle(conn->session);
}

/* Closes a user that has to make room for another, if there is one. */
static void evict_user(struct nt_conn *newcomer)
{
	struct nt_conns *conns = newcomer->conns;
	const unsigned *share = conns->places.share[NT_USER];
	unsigned most = newcomer->place.share < NT_SHARES ? find_largest(share) : 0;
	bool uneven = most >= share[newcomer->place.share] + 2;
	uint64_t now = pd_now_ns();
	struct nt_conn *longest = NULL, *silent = NULL, *conn;
	TAILQ_FOREACH(conn, &conns->all, all) {
		if (!is_quiet(conn) || conn == newcomer)
			continue;
		bool idle = now - conn->in.heard_ns > conns->idle_ns;
		if (idle && (!longest || conn->in.heard_ns < longest->in.heard_ns))
			longest = conn;
		if (uneven && share[conn->place.share] == most && (!silent || conn->in.heard_ns < silent->in.heard_ns))
			silent = conn;
	}
	if (!longest)
		longest = silent;
	if (!longest)
		return;
	nt_drop_log(conns->drops, NT_DROP_IDLE, &longest->stream, longest->buffered);
	conns->total.idle++;
	evict_client(longest);
}

/* Gives a client with a role a user's place; false when there is none. */
static bool become_user(struct nt_conn *conn)
{
	struct nt_conns *conns = conn->conns;
	unsigned max = conns->count_max + (conn->place.share == NT_SHARES ? NT_RESERVED : 0);
	if (conns->places.count[NT_USER] >= max)
		evict_user(conn);
	if (conns->places.count[NT_USER] >= max)
		return false;
	take_place(conn, NT_USER);
	return true;
}

static void refuse_client(struct nt_conn *conn, enum pd_error code)
{
	struct pd_fail fail;
	conn->conns->total.refused++;
	conn->place.refused = true;
	/* an answer would need a handshake */
	conn->broken = conn->broken || (conn->tls && !nt_tls_ready(conn->tls));
	pd_fail_set(&fail, code, "", "the server has no place for another connection (at most %u); try again later",
		    conn->conns->count_max);
	if (conn->framing->refuse)
		conn->framing->refuse(conn, &fail);
	if (conn->session && sv_session_inflight(conn->session))
		nt_conn_end(conn);
	else
		nt_conn_leave(conn);
}

static bool has_role(const struct nt_conn *conn)
{
	return conn->session && sv_session_known(conn->session) && (!conn->tls || nt_tls_ready(conn->tls)) &&
	       (conn->frame.asked || !conn->framing->asks_first);
}

void nt_place_enter(struct nt_conn *conn)
{
	PD_ASSERT(conn->place.standing == NT_NO_PLACE && conn->framing->token_ms);
	conn->place.share = find_bucket(conn);
	conn->place.since_ns = conn->in.heard_ns;
	take_place(conn, NT_ANONYMOUS);
	if (conn->session)
		nt_place_look(conn);
	else
		refuse_client(conn, PD_E_NO_MEMORY);
	evict_anonymous(conn->conns);
}

void nt_place_visitor(struct nt_conn *conn, const struct in6_addr *visitor)
{
	enum nt_standing as = conn->place.standing;
	if (conn->place.share == NT_SHARES)
		return;
	take_place(conn, NT_NO_PLACE);
	conn->place.share = hash_address(visitor);
	take_place(conn, as);
}

void nt_place_look(struct nt_conn *conn)
{
	enum nt_standing as = has_role(conn) ? NT_USER : NT_ANONYMOUS;
	if (conn->place.standing == NT_NO_PLACE || conn->place.standing == as || conn->place.refused ||
	    conn->state != NT_OPEN)
		return;
	if (as == NT_USER && !become_user(conn)) {
		refuse_client(conn, PD_E_LIMIT);
	} else if (as == NT_ANONYMOUS) {
		conn->place.since_ns = pd_now_ns();
		take_place(conn, NT_ANONYMOUS);
	}
}

void nt_place_leave(struct nt_conn *conn)
{
	take_place(conn, NT_NO_PLACE);
}
