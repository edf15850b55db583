/* Visitor: whose request it is on a public server (site.h), and how many requests it may make.
 *
 * A visitor is an IPv4 address, or the first 64 bits of an IPv6 address, as in places.h. It is the address of the
 * other end of the connection; if that is a trusted proxy (--trusted-proxy), the last address in the field
 * X-Forwarded-For that is not a trusted proxy's. Each proxy appends whom it was asked by, so what is left of that
 * address may be forged and is not read. Of several such fields the last one counts. Where an entry is not an
 * address, the proxy that wrote it is taken for the visitor.
 *
 * Rates are kept in NT_VISITORS buckets of a hash of the address. Two visitors with the same bucket share its rate;
 * each process has its own hash, so that nobody can choose whom to share with. */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "server/net/http_head.h"
#include "server/net/server_config.h"

enum { NT_VISITORS = 1 << 16 };

/* Reads an IPv4 or IPv6 address as text; IPv4 becomes ::ffff:a.b.c.d. False when it is neither. */
bool nt_address_read(const char *text, size_t size, struct in6_addr *out);
/* Whether it is a trusted proxy's. */
bool nt_is_proxy(const struct nt_public *public, const struct in6_addr *address);
/* Who asks. `peer`: the other end of the connection; `forwarded`: the field, `at` NULL without one. */
struct in6_addr nt_visitor(const struct nt_public *public, const struct in6_addr *peer, struct nt_piece forwarded);
/* The address of the other end; false when it is gone. */
bool nt_address_of(const uv_tcp_t *tcp, struct in6_addr *out);
/* A hash of the address, or of the first 64 bits of an IPv6 address, because a single host may own all that begin with
 * the same. */
uint64_t nt_address_hash(const struct in6_addr *address);
