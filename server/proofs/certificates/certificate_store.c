#include "server/proofs/certificates/certificate_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/log.h"

void sv_certificates_touch(const char *path)
{
	utimensat(AT_FDCWD, path, NULL, 0); /* on failure it only looks older than it is */
}

static int compare_age(const void *a, const void *b)
{
	const struct sv_kept *x = a, *y = b;
	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

int sv_certificates_list(const char *path, struct sv_kept **out, size_t *count, uint64_t *bytes, struct pd_fail *fail)
{
	DIR *directory = opendir(path);
	int rc = directory || errno == ENOENT ? PD_OK : pd_fail_errno(fail, "proofs", "read", path);
	struct sv_kept *found = NULL;
	size_t room = 0;
	const struct dirent *e;
	*count = 0;
	*bytes = 0;
	while (directory && !rc && (e = readdir(directory)) != NULL) {
		struct stat st;
		if (e->d_name[0] == '.' || strlen(e->d_name) >= sizeof found->name ||
		    fstatat(dirfd(directory), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		if (*count == room) {
			room = room ? 2 * room : 64;
			struct sv_kept *grown = realloc(found, room * sizeof *found);
			if (!grown) {
				rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to list certificates");
				break;
			}
			found = grown;
		}
		found[*count] = (struct sv_kept){.bytes = (uint64_t)st.st_size, .used = st.st_mtim};
		memcpy(found[*count].name, e->d_name, strlen(e->d_name) + 1);
		*bytes += found[(*count)++].bytes;
	}
	if (directory)
		closedir(directory);
	if (rc) {
		free(found);
		return rc;
	}
	if (found)
		qsort(found, *count, sizeof *found, compare_age);
	*out = found;
	return PD_OK;
}

/* True for the file of a certificate that was never completed. */
static bool is_part(const struct sv_kept *c)
{
	size_t length = strlen(c->name);
	return length > 5 && !strcmp(c->name + length - 5, ".part");
}

/* Removes a file unless it may be in use. Returns the bytes freed. */
static uint64_t remove_certificate(const char *directory, const struct sv_kept *c)
{
	char path[4096];
	struct timespec now;
	snprintf(path, sizeof path, "%s/%s", directory, c->name);
	clock_gettime(CLOCK_REALTIME, &now);
	if (c->used.tv_sec <= now.tv_sec && now.tv_sec - c->used.tv_sec < SV_CERTIFICATE_BUSY_S)
		return 0;
	if (unlink(path) && errno != ENOENT) {
		pd_log(PD_LOG_WARN, "the certificate %s cannot be removed: %s", c->name, strerror(errno));
		return 0;
	}
	return c->bytes;
}

uint64_t sv_certificates_trim(const char *directory, uint64_t most, const char *keep)
{
	size_t count;
	uint64_t bytes;
	struct sv_kept *found;
	struct pd_fail fail;
	if (sv_certificates_list(directory, &found, &count, &bytes, &fail)) {
		pd_log(PD_LOG_WARN, "no room is made for certificates: %s", fail.text);
		return 0;
	}
	for (size_t i = 0; i < count; i++)
		if (is_part(&found[i]))
			bytes -= remove_certificate(directory, &found[i]);
	for (size_t i = 0; i < count && bytes > most; i++) {
		if (is_part(&found[i]) || (keep && !strcmp(found[i].name, keep)))
			continue;
		uint64_t got = remove_certificate(directory, &found[i]);
		bytes -= got;
		if (got)
			pd_log(PD_LOG_INFO, "the certificate %s is removed: certificates exceed their limit",
			       found[i].name);
	}
	free(found);
	return bytes;
}

int sv_certificates_drop(const char *data, struct pd_fail *fail)
{
	char path[4096];
	int rc = PD_OK;
	snprintf(path, sizeof path, "%s/proofs", data);
	DIR *proofs = opendir(path);
	const struct dirent *e;
	if (!proofs && errno != ENOENT)
		return pd_fail_errno(fail, "data", "read", path);
	while (proofs && !rc && (e = readdir(proofs))) {
		int n = snprintf(path, sizeof path, "%s/proofs/%s", data, e->d_name);
		if (e->d_name[0] != '.' && (n >= (int)sizeof path || (unlink(path) && errno != ENOENT)))
			rc = pd_fail_set(fail, PD_E_IO, "data", "%.200s cannot be removed: %s", path, strerror(errno));
	}
	if (proofs)
		closedir(proofs);
	return rc;
}

/* --- what a certificate says of itself ---------------------------------------------------- */

bool sv_certificate_text_read(const char *path, struct sv_certificate_text *out)
{
	struct stat st;
	FILE *file = fopen(path, "rbe");
	if (!file)
		return false;
	size_t size = fread(out->lines, 1, SV_CERTIFICATE_HEAD_MAX, file);
	bool good = size > 0 && !fstat(fileno(file), &st) && S_ISREG(st.st_mode);
	fclose(file);
	if (!good)
		return false;
	PD_ASSERT(size <= SV_CERTIFICATE_HEAD_MAX);
	out->lines[size] = 0;
	char *end = strstr(out->lines, "\n\n");
	if (end)
		end[1] = 0;
	out->bytes = (uint64_t)st.st_size;
	return true;
}

unsigned sv_certificate_format(const struct sv_certificate_text *text)
{
	static const char first[] = "proofd certificate ";
	return strncmp(text->lines, first, sizeof first - 1)
		       ? 0
		       : (unsigned)strtoul(text->lines + sizeof first - 1, NULL, 10);
}

void sv_certificate_word(const struct sv_certificate_text *text, const char *name, char *out, size_t size)
{
	char begin[32];
	int length = snprintf(begin, sizeof begin, "\n%s: ", name);
	PD_ASSERT(length > 0 && length < (int)sizeof begin && size);
	const char *at = strstr(text->lines, begin);
	at = at ? at + length : "";
	snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
}

uint64_t sv_certificate_number(const struct sv_certificate_text *text, const char *name)
{
	char word[32];
	sv_certificate_word(text, name, word, sizeof word);
	return strtoull(word, NULL, 10);
}
