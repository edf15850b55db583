#include "server/proofs/certificates/export_log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/clock.h"
#include "proto/base/hash.h"

/* A block: its sizes and checksum, the entries, each after its size in two bytes, and the state. The checksum is that
 * of the rest of the block with the block's offset as seed. */
enum {
	HEAD_BYTES = 16, /* le32 bytes of entries, le32 bytes of the state, le64 checksum */
	DUE_BYTES = 1 << 20,
	DUE_S = 1,
	SYNC_S = 5,
	BLOCK_MAX = 1 << 30
};

static int no_memory(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the log of an export");
}

/* --- reading ------------------------------------------------------------------------------ */

/* A block of the file: its sizes, and its bytes in `bytes`. */
struct block {
	uint32_t entries, state;
	const uint8_t *bytes;
};

/* Reads the block at the file's position. False at the end, and where the rest is not whole. */
static bool read_block(FILE *file, struct pd_buf *room, struct block *out)
{
	uint8_t head[HEAD_BYTES];
	long at = ftell(file);
	if (at < 0 || fread(head, 1, sizeof head, file) != sizeof head)
		return false;
	*out = (struct block){.entries = pd_get_le32(head), .state = pd_get_le32(head + 4)};
	if (out->entries > BLOCK_MAX || out->state > BLOCK_MAX)
		return false;
	size_t size = (size_t)out->entries + out->state;
	pd_buf_reset(room);
	if (!pd_buf_reserve(room, size) || fread(room->data, 1, size, file) != size)
		return false;
	out->bytes = (const uint8_t *)room->data;
	return XXH3_64bits_withSeed(room->data, size, (uint64_t)at) == pd_get_le64(head + 8);
}

static int give_entries(const struct block *b, const struct sv_export_log_reader *reader, struct pd_fail *fail)
{
	int rc = PD_OK;
	for (const uint8_t *p = b->bytes, *end = p + b->entries; p < end && !rc;) {
		size_t size = end - p >= 2 ? pd_get_le16(p) : 0;
		if (!size || (size_t)(end - p) - 2 < size)
			return pd_fail_set(fail, PD_E_CORRUPT, "file", "the log of an export has a malformed block");
		rc = reader->entry(reader->ctx, p + 2, size, fail);
		p += 2 + size;
	}
	return rc;
}

/* Whether the file begins with the title of this export. */
static bool has_title(const struct sv_export_log *log)
{
	size_t size = log->title.size;
	char *begin = malloc(size);
	bool good = begin && fread(begin, 1, size, log->file) == size && !memcmp(begin, log->title.data, size);
	free(begin);
	return good;
}

/* Finds the end of the last block with a state, after the title; that of the title when there is none. */
static long find_end(FILE *file, struct pd_buf *room)
{
	struct block b;
	long end = ftell(file);
	while (read_block(file, room, &b))
		if (b.state)
			end = ftell(file);
	return end;
}

/* Reads the blocks up to `end`. */
static int read_blocks(struct sv_export_log *log, long end, const struct sv_export_log_reader *reader,
		       struct pd_fail *fail)
{
	struct pd_buf room;
	struct block b = {0};
	int rc = fseek(log->file, (long)log->title.size, SEEK_SET) ? pd_fail_errno(fail, "file", "write", log->path)
								   : PD_OK;
	pd_buf_init(&room, SIZE_MAX / 2);
	while (!rc && ftell(log->file) < end) {
		rc = read_block(log->file, &room, &b) ? give_entries(&b, reader, fail)
						      : pd_fail_errno(fail, "file", "write", log->path);
		if (!rc && ftell(log->file) == end)
			rc = reader->state(reader->ctx, b.bytes + b.entries, b.state, fail);
	}
	pd_buf_fini(&room);
	return rc;
}

/* Two exports that wrote one log would spoil it. */
static int lock_file(const struct sv_export_log *log, struct pd_fail *fail)
{
	return flock(fileno(log->file), LOCK_EX | LOCK_NB)
		       ? pd_fail_set(fail, PD_E_BUSY, "file", "another export is writing %.200s", log->path)
		       : PD_OK;
}

static int read_log(struct sv_export_log *log, const struct sv_export_log_reader *reader, struct pd_fail *fail)
{
	struct pd_buf room;
	int rc = lock_file(log, fail);
	if (rc)
		return rc;
	if (!has_title(log)) {
		fclose(log->file);
		log->file = NULL;
		return PD_OK;
	}
	pd_buf_init(&room, SIZE_MAX / 2);
	long end = find_end(log->file, &room);
	pd_buf_fini(&room);
	rc = read_blocks(log, end, reader, fail);
	if (!rc && (ftruncate(fileno(log->file), end) || fseek(log->file, end, SEEK_SET)))
		rc = pd_fail_errno(fail, "file", "write", log->path);
	return rc;
}

