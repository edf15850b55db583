#include "store/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/buf.h"
#include "proto/base/hash.h"

enum { MANIFEST_MAX = 1 << 14, TEXT_MAX = 1 << 16, VERSION = 1 };

static const char file_name[] = "MANIFEST";

/* Writes a file under another name, and renames it once it is on disk. */
static bool write_file(int dir, const char *name, const char *data, size_t size)
{
	char part[ST_BACKUP_FILE_NAME + 8];
	snprintf(part, sizeof part, "%s.new", name);
	int fd = openat(dir, part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool good = fd >= 0 && st_write_all(fd, data, size) && !fsync(fd);
	good = good && !renameat(dir, part, dir, name) && !fsync(dir);
	if (fd >= 0)
		close(fd);
	return good;
}

int st_manifest_write(int dir, const struct st_manifest *m, struct pd_fail *fail)
{
	struct pd_buf text;
	PD_ASSERT(m->count && m->count <= ST_BACKUP_FILES_MAX);
	pd_buf_init(&text, MANIFEST_MAX);
	pd_buf_printf(&text, "proofd-backup %d\nformat %d\nmade %" PRId64 "\n", VERSION, ST_FORMAT_VERSION, m->made_ms);
	for (uint32_t i = 0; i < m->count; i++)
		pd_buf_printf(&text, "file %s %" PRIu64 " %016" PRIx64 "\n", m->file[i].name, m->file[i].bytes,
			      m->file[i].digest);
	if (!text.failed)
		pd_buf_printf(&text, "sum %016" PRIx64 "\n", pd_hash64(text.data, text.size));
	if (text.failed) {
		pd_buf_fini(&text);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the manifest of a backup");
	}
	int rc = write_file(dir, file_name, text.data, text.size)
			 ? PD_OK
			 : pd_fail_errno(fail, file_name, "write", "the manifest of a backup");
	pd_buf_fini(&text);
	return rc;
}

/* Reads at most `room` bytes of a file; returns their number, or -1 with errno. */
static ssize_t read_file(int dir, const char *name, char *out, size_t room)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	size_t size = 0;
	ssize_t n = 1;
	if (fd < 0)
		return -1;
	for (; n > 0 && size<room; size += n> 0 ? (size_t)n : 0)
		n = read(fd, out + size, room - size);
	close(fd);
	return n < 0 ? -1 : (ssize_t)size;
}

static int read_text(int dir, char *out, size_t room, struct pd_fail *fail)
{
	ssize_t size = read_file(dir, file_name, out, room - 1);
	if (size < 0)
		return errno == ENOENT
			       ? pd_fail_set(fail, PD_E_NOT_FOUND, file_name,
					     "the file MANIFEST is missing: this is not a backup, or an incomplete one")
			       : pd_fail_errno(fail, file_name, "read", "the manifest of a backup");
	out[size] = 0;
	if (strlen(out) != (size_t)size || (size_t)size + 1 == room)
		return pd_fail_set(fail, PD_E_CORRUPT, file_name, "the manifest of the backup is damaged");
	return PD_OK;
}

static int fail_damaged(const char *line, struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_CORRUPT, file_name, "the manifest of the backup is damaged at '%.*s'",
			   (int)strcspn(line, "\n") < 60 ? (int)strcspn(line, "\n") : 60, line);
}

/* Decodes one line; false when it is not exactly as a manifest would have it. */
static bool read_file_line(const char *line, struct st_backup_file *out)
{
	char again[128];
	if (sscanf(line, "file %23[a-z0-9-] %" SCNu64 " %16" SCNx64, out->name, &out->bytes, &out->digest) != 3)
		return false;
	int n = snprintf(again, sizeof again, "file %s %" PRIu64 " %016" PRIx64 "\n", out->name, out->bytes,
			 out->digest);
	return n < (int)sizeof again && !strncmp(line, again, (size_t)n);
}

