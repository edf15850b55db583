#include "server/cluster/nats/nats_key.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"

enum {
	FILE_MAX = 1 << 16,
	SEED_TEXT = 58, /* base32 of two bytes, the key and the CRC */
	KEY_SIZE = 32,
	IS_SEED = 18 << 3, /* the upper five bits of the first byte: an S */
	IS_USER = 20 << 3, /* a U */
};

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

static uint16_t crc16_xmodem(const uint8_t *data, size_t size)
{
	uint16_t crc = 0;
	for (size_t i = 0; i < size; i++) {
		crc ^= (uint16_t)(data[i] << 8);
		for (int bit = 0; bit < 8; bit++)
			crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
	}
	return crc;
}

/* Derives the public key of a seed, which ends at the first character that is not base32. False: not a user's seed. */
static bool derive_public_key(const char *seed, char out[CN_KEY_TEXT])
{
	uint8_t raw[2 + KEY_SIZE + 2], key[1 + KEY_SIZE + 2] = {IS_USER};
	uint32_t bits = 0, count = 0;
	size_t n = 0, size = KEY_SIZE;
	if (strspn(seed, digits) != SEED_TEXT)
		return false;
	for (int i = 0; i < SEED_TEXT; i++) {
		bits = bits << 5 | (uint32_t)(strchr(digits, seed[i]) - digits);
		count += 5;
		if (count >= 8) {
			count -= 8;
			raw[n++] = (uint8_t)(bits >> count);
		}
	}
	PD_ASSERT(n == sizeof raw);
	bool good = (raw[0] & 0xf8) == IS_SEED && ((raw[0] & 7) << 5 | raw[1] >> 3) == IS_USER &&
		    crc16_xmodem(raw, sizeof raw - 2) == (raw[n - 2] | raw[n - 1] << 8);
	EVP_PKEY *pair = good ? EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, raw + 2, KEY_SIZE) : NULL;
	good = pair && EVP_PKEY_get_raw_public_key(pair, key + 1, &size) == 1 && size == KEY_SIZE;
	EVP_PKEY_free(pair);
	OPENSSL_cleanse(raw, sizeof raw);
	if (!good)
		return false;
	uint16_t crc = crc16_xmodem(key, 1 + KEY_SIZE);
	key[1 + KEY_SIZE] = (uint8_t)crc;
	key[2 + KEY_SIZE] = (uint8_t)(crc >> 8);
	bits = count = 0;
	n = 0;
	for (size_t i = 0; i < sizeof key; i++) {
		bits = bits << 8 | key[i];
		for (count += 8; count >= 5; out[n++] = digits[bits >> count & 31])
			count -= 5;
	}
	PD_ASSERT(n == CN_KEY_TEXT - 1 && !count);
	out[n] = 0;
	return true;
}

int cn_creds_read(const char *path, struct cn_creds *out, struct pd_fail *fail)
{
	char text[FILE_MAX];
	struct stat st;
	struct cn_creds creds = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = PD_OK;
	ssize_t size = fd < 0 || fstat(fd, &st) ? -1 : read(fd, text, sizeof text - 1);
	int why = errno;
	if (fd >= 0)
		close(fd);
	if (size < 0)
		return pd_fail_set(fail, PD_E_USAGE, "workers-creds", "the credentials %.200s cannot be read: %s", path,
				   strerror(why));
	text[size] = 0;
	creds.jwt = strstr(text, "-----BEGIN NATS USER JWT-----") != NULL;
	const char *seed = creds.jwt ? NULL : strstr(text, "SU");
	while (seed && !derive_public_key(seed, creds.public_key))
		seed = strstr(seed + 1, "SU");
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		rc = pd_fail_set(fail, PD_E_USAGE, "workers-creds",
				 "other users may read the credentials %.200s; use chmod 600", path);
	else if (!creds.jwt && !seed)
		rc = pd_fail_set(fail, PD_E_USAGE, "workers-creds",
				 "%.200s holds neither the NKey seed of a user (SU...) nor the user JWT of a "
				 ".creds file",
				 path);
	OPENSSL_cleanse(text, sizeof text);
	if (!rc)
		*out = creds;
	return rc;
}
