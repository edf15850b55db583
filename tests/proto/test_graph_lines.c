/* Graph lines: what is read, every way in which a line can be wrong, and that JSON and lines are the same graphs. Graph
 * files: which file is read, and what is copied into a certificate. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/buf.h"
#include "proto/graph_file.h"
#include "tests/support/graph.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static struct pd_fail fail;

static struct pd_graph *parse_graph(const char *text)
{
	struct pd_graph *graph = NULL;
	ck_assert_msg(!pr_graph_parse(text, strlen(text), &graph, &fail), "%s: %s", text, fail.text);
	return graph;
}

START_TEST(a_graph_is_read_as_it_is_written)
{
	struct pd_graph *g = parse_graph("# a small one\r\nvalues -2 3\ninfinite\t-1\n\nroot A   # where it begins\n"
					 "b1 = 3\nA or B b1\n  B and A b1 # the last line has no end");
	ck_assert_uint_eq(pd_graph_find(g, "B", 1), 2);
	ck_assert_uint_eq(pd_graph_find(g, "C", 1), PD_GRAPH_NONE);
	ck_assert_uint_eq(pd_graph_find(g, "B\0", 2), PD_GRAPH_NONE);
	struct pd_graph *json =
		parse_graph("{\"root\":\"A\",\"values\":[-2,3],\"infinite\":-1,\"nodes\":{\"b1\":{\"value\":3},"
			    "\"A\":{\"or\":[\"B\",\"b1\"]},\"B\":{\"and\":[\"A\",\"b1\"]}}}");
	ck_assert(graph_equal(g, json));
	pd_graph_free(json);
	pd_graph_free(g);
}
END_TEST

START_TEST(the_header_has_defaults)
{
	struct pd_graph *g = parse_graph("a = 1\nb = 0");
	ck_assert(g->value_min == -1 && g->value_max == 1 && g->infinite_value == 0 && g->root == 0);
	pd_graph_free(g);
	g = parse_graph("values 2 5\na = 3");
	ck_assert(g->value_min == 2 && g->value_max == 5 && g->infinite_value == 2);
	pd_graph_free(g);
}
END_TEST

START_TEST(words_of_the_format_are_names_as_well)
{
	struct pd_graph *g =
		parse_graph("root root\nor and = or\nroot or = values and or\n= = -1\nvalues = 1\nand or infinite\n"
			    "infinite and and =\n");
	ck_assert_uint_eq(g->node_count, 6);
	ck_assert_uint_eq(g->root, 1);
	ck_assert_uint_eq(g->nodes[1].count, 4);
	ck_assert_uint_eq(g->children[g->nodes[1].child + 3], 0);
	pd_graph_free(g);
	g = parse_graph("\xef\xbb\xbf{ or \xc3\xa9"
			"a#b\n\xc3\xa9"
			"a#b = 0"); /* a byte order mark is no part of a name */
	ck_assert_str_eq(pd_graph_name(g, 0), "{");
	ck_assert_str_eq(pd_graph_name(g, 1), "\xc3\xa9"
					      "a#b");
	pd_graph_free(g);
}
END_TEST

