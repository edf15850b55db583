#include "server/net/web_reply.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/hash.h"
#include "proto/out.h"
#include "server/net/conn_out.h"

enum { HEAD_ROOM = 2048, ERROR_ROOM = 8192 };

static const char *find_phrase(unsigned status)
{
	static const struct {
		unsigned status;
		const char *phrase;
	} list[] = {
		{200, "OK"},
		{204, "No Content"},
		{304, "Not Modified"},
		{400, "Bad Request"},
		{401, "Unauthorized"},
		{403, "Forbidden"},
		{404, "Not Found"},
		{405, "Method Not Allowed"},
		{408, "Request Timeout"},
		{411, "Length Required"},
		{413, "Content Too Large"},
		{417, "Expectation Failed"},
		{426, "Upgrade Required"},
		{429, "Too Many Requests"},
		{431, "Request Header Fields Too Large"},
		{500, "Internal Server Error"},
		{503, "Service Unavailable"},
		{505, "HTTP Version Not Supported"},
	};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (list[i].status == status)
			return list[i].phrase;
	PD_ASSERT(!"a status without a phrase");
	return "";
}

/* The time in the format of HTTP. */
static const char *format_date(struct nt_web *web)
{
	time_t now = (time_t)(pd_wall_ms() / 1000);
	struct tm tm;
	if (now != web->date_s && gmtime_r(&now, &tm)) {
		strftime(web->date, sizeof web->date, "%a, %d %b %Y %H:%M:%S GMT", &tm);
		web->date_s = now;
	}
	return web->date;
}

/* Who else may use an answer. */
static void print_sharing(const struct nt_web_client *client, char *out, size_t size)
{
	const char *origin = client->visit.origin;
	if (!client->web->rates)
		snprintf(out, size, "Cross-Origin-Resource-Policy: same-origin\r\n");
	else if (origin)
		snprintf(out, size,
			 "Cross-Origin-Resource-Policy: cross-origin\r\nAccess-Control-Allow-Origin: %s\r\n"
			 "Access-Control-Expose-Headers: ETag\r\nVary: Origin\r\n",
			 origin);
	else
		snprintf(out, size, "Cross-Origin-Resource-Policy: cross-origin\r\nVary: Origin\r\n");
}

void nt_web_reply(struct nt_conn *conn, const struct nt_web_reply *reply)
{
	struct nt_web_client *client = nt_web_client(conn);
	char head[HEAD_ROOM], content[160] = "", sharing[500];
	bool keep = client->keep && conn->state == NT_OPEN;
	if (reply->type)
		snprintf(content, sizeof content, "Content-Type: %s\r\nContent-Length: %zu\r\n", reply->type,
			 reply->size);
	print_sharing(client, sharing, sizeof sharing);
	int size = snprintf(head, sizeof head,
			    "HTTP/1.1 %u %s\r\nDate: %s\r\n%sConnection: %s\r\n%sX-Content-Type-Options: nosniff\r\n"
			    "Referrer-Policy: no-referrer\r\n%s\r\n",
			    reply->status, find_phrase(reply->status), format_date(client->web), content,
			    keep ? "keep-alive" : "close", reply->more ? reply->more : "Cache-Control: no-store\r\n",
			    sharing);
	PD_ASSERT(size > 0 && (size_t)size < sizeof head);
	nt_conn_put(conn, head, (size_t)size);
	if (reply->type && reply->size && !client->bodiless)
		nt_conn_put(conn, reply->body, reply->size);
	client->answered = true;
	client->since_ns = pd_now_ns();
	if (!keep)
		nt_conn_end(conn);
}

void nt_web_cached(struct nt_conn *conn, const struct nt_web_reply *reply, unsigned max_age_s)
{
	const char *match = nt_web_client(conn)->visit.match;
	char tag[24], more[600];
	struct nt_web_reply out = *reply;
	snprintf(tag, sizeof tag, "\"%016" PRIx64 "\"", pd_hash64(reply->body, reply->size));
	int size = snprintf(more, sizeof more, "Cache-Control: public, max-age=%u\r\nETag: %s\r\n%s", max_age_s, tag,
			    reply->more ? reply->more : "");
	PD_ASSERT(size > 0 && (size_t)size < sizeof more);
	out.more = more;
	if (strstr(match, tag)) { /* also W/"...": a proxy has compressed it */
		out.status = 304;
		out.type = NULL;
	}
	nt_web_reply(conn, &out);
}

void nt_web_say(struct nt_conn *conn, unsigned status, const char *text)
{
	char line[200];
	int size = snprintf(line, sizeof line, "%s\n", text);
	PD_ASSERT(size > 0 && (size_t)size < sizeof line);
	nt_web_reply(conn, &(struct nt_web_reply){status, "text/plain; charset=utf-8", NULL, line, (size_t)size});
}

static void put_error(struct nt_conn *conn, unsigned status, const char *more, const struct pd_fail *fail)
{
	struct pd_buf body;
	struct pr_out out;
	pd_buf_init(&body, ERROR_ROOM);
	pr_out_init(&out, &body);
	pr_members(&out, PR_OPEN_OBJECT(NULL), PR_OPEN_OBJECT("error"), PR_I("code", fail->code),
		   PR_S("slug", pd_error_slug(fail->code)), PR_S("field", fail->field[0] ? fail->field : NULL),
		   PR_S("message", fail->text), PR_CLOSE, PR_CLOSE);
	pd_buf_put(&body, "\n", 1);
	conn->broken = conn->broken || body.failed; /* without memory, the connection ends */
	nt_web_reply(conn, &(struct nt_web_reply){status, "application/json", more, body.data, body.size});
	pd_buf_fini(&body);
}

void nt_web_fail(struct nt_conn *conn, unsigned status, const struct pd_fail *fail)
{
	put_error(conn, status, NULL, fail);
}

void nt_web_refuse(struct nt_conn *conn, unsigned status, const char *more, const char *message)
{
	struct pd_fail fail;
	bool role = status == 401 || status == 403, limit = status == 413 || status == 429 || status == 431;
	pd_fail_set(&fail,
		    role            ? PD_E_FORBIDDEN
		    : limit         ? PD_E_LIMIT
		    : status == 404 ? PD_E_NOT_FOUND
		    : status == 405 ? PD_E_METHOD
		    : status == 503 ? PD_E_BUSY
				    : PD_E_REQUEST,
		    "", "%s", message);
	put_error(conn, status, more, &fail);
}

void nt_web_file(struct nt_conn *conn, const struct nt_asset *asset, struct nt_piece match)
{
	char more[400];
	bool same = match.at && (nt_piece_is(match, "*") || nt_piece_lists(match, asset->tag));
	int size =
		snprintf(more, sizeof more,
			 "Cache-Control: %s\r\nETag: %s\r\n"
			 "Content-Security-Policy: default-src 'self'; img-src 'self' data: blob:; object-src 'none'; "
			 "base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n",
			 asset->fixed ? "public, max-age=31536000, immutable" : "no-cache", asset->tag);
	PD_ASSERT(size > 0 && (size_t)size < sizeof more);
	nt_web_reply(conn, &(struct nt_web_reply){same ? 304 : 200, same ? NULL : asset->type, more,
						  (const char *)asset->data, asset->size});
}
