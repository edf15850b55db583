#include "store/archive.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "store/key.h"

enum {
	HEAD = 16,        /* of a file: magic, le32 version, le32 0 */
	RECORD_HEAD = 8,  /* table, 0, le16 size of the key, le32 size of the value */
	END = 24,         /* a record head, le64 number of records, le64 digest */
	END_TABLE = 0xff, /* instead of a table's number: the end */
	VERSION = 1,
	RECORD_MAX = RECORD_HEAD + ST_DB_KEY_MAX + ST_VALUE_MAX,
	SHARE = 1 << 20, /* bytes that are read or written at once */
	ROOM = RECORD_MAX + SHARE
};

static const char magic[] = "proofd-b";

static int fail_corrupt(const struct st_archive *a, const char *what, struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_CORRUPT, a->name, "%s of the backup is damaged: %s", a->name, what);
}

static int start_archive(struct st_archive *a, int fd, const char *name, struct pd_fail *fail)
{
	*a = (struct st_archive){.fd = fd, .name = name, .room = malloc(ROOM), .digest = XXH3_createState()};
	if (!a->room || !a->digest) {
		st_archive_close(a);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a file of a backup");
	}
	XXH3_64bits_reset(a->digest);
	return PD_OK;
}

void st_archive_close(struct st_archive *a)
{
	if (a->fd >= 0)
		close(a->fd);
	free(a->room);
	if (a->digest)
		XXH3_freeState(a->digest);
	*a = (struct st_archive){.fd = -1};
}

static int drain_buffer(struct st_archive *a, struct pd_fail *fail)
{
	if (!st_write_all(a->fd, a->room + a->at, a->end - a->at))
		return pd_fail_errno(fail, a->name, "write", a->name);
	a->at = a->end = 0;
	return PD_OK;
}

static void append_bytes(struct st_archive *a, const void *bytes, size_t size)
{
	PD_ASSERT(a->end + size <= ROOM);
	if (!size)
		return;
	memcpy(a->room + a->end, bytes, size);
	a->end += size;
	a->bytes += size;
	XXH3_64bits_update(a->digest, bytes, size);
}

int st_archive_create(struct st_archive *a, int fd, const char *name, struct pd_fail *fail)
{
	uint8_t head[HEAD] = {0};
	int rc = start_archive(a, fd, name, fail);
	if (rc)
		return rc;
	memcpy(head, magic, 8);
	pd_put_le32(head + 8, VERSION);
	append_bytes(a, head, sizeof head);
	return PD_OK;
}

static void head_put(uint8_t *p, uint32_t table, size_t key, size_t value)
{
	p[0] = (uint8_t)table;
	p[1] = 0;
	pd_put_le16(p + 2, (uint16_t)key);
	pd_put_le32(p + 4, (uint32_t)value);
}

int st_archive_put(struct st_archive *a, uint32_t table, struct st_data key, struct st_data value, struct pd_fail *fail)
{
	uint8_t head[RECORD_HEAD];
	PD_ASSERT(table < END_TABLE && key.size && key.size <= ST_DB_KEY_MAX && value.size <= ST_VALUE_MAX);
	int rc = a->end >= SHARE ? drain_buffer(a, fail) : PD_OK;
	if (rc)
		return rc;
	head_put(head, table, key.size, value.size);
	append_bytes(a, head, sizeof head);
	append_bytes(a, key.bytes, key.size);
	append_bytes(a, value.bytes, value.size);
	a->records++;
	return PD_OK;
}

int st_archive_finish(struct st_archive *a, uint64_t *digest, struct pd_fail *fail)
{
	uint8_t end[END];
	int rc = a->end >= SHARE ? drain_buffer(a, fail) : PD_OK;
	if (rc)
		return rc;
	head_put(end, END_TABLE, 0, END - RECORD_HEAD);
	pd_put_le64(end + 8, a->records);
	pd_put_le64(end + 16, XXH3_64bits_digest(a->digest));
	append_bytes(a, end, sizeof end);
	*digest = XXH3_64bits_digest(a->digest);
	rc = drain_buffer(a, fail);
	if (!rc && fdatasync(a->fd))
		rc = pd_fail_errno(fail, a->name, "sync", a->name);
	return rc;
}