START_TEST(what_is_wrong_with_a_line_is_named)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
		{"", "the graph has no node; the line of a node is"},
		{"# nothing\n\n", "the graph has no node"},
		{"[]", "line 1 of the graph: '[]' should be followed by 'or', 'and' or '='"},
		{"a = 1\nb xor a", "line 2 of the graph: 'xor' should be 'or', 'and' or '='"},
		{"a = 1\n\n# c\nb", "line 4 of the graph: 'b' should be followed by"},
		{"a or", "line 1 of the graph: 'or' should be followed by the names of children"},
		{"a or # b", "line 1 of the graph: 'or' should be followed by the names of children"},
		{"a or b", "line 1 of the graph: 'b' is a child, but no line begins with it"},
		{"a or a a", "line 1 of the graph: 'a' occurs twice among the children"},
		{"a = 1\na = 1", "line 2 of the graph: 'a' already has a line of its own"},
		{"a = 2", "line 1 of the graph: '=' should be followed by an integer from -1 to 1"},
		{"a = 0.5", "an integer from -1 to 1"},
		{"a = +1", "an integer from -1 to 1"},
		{"a = 1 1", "an integer from -1 to 1"},
		{"a =", "an integer from -1 to 1"},
		{"values 0 9\na = -", "an integer from 0 to 9"},
		{"values 1 0\na = 1", "line 1 of the graph: 'values' should be followed by two integers"},
		{"values 0 40000\na = 1", "'values' should be followed by two integers"},
		{"values 0\na = 1", "'values' should be followed by two integers"},
		{"values 0 1 2\na = 1", "'values' should be followed by two integers"},
		{"values 0 1\nvalues 0 1\na = 1", "line 2 of the graph: 'values' occurs twice"},
		{"infinite 2\na = 1", "line 2 of the graph: before this line, 'infinite' should be an integer on"},
		{"infinite x\na = 1", "line 1 of the graph: 'infinite' should be followed by an integer"},
		{"a = 1\ninfinite 0", "line 2 of the graph: 'infinite' should come before the first node"},
		{"root b\na = 1", "line 1 of the graph: 'root' should be followed by the name of a node"},
		{"root\na = 1", "line 1 of the graph: 'root' should be followed by the name of a node"},
		{"root b/c\na = 1", "'root' should be followed by the name of a node"},
		{"a/b = 1", "line 1 of the graph: 'a/b' is not a name"},
		{"\x01 = 1", "line 1 of the graph: '?' is not a name"},
		{"\xff\xc3 = 1", "line 1 of the graph: '?\?' is not a name"},
		{"a\xed\xa0\x80 = 1", "is not a name"},
		{"a0123456789012345678901234567890123456789012345678901234567890123 = 1",
		 "a012345678901234567890123456789012345678901234567890123456789012' is not a name"},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pd_graph *graph;
		ck_assert_msg(pr_graph_parse(cases[i].text, strlen(cases[i].text), &graph, &fail) == PD_E_GAME, "%s",
			      cases[i].text);
		ck_assert_msg(strstr(fail.text, cases[i].part) != NULL, "%s -> %s", cases[i].text, fail.text);
		ck_assert_str_eq(fail.field, "game");
	}
}
END_TEST

START_TEST(a_node_may_have_4000_children)
{
	for (unsigned count = 4000; count <= 4001; count++) {
		struct pd_buf text;
		struct pd_graph *g;
		pd_buf_init(&text, SIZE_MAX);
		pd_buf_puts(&text, "root or");
		for (unsigned i = 0; i < count; i++)
			pd_buf_printf(&text, " n%u", i);
		for (unsigned i = 0; i < count; i++)
			pd_buf_printf(&text, "\nn%u = 0", i);
		int rc = pr_graph_parse(text.data, text.size, &g, &fail);
		ck_assert_int_eq(rc, count == 4000 ? PD_OK : PD_E_LIMIT);
		if (rc)
			ck_assert_ptr_nonnull(strstr(fail.text, "line 1 of the graph: a node has at most 4000"));
		else
			pd_graph_free(g);
		pd_buf_fini(&text);
	}
	struct pd_graph *g;
	char text[4000];
	size_t size = (size_t)sprintf(text, "n0 or");
	for (unsigned i = 0; i < 50; i++)
		size += (size_t)sprintf(text + size, " n%u", i == 49 ? 7 : i);
	for (unsigned i = 1; i < 49; i++)
		size += (size_t)sprintf(text + size, "\nn%u = 0", i);
	ck_assert_int_eq(pr_graph_parse(text, size, &g, &fail), PD_E_GAME);
	ck_assert_str_eq(fail.text, "line 1 of the graph: 'n7' occurs twice among the children");
}
END_TEST

