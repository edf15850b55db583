/* Backups: what is restored is what was there at one moment; interrupted ones go on; damage is found. */
#include "store/backup.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/bytes.h"
#include "proto/base/hash.h"
#include "tests/store/store_fixture.h"
#include "tests/support/effort.h"

enum { FACTS = 60000, FEW = 12000, JOBS = 3, STEP = 2000, STEPS_MAX = 30 };

struct rig {
	struct fixture f;
	char place[256];
	int looks_left; /* -1: no limit */
};

static void rig_setup(struct rig *r)
{
	*r = (struct rig){.looks_left = -1};
	set_up(&r->f, true);
	storedir_new(r->place, sizeof r->place);
}

static void remove_all(const char *path)
{
	char sub[512];
	const struct dirent *entry;
	DIR *dir = opendir(path);
	while (dir && (entry = readdir(dir)) != NULL) {
		snprintf(sub, sizeof sub, "%s/%s", path, entry->d_name);
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			storedir_remove(sub);
	}
	if (dir)
		closedir(dir);
	storedir_remove(path);
}

static void rig_teardown(struct rig *r)
{
	tear_down(&r->f);
	remove_all(r->place);
}

static bool go_on(void *ctx, const struct st_backup_sum *sum)
{
	struct rig *r = ctx;
	ck_assert_uint_le(sum->done, sum->all);
	return r->looks_left < 0 || r->looks_left-- > 0;
}

static int back_up(struct rig *r, const char *name, struct st_backup_sum *sum)
{
	return st_backup(r->f.store, &(struct st_backup_order){r->place, name, go_on, r}, sum, &r->f.fail);
}

/* --- what is in a store ------------------------------------------------------------------- */

static void key_of(uint32_t n, char out[24])
{
	snprintf(out, 24, "%08x-%u", (unsigned)(n * 2654435761u), n);
}

/* The facts first.. first + STEP - 1, a table entry for each, and the job's record, which says how far it is. */
static void put_step(struct fixture *f, uint32_t job, uint32_t first)
{
	struct st_batch *batch = begin_batch(f);
	struct st_tt_entry entry = {{0}};
	char key[24], record[40];
	for (uint32_t i = first; i < first + STEP; i++) {
		key_of(i, key);
		ck_assert_msg(add_fact(batch, key, make_reason(PD_LO, (int)(i % 3), 1 + (int)(i % 50)), &f->fail) == 0,
			      "%s", f->fail.text);
		pd_put_le32(entry.bytes, i + 1);
		ck_assert(!st_batch_tt_question(batch, job, (struct pd_id){1, 2}, &f->fail));
		ck_assert(!st_batch_tt(batch, job, &entry, 1, &f->fail));
	}
	snprintf(record, sizeof record, "so far %u", first + STEP);
	ck_assert(!st_batch_job_put(batch, job, record, strlen(record), &f->fail));
	ck_assert(!st_batch_event(batch, job, record, strlen(record), &f->fail));
	ck_assert_msg(!st_batch_commit(batch, &f->fail), "%s", f->fail.text);
}

static void put_jobs(struct fixture *f)
{
	uint32_t id;
	struct st_batch *batch = begin_batch(f);
	ck_assert(!st_batch_game(batch, "g", 1, &id, &f->fail));
	for (unsigned i = 0; i < JOBS; i++)
		ck_assert(!st_batch_job_new(batch, &id, &f->fail));
	ck_assert(!st_batch_commit(batch, &f->fail));
}

static void fill_store(struct fixture *f, uint32_t facts)
{
	put_jobs(f);
	st_tune(f->store, &(struct st_tuning){.flush_facts = facts / 4});
	for (uint32_t i = 0; i < facts; i += STEP) {
		put_step(f, 1 + i / STEP % JOBS, i);
		ck_assert_int_ge(st_facts_maintain(f->store, false, &f->fail), 0);
	}
}

/* A digest of all that can be read. */
struct content {
	XXH3_state_t *state;
	uint64_t facts, records, entries, digest;
};

