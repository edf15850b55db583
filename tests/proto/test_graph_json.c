/* Graph JSON: what is read, and every way in which a graph can be wrong. */
#include <string.h>

#include "proto/base/buf.h"
#include "proto/graph_file.h"
#include "tests/support/suite.h"

static struct pd_graph *parse_graph(const char *text)
{
	struct pd_graph *graph = NULL;
	struct pd_fail fail;
	ck_assert_msg(!pr_graph_parse(text, strlen(text), &graph, &fail), "%s: %s", text, fail.text);
	return graph;
}

static uint64_t digest(const char *text)
{
	struct pd_graph *graph = parse_graph(text);
	uint64_t value = graph->digest;
	pd_graph_free(graph);
	return value;
}

START_TEST(a_graph_is_read_as_it_is_written)
{
	struct pd_graph *g =
		parse_graph("{\"root\":\"A\",\"values\":[-2,3],\"infinite\":-1,\"nodes\":{\"b1\":{\"value\":3},"
			    "\"A\":{\"or\":[\"B\",\"b1\"]},"
			    "\"B\":{\"and\":[\"A\",\"b1\"]}}}");
	ck_assert_uint_eq(g->node_count, 3);
	ck_assert_uint_eq(g->child_count, 4);
	ck_assert_uint_eq(g->root, 1);
	ck_assert_int_eq(g->value_min, -2);
	ck_assert_int_eq(g->value_max, 3);
	ck_assert_int_eq(g->infinite_value, -1);
	ck_assert_str_eq(pd_graph_name(g, 0), "b1");
	ck_assert(g->nodes[0].terminal && g->nodes[0].count == 0 && g->nodes[0].value == 3);
	ck_assert(g->nodes[1].first_moves && !g->nodes[1].terminal && g->nodes[1].count == 2);
	ck_assert_uint_eq(g->children[g->nodes[1].child], 2);
	ck_assert_uint_eq(g->children[g->nodes[1].child + 1], 0);
	ck_assert(!g->nodes[2].first_moves);
	ck_assert_uint_eq(g->children[g->nodes[2].child], 1);
	pd_graph_free(g);
}
END_TEST

START_TEST(scale_and_infinite_play_have_defaults)
{
	struct pd_graph *g = parse_graph("{\"root\":\"a\",\"nodes\":{\"a\":{\"value\":1}}}");
	ck_assert(g->value_min == -1 && g->value_max == 1 && g->infinite_value == 0);
	pd_graph_free(g);
	g = parse_graph("{\"root\":\"a\",\"values\":[2,5],\"nodes\":{\"a\":{\"value\":3}}}");
	ck_assert(g->value_min == 2 && g->value_max == 5 && g->infinite_value == 2);
	pd_graph_free(g);
}
END_TEST

START_TEST(the_digest_is_of_the_content_and_not_of_the_writing)
{
	uint64_t d = digest(
		"{\"root\":\"a\",\"nodes\":{\"a\":{\"or\":[\"b\",\"c\"]},\"b\":{\"value\":1},\"c\":{\"value\":0}}}");
	ck_assert_uint_eq(d, digest(" { \"nodes\" : {\"a\":{\"or\":[\"b\",\"c\"]}, "
				    "\"b\":{\"value\":1},\"c\":{\"value\":0}}, \"values\":[-1,1], "
				    "\"root\":\"a\"}\n"));
	static const char *const others[] = {
		"{\"root\":\"b\",\"nodes\":{\"a\":{\"or\":[\"b\",\"c\"]},\"b\":{\"value\":1},\"c\":{\"value\":0}}}",
		"{\"root\":\"a\",\"nodes\":{\"a\":{\"and\":[\"b\",\"c\"]},\"b\":{\"value\":1},\"c\":{\"value\":0}}}",
		"{\"root\":\"a\",\"nodes\":{\"a\":{\"or\":[\"c\",\"b\"]},\"b\":{\"value\":1},\"c\":{\"value\":0}}}",
		"{\"root\":\"a\",\"nodes\":{\"a\":{\"or\":[\"b\",\"c\"]},\"b\":{\"value\":1},\"c\":{\"value\":-1}}}",
		"{\"root\":\"a\",\"nodes\":{\"a\":{\"or\":[\"b\",\"d\"]},\"b\":{\"value\":1},\"d\":{\"value\":0}}}",
		"{\"root\":\"a\",\"values\":[-1,2],\"nodes\":{\"a\":{\"or\":[\"b\",\"c\"]},\"b\":{\"value\":1},\"c\":{"
		"\"value\":0}}}",
		"{\"root\":\"a\",\"infinite\":1,\"nodes\":{\"a\":{\"or\":[\"b\",\"c\"]},\"b\":{\"value\":1},\"c\":{"
		"\"value\":0}}}",
	};
	for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
		ck_assert_msg(digest(others[i]) != d, "%s", others[i]);
}
END_TEST

