#include "server/cluster/nats/nats_url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"

#define PREFIX "proofd"
#define PORT   "4222"

struct piece {
	const char *begin;
	size_t size;
};

/* The piece up to the first of the `stops`; *text moves there. */
static struct piece cut_piece(const char **text, const char *stops)
{
	struct piece out = {*text, strcspn(*text, stops)};
	*text += out.size;
	return out;
}

static int refuse_server(unsigned server, struct pd_fail *fail, const char *what)
{
	return pd_fail_set(
		fail, PD_E_USAGE, "workers",
		"the URL of the workers' NATS server (number %u of the list) %s; it is "
		"nats://[USER:PASSWORD@]HOST[:PORT][/PREFIX], tls://..., or unix:///PATH for workers on this machine",
		server + 1, what);
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;
	return at ? (int)((at - digits) % 16) : -1;
}

/* Decodes %XX. False: too long, or invalid. */
static bool decode_percent(struct piece from, char out[CN_SECRET_MAX])
{
	size_t n = 0;
	for (size_t i = 0; i < from.size; i++) {
		char c = from.begin[i];
		if (c == '%') {
			bool whole = i + 2 < from.size;
			int high = whole ? hex_digit(from.begin[i + 1]) : -1,
			    low = whole ? hex_digit(from.begin[i + 2]) : -1;
			if (high < 0 || low < 0 || !(high | low)) /* no byte 0 */
				return false;
			c = (char)(high << 4 | low);
			i += 2;
		}
		if (n + 1 == CN_SECRET_MAX)
			return false;
		out[n++] = c;
	}
	out[n] = 0;
	return true;
}

/* Sets a text, or compares it with an earlier server's. */
static bool set_or_agree(char *out, size_t room, const char *text)
{
	if (*out)
		return !strcmp(out, text);
	PD_ASSERT(strlen(text) < room);
	memcpy(out, text, strlen(text) + 1);
	return true;
}

/* user:password or token. NULL: fine. */
static const char *take_secret(struct piece info, struct cn_url *out)
{
	char first[CN_SECRET_MAX], second[CN_SECRET_MAX] = "";
	const char *colon = memchr(info.begin, ':', info.size);
	struct piece name = {info.begin, colon ? (size_t)(colon - info.begin) : info.size};
	if (!decode_percent(name, first) ||
	    (colon && !decode_percent((struct piece){colon + 1, info.size - name.size - 1}, second)))
		return "has a user, password or token that is too long or has a % without two hexadecimal digits";
	if (!*first)
		return "has an @ without a user before it";
	bool agrees;
	if (!colon)
		agrees = !*out->user && set_or_agree(out->token, sizeof out->token, first);
	else /* a password may be empty */
		agrees = !*out->token && (!*out->user || !strcmp(out->password, second)) &&
			 set_or_agree(out->user, sizeof out->user, first);
	if (!agrees)
		return "has another user, password or token than the one before";
	if (colon)
		memcpy(out->password, second, sizeof second);
	return NULL;
}

/* Letters, digits, - and _, in parts separated by single dots. */
static bool good_prefix(struct piece prefix)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
	bool part = false;
	if (prefix.size > CN_PREFIX_MAX)
		return false;
	for (size_t i = 0; i < prefix.size; i++) {
		if (prefix.begin[i] == '.' ? !part : !strchr(letters, prefix.begin[i]))
			return false;
		part = prefix.begin[i] != '.';
	}
	return part;
}

static bool is_near(struct piece host)
{
	return (host.size >= 4 && !strncmp(host.begin, "127.", 4)) ||
	       (host.size == 9 && !strncmp(host.begin, "localhost", 9)) ||
	       (host.size == 5 && !strncmp(host.begin, "[::1]", 5));
}

