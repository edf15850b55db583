#include "clients/libproofd/tls.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>

#include "clients/libproofd/fault.h"

struct pc_tls {
	SSL_CTX *context;
	SSL *ssl;
	BIO *in, *out; /* input and output of `ssl`, in memory */
	char host[128];
};

static const char *openssl_reason(void)
{
	unsigned long code = ERR_peek_last_error();
	const char *text = code ? ERR_reason_error_string(code) : NULL;
	return text ? text : "the connection was closed";
}

static int set_up(struct pc_tls *tls, const char *host, const char *ca, struct proofd_error *error)
{
	ERR_clear_error();
	int good = ca ? SSL_CTX_load_verify_locations(tls->context, ca, NULL)
		      : SSL_CTX_set_default_verify_paths(tls->context);
	if (good != 1)
		return pc_fault_code(error, PD_E_USAGE, "tls_ca", "no certificates can be read from %.180s: %s",
				     ca ? ca : "the system's list", openssl_reason());
	SSL_CTX_set_verify(tls->context, SSL_VERIFY_PEER, NULL);
	SSL_CTX_set_min_proto_version(tls->context, TLS1_2_VERSION);
	tls->in = BIO_new(BIO_s_mem());
	tls->out = BIO_new(BIO_s_mem());
	tls->ssl = SSL_new(tls->context);
	if (!tls->in || !tls->out || !tls->ssl) {
		BIO_free(tls->in);
		BIO_free(tls->out);
		return pc_fault_memory(error);
	}
	BIO_set_mem_eof_return(tls->in, -1); /* an empty buffer is not the end of the stream */
	SSL_set_bio(tls->ssl, tls->in, tls->out);
	SSL_set_connect_state(tls->ssl);
	if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls->ssl), host) != 1 &&
	    (SSL_set1_host(tls->ssl, host) != 1 || SSL_set_tlsext_host_name(tls->ssl, host) != 1))
		return pc_fault_code(error, PD_E_USAGE, "address", "'%.80s' is not a host name", host);
	return 0;
}

int pc_tls_new(const char *host, const char *ca, struct pc_tls **out, struct proofd_error *error)
{
	struct pc_tls *tls = calloc(1, sizeof *tls);
	if (tls)
		tls->context = SSL_CTX_new(TLS_client_method());
	if (!tls || !tls->context) {
		pc_tls_free(tls);
		return pc_fault_memory(error);
	}
	snprintf(tls->host, sizeof tls->host, "%s", host);
	if (set_up(tls, host, ca, error)) {
		pc_tls_free(tls);
		return -1;
	}
	*out = tls;
	return 0;
}

void pc_tls_free(struct pc_tls *tls)
{
	if (!tls)
		return;
	SSL_free(tls->ssl);
	SSL_CTX_free(tls->context);
	free(tls);
}

int pc_tls_greet(struct pc_tls *tls, struct proofd_error *error)
{
	ERR_clear_error();
	int done = SSL_do_handshake(tls->ssl);
	if (done == 1)
		return 1;
	if (SSL_get_error(tls->ssl, done) == SSL_ERROR_WANT_READ)
		return 0;
	long verdict = SSL_get_verify_result(tls->ssl);
	if (verdict != X509_V_OK)
		return pc_fault_code(
			error, PD_E_UNREACHABLE, "tls_ca",
			"the certificate of %.80s is not accepted (%s); tls_ca names a file of certificates to trust",
			tls->host, X509_verify_cert_error_string(verdict));
	return pc_fault_code(error, PD_E_UNREACHABLE, "tls", "TLS with %.80s fails: %s; the server may not use TLS",
			     tls->host, openssl_reason());
}

bool pc_tls_feed(struct pc_tls *tls, const void *data, size_t size)
{
	size_t put;
	return !size || (BIO_write_ex(tls->in, data, size, &put) && put == size);
}

void pc_tls_drain(struct pc_tls *tls, struct pd_buf *out)
{
	char *data = NULL;
	long size = BIO_get_mem_data(tls->out, &data);
	if (size > 0)
		pd_buf_put(out, data, (size_t)size);
	(void)BIO_reset(tls->out);
}

bool pc_tls_write(struct pc_tls *tls, const void *data, size_t size)
{
	size_t put;
	ERR_clear_error();
	return !size || (SSL_write_ex(tls->ssl, data, size, &put) && put == size);
}

int pc_tls_read(struct pc_tls *tls, void *data, size_t room)
{
	size_t got = 0;
	ERR_clear_error();
	int done = SSL_read_ex(tls->ssl, data, room < INT_MAX ? room : INT_MAX, &got);
	if (done)
		return (int)got;
	int why = SSL_get_error(tls->ssl, done);
	return why == SSL_ERROR_WANT_READ ? 0 : why == SSL_ERROR_ZERO_RETURN ? -1 : -2;
}

void pc_tls_end(struct pc_tls *tls)
{
	ERR_clear_error();
	if (SSL_is_init_finished(tls->ssl))
		SSL_shutdown(tls->ssl);
}
