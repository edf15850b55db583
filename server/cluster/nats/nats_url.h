/* NATS URL: where the servers are, as people write it.
 *
 *	nats://[user[:password]@|token@]host[:port][/prefix]
 *	tls://...
 *
 * Several servers of one NATS cluster are separated by commas; user, password and prefix stand with any one of them, or
 * with each in the same words. %XX stands for a byte of user, password or token. An IPv6 address is in brackets. The
 * prefix of the subjects is letters, digits, - and _, in parts separated by dots. */
#pragma once

#include <stdbool.h>

#include "proto/base/error.h"

enum { CN_SERVERS_MAX = 8, CN_SERVER_TEXT = 280, CN_SECRET_MAX = 256, CN_PREFIX_MAX = 64, CN_WHERE_TEXT = 128 };

struct cn_url {
	unsigned server_count;
	char servers[CN_SERVERS_MAX][CN_SERVER_TEXT]; /* nats://host:port, without anything else */
	bool tls;                                     /* one of them was tls:// */
	bool remote;                                  /* one of them is on another machine, as far as its name shows */
	char user[CN_SECRET_MAX], password[CN_SECRET_MAX], token[CN_SECRET_MAX]; /* "": there is none */
	char prefix[CN_PREFIX_MAX + 1];
	char where
		[CN_WHERE_TEXT]; /* for people: the servers, and the prefix if it is not the default; may be cut off */
};

/* PD_E_USAGE with field "workers" and a sentence, in which no user, password or token occurs. */
int cn_url_parse(const char *text, struct cn_url *out, struct pd_fail *fail);