static void feed(struct content *c, const void *bytes, size_t size)
{
	XXH3_64bits_update(c->state, &size, sizeof size);
	if (size)
		XXH3_64bits_update(c->state, bytes, size);
}

static int feed_fact(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct content *c = ctx;
	feed(c, &game, sizeof game);
	feed(c, key, size);
	for (uint32_t i = 0; i < fact->count; i++) {
		const struct pd_reason *r = &pd_fact_reasons(fact)[i];
		int64_t x[] = {r->bound, r->side, r->rank, r->move, r->effort, r->job};
		feed(c, x, sizeof x);
	}
	c->facts++;
	return 0;
}

static int feed_job(void *ctx, uint32_t job, const void *record, size_t size)
{
	struct content *c = ctx;
	feed(c, &job, sizeof job);
	feed(c, record, size);
	c->records++;
	return 0;
}

static int feed_event(void *ctx, const void *record, size_t size)
{
	return feed_job(ctx, 0, record, size);
}

static int feed_entries(void *ctx, const struct st_tt_entry *entries, size_t count)
{
	struct content *c = ctx;
	for (size_t i = 0; i < count; i++)
		feed(c, entries[i].bytes, sizeof entries[i].bytes);
	c->entries += count;
	return 0;
}

static struct content content_of(struct st_store *store)
{
	struct content c = {.state = XXH3_createState()};
	struct st_reader *reader;
	struct pd_fail fail = {.text = ""};
	uint64_t identity = st_identity(store);
	XXH3_64bits_reset(c.state);
	feed(&c, &identity, sizeof identity);
	ck_assert(!st_reader_open(store, &reader, &fail));
	ck_assert_msg(!st_fact_each(reader, feed_fact, &c, &fail), "%s", fail.text);
	st_reader_close(reader);
	ck_assert_msg(!st_job_each(store, feed_job, &c, &fail), "%s", fail.text);
	for (uint32_t job = 1; job <= JOBS; job++) {
		ck_assert_msg(!st_event_each(store, job, SIZE_MAX, feed_event, &c, &fail), "%s", fail.text);
		ck_assert_msg(!st_tt_each(store, job, feed_entries, &c, &fail), "%s", fail.text);
	}
	c.digest = XXH3_64bits_digest(c.state);
	XXH3_freeState(c.state);
	return c;
}

static void path_in(const struct rig *r, const char *name, char out[512])
{
	snprintf(out, 512, "%s/%s", r->place, name);
}

/* Restores the backup and opens the result for writing; its content. */
static struct content restored(struct rig *r, const char *name)
{
	char backup[512], dir[512];
	struct st_restored sum;
	struct st_store *store;
	int problems = 0;
	path_in(r, name, backup);
	path_in(r, "restored", dir);
	ck_assert_msg(!st_restore(backup, dir, &sum, &r->f.fail), "%s", r->f.fail.text);
	ck_assert_msg(!st_open(dir, 0, &store, &r->f.fail), "%s", r->f.fail.text);
	struct content c = content_of(store);
	ck_assert_int_eq(st_check(store, count_problem, &problems, &r->f.fail), 0);
	ck_assert_int_eq(problems, 0);
	st_close(store);
	storedir_remove(dir);
	return c;
}

static void are_same(const struct content *a, const struct content *b)
{
	ck_assert_uint_eq(a->facts, b->facts);
	ck_assert_uint_eq(a->records, b->records);
	ck_assert_uint_eq(a->entries, b->entries);
	ck_assert_uint_eq(a->digest, b->digest);
}

/* --- tests -------------------------------------------------------------------------------- */

