/* URLs of NATS servers: a refusal has a sentence; what is taken, written again from its parts, is taken as the same;
 * and several servers agree in whatever order they stand. */
#include <stdbool.h>
#include <string.h>

#include "server/cluster/nats/nats_url.h"
#include "tests/fuzz/fuzz.h"

enum { TEXT_MAX = 2000, WRITTEN_MAX = CN_SERVERS_MAX * (CN_SERVER_TEXT + 6 * CN_SECRET_MAX + CN_PREFIX_MAX + 8) };

static char *put_bytes(char *out, const char *bytes)
{
	for (; *bytes; bytes++)
		out += sprintf(out, "%%%02x", (unsigned)(unsigned char)*bytes);
	return out;
}

/* With all that the servers share at each of them. */
static void write_url(const struct cn_url *url, char out[WRITTEN_MAX])
{
	for (unsigned i = 0; i < url->server_count; i++) {
		const char *place = strstr(url->servers[i], "://") + 3;
		out += sprintf(out, "%s%.*s", i ? "," : "", (int)(place - url->servers[i]), url->servers[i]);
		if (*url->user) {
			out = put_bytes(out, url->user);
			*out++ = ':';
			out = put_bytes(out, url->password);
			*out++ = '@';
		} else if (*url->token) {
			out = put_bytes(out, url->token);
			*out++ = '@';
		}
		out += sprintf(out, "%s/%s", place, url->prefix);
	}
}

/* The first server behind the others. */
static void rotate_servers(const char *text, char out[TEXT_MAX + 1])
{
	size_t size = strlen(text);
	const char *comma = strchr(text, ',');
	if (!comma) {
		memcpy(out, text, size + 1);
		return;
	}
	size_t first = (size_t)(comma - text), second = size - first - 1;
	memcpy(out, comma + 1, second);
	out[second] = ',';
	memcpy(out + second + 1, text, first);
	out[size] = 0;
}

static bool are_same(const struct cn_url *a, const struct cn_url *b)
{
	return a->tls == b->tls && a->remote == b->remote && !strcmp(a->user, b->user) &&
	       !strcmp(a->password, b->password) && !strcmp(a->token, b->token) && !strcmp(a->prefix, b->prefix) &&
	       a->server_count == b->server_count;
}

FUZZ(url)
{
	char text[TEXT_MAX + 1], turned[TEXT_MAX + 1];
	static char written[WRITTEN_MAX];
	struct cn_url url, again;
	struct pd_fail fail = {0}, other = {0};
	if (size > TEXT_MAX || memchr(data, 0, size))
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	rotate_servers(text, turned);
	int rc = cn_url_parse(text, &url, &fail);
	FUZZ_CHECK(!cn_url_parse(turned, &again, &other) == !rc);
	if (rc) {
		FUZZ_CHECK(fail.text[0] && !strcmp(fail.field, "workers"));
		return 0;
	}
	FUZZ_CHECK(are_same(&url, &again) && url.server_count && !strchr(url.where, '@'));
	write_url(&url, written);
	FUZZ_CHECK(!cn_url_parse(written, &again, &fail) && are_same(&url, &again));
	for (unsigned i = 0; i < url.server_count; i++)
		FUZZ_CHECK(!strcmp(url.servers[i], again.servers[i]));
	return 0;
}
