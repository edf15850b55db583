/* Web client: what a connection by HTTP is, for the files of web.h. */
#ifndef NT_WEB_CLIENT_H
#define NT_WEB_CLIENT_H

#include "server/net/conn.h"
#include "server/net/pages.h"
#include "server/net/server_config.h"

enum {
	NT_WEB_BODY_MAX = PR_LINE_MAX - 1024, /* bytes of a request's body */
	NT_WEB_TOKEN_MAX = 256,
	NT_WEB_REQUEST_MS = 10000, /* how long a request may take to come */
	NT_WEB_KEEP_MS = 60000,    /* how long a connection may be without one */
	NT_WEB_PAGES_MS = 10000    /* how long one for pages alone lasts at most */
};

struct nt_web {
	struct nt_conns *conns; /* borrowed, as the next two */
	struct nt_pages *pages;
	const struct nt_config *config; /* its names and whether there are tokens; NULL: pages alone, for all */
	int64_t date_s;                 /* when `date` was made, since 1970 */
	char date[32];
};

struct nt_web_client {
	struct nt_web *web;
	uint64_t born_ns;
	uint64_t since_ns;      /* when it began to wait for a request, or for the rest of one, or for the client */
	size_t head_size, need; /* bytes of the request that is coming: of its head, and all; 0: not known yet */
	bool partial;           /* a part of a request is there */
	bool answered;          /* one was */
	bool keep, bodiless;    /* of the request in work: the connection may go on; HEAD */
	unsigned denied;        /* the status for a token that was refused; 0: none was */
	bool known;             /* a token was accepted for the request in work */
	bool shown;             /* the session was shown one, and may have a role from it */
	size_t token_size;      /* 0: none */
	char token[NT_WEB_TOKEN_MAX]; /* for which the session has its role */

	uint64_t asked_ns, alive_ns; /* of a WebSocket: when it last asked something; when it last answered a ping */
	uint64_t pinged_ns;          /* and when it was last sent one; 0: not since it was heard */
	bool socket;                 /* it is a WebSocket now */
	bool said_bye;
	unsigned code;         /* to close it with; 0: the server ends it */
	bool fragmented;       /* `message` is not whole */
	bool ascii;            /* so far */
	struct pd_buf message; /* fragments of a message */
};

static inline struct nt_web_client *nt_web_client(const struct nt_conn *conn)
{
	return conn->frame.own;
}

#endif
