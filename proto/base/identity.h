/* Identity: a 128-bit keyed hash that names positions in memory. A client that submits positions must not be able to
 * construct a collision, because it could make a false fact (F5).
 *
 * XXH3 alone is fast but public: two strings of 17 bytes or more with the same hash are found in seconds. A seed does
 * not help: it is added to public constants, and of two strings that exchange the halves x and ~x of their last 16
 * bytes one pair in 2^27 collides for any seed. So the bytes are first mixed with the identity key: each word of eight
 * bytes is multiplied by its own odd number, its bytes are reversed, and it is multiplied by another odd number. That
 * is a bijection, and without the key the difference of two mixed words cannot be predicted.
 *
 * Key 0: none; the identity is the XXH3 of the unmixed bytes. */
#pragma once

#include "proto/base/hash.h"

enum { PD_IDENTITY_WORDS = 68, PD_IDENTITY_MAX = 8 * PD_IDENTITY_WORDS /* bytes */ };

struct pd_identity {
	uint64_t key;
	uint64_t factor[PD_IDENTITY_WORDS][2]; /* odd */
};

void pd_identity_init(struct pd_identity *identity, uint64_t key);

/* The identity of at most PD_IDENTITY_MAX bytes. `identity` NULL: key 0. */
struct pd_id pd_identity_of(const struct pd_identity *identity, const uint8_t *data, size_t size);