/* --- JSON and lines are the same graphs --------------------------------------------------- */

static void random_name(uint64_t *seed, unsigned number, char out[80])
{
	static const char *const parts[] = {"or", "and", "=", "root", "values",   "infinite",     "\"",
					    "\\", "{",   "}", "a#",   "\xc3\xa9", "\xe2\x88\x80", "\xf0\x9f\x99\x82"};
	size_t size = 0;
	for (unsigned i = walk_below(seed, 4); i; i--)
		size += (size_t)sprintf(out + size, "%s", parts[walk_below(seed, sizeof parts / sizeof *parts)]);
	sprintf(out + size, "%x", number);
}

/* A random graph, with cycles, in C. */
static struct pd_graph *random_graph(uint64_t *seed)
{
	struct pd_graph *g = calloc(1, sizeof *g);
	uint32_t count = 1 + walk_below(seed, 60);
	g->value_min = (int16_t)((int)walk_below(seed, 10) - 7);
	g->value_max = (int16_t)(g->value_min + 1 + (int)walk_below(seed, 5));
	g->infinite_value = (int16_t)(g->value_min + (int)walk_below(seed, (unsigned)(g->value_max - g->value_min)));
	for (uint32_t i = 0; i < count; i++) {
		char name[80];
		random_name(seed, i, name);
		ck_assert(!pd_graph_add(g, name, strlen(name)));
	}
	for (uint32_t i = 0; i < count; i++) {
		struct pd_graph_node *node = &g->nodes[i];
		node->child = g->child_count;
		node->terminal = !walk_below(seed, 3);
		if (node->terminal) {
			node->value = (int16_t)(g->value_min + (int)walk_below(seed, 2));
			continue;
		}
		node->first_moves = walk_below(seed, 2);
		uint32_t first = walk_below(seed, count), step = 1 + walk_below(seed, 7);
		for (uint32_t k = first; k < count && (!node->count || walk_below(seed, 4)); k += step) {
			ck_assert(!pd_graph_add_child(g, k));
			node->count++;
		}
	}
	g->root = walk_below(seed, count);
	g->digest = pd_graph_digest(g);
	return g;
}

START_TEST(json_and_lines_are_the_same_graph)
{
	uint64_t seed = 12;
	for (unsigned i = 0; i < 2000; i++) {
		struct pd_graph *g = random_graph(&seed);
		struct pd_buf lines, json;
		pd_buf_init(&lines, SIZE_MAX);
		pd_buf_init(&json, SIZE_MAX);
		ck_assert(graph_print_lines(g, &lines) && graph_print_json(g, &json));
		struct pd_graph *a = parse_graph(lines.data), *b = parse_graph(json.data);
		ck_assert_msg(graph_equal(g, a), "%s", lines.data);
		ck_assert_msg(graph_equal(g, b), "%s", json.data);
		ck_assert(a->no_twins && b->no_twins);
		pd_graph_free(a);
		pd_graph_free(b);
		pd_graph_free(g);
		pd_buf_fini(&lines);
		pd_buf_fini(&json);
	}
}
END_TEST

START_TEST(a_digest_is_what_it_was)
{
	/* Facts on disk are found by it. These are of graphs that versions before the line format read. */
	struct pd_graph *g =
		parse_graph("{\"root\": \"a\", \"infinite\": 0, \"nodes\": {\"a\": {\"or\": [\"b\", \"lost\"]}, "
			    "\"b\": {\"and\": [\"a\", \"won\"]}, \"won\": {\"value\": 1}, \"lost\": {\"value\": "
			    "-1}}}");
	ck_assert_msg(g->digest == 220367113487075188u, "%llu", (unsigned long long)g->digest);
	pd_graph_free(g);
}
END_TEST

/* --- text in pieces ----------------------------------------------------------------------- */

