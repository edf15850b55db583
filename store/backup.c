#include "store/backup.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "store/archive.h"
#include "store/filler.h"
#include "store/manifest.h"
#include "store/meta_record.h"
#include "store/moment.h"
#include "store/store_state.h"

enum { LOOK = 256, /* records between two calls of go_on */ PATH_ROOM = ST_BACKUP_NAME_MAX + 16 };

static const char suffix[] = ".partial", part_suffix[] = ".part";

struct backup {
	const struct st_backup_order *order;
	struct st_backup_sum *sum;
	struct pd_fail *fail;
	struct st_moment *moment; /* NULL once it is no longer needed */
	int place, dir;           /* descriptors of the place and of the backup in it */
	char partial[PATH_ROOM];
	struct st_manifest manifest;

	struct st_archive out;      /* the file that is being written */
	struct st_run_proof *proof; /* of the run in `out`; NULL: another file */
	uint64_t looked;            /* sum->done at the last call of go_on */
};

int st_backup_name_check(const char *name, struct pd_fail *fail)
{
	size_t n = strlen(name), end = sizeof suffix - 1;
	bool good = n >= 1 && n <= ST_BACKUP_NAME_MAX && name[0] != '.' && name[0] != '-' && strcmp(name, "liars") &&
		    (n < end || strcmp(name + n - end, suffix) != 0);
	for (size_t i = 0; good && i < n; i++)
		good = isascii((unsigned char)name[i]) && (isalnum((unsigned char)name[i]) || strchr("._-", name[i]));
	if (good)
		return PD_OK;
	return pd_fail_set(fail, PD_E_PARAMS, "name",
			   "a backup's name is 1 to %d of the characters A-Z a-z 0-9 . _ -; it begins with a letter or "
			   "a digit, does not end in %s, and is not `liars`, a file there",
			   ST_BACKUP_NAME_MAX, suffix);
}

static int check_stop(struct backup *b)
{
	if (b->sum->done - b->looked < LOOK)
		return PD_OK;
	b->looked = b->sum->done;
	if (b->order->go_on && !b->order->go_on(b->order->ctx, b->sum))
		return pd_fail_set(b->fail, PD_E_SHUTDOWN, "backup",
				   "the backup was interrupted; another one of the same name continues it");
	if (b->moment && st_moment_is_in_the_way(b->moment))
		return pd_fail_set(b->fail, PD_E_IO, "backup",
				   "a write to the data directory failed meanwhile; another backup of the same name "
				   "continues this one");
	return PD_OK;
}

/* --- verifying ---------------------------------------------------------------------------- */

static int fail_broken(const char *name, struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_CORRUPT, "backup", "%s of the backup is damaged: a record has a wrong checksum",
			   name);
}

static bool is_sound(struct st_run_proof *proof, const struct st_archived *r)
{
	if (proof)
		return r->table == ST_TABLE_RUN && st_run_proof_add(proof, r->key, r->value);
	return r->table < ST_TABLE_RUN && st_table_record_sound(r->table, 0, r->key, r->value);
}

/* Reads an archive to its end. *file: its size and digest. */
static int verify_archive(struct backup *b, struct st_archive *a, struct st_run_proof *proof,
			  struct st_backup_file *file)
{
	struct st_archived r;
	int got, rc = PD_OK;
	while (!rc && (got = st_archive_next(a, &r, &file->digest, b->fail)) > 0) {
		if (!is_sound(proof, &r))
			return fail_broken(a->name, b->fail);
		b->sum->done++;
		rc = check_stop(b);
	}
	if (rc || got < 0)
		return rc ? rc : b->fail->code;
	if (proof && !st_run_proof_complete(proof))
		return pd_fail_set(b->fail, PD_E_CORRUPT, "backup", "%s of the backup lacks blocks", a->name);
	file->bytes = a->bytes;
	return PD_OK;
}

/* Opens an archive in the directory of a backup. */
static int open_file(int dir, const char *name, struct st_archive *a, struct pd_fail *fail)
{
	struct stat st;
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	*a = (struct st_archive){.fd = -1};
	if (fd < 0)
		return pd_fail_errno(fail, "backup", "open", name);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return pd_fail_set(fail, PD_E_CORRUPT, "backup", "%s of the backup is not a file", name);
	}
	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return st_archive_open(a, fd, name, fail);
}