START_TEST(what_is_wrong_with_a_graph_is_named)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
		{"{\"root\":\"a\"}", "'nodes'"},
		{"{\"root\":\"a\",\"nodes\":{}}", "'nodes'"},
		{"{\"root\":\"a\",\"nodes\":[]}", "'nodes'"},
		{"{\"nodes\":{\"a\":{\"value\":1}}}", "'root'"},
		{"{\"root\":\"b\",\"nodes\":{\"a\":{\"value\":1}}}", "'root'"},
		{"{\"root\":7,\"nodes\":{\"a\":{\"value\":1}}}", "'root'"},
		{"{\"root\":\"a\",\"extra\":1,\"nodes\":{\"a\":{\"value\":1}}}", "no member 'extra'"},
		{"{\"root\":\"a\",\"values\":[1],\"nodes\":{\"a\":{\"value\":1}}}", "'values'"},
		{"{\"root\":\"a\",\"values\":[1,1],\"nodes\":{\"a\":{\"value\":1}}}", "'values'"},
		{"{\"root\":\"a\",\"values\":[0,40000],\"nodes\":{\"a\":{\"value\":1}}}", "'values'"},
		{"{\"root\":\"a\",\"values\":\"x\",\"nodes\":{\"a\":{\"value\":1}}}", "'values'"},
		{"{\"root\":\"a\",\"infinite\":2,\"nodes\":{\"a\":{\"value\":1}}}", "'infinite'"},
		{"{\"root\":\"a\",\"nodes\":{\"a\":{\"value\":2}}}",
		 "node 'a' of the graph must have an integer on the graph's scale"},
		{"{\"root\":\"a\",\"nodes\":{\"a\":{\"value\":0.5}}}", "node 'a'"},
		{"{\"root\":\"a\",\"nodes\":{\"a\":{}}}", "exactly one"},
		{"{\"root\":\"a\",\"nodes\":{\"a\":7}}", "exactly one"},
		{"{\"root\":\"a\",\"nodes\":{\"a\":{\"value\":1,\"or\":[\"a\"]}}}", "exactly one"},
		{"{\"root\":\"a\",\"nodes\":{\"a\":{\"moves\":[\"a\"]}}}", "exactly one"},
		{"{\"root\":\"a\",\"nodes\":{\"a\":{\"or\":[]}}}", "at least one child"},
		{"{\"root\":\"a\",\"nodes\":{\"a\":{\"or\":\"a\"}}}", "at least one child"},
		{"{\"root\":\"a\",\"nodes\":{\"a\":{\"or\":[\"b\"]}}}", "the child 'b', which is not a node"},
		{"{\"root\":\"a\",\"nodes\":{\"a\":{\"or\":[7]}}}", "not a string"},
		{"{\"root\":\"a\",\"nodes\":{\"a\":{\"or\":[\"a\",\"a\"]}}}", "'a' twice"},
		{"{\"root\":\"a b\",\"nodes\":{\"a b\":{\"value\":1}}}", "without blanks and slashes"},
		{"{\"root\":\"a/b\",\"nodes\":{\"a/b\":{\"value\":1}}}", "without blanks and slashes"},
		{"{\"root\":\"\",\"nodes\":{\"\":{\"value\":1}}}", "1 to 64 bytes"},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pd_graph *graph;
		struct pd_fail fail;
		ck_assert_msg(pr_graph_parse(cases[i].text, strlen(cases[i].text), &graph, &fail) == PD_E_GAME, "%s",
			      cases[i].text);
		ck_assert_msg(strstr(fail.text, cases[i].part) != NULL, "%s -> %s", cases[i].text, fail.text);
		ck_assert_str_eq(fail.field, "game");
	}
	struct pd_graph *graph;
	struct pd_fail fail;
	const char *twice = "{\"root\":\"a\",\n\"nodes\":{\"a\":{\"value\":1},\"a\":{\"value\":1}}}";
	ck_assert_int_eq(pr_graph_parse(twice, strlen(twice), &graph, &fail), PD_E_PARSE);
	ck_assert_ptr_nonnull(strstr(fail.text, "line 2"));
}
END_TEST

START_TEST(a_hundred_thousand_nodes_are_read_quickly)
{
	struct pd_buf text;
	pd_buf_init(&text, PR_GRAPH_JSON_BYTES_MAX);
	pd_buf_puts(&text, "{\"root\":\"n0\",\"nodes\":{");
	for (int i = 0; i < 99999; i++)
		pd_buf_printf(&text, "\"n%d\":{\"%s\":[\"n%d\",\"end\"]},", i, i % 2 ? "and" : "or", (i + 1) % 99999);
	pd_buf_puts(&text, "\"end\":{\"value\":0}}}");
	struct pd_graph *g;
	ck_assert_int_eq(pr_graph_parse(text.data, text.size, &g, NULL), PD_OK);
	ck_assert_uint_eq(g->node_count, 100000);
	ck_assert_uint_eq(g->children[g->nodes[99998].child], 0);
	pd_graph_free(g);
	pd_buf_fini(&text);
}
END_TEST

SUITE(graph_json)
{
	tcase_set_timeout(c, 30);
	tcase_add_test(c, a_graph_is_read_as_it_is_written);
	tcase_add_test(c, scale_and_infinite_play_have_defaults);
	tcase_add_test(c, the_digest_is_of_the_content_and_not_of_the_writing);
	tcase_add_test(c, what_is_wrong_with_a_graph_is_named);
	tcase_add_test(c, a_hundred_thousand_nodes_are_read_quickly);
}
