/* Web reply: answers to HTTP requests. Each ends the request in work, and the connection unless it is kept alive. */
#pragma once

#include "server/net/assets.h"
#include "server/net/http_head.h"
#include "server/net/web_client.h"

enum {
	NT_KEEP_PROVED_S = 3600, /* caches may keep what is proved: a retraction may take it back */
	NT_KEEP_S = 10           /* and what may be known better soon */
};

struct nt_web_reply {
	unsigned status;
	const char *type; /* of the body; NULL: there is none */
	const char *more; /* further lines of the head, each with CR LF; NULL: none */
	const char *body;
	size_t size;
};

void nt_web_reply(struct nt_conn *conn, const struct nt_web_reply *reply);
/* A page of a public server that caches may keep for `max_age_s`, with an ETag: 304 when the client has it. `more`: as
 * above. */
void nt_web_cached(struct nt_conn *conn, const struct nt_web_reply *reply, unsigned max_age_s);
/* A line of text. */
void nt_web_say(struct nt_conn *conn, unsigned status, const char *text);
/* {"error":{"code":...,"slug":...,"field":...,"message":...}}. */
void nt_web_fail(struct nt_conn *conn, unsigned status, const struct pd_fail *fail);
/* The same for a status of HTTP's own, with further lines of the head (NULL: none). */
void nt_web_refuse(struct nt_conn *conn, unsigned status, const char *more, const char *message);
/* A file of the page; `match`: the field If-None-Match. */
void nt_web_file(struct nt_conn *conn, const struct nt_asset *asset, struct nt_piece match);
