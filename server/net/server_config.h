/* Server configuration: addresses and limits of clients. */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	NT_HTTP_NAMES_MAX = 16,
	NT_ORIGINS_MAX = 16,
	NT_PROXIES_MAX = 16,
	NT_TICK_MS = 100 /* core.h asks for about ten ticks a second */
};

/* A public site (site.h). */
struct nt_public {
	bool on;
	const char *origins[NT_ORIGINS_MAX]; /* whose pages may read answers; "*": all */
	unsigned origin_count;
	struct in6_addr proxies
		[NT_PROXIES_MAX]; /* whose word on the client's address is believed (visitor.h); IPv4 is mapped */
	unsigned proxy_count;
};

struct nt_config {
	const char *listen;     /* HOST:PORT; NULL: no TCP */
	const char *socket;     /* path of a Unix socket; NULL: none */
	const char *monitor;    /* HOST:PORT or path of the socket for /metrics and the like; NULL: none */
	const char *http;       /* HOST:PORT of the page, of WebSockets and of /query; NULL: none */
	const char *log_file;   /* opened again by SIGHUP; NULL: none */
	const char *on_finish;  /* path of a program, or a URL (daemon/reports.h); NULL: none */
	const char *token_file; /* to be read again on SIGHUP; NULL: clients need no token */
	const char *tls_cert;   /* PEM files for all TCP ports, read again on SIGHUP; NULL: no TLS */
	const char *tls_key;
	const char *http_names[NT_HTTP_NAMES_MAX]; /* by which browsers may ask, besides addresses and localhost */
	unsigned http_name_count;
	struct nt_public public;
	bool plain_tcp;           /* an address that is not loopback may be without TLS */
	unsigned connections_max; /* clients served at one time; 0: the default (descriptors.h) */
	double stall_s;           /* seconds for which a client may leave replies unread */
	double idle_s;            /* seconds after which an idle client may be disconnected for another */
	uint64_t buffers_max;     /* bytes of unread replies and unfinished requests of all clients */
};

/* 127.0.0.1:4590, no Unix socket, the default number of connections, 60 seconds for stall_s and idle_s, 256 MiB. */
void nt_config_init(struct nt_config *config);
