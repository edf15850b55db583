/* A reply that comes while notifications are waited for: it is kept until it is asked for. */
#include "clients/link.h"
#include "tests/support/suite.h"

START_TEST(a_reply_that_comes_during_next_is_kept)
{
	static const char *const methods[] = {"server.stats", "game.list"};
	struct sv_config config;
	struct cl_link *link;
	pr_ref result;
	struct pd_fail fail;
	int64_t id[2];
	sv_config_init(&config);
	config.threads = 0;
	ck_assert_msg(!cl_link_embed(&config, &link, &fail), "%s", fail.text);
	for (unsigned i = 0; i < 2; i++)
		ck_assert(!cl_link_send(link, methods[i], NULL, &id[i], &fail));
	ck_assert(!cl_link_next(link, 200, &result, &fail));
	ck_assert_ptr_null(result);
	ck_assert_msg(!cl_link_receive(link, id[1], &result, &fail), "%s", fail.text);
	ck_assert(pr_has(result, "games"));
	ck_assert_msg(!cl_link_receive(link, id[0], &result, &fail), "%s", fail.text);
	ck_assert(pr_has(result, "jobs"));
	cl_link_close(link);
}
END_TEST

SUITE(link_ahead)
{
	tcase_set_timeout(c, 60);
	tcase_add_test(c, a_reply_that_comes_during_next_is_kept);
}
