/* Files of a backup: the first byte says whether it is a manifest or an archive. What decodes is bounded and sound; an
 * archive that is cut off can be gone on with. */
#define _GNU_SOURCE /* memfd_create */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/archive.h"
#include "store/manifest.h"
#include "store/moment.h"
#include "tests/fuzz/fuzz.h"

static void manifest(const uint8_t *data, size_t size)
{
	struct st_manifest m;
	struct pd_fail fail = {.code = 0};
	char *text = malloc(size + 1);
	FUZZ_CHECK(text);
	memcpy(text, data, size);
	text[size] = 0;
	int rc = st_manifest_parse(text, &m, &fail);
	FUZZ_CHECK(!rc || (fail.code == rc && fail.text[0]));
	FUZZ_CHECK(rc || m.count <= ST_BACKUP_FILES_MAX);
	for (uint32_t i = 0; !rc && i < m.count; i++)
		FUZZ_CHECK(st_manifest_find(&m, m.file[i].name) == &m.file[i] && !strchr(m.file[i].name, '/'));
	free(text);
}

/* Reads an archive from its beginning; returns how the reading ended. */
static int read_all(int fd, struct st_archive *a, uint64_t *records)
{
	struct st_archived r;
	struct pd_fail fail;
	uint64_t digest, run = 1;
	int got;
	*records = 0;
	if (lseek(fd, 0, SEEK_SET) || st_archive_open(a, dup(fd), "fuzz", &fail))
		return -2;
	while ((got = st_archive_next(a, &r, &digest, &fail)) > 0) {
		FUZZ_CHECK(r.key.size && r.key.size <= ST_DB_KEY_MAX && r.value.size <= ST_VALUE_MAX);
		st_table_record_sound(r.table, run, r.key, r.value);
		++*records;
	}
	return got;
}

static void archive(const uint8_t *data, size_t size)
{
	struct st_archive a;
	struct pd_fail fail;
	uint64_t records, again, digest;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	int got = read_all(fd, &a, &records);
	/* What is whole is kept, and with an end it is an archive. */
	if (got == -1) {
		FUZZ_CHECK(!st_archive_resume(&a, &fail));
		FUZZ_CHECK(!st_archive_put(&a, 1, (struct st_data){"k", 1}, (struct st_data){"v", 1}, &fail));
		FUZZ_CHECK(!st_archive_finish(&a, &digest, &fail));
		st_archive_close(&a);
		FUZZ_CHECK(read_all(fd, &a, &again) == 0 && again == records + 1);
	}
	if (got > -2)
		st_archive_close(&a);
	close(fd);
}

FUZZ(backup)
{
	if (size && data[0] == 'M')
		manifest(data + 1, size - 1);
	else if (size)
		archive(data + 1, size - 1);
	return 0;
}