struct pieces {
	const char *text;
	size_t size, at, most;
	unsigned times;
	const char *second; /* what is read the second time */
};

static int read_piece(void *ctx, bool again, char *to, size_t size, size_t *got, struct pd_fail *why)
{
	struct pieces *p = ctx;
	if (again) {
		p->at = 0;
		if (++p->times == 2 && p->second) {
			p->text = p->second;
			p->size = strlen(p->second);
		}
	}
	size_t left = p->size - p->at;
	*got = p->most < size ? p->most : size;
	*got = *got < left ? *got : left;
	memcpy(to, p->text + p->at, *got);
	p->at += *got;
	return PD_OK;
}

START_TEST(pieces_of_any_size_are_the_same_graph)
{
	static const char text[] = "\xef\xbb\xbfvalues -1 1\nA or B C\nB and b1 b2\nC and b1\nb1 = 1\nb2 = -1\n";
	struct pd_graph *whole = parse_graph(text), *again;
	for (size_t most = 1; most < sizeof text; most++) {
		struct pieces pieces = {.text = text, .size = sizeof text - 1, .most = most};
		struct pr_graph_source source = {.read = read_piece, .ctx = &pieces};
		ck_assert_msg(!pr_graph_lines_read(&source, &again, &fail), "%s", fail.text);
		ck_assert(graph_equal(whole, again));
		ck_assert_uint_eq(pieces.times, 2);
		pd_graph_free(again);
	}
	pd_graph_free(whole);
}
END_TEST

START_TEST(a_file_that_changes_between_the_passes_is_refused)
{
	static const char text[] = "A or B C\nB = 1\nC = 0\n";
	static const char *const second[] = {"A or B C\nB = 1\n", "A or B C\nB = 1\nD = 0\n", "",
					     "A or B C\nB = 1\nC = 0\nD = 0\n"};
	for (unsigned i = 0; i < sizeof second / sizeof *second; i++) {
		struct pieces pieces = {.text = text, .size = sizeof text - 1, .most = 5, .second = second[i]};
		struct pr_graph_source source = {.read = read_piece, .ctx = &pieces};
		struct pd_graph *g;
		ck_assert_int_eq(pr_graph_lines_read(&source, &g, &fail), PD_E_GAME);
		ck_assert_ptr_nonnull(strstr(fail.text, "read the first time"));
	}
}
END_TEST

START_TEST(a_line_in_pieces_has_a_limit)
{
	size_t size = PR_GRAPH_LINE_MAX + 10;
	char *text = malloc(size);
	memset(text, ' ', size);
	memcpy(text, "a = 1\nb = 1", 11);
	struct pieces pieces = {.text = text, .size = size, .most = 100000};
	struct pr_graph_source source = {.read = read_piece, .ctx = &pieces};
	struct pd_graph *g;
	ck_assert_int_eq(pr_graph_lines_read(&source, &g, &fail), PD_E_LIMIT);
	ck_assert_str_eq(fail.text, "line 2 of the graph has more than 1048576 bytes");
	free(text);
}
END_TEST

/* --- files -------------------------------------------------------------------------------- */

static char dir[64];

static void write_file(const char *name, const char *text)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void remove_file(const char *name)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	unlink(path);
}

static int append(void *ctx, const char *data, size_t size)
{
	pd_buf_put(ctx, data, size);
	return PD_OK;
}

