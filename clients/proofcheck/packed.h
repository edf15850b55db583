/* Packed: certificates of format 6 (proto/CERTIFICATE.md), read and written.
 *
 * A packed certificate holds the answers of one walk through the proof (tour.h), coded as symbols (symbols.h), and no
 * position. It stands for a certificate of format 4, which is made here in memory and judged in its place. Nothing in
 * the file is trusted: a proof that is too large, or plays out too many positions, for the size of the file is refused;
 * so are symbols that stand for something impossible, are missing or are left over. */
#pragma once

#include "clients/proofcheck/cert.h"
#include "clients/proofcheck/strategy_play.h"
#include "proto/base/buf.h"

/* The limits of a file of that size (of the weight of its tour, and of the positions that strategies play out). */
static inline uint64_t ck_packed_weight_max(uint64_t size)
{
	return size < 1 << 20 ? size << 10 : 1 << 30;
}

static inline uint64_t ck_packed_played_max(uint64_t size)
{
	return CK_STRATEGY_POSITIONS + (size << 12);
}

/* Unpacks a file of format 6 into an empty `out`, as format 4. `h` is its header, of `body` bytes. Unless
 * CK_VERIFIED is returned, the fault is filled in. */
enum ck_verdict ck_packed_read(const uint8_t *bytes, uint64_t size, const struct ck_header *h, uint64_t body,
			       struct pd_buf *out, struct ck_fault *fault);
/* Packs an open, prepared and surveyed certificate, which is not checked, into an empty `out`; or with `zones` writes
 * it in the plain format 4, with zones (zone.h) instead of records where that saves some. CK_REJECTED and a
 * fault when it cannot be packed. */
enum ck_verdict ck_packed_write(const struct ck_cert *cert, bool zones, struct pd_buf *out, struct ck_fault *fault);
