/* TLS: see tls.h. What is sent goes through a buffer in memory, because OpenSSL's own writes could raise SIGPIPE. */
#include "clients/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"

enum { SLICE = 16 << 10 /* bytes of one record */ };

struct cl_tls {
	SSL_CTX *context;
	SSL *ssl;
	BIO *out; /* what is to be sent; the SSL's */
	int fd;
	double patience_s;
};

static const char *reason(void)
{
	unsigned long code = ERR_peek_last_error();
	const char *text = code ? ERR_reason_error_string(code) : NULL;
	return text ? text : "the connection was closed";
}

/* False with errno EAGAIN when the socket is not ready in time. */
static bool wait_for(const struct cl_tls *tls, short events)
{
	struct pollfd on = {tls->fd, events, 0};
	uint64_t begin = pd_now_ns();
	for (;;) {
		double left = tls->patience_s - (double)(pd_now_ns() - begin) / 1e9;
		int n = poll(&on, 1, tls->patience_s > 0 ? (left > 0 ? (int)(left * 1e3) + 1 : 0) : -1);
		if (n > 0)
			return true;
		if (!n)
			errno = EAGAIN;
		if (!n || errno != EINTR)
			return false;
	}
}

/* Sends what OpenSSL has written. */
static bool drain(struct cl_tls *tls)
{
	char *data = NULL;
	long size = BIO_get_mem_data(tls->out, &data);
	while (size > 0) {
		ssize_t n = send(tls->fd, data, (size_t)size, MSG_NOSIGNAL);
		if (n < 0 && errno == EAGAIN && wait_for(tls, POLLOUT))
			continue;
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		size -= n;
	}
	(void)BIO_reset(tls->out);
	return true;
}

/* --- opening ------------------------------------------------------------------------------ */

static int trust(struct cl_tls *tls, const char *host, const char *ca, struct pd_fail *fail)
{
	ERR_clear_error();
	int good = ca ? SSL_CTX_load_verify_locations(tls->context, ca, NULL)
		      : SSL_CTX_set_default_verify_paths(tls->context);
	if (good != 1)
		return pd_fail_set(fail, PD_E_USAGE, "tls-ca", "--tls-ca: no certificates can be read from %.180s: %s",
				   ca ? ca : "the system's list", reason());
	SSL_CTX_set_verify(tls->context, SSL_VERIFY_PEER, NULL);
	SSL_CTX_set_min_proto_version(tls->context, TLS1_2_VERSION);
	BIO *in = BIO_new_socket(tls->fd, BIO_NOCLOSE);
	tls->out = BIO_new(BIO_s_mem());
	tls->ssl = SSL_new(tls->context);
	if (!in || !tls->out || !tls->ssl) {
		BIO_free(in);
		BIO_free(tls->out);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "tls", "there is no memory for TLS");
	}
	SSL_set_bio(tls->ssl, in, tls->out);
	SSL_set_connect_state(tls->ssl);
	if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls->ssl), host) != 1 &&
	    (SSL_set1_host(tls->ssl, host) != 1 || SSL_set_tlsext_host_name(tls->ssl, host) != 1))
		return pd_fail_set(fail, PD_E_USAGE, "server", "'%.80s' is no name of a host", host);
	return PD_OK;
}

static int shake_hands(struct cl_tls *tls, const char *host, struct pd_fail *fail)
{
	for (;;) {
		ERR_clear_error();
		int done = SSL_do_handshake(tls->ssl), error = SSL_get_error(tls->ssl, done);
		bool sent = drain(tls);
		if (done == 1 && sent)
			return PD_OK;
		if (done != 1 && error == SSL_ERROR_WANT_READ && sent && wait_for(tls, POLLIN))
			continue;
		long verdict = SSL_get_verify_result(tls->ssl);
		if (verdict != X509_V_OK)
			return pd_fail_set(
				fail, PD_E_UNREACHABLE, "tls-ca",
				"the certificate of %.80s is not accepted (%s); --tls-ca FILE says which one to trust",
				host, X509_verify_cert_error_string(verdict));
		if (done == 1 || error == SSL_ERROR_WANT_READ)
			return pd_fail_set(fail, PD_E_UNREACHABLE, "tls", "%.80s does not answer to TLS: %s", host,
					   errno == EAGAIN ? "nothing comes" : strerror(errno));
		return pd_fail_set(fail, PD_E_UNREACHABLE, "tls",
				   "TLS with %.80s fails: %s; a server without TLS is reached without --tls", host,
				   reason());
	}
}

int cl_tls_open(int fd, const char *host, const char *ca, double patience_s, struct cl_tls **out, struct pd_fail *fail)
{
	struct cl_tls *tls = calloc(1, sizeof *tls);
	if (tls)
		tls->context = SSL_CTX_new(TLS_client_method());
	if (!tls || !tls->context) {
		cl_tls_close(tls);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "tls", "there is no memory for TLS");
	}
	tls->fd = fd;
	tls->patience_s = patience_s;
	int rc = fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK)
			 ? pd_fail_set(fail, PD_E_IO, "tls", "fcntl fails: %s", strerror(errno))
			 : trust(tls, host, ca, fail);
	if (!rc)
		rc = shake_hands(tls, host, fail);
	if (rc)
		cl_tls_close(tls);
	else
		*out = tls;
	return rc;
}

void cl_tls_close(struct cl_tls *tls)
{
	if (!tls)
		return;
	if (tls->ssl && SSL_is_init_finished(tls->ssl)) {
		ERR_clear_error();
		SSL_shutdown(tls->ssl);
		tls->patience_s = 0.1; /* a server that takes nothing need not hear of it */
		drain(tls);
	}
	SSL_free(tls->ssl);
	SSL_CTX_free(tls->context);
	free(tls);
}

/* --- bytes -------------------------------------------------------------------------------- */

ssize_t cl_tls_recv(struct cl_tls *tls, char *data, size_t room)
{
	size_t got = 0;
	ERR_clear_error();
	int done = SSL_read_ex(tls->ssl, data, room, &got), error = SSL_get_error(tls->ssl, done);
	if (!drain(tls))
		return -1;
	if (done)
		return (ssize_t)got;
	if (error == SSL_ERROR_ZERO_RETURN)
		return 0;
	errno = error == SSL_ERROR_WANT_READ ? EAGAIN : EPROTO;
	return -1;
}

ssize_t cl_tls_send(struct cl_tls *tls, const char *data, size_t size)
{
	size_t slice = size < SLICE ? size : SLICE, put = 0;
	ERR_clear_error();
	if (!SSL_write_ex(tls->ssl, data, slice, &put)) {
		errno = EPROTO;
		return -1;
	}
	PD_ASSERT(put == slice);
	return drain(tls) ? (ssize_t)slice : -1;
}