int st_manifest_parse(const char *text, struct st_manifest *out, struct pd_fail *fail)
{
	int version = 0, format = 0, used = 0;
	char sum[32] = "";
	const char *last = strstr(text, "\nsum ");
	*out = (struct st_manifest){0};
	if (sscanf(text, "proofd-backup %d\n", &version) != 1)
		return fail_damaged(text, fail);
	if (version != VERSION)
		return pd_fail_set(fail, PD_E_FORMAT, file_name,
				   "the backup is of version %d, and this program reads version %d", version, VERSION);
	if (!last)
		return fail_damaged("sum", fail);
	snprintf(sum, sizeof sum, "sum %016" PRIx64 "\n", pd_hash64(text, (size_t)(last + 1 - text)));
	if (strcmp(last + 1, sum) != 0)
		return pd_fail_set(fail, PD_E_CORRUPT, file_name,
				   "the checksum of the backup's manifest does not match");
	const char *line = strchr(text, '\n') + 1;
	if (sscanf(line, "format %d\nmade %" SCNd64 "\n%n", &format, &out->made_ms, &used) != 2)
		return fail_damaged(line, fail);
	if (format != ST_FORMAT_VERSION)
		return pd_fail_set(fail, PD_E_FORMAT, file_name,
				   "the backup is of a directory of format version %d, and this program reads and "
				   "writes version %d only",
				   format, ST_FORMAT_VERSION);
	for (line += used; line < last + 1; line = strchr(line, '\n') + 1) {
		if (out->count == ST_BACKUP_FILES_MAX || !read_file_line(line, &out->file[out->count]) ||
		    st_manifest_find(out, out->file[out->count].name))
			return fail_damaged(line, fail);
		out->count++;
	}
	return PD_OK;
}

int st_manifest_read(int dir, struct st_manifest *out, struct pd_fail *fail)
{
	char *text = malloc(MANIFEST_MAX + 1);
	if (!text)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the manifest of a backup");
	int rc = read_text(dir, text, MANIFEST_MAX + 1, fail);
	if (!rc)
		rc = st_manifest_parse(text, out, fail);
	PD_ASSERT(rc || out->count <= ST_BACKUP_FILES_MAX);
	free(text);
	return rc;
}

const struct st_backup_file *st_manifest_find(const struct st_manifest *m, const char *name)
{
	for (uint32_t i = 0; i < m->count; i++)
		if (!strcmp(m->file[i].name, name))
			return &m->file[i];
	return NULL;
}

int st_backup_text(int from, int to, const char *name, struct st_backup_file *out, struct pd_fail *fail)
{
	char *text = malloc(TEXT_MAX);
	int rc = PD_OK;
	PD_ASSERT(strlen(name) < ST_BACKUP_FILE_NAME);
	if (!text)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a file of a backup");
	ssize_t size = read_file(from, name, text, TEXT_MAX);
	if (size < 0)
		rc = pd_fail_errno(fail, name, "read", name);
	else if (size == TEXT_MAX)
		rc = pd_fail_set(fail, PD_E_CORRUPT, name, "%s is too long", name);
	else if (!write_file(to, name, text, (size_t)size))
		rc = pd_fail_errno(fail, name, "write", name);
	if (!rc) {
		*out = (struct st_backup_file){.bytes = (uint64_t)size, .digest = pd_hash64(text, (size_t)size)};
		memcpy(out->name, name, strlen(name) + 1);
	}
	free(text);
	return rc;
}

int st_backup_describe(int dir, const char *name, struct st_backup_file *out, struct pd_fail *fail)
{
	struct st_backup_file file = {.bytes = 0};
	ssize_t size = -1;
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char *piece = malloc(TEXT_MAX);
	XXH3_state_t *digest = XXH3_createState();
	PD_ASSERT(strlen(name) < ST_BACKUP_FILE_NAME);
	if (fd >= 0 && piece && digest) {
		XXH3_64bits_reset(digest);
		while ((size = read(fd, piece, TEXT_MAX)) > 0) {
			XXH3_64bits_update(digest, piece, (size_t)size);
			file.bytes += (uint64_t)size;
		}
		file.digest = XXH3_64bits_digest(digest);
	}
	int rc = size < 0 ? pd_fail_errno(fail, name, "read", name) : PD_OK;
	if (!rc) {
		memcpy(file.name, name, strlen(name) + 1);
		*out = file;
	}
	if (fd >= 0)
		close(fd);
	free(piece);
	XXH3_freeState(digest);
	return rc;
}
