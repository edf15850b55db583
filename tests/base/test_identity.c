/* F5: anyone who chooses the bytes cannot choose what they are named. */
#include "proto/base/identity.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/random.h"
#include "tests/support/suite.h"
#include "tests/support/twins.h"

static struct pd_identity keyed(uint64_t key)
{
	struct pd_identity identity;
	pd_identity_init(&identity, key);
	return identity;
}

static struct pd_id name(const struct pd_identity *identity, const char *text)
{
	return pd_identity_of(identity, (const uint8_t *)text, strlen(text));
}

START_TEST(without_a_key_it_is_the_plain_hash)
{
	struct pd_identity none = keyed(0);
	const char *text = "a position";
	ck_assert(pd_id_equal(name(&none, text), pd_id_of(text, strlen(text), 0)));
	ck_assert(pd_id_equal(name(NULL, text), pd_id_of(text, strlen(text), 0)));
}
END_TEST

START_TEST(twins_of_the_plain_hash_have_two_names)
{
	ck_assert_str_ne(TWIN_FIRST, TWIN_SECOND);
	ck_assert(pd_id_equal(name(NULL, TWIN_FIRST), name(NULL, TWIN_SECOND)));
	for (uint64_t key = 1; key < 20000; key++) {
		struct pd_identity identity = keyed(key);
		ck_assert(!pd_id_equal(name(&identity, TWIN_FIRST), name(&identity, TWIN_SECOND)));
	}
}
END_TEST

/* Tables on disk are named with it: it may become faster, but not another one. */
START_TEST(it_is_the_hash_of_the_mixed_words)
{
	struct pd_identity identity = keyed(UINT64_C(0x0123456789abcdef));
	uint8_t bytes[PD_IDENTITY_MAX], mixed[PD_IDENTITY_MAX + 8];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)pd_random64();
	for (size_t size = 0; size <= sizeof bytes; size++) {
		size_t words = (size + 7) / 8;
		for (size_t w = 0; w < words; w++) {
			uint64_t word = 0;
			for (size_t i = 8 * w; i < 8 * w + 8 && i < size; i++)
				word |= (uint64_t)bytes[i] << 8 * (i % 8);
			word = __builtin_bswap64(word * identity.factor[w][0]) * identity.factor[w][1];
			for (size_t i = 0; i < 8; i++)
				mixed[8 * w + i] = (uint8_t)(word >> 8 * i);
		}
		ck_assert(pd_id_equal(pd_identity_of(&identity, bytes, size),
				      pd_id_of(mixed, 8 * words, identity.key + size)));
	}
}
END_TEST

START_TEST(every_byte_and_the_length_count)
{
	struct pd_identity identity = keyed(pd_random64()), other = keyed(pd_random64());
	static uint8_t bytes[PD_IDENTITY_MAX];
	struct pd_id last = {0, 0};
	for (size_t size = 1; size <= sizeof bytes; size++) {
		struct pd_id id = pd_identity_of(&identity, bytes, size);
		ck_assert(!pd_id_equal(id, last)); /* zeros, and a zero more */
		ck_assert(!pd_id_equal(id, pd_identity_of(&other, bytes, size)));
		ck_assert(pd_id_equal(id, pd_identity_of(&identity, bytes, size)));
		last = id;
		for (size_t i = 0; i < size; i += size < 40 ? 1 : 17) {
			bytes[i] ^= 0x80;
			ck_assert(!pd_id_equal(id, pd_identity_of(&identity, bytes, size)));
			bytes[i] ^= 0x80;
		}
	}
}
END_TEST

START_TEST(random_numbers_differ)
{
	uint64_t one = pd_random64(), two = pd_random64();
	ck_assert(one && two && one != two);
	uint64_t hash = pd_bucket_hash("key", 3);
	ck_assert(pd_bucket_seed() && hash == pd_bucket_hash("key", 3));
}
END_TEST

SUITE(identity)
{
	tcase_set_timeout(c, 120);
	tcase_add_test(c, without_a_key_it_is_the_plain_hash);
	tcase_add_test(c, twins_of_the_plain_hash_have_two_names);
	tcase_add_test(c, it_is_the_hash_of_the_mixed_words);
	tcase_add_test(c, every_byte_and_the_length_count);
	tcase_add_test(c, random_numbers_differ);
}
