#include "server/proofs/tables/table_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "proto/base/bytes.h"
#include "proto/base/hash.h"
#include "server/common/memory_bound.h"
#include "store/files.h"
#include "store/tables.h"

enum { CHECKPOINT_ENTRY = 4 /* bytes */, TRIES = 100 };

#define SUFFIX_LOCK ".lock"
#define SUFFIX_NEW  ".new"

/* DIR/tables/NAME of the class with a suffix. */
static int path_of(const struct sv_table_work *w, const struct game_class *class, const char *suffix, char out[ST_PATH],
		   struct pd_fail *fail)
{
	char name[ST_TABLE_NAME], folder[ST_PATH];
	st_table_name(w->game->name, class->name, suffix, name);
	int rc = st_path(folder, w->order->dir, ST_TABLES, "", fail);
	return rc ? rc : st_path(out, folder, name, "", fail);
}

/* --- tables that exist -------------------------------------------------------------------- */

int sv_table_open(const struct sv_table_work *w, const struct game_class *class, struct st_table_file **out,
		  struct pd_fail *fail)
{
	char path[ST_PATH];
	int rc = path_of(w, class, ST_TABLE_SUFFIX, path, fail);
	rc = rc ? rc : st_table_open(path, out, fail);
	if (rc)
		return rc;
	const struct pd_table_head *h = st_table_head(*out);
	if (h->size == class->size && !strcmp(h->class, class->name) && !strcmp(h->game, w->game->name) &&
	    h->rules == w->game->rules_version)
		return PD_OK;
	bool other = strcmp(h->game, w->game->name) != 0; /* whose name is alike: it is not to be replaced */
	st_table_close(*out);
	return pd_fail_set(fail, other ? PD_E_FORMAT : PD_E_CORRUPT, "material",
			   "%.300s is a table of another game, class or version of the rules", path);
}

void sv_table_tell(const struct st_table_file *file, struct sv_table_built *out)
{
	const struct pd_table_head *h = st_table_head(file);
	memcpy(out->class, h->class, sizeof out->class);
	memcpy(out->digest, h->digest, sizeof out->digest);
	out->entries = h->size;
	out->wins = h->wins;
	out->losses = h->losses;
	out->draws = h->draws;
	out->longest = h->longest;
	out->bytes = st_table_bytes(file);
}

void sv_table_count(struct pd_table_head *h, uint16_t entry)
{
	if (pd_table_decided(entry)) {
		h->wins += pd_table_wins(entry);
		h->losses += !pd_table_wins(entry);
		h->longest = pd_table_plies(entry) > h->longest ? pd_table_plies(entry) : h->longest;
	} else {
		h->draws += entry == PD_TABLE_DRAW;
	}
}

static void digest_part(void *ctx, const void *bytes, size_t size)
{
	EVP_DigestUpdate(ctx, bytes, size);
}

int sv_table_digest(struct st_table_file *file, uint8_t out[PD_TABLE_DIGEST], struct pd_fail *fail)
{
	EVP_MD_CTX *sha = EVP_MD_CTX_new();
	if (!sha || EVP_DigestInit_ex(sha, EVP_sha256(), NULL) != 1) {
		EVP_MD_CTX_free(sha);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a digest");
	}
	int rc = st_table_signed(file, digest_part, sha, fail);
	if (!rc)
		EVP_DigestFinal_ex(sha, out, NULL);
	EVP_MD_CTX_free(sha);
	return rc;
}

int sv_table_sound(struct st_table_file *file, struct pd_fail *fail)
{
	const struct pd_table_head *h = st_table_head(file);
	uint16_t block[PD_TABLE_BLOCK];
	uint8_t digest[PD_TABLE_DIGEST];
	for (uint64_t b = 0; b < pd_table_blocks(h->size); b++)
		if (!st_table_unpack(file, b, block))
			return pd_fail_set(fail, PD_E_CORRUPT, "tables", "block %" PRIu64 " is damaged", b);
	int rc = sv_table_digest(file, digest, fail);
	return rc || !memcmp(digest, h->digest, sizeof digest)
		       ? rc
		       : pd_fail_set(fail, PD_E_CORRUPT, "tables", "the digest in its header is wrong");
}