/* --- writing ------------------------------------------------------------------------------ */

static int put_record(void *ctx, uint32_t table, struct st_data key, struct st_data value)
{
	struct backup *b = ctx;
	if (b->proof && !st_run_proof_add(b->proof, key, value))
		return st_env_corrupt(&b->moment->store->facts.env, b->fail, "a block of a run is missing");
	int rc = st_archive_put(&b->out, b->proof ? ST_TABLE_RUN : table, key, value, b->fail);
	b->sum->done++;
	return rc ? rc : check_stop(b);
}

static void list_file(struct backup *b, const char *name, const struct st_backup_file *file)
{
	PD_ASSERT(b->manifest.count < ST_BACKUP_FILES_MAX && strlen(name) < sizeof file->name);
	struct st_backup_file *listed = &b->manifest.file[b->manifest.count++];
	*listed = *file;
	memcpy(listed->name, name, strlen(name) + 1);
	b->sum->files++;
}

/* Ends the file that is being written, renames it, and verifies it by reading it back from the disk. */
static int finish_file(struct backup *b, const char *part, const char *name)
{
	struct st_backup_file file = {.bytes = 0}, again = {.bytes = 0};
	struct st_archive a;
	struct st_run_proof proof = {.run = b->proof ? b->proof->run : (struct st_run){0}};
	int rc = st_archive_finish(&b->out, &file.digest, b->fail);
	if (rc)
		return rc;
	posix_fadvise(b->out.fd, 0, 0, POSIX_FADV_DONTNEED);
	file.bytes = b->out.bytes;
	if (renameat(b->dir, part, b->dir, name))
		return pd_fail_errno(b->fail, "backup", "rename", part);
	rc = open_file(b->dir, name, &a, b->fail);
	if (!rc)
		rc = verify_archive(b, &a, b->proof ? &proof : NULL, &again);
	st_archive_close(&a);
	if (!rc && (file.bytes != again.bytes || file.digest != again.digest))
		rc = pd_fail_set(b->fail, PD_E_CORRUPT, "backup", "%s does not contain what was written to it", name);
	if (rc) {
		if (rc == PD_E_CORRUPT)
			unlinkat(b->dir, name, 0);
		return rc;
	}
	list_file(b, name, &file);
	return PD_OK;
}

