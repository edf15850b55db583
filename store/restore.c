/* Restore: a data directory made of a backup (backup.h). */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "store/archive.h"
#include "store/backup.h"
#include "store/filler.h"
#include "store/manifest.h"
#include "store/meta_record.h"
#include "store/moment.h"

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

static int open_file(struct restore *r, const struct st_backup_file *file, struct st_archive *a)
{
	int fd = openat(r->dir, file->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	*a = (struct st_archive){.fd = -1};
	if (fd < 0)
		return pd_fail_set(r->fail, errno == ENOENT ? PD_E_CORRUPT : pd_error_of_errno(errno), file->name,
				   "cannot open %s of the backup: %s", file->name, strerror(errno));
	return st_archive_open(a, fd, file->name, r->fail);
}

/* Takes a look at the list of runs, which says what other files there must be. */
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

/* Copies one file; `run`: that it is, else NULL. */
static int take_file(struct restore *r, const char *name, const struct st_run *run)
{
	struct st_archive a;
	struct st_archived x;
	uint64_t digest = 0;
	const struct st_backup_file *file = st_manifest_find(&r->manifest, name);
	if (!file)
		return pd_fail_set(r->fail, PD_E_CORRUPT, "MANIFEST", "the manifest of the backup does not name %s",
				   name);
	int got = 0, rc = open_file(r, file, &a);
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
		rc = fail_damaged(r, name, "it is another file than the manifest names");
	r->sum->bytes += rc ? 0 : a.bytes;
	st_archive_close(&a);
	return rc;
}

/* Who lied, if the directory knew of any when the backup was made. */
static int take_liars(struct restore *r, const char *dir)
{
	const struct st_backup_file *file = st_manifest_find(&r->manifest, "liars");
	struct st_backup_file there;
	if (!file)
		return PD_OK;
	int to = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (to < 0)
		return pd_fail_set(r->fail, pd_error_of_errno(errno), "data", "cannot open %.150s: %s", dir,
				   strerror(errno));
	int rc = st_backup_text(r->dir, to, "liars", &there, r->fail);
	close(to);
	if (!rc && (there.bytes != file->bytes || there.digest != file->digest))
		rc = fail_damaged(r, "liars", "it is another file than the manifest names");
	r->sum->bytes += rc ? 0 : there.bytes;
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
		snprintf(name, sizeof name, "run-%016" PRIx64, r->runs.run[i].id);
		rc = take_file(r, name, &r->runs.run[i]);
	}
	uint32_t files = r->runs.count + 2 + (st_manifest_find(&r->manifest, "liars") != NULL);
	if (!rc && r->manifest.count != files)
		rc = pd_fail_set(r->fail, PD_E_CORRUPT, "MANIFEST",
				 "the manifest of the backup names %" PRIu32 " files instead of %" PRIu32,
				 r->manifest.count, files);
	if (!rc)
		rc = take_liars(r, dir);
	return rc;
}

int st_restore(const char *backup, const char *dir, struct st_restored *out, struct pd_fail *fail)
{
	struct restore r = {.sum = out, .fail = fail};
	*out = (struct st_restored){0};
	PD_ASSERT(*dir);
	r.dir = open(backup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r.dir < 0)
		return pd_fail_set(fail, pd_error_of_errno(errno), "backup", "cannot open the backup %.150s: %s",
				   backup, strerror(errno));
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
