/* HTTP head: reads the head of an HTTP/1.0 or 1.1 request, strictly (RFC 9112).
 *
 * Lines end with CR LF. A head has at most NT_HEAD_MAX bytes and NT_HEAD_FIELDS fields; control characters, folded
 * lines, blanks before a colon, a second Host or Content-Length, and bodies in chunks are refused, so that no two
 * programs can read one request in two ways. */
#ifndef NT_HTTP_HEAD_H
#define NT_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NT_HEAD_MAX = 16 << 10, NT_HEAD_FIELDS = 100 };

/* A piece of the head; `at` is NULL when the request does not say. */
struct nt_piece {
	const char *at;
	size_t size;
};

struct nt_head {
	unsigned status;                             /* 0: it is good; else the status with which it is to be refused */
	const char *why;                             /* and a sentence; static */
	struct nt_piece method, path, query;         /* `query` stands behind the question mark */
	struct nt_piece host, origin, authorization; /* fields, without the blanks around them */
	struct nt_piece if_none_match, protocols, key; /* the last two: Sec-WebSocket-... */
	struct nt_piece site, mode;                    /* Sec-Fetch-..., what a browser says of its page */
	bool keep;                                     /* the connection may go on after it */
	bool upgrade;                                  /* to a WebSocket of version 13, from HTTP/1.1 */
	bool expects;                                  /* it waits for "100 Continue" before it sends its body */
	uint64_t body;                                 /* bytes that follow the head */
};

/* Bytes of the head, with the empty line that ends it; 0: it is not whole; SIZE_MAX: a line does not end as it should.
 * *scanned: bytes that were looked at, 0 before the first call. */
size_t nt_head_size(const char *data, size_t size, size_t *scanned);
/* Reads a whole head of `size` bytes, from which *out borrows. */
void nt_head_read(const char *data, size_t size, struct nt_head *out);

/* Cuts off what stands before a character, and the character; everything when there is none. */
struct nt_piece nt_piece_cut(struct nt_piece *rest, char at);
/* True when the piece is that text. */
bool nt_piece_is(struct nt_piece piece, const char *text);
/* True when a list of words with commas between them has the word, in any case of letters. */
bool nt_piece_lists(struct nt_piece piece, const char *word);
/* The name of a Host field ("127.0.0.1:80", "[::1]", "localhost") is an address or localhost: what no web page can be
 * called. */
bool nt_host_is_own(struct nt_piece host);
/* The name in it, without the port; size 0 when the field is not a name, or an address in brackets, with at most a port
 * behind it. */
struct nt_piece nt_host_name(struct nt_piece host);

#endif
