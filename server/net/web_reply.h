/* Web reply: answers to HTTP requests. Each ends the request in work, and the connection unless it is kept alive. */
#pragma once

#include "server/net/assets.h"
#include "server/net/http_head.h"
#include "server/net/web_client.h"

struct nt_web_reply {
	unsigned status;
	const char *type; /* of the body; NULL: there is none */
	const char *more; /* further lines of the head, each with CR LF; NULL: none */
	const char *body;
	size_t size;
};

void nt_web_reply(struct nt_conn *conn, const struct nt_web_reply *reply);
/* A line of text. */
void nt_web_say(struct nt_conn *conn, unsigned status, const char *text);
/* {"error":{"code":...,"slug":...,"field":...,"message":...}}. */
void nt_web_fail(struct nt_conn *conn, unsigned status, const struct pd_fail *fail);
/* The same for a status of HTTP's own, with further lines of the head (NULL: none). */
void nt_web_refuse(struct nt_conn *conn, unsigned status, const char *more, const char *message);
/* A file of the page; `match`: the field If-None-Match. */
void nt_web_file(struct nt_conn *conn, const struct nt_asset *asset, struct nt_piece match);
