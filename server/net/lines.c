#include "server/net/lines.h"

#include "proto/base/assert.h"
#include "server/net/conn.h"
#include "server/net/conn_in.h"
#include "server/net/conn_out.h"

static bool inspect_start(struct nt_conn *conn, const char *data, size_t size)
{
	enum nt_rejection kind;
	if (!nt_rejection_found(data, size, &conn->frame.inspected, &kind))
		return true;
	nt_conn_reject(conn, kind, NULL);
	return false;
}

static void send_refusal(struct nt_conn *conn, const struct pd_fail *fail)
{
	struct pd_buf line;
	pd_buf_init(&line, PR_REPLY_MAX);
	pr_refusal(&line, fail);
	conn->broken = conn->broken || line.failed;
	nt_conn_put(conn, line.data, line.size);
	pd_buf_fini(&line);
}

static void refuse_long_line(struct nt_conn *conn)
{
	struct pd_fail fail;
	pd_fail_set(&fail, PD_E_LIMIT, "", "a request line may have at most %d bytes; this one is skipped",
		    (int)PR_LINE_MAX);
	send_refusal(conn, &fail);
}

static size_t take_line(struct nt_conn *conn, char *data, size_t size, bool *little)
{
	const char *end = memchr(data + conn->frame.scanned, '\n', size - conn->frame.scanned);
	size_t length = end ? (size_t)(end - data) : size;
	conn->frame.scanned = 0;
	if (conn->frame.skipping) {
		conn->frame.skipping = !end;
	} else if (length >= PR_LINE_MAX) {
		refuse_long_line(conn);
		conn->frame.skipping = !end;
	} else if (!end) {
		conn->frame.scanned = length;
		return 0;
	} else if (!nt_blank(data, length)) {
		PD_ASSERT(conn->session && length < PR_LINE_MAX);
		*little = sv_session_line(conn->session, data, length);
		conn->in.served = true;
	}
	return length + (end != NULL);
}

static void answer_plain(struct nt_conn *conn, const char *data, size_t size)
{
	nt_conn_reject(conn, nt_rejection_kind(data, size), NULL);
}

static const struct nt_framing lines = {
	.tail = "\n", /* a last line without its newline counts */
	.token_ms = NT_TOKEN_MS,
	.inspect = inspect_start,
	.take = take_line,
	.plain = answer_plain,
	.refuse = send_refusal,
	.send = nt_conn_put,
};

bool nt_lines_accept(void *conns, int fd, bool local)
{
	return nt_conns_accept(conns, &(struct nt_socket){fd, local}, &lines, NULL);
}
