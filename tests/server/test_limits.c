/* How much memory there is by whose word, whether a certificate has to go, and whose fault a crash was: the rules,
 * without a server. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "server/jobs/run/memory_pacer.h"
#include "server/jobs/model/crashes.h"
#include "server/common/memory_bound.h"
#include "server/jobs/model/removed_jobs.h"
#include "server/proofs/certificates/certificate_store.h"
#include "store/store.h"
#include "tests/support/child.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

/* --- control groups ----------------------------------------------------------------------- */

static char root[64];

static void write_file(const char *name, const char *text)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", root, name);
	for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = 0;
		mkdir(path, 0755);
		*p = '/';
	}
	FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static uint64_t limit(const char *groups)
{
	char path[128];
	write_file("groups", groups);
	snprintf(path, sizeof path, "%s/groups", root);
	return sv_memory_groups(path, root);
}

static void remove_root(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf '%s'", root);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(the_least_limit_on_the_way_up_counts)
{
	scratch_dir(root);
	ck_assert_uint_eq(limit("0::/a/b/c\n"), UINT64_MAX);
	write_file("a/b/c/memory.max", "max\n");
	write_file("a/b/memory.max", "300000000\n");
	write_file("a/memory.max", "500000000\n");
	ck_assert_uint_eq(limit("0::/a/b/c\n"), 300000000);
	ck_assert_uint_eq(limit("0::/a\n"), 500000000);
	ck_assert_uint_eq(limit("0::/\n"), UINT64_MAX);
	write_file("a/memory.high", "200000000\n");
	ck_assert_uint_eq(limit("0::/a/b/c\n"), 200000000);
	ck_assert_uint_eq(limit("0::/a/b/not/here\n"), 200000000);
	write_file("memory.max", "100000000\n"); /* in a container its own group is the root */
	ck_assert_uint_eq(limit("0::/\n"), 100000000);
	ck_assert_uint_eq(limit("0::/../../somewhere/else\n"), 100000000);
	write_file("memory.max", "0\n");
	ck_assert_uint_eq(limit("0::/\n"), 0);
	write_file("memory.max", "what\n");
	ck_assert_uint_eq(limit("0::/\n"), UINT64_MAX);
	ck_assert_uint_eq(sv_memory_groups("/no/such/file", root), UINT64_MAX);
	ck_assert_uint_eq(limit("nonsense\n\n::\n"), UINT64_MAX);
	remove_root();
}
END_TEST

START_TEST(the_first_version_of_groups_is_read_as_well)
{
	scratch_dir(root);
	write_file("memory/x/y/memory.limit_in_bytes", "9223372036854771712\n");
	write_file("memory/x/memory.limit_in_bytes", "150000000\n");
	write_file("unified/z/memory.max", "140000000\n");
	ck_assert_uint_eq(limit("5:cpu,cpuacct:/x/y\n4:memory:/x/y\n0::/\n"), 150000000);
	ck_assert_uint_eq(limit("4:hugetlb,memory:/x/y\n"), 150000000);
	ck_assert_uint_eq(limit("4:memoryless:/x/y\n"), UINT64_MAX);
	ck_assert_uint_eq(limit("4:memory:/x/y\n0::/z\n"), 140000000);
	remove_root();
}
END_TEST

/* --- the bound ---------------------------------------------------------------------------- */

/* The shadows of sanitizers take terabytes, so their builds live under no such limit. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static struct sv_bound bound_in_child(int resource, rlim_t most)
{
	struct sv_bound out = {0};
	int ends[2];
	ck_assert(!pipe(ends));
	pid_t child = fork_child();
	if (!child) {
		struct rlimit limit_of = {most, most};
		setrlimit(resource, &limit_of);
		struct sv_bound bound = sv_memory_bound();
		_exit(write(ends[1], &bound, sizeof bound) != sizeof bound);
	}
	int status;
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], &out, sizeof out), sizeof out);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	close(ends[0]);
	return out; /* `by` is text of the program, which is the same in both */
}

