/* The method table, PROTOCOL.md and rpc.discover say the same. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/rpc.h"
#include "tests/support/check_main.h"

static char *page;

static void setup(void)
{
	FILE *file = fopen(TEST_DATA "/../../proto/PROTOCOL.md", "r");
	ck_assert_ptr_nonnull(file);
	page = calloc(1, 1 << 18);
	ck_assert_uint_gt(fread(page, 1, (1 << 18) - 1, file), 0);
	fclose(file);
}

static void teardown(void)
{
	free(page);
}

/* The column of the method's row: 1 methods, 2 parameters, 3 result. To be freed; NULL when there is no row. */
static char *column_of(const char *method, int column)
{
	char name[64];
	snprintf(name, sizeof name, "`%s`", method);
	for (const char *line = page; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		if (*line != '|')
			continue;
		const char *ends[5] = {line};
		for (int i = 1; i < 5 && ends[i - 1]; i++)
			ends[i] = strchr(ends[i - 1] + 1, '|');
		if (!ends[4])
			continue;
		const char *found = strstr(line, name);
		if (found && found < ends[1])
			return strndup(ends[column - 1] + 1, (size_t)(ends[column] - ends[column - 1] - 1));
	}
	return NULL;
}

/* The name stands in the text as a word, with `?` exactly when it is optional. */
static bool is_listed(const char *text, const char *name, bool required)
{
	size_t size = strlen(name);
	for (const char *p = text; (p = strstr(p, name)); p += size) {
		bool begins = p > text && !isalnum((unsigned char)p[-1]) && p[-1] != '"';
		if (begins && !isalnum((unsigned char)p[size]) && (p[size] == '?') == !required)
			return true;
	}
	return false;
}

static bool is_known(const struct pr_param *list, const char *name, size_t size)
{
	for (; list->name; list++)
		if (strlen(list->name) == size && !strncmp(list->name, name, size))
			return true;
	return false;
}

START_TEST(the_page_names_every_method_and_parameter)
{
	for (unsigned i = 0; i < PR_METHOD_COUNT; i++) {
		const struct pr_method_info *info = pr_method_info((enum pr_method)i);
		char *params = column_of(info->name, 2);
		ck_assert_msg(params != NULL, "PROTOCOL.md has no row for %s", info->name);
		for (const struct pr_param *p = info->params; p->name; p++) {
			ck_assert_msg(is_listed(params, p->name, p->required), "PROTOCOL.md: %s does not list %s",
				      info->name, p->name);
			for (const struct pr_param *m = p->members; m && m->name; m++)
				ck_assert_msg(is_listed(params, m->name, m->required) ||
						      strcmp(info->name, "job.submit") != 0,
					      "PROTOCOL.md: %s does not list %s.%s", info->name, p->name, m->name);
		}
		free(params);
	}
}
END_TEST

START_TEST(the_page_names_no_parameter_that_is_not_there)
{
	for (unsigned i = 0; i < PR_METHOD_COUNT; i++) {
		const struct pr_method_info *info = pr_method_info((enum pr_method)i);
		char *params = column_of(info->name, 2);
		for (char *p = params; (p = strchr(p, '`')); p++) { /* odd ticks open, even ones close */
			char *end = strchr(p + 1, '`');
			ck_assert_ptr_nonnull(end);
			size_t size = strcspn(p + 1, "`?:");
			if (isalpha((unsigned char)p[1]))
				ck_assert_msg(is_known(info->params, p + 1, size), "PROTOCOL.md: %s has no %.*s",
					      info->name, (int)size, p + 1);
			p = end;
		}
		free(params);
	}
}
END_TEST

START_TEST(the_page_states_the_limits)
{
	ck_assert_int_eq(PR_LINE_MAX, 1 << 20);
	ck_assert_ptr_nonnull(strstr(page, "A request line: 1 MiB."));
	ck_assert_int_eq(PR_BATCH_MAX, 1000);
	ck_assert_ptr_nonnull(strstr(page, "A batch: 1,000 calls."));
	ck_assert_int_eq(PR_DEPTH_MAX, 32);
	ck_assert_ptr_nonnull(strstr(page, "Nesting: 32."));
	ck_assert_int_eq(PR_REPLY_MAX, 16 << 20);
	ck_assert_ptr_nonnull(strstr(page, "A reply line: 16 MiB."));
}
END_TEST