static int create_file(struct backup *b, const char *part)
{
	unlinkat(b->dir, part, 0);
	int fd = openat(b->dir, part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? pd_fail_errno(b->fail, "backup", "create", part)
		      : st_archive_create(&b->out, fd, part, b->fail);
}

/* Copies the tables first to past - 1 to one file. */
static int copy_tables(struct backup *b, const char *name, uint32_t first, uint32_t past)
{
	char part[ST_BACKUP_FILE_NAME + sizeof part_suffix];
	snprintf(part, sizeof part, "%s%s", name, part_suffix);
	b->proof = NULL;
	int rc = create_file(b, part);
	for (uint32_t table = first; !rc && table < past; table++)
		rc = st_moment_each(b->moment, &(struct st_moment_walk){table, {NULL, 0}, put_record, b}, b->fail);
	if (!rc)
		rc = finish_file(b, part, name);
	b->sum->bytes_copied += b->out.bytes;
	st_archive_close(&b->out);
	return rc;
}

/* --- runs --------------------------------------------------------------------------------- */

static void print_run_name(const struct st_run *run, char out[ST_BACKUP_FILE_NAME])
{
	snprintf(out, ST_BACKUP_FILE_NAME, "run-%016" PRIx64, run->id);
}

/* True when the file exists and holds the run; removes a file that does not. *rc: error that ends the backup. */
static bool keep_file(struct backup *b, const struct st_run *run, const char *name, int *rc)
{
	struct st_archive a;
	struct st_backup_file file = {.bytes = 0};
	struct st_run_proof proof = {.run = *run};
	uint64_t done = b->sum->done;
	*rc = PD_OK;
	if (faccessat(b->dir, name, F_OK, AT_SYMLINK_NOFOLLOW))
		return false;
	b->sum->done += run->blocks; /* they need not be copied */
	int why = open_file(b->dir, name, &a, b->fail);
	if (!why)
		why = verify_archive(b, &a, &proof, &file);
	st_archive_close(&a);
	if (!why) {
		list_file(b, name, &file);
		b->sum->files_kept++;
		b->sum->bytes_kept += file.bytes;
		return true;
	}
	b->sum->done = b->looked = done;
	if (why == PD_E_CORRUPT || why == PD_E_FORMAT)
		unlinkat(b->dir, name, 0);
	else
		*rc = why;
	return false;
}

/* A new list of the entries of an open directory; NULL with errno. */
static DIR *list_directory(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	if (fd >= 0 && !list)
		close(fd);
	return list;
}

/* Links the run from any complete backup in the place. */
static bool link_file(struct backup *b, const struct st_run *run, const char *name, int *rc)
{
	struct dirent *entry;
	DIR *list = list_directory(b->place);
	bool found = false;
	*rc = PD_OK;
	while (list && !found && !*rc && (entry = readdir(list)) != NULL) {
		struct st_manifest manifest;
		if (st_backup_name_check(entry->d_name, NULL))
			continue;
		int other = openat(b->place, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (other < 0)
			continue;
		if (!st_manifest_read(other, &manifest, NULL) && st_manifest_find(&manifest, name) &&
		    !linkat(other, name, b->dir, name, 0))
			found = keep_file(b, run, name, rc);
		close(other);
	}
	if (list)
		closedir(list);
	return found;
}

/* Opens the part of the run that an interrupted backup has written; the copy continues after proof->last. False when no
 * part is usable. */
static bool resume_run(struct backup *b, const char *part, struct st_run_proof *proof)
{
	struct st_archived r;
	uint64_t digest;
	int got, fd = openat(b->dir, part, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || st_archive_open(&b->out, fd, part, NULL))
		return false;
	while ((got = st_archive_next(&b->out, &r, &digest, NULL)) > 0 && is_sound(proof, &r))
		continue;
	/* A part with a wrong record is not used, because the records before it are in doubt too. */
	if (got < 0 && proof->blocks == b->out.records && proof->blocks && !st_archive_resume(&b->out, NULL)) {
		b->sum->bytes_kept += b->out.bytes;
		b->sum->done += proof->blocks;
		return true;
	}
	st_archive_close(&b->out);
	*proof = (struct st_run_proof){.run = proof->run};
	return false;
}

static int copy_run(struct backup *b, const struct st_run *run, const char *name)
{
	char part[ST_BACKUP_FILE_NAME + sizeof part_suffix];
	struct st_run_proof proof = {.run = *run};
	uint8_t after[ST_DB_KEY_MAX];
	snprintf(part, sizeof part, "%s%s", name, part_suffix);
	int rc = resume_run(b, part, &proof) ? PD_OK : create_file(b, part);
	uint64_t had = rc ? 0 : proof.blocks ? b->out.bytes : 0;
	size_t after_size = proof.last_size;
	memcpy(after, proof.last, after_size);
	b->proof = &proof;
	if (!rc)
		rc = st_moment_each(
			b->moment,
			&(struct st_moment_walk){ST_TABLE_RUN + run->slot, {after, after_size}, put_record, b},
			b->fail);
	if (!rc && !st_run_proof_complete(&proof))
		rc = st_env_corrupt(&b->moment->store->facts.env, b->fail, "a run lacks blocks");
	if (!rc)
		rc = finish_file(b, part, name);
	b->sum->bytes_copied += b->out.bytes - had;
	st_archive_close(&b->out);
	b->proof = NULL;
	return rc;
}

static int save_run(struct backup *b, const struct st_run *run)
{
	char name[ST_BACKUP_FILE_NAME];
	int rc;
	print_run_name(run, name);
	bool kept = keep_file(b, run, name, &rc);
	if (!kept && !rc)
		kept = link_file(b, run, name, &rc);
	return kept || rc ? rc : copy_run(b, run, name);
}

/* --- the directory ------------------------------------------------------------------------ */

/* Removes the files of an interrupted backup that this one does not need: runs that are no longer listed, and the other
 * tables. */
static int clear_leftovers(struct backup *b)
{
	struct dirent *entry;
	DIR *list = list_directory(b->dir);
	if (!list)
		return pd_fail_errno(b->fail, "backup", "read", b->partial);
	while ((entry = readdir(list)) != NULL) {
		bool needed = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
		for (uint32_t i = 0; !needed && i < b->moment->runs.count; i++) {
			char name[ST_BACKUP_FILE_NAME], part[ST_BACKUP_FILE_NAME + sizeof part_suffix];
			print_run_name(&b->moment->runs.run[i], name);
			snprintf(part, sizeof part, "%s%s", name, part_suffix);
			needed = !strcmp(entry->d_name, name) || !strcmp(entry->d_name, part);
		}
		if (!needed)
			unlinkat(b->dir, entry->d_name, 0);
	}
	closedir(list);
	return PD_OK;
}

static int refuse_known(const struct backup *b)
{
	struct stat st;
	return fstatat(b->place, b->order->name, &st, AT_SYMLINK_NOFOLLOW)
		       ? PD_OK
		       : pd_fail_set(b->fail, PD_E_STATE, "name",
				     "a backup named %s already exists: choose another name", b->order->name);
}

static int open_directories(struct backup *b)
{
	const char *name = b->order->name;
	snprintf(b->partial, sizeof b->partial, "%s%s", name, suffix);
	b->place = open(b->order->place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (b->place < 0)
		return pd_fail_errno(b->fail, "backup", "open", b->order->place);
	if (refuse_known(b))
		return b->fail->code;
	if (mkdirat(b->place, b->partial, 0700) && errno != EEXIST)
		return pd_fail_errno(b->fail, "backup", "create", b->partial);
	b->dir = openat(b->place, b->partial, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (b->dir < 0)
		return pd_fail_errno(b->fail, "backup", "open", b->partial);
	if (flock(b->dir, LOCK_EX | LOCK_NB))
		return pd_fail_set(b->fail, PD_E_BUSY, "name", "another process is making the backup %s", name);
	return refuse_known(b); /* another process may have completed it, whose directory this is */
}

/* Counts the records to copy and to verify. */
static int count_all(struct backup *b)
{
	uint64_t n;
	int rc = PD_OK;
	for (uint32_t i = 0; i < b->moment->runs.count; i++)
		b->sum->all += 2 * b->moment->runs.run[i].blocks;
	for (uint32_t table = 0; !rc && table < ST_WORK_COUNT; table++) {
		rc = st_moment_count(b->moment, table, &n, b->fail);
		b->sum->all += rc ? 0 : 2 * n;
	}
	return rc;
}

/* Lists what `more` has added. */
static int list_experiments(struct backup *b)
{
	struct st_backup_file file;
	int rc = st_backup_describe(b->dir, ST_BACKUP_EXPERIMENTS, &file, b->fail);
	if (rc)
		return rc == PD_E_NOT_FOUND ? PD_OK : rc;
	list_file(b, ST_BACKUP_EXPERIMENTS, &file);
	b->sum->bytes_copied += file.bytes;
	return PD_OK;
}

static int publish_backup(struct backup *b, const char *data)
{
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s/%s", b->order->place, b->partial) >= (int)sizeof path)
		return pd_fail_set(b->fail, PD_E_LIMIT, "name", "the path of the backup is too long");
	int rc = b->order->more ? b->order->more(b->order->more_ctx, data, path, b->fail) : PD_OK;
	if (!rc)
		rc = list_experiments(b);
	if (!rc)
		rc = st_manifest_write(b->dir, &b->manifest, b->fail);
	if (!rc) /* a backup made by root belongs to the owner of the data */
		rc = st_own_like(path, data, b->fail);
	if (rc)
		return rc;
	if (renameat(b->place, b->partial, b->place, b->order->name))
		return pd_fail_errno(b->fail, "backup", "rename", b->partial);
	return fsync(b->place) ? pd_fail_errno(b->fail, "backup", "sync", b->order->place) : PD_OK;
}

/* Copies the list of liars, if the directory has one. */
static int copy_liars(struct backup *b)
{
	struct st_backup_file file;
	int from = open(b->moment->store->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (from < 0)
		return pd_fail_errno(b->fail, "backup", "open", b->moment->store->dir);
	int rc = st_backup_text(from, b->dir, "liars", &file, b->fail);
	close(from);
	if (rc)
		return rc == PD_E_NOT_FOUND ? PD_OK : rc;
	list_file(b, "liars", &file);
	b->sum->bytes_copied += file.bytes;
	return PD_OK;
}

static int copy_all(struct backup *b)
{
	b->manifest.made_ms = pd_wall_ms();
	int rc = count_all(b);
	if (!rc)
		rc = clear_leftovers(b);
	if (!rc)
		rc = copy_tables(b, "facts", ST_TABLE_FACTS_META, ST_TABLE_FACTS_GAMES + 1);
	if (!rc)
		rc = copy_tables(b, "work", 0, ST_WORK_COUNT);
	if (!rc)
		rc = copy_liars(b);
	for (uint32_t i = 0; !rc && i < b->moment->runs.count; i++)
		rc = save_run(b, &b->moment->runs.run[i]);
	return rc;
}

int st_backup(struct st_store *store, const struct st_backup_order *order, struct st_backup_sum *out,
	      struct pd_fail *fail)
{
	struct st_moment moment;
	struct backup b = {.order = order, .sum = out, .fail = fail, .place = -1, .dir = -1, .out = {.fd = -1}};
	*out = (struct st_backup_sum){0};
	int rc = st_backup_name_check(order->name, fail);
	if (!rc && !store->dir)
		rc = pd_fail_set(fail, PD_E_STATE, "",
				 "a server that keeps everything in memory has nothing to back up");
	if (!rc)
		rc = open_directories(&b);
	if (!rc)
		rc = st_moment_open(store, &moment, fail);
	if (!rc) {
		b.moment = &moment;
		rc = copy_all(&b);
		st_moment_close(&moment);
		b.moment = NULL;
	}
	if (!rc)
		rc = publish_backup(&b, store->dir);
	if (!rc)
		out->done = out->all;
	if (b.dir >= 0)
		close(b.dir);
	if (b.place >= 0)
		close(b.place);
	return rc;
}

/* --- restoring ---------------------------------------------------------------------------- */

struct restore {
	int dir; /* descriptor of the backup */
	struct st_manifest manifest;
	struct st_run_list runs;
	bool runs_found;
	struct st_filler filler;
	struct st_restored *sum;
	struct pd_fail *fail;
};

static int fail_damaged(struct restore *r, const char *name, const char *what)
{
	return pd_fail_set(r->fail, PD_E_CORRUPT, name, "%s of the backup is damaged: %s", name, what);
}

/* Notes the list of runs, which says which other files must exist. */
static int note_runs(struct restore *r, const struct st_archived *x)
{
	MDB_val v = {x->value.size, (void *)(uintptr_t)x->value.bytes};
	if (x->table != ST_TABLE_FACTS_META || st_meta_find(ST_META_FACTS, x->key.bytes, x->key.size) != ST_META_RUNS)
		return PD_OK;
	if (r->runs_found || !st_unseal(x->key.bytes, x->key.size, &v) ||
	    !st_run_list_unpack(v.mv_data, v.mv_size, &r->runs))
		return fail_damaged(r, "facts", "the list of runs does not decode");
	r->runs_found = true;
	return PD_OK;
}

static bool table_belongs(const char *name, uint32_t table, const struct st_run *run)
{
	if (run)
		return table == ST_TABLE_RUN;
	bool facts = table == ST_TABLE_FACTS_META || table == ST_TABLE_FACTS_GAMES;
	return strcmp(name, "facts") ? table < ST_WORK_COUNT : facts;
}

/* Copies one file; `run`: the run that it holds, else NULL. */
static int take_file(struct restore *r, const char *name, const struct st_run *run)
{
	struct st_archive a;
	struct st_archived x;
	uint64_t digest = 0;
	const struct st_backup_file *file = st_manifest_find(&r->manifest, name);
	if (!file)
		return pd_fail_set(r->fail, PD_E_CORRUPT, "MANIFEST", "the manifest of the backup does not name %s",
				   name);
	int got = 0, rc = open_file(r->dir, name, &a, r->fail);
	while (!rc && (got = st_archive_next(&a, &x, &digest, r->fail)) > 0) {
		if (!table_belongs(name, x.table, run) ||
		    !st_table_record_sound(x.table, run ? run->id : 0, x.key, x.value))
			rc = fail_damaged(r, name, "a record has a wrong checksum");
		if (!rc)
			rc = note_runs(r, &x);
		if (!rc)
			rc = st_filler_put(&r->filler, run ? ST_TABLE_RUN + run->slot : x.table, x.key, x.value,
					   r->fail);
	}
	if (!rc && got < 0)
		rc = r->fail->code;
	if (!rc && (a.bytes != file->bytes || digest != file->digest))
		rc = fail_damaged(r, name, "it is not the file that the manifest names");
	r->sum->bytes += rc ? 0 : a.bytes;
	st_archive_close(&a);
	return rc;
}

/* Copies the list of liars, if the directory had one when the backup was made. */
static int take_liars(struct restore *r, const char *dir)
{
	const struct st_backup_file *file = st_manifest_find(&r->manifest, "liars");
	struct st_backup_file there;
	if (!file)
		return PD_OK;
	int to = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (to < 0)
		return pd_fail_errno(r->fail, "data", "open", dir);
	int rc = st_backup_text(r->dir, to, "liars", &there, r->fail);
	close(to);
	if (!rc && (there.bytes != file->bytes || there.digest != file->digest))
		rc = fail_damaged(r, "liars", "it is not the file that the manifest names");
	r->sum->bytes += rc ? 0 : there.bytes;
	return rc;
}

/* Verifies the experiments, which the caller copies. */
static int verify_experiments(struct restore *r)
{
	const struct st_backup_file *file = st_manifest_find(&r->manifest, ST_BACKUP_EXPERIMENTS);
	struct st_backup_file there;
	if (!file)
		return PD_OK;
	int rc = st_backup_describe(r->dir, ST_BACKUP_EXPERIMENTS, &there, r->fail);
	if (!rc && (there.bytes != file->bytes || there.digest != file->digest))
		rc = fail_damaged(r, ST_BACKUP_EXPERIMENTS, "it is not the file that the manifest names");
	r->sum->bytes += rc ? 0 : there.bytes;
	r->sum->experiments = !rc;
	return rc;
}

static int take_all(struct restore *r, const char *dir)
{
	int rc = take_file(r, "facts", NULL);
	if (!rc && !r->runs_found)
		rc = fail_damaged(r, "facts", "it has no list of runs");
	if (!rc)
		rc = take_file(r, "work", NULL);
	for (uint32_t i = 0; !rc && i < r->runs.count; i++) {
		char name[ST_BACKUP_FILE_NAME];
		print_run_name(&r->runs.run[i], name);
		rc = take_file(r, name, &r->runs.run[i]);
	}
	uint32_t files = r->runs.count + 2 + (st_manifest_find(&r->manifest, "liars") != NULL) +
			 (st_manifest_find(&r->manifest, ST_BACKUP_EXPERIMENTS) != NULL);
	if (!rc && r->manifest.count != files)
		rc = pd_fail_set(r->fail, PD_E_CORRUPT, "MANIFEST",
				 "the manifest of the backup names %" PRIu32 " files instead of %" PRIu32,
				 r->manifest.count, files);
	if (!rc)
		rc = take_liars(r, dir);
	return rc ? rc : verify_experiments(r);
}

int st_restore(const char *backup, const char *dir, struct st_restored *out, struct pd_fail *fail)
{
	struct restore r = {.sum = out, .fail = fail};
	*out = (struct st_restored){0};
	PD_ASSERT(*dir);
	r.dir = open(backup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r.dir < 0)
		return pd_fail_errno(fail, "backup", "open the backup", backup);
	int rc = st_manifest_read(r.dir, &r.manifest, fail);
	if (!rc)
		rc = st_filler_open(&r.filler, dir, fail);
	if (!rc)
		rc = take_all(&r, dir);
	if (!rc)
		rc = st_filler_finish(&r.filler, dir, fail);
	st_filler_close(&r.filler);
	close(r.dir);
	out->made_ms = r.manifest.made_ms;
	out->records = r.filler.records;
	return rc;
}