START_TEST(limits_of_the_process_count)
{
	struct sv_bound bound = bound_in_child(RLIMIT_DATA, 100 << 20);
	ck_assert_uint_eq(bound.bytes, 100 << 20);
	ck_assert_str_eq(bound.by, "RLIMIT_DATA");
	bound = bound_in_child(RLIMIT_AS, UINT64_C(900) << 20);
	ck_assert_uint_lt(bound.bytes, 900 << 20);
	ck_assert_uint_gt(bound.bytes, 100 << 20);
	ck_assert_str_eq(bound.by, "RLIMIT_AS");
}
END_TEST
#endif

START_TEST(a_share_that_cannot_be_had_is_refused_with_the_range)
{
	struct sv_bound bound = {.bytes = UINT64_C(160) << 20, .by = "the limit of the control group"};
	struct pd_fail fail;
	uint64_t share;
	ck_assert_int_eq(sv_memory_share(&bound, 0, &share, &fail), PD_OK);
	ck_assert_uint_eq(share, 120 << 20);
	ck_assert_int_eq(sv_memory_share(&bound, 160 << 20, &share, &fail), PD_OK);
	ck_assert_uint_eq(share, 160 << 20);
	ck_assert_int_eq(sv_memory_share(&bound, UINT64_C(18) << 30, &share, &fail), PD_E_PARAMS);
	ck_assert_str_eq(fail.field, "memory");
	ck_assert_str_eq(fail.text,
			 "the memory for all jobs can be 1M to 160M here (the limit of the control group), not 18G");
	ck_assert_int_eq(sv_memory_share(&bound, 1, &share, &fail), PD_E_PARAMS);
}
END_TEST

START_TEST(sizes_are_written_as_options_take_them)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {{0, "0"},
		     {1, "1"},
		     {1023, "1023"},
		     {1024, "1K"},
		     {100000, "100000"},
		     {102400, "100K"},
		     {1 << 20, "1M"},
		     {(1 << 20) + 1, "1M"},
		     {123456789, "117M"},
		     {UINT64_C(18) << 30, "18G"},
		     {UINT64_C(3) << 40, "3T"},
		     {UINT64_C(99999) << 30, "99999G"}};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[SV_SIZE_TEXT];
		ck_assert_str_eq(sv_size_text(cases[i].bytes, text), cases[i].text);
	}
}
END_TEST

/* --- the brake ---------------------------------------------------------------------------- */

enum { PAGES = 4096, NODES = 512 };

/* Takes them for the first time, in a thread of its own. */
static void *take_pages(void *pages)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint8_t *memory = pages;
	for (uint64_t i = 0; i < PAGES; i++)
		memory[i * page] = 1;
	return NULL;
}

/* Of memory that this thread takes (0), and that another one does, so that this one has no faults (1): as with huge
 * pages, of which one fault brings 2 MiB. */
START_TEST(a_slice_is_as_long_as_the_memory_that_is_left)
{
	const uint64_t mega = 1 << 20, page = (uint64_t)sysconf(_SC_PAGESIZE), plenty = UINT64_C(1) << 50;
	struct sv_memory_pacer brake = {0};
	pthread_t thread;
	ck_assert_uint_eq(sv_memory_quota(1600 * mega), 1500 * mega);
	ck_assert_uint_eq(sv_memory_quota(100 * mega), 84 * mega);
	ck_assert_uint_eq(sv_memory_quota(40 * mega), 30 * mega);
	uint8_t *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(memory, MAP_FAILED);
	ck_assert_uint_eq(sv_memory_pacer_begin(&brake, 1000000, plenty, 64), 1000000);
	if (_i)
		ck_assert(!pthread_create(&thread, NULL, take_pages, memory) && !pthread_join(thread, NULL));
	else
		take_pages(memory);
	sv_memory_pacer_end(&brake, NODES);
	/* The system counts what a process has with some delay. */
	ck_assert_double_ge(brake.bytes, (double)(PAGES * page) * 0.9 / NODES);
	uint64_t own = sv_memory_own();
	ck_assert_uint_ge(own, PAGES * page * 9 / 10);
	/* Bounds with 64 MiB left, and with nothing: what else the process takes meanwhile is less than the margin. */
	uint64_t left = 64 * mega, bound = (own + left) * 16 / 15;
	if (bound < 256 * mega)
		bound = own + left + (16 * mega < (own + left) / 3 ? 16 * mega : (own + left) / 3);
	uint64_t nodes = sv_memory_pacer_begin(&brake, 1000000, bound, 2);
	ck_assert_double_le((double)nodes * brake.bytes, (double)(left + mega) / 2 / 2 + 1);
	ck_assert_double_ge((double)nodes * brake.bytes, (double)(left - 8 * mega) / 2 / 2 - 64 * (double)page);
	ck_assert_uint_eq(sv_memory_pacer_begin(&brake, 10, bound, 2), 10);
	/* A table that grows by less than that does so. */
	ck_assert(!sv_memory_pacer_holds(&brake, 0, bound) && !sv_memory_pacer_holds(&brake, left - 8 * mega, bound));
	ck_assert(sv_memory_pacer_holds(&brake, left + 8 * mega, bound));
	ck_assert_uint_eq(sv_memory_pacer_begin(&brake, 1000000, own, 2), 0);
	ck_assert(!sv_memory_pacer_holds(&brake, 0, own) && sv_memory_pacer_holds(&brake, 1, own));
	munmap(memory, PAGES * page);
}
END_TEST

