#include "server/cluster/nats/nats_port.h"

#include <inttypes.h>
#include <nats/nats.h>
#include <openssl/crypto.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/mutex.h"
#include "proto/base/random.h"
#include "server/cluster/nats/nats_key.h"
#include "server/cluster/nats/nats_loop.h"
#include "server/cluster/nats/nats_url.h"

#define MS UINT64_C(1000000)

enum {
	CONNECT_MS = 2000, /* time limit for a server to answer */
	WRITE_MS = 2000,   /* time limit for a server to accept a TLS record */
	PING_MS = 2000,    /* between two pings */
	ANSWER_MS = 4000,  /* time limit for the answer to a ping */
	PENDING_MAX = 1 << 16,
	PENDING_BYTES = 1 << 26, /* limits of received messages that wait; more are dropped */
	WAIT_MS_MIN = 100,
	WAIT_MS_MAX = 2000,
	CLOSE_MS = 5000,  /* closing a port waits that long for its thread, which may look up a name */
	QUIET_MS = 10000, /* between two log lines about errors of a connection */
	SUBJECT_MAX = CN_PREFIX_MAX + 24,
	SPENT_MAX = 256,      /* handled messages that are freed together, */
	SPENT_BYTES = 1 << 20 /* or that many bytes */
};

/* The configuration of an opener and its ports: a copy of a cp_config. Freed by its last user. */
struct cn_setup {
	struct cn_url url;
	char *tls_ca, *tls_cert, *tls_key, *creds, *program; /* owned; NULL: none */
	void (*log)(enum pd_log_level level, const char *sentence);
	_Atomic unsigned users;
};

enum port_state {
	CLOSING = 1, /* the owner closes the port */
	LOST = 2,    /* libnats has closed the connection */
	ENDED = 4    /* the thread has ended */
};

/* A port is freed by its last user: its owner, its thread, or a connection. */
struct nats_port {
	struct cp_port port;
	struct cn_setup *setup;
	uint64_t worker;
	struct cp_events events;
	_Atomic unsigned users;

	struct pd_mutex telling; /* held during an event; guards `quiet` */
	bool quiet;              /* closed: no more events */

	struct cn_loop loop;

	/* Handled messages; owned by the waiting thread. libnats would wake a thread to free each of them. */
	natsMsg *spent[SPENT_MAX];
	unsigned spent_count;
	size_t spent_bytes;

	pthread_t thread;
	struct pd_mutex lock; /* guards the members below */
	pthread_cond_t changed;
	unsigned state;     /* enum port_state */
	bool was_connected; /* as last reported to the owner */
	char said[400];     /* the last report, which is not repeated with each try */
	uint64_t error_ns;  /* when an error of a connection was last logged */
	unsigned errors;    /* errors since then that were not logged */
};

/* --- setup -------------------------------------------------------------------------------- */

static void setup_put(struct cn_setup *setup)
{
	if (atomic_fetch_sub(&setup->users, 1) != 1)
		return;
	free(setup->tls_ca);
	free(setup->tls_cert);
	free(setup->tls_key);
	free(setup->creds);
	free(setup->program);
	explicit_bzero(setup, sizeof *setup);
	free(setup);
}

static void free_spent(struct nats_port *port)
{
	while (port->spent_count > 0)
		natsMsg_Destroy(port->spent[--port->spent_count]);
	port->spent_bytes = 0;
}

static void port_put(struct nats_port *port)
{
	if (atomic_fetch_sub(&port->users, 1) != 1)
		return;
	free_spent(port);
	cn_loop_fini(&port->loop);
	setup_put(port->setup);
	pd_mutex_fini(&port->telling);
	pd_mutex_fini(&port->lock);
	pthread_cond_destroy(&port->changed);
	free(port);
}

static void set_state(struct nats_port *port, enum port_state state)
{
	pd_mutex_lock(&port->lock);
	port->state |= state;
	pthread_cond_broadcast(&port->changed);
	pd_mutex_unlock(&port->lock);
}

/* Waits until that time of pd_now_ns for one of the states; whether it came. */
static bool await_state(struct nats_port *port, unsigned states, uint64_t until_ns)
{
	pd_mutex_lock(&port->lock);
	while (!(port->state & states) && until_ns && pd_mutex_wait_until(&port->lock, &port->changed, until_ns))
		;
	bool came = port->state & states;
	pd_mutex_unlock(&port->lock);
	return came;
}

/* --- events ------------------------------------------------------------------------------- */

