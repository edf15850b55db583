/* Web reply: answers to requests by HTTP. Each ends the request in work, and the connection when it is not to go on. */
#ifndef DM_WEB_REPLY_H
#define DM_WEB_REPLY_H

#include "server/daemon/assets.h"
#include "server/daemon/http_head.h"
#include "server/daemon/web_client.h"

struct dm_web_reply {
	unsigned status;
	const char *type; /* of the body; NULL: there is none */
	const char *more; /* further lines of the head, each with CR LF; NULL: none */
	const char *body;
	size_t size;
};

void dm_web_reply(struct dm_conn *conn, const struct dm_web_reply *reply);
/* A line of text. */
void dm_web_say(struct dm_conn *conn, unsigned status, const char *text);
/* {"error":{"code":...,"slug":...,"field":...,"message":...}}. */
void dm_web_fail(struct dm_conn *conn, unsigned status, const struct pd_fail *fail);
/* The same for a status of HTTP's own, with further lines of the head (NULL: none). */
void dm_web_refuse(struct dm_conn *conn, unsigned status, const char *more, const char *message);
/* A file of the page; `match`: the field If-None-Match. */
void dm_web_file(struct dm_conn *conn, const struct dm_asset *asset, struct dm_piece match);

#endif