int sv_export_log_open(struct sv_export_log *log, const char *path, const char *title,
		       const struct sv_export_log_reader *reader, struct pd_fail *fail)
{
	*log = (struct sv_export_log){.written_ns = pd_now_ns(), .synced_ns = pd_now_ns()};
	pd_buf_init(&log->title, SIZE_MAX / 2);
	pd_buf_init(&log->entries, BLOCK_MAX);
	pd_buf_printf(&log->title, "proofd export 1\n%s\n", title);
	if (log->title.failed)
		return no_memory(fail);
	if ((size_t)snprintf(log->path, sizeof log->path, "%s.work", path) >= sizeof log->path)
		return pd_fail_set(fail, PD_E_PARAMS, "file", "a file's name has at most %zu bytes",
				   sizeof log->path - sizeof ".work");
	struct stat st;
	log->file = lstat(log->path, &st) || !S_ISREG(st.st_mode) ? NULL : fopen(log->path, "r+be");
	return log->file ? read_log(log, reader, fail) : PD_OK;
}

/* --- writing ------------------------------------------------------------------------------ */

void sv_export_log_put(struct sv_export_log *log, const void *bytes, size_t size)
{
	uint8_t head[2];
	PD_ASSERT(size >= 1 && size <= UINT16_MAX);
	pd_put_le16(head, (uint16_t)size);
	pd_buf_put(&log->entries, head, sizeof head);
	pd_buf_put(&log->entries, bytes, size);
}

bool sv_export_log_is_due(const struct sv_export_log *log)
{
	return log->entries.size >= DUE_BYTES ||
	       (log->entries.size && pd_now_ns() - log->written_ns > (uint64_t)DUE_S * 1000000000);
}

static int begin_file(struct sv_export_log *log, struct pd_fail *fail)
{
	log->file = fopen(log->path, "abe"); /* not truncated before it is locked */
	int rc = log->file ? lock_file(log, fail) : pd_fail_errno(fail, "file", "write", log->path);
	if (!rc && (ftruncate(fileno(log->file), 0) ||
		    fwrite(log->title.data, 1, log->title.size, log->file) != log->title.size || fflush(log->file)))
		rc = pd_fail_errno(fail, "file", "write", log->path);
	return rc;
}

static bool write_block(struct sv_export_log *log, const struct pd_buf *block, uint64_t now)
{
	if (fwrite(block->data, 1, block->size, log->file) != block->size || fflush(log->file))
		return false;
	if (now - log->synced_ns < (uint64_t)SYNC_S * 1000000000)
		return true;
	log->synced_ns = now;
	return !fdatasync(fileno(log->file));
}

int sv_export_log_write(struct sv_export_log *log, const struct pd_buf *state, struct pd_fail *fail)
{
	struct pd_buf block;
	uint8_t head[HEAD_BYTES] = {0};
	int rc = log->file ? PD_OK : begin_file(log, fail);
	if (rc)
		return rc;
	long at = ftell(log->file);
	if (at < 0)
		return pd_fail_errno(fail, "file", "write", log->path);
	pd_buf_init(&block, SIZE_MAX / 2);
	pd_put_le32(head, (uint32_t)log->entries.size);
	pd_put_le32(head + 4, state ? (uint32_t)state->size : 0);
	pd_buf_put(&block, head, sizeof head);
	pd_buf_put(&block, log->entries.data, log->entries.size);
	if (state)
		pd_buf_put(&block, state->data, state->size);
	if (block.failed || log->entries.failed || (state && state->failed)) {
		rc = no_memory(fail);
	} else {
		pd_put_le64((uint8_t *)block.data + 8,
			    XXH3_64bits_withSeed(block.data + HEAD_BYTES, block.size - HEAD_BYTES, (uint64_t)at));
		log->written_ns = pd_now_ns();
		rc = write_block(log, &block, log->written_ns) ? PD_OK
							       : pd_fail_errno(fail, "file", "write", log->path);
	}
	pd_buf_fini(&block);
	pd_buf_reset(&log->entries);
	return rc;
}

void sv_export_log_close(struct sv_export_log *log, bool keep)
{
	if (log->file)
		fclose(log->file);
	if (log->file && !keep)
		unlink(log->path);
	pd_buf_fini(&log->title);
	pd_buf_fini(&log->entries);
	log->file = NULL;
}