static pr_ref find(pr_ref list, const char *name)
{
	for (size_t i = 0; i < pr_count(list); i++)
		if (!strcmp(pr_get_str(pr_at(list, i), "name", ""), name))
			return pr_at(list, i);
	return NULL;
}

START_TEST(the_discover_document_lists_all)
{
	struct pd_buf out;
	struct pr_doc *doc;
	struct pd_fail fail;
	pd_buf_init(&out, PR_REPLY_MAX);
	static const struct pr_param options[] = {
		{"share", PR_T_REAL, false, 0, 1500, "a share"}, {"shy", PR_T_BOOL}, {0}};
	pr_discover(&out, "1.2.3", options);
	ck_assert_msg(!pr_doc_parse(out.data, out.size, &doc, &fail), "%s", fail.text);
	pr_ref root = pr_doc_root(doc), methods = pr_get(root, "methods");
	ck_assert_str_eq(pr_get_str(root, "openrpc", ""), "1.2.6");
	ck_assert_str_eq(pr_get_str(pr_get(root, "info"), "version", ""), "1.2.3");
	ck_assert_uint_eq(pr_count(methods), PR_METHOD_COUNT);
	for (unsigned i = 0; i < PR_METHOD_COUNT; i++) {
		const struct pr_method_info *info = pr_method_info((enum pr_method)i);
		pr_ref method = find(methods, info->name), params = pr_get(method, "params");
		ck_assert_str_eq(pr_get_str(method, "summary", ""), info->summary);
		ck_assert(pr_has(pr_get(method, "result"), "schema"));
		size_t count = 0;
		for (const struct pr_param *p = info->params; p->name; p++, count++) {
			pr_ref param = find(params, p->name);
			ck_assert_msg(pr_kind_of(pr_get(param, "schema")) == PR_OBJECT, "%s %s", info->name, p->name);
			ck_assert(pr_get_bool(param, "required", false) == p->required);
			for (const struct pr_param *m = p->members; m && m->name; m++)
				ck_assert(pr_has(pr_get(pr_get(param, "schema"), "properties"), m->name));
		}
		ck_assert_uint_eq(pr_count(params), count);
	}
	pr_ref open = pr_get(find(pr_get(find(methods, "job.submit"), "params"), "options"), "schema");
	pr_ref share = pr_get(pr_get(open, "properties"), "share");
	ck_assert_uint_eq(pr_count(pr_get(open, "properties")), 2);
	ck_assert(!pr_get_bool(open, "additionalProperties", true));
	ck_assert(pr_get_real(share, "maximum", 0) == 1.5);
	ck_assert_str_eq(pr_get_str(share, "description", ""), "a share");
	pr_ref errors = pr_get(pr_get(root, "components"), "errors");
#define X(name, number, slug, meaning)                                                                                 \
	if ((number) != 0)                                                                                             \
		ck_assert_int_eq(pr_get_int(pr_get(errors, slug), "code", 0), number);
	PD_ERRORS(X)
#undef X
	pr_doc_free(doc);
	pd_buf_fini(&out);
}
END_TEST

START_TEST(methods_are_found_by_name)
{
	enum pr_method method;
	for (unsigned i = 0; i < PR_METHOD_COUNT; i++) {
		ck_assert(pr_method_find(pr_method_info((enum pr_method)i)->name, &method));
		ck_assert_uint_eq(method, i);
		ck_assert_ptr_nonnull(pr_method_info(method)->result);
		ck_assert_ptr_nonnull(pr_method_info(method)->params);
	}
	ck_assert(!pr_method_find("", &method));
	ck_assert(!pr_method_find("job", &method));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("protocol_page");
	TCase *c = tcase_create("protocol_page");
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, the_page_names_every_method_and_parameter);
	tcase_add_test(c, the_page_names_no_parameter_that_is_not_there);
	tcase_add_test(c, the_page_states_the_limits);
	tcase_add_test(c, the_discover_document_lists_all);
	tcase_add_test(c, methods_are_found_by_name);
	suite_add_tcase(s, c);
	return check_main(s);
}
