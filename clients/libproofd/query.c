#include "clients/libproofd/query.h"

#include <stdlib.h>

#include "clients/libproofd/fault.h"
#include "clients/libproofd/reply.h"
#include "proto/base/assert.h"
#include "proto/out.h"
#include "proto/rpc.h"

enum {
	PIECE_MAX = 1000,        /* positions of a request */
	UNDER_WAY = 4,           /* requests */
	REQUEST_ROOM = 32 << 10, /* bytes of a request without its positions, at most */
	QUOTES = 3               /* bytes that JSON adds to a position */
};

/* Positions from..to of those asked for, in a request that is under way. */
struct piece {
	TAILQ_ENTRY(piece) link;
	size_t from, to;
	struct proofd_pending *call;
};

struct query {
	struct proofd *server;
	const struct proofd_asked *asked;
	int (*each)(void *ctx, size_t index, proofd_value fact);
	void *ctx;
	TAILQ_HEAD(, piece) pieces;
	size_t begun; /* number of positions that have been put into pieces */
	unsigned count;
	bool ended; /* by the caller */
};

/* The maximum size of a text as JSON. */
static size_t count_encoded(const char *text)
{
	size_t size = QUOTES;
	for (; *text; text++)
		size += (unsigned char)*text < 0x20 || *text == '"' || *text == '\\' ? 6 : 1;
	return size;
}

static size_t find_end(const struct query *q, size_t from)
{
	const struct pc_limits *limits = &q->server->core.limits;
	size_t most = limits->positions < PIECE_MAX ? limits->positions : PIECE_MAX, to = from, size = 0;
	size_t room = limits->line > 2 * REQUEST_ROOM ? limits->line - REQUEST_ROOM : limits->line / 2;
	for (; to < q->asked->count && to - from < most; to++) {
		size += count_encoded(q->asked->positions[to]);
		if (size > room && to > from)
			break;
	}
	return to;
}

static int put_params(const struct query *q, size_t from, size_t to, struct pd_buf *text, struct proofd_error *error)
{
	struct pd_fail fail;
	struct pr_out out;
	pr_out_init(&out, text);
	pr_members(&out, PR_OPEN_OBJECT(NULL), PR_S("game", q->asked->game), PR_OPEN_ARRAY("positions"));
	for (size_t i = from; i < to; i++)
		pr_str(&out, NULL, q->asked->positions[i]);
	pr_members(&out, PR_CLOSE, PR_OPT_B("each_move", q->asked->each_move), PR_OPT_S("notation", q->asked->notation),
		   PR_CLOSE);
	return text->failed ? pc_fault_memory(error) : pr_out_check(&out, &fail) ? pc_fault_fail(error, &fail) : 0;
}

/* Asks for positions; `first` puts the piece before all others. */
static int ask_piece(struct query *q, size_t from, size_t to, bool first, struct proofd_error *error)
{
	struct pd_buf params;
	struct piece *piece = malloc(sizeof *piece);
	PD_ASSERT(from < to);
	if (!piece)
		return pc_fault_memory(error);
	*piece = (struct piece){.from = from, .to = to};
	pd_buf_init(&params, SIZE_MAX / 4);
	int rc = put_params(q, from, to, &params, error);
	const struct pc_request request = {"fact.query", params.data, params.size, false};
	rc = rc ? rc : pc_begin(q->server, &request, &piece->call, error);
	pd_buf_fini(&params);
	if (rc) {
		free(piece);
		return -1;
	}
	if (first)
		TAILQ_INSERT_HEAD(&q->pieces, piece, link);
	else
		TAILQ_INSERT_TAIL(&q->pieces, piece, link);
	q->count++;
	return 0;
}

static int ask_more(struct query *q, struct proofd_error *error)
{
	while (q->count < UNDER_WAY && q->begun < q->asked->count) {
		size_t to = find_end(q, q->begun);
		if (ask_piece(q, q->begun, to, false, error))
			return -1;
		q->begun = to;
	}
	return 0;
}

static int tell_facts(struct query *q, size_t from, size_t to, const struct proofd_reply *reply,
		      struct proofd_error *error)
{
	pr_ref facts = pr_get(reply->value, "facts");
	if (pr_count(facts) != to - from)
		return pc_fault(error, "protocol", "the server gives %zu facts for %zu positions", pr_count(facts),
				to - from);
	for (size_t i = from; i < to && !q->ended; i++)
		q->ended = q->each(q->ctx, i, pc_value(pr_at(facts, i - from))) != 0;
	return 0;
}

/* Passes on an entry for a position that cannot be read, because the server refuses a call with that position alone. */
static int tell_refused(struct query *q, size_t index, const struct proofd_error *why, struct proofd_error *error)
{
	struct pd_buf text;
	struct pr_out out;
	struct pr_doc *doc;
	struct pd_fail fail;
	pd_buf_init(&text, PR_LINE_MAX);
	pr_out_init(&out, &text);
	pr_members(&out, PR_OPEN_OBJECT(NULL), PR_OPEN_OBJECT("error"), PR_I("code", why->code),
		   PR_S("message", why->message), PR_CLOSE, PR_CLOSE);
	int rc = text.failed ? PD_E_NO_MEMORY : pr_doc_parse(text.data, text.size, &doc, &fail);
	pd_buf_fini(&text);
	if (rc)
		return pc_fault_memory(error);
	q->ended = q->each(q->ctx, index, pc_value(pr_doc_root(doc))) != 0;
	pr_doc_free(doc);
	return 0;
}

/* Takes the first piece once it is answered. */
static int take_first(struct query *q, struct proofd_error *error)
{
	struct piece *piece = TAILQ_FIRST(&q->pieces);
	struct proofd_reply *reply;
	struct proofd_error why;
	if (pc_settle(q->server, piece->call, error))
		return -1;
	size_t from = piece->from, to = piece->to;
	int rc = pc_outcome(piece->call, &reply, &why);
	TAILQ_REMOVE(&q->pieces, piece, link);
	free(piece);
	q->count--;
	if (!rc) {
		rc = tell_facts(q, from, to, reply, error);
		pc_reply_free(reply);
		return rc;
	}
	if (to - from == 1 && (why.code == PD_E_POSITION || why.code == PD_E_MOVE))
		return tell_refused(q, from, &why, error);
	if (why.code == PD_E_LIMIT && to - from > 1 && !q->server->core.limits.rate) {
		/* The reply would be too long; half of the piece may be short enough. */
		size_t middle = from + (to - from) / 2;
		rc = ask_piece(q, middle, to, true, error);
		return rc ? rc : ask_piece(q, from, middle, true, error);
	}
	return pc_fault_copy(error, &why);
}

int pc_query_each(struct proofd *server, const struct proofd_asked *asked,
		  int (*each)(void *ctx, size_t index, proofd_value fact), void *ctx, struct proofd_error *error)
{
	struct query q = {.server = server, .asked = asked, .each = each, .ctx = ctx};
	struct piece *piece;
	int rc = 0;
	TAILQ_INIT(&q.pieces);
	while (!rc && !q.ended) {
		rc = ask_more(&q, error);
		if (!rc && TAILQ_EMPTY(&q.pieces))
			break;
		rc = rc ? rc : take_first(&q, error);
	}
	while ((piece = TAILQ_FIRST(&q.pieces))) {
		TAILQ_REMOVE(&q.pieces, piece, link);
		pc_call_forget(&server->core, piece->call);
		free(piece);
	}
	return rc;
}
