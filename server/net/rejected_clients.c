#include "server/net/rejected_clients.h"

#include <string.h>
#include <strings.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/rpc.h"
#include "server/net/tls.h"

enum { METHOD_MAX = 20 };

/* "GET /", or a beginning of it: a method, then a path, an address or a star. */
static bool is_http(const char *data, size_t size)
{
	size_t word = 0;
	while (word < size && word <= METHOD_MAX &&
	       (data[word] == '-' || (data[word] >= 'A' && data[word] <= 'Z') ||
		(data[word] >= 'a' && data[word] <= 'z')))
		word++;
	if (!word || word > METHOD_MAX)
		return false;
	if (word == size)
		return true;
	return data[word] == ' ' && (word + 1 == size || data[word + 1] == '/' || data[word + 1] == '*' ||
				     !strncmp(data, "CONNECT ", 8) || !strncmp(data + word, " http", 5));
}

static bool has_header(const char *data, size_t size, const char *name)
{
	for (size_t i = 0, length = strlen(name); i + length < size; i++)
		if (data[i] == '\n' && !strncasecmp(data + i + 1, name, length))
			return true;
	return false;
}

enum nt_rejection nt_rejection_kind(const char *data, size_t size)
{
	PD_ASSERT(size);
	if (data[0] == NT_TLS_FIRST)
		return NT_REJECTED_TLS;
	if (data[0] == '{' || data[0] == '[')
		return NT_REJECTED_PLAIN;
	if (!is_http(data, size))
		return NT_REJECTED_OTHER;
	return has_header(data, size, "Origin:") || has_header(data, size, "Sec-Fetch-") ? NT_REJECTED_PAGE
											 : NT_REJECTED_HTTP;
}

bool nt_rejection_found(const char *data, size_t size, bool *seen, enum nt_rejection *kind)
{
	size_t i = 0;
	while (i < size && (nt_blank(data + i, 1) || data[i] == '\n'))
		i++;
	*seen = i < size && (data[i] == '{' || data[i] == '[');
	if (i == size || *seen)
		return false;
	*kind = nt_rejection_kind(data + i, size - i);
	return true;
}

void nt_rejection_answer(enum nt_rejection kind, struct pd_buf *out)
{
	static const char http[] = "HTTP/1.0 400 Bad Request\r\n"
				   "Content-Type: text/plain\r\n"
				   "Content-Length: 54\r\n"
				   "Connection: close\r\n\r\n"
				   "This is proofd: JSON-RPC, one message a line; no HTTP\n";
	static const char *const other[NT_REJECTED_KINDS] = {
		[NT_REJECTED_TLS] =
			"this port does not speak TLS but JSON-RPC, one message a line; the first byte must be { or [",
		[NT_REJECTED_PLAIN] = "this port requires TLS (proofctl --tls)",
		[NT_REJECTED_OTHER] = "this port speaks JSON-RPC, one message a line; the first byte must be { or [",
	};
	struct pd_fail fail;
	if (kind == NT_REJECTED_HTTP || kind == NT_REJECTED_PAGE) {
		pd_buf_puts(out, http);
	} else if (other[kind]) {
		pd_fail_set(&fail, PD_E_PARSE, "", "%s", other[kind]);
		pr_refusal(out, &fail);
	}
}

unsigned nt_log_limit_count(struct nt_log_limit *limit)
{
	uint64_t now = pd_now_ns();
	unsigned count = ++limit->count;
	if (limit->said_ns && now - limit->said_ns <= NT_SAY_MS * UINT64_C(1000000))
		return 0;
	*limit = (struct nt_log_limit){.said_ns = now};
	return count;
}

void nt_rejection_log(struct nt_log_limit limits[NT_REJECTED_KINDS], enum nt_rejection kind, const char *why)
{
	static const char *const words[NT_REJECTED_KINDS] = {
		[NT_REJECTED_HTTP] = "an HTTP request",
		[NT_REJECTED_PAGE] = "an HTTP request of a web page",
		[NT_REJECTED_TLS] = "TLS on a port without TLS",
		[NT_REJECTED_PLAIN] = "a plain request on the port with TLS",
		[NT_REJECTED_TORN] = "failed TLS",
		[NT_REJECTED_OTHER] = "a client that speaks another protocol",
		[NT_REJECTED_ORIGIN] = "a request by a web page of another origin",
		[NT_REJECTED_HOST] = "a request for a foreign host name",
	};
	PD_ASSERT(words[kind]);
	unsigned count = nt_log_limit_count(&limits[kind]);
	if (count)
		pd_log(PD_LOG_WARN, "client rejected: %s%s%s; %u since the last such line", words[kind],
		       why ? ": " : "", why ? why : "", count);
}
