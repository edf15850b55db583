/* The libraries in a program that uses jansson as well: its documents, and its allocation functions, stay its own. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "clients/libproofd/client.h"
#include "clients/probe/probe.h"
#include "store/store.h"
#include "tests/support/liar.h"
#include "tests/support/storedir.h"
#include "tests/support/suite.h"

static const char text[] = "{\"a key of some length\": [1, 2.5, \"a text of some length\", {\"b\": null}]}";

/* --- allocation functions of the program's own ---------------------------------------------- */

enum { HEAD = 64, MARK = 0x70726f67 };

static unsigned taken, given; /* blocks */
static bool empty;            /* there is no memory */

static void *take_memory(size_t size)
{
	unsigned char *block = empty ? NULL : malloc(HEAD + size);
	if (!block)
		return NULL;
	taken++;
	*(unsigned *)(void *)block = MARK;
	return block + HEAD;
}

static void free_memory(void *memory)
{
	if (!memory)
		return;
	unsigned char *block = (unsigned char *)memory - HEAD;
	ck_assert_uint_eq(*(unsigned *)(void *)block, MARK); /* else it is not from `take` */
	*(unsigned *)(void *)block = 0;
	given++;
	free(block);
}

static void assert_functions(json_malloc_t get, json_free_t put)
{
	json_malloc_t get_now;
	json_free_t put_now;
	json_get_alloc_funcs(&get_now, &put_now);
	ck_assert(get_now == get && put_now == put);
}

/* --- what the libraries are used for -------------------------------------------------------- */

static void use_client(void)
{
	struct liar l = {.line = {liar_hello,
				  "{\"id\":2,\"result\":{\"facts\":[{\"lo\":1,\"hi\":1,\"text\":\"first "
				  "wins\"}]}}\n",
				  "{\"id\":3,\"result\":{\"a\":[1,2]}}\n"}};
	struct proofd *server;
	struct proofd_fact fact;
	struct proofd_reply *reply;
	struct proofd_error error;
	liar_start(&l);
	const struct proofd_options options = {.address = l.path, .timeout_s = 20};
	ck_assert_msg(!proofd_open(&options, &server, &error), "%s", error.message);
	ck_assert_msg(!proofd_query(server, "mnk:3,3,3", "", &fact, &error), "%s", error.message);
	ck_assert_int_eq(fact.lo, 1);
	ck_assert_msg(!proofd_call(server, "server.stats", "{\"x\": {}}", &reply, &error), "%s", error.message);
	proofd_close(server);
	char *json = proofd_json(proofd_result(reply));
	ck_assert_str_eq(json, "{\"a\":[1,2]}");
	free(json);
	proofd_reply_free(reply);
	liar_end(&l);
}

static void use_probe(void)
{
	char dir[256];
	struct st_store *store;
	struct pd_fail fail;
	struct proofd_probe *probe;
	struct proofd_probe_game *game;
	struct proofd_error error;
	const struct proofd_probe_options options = {.graphs = TEST_GRAPHS};
	storedir_new(dir, sizeof dir);
	ck_assert_msg(!st_open(dir, 0, &store, &fail), "%s", fail.text);
	st_close(store);
	ck_assert_msg(!proofd_probe_open(dir, &options, &probe, &error), "%s", error.message);
	ck_assert_msg(!proofd_probe_game(probe, "andor:chain", &game, &error), "%s", error.message);
	proofd_probe_close(probe);
	storedir_remove(dir);
}

static void (*const uses[])(void) = {use_client, use_probe};
enum { USES = sizeof uses / sizeof *uses };

/* --- tests ---------------------------------------------------------------------------------- */

START_TEST(test_documents_from_before)
{
	json_t *document = json_loads(text, 0, NULL);
	ck_assert_ptr_nonnull(document);
	char *dump = json_dumps(document, 0);
	uses[_i]();
	assert_functions(malloc, free);
	ck_assert(json_is_object(document));
	json_decref(document);
	free(dump);
}
END_TEST

START_TEST(test_functions_from_before)
{
	json_set_alloc_funcs(take_memory, free_memory);
	json_t *document = json_loads(text, 0, NULL);
	ck_assert_ptr_nonnull(document);
	unsigned own = taken;
	uses[_i]();
	assert_functions(take_memory, free_memory);
	ck_assert_uint_gt(taken, own); /* the library's as well */
	json_decref(document);
	ck_assert_uint_eq(taken, given);
	json_set_alloc_funcs(malloc, free);
}
END_TEST

/* Behind the last document of the library's. */
START_TEST(test_functions_from_later)
{
	uses[_i]();
	json_set_alloc_funcs(take_memory, free_memory);
	uses[_i]();
	assert_functions(take_memory, free_memory);
	ck_assert_uint_gt(taken, 0);
	ck_assert_uint_eq(taken, given);
	json_set_alloc_funcs(malloc, free);
}
END_TEST

START_TEST(test_no_memory)
{
	struct liar l = {.line = {liar_hello, liar_silence}};
	struct proofd *server;
	struct proofd_error error;
	json_set_alloc_funcs(take_memory, free_memory);
	liar_start(&l);
	const struct proofd_options options = {.address = l.path, .timeout_s = 20};
	ck_assert_msg(!proofd_open(&options, &server, &error), "%s", error.message);
	empty = true;
	ck_assert_int_eq(proofd_call(server, "server.stats", "{}", NULL, &error), -1);
	empty = false;
	ck_assert_str_eq(error.slug, "no-memory");
	proofd_close(server);
	liar_end(&l);
	ck_assert_uint_eq(taken, given);
	json_set_alloc_funcs(malloc, free);
}
END_TEST

SUITE(own_json)
{
	tcase_set_timeout(c, 110);
	tcase_add_loop_test(c, test_documents_from_before, 0, USES);
	tcase_add_loop_test(c, test_functions_from_before, 0, USES);
	tcase_add_loop_test(c, test_functions_from_later, 0, USES);
	tcase_add_test(c, test_no_memory);
}