/* Reports the state of the connection to the owner, unless the last report was the same. */
static void report_connection(struct nats_port *port, bool connected, const char *what)
{
	pd_mutex_lock(&port->lock);
	bool again = connected == port->was_connected && !strcmp(port->said, what);
	port->was_connected = connected;
	snprintf(port->said, sizeof port->said, "%s", what);
	pd_mutex_unlock(&port->lock);
	if (again)
		return;
	pd_mutex_lock(&port->telling);
	if (!port->quiet)
		port->events.connected(port->events.ctx, connected, what);
	pd_mutex_unlock(&port->telling);
}

/* Hands messages to the owner, and keeps them until many can be freed together. */
static void deliver_messages(struct nats_port *port, natsMsg **messages, unsigned count)
{
	pd_mutex_lock(&port->telling);
	for (unsigned i = 0; i < count && !port->quiet; i++)
		port->events.message(port->events.ctx, (const uint8_t *)natsMsg_GetData(messages[i]),
				     (size_t)natsMsg_GetDataLength(messages[i]));
	pd_mutex_unlock(&port->telling);
	for (unsigned i = 0; i < count; i++) {
		if (port->spent_count == SPENT_MAX || port->spent_bytes >= SPENT_BYTES)
			free_spent(port);
		port->spent[port->spent_count++] = messages[i];
		port->spent_bytes += (size_t)natsMsg_GetDataLength(messages[i]);
	}
}

/* Copies an error text of libnats without its file and line, as in "(conn.c:1905): Authorization Violation"; without a
 * text, that of `status`. */
static void describe_error(const char *text, natsStatus status, char out[240])
{
	const char *skip = text && *text == '(' ? strstr(text, "): ") : NULL;
	snprintf(out, 240, "%s", skip ? skip + 3 : text && *text ? text : natsStatus_GetText(status));
}

/* The last call of a connection. */
static void on_closed(natsConnection *connection, void *ctx)
{
	struct nats_port *port = ctx;
	(void)connection;
	set_state(port, LOST);
	port_put(port);
}

/* An error of an open connection: the server does not permit something, or messages are dropped. */
static void on_error(natsConnection *connection, natsSubscription *from, natsStatus status, void *ctx)
{
	struct nats_port *port = ctx;
	const char *last = NULL;
	char words[240], sentence[600], more[60] = "";
	int64_t dropped = 0;
	uint64_t now = pd_now_ns();
	pd_mutex_lock(&port->lock);
	bool say = !(port->state & CLOSING) && (!port->error_ns || now - port->error_ns > QUIET_MS * MS);
	unsigned unsaid = port->errors;
	port->errors = say ? 0 : port->errors + 1;
	if (say)
		port->error_ns = now;
	pd_mutex_unlock(&port->lock);
	if (!say)
		return;
	if (unsaid)
		snprintf(more, sizeof more, " (and %u errors before that)", unsaid);
	natsConnection_GetLastError(connection, &last);
	describe_error(last, status, words);
	if (status == NATS_SLOW_CONSUMER) {
		natsSubscription_GetDropped(from, &dropped);
		snprintf(sentence, sizeof sentence,
			 "messages from %s come faster than they are handled; %" PRId64 " were dropped so far%s",
			 port->setup->url.where, dropped, more);
	} else if (status == NATS_NOT_PERMITTED) {
		snprintf(sentence, sizeof sentence,
			 "%s does not permit what this program needs: %s%s; change its configuration",
			 port->setup->url.where, words, more);
	} else {
		snprintf(sentence, sizeof sentence, "trouble with %s: %s%s", port->setup->url.where, words, more);
	}
	port->setup->log(PD_LOG_WARN, sentence);
}

/* --- connecting --------------------------------------------------------------------------- */

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
		describe_error(nats_GetLastError(NULL), s, words);
		snprintf(why, 400, "%.120s is not a PEM file of certificates: %.200s", setup->tls_ca, words);
	} else if (setup->tls_cert &&
		   (s = natsOptions_LoadCertificatesChain(options, setup->tls_cert, setup->tls_key)) != NATS_OK) {
		describe_error(nats_GetLastError(NULL), s, words);
		snprintf(why, 400, "%.80s and %.80s are not a certificate and its key: %.150s", setup->tls_cert,
			 setup->tls_key, words);
	}
	return s;
}