/* --- who ended the process ---------------------------------------------------------------- */

START_TEST(a_run_is_cleared_by_what_it_has_done)
{
	static const uint64_t s = 1000000000;
	static const struct {
		struct sv_witness witness;
		bool cleared;
	} cases[] = {
		{{.searched_ns = 0, .before = 0, .after = 0}, false},
		{{.searched_ns = 59 * s, .before = 10, .after = 10}, false}, /* it has got nowhere */
		{{.searched_ns = 59 * s, .before = 10, .after = 9}, false},
		{{.searched_ns = s / 10, .before = 10, .after = 11}, true}, /* it gets on */
		{{.searched_ns = s, .before = 0, .after = 500000}, true},
		{{.searched_ns = s, .before = 0, .after = 500000, .memory_short = true},
		 false},                                                    /* by taking all memory */
		{{.searched_ns = 60 * s, .before = 10, .after = 10}, true}, /* it does no harm */
		{{.searched_ns = 60 * s, .before = 0, .after = 500000, .memory_short = true}, true},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
		ck_assert_msg(sv_run_cleared(&cases[i].witness) == cases[i].cleared, "case %u", i);
}
END_TEST

START_TEST(crashes_in_a_row_are_counted)
{
	unsigned count = 0;
	for (unsigned i = 1; i <= SV_CRASHES_FAILED; i++) {
		count = sv_crashes_next(count, false);
		ck_assert_uint_eq(count, i);
	}
	ck_assert_uint_eq(sv_crashes_next(count, false), SV_CRASHES_FAILED);
	ck_assert_uint_eq(sv_crashes_next(2, true), 0);
	ck_assert_uint_eq(sv_crashes_next(1000, false), SV_CRASHES_FAILED);
}
END_TEST

/* --- certificates ------------------------------------------------------------------------- */

static void put_certificate(const char *name, size_t bytes, time_t age_s)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", root, name);
	FILE *file = fopen(path, "w");
	for (size_t i = 0; i < bytes; i++)
		fputc('x', file);
	fclose(file);
	struct timespec times[2] = {{.tv_sec = time(NULL) - age_s}, {.tv_sec = time(NULL) - age_s}};
	ck_assert(!utimensat(AT_FDCWD, path, times, 0));
}

static bool is_there(const char *name)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", root, name);
	return !access(path, F_OK);
}

