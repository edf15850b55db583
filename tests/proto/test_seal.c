/* Seals: every change is noticed, and only who has the key can make one. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/cluster/layout.h"
#include "proto/cluster/seal.h"
#include "proto/cluster/wire_read.h"
#include "proto/cluster/wire_write.h"
#include "tests/support/suite.h"

static struct pd_buf buf;
static struct pd_fail fail;
static struct cw_seal ours, other;
static const struct cw_envelope envelope = {.kind = CW_CANCEL, .epoch = 5, .worker = 6, .number = 7};

static void set_up(void)
{
	pd_buf_init(&buf, CW_MESSAGE_MAX);
	ck_assert(cw_seal_of("0123456789abcdef", 16, &ours));
	ck_assert(cw_seal_of("0123456789abcdeg", 16, &other));
}

static void tear_down(void)
{
	pd_buf_fini(&buf);
}

/* A message with one body, sealed by `seal`. */
static const uint8_t *message(const struct cw_seal *seal)
{
	cw_begin(&buf, &envelope);
	cw_put_cancel(&buf, 4711);
	ck_assert(cw_end(&buf, seal));
	return (const uint8_t *)buf.data;
}

static int reads_as(const uint8_t *data, size_t size, const struct cw_seal *seal, bool *sealed)
{
	struct cw_reader reader;
	uint64_t id = 0;
	int rc = cw_open(&reader, data, size, seal, &fail);
	*sealed = reader.envelope.sealed;
	if (!rc) {
		ck_assert_int_eq(cw_next_cancel(&reader, &id, &fail), 1);
		ck_assert_uint_eq(id, 4711);
		ck_assert_int_eq(cw_next_cancel(&reader, &id, &fail), 0);
	}
	return rc;
}

START_TEST(the_one_with_the_key_knows_it)
{
	bool sealed;
	const uint8_t *data = message(&ours);
	ck_assert_int_eq(reads_as(data, buf.size, &ours, &sealed), PD_OK);
	ck_assert(sealed);
	ck_assert_int_eq(reads_as(data, buf.size, NULL, &sealed), PD_OK);
	ck_assert(!sealed);
	ck_assert_int_eq(reads_as(data, buf.size, &other, &sealed), PD_E_PARSE);
	ck_assert(!sealed);
	ck_assert_str_eq(fail.field, "seal");
	data = message(NULL);
	ck_assert_int_eq(reads_as(data, buf.size, &ours, &sealed), PD_OK);
	ck_assert(!sealed);
}
END_TEST

/* Also a flip that makes it an unsealed message of the right form would be one that is noticed: `sealed` says so. There
 * is none. */
START_TEST(every_flipped_bit_is_noticed)
{
	bool sealed;
	message(&ours);
	for (size_t bit = 0; bit < 8 * buf.size; bit++) {
		buf.data[bit / 8] ^= (char)(1 << bit % 8);
		int rc = reads_as((const uint8_t *)buf.data, buf.size, &ours, &sealed);
		ck_assert_msg(rc == PD_E_PARSE || (rc == PD_E_UNSUPPORTED && bit / 8 == CW_AT_MAJOR),
			      "bit %zu is not noticed", bit);
		ck_assert(!sealed);
		buf.data[bit / 8] ^= (char)(1 << bit % 8);
	}
	ck_assert_int_eq(reads_as((const uint8_t *)buf.data, buf.size, &ours, &sealed), PD_OK);
}
END_TEST

START_TEST(what_is_cut_off_or_put_on_is_noticed)
{
	struct cw_reader reader;
	message(&ours);
	uint8_t *copy = malloc(buf.size + 64);
	ck_assert(copy);
	memcpy(copy, buf.data, buf.size);
	memcpy(copy + buf.size, buf.data + CW_ENVELOPE_SIZE, 4);
	for (size_t size = 0; size < buf.size; size++)
		ck_assert_int_eq(cw_open(&reader, copy, size, &ours, &fail), PD_E_PARSE);
	ck_assert_int_eq(cw_open(&reader, copy, buf.size + 4, &ours, &fail), PD_E_PARSE);
	/* two seals */
	memcpy(copy + buf.size, buf.data + buf.size - CW_SEAL_FIELD, CW_SEAL_FIELD);
	ck_assert_int_eq(cw_open(&reader, copy, buf.size + CW_SEAL_FIELD, &ours, &fail), PD_E_PARSE);
	ck_assert_int_eq(cw_open(&reader, copy, buf.size + CW_SEAL_FIELD, NULL, &fail), PD_E_PARSE);
	free(copy);
}
END_TEST