static natsStatus set_behaviour(natsOptions *options, struct nats_port *port, const char *program)
{
	natsStatus s = natsOptions_SetName(options, program);
	if (s == NATS_OK)
		s = natsOptions_SetAllowReconnect(options, false); /* nats_port.h says why */
	if (s == NATS_OK)
		s = natsOptions_SetTimeout(options, CONNECT_MS);
	if (s == NATS_OK)
		s = natsOptions_SetWriteDeadline(options, WRITE_MS);
	if (s == NATS_OK)
		s = natsOptions_SetPingInterval(options, 0); /* its timer would close a socket in use */
	if (s == NATS_OK)
		s = natsOptions_SetSendAsap(options, true);
	if (s == NATS_OK)
		s = cn_loop_hook(&port->loop, options);
	if (s == NATS_OK)
		s = natsOptions_SetClosedCB(options, on_closed, port);
	if (s == NATS_OK)
		s = natsOptions_SetErrorHandler(options, on_error, port);
	return s;
}

static void describe_failure(const struct cn_setup *setup, natsStatus s, char why[400])
{
	const char *where = setup->url.where;
	char words[240];
	describe_error(nats_GetLastError(NULL), s, words);
	switch (s) {
	case NATS_NO_SERVER:
		snprintf(why, 400, "no NATS server answers at %s", where);
		break;
	case NATS_TIMEOUT:
		snprintf(why, 400, "%s did not answer within %d s", where, CONNECT_MS / 1000);
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

/* Connects and waits until connected. The caller destroys *out. False: `why` has the reason, without passwords. */
static bool open_connection(struct nats_port *port, natsConnection **out, char why[400])
{
	const struct cn_setup *setup = port->setup;
	natsOptions *options = NULL;
	natsStatus s = natsOptions_Create(&options);
	*why = 0;
	if (s == NATS_OK)
		s = set_servers(options, &setup->url);
	if (s == NATS_OK)
		s = set_keys(options, setup, why);
	if (s == NATS_OK)
		s = set_behaviour(options, port, setup->program ? setup->program : "proofd");
	if (s == NATS_OK)
		s = natsConnection_Connect(out, options);
	natsOptions_Destroy(options);
	if (s != NATS_OK && !*why)
		describe_failure(setup, s, why);
	return s == NATS_OK;
}

/* --- the thread that keeps the connection ------------------------------------------------- */

static natsStatus subscribe_to(struct nats_port *port, natsConnection *connection, const char *subject,
			       natsSubscription **out)
{
	natsStatus s = natsConnection_SubscribeSync(out, connection, subject);
	if (s == NATS_OK)
		s = natsSubscription_SetPendingLimits(*out, PENDING_MAX, PENDING_BYTES);
	if (s == NATS_OK)
		cn_loop_subscription(&port->loop, *out);
	return s;
}

static natsStatus subscribe_all(struct nats_port *port, natsConnection *connection, natsSubscription *out[])
{
	const char *prefix = port->setup->url.prefix;
	char subject[SUBJECT_MAX];
	if (port->worker == CP_COORDINATOR) {
		snprintf(subject, sizeof subject, "%s.c", prefix);
		return subscribe_to(port, connection, subject, &out[0]);
	}
	snprintf(subject, sizeof subject, "%s.w.%016" PRIx64, prefix, port->worker);
	natsStatus s = subscribe_to(port, connection, subject, &out[0]);
	if (s != NATS_OK)
		return s;
	snprintf(subject, sizeof subject, "%s.all", prefix);
	return subscribe_to(port, connection, subject, &out[1]);
}

/* Why a connection ended, as the end of a sentence. */
static void describe_end(natsConnection *connection, natsStatus s, bool answers, char out[240])
{
	const char *last = NULL;
	char words[240];
	natsStatus why = natsConnection_GetLastError(connection, &last);
	*out = 0;
	if (!answers && (s == NATS_OK || s == NATS_TIMEOUT)) {
		snprintf(out, 240, ": it does not answer");
	} else if (why != NATS_CONNECTION_CLOSED) {
		describe_error(last, why ? why : s, words);
		snprintf(out, 240, ": %.230s", words);
	}
}

/* Uses a new connection until it is lost or the port is closed. */
static void be_connected(struct nats_port *port, natsConnection *connection)
{
	natsSubscription *subscriptions[CN_LOOP_SUBSCRIPTIONS] = {NULL};
	char sentence[400], end[240];
	bool answers = true;
	cn_loop_begin(&port->loop, connection);
	natsStatus s = subscribe_all(port, connection, subscriptions);
	if (s == NATS_OK && !await_state(port, CLOSING, 0))
		answers = cn_loop_ask(&port->loop, connection, CONNECT_MS); /* the subscriptions are active now */
	if (s == NATS_OK && answers && !await_state(port, CLOSING, 0)) {
		cn_loop_open(&port->loop, true);
		snprintf(sentence, sizeof sentence, "connected to %s", port->setup->url.where);
		report_connection(port, true, sentence);
		while (answers && !await_state(port, CLOSING | LOST, pd_now_ns() + PING_MS * MS))
			answers = cn_loop_ask(&port->loop, connection, ANSWER_MS);
	}
	describe_end(connection, s, answers || await_state(port, CLOSING | LOST, 0), end);
	snprintf(sentence, sizeof sentence, "the connection to %s is lost%s", port->setup->url.where, end);
	cn_loop_end(&port->loop);
	natsConnection_Destroy(connection); /* first, so that the subscriptions cause no errors */
	for (unsigned i = 0; i < CN_LOOP_SUBSCRIPTIONS; i++)
		natsSubscription_Destroy(subscriptions[i]);
	await_state(port, LOST, pd_now_ns() + CLOSE_MS * MS); /* on_closed must not speak of a later connection */
	report_connection(port, false, sentence);
}

static void *keep_connection(void *ctx)
{
	struct nats_port *port = ctx;
	uint64_t ms = WAIT_MS_MIN;
	while (!await_state(port, CLOSING, 0)) {
		char why[400];
		natsConnection *connection = NULL;
		pd_mutex_lock(&port->lock);
		port->state &= ~(unsigned)LOST;
		pd_mutex_unlock(&port->lock);
		atomic_fetch_add(&port->users, 1); /* the connection's, until on_closed */
		if (open_connection(port, &connection, why)) {
			be_connected(port, connection);
			ms = WAIT_MS_MIN;
		} else {
			port_put(port);
			report_connection(port, false, why);
		}
		await_state(port, CLOSING,
			    pd_now_ns() + (ms / 2 + pd_random64() % ms) * MS); /* half to one and a half */
		ms = ms * 2 < WAIT_MS_MAX * 2 / 3 ? ms * 2 : WAIT_MS_MAX * 2 / 3;
	}
	set_state(port, ENDED);
	port_put(port);
	nats_ReleaseThreadMemory();
	return NULL;
}

/* --- the port ----------------------------------------------------------------------------- */

static int port_send(struct cp_port *base, uint64_t to, const uint8_t *data, size_t size, struct pd_fail *fail)
{
	struct nats_port *port = (struct nats_port *)base;
	const char *prefix = port->setup->url.prefix;
	char subject[SUBJECT_MAX], words[240];
	if (to == CP_ALL)
		snprintf(subject, sizeof subject, "%s.all", prefix);
	else if (to == CP_COORDINATOR)
		snprintf(subject, sizeof subject, "%s.c", prefix);
	else
		snprintf(subject, sizeof subject, "%s.w.%016" PRIx64, prefix, to);
	bool there;
	natsStatus s = cn_loop_send(&port->loop, subject, data, size, &there);
	if (!there)
		return pd_fail_set(fail, PD_E_IO, "workers", "not connected to %s", port->setup->url.where);
	if (s == NATS_OK)
		return PD_OK;
	describe_error(nats_GetLastError(NULL), s, words);
	return pd_fail_set(fail, s == NATS_MAX_PAYLOAD ? PD_E_LIMIT : PD_E_IO, "workers",
			   "a message of %zu bytes cannot be sent to %.128s: %.150s", size, port->setup->url.where,
			   words);
}

static void port_wait(struct cp_port *base, uint64_t until_ns)
{
	struct nats_port *port = (struct nats_port *)base;
	natsMsg *messages[CN_LOOP_BATCH];
	unsigned count = cn_loop_wait(&port->loop, until_ns, messages);
	PD_ASSERT(count <= CN_LOOP_BATCH);
	if (count)
		deliver_messages(port, messages, count);
	cn_loop_waited(&port->loop);
}

static void port_wake(struct cp_port *base)
{
	cn_loop_wake(&((struct nats_port *)base)->loop);
}

static void port_close(struct cp_port *base)
{
	struct nats_port *port = (struct nats_port *)base;
	uint64_t until_ns = pd_now_ns() + CLOSE_MS * MS;
	PD_ASSERT(base->type->close == port_close);
	pd_mutex_lock(&port->telling);
	port->quiet = true;
	pd_mutex_unlock(&port->telling);
	cn_loop_flush(&port->loop);
	set_state(port, CLOSING);
	cn_loop_hang_up(&port->loop); /* the thread may wait for an answer that is never read */
	/* Do not wait for a name server that does not answer: the thread ends later by itself. */
	if (await_state(port, ENDED, until_ns))
		pthread_join(port->thread, NULL);
	else
		pthread_detach(port->thread);
	port_put(port);
}

static const struct cp_port_type port_type = {port_send, port_wait, port_wake, port_close};

static int port_open(void *ctx, uint64_t worker, const struct cp_events *events, struct cp_port **out,
		     struct pd_fail *fail)
{
	struct cn_setup *setup = ctx;
	struct nats_port *port = calloc(1, sizeof *port);
	PD_ASSERT(worker != CP_ALL && events->message && events->connected);
	if (!port)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "workers", "no memory for the connection to the workers");
	*port = (struct nats_port){.port = {&port_type}, .setup = setup, .worker = worker, .events = *events};
	if (!cn_loop_init(&port->loop)) {
		free(port);
		return pd_fail_set(fail, PD_E_IO, "workers", "no file descriptor for the connection to the workers");
	}
	atomic_fetch_add(&setup->users, 1);
	atomic_store(&port->users, 2); /* the owner and the thread */
	pd_mutex_init(&port->telling, PD_LOCK_NATS_EVENT);
	pd_mutex_init(&port->lock, PD_LOCK_NATS_PORT);
	pd_cond_init(&port->changed);
	if (pthread_create(&port->thread, NULL, keep_connection, port)) {
		port_put(port);
		port_put(port);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "workers", "no thread for the connection to the workers");
	}
	*out = &port->port;
	return PD_OK;
}

