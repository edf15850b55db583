/* The log says when a disk holds checkpoints up. The disk is quick here; the clock is put forward during a commit. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "store/store.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

uint64_t __real_pd_now_ns(void);
uint64_t __wrap_pd_now_ns(void);
int __real_st_batch_commit(struct st_batch *batch, struct pd_fail *fail);
int __wrap_st_batch_commit(struct st_batch *batch, struct pd_fail *fail);

static atomic_uint_fast64_t later; /* nanoseconds */
static atomic_uint_fast64_t each;  /* that a commit seems to take */

uint64_t __wrap_pd_now_ns(void)
{
	return __real_pd_now_ns() + atomic_load(&later);
}

int __wrap_st_batch_commit(struct st_batch *batch, struct pd_fail *fail)
{
	int rc = __real_st_batch_commit(batch, fail);
	atomic_fetch_add(&later, atomic_load(&each));
	return rc;
}

/* The log of a job that is submitted and cancelled while a commit seems to take `seconds`. */
static void log_slow_commit(double seconds, char *out, size_t room)
{
	char path[] = "/tmp/proofd-slow-XXXXXX";
	struct insession s;
	pr_ref result;
	bool ok;
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	int before = pd_log_to(fd);
	insession_open(&s, NULL, 0, 2);
	atomic_store(&each, (uint64_t)(seconds * 1e9));
	pr_doc_free(insession_call(&s, "job.submit", "\"game\":\"mnk:3,3,3\",\"memory\":\"1M\"", &ok, &result));
	ck_assert(ok);
	atomic_store(&each, 0);
	insession_close(&s);
	pd_log_to(before);
	ssize_t size = pread(fd, out, room - 1, 0);
	ck_assert_int_gt(size, 0);
	out[size] = 0;
	close(fd);
	unlink(path);
}

START_TEST(a_slow_commit_is_told_of)
{
	char text[10000];
	log_slow_commit(6.5, text, sizeof text);
	ck_assert_msg(
		strstr(text, " warn slow checkpoint: the commit of job 1 took 6.5 s; the disk does not keep up\n"),
		"%s", text);
	log_slow_commit(4, text, sizeof text);
	ck_assert_msg(!strstr(text, "slow"), "%s", text);
}
END_TEST

SUITE(slow_commit)
{
	tcase_add_test(c, a_slow_commit_is_told_of);
}
