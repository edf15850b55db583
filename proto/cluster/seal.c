#include "proto/cluster/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cw_seal_of(const void *key, size_t size, struct cw_seal *out)
{
	unsigned length = 0;
	if (EVP_Digest(key, size, out->key, &length, EVP_sha256(), NULL) == 1 && length == sizeof out->key)
		return true;
	memset(out, 0, sizeof *out);
	return false;
}

bool cw_seal_make(const struct cw_seal *seal, const uint8_t *data, size_t size, uint8_t out[CW_SEAL_SIZE])
{
	uint8_t whole[EVP_MAX_MD_SIZE];
	unsigned length = 0;
	if (!HMAC(EVP_sha256(), seal->key, (int)sizeof seal->key, data, size, whole, &length) || length < CW_SEAL_SIZE)
		return false;
	memcpy(out, whole, CW_SEAL_SIZE);
	return true;
}

bool cw_seal_right(const struct cw_seal *seal, const uint8_t *data, size_t size, const uint8_t claimed[CW_SEAL_SIZE])
{
	uint8_t right[CW_SEAL_SIZE];
	return cw_seal_make(seal, data, size, right) && CRYPTO_memcmp(right, claimed, CW_SEAL_SIZE) == 0;
}

/* Reads at most `room` bytes; returns how many, or -1 with errno. */
static ssize_t read_all(int fd, uint8_t *to, size_t room)
{
	size_t size = 0;
	while (size < room) {
		ssize_t n = read(fd, to + size, room - size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		size += (size_t)n;
	}
	return (ssize_t)size;
}

static bool blank_seal(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The seal of a file that was read: `size` bytes of `data`. */
static int seal_of_file(const char *option, const char *path, const uint8_t *data, size_t size, struct cw_seal *out,
			struct pd_fail *fail)
{
	if (size > CW_KEY_BYTES_MAX)
		return pd_fail_set(fail, PD_E_USAGE, option, "--%s: %.200s is longer than %d bytes", option, path,
				   (int)CW_KEY_BYTES_MAX);
	while (size && blank_seal(data[size - 1]))
		size--;
	if (size < CW_KEY_BYTES_MIN)
		return pd_fail_set(fail, PD_E_USAGE, option, "--%s: %.200s has a key of %d bytes; it needs at least %d",
				   option, path, (int)size, (int)CW_KEY_BYTES_MIN);
	if (!cw_seal_of(data, size, out))
		return pd_fail_set(fail, PD_E_NO_MEMORY, option, "no memory for the key");
	return PD_OK;
}

int cw_seal_read(const char *option, const char *path, struct cw_seal *out, struct pd_fail *fail)
{
	uint8_t data[CW_KEY_BYTES_MAX + 1];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc;
	ssize_t size = fd < 0 || fstat(fd, &st) ? -1 : S_ISREG(st.st_mode) ? read_all(fd, data, sizeof data) : 0;
	int why = errno;
	if (fd >= 0)
		close(fd);
	if (size < 0)
		rc = pd_fail_set(fail, why == ENOENT ? PD_E_NOT_FOUND : PD_E_IO, option,
				 "--%s: %.200s cannot be read: %s", option, path, strerror(why));
	else if (!S_ISREG(st.st_mode))
		rc = pd_fail_set(fail, PD_E_USAGE, option, "--%s: %.200s is not a regular file", option, path);
	else if (st.st_mode & S_IRWXO)
		rc = pd_fail_set(fail, PD_E_USAGE, option, "--%s: other users may read or write %.200s; use chmod 600",
				 option, path);
	else
		rc = seal_of_file(option, path, data, (size_t)size, out, fail);
	OPENSSL_cleanse(data, sizeof data);
	return rc;
}
