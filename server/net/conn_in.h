/* Connection in: from received bytes to messages of the session (conn.h). */
#pragma once

#include "server/net/conn_state.h"

/* Takes bytes that were read, without or with TLS. */
void nt_conn_read_plain(struct nt_conn *conn, char *data, size_t size);
void nt_conn_read_ciphertext(struct nt_conn *conn, const char *data, size_t size);
/* The client sends no more. */
void nt_conn_read_end(struct nt_conn *conn);
/* Continues the handshake, or takes what has been decrypted. */
void nt_conn_decrypt(struct nt_conn *conn);
/* Hands complete messages that were buffered to the session, while there is time. */
void nt_conn_take_buffered(struct nt_conn *conn);

unsigned nt_conn_inflight(const struct nt_conn *conn);
bool nt_conn_may_take(const struct nt_conn *conn);
bool nt_conns_turn_is_over(struct nt_conns *conns, uint64_t now);

/* For framings. Answers and logs a client of another protocol, and ends the connection; `why` as in
 * rejected_clients.h. */
void nt_conn_reject(struct nt_conn *conn, enum nt_rejection kind, const char *why);
