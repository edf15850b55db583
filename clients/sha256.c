#include "clients/sha256.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>

#include "clients/options.h"
#include "proto/base/assert.h"

enum { PIECE = 1 << 16 };

struct cl_sha256 {
	EVP_MD_CTX *context; /* owned */
	unsigned char piece[PIECE];
};

struct cl_sha256 *cl_sha256_begin(void)
{
	struct cl_sha256 *hash = calloc(1, sizeof *hash);
	if (!hash)
		return NULL;
	hash->context = EVP_MD_CTX_new();
	if (hash->context && EVP_DigestInit_ex(hash->context, EVP_sha256(), NULL) == 1)
		return hash;
	EVP_MD_CTX_free(hash->context);
	free(hash);
	return NULL;
}

void cl_sha256_put(struct cl_sha256 *hash, const void *data, size_t size)
{
	PD_ASSERT(hash && (data || !size));
	int done = EVP_DigestUpdate(hash->context, data, size);
	PD_ASSERT(done == 1);
}

void cl_sha256_end(struct cl_sha256 *hash, char out[CL_SHA256_TEXT])
{
	unsigned char bytes[EVP_MAX_MD_SIZE];
	unsigned size = 0;
	out[0] = 0;
	if (!hash)
		return;
	int done = EVP_DigestFinal_ex(hash->context, bytes, &size);
	PD_ASSERT(done == 1 && 2 * size + 1 == CL_SHA256_TEXT);
	for (unsigned i = 0; i < size; i++)
		snprintf(out + (size_t)2 * i, 3, "%02x", bytes[i]);
	EVP_MD_CTX_free(hash->context);
	free(hash);
}

int cl_sha256_file(const char *path, char out[CL_SHA256_TEXT], struct pd_fail *fail)
{
	struct cl_sha256 *hash = cl_sha256_begin();
	FILE *file = fopen(path, "rb");
	size_t size;
	int rc = PD_OK;
	if (!hash)
		rc = cl_no_memory(fail);
	while (file && hash && (size = fread(hash->piece, 1, PIECE, file)) > 0)
		cl_sha256_put(hash, hash->piece, size);
	if (!rc && (!file || ferror(file)))
		rc = pd_fail_set(fail, PD_E_IO, "file", "cannot read %.200s: %s", path, strerror(errno));
	if (file)
		fclose(file);
	cl_sha256_end(hash, out);
	return rc;
}