int sv_table_there(const struct sv_table_work *w, const struct game_class *class, struct sv_table_built *out,
		   struct pd_fail *fail)
{
	struct st_table_file *file;
	int rc = sv_table_open(w, class, &file, fail);
	if (!rc) {
		rc = sv_table_sound(file, fail);
		sv_table_tell(file, out);
		st_table_close(file);
	}
	return !rc ? 1 : rc == PD_E_NOT_FOUND || rc == PD_E_CORRUPT ? 0 : -1;
}

/* --- lock --------------------------------------------------------------------------------- */

int sv_table_lock(const struct sv_table_work *w, int *fd, struct pd_fail *fail)
{
	char path[ST_PATH];
	struct st_file_id ours, there;
	int rc = path_of(w, &w->class, SUFFIX_LOCK, path, fail);
	for (unsigned i = 0; !rc && i < TRIES; i++) {
		*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (*fd < 0)
			return pd_fail_errno(fail, "data", "open", path);
		if (flock(*fd, LOCK_EX | LOCK_NB)) {
			close(*fd);
			break;
		}
		/* Whoever had it before may have removed the file after it was opened here. */
		if (st_file_id_of_fd(*fd, &ours) && st_file_id_of(path, &there) && st_file_id_equal(&ours, &there))
			return PD_OK;
		close(*fd);
	}
	return rc ? rc
		  : pd_fail_set(fail, PD_E_BUSY, "material", "another process builds the table %s of %s", w->class.name,
				w->game->name);
}

void sv_table_unlock(const struct sv_table_work *w, int fd)
{
	char path[ST_PATH];
	if (!path_of(w, &w->class, SUFFIX_LOCK, path, NULL))
		unlink(path);
	close(fd);
}

/* --- writing ------------------------------------------------------------------------------ */

/* A file that takes the place of another when it is complete. */
struct fresh {
	char path[ST_PATH], final[ST_PATH];
	int fd;
	EVP_MD_CTX *sha; /* owned; NULL: no digest */
};

