/* Identity: a 128-bit keyed hash that names positions in memory. A client that submits positions must not be able to
 * construct a collision, because it could make a false fact (F5).
 *
 * XXH3 alone is fast but public: two strings of 17 bytes or more with one hash are found in seconds. A seed does not
 * help: it is added to public constants, and of two strings that exchange the halves x and ~x of their last 16 bytes
 * one pair in 2^27 collides, whatever the seed. So the bytes are first mixed with the identity key, eight at a time:
 * each word is multiplied by an odd number of its own, its bytes are reversed, and it is multiplied by another odd
 * number. That is a bijection, and without the key the difference of two mixed words cannot be predicted.
 *
 * Key 0 means none: the identity is the XXH3 of the bytes as they are. */
#ifndef PD_IDENTITY_H
#define PD_IDENTITY_H

#include <stdint.h>

#include "proto/base/bytes.h"
#include "proto/base/hash.h"

enum { PD_IDENTITY_WORDS = 68, PD_IDENTITY_MAX = 8 * PD_IDENTITY_WORDS /* bytes that can be named */ };

struct pd_identity {
	uint64_t key;
	uint64_t factor[PD_IDENTITY_WORDS][2]; /* odd */
};

void pd_identity_init(struct pd_identity *identity, uint64_t key);

static inline uint64_t pd_identity_mix(uint64_t word, const uint64_t factor[2])
{
	return __builtin_bswap64(word * factor[0]) * factor[1];
}

/* As little-endian words, the last filled up with zeros; returns how many. */
static inline size_t pd_identity_words(const struct pd_identity *identity, const uint8_t *data, size_t size,
				       uint64_t *mixed)
{
	size_t words = size / 8, rest = size % 8;
	for (size_t i = 0; i < words; i++)
		mixed[i] = pd_identity_mix(pd_get_le64(data + 8 * i), identity->factor[i]);
	if (!rest)
		return words;
	uint64_t last = 0;
	if (words)
		last = pd_get_le64(data + size - 8) >> (64 - 8 * rest);
	else
		for (size_t i = rest; i-- > 0;)
			last = last << 8 | data[i];
	mixed[words] = pd_identity_mix(last, identity->factor[words]);
	return words + 1;
}

/* At most PD_IDENTITY_MAX bytes. NULL: key 0. */
static inline struct pd_id pd_identity_of(const struct pd_identity *identity, const uint8_t *data, size_t size)
{
	uint64_t mixed[PD_IDENTITY_WORDS], seed = 0;
	if (identity && identity->key) {
		seed = identity->key + size;
		size = 8 * pd_identity_words(identity, data, size, mixed);
		data = (const uint8_t *)mixed;
	}
	return pd_id_of(data, size, seed);
}

#endif
