/* A run whose last checkpoint is lost: its job says no more of the root than the facts on disk do. */
#include "proto/base/fact.h"
#include "proto/base/log.h"
#include "store/store.h"
#include "tests/server/naive_taint.h"

#define QUESTION "\"game\":\"connect4:4x4\",\"position\":\"2\",\"detail\":\"full\",\"threads\":1"

/* Keeps the facts of the last plies, and says the opposite of each. */
static int twist(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact)
{
	struct pd_reason *r = fact->many ? fact->many : fact->few;
	unsigned *twisted = ctx;
	if (fact->count != 1 || r->rank > 3) {
		fact->count = 0;
		return PD_OK;
	}
	r->bound = (int16_t)(r->side == PD_LO ? r->bound - 1 : r->bound + 1);
	r->side = r->side == PD_LO ? PD_HI : PD_LO;
	++*twisted;
	return PD_OK;
}

START_TEST(a_job_whose_facts_are_lost_tells_nothing_of_its_root)
{
	char dir[64], state[16];
	struct insession s;
	struct st_store *store;
	struct pd_fail fail;
	unsigned twisted = 0;
	bool ok;
	pr_ref result;
	scratch_dir(dir);
	insession_open(&s, dir, 1, 60);
	submit_job(&s, QUESTION);
	insession_close(&s);
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_facts_rewrite(store, twist, &twisted, &fail));
	st_close(store);
	ck_assert_uint_gt(twisted, 0);

	insession_open(&s, dir, 1, 60);
	unsigned job = insession_submit(&s, QUESTION ",\"seed\":1");
	insession_wait(&s, job, state);
	ck_assert_str_eq(state, "failed"); /* its facts contradict those */
	for (unsigned i = 0; i < 2; i++) { /* as it ended, and as it is read again */
		char params[32];
		snprintf(params, sizeof params, "\"job\":%u", job);
		struct pr_doc *doc = insession_call(&s, "job.get", params, &ok, &result);
		ck_assert(ok);
		ck_assert_str_eq(pr_get_str(pr_get(result, "value"), "text", ""), "unknown");
		ck_assert_int_eq(pr_get_int(result, "facts", 9), 0);
		pr_doc_free(doc);
		insession_close(&s);
		if (!i)
			insession_open(&s, dir, 1, 60);
	}
	scratch_remove(dir);
}
END_TEST

SUITE(lost_checkpoint)
{
	pd_log_threshold(PD_LOG_ERROR + 1);
	tcase_add_test(c, a_job_whose_facts_are_lost_tells_nothing_of_its_root);
}