START_TEST(restored_is_what_was_there)
{
	struct rig r;
	struct st_backup_sum sum;
	struct content empty, before, after;
	rig_setup(&r);
	empty = content_of(r.f.store);
	ck_assert_msg(!back_up(&r, "empty", &sum), "%s", r.f.fail.text);
	after = restored(&r, "empty");
	are_same(&empty, &after);
	fill_store(&r.f, FACTS);
	settle_store(&r.f);
	put_step(&r.f, 1, FACTS);
	before = content_of(r.f.store);
	ck_assert_uint_eq(before.facts, FACTS + STEP);
	ck_assert_msg(!back_up(&r, "full", &sum), "%s", r.f.fail.text);
	ck_assert_uint_eq(sum.done, sum.all);
	ck_assert_uint_eq(sum.files, 3); /* there is a run, and facts in the log alone */
	ck_assert_uint_eq(sum.bytes_kept, 0);
	after = restored(&r, "full");
	are_same(&before, &after);
	ck_assert_int_eq(back_up(&r, "full", &sum), PD_E_STATE);
	ck_assert_str_eq(r.f.fail.field, "name");
	rig_teardown(&r);
}
END_TEST

START_TEST(runs_are_linked)
{
	struct rig r;
	struct st_backup_sum first, sum;
	struct content before, after;
	char path[512];
	rig_setup(&r);
	fill_store(&r.f, FACTS);
	settle_store(&r.f);
	ck_assert(!back_up(&r, "a", &first));
	ck_assert_uint_eq(first.files, 3);
	put_step(&r.f, 1, FACTS);
	before = content_of(r.f.store);
	ck_assert_msg(!back_up(&r, "b", &sum), "%s", r.f.fail.text);
	ck_assert_uint_eq(sum.files_kept, 1);
	ck_assert_uint_gt(sum.bytes_kept, 0);
	ck_assert_uint_lt(sum.bytes_copied, first.bytes_copied);
	path_in(&r, "a", path);
	storedir_remove(path); /* each backup is whole by itself */
	after = restored(&r, "b");
	are_same(&before, &after);
	rig_teardown(&r);
}
END_TEST

/* A run that was linked from a damaged backup is copied. */
START_TEST(damaged_runs_are_not_linked)
{
	struct rig r;
	struct st_backup_sum sum;
	struct content before, after;
	char path[512];
	const struct dirent *entry;
	uint8_t byte = 0xff;
	rig_setup(&r);
	fill_store(&r.f, FACTS);
	settle_store(&r.f);
	before = content_of(r.f.store);
	ck_assert(!back_up(&r, "a", &sum));
	path_in(&r, "a", path);
	DIR *dir = opendir(path);
	while ((entry = readdir(dir)) != NULL)
		if (!strncmp(entry->d_name, "run-", 4)) {
			int fd = openat(dirfd(dir), entry->d_name, O_RDWR);
			ck_assert(pread(fd, &byte, 1, 5000) == 1);
			byte ^= 1;
			ck_assert(pwrite(fd, &byte, 1, 5000) == 1);
			close(fd);
		}
	closedir(dir);
	ck_assert_msg(!back_up(&r, "b", &sum), "%s", r.f.fail.text);
	ck_assert_uint_eq(sum.bytes_kept, 0);
	after = restored(&r, "b");
	are_same(&before, &after);
	rig_teardown(&r);
}
END_TEST

/* Stopped at its k-th look, and again, with the file in work cut off anywhere. */
START_TEST(interrupted_goes_on)
{
	struct rig r;
	struct st_backup_sum sum;
	struct content before, after;
	char path[512];
	uint64_t kept = 0;
	rig_setup(&r);
	fill_store(&r.f, FACTS);
	settle_store(&r.f);
	before = content_of(r.f.store);
	path_in(&r, "a.partial", path);
	for (unsigned k = 1; k <= 60; k++) {
		r.looks_left = (int)k;
		int rc = back_up(&r, "a", &sum);
		kept += sum.bytes_kept > 0;
		if (!rc)
			break;
		ck_assert_int_eq(rc, PD_E_SHUTDOWN);
		const struct dirent *entry;
		struct stat st;
		DIR *dir = opendir(path);
		while ((entry = readdir(dir)) != NULL)
			if (strstr(entry->d_name, ".part") && !fstatat(dirfd(dir), entry->d_name, &st, 0) &&
			    st.st_size > 100 && k % 2) {
				int fd = openat(dirfd(dir), entry->d_name, O_RDWR);
				ck_assert(!ftruncate(fd, st.st_size - (int)k));
				close(fd);
			}
		closedir(dir);
	}
	r.looks_left = -1;
	if (access(path, F_OK) == 0)
		ck_assert_msg(!back_up(&r, "a", &sum), "%s", r.f.fail.text);
	ck_assert_uint_gt(kept, 0);
	after = restored(&r, "a");
	are_same(&before, &after);
	rig_teardown(&r);
}
END_TEST

