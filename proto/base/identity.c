#include "proto/base/identity.h"

#include "proto/base/bytes.h"
#include "proto/base/random.h"

void pd_identity_init(struct pd_identity *identity, uint64_t key)
{
	uint64_t state = key;
	identity->key = key;
	for (unsigned i = 0; i < PD_IDENTITY_WORDS; i++)
		for (unsigned k = 0; k < 2; k++)
			identity->factor[i][k] = pd_random_next(&state) | 1;
}

static inline uint64_t mix_word(uint64_t word, const uint64_t factor[2])
{
	return __builtin_bswap64(word * factor[0]) * factor[1];
}

/* One to seven bytes as a little-endian word, made of pieces that may overlap. */
static inline uint64_t short_word(const uint8_t *data, size_t size)
{
	if (size >= 4)
		return pd_get_le32(data) | (uint64_t)pd_get_le32(data + size - 4) << 8 * (size - 4);
	return data[0] | (uint64_t)data[size / 2] << 8 * (size / 2) | (uint64_t)data[size - 1] << 8 * (size - 1);
}

static __attribute__((noinline)) struct pd_id plain_id(const uint8_t *data, size_t size)
{
	return pd_id_of(data, size, 0);
}

/* Hashes little-endian words, the last one padded with zeros. */
static __attribute__((noinline)) struct pd_id words_id(const struct pd_identity *identity, const uint8_t *data,
						       size_t size)
{
	uint64_t mixed[PD_IDENTITY_WORDS];
	size_t words = size / 8, rest = size % 8;
	for (size_t i = 0; i < words; i++)
		mixed[i] = mix_word(pd_get_le64(data + 8 * i), identity->factor[i]);
	if (rest) {
		uint64_t last = pd_get_le64(data + size - 8) >> (64 - 8 * rest);
		mixed[words] = mix_word(last, identity->factor[words]);
		words++;
	}
	return pd_id_of(mixed, 8 * words, identity->key + size);
}

/* Flattened, so that the compiler reduces XXH3 to its case of eight bytes for short keys, which most games have. */
__attribute__((flatten)) struct pd_id pd_identity_of(const struct pd_identity *identity, const uint8_t *data,
						     size_t size)
{
	if (!identity || !identity->key)
		return plain_id(data, size);
	if (!size || size >= 8)
		return words_id(identity, data, size);
	uint64_t word = mix_word(short_word(data, size), identity->factor[0]);
	return pd_id_of(&word, sizeof word, identity->key + size);
}