static int fresh_open(const struct sv_table_work *w, const char *suffix, struct fresh *f, struct pd_fail *fail)
{
	f->fd = -1;
	f->sha = NULL;
	int rc = path_of(w, &w->class, suffix, f->final, fail);
	rc = rc ? rc : path_of(w, &w->class, SUFFIX_NEW, f->path, fail);
	if (rc)
		return rc;
	f->fd = open(f->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (f->fd < 0)
		return pd_fail_errno(fail, "data", "make", f->path);
	st_own_file(f->fd, w->order->dir, ST_OWN_DATA);
	return PD_OK;
}

static int fresh_put(struct fresh *f, const void *bytes, size_t size, struct pd_fail *fail)
{
	if (f->sha)
		EVP_DigestUpdate(f->sha, bytes, size);
	return st_write_all(f->fd, bytes, size) ? PD_OK : pd_fail_errno(fail, "data", "write", f->path);
}

/* Syncs and renames the file unless `rc` says that it failed; else removes it. */
static int fresh_close(const struct sv_table_work *w, struct fresh *f, int rc, struct pd_fail *fail)
{
	char folder[ST_PATH];
	if (f->fd < 0) {
		EVP_MD_CTX_free(f->sha);
		return rc;
	}
	if (!rc && fsync(f->fd))
		rc = pd_fail_errno(fail, "data", "write", f->path);
	if (close(f->fd) && !rc)
		rc = pd_fail_errno(fail, "data", "write", f->path);
	if (!rc && rename(f->path, f->final))
		rc = pd_fail_errno(fail, "data", "rename", f->path);
	if (rc)
		unlink(f->path);
	EVP_MD_CTX_free(f->sha);
	rc = rc ? rc : st_path(folder, w->order->dir, ST_TABLES, "", fail);
	return rc ? rc : st_sync_directory(folder, fail);
}

/* A checkpoint: the header of the table without counts, an empty line, u32 plies settled, u32 greatest plies due, `due`
 * and `left`, u64 checksum of all before it. */
struct state_head {
	char text[PD_TABLE_HEADER_MAX];
	size_t size;
};

static struct state_head state_head(const struct sv_table_work *w)
{
	struct pd_table_head h = {.rules = w->game->rules_version, .size = w->class.size};
	struct state_head s;
	snprintf(h.game, sizeof h.game, "%s", w->game->name);
	snprintf(h.class, sizeof h.class, "%s", w->class.name);
	s.size = pd_table_write_head(&h, false, s.text);
	pd_put_le32((uint8_t *)s.text + s.size, w->settled);
	pd_put_le32((uint8_t *)s.text + s.size + 4, atomic_load(&w->most));
	s.size += 8;
	return s;
}

static uint64_t state_sum(const struct sv_table_work *w, const struct state_head *head)
{
	size_t n = (size_t)w->class.size;
	uint64_t sums[3] = {pd_hash64(head->text, head->size), pd_hash64((const void *)w->due, n * sizeof *w->due),
			    pd_hash64((const void *)w->left, n * sizeof *w->left)};
	return pd_hash64(sums, sizeof sums);
}

int sv_table_save(const struct sv_table_work *w, struct pd_fail *fail)
{
	struct state_head head = state_head(w);
	struct fresh f;
	size_t n = (size_t)w->class.size;
	uint64_t sum = state_sum(w, &head);
	int rc = fresh_open(w, ST_UNFINISHED, &f, fail);
	rc = rc ? rc : fresh_put(&f, head.text, head.size, fail);
	rc = rc ? rc : fresh_put(&f, (const void *)w->due, n * sizeof *w->due, fail);
	rc = rc ? rc : fresh_put(&f, (const void *)w->left, n * sizeof *w->left, fail);
	rc = rc ? rc : fresh_put(&f, &sum, sizeof sum, fail);
	return fresh_close(w, &f, rc, fail);
}

/* Whether the file, of this machine's byte order, is a checkpoint of this build. */
static bool read_state(struct sv_table_work *w, FILE *in)
{
	size_t n = (size_t)w->class.size;
	struct state_head want = state_head(w), head = {.size = want.size};
	uint64_t sum;
	if (fread(head.text, 1, head.size, in) != head.size || memcmp(head.text, want.text, head.size - 8) != 0 ||
	    fread((void *)w->due, sizeof *w->due, n, in) != n || fread((void *)w->left, sizeof *w->left, n, in) != n ||
	    fread(&sum, sizeof sum, 1, in) != 1 || getc(in) != EOF || sum != state_sum(w, &head))
		return false;
	w->settled = pd_get_le32((const uint8_t *)head.text + head.size - 8);
	atomic_store(&w->most, pd_get_le32((const uint8_t *)head.text + head.size - 4));
	return true;
}

int sv_table_restore(struct sv_table_work *w, struct pd_fail *fail)
{
	char path[ST_PATH];
	if (path_of(w, &w->class, ST_UNFINISHED, path, fail))
		return -1;
	FILE *in = st_open_regular(path);
	if (!in && pd_fail_errno(fail, "data", "read", path) == PD_E_NO_MEMORY)
		return -1;
	bool good = in && read_state(w, in);
	if (in)
		fclose(in);
	if (!good) { /* none, or one of a build that was changed or damaged: from the beginning */
		memset((void *)w->due, 0, (size_t)w->class.size * sizeof *w->due);
		memset((void *)w->left, 0, (size_t)w->class.size * sizeof *w->left);
	}
	return good;
}

bool sv_table_forget(const struct sv_table_work *w)
{
	char path[ST_PATH];
	if (!path_of(w, &w->class, SUFFIX_NEW, path, NULL)) /* of a process that was killed while it wrote */
		unlink(path);
	return !path_of(w, &w->class, ST_UNFINISHED, path, NULL) && !unlink(path);
}

int sv_table_room(const struct sv_table_work *w, struct pd_fail *fail)
{
	struct statvfs disk;
	char path[ST_PATH];
	/* A checkpoint, the next one, or a table that cannot be packed. */
	uint64_t need = 2 * CHECKPOINT_ENTRY * w->class.size;
	int rc = st_path(path, w->order->dir, ST_TABLES, "", fail);
	if (rc || statvfs(path, &disk))
		return rc ? rc : pd_fail_errno(fail, "data", "look at", path);
	uint64_t have = (uint64_t)disk.f_bavail * disk.f_frsize;
	char needed[SV_SIZE_TEXT], available[SV_SIZE_TEXT];
	return have >= need ? PD_OK
			    : pd_fail_set(fail, PD_E_NO_SPACE, "data",
					  "the table %s of %s takes up to %s of disk to build, and %s are free",
					  w->class.name, w->game->name, sv_size_text(need, needed),
					  sv_size_text(have, available));
}

static uint16_t entry_of(const struct sv_table_work *w, uint64_t i)
{
	uint16_t due = atomic_load_explicit(&w->due[i], memory_order_relaxed);
	if (due == DUE_HOLE)
		return PD_TABLE_HOLE;
	if ((due & 3) == DUE_WIN)
		return pd_table_win(due >> 2);
	return (due & 3) == DUE_LOSS ? pd_table_loss(due >> 2) : PD_TABLE_DRAW;
}

/* Writes blocks and index. */
static int write_body(struct sv_table_work *w, struct fresh *f, uint64_t *ends, struct pd_fail *fail)
{
	uint16_t entries[PD_TABLE_BLOCK];
	uint8_t *packed = malloc(PD_TABLE_PACKED_MAX);
	uint64_t blocks = pd_table_blocks(w->class.size), end = 0, size = w->class.size;
	int rc = packed ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to write a table");
	for (uint64_t b = 0; b < blocks && !rc; b++) {
		uint64_t from = b * PD_TABLE_BLOCK;
		unsigned count = size - from < PD_TABLE_BLOCK ? (unsigned)(size - from) : PD_TABLE_BLOCK;
		for (unsigned i = 0; i < count; i++)
			entries[i] = entry_of(w, from + i);
		size_t bytes = pd_table_pack(b, entries, count, packed);
		ends[b] = end += bytes;
		rc = fresh_put(f, packed, bytes, fail);
	}
	free(packed);
	if (rc)
		return rc;
	size_t index_size = (size_t)pd_table_index_size(blocks);
	uint8_t *index = malloc(index_size);
	if (!index)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to write a table");
	pd_table_write_index(ends, blocks, index);
	rc = fresh_put(f, index, index_size, fail);
	free(index);
	return rc;
}

/* Writes the digest, whose place was left. */
static int write_digest(struct fresh *f, struct pd_table_head *h, struct pd_fail *fail)
{
	char text[PD_TABLE_HEADER_MAX];
	EVP_DigestFinal_ex(f->sha, h->digest, NULL);
	size_t size = pd_table_write_head(h, true, text);
	return pwrite(f->fd, text, size, 0) == (ssize_t)size ? PD_OK : pd_fail_errno(fail, "data", "write", f->path);
}

int sv_table_write(struct sv_table_work *w, struct sv_table_built *out, struct pd_fail *fail)
{
	struct pd_table_head h = {.rules = w->game->rules_version, .size = w->class.size};
	char text[PD_TABLE_HEADER_MAX];
	struct fresh f;
	w->progress.phase = SV_TABLE_WRITING;
	snprintf(h.game, sizeof h.game, "%s", w->game->name);
	snprintf(h.class, sizeof h.class, "%s", w->class.name);
	for (uint64_t i = 0; i < w->class.size; i++)
		sv_table_count(&h, entry_of(w, i));
	uint64_t *ends = calloc((size_t)pd_table_blocks(w->class.size), sizeof *ends);
	int rc = fresh_open(w, ST_TABLE_SUFFIX, &f, fail);
	f.sha = EVP_MD_CTX_new();
	if (!rc && (!ends || !f.sha || EVP_DigestInit_ex(f.sha, EVP_sha256(), NULL) != 1))
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to write a table");
	size_t whole = pd_table_write_head(&h, true, text), head = pd_table_write_head(&h, false, text);
	rc = rc ? rc : fresh_put(&f, text, head, fail);
	if (!rc && lseek(f.fd, (off_t)whole, SEEK_SET) < 0)
		rc = pd_fail_errno(fail, "data", "write", f.path);
	rc = rc ? rc : write_body(w, &f, ends, fail);
	rc = rc ? rc : write_digest(&f, &h, fail);
	rc = fresh_close(w, &f, rc, fail);
	free(ends);
	return rc ? rc : (sv_table_there(w, &w->class, out, fail) > 0 ? PD_OK : fail->code);
}
