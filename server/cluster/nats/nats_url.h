/* NATS URL: the addresses of the servers.
 *
 *	nats://[user[:password]@|token@]host[:port][/prefix]
 *	tls://...
 *
 * Servers of one NATS cluster are separated by commas; user, password and prefix may be given with one of them, or
 * identically with several. %XX is a byte of user, password or token. An IPv6 address is in brackets. The prefix of the
 * subjects has letters, digits, - and _, in parts separated by dots. */
#pragma once

#include <stdbool.h>

#include "proto/base/error.h"

enum { CN_SERVERS_MAX = 8, CN_SERVER_TEXT = 280, CN_SECRET_MAX = 256, CN_PREFIX_MAX = 64, CN_WHERE_TEXT = 128 };

struct cn_url {
	unsigned server_count;
	char servers[CN_SERVERS_MAX][CN_SERVER_TEXT]; /* nats://host:port or tls://host:port */
	bool tls;                                     /* a server has tls:// */
	bool remote;                                  /* a server is not on this machine, judging by its name */
	char user[CN_SECRET_MAX], password[CN_SECRET_MAX], token[CN_SECRET_MAX]; /* "": none */
	char prefix[CN_PREFIX_MAX + 1];
	char where[CN_WHERE_TEXT]; /* for people: servers, and the prefix if not the default; may be cut */
};

/* PD_E_USAGE with field "workers"; the error quotes no user, password or token. */
int cn_url_parse(const char *text, struct cn_url *out, struct pd_fail *fail);
