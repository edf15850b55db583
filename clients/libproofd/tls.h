/* TLS: bytes in, bytes out (OpenSSL); the socket is the transport's (private to clients/libproofd). */
#pragma once

#include "clients/libproofd/error.h"
#include "proto/base/buf.h"

struct pc_tls;

/* `host` is the name or address that the certificate must have; `ca` a PEM file of certificates to trust, NULL:
 * those of the system. "usage" with field "tls_ca" when it cannot be read. */
int pc_tls_new(const char *host, const char *ca, struct pc_tls **out, struct proofd_error *error);
void pc_tls_free(struct pc_tls *tls); /* NULL is fine */

/* A step of the handshake: 1 when it is done, 0 when the server has to send more first, -1: "unreachable". */
int pc_tls_greet(struct pc_tls *tls, struct proofd_error *error);
/* Takes bytes received from the socket; false when there is no memory. */
bool pc_tls_feed(struct pc_tls *tls, const void *data, size_t size);
/* Appends the bytes to be sent to the socket. */
void pc_tls_drain(struct pc_tls *tls, struct pd_buf *out);

/* Encrypts; false when that fails. */
bool pc_tls_write(struct pc_tls *tls, const void *data, size_t size);
/* Decrypts: the number of bytes; 0: none for now; -1: the server has ended the connection; -2: invalid data. */
int pc_tls_read(struct pc_tls *tls, void *data, size_t room);
/* Tells the server that the connection ends; pc_tls_drain then appends the last bytes. */
void pc_tls_end(struct pc_tls *tls);
