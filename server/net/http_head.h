/* HTTP head: a strict reader of the head of an HTTP/1.0 or 1.1 request (RFC 9112).
 *
 * Lines end with CR LF. A head has at most NT_HEAD_MAX bytes and NT_HEAD_FIELDS fields. Control characters, folded
 * lines, blanks before a colon, a second Host or Content-Length and chunked bodies are refused, so that no two programs
 * can read one request differently. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NT_HEAD_MAX = 16 << 10, NT_HEAD_FIELDS = 100 };

/* A piece of the head; `at` is NULL when it is absent. */
struct nt_piece {
	const char *at;
	size_t size;
};

struct nt_head {
	unsigned status;                               /* 0: valid; else the status of the refusal */
	const char *why;                               /* and its message; static */
	struct nt_piece method, path, query;           /* `query` follows the question mark */
	struct nt_piece host, origin, authorization;   /* fields, without the blanks around them */
	struct nt_piece if_none_match, protocols, key; /* the last two: Sec-WebSocket-... */
	struct nt_piece site, mode;                    /* Sec-Fetch-... of a browser */
	struct nt_piece forwarded;                     /* the last X-Forwarded-For (visitor.h) */
	bool keep;                                     /* keep-alive */
	bool upgrade;                                  /* to a WebSocket of version 13 */
	bool expects;                                  /* "100 Continue" before its body */
	uint64_t body;                                 /* bytes that follow the head */
};

/* Bytes of the head with its final empty line; 0: it is not complete; SIZE_MAX: a line does not end with CR LF.
 * *scanned: bytes that were examined; 0 before the first call. */
size_t nt_head_size(const char *data, size_t size, size_t *scanned);
/* Reads a complete head of `size` bytes, from which *out borrows. */
void nt_head_read(const char *data, size_t size, struct nt_head *out);

/* Cuts off the text up to a character, which is dropped; all of it when there is none. */
struct nt_piece nt_piece_cut(struct nt_piece *rest, char at);
/* True when the piece is that text. */
bool nt_piece_is(struct nt_piece piece, const char *text);
/* True when a list separated by commas has the word, ignoring case. */
bool nt_piece_lists(struct nt_piece piece, const char *word);
/* True when the name in a Host field ("127.0.0.1:80", "[::1]", "localhost") is an address or localhost: no foreign web
 * page can have such a name. */
bool nt_host_is_own(struct nt_piece host);
/* The name in a Host field, without the port; size 0 when the field is malformed. */
struct nt_piece nt_host_name(struct nt_piece host);