/* RFC 4231 has vectors for keys of other lengths only; this one was made with Python's hmac and hashlib. */
START_TEST(the_seal_is_hmac_sha256)
{
	static const uint8_t expected[CW_SEAL_SIZE] = {0x4d, 0xc1, 0x17, 0x3b, 0x1f, 0x40, 0x52, 0xaa,
						       0x33, 0x6d, 0xcc, 0x9b, 0x07, 0x79, 0x23, 0x27};
	uint8_t made[CW_SEAL_SIZE];
	ck_assert(cw_seal_make(&ours, (const uint8_t *)"what is sealed", 14, made));
	ck_assert_mem_eq(made, expected, CW_SEAL_SIZE);
	ck_assert(cw_seal_right(&ours, (const uint8_t *)"what is sealed", 14, expected));
	ck_assert(!cw_seal_right(&ours, (const uint8_t *)"what is sealef", 14, expected));
	ck_assert(!cw_seal_right(&other, (const uint8_t *)"what is sealed", 14, expected));
}
END_TEST

/* Reads a key from a file of these bytes and this mode. */
static int read_file(const void *data, size_t size, mode_t mode, struct cw_seal *out)
{
	char path[] = "/tmp/test-seal-XXXXXX";
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, size), (ssize_t)size);
	ck_assert_int_eq(fchmod(fd, mode), 0);
	close(fd);
	int rc = cw_seal_read("workers-key", path, out, &fail);
	unlink(path);
	if (rc)
		ck_assert_str_eq(fail.field, "workers-key");
	return rc;
}

START_TEST(keys_come_from_files_that_others_cannot_read)
{
	static char many[CW_KEY_BYTES_MAX + 1];
	struct cw_seal read;
	memset(many, 'k', sizeof many);
	ck_assert_int_eq(read_file("0123456789abcdef", 16, 0600, &read), PD_OK);
	ck_assert_mem_eq(&read, &ours, sizeof read);
	ck_assert_int_eq(read_file("0123456789abcdef \t\r\n\n", 21, 0640, &read), PD_OK);
	ck_assert_mem_eq(&read, &ours, sizeof read);
	ck_assert_int_eq(read_file(many, CW_KEY_BYTES_MAX, 0400, &read), PD_OK);
	ck_assert_int_eq(read_file(many, CW_KEY_BYTES_MAX + 1, 0600, &read), PD_E_USAGE);
	ck_assert_int_eq(read_file("0123456789abcde\n", 16, 0600, &read), PD_E_USAGE);
	ck_assert_int_eq(read_file("", 0, 0600, &read), PD_E_USAGE);
	ck_assert_int_eq(read_file(many, 100, 0604, &read), PD_E_USAGE);
	ck_assert_int_eq(read_file(many, 100, 0602, &read), PD_E_USAGE);
	ck_assert_ptr_nonnull(strstr(fail.text, "chmod"));
	ck_assert_int_eq(cw_seal_read("workers-key", "/tmp/no/such/file", &read, &fail), PD_E_NOT_FOUND);
	ck_assert_int_eq(cw_seal_read("workers-key", "/tmp", &read, &fail), PD_E_USAGE);
}
END_TEST

SUITE(seal)
{
	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, the_one_with_the_key_knows_it);
	tcase_add_test(c, every_flipped_bit_is_noticed);
	tcase_add_test(c, what_is_cut_off_or_put_on_is_noticed);
	tcase_add_test(c, the_seal_is_hmac_sha256);
	tcase_add_test(c, keys_come_from_files_that_others_cannot_read);
}
