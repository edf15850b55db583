#include "server/cluster/nats/nats_connect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "server/cluster/nats/nats_key.h"

/* libnats says "(conn.c:1905): Authorization Violation". */
void cn_words(const char *text, natsStatus status, char out[240])
{
	const char *skip = text && *text == '(' ? strstr(text, "): ") : NULL;
	snprintf(out, 240, "%s", skip ? skip + 3 : text && *text ? text : natsStatus_GetText(status));
}

static natsStatus set_servers(natsOptions *options, const struct cn_url *url)
{
	const char *servers[CN_SERVERS_MAX];
	PD_ASSERT(url->server_count && url->server_count <= CN_SERVERS_MAX);
	for (unsigned i = 0; i < url->server_count; i++)
		servers[i] = url->servers[i];
	natsStatus s = natsOptions_SetServers(options, servers, (int)url->server_count);
	if (s == NATS_OK && *url->token)
		s = natsOptions_SetToken(options, url->token);
	if (s == NATS_OK && *url->user)
		s = natsOptions_SetUserInfo(options, url->user, url->password);
	return s;
}

/* Reads keys and certificates. `why` is filled if a file is at fault. */
static natsStatus set_keys(natsOptions *options, const struct cn_setup *setup, char why[400])
{
	struct cn_creds creds;
	struct pd_fail fail;
	char words[240];
	natsStatus s = NATS_OK;
	if (setup->creds && cn_creds_read(setup->creds, &creds, &fail)) {
		snprintf(why, 400, "%s", fail.text);
		return NATS_INVALID_ARG;
	}
	if (setup->creds)
		s = creds.jwt ? natsOptions_SetUserCredentialsFromFiles(options, setup->creds, NULL)
			      : natsOptions_SetNKeyFromSeed(options, creds.public_key, setup->creds);
	if (s == NATS_OK && (setup->url.tls || setup->tls_ca || setup->tls_cert))
		s = natsOptions_SetSecure(options, true);
	if (s != NATS_OK)
		return s;
	if (setup->tls_ca && (s = natsOptions_LoadCATrustedCertificates(options, setup->tls_ca)) != NATS_OK) {
		cn_words(nats_GetLastError(NULL), s, words);
		snprintf(why, 400, "%.120s is not a PEM file of certificates: %.200s", setup->tls_ca, words);
	} else if (setup->tls_cert &&
		   (s = natsOptions_LoadCertificatesChain(options, setup->tls_cert, setup->tls_key)) != NATS_OK) {
		cn_words(nats_GetLastError(NULL), s, words);
		snprintf(why, 400, "%.80s and %.80s are not a certificate and its key: %.150s", setup->tls_cert,
			 setup->tls_key, words);
	}
	return s;
}

static natsStatus set_ways(natsOptions *options, const struct cn_calls *calls, const char *program)
{
	natsStatus s = natsOptions_SetName(options, program);
	if (s == NATS_OK)
		s = natsOptions_SetAllowReconnect(options, false); /* nats_port.h says why */
	if (s == NATS_OK)
		s = natsOptions_SetTimeout(options, CN_CONNECT_MS);
	if (s == NATS_OK)
		s = natsOptions_SetWriteDeadline(options, CN_WRITE_MS);
	if (s == NATS_OK)
		s = natsOptions_SetPingInterval(options, 0); /* its timer would close a socket in use */
	if (s == NATS_OK)
		s = natsOptions_SetSendAsap(options, true);
	if (s == NATS_OK)
		s = cn_loop_hook(calls->loop, options);
	if (s == NATS_OK)
		s = natsOptions_SetClosedCB(options, calls->closed, calls->ctx);
	if (s == NATS_OK)
		s = natsOptions_SetErrorHandler(options, calls->error, calls->ctx);
	return s;
}

static void say_why(const struct cn_setup *setup, natsStatus s, char why[400])
{
	const char *where = setup->url.where;
	char words[240];
	cn_words(nats_GetLastError(NULL), s, words);
	switch (s) {
	case NATS_NO_SERVER:
		snprintf(why, 400, "no NATS server answers at %s", where);
		break;
	case NATS_TIMEOUT:
		snprintf(why, 400, "%s did not answer within %d s", where, CN_CONNECT_MS / 1000);
		break;
	case NATS_CONNECTION_AUTH_FAILED:
		snprintf(why, 400, "%s refuses %s", where,
			 setup->creds        ? "the key or credentials of this program"
			 : *setup->url.user  ? "the user or the password of the URL"
			 : *setup->url.token ? "the token of the URL"
					     : "a client without user, token or key: the URL names a user, or "
					       "--workers-creds a key");
		break;
	case NATS_SECURE_CONNECTION_REQUIRED:
		snprintf(why, 400, "%s demands TLS: write tls:// in place of nats://", where);
		break;
	case NATS_SECURE_CONNECTION_WANTED:
		snprintf(why, 400, "%s has no TLS: write nats:// in place of tls://, or set it up there", where);
		break;
	case NATS_SSL_ERROR:
		snprintf(why, 400, "TLS with %s fails: %s", where, words);
		break;
	default:
		snprintf(why, 400, "not connected to %s: %s", where, words);
	}
}

bool cn_connect(const struct cn_setup *setup, const struct cn_calls *calls, natsConnection **out, char why[400])
{
	natsOptions *options = NULL;
	natsStatus s = natsOptions_Create(&options);
	*why = 0;
	if (s == NATS_OK)
		s = set_servers(options, &setup->url);
	if (s == NATS_OK)
		s = set_keys(options, setup, why);
	if (s == NATS_OK)
		s = set_ways(options, calls, setup->program ? setup->program : "proofd");
	if (s == NATS_OK)
		s = natsConnection_Connect(out, options);
	natsOptions_Destroy(options);
	if (s != NATS_OK && !*why)
		say_why(setup, s, why);
	return s == NATS_OK;
}
