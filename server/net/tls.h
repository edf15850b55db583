/* TLS: converts the ciphertext of a connection to plain bytes and back (OpenSSL).
 *
 * It does not touch sockets: the connection hands over what it has read, takes plain bytes out, and sends what is put
 * into its buffer, so that all its limits count ciphertext. Versions 1.2 and 1.3; no renegotiation,
 * compression, early data or session tickets. Calls on one `struct nt_tls` come from one thread. */
#pragma once

#include <sys/types.h>

#include "proto/base/buf.h"
#include "proto/base/error.h"

struct nt_tls_identity; /* a certificate and its key */
struct nt_tls;          /* one connection */

/* Reads PEM files: the server's certificate with its chain, and its private key without a passphrase. PD_E_USAGE with
 * the option as field. */
int nt_tls_identity_open(const char *cert, const char *key, struct nt_tls_identity **out, struct pd_fail *fail);
/* Connections made with it keep what they need. NULL is fine. */
void nt_tls_identity_close(struct nt_tls_identity *identity);

/* NULL without memory. */
struct nt_tls *nt_tls_new(struct nt_tls_identity *identity);
/* NULL is fine. */
void nt_tls_free(struct nt_tls *tls);

/* Takes over received ciphertext; false without memory. */
bool nt_tls_put(struct nt_tls *tls, const char *data, size_t size);
enum {
	NT_TLS_END = -1,
	NT_TLS_BROKEN = -2,
	NT_TLS_FIRST = 0x16 /* the first byte of a client that speaks TLS */
};
/* Continues the handshake, and takes plain bytes out: their number; 0: more ciphertext is needed first; NT_TLS_END: the
 * client sends no more; NT_TLS_BROKEN: nt_tls_why says why, and only `out` may still be sent. Appends to `out` what has
 * to be sent. */
ssize_t nt_tls_take(struct nt_tls *tls, char *data, size_t room, struct pd_buf *out);
/* Appends the ciphertext of plain bytes to `out`. False, and nothing more can be sent: it is broken or not ready (also
 * between two halves of a later handshake message, where OpenSSL cannot send either), or there is no memory. */
bool nt_tls_send(struct nt_tls *tls, const char *data, size_t size, struct pd_buf *out);
/* Appends close_notify, once, after a handshake. */
void nt_tls_close_notify(struct nt_tls *tls, struct pd_buf *out);

/* The handshake is done, and nothing has failed since. */
bool nt_tls_ready(const struct nt_tls *tls);
/* Bytes of ciphertext that are buffered here. */
size_t nt_tls_kept(const struct nt_tls *tls);
/* After NT_TLS_BROKEN: a few words. Static or borrowed. */
const char *nt_tls_why(const struct nt_tls *tls);
