#include "server/net/http_head.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "proto/base/assert.h"

size_t nt_head_size(const char *data, size_t size, size_t *scanned)
{
	PD_ASSERT(*scanned <= size);
	for (const char *end; (end = memchr(data + *scanned, '\n', size - *scanned)) != NULL;) {
		const char *line = data + *scanned;
		if (end == line || end[-1] != '\r')
			return SIZE_MAX;
		*scanned = (size_t)(end - data) + 1;
		if (end - line == 1)
			return *scanned;
	}
	return 0;
}

struct nt_piece nt_piece_cut(struct nt_piece *rest, char at)
{
	const char *end = rest->size ? memchr(rest->at, at, rest->size) : NULL;
	struct nt_piece out = {rest->at, end ? (size_t)(end - rest->at) : rest->size};
	size_t used = out.size + (end != NULL);
	rest->at += used;
	rest->size -= used;
	return out;
}

bool nt_piece_is(struct nt_piece piece, const char *text)
{
	return piece.size == strlen(text) && !memcmp(piece.at, text, piece.size);
}

static bool is_word(struct nt_piece piece, const char *word)
{
	return piece.size == strlen(word) && !strncasecmp(piece.at, word, piece.size);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct nt_piece trim_blanks(struct nt_piece piece)
{
	while (piece.size && is_blank(piece.at[0])) {
		piece.at++;
		piece.size--;
	}
	while (piece.size && is_blank(piece.at[piece.size - 1]))
		piece.size--;
	return piece;
}

bool nt_piece_lists(struct nt_piece piece, const char *word)
{
	while (piece.size)
		if (is_word(trim_blanks(nt_piece_cut(&piece, ',')), word))
			return true;
	return false;
}

/* True when what follows a name is nothing, or a colon and a port. RFC 3986 allows an empty port. */
static bool is_port(struct nt_piece rest)
{
	for (size_t i = 1; i < rest.size; i++)
		if (rest.at[i] < '0' || rest.at[i] > '9')
			return false;
	return !rest.size || (rest.at[0] == ':' && rest.size <= sizeof ":65535" - 1);
}

struct nt_piece nt_host_name(struct nt_piece host)
{
	bool bracket = host.size && host.at[0] == '[';
	const char *end = host.size ? memchr(host.at, bracket ? ']' : ':', host.size) : NULL;
	size_t size = end ? (size_t)(end - host.at) + bracket : host.size;
	if (!size || !is_port((struct nt_piece){host.at + size, host.size - size}))
		return (struct nt_piece){0};
	return (struct nt_piece){host.at, size};
}

bool nt_host_is_own(struct nt_piece host)
{
	struct nt_piece name = nt_host_name(host);
	struct in6_addr address;
	char text[INET6_ADDRSTRLEN];
	if (is_word(name, "localhost"))
		return true;
	bool six = name.size > 2 && name.at[0] == '[' && name.at[name.size - 1] == ']';
	size_t size = name.size - 2 * six;
	if (!size || size >= sizeof text)
		return false;
	memcpy(text, name.at + six, size);
	text[size] = 0;
	return strlen(text) == size && inet_pton(six ? AF_INET6 : AF_INET, text, &address) == 1;
}

static bool refuse_head(struct nt_head *out, unsigned status, const char *why)
{
	PD_ASSERT(status >= 400);
	out->status = status;
	out->why = why;
	return false;
}

/* Whether the piece can be the name of a method or field. */
static bool is_token(struct nt_piece piece)
{
	for (size_t i = 0; i < piece.size; i++) {
		char c = piece.at[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
		if (!letter && (!c || !strchr("!#$%&'*+-.^_`|~", c)))
			return false;
	}
	return piece.size > 0;
}

static bool is_text(struct nt_piece piece, bool blanks)
{
	for (size_t i = 0; i < piece.size; i++) {
		unsigned char c = (unsigned char)piece.at[i];
		if (c < ' ' ? c != '\t' || !blanks : c == 0x7f || (c == ' ' && !blanks))
			return false;
	}
	return true;
}

static bool read_request_line(struct nt_piece line, struct nt_head *out)
{
	struct nt_piece rest = line;
	out->method = nt_piece_cut(&rest, ' ');
	struct nt_piece target = nt_piece_cut(&rest, ' ');
	if (!is_token(out->method) || !is_text(target, false))
		return refuse_head(out, 400, "the first line must be METHOD PATH HTTP/1.1");
	if (nt_piece_is(rest, "HTTP/1.1"))
		out->keep = true;
	else if (!nt_piece_is(rest, "HTTP/1.0"))
		return refuse_head(out, rest.size > 5 && !memcmp(rest.at, "HTTP/", 5) ? 505 : 400,
				   "the first line must be METHOD PATH HTTP/1.1");
	if (!target.size || target.at[0] != '/')
		return refuse_head(out, 400, "the path must begin with a slash");
	struct nt_piece before = nt_piece_cut(&target, '#');
	out->path = nt_piece_cut(&before, '?');
	out->query = before;
	return true;
}

static bool read_length(struct nt_piece value, struct nt_head *out)
{
	uint64_t length = 0;
	for (size_t i = 0; i < value.size; i++) {
		if (value.at[i] < '0' || value.at[i] > '9')
			return refuse_head(out, 400, "Content-Length must be a number");
		if (length > UINT32_MAX)
			return refuse_head(out, 413, "the body is too long");
		length = 10 * length + (uint64_t)(value.at[i] - '0');
	}
	if (!value.size || out->body)
		return refuse_head(out, 400, "Content-Length must be one number");
	out->body = length;
	return true;
}

/* Values of fields that may be repeated. */
struct seen {
	unsigned lengths, version;
	bool upgrade, websocket;
};

static bool read_once(struct nt_piece *member, struct nt_piece value, struct nt_head *out)
{
	if (member->at)
		return refuse_head(out, 400, "a field of the head is repeated");
	*member = value;
	return true;
}

static bool read_field(struct nt_piece name, struct nt_piece value, struct seen *seen, struct nt_head *out)
{
	const struct {
		const char *name;
		struct nt_piece *member;
	} once[] = {
		{"host", &out->host},
		{"origin", &out->origin},
		{"authorization", &out->authorization},
		{"if-none-match", &out->if_none_match},
		{"sec-websocket-key", &out->key},
		{"sec-websocket-protocol", &out->protocols},
		{"sec-fetch-site", &out->site},
		{"sec-fetch-mode", &out->mode},
	};
	for (size_t i = 0; i < sizeof once / sizeof *once; i++)
		if (is_word(name, once[i].name))
			return read_once(once[i].member, value, out);
	if (is_word(name, "content-length"))
		return seen->lengths++ ? refuse_head(out, 400, "Content-Length must be one number")
				       : read_length(value, out);
	if (is_word(name, "transfer-encoding"))
		return refuse_head(out, 411, "a body needs Content-Length; chunks are not supported");
	if (is_word(name, "connection")) {
		seen->upgrade = seen->upgrade || nt_piece_lists(value, "upgrade");
		if (nt_piece_lists(value, "close"))
			out->keep = false;
		else if (nt_piece_lists(value, "keep-alive"))
			out->keep = true;
	} else if (is_word(name, "upgrade")) {
		seen->websocket = nt_piece_lists(value, "websocket");
	} else if (is_word(name, "sec-websocket-version")) {
		seen->version = nt_piece_is(value, "13") ? 13 : 1;
	} else if (is_word(name, "expect")) {
		if (!is_word(value, "100-continue"))
			return refuse_head(out, 417, "only 100-continue may be expected");
		out->expects = true;
	} else if (is_word(name, "x-forwarded-for")) {
		out->forwarded = value;
	}
	return true;
}

static bool check_head(const struct seen *seen, struct nt_piece version, struct nt_head *out)
{
	if (!out->host.at && nt_piece_is(version, "1"))
		return refuse_head(out, 400, "the field Host is missing");
	out->upgrade = seen->upgrade && seen->websocket && nt_piece_is(version, "1"); /* HTTP/1.0 has none */
	if (out->upgrade && seen->version != 13)
		return refuse_head(out, 426, "the version of a WebSocket must be 13");
	if (out->upgrade && (!out->key.at || out->key.size != 24 || memcmp(out->key.at + 22, "==", 2) != 0))
		return refuse_head(out, 400, "Sec-WebSocket-Key must be 16 bytes in base64");
	if (out->upgrade && out->body)
		return refuse_head(out, 400, "a request for a WebSocket must not have a body");
	return true;
}

void nt_head_read(const char *data, size_t size, struct nt_head *out)
{
	struct nt_piece rest = {data, size};
	struct seen seen = {0};
	unsigned fields = 0;
	*out = (struct nt_head){0};
	PD_ASSERT(size >= 2 && data[size - 1] == '\n');
	for (bool first = true; rest.size; first = false) {
		struct nt_piece line = nt_piece_cut(&rest, '\n');
		PD_ASSERT(line.size && line.at[line.size - 1] == '\r'); /* checked by nt_head_size */
		line.size--;
		if (!line.size)
			break;
		if (!is_text(line, true)) {
			refuse_head(out, 400, "the head contains control characters");
			return;
		}
		if (first) {
			if (!read_request_line(line, out))
				return;
			continue;
		}
		struct nt_piece value = line, name = nt_piece_cut(&value, ':');
		if (++fields > NT_HEAD_FIELDS) {
			refuse_head(out, 431, "the head has too many fields");
			return;
		}
		if (name.size == line.size || !is_token(name)) {
			refuse_head(out, 400, "a line of the head must be NAME: VALUE");
			return;
		}
		if (!read_field(name, trim_blanks(value), &seen, out))
			return;
	}
	const char *minor = memchr(data, '\r', size);
	check_head(&seen, (struct nt_piece){minor - 1, 1}, out);
}
