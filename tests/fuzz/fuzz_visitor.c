/* Whose request it is: the visitor is the peer, unless that is a trusted proxy; then it is an address that one of the
 * trusted proxies wrote. What a visitor writes to the left of that changes nothing. */
#include <string.h>

#include "server/net/visitor.h"
#include "tests/fuzz/fuzz.h"

static struct nt_public public;

static bool is_proxy(const struct in6_addr *address)
{
	for (unsigned i = 0; i < public.proxy_count; i++)
		if (!memcmp(&public.proxies[i], address, sizeof *address))
			return true;
	return false;
}

static struct in6_addr address_of(const char *text)
{
	struct in6_addr out;
	FUZZ_CHECK(nt_address_read(text, strlen(text), &out));
	return out;
}

/* Whether one of the entries is that address. */
static bool is_written(const char *text, size_t size, const struct in6_addr *address)
{
	struct nt_piece rest = {text, size};
	struct in6_addr found;
	while (rest.size) {
		struct nt_piece entry = nt_piece_cut(&rest, ',');
		while (entry.size && strchr(" \t", *entry.at) && *entry.at) {
			entry.at++;
			entry.size--;
		}
		while (entry.size && strchr(" \t", entry.at[entry.size - 1]) && entry.at[entry.size - 1])
			entry.size--;
		if (nt_address_read(entry.at, entry.size, &found) && !memcmp(&found, address, sizeof found))
			return true;
	}
	return false;
}

FUZZ(visitor)
{
	static const char forged[] = "6.6.6.6 ,";
	const struct in6_addr proxy = address_of("10.0.0.1"), stranger = address_of("192.0.2.7");
	struct in6_addr forged_address = address_of("6.6.6.6");
	public.proxies[0] = proxy;
	public.proxies[1] = address_of("::2");
	public.proxy_count = 2;
	char *text = malloc(size + sizeof forged); /* its end is the sanitizer's */
	FUZZ_CHECK(text);
	memcpy(text, forged, sizeof forged - 1);
	memcpy(text + sizeof forged - 1, data, size);
	const struct nt_piece field = {text + sizeof forged - 1, size}, longer = {text, size + sizeof forged - 1};
	struct in6_addr visitor = nt_visitor(&public, &stranger, field);
	FUZZ_CHECK(!memcmp(&visitor, &stranger, sizeof visitor));
	visitor = nt_visitor(&public, &proxy, field);
	FUZZ_CHECK(!memcmp(&visitor, &proxy, sizeof visitor) || is_written(field.at, size, &visitor));
	struct in6_addr other = nt_visitor(&public, &proxy, longer);
	FUZZ_CHECK(!memcmp(&other, &visitor, sizeof other) ||
		   (is_proxy(&visitor) && !memcmp(&other, &forged_address, sizeof other)));
	FUZZ_CHECK(nt_address_hash(&visitor) == nt_address_hash(&visitor));
	free(text);
	return 0;
}
