#include "server/net/visitor.h"

#include <arpa/inet.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/random.h"

static void map_address(const struct in_addr *four, struct in6_addr *out)
{
	*out = (struct in6_addr){.s6_addr = {[10] = 0xff, [11] = 0xff}};
	memcpy(out->s6_addr + 12, four, sizeof *four);
}

bool nt_address_read(const char *text, size_t size, struct in6_addr *out)
{
	char copy[INET6_ADDRSTRLEN];
	struct in_addr four;
	struct in6_addr six;
	if (!size || size >= sizeof copy || memchr(text, 0, size))
		return false;
	memcpy(copy, text, size);
	copy[size] = 0;
	if (inet_pton(AF_INET, copy, &four) == 1) {
		map_address(&four, out);
		return true;
	}
	if (inet_pton(AF_INET6, copy, &six) != 1)
		return false;
	*out = six;
	return true;
}

bool nt_is_proxy(const struct nt_public *public, const struct in6_addr *address)
{
	PD_ASSERT(public->proxy_count <= NT_PROXIES_MAX);
	for (unsigned i = 0; i < public->proxy_count; i++)
		if (!memcmp(&public->proxies[i], address, sizeof *address))
			return true;
	return false;
}

/* Cuts off the last entry of a list separated by commas, without the blanks around it. */
static struct nt_piece cut_last(struct nt_piece *list)
{
	size_t begin = list->size;
	while (begin && list->at[begin - 1] != ',')
		begin--;
	struct nt_piece entry = {list->at + begin, list->size - begin};
	list->size = begin ? begin - 1 : 0;
	while (entry.size && (*entry.at == ' ' || *entry.at == '\t')) {
		entry.at++;
		entry.size--;
	}
	while (entry.size && (entry.at[entry.size - 1] == ' ' || entry.at[entry.size - 1] == '\t'))
		entry.size--;
	return entry;
}

struct in6_addr nt_visitor(const struct nt_public *public, const struct in6_addr *peer, struct nt_piece forwarded)
{
	struct in6_addr visitor = *peer, next;
	while (forwarded.size && nt_is_proxy(public, &visitor)) {
		struct nt_piece entry = cut_last(&forwarded);
		if (!nt_address_read(entry.at, entry.size, &next))
			break;
		visitor = next;
	}
	return visitor;
}

bool nt_address_of(const uv_tcp_t *tcp, struct in6_addr *out)
{
	struct sockaddr_storage peer = {0};
	int size = sizeof peer;
	if (uv_tcp_getpeername(tcp, (struct sockaddr *)&peer, &size))
		return false;
	*out = ((struct sockaddr_in6 *)&peer)->sin6_addr;
	if (peer.ss_family == AF_INET)
		map_address(&((struct sockaddr_in *)&peer)->sin_addr, out);
	return true;
}

uint64_t nt_address_hash(const struct in6_addr *address)
{
	bool four = IN6_IS_ADDR_V4MAPPED(address);
	return pd_bucket_hash(address->s6_addr + (four ? 12 : 0), four ? 4 : 8);
}