struct writer {
	struct rig *r;
	atomic_bool stop;
	atomic_uint steps;
};

static void *write_on(void *ctx)
{
	struct writer *w = ctx;
	for (uint32_t i = 0; !atomic_load(&w->stop) && i < STEPS_MAX; i++) {
		put_step(&w->r->f, 1, FEW + i * STEP);
		while (st_facts_maintain(w->r->f.store, i % 8 == 7, &w->r->f.fail) > 0)
			continue;
		atomic_fetch_add(&w->steps, 1);
	}
	return NULL;
}

/* While another thread commits, flushes and compacts: each backup shows the end of one transaction. More of them are
 * made until that thread has had its turn. */
START_TEST(shows_one_moment)
{
	struct rig r;
	struct rig copy; /* of the names, for this thread's errors */
	pthread_t thread;
	rig_setup(&r);
	fill_store(&r.f, FEW);
	copy = r;
	struct writer w = {.r = &r};
	ck_assert(!pthread_create(&thread, NULL, write_on, &w));
	for (unsigned i = 0; i < effort_of(8, 2) || !atomic_load(&w.steps); i++) {
		char name[20];
		struct st_backup_sum sum;
		snprintf(name, sizeof name, "b%u", i);
		ck_assert_msg(!back_up(&copy, name, &sum), "%s", copy.f.fail.text);
		struct content c = restored(&copy, name);
		ck_assert_uint_eq(c.facts % STEP, 0);
		ck_assert_uint_eq(c.facts, c.entries);
		ck_assert_uint_eq(c.facts / STEP, c.records - JOBS); /* an event for each */
	}
	atomic_store(&w.stop, true);
	pthread_join(thread, NULL);
	rig_teardown(&r);
}
END_TEST

static void not_restored(struct rig *r, const char *backup, const char *file, long at)
{
	char dir[512];
	struct st_restored sum;
	path_in(r, "new", dir);
	int rc = st_restore(backup, dir, &sum, &r->f.fail);
	ck_assert_msg(rc == PD_E_CORRUPT || rc == PD_E_FORMAT || rc == PD_E_NOT_FOUND, "%s, byte %ld: %d %s", file, at,
		      rc, r->f.fail.text);
	ck_assert(r->f.fail.text[0]);
	storedir_remove(dir);
}

/* Changes bytes of one file of a backup, one after the other, and then its length. */
static unsigned damage_file(struct rig *r, const char *backup, const char *name, off_t tries)
{
	char path[800], away[816];
	struct stat st;
	unsigned tried = 0;
	snprintf(path, sizeof path, "%.500s/%.255s", backup, name);
	int fd = open(path, O_RDWR);
	ck_assert(fd >= 0 && !fstat(fd, &st));
	off_t step = tries ? 1 + st.st_size / tries : 1;
	for (off_t at = 0; at < st.st_size; at += step) {
		uint8_t byte, wrong;
		ck_assert(pread(fd, &byte, 1, at) == 1);
		wrong = byte ^ (uint8_t)(1 << at % 8);
		ck_assert(pwrite(fd, &wrong, 1, at) == 1);
		not_restored(r, backup, name, (long)at);
		ck_assert(pwrite(fd, &byte, 1, at) == 1);
		tried++;
	}
	uint8_t last;
	ck_assert(pread(fd, &last, 1, st.st_size - 1) == 1);
	ck_assert(!ftruncate(fd, st.st_size - 1));
	not_restored(r, backup, name, -1);
	ck_assert(pwrite(fd, &last, 1, st.st_size - 1) == 1 && pwrite(fd, "x", 1, st.st_size) == 1);
	not_restored(r, backup, name, -2);
	ck_assert(!ftruncate(fd, st.st_size));
	close(fd);
	snprintf(away, sizeof away, "%s.away", path);
	ck_assert(!rename(path, away));
	not_restored(r, backup, name, -3);
	ck_assert(!rename(away, path));
	return tried;
}