START_TEST(what_was_used_least_lately_goes_first)
{
	char path[256];
	scratch_dir(root);
	put_certificate("old.cert", 100, 5000);
	put_certificate("older.cert", 100, 9000);
	put_certificate("new.cert", 100, 1000);
	put_certificate("cut.cert.part", 1000, 2000);
	put_certificate("made.cert.part", 50, 0);
	ck_assert_uint_eq(sv_certificates_trim(root, 350, NULL),
			  350); /* what an end without warning left behind goes in any case */
	ck_assert(is_there("old.cert") && is_there("older.cert") && is_there("new.cert") &&
		  !is_there("cut.cert.part") && is_there("made.cert.part"));
	ck_assert_uint_eq(sv_certificates_trim(root, 300, NULL), 250);
	ck_assert(is_there("old.cert") && !is_there("older.cert") && is_there("new.cert"));
	snprintf(path, sizeof path, "%s/old.cert", root);
	sv_certificates_touch(path);
	ck_assert_uint_eq(sv_certificates_trim(root, 0, NULL), 150); /* the one in use stays */
	ck_assert(is_there("old.cert") && !is_there("new.cert"));
	put_certificate("kept.cert", 100, 9000);
	ck_assert_uint_eq(sv_certificates_trim(root, 0, "kept.cert"), 250);
	put_certificate("future.cert", 100, -5000); /* a clock that was wrong */
	ck_assert_uint_eq(sv_certificates_trim(root, 0, NULL), 150);
	ck_assert(!is_there("kept.cert") && !is_there("future.cert"));
	ck_assert_uint_eq(sv_certificates_trim("/no/such/place", 0, NULL), 0);
	remove_root();
}
END_TEST

/* --- versions that worked on jobs that are gone ------------------------------------------- */

START_TEST(a_version_is_known_by_its_forgotten_jobs)
{
	struct sv_removed_jobs f = {0};
	struct pd_fail fail;
	struct st_store *store;
	struct st_batch *batch;
	char dir[64];
	scratch_dir(dir);
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!sv_removed_jobs_read(&f, store, &fail));
	ck_assert_uint_eq(f.count, 0);
	ck_assert(sv_removed_jobs_add(&f, 7, "1.0 1.1") && sv_removed_jobs_add(&f, 3, "1.0") &&
		  sv_removed_jobs_add(&f, 9, NULL));
	ck_assert(!st_batch_begin(store, &batch, &fail) && !sv_removed_jobs_write(&f, batch, &fail) &&
		  !st_batch_commit(batch, &fail));
	sv_removed_jobs_fini(&f);
	ck_assert(!sv_removed_jobs_read(&f, store, &fail));
	ck_assert(sv_removed_jobs_has(&f, 3, "1.0") && sv_removed_jobs_has(&f, 5, "1.0") &&
		  sv_removed_jobs_has(&f, 7, "1.0"));
	ck_assert(!sv_removed_jobs_has(&f, 2, "1.0") && !sv_removed_jobs_has(&f, 8, "1.0") &&
		  !sv_removed_jobs_has(&f, 3, "1.1"));
	ck_assert(sv_removed_jobs_has(&f, 7, "1.1") && !sv_removed_jobs_has(&f, 7, "1"));
	sv_removed_jobs_drop(&f, "1.0");
	ck_assert(!sv_removed_jobs_has(&f, 7, "1.0") && sv_removed_jobs_has(&f, 7, "1.1"));
	ck_assert(!st_batch_begin(store, &batch, &fail) && !st_batch_note(batch, "1.0 two", 7, &fail) &&
		  !st_batch_commit(batch, &fail));
	sv_removed_jobs_fini(&f);
	ck_assert_int_eq(sv_removed_jobs_read(&f, store, &fail), PD_E_CORRUPT);
	st_close(store);
	scratch_remove(dir);
}
END_TEST

SUITE(limits)
{
	tcase_add_test(c, the_least_limit_on_the_way_up_counts);
	tcase_add_test(c, the_first_version_of_groups_is_read_as_well);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	tcase_add_test(c, limits_of_the_process_count);
#endif
	tcase_add_test(c, a_share_that_cannot_be_had_is_refused_with_the_range);
	tcase_add_test(c, sizes_are_written_as_options_take_them);
	tcase_add_loop_test(c, a_slice_is_as_long_as_the_memory_that_is_left, 0, 2);
	tcase_add_test(c, a_run_is_cleared_by_what_it_has_done);
	tcase_add_test(c, crashes_in_a_row_are_counted);
	tcase_add_test(c, what_was_used_least_lately_goes_first);
	tcase_add_test(c, a_version_is_known_by_its_forgotten_jobs);
}
