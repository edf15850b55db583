#include "server/net/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/assert.h"

enum { SLICE = 16 << 10 /* plain bytes of one record, so that what OpenSSL buffers stays small */ };

struct nt_tls_identity {
	SSL_CTX *context;
};

struct nt_tls {
	SSL *ssl;
	BIO *in, *out; /* ciphertext; the SSL's */
	bool broken, bye;
	char why[120];
};

static const char *describe_error(void)
{
	unsigned long code = ERR_peek_last_error();
	const char *text = code ? ERR_reason_error_string(code) : NULL;
	return text ? text : "no reason given";
}

/* Without this function OpenSSL would ask for a passphrase at the terminal. */
static int refuse_passphrase(char *buf, int size, int writing, void *ctx)
{
	(void)buf, (void)size, (void)writing, (void)ctx;
	return 0;
}

static int load_identity(SSL_CTX *context, const char *cert, const char *key, struct pd_fail *fail)
{
	ERR_clear_error();
	if (SSL_CTX_use_certificate_chain_file(context, cert) != 1)
		return pd_fail_set(fail, PD_E_USAGE, "tls-cert",
				   "--tls-cert: cannot read a certificate from %.180s: %s", cert, describe_error());
	if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1 || SSL_CTX_check_private_key(context) != 1)
		return pd_fail_set(fail, PD_E_USAGE, "tls-key",
				   "--tls-key: %.140s is not the key of that certificate, or has a passphrase: %s", key,
				   describe_error());
	return PD_OK;
}

int nt_tls_identity_open(const char *cert, const char *key, struct nt_tls_identity **out, struct pd_fail *fail)
{
	struct nt_tls_identity *identity = calloc(1, sizeof *identity);
	SSL_CTX *context = identity ? SSL_CTX_new(TLS_server_method()) : NULL;
	if (!context || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) {
		SSL_CTX_free(context);
		free(identity);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "tls-cert", "no memory for TLS");
	}
	SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET |
					     SSL_OP_CIPHER_SERVER_PREFERENCE);
	SSL_CTX_set_num_tickets(context, 0);
	SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_default_passwd_cb(context, refuse_passphrase);
	identity->context = context;
	int rc = load_identity(context, cert, key, fail);
	if (rc)
		nt_tls_identity_close(identity);
	else
		*out = identity;
	return rc;
}

void nt_tls_identity_close(struct nt_tls_identity *identity)
{
	if (identity)
		SSL_CTX_free(identity->context);
	free(identity);
}

struct nt_tls *nt_tls_new(struct nt_tls_identity *identity)
{
	struct nt_tls *tls = calloc(1, sizeof *tls);
	if (!tls)
		return NULL;
	tls->ssl = SSL_new(identity->context);
	tls->in = BIO_new(BIO_s_mem());
	tls->out = BIO_new(BIO_s_mem());
	if (!tls->ssl || !tls->in || !tls->out) {
		BIO_free(tls->in);
		BIO_free(tls->out);
		SSL_free(tls->ssl);
		free(tls);
		return NULL;
	}
	SSL_set_bio(tls->ssl, tls->in, tls->out);
	SSL_set_accept_state(tls->ssl);
	return tls;
}

void nt_tls_free(struct nt_tls *tls)
{
	if (tls)
		SSL_free(tls->ssl);
	free(tls);
}

bool nt_tls_put(struct nt_tls *tls, const char *data, size_t size)
{
	size_t put = 0;
	return BIO_write_ex(tls->in, data, size, &put) == 1 && put == size;
}

/* Moves what OpenSSL wants to send to `out`. */
static void drain_ciphertext(struct nt_tls *tls, struct pd_buf *out)
{
	char *data = NULL;
	long size = BIO_get_mem_data(tls->out, &data);
	if (size > 0)
		pd_buf_put(out, data, (size_t)size);
	(void)BIO_reset(tls->out);
}

static bool fail_with(struct nt_tls *tls, int error)
{
	tls->broken = true;
	snprintf(tls->why, sizeof tls->why, "%s", error == SSL_ERROR_SSL ? describe_error() : "the connection failed");
	return false;
}

ssize_t nt_tls_take(struct nt_tls *tls, char *data, size_t room, struct pd_buf *out)
{
	size_t got = 0;
	if (tls->broken)
		return NT_TLS_BROKEN;
	ERR_clear_error();
	int done = SSL_read_ex(tls->ssl, data, room, &got);
	int error = done ? SSL_ERROR_NONE : SSL_get_error(tls->ssl, done);
	drain_ciphertext(tls, out);
	switch (error) {
	case SSL_ERROR_NONE:
		PD_ASSERT(got && got <= room);
		return (ssize_t)got;
	case SSL_ERROR_WANT_READ:
		return 0;
	case SSL_ERROR_ZERO_RETURN:
		return NT_TLS_END;
	default:
		fail_with(tls, error);
		return NT_TLS_BROKEN;
	}
}

bool nt_tls_send(struct nt_tls *tls, const char *data, size_t size, struct pd_buf *out)
{
	if (!nt_tls_ready(tls)) /* this depends on the client */
		return false;
	while (size) {
		size_t slice = size < SLICE ? size : SLICE, put = 0;
		ERR_clear_error();
		int done = SSL_write_ex(tls->ssl, data, slice, &put);
		if (!done || put != slice)
			return fail_with(tls, SSL_get_error(tls->ssl, done));
		drain_ciphertext(tls, out);
		data += slice;
		size -= slice;
	}
	return !out->failed;
}

void nt_tls_close_notify(struct nt_tls *tls, struct pd_buf *out)
{
	if (tls->bye || !nt_tls_ready(tls))
		return;
	tls->bye = true;
	ERR_clear_error();
	SSL_shutdown(tls->ssl);
	drain_ciphertext(tls, out);
}

bool nt_tls_ready(const struct nt_tls *tls)
{
	return !tls->broken && SSL_is_init_finished(tls->ssl);
}

size_t nt_tls_kept(const struct nt_tls *tls)
{
	return BIO_ctrl_pending(tls->in) + BIO_ctrl_pending(tls->out);
}

const char *nt_tls_why(const struct nt_tls *tls)
{
	PD_ASSERT(tls->broken);
	return tls->why;
}
