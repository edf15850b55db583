/* TLS: a connection of proofctl to a server with a certificate (OpenSSL). */
#ifndef CL_TLS_H
#define CL_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "proto/base/error.h"

struct cl_tls;

/* Shakes hands over a connected socket, which does not block from here on and stays the caller's. `host` is the name
 * or the address that the certificate must bear; `ca` a PEM file of certificates to trust, NULL: those of the system.
 * PD_E_USAGE for a `ca` that cannot be read, PD_E_UNREACHABLE when the server's certificate is not accepted, it speaks
 * no TLS, or nothing comes for patience_s seconds (0: no limit). */
int cl_tls_open(int fd, const char *host, const char *ca, double patience_s, struct cl_tls **out, struct pd_fail *fail);
/* NULL is fine. */
void cl_tls_close(struct cl_tls *tls);

/* As recv and send do: -1 with errno EAGAIN when nothing has come, or nothing was taken for patience_s. */
ssize_t cl_tls_recv(struct cl_tls *tls, char *data, size_t room);
ssize_t cl_tls_send(struct cl_tls *tls, const char *data, size_t size);

#endif