/* Every byte of the manifest, and bytes all over the other files: nothing wrong is restored. */
START_TEST(damage_is_found)
{
	struct rig r;
	struct st_backup_sum sum;
	struct content before, after;
	char backup[512], name[5][256];
	const struct dirent *entry;
	unsigned tried = 0, files = 0;
	rig_setup(&r);
	put_jobs(&r.f);
	for (uint32_t i = 0; i < STEP; i += STEP)
		put_step(&r.f, 1, i);
	settle_store(&r.f);
	before = content_of(r.f.store);
	ck_assert(!back_up(&r, "a", &sum));
	path_in(&r, "a", backup);
	DIR *list = opendir(backup);
	while ((entry = readdir(list)) != NULL)
		if (entry->d_name[0] != '.' && files < 5)
			snprintf(name[files++], sizeof name[0], "%s", entry->d_name);
	closedir(list);
	ck_assert_uint_eq(files, 4);
	for (unsigned i = 0; i < files; i++)
		tried += damage_file(&r, backup, name[i], strcmp(name[i], "MANIFEST") ? effort_of(20, 5) : 0);
	ck_assert_uint_gt(tried, 100);
	after = restored(&r, "a");
	are_same(&before, &after);
	rig_teardown(&r);
}
END_TEST

START_TEST(names_are_checked)
{
	static const char *const good[] = {"a", "2026-01-31", "x.y_z-1", "A.partial.b"};
	static const char *const bad[] = {"",   ".",         "..",  "a/b",      "/a", "-a",
					  ".a", "a.partial", "a b", "\xc3\xa4", "a\n"};
	struct pd_fail fail;
	char name[80] = "";
	for (unsigned i = 0; i < sizeof good / sizeof *good; i++)
		ck_assert_msg(!st_backup_name_check(good[i], &fail), "%s", good[i]);
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		ck_assert_msg(st_backup_name_check(bad[i], &fail) == PD_E_PARAMS, "%s", bad[i]);
		ck_assert_str_eq(fail.field, "name");
	}
	memset(name, 'a', 65);
	ck_assert_int_eq(st_backup_name_check(name, &fail), PD_E_PARAMS);
}
END_TEST

/* Links in the place lead nowhere. */
START_TEST(links_are_not_followed)
{
	struct rig r;
	struct st_backup_sum sum;
	char path[512], elsewhere[256];
	rig_setup(&r);
	fill_store(&r.f, FACTS);
	storedir_new(elsewhere, sizeof elsewhere);
	path_in(&r, "a.partial", path);
	ck_assert(!symlink(elsewhere, path));
	ck_assert_int_ne(back_up(&r, "a", &sum), 0);
	ck_assert(!unlink(path));
	path_in(&r, "b", path);
	ck_assert(!symlink(elsewhere, path));
	ck_assert_int_eq(back_up(&r, "b", &sum), PD_E_STATE);
	ck_assert(!rmdir(elsewhere)); /* it is empty */
	unlink(path);
	rig_teardown(&r);
}
END_TEST

SUITE(backup)
{
	tcase_set_timeout(c, 500);
	tcase_add_test(c, restored_is_what_was_there);
	tcase_add_test(c, runs_are_linked);
	tcase_add_test(c, damaged_runs_are_not_linked);
	tcase_add_test(c, interrupted_goes_on);
	tcase_add_test(c, shows_one_moment);
	tcase_add_test(c, damage_is_found);
	tcase_add_test(c, names_are_checked);
	tcase_add_test(c, links_are_not_followed);
}