/* Makes `need` bytes available, if the file has them. */
static int fill_buffer(struct st_archive *a, size_t need, struct pd_fail *fail)
{
	PD_ASSERT(need <= RECORD_MAX);
	if (a->end - a->at >= need)
		return PD_OK;
	memmove(a->room, a->room + a->at, a->end - a->at);
	a->end -= a->at;
	a->at = 0;
	while (a->end < need) {
		ssize_t n = read(a->fd, a->room + a->end, ROOM - a->end);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return pd_fail_errno(fail, a->name, "read", a->name);
		if (n == 0)
			return fail_corrupt(a, "it is truncated", fail);
		a->end += (size_t)n;
	}
	return PD_OK;
}

static const uint8_t *consume_bytes(struct st_archive *a, size_t size)
{
	const uint8_t *p = a->room + a->at;
	PD_ASSERT(a->at + size <= a->end);
	XXH3_64bits_update(a->digest, p, size);
	a->at += size;
	a->bytes += size;
	return p;
}

int st_archive_open(struct st_archive *a, int fd, const char *name, struct pd_fail *fail)
{
	int rc = start_archive(a, fd, name, fail);
	if (!rc)
		rc = fill_buffer(a, HEAD, fail);
	if (!rc) {
		const uint8_t *p = consume_bytes(a, HEAD);
		if (memcmp(p, magic, 8))
			rc = fail_corrupt(a, "it does not begin like a file of a backup", fail);
		else if (pd_get_le32(p + 8) != VERSION)
			rc = pd_fail_set(fail, PD_E_FORMAT, name,
					 "%s is of version %u, and this program reads version %d", name,
					 pd_get_le32(p + 8), VERSION);
	}
	if (rc)
		st_archive_close(a);
	return rc;
}

/* Does not consume an invalid end, so that writing can continue after the last record. */
static int read_end(struct st_archive *a, uint64_t *digest, struct pd_fail *fail)
{
	uint8_t more;
	if (fill_buffer(a, END, fail))
		return -1;
	const uint8_t *p = a->room + a->at;
	if (p[1] || p[2] || p[3] || pd_get_le32(p + 4) != END - RECORD_HEAD || pd_get_le64(p + 8) != a->records ||
	    pd_get_le64(p + 16) != XXH3_64bits_digest(a->digest))
		return fail_corrupt(a, "its checksum does not match", fail) ? -1 : 0;
	if (a->end - a->at > END || read(a->fd, &more, 1) != 0)
		return fail_corrupt(a, "there are bytes after its end", fail) ? -1 : 0;
	consume_bytes(a, END);
	*digest = XXH3_64bits_digest(a->digest);
	return 0;
}

int st_archive_next(struct st_archive *a, struct st_archived *out, uint64_t *digest, struct pd_fail *fail)
{
	if (fill_buffer(a, RECORD_HEAD, fail))
		return -1;
	const uint8_t *p = a->room + a->at;
	if (p[0] == END_TABLE)
		return read_end(a, digest, fail);
	size_t key = pd_get_le16(p + 2), value = pd_get_le32(p + 4);
	if (p[1] || !key || key > ST_DB_KEY_MAX || value > ST_VALUE_MAX)
		return fail_corrupt(a, "a record has impossible sizes", fail) ? -1 : 0;
	if (fill_buffer(a, RECORD_HEAD + key + value, fail))
		return -1;
	p = consume_bytes(a, RECORD_HEAD + key + value);
	a->records++;
	*out = (struct st_archived){p[0], {p + RECORD_HEAD, key}, {p + RECORD_HEAD + key, value}};
	return 1;
}

int st_archive_resume(struct st_archive *a, struct pd_fail *fail)
{
	PD_ASSERT(a->bytes >= HEAD);
	a->at = a->end = 0;
	if (ftruncate(a->fd, (off_t)a->bytes) || lseek(a->fd, (off_t)a->bytes, SEEK_SET) < 0)
		return pd_fail_errno(fail, a->name, "go on with", a->name);
	return PD_OK;
}