START_TEST(a_graph_is_one_file)
{
	static const char json[] = " {\"root\":\"a\",\"nodes\":{\"a\":{\"value\":1}}}", lines[] = "\n a = 1\n";
	struct pd_graph *a, *b;
	struct pr_graph_file file;
	snprintf(dir, sizeof dir, "/tmp/proofd-graphs-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(pr_graph_load(dir, "g", &a, NULL, &fail), PD_E_GAME);
	ck_assert_ptr_nonnull(strstr(fail.text, "g.json, and no g.graph"));
	ck_assert_int_eq(pr_graph_load(dir, "../g", &a, NULL, &fail), PD_E_GAME);
	ck_assert_int_eq(pr_graph_load(NULL, "g", &a, NULL, &fail), PD_E_GAME);
	write_file("g.json", json);
	ck_assert_msg(!pr_graph_load(dir, "g", &a, NULL, &fail), "%s", fail.text);
	write_file("g.graph", lines);
	ck_assert_int_eq(pr_graph_load(dir, "g", &b, NULL, &fail), PD_E_GAME);
	ck_assert_ptr_nonnull(strstr(fail.text, "there are two graphs 'g'"));
	remove_file("g.json");
	ck_assert_msg(!pr_graph_load(dir, "g", &b, &file, &fail), "%s", fail.text);
	ck_assert(graph_equal(a, b));
	ck_assert_uint_eq(file.bytes, sizeof lines - 1);
	pd_graph_free(b);

	struct pd_buf copy;
	pd_buf_init(&copy, SIZE_MAX);
	ck_assert_msg(!pr_graph_copy(&file, append, &copy, &fail), "%s", fail.text);
	ck_assert(copy.size == sizeof lines - 1 && !memcmp(copy.data, lines, copy.size));
	static const char *const changed[] = {"\n a = 0\n", "\n a = 1", "\n a = 1\n#", ""};
	for (unsigned i = 0; i < 4; i++) {
		write_file("g.graph", changed[i]);
		ck_assert_int_eq(pr_graph_copy(&file, append, &copy, &fail), PD_E_STATE);
		ck_assert_ptr_nonnull(strstr(fail.text, "has changed"));
	}
	remove_file("g.graph");
	ck_assert_int_eq(pr_graph_copy(&file, append, &copy, &fail), PD_E_STATE);
	write_file("g.graph", json); /* the content decides, not the name of the file */
	ck_assert_msg(!pr_graph_load(dir, "g", &b, &file, &fail), "%s", fail.text);
	ck_assert(graph_equal(a, b));
	pd_graph_free(b);
	pd_graph_free(a);
	pd_buf_fini(&copy);
	remove_file("g.graph");
	rmdir(dir);
}
END_TEST

START_TEST(what_is_no_file_is_refused)
{
	struct pd_graph *g;
	char path[128];
	snprintf(dir, sizeof dir, "/tmp/proofd-graphs-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/pipe.graph", dir);
	ck_assert(!mkfifo(path, 0600)); /* opening it would wait for ever */
	ck_assert_int_eq(pr_graph_load(dir, "pipe", &g, NULL, &fail), PD_E_IO);
	ck_assert_ptr_nonnull(strstr(fail.text, "not a regular file"));
	unlink(path);
	write_file("empty.json", "");
	ck_assert_int_eq(pr_graph_load(dir, "empty", &g, NULL, &fail), PD_E_GAME);
	ck_assert_ptr_nonnull(strstr(fail.text, "no node"));
	remove_file("empty.json");
	rmdir(dir);
}
END_TEST

SUITE(graph_lines)
{
	tcase_set_timeout(c, 60);
	tcase_add_test(c, a_graph_is_read_as_it_is_written);
	tcase_add_test(c, the_header_has_defaults);
	tcase_add_test(c, words_of_the_format_are_names_as_well);
	tcase_add_test(c, what_is_wrong_with_a_line_is_named);
	tcase_add_test(c, a_node_may_have_4000_children);
	tcase_add_test(c, json_and_lines_are_the_same_graph);
	tcase_add_test(c, a_digest_is_what_it_was);
	tcase_add_test(c, pieces_of_any_size_are_the_same_graph);
	tcase_add_test(c, a_file_that_changes_between_the_passes_is_refused);
	tcase_add_test(c, a_line_in_pieces_has_a_limit);
	tcase_add_test(c, a_graph_is_one_file);
	tcase_add_test(c, what_is_no_file_is_refused);
}
