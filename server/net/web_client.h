/* Web client: the state of a connection by HTTP, for the files of web.h. */
#pragma once

#include "server/net/conn.h"
#include "server/net/pages.h"
#include "server/net/server_config.h"

enum {
	NT_WEB_BODY_MAX = PR_LINE_MAX - 1024, /* bytes of a request's body */
	NT_WEB_TOKEN_MAX = 256,
	NT_WEB_REQUEST_MS = 10000, /* for a request to arrive */
	NT_WEB_KEEP_MS = 60000,    /* for a connection without a request */
	NT_WEB_PAGES_MS = 10000    /* lifetime of a connection for pages only */
};

/* The request in work on a public server (site.h). */
struct nt_web_visit {
	const char *origin; /* of the web page that may read the answer, "*": any; borrowed; NULL: none */
	char match[64];     /* If-None-Match, if it fits */
	char file[40];      /* the certificate that is being sent; "": none */
	uint64_t at;        /* its bytes that were sent */
	bool asked;         /* its next piece was asked for */
};

struct nt_web {
	struct nt_conns *conns; /* borrowed, as the next two */
	struct nt_pages *pages;
	const struct nt_config *config; /* for names and tokens; NULL: pages only */
	uint64_t *rates;                /* owned: for sv_rate_count_in, NT_VISITORS of them; NULL: not public */
	int64_t date_s;                 /* when `date` was made, since 1970 */
	char date[32];
};

struct nt_web_client {
	struct nt_web *web;
	uint64_t born_ns;
	uint64_t since_ns;            /* of the current wait for the client */
	size_t head_size, need;       /* bytes of the request: its head, and all; 0: not known yet */
	bool partial;                 /* a part of a request has arrived */
	bool answered;                /* a request was answered */
	bool keep, bodiless;          /* of the request in work: keep-alive; HEAD */
	unsigned denied;              /* the status for a refused token; 0: none was refused */
	bool known;                   /* the token of the request in work was accepted */
	bool shown;                   /* the session was shown a token */
	size_t token_size;            /* 0: none */
	char token[NT_WEB_TOKEN_MAX]; /* that gave the session its role */

	struct nt_web_visit visit;

	uint64_t asked_ns, alive_ns; /* of a WebSocket: last request, last answer to a ping */
	uint64_t pinged_ns;          /* last ping; 0: none since it was heard */
	bool socket;                 /* it is a WebSocket now */
	bool said_bye;
	unsigned code;         /* of the close frame; 0: the server ends it */
	bool fragmented;       /* `message` is not whole */
	bool ascii;            /* so far */
	struct pd_buf message; /* fragments of a message */
};

static inline struct nt_web_client *nt_web_client(const struct nt_conn *conn)
{
	return conn->frame.own;
}
