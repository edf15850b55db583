/* Packed: certificates of format 6 (proto/CERTIFICATE.md), read and written.
 *
 * A packed certificate holds the answers of one walk through the proof (tour.h), coded as symbols (symbols.h), and no
 * position. It stands for a certificate of format 4, which is made here in memory and judged in its place. Nothing in
 * the file is trusted: a proof that is larger than CK_PACKED_RATIO times the file is refused, symbols that say what
 * cannot be are refused, and so are symbols that are missing or left over. */
#pragma once

#include "clients/proofcheck/cert.h"
#include "proto/base/buf.h"

enum { CK_PACKED_RATIO = 1024 }; /* weight of a tour for one byte of the file, at most */

/* Unpacks a file of format 6 into an empty `out`, as format 4. `h` is its header, of `body` bytes. On another verdict
 * than CK_VERIFIED the fault is filled in. */
enum ck_verdict ck_packed_read(const uint8_t *bytes, uint64_t size, const struct ck_header *h, uint64_t body,
			       struct pd_buf *out, struct ck_fault *fault);
/* Packs an open, prepared and surveyed certificate, which is not checked, into an empty `out`. CK_REJECTED and a fault
 * when it cannot be packed. */
enum ck_verdict ck_packed_write(const struct ck_cert *cert, struct pd_buf *out, struct ck_fault *fault);