/* --- openers ------------------------------------------------------------------------------ */

static bool copy_text(const char *text, char **out)
{
	*out = text ? strdup(text) : NULL;
	return !text == !*out;
}

static int make_opener(const struct cp_config *config, struct cp_opener *out, struct pd_fail *fail)
{
	struct cn_creds creds;
	struct cn_setup *setup = calloc(1, sizeof *setup);
	if (!setup)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "workers", "no memory for the options of the workers");
	/* Threads of libnats may use OpenSSL until the process ends, so OpenSSL must not free its memory at exit. No
	 * effect if OpenSSL was used before. (nats_CloseAndWait does not help: it frees memory of OpenSSL itself.) */
	OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
	setup->log = config->log;
	atomic_store(&setup->users, 1);
	int rc = cn_url_parse(config->url, &setup->url, fail);
	bool copied = copy_text(config->tls_ca, &setup->tls_ca) && copy_text(config->tls_cert, &setup->tls_cert) &&
		      copy_text(config->tls_key, &setup->tls_key) && copy_text(config->creds, &setup->creds) &&
		      copy_text(config->program, &setup->program);
	if (!rc && !copied)
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "workers", "no memory for the options of the workers");
	if (!rc && !config->tls_cert != !config->tls_key)
		rc = pd_fail_set(fail, PD_E_USAGE, config->tls_cert ? "workers-tls-key" : "workers-tls-cert",
				 "certificate and key for the NATS server belong together: give both or none");
	if (!rc && config->creds)
		rc = cn_creds_read(config->creds, &creds, fail);
	if (!rc && config->creds && (*setup->url.user || *setup->url.token))
		rc = pd_fail_set(fail, PD_E_USAGE, "workers-creds",
				 "a file of credentials and a user or token in the URL exclude each other");
	if (rc) {
		setup_put(setup);
		return rc;
	}
	if (setup->url.remote && !setup->url.tls && !config->tls_ca && !config->tls_cert)
		config->log(PD_LOG_WARN,
			    "the workers' NATS server is used without TLS: anyone on the network can read tasks and "
			    "passwords; tls:// in its URL encrypts");
	*out = (struct cp_opener){setup, port_open};
	return PD_OK;
}

static void end_opener(struct cp_opener *opener)
{
	if (opener->ctx)
		setup_put(opener->ctx);
	*opener = (struct cp_opener){0};
}

static const char *opener_where(const struct cp_opener *opener)
{
	const struct cn_setup *setup = opener->ctx;
	PD_ASSERT(setup && *setup->url.where);
	return setup->url.where;
}

__attribute__((visibility("default"))) const struct cp_transport proofd_transport = {
	CP_TRANSPORT_HEAD,
	.opener = make_opener,
	.end = end_opener,
	.where = opener_where,
};