/* HOST[:PORT]. NULL: fine. */
static const char *take_host(struct piece place, bool tls, struct cn_url *out)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_",
			  v6[] = "0123456789abcdefABCDEF:.";
	struct piece host = place, port = {PORT, strlen(PORT)};
	const char *close = place.size && *place.begin == '[' ? memchr(place.begin, ']', place.size) : NULL;
	const char *from = close ? close : place.begin;
	const char *colon = memchr(from, ':', place.size - (size_t)(from - place.begin));
	if (colon) {
		host.size = (size_t)(colon - place.begin);
		port = (struct piece){colon + 1, place.size - host.size - 1};
	}
	if (close ? close == place.begin + 1 || close + 1 != host.begin + host.size : !host.size)
		return "has no host";
	for (size_t i = close ? 1 : 0; i < host.size - (close ? 1 : 0); i++)
		if (!host.begin[i] || !strchr(close ? v6 : letters, host.begin[i]))
			return "has an invalid character in its host";
	if (host.size > 253)
		return "has a host that is too long";
	for (size_t i = 0; i < port.size; i++)
		if (port.begin[i] < '0' || port.begin[i] > '9')
			return "has a port that is not a number";
	if (!port.size || port.size > 5 || strtoul(port.begin, NULL, 10) - 1 >= 65535)
		return "has a port that is not between 1 and 65535";
	out->remote |= !is_near(host);
	snprintf(out->servers[out->server_count++], CN_SERVER_TEXT, "%s://%.*s:%.*s", tls ? "tls" : "nats",
		 (int)host.size, host.begin, (int)port.size, port.begin);
	return NULL;
}

/* One server, up to the comma or the end. NULL: fine. */
static const char *take_server(const char **text, struct cn_url *out)
{
	char prefix[CN_PREFIX_MAX + 1];
	struct piece whole = cut_piece(text, ",");
	bool tls = whole.size >= 6 && !strncmp(whole.begin, "tls://", 6);
	if (!tls && (whole.size < 7 || strncmp(whole.begin, "nats://", 7) != 0))
		return "does not begin with nats:// or tls://";
	out->tls |= tls;
	struct piece rest = {whole.begin + (tls ? 6 : 7), whole.size - (tls ? 6 : 7)};
	const char *slash = memchr(rest.begin, '/', rest.size);
	struct piece place = {rest.begin, slash ? (size_t)(slash - rest.begin) : rest.size};
	if (slash && slash + 1 < rest.begin + rest.size) {
		struct piece name = {slash + 1, rest.size - place.size - 1};
		if (!good_prefix(name))
			return "has a prefix that is not up to 64 letters, digits, - and _, in parts separated by dots";
		snprintf(prefix, sizeof prefix, "%.*s", (int)name.size, name.begin);
		if (!set_or_agree(out->prefix, sizeof out->prefix, prefix))
			return "has another prefix than the one before";
	}
	const char *at = memchr(place.begin, '@', place.size), *why = NULL;
	if (at) {
		why = take_secret((struct piece){place.begin, (size_t)(at - place.begin)}, out);
		place = (struct piece){at + 1, place.size - (size_t)(at + 1 - place.begin)};
	}
	return why ? why : take_host(place, tls, out);
}

int cn_url_parse(const char *text, struct cn_url *out, struct pd_fail *fail)
{
	struct cn_url url = {0};
	for (;;) {
		if (url.server_count == CN_SERVERS_MAX)
			return refuse_server(url.server_count, fail, "is one too many: at most eight");
		const char *why = take_server(&text, &url);
		if (why)
			return refuse_server(url.server_count, fail, why);
		if (!*text)
			break;
		text++;
	}
	size_t used = 0;
	for (unsigned i = 0; i < url.server_count && used < sizeof url.where; i++)
		used += (size_t)snprintf(url.where + used, sizeof url.where - used, "%s%s", i ? "," : "",
					 url.servers[i]);
	if (!*url.prefix)
		memcpy(url.prefix, PREFIX, sizeof PREFIX);
	else if (used < sizeof url.where)
		snprintf(url.where + used, sizeof url.where - used, "/%s", url.prefix);
	PD_ASSERT(url.server_count && *url.prefix);
	*out = url;
	return PD_OK;
}
