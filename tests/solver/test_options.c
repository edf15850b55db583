/* The tunables of a search: names, ranges and text; what they say is in PROTOCOL.md; and a search finds the same value
 * with each of them at either end. */
#include "solver/solver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/factbase.h"
#include "tests/support/suite.h"

static void must_refuse(const char *name, const char *text, const char *part)
{
	struct pn_options o, before;
	struct pd_fail fail;
	pn_options_init(&o);
	before = o;
	ck_assert_int_eq(pn_option_set(&o, name, text, &fail), PD_E_PARAMS);
	ck_assert_str_eq(fail.field, "options");
	ck_assert_msg(strstr(fail.text, part) != NULL, "%s", fail.text);
	const struct pn_tunable *t;
	for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++) {
		char a[PN_TUNABLE_TEXT], b[PN_TUNABLE_TEXT];
		pn_option_text(&o, t, a);
		pn_option_text(&before, t, b);
		ck_assert_str_eq(a, b);
	}
}

/* The end of a tunable's range as text. */
static const char *end_of(const struct pn_tunable *t, bool greatest, char out[PN_TUNABLE_TEXT])
{
	if (t->kind == PN_YES_NO)
		return greatest ? "yes" : "no";
	snprintf(out, PN_TUNABLE_TEXT, "%lld", (long long)(greatest ? t->max : t->min));
	return out;
}

START_TEST(both_ends_of_every_range_are_taken_and_nothing_beyond)
{
	const struct pn_tunable *t;
	unsigned count = 0;
	for (; (t = pn_tunable_at(count)) != NULL; count++) {
		char text[PN_TUNABLE_TEXT], back[PN_TUNABLE_TEXT];
		for (int greatest = 0; greatest <= 1; greatest++) {
			struct pn_options o;
			struct pd_fail fail;
			pn_options_init(&o);
			const char *end = end_of(t, greatest, text);
			ck_assert_msg(!pn_option_set(&o, t->name, end, &fail), "%s", fail.text);
			bool changed = pn_option_text(&o, t, back);
			ck_assert(changed == ((greatest ? t->max : t->min) != t->preset));
			if (t->kind != PN_YES_NO)
				ck_assert_str_eq(back, end);
			else
				ck_assert_str_eq(back, greatest ? "true" : "false");
			ck_assert(!pn_option_set(&o, t->name, back, &fail));
		}
		if (t->kind == PN_YES_NO) {
			must_refuse(t->name, "1", t->name);
			must_refuse(t->name, "", "yes or no");
			continue;
		}
		snprintf(text, sizeof text, "%lld", (long long)t->min - 1);
		must_refuse(t->name, text, t->name);
		snprintf(text, sizeof text, "%lld", (long long)t->max + 1);
		must_refuse(t->name, text, t->name);
		snprintf(back, sizeof back, "to %lld", (long long)t->max);
		must_refuse(t->name, text, back);
	}
	ck_assert_uint_ge(count, 10);
}
END_TEST

/* A job's record and its key know an option by its text: zero has one. */
START_TEST(minus_zero_is_zero)
{
	static const char *const texts[] = {"-0", "-0.0", "-1e-400"};
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct pn_options o;
		struct pd_fail fail;
		const struct pn_tunable *t;
		char text[PN_TUNABLE_TEXT];
		unsigned at = 0;
		pn_options_init(&o);
		ck_assert_msg(!pn_option_set(&o, "epsilon", texts[i], &fail), "%s", fail.text);
		while ((t = pn_tunable_at(at)) != NULL && strcmp(t->name, "epsilon") != 0)
			at++;
		ck_assert_ptr_nonnull(t);
		pn_option_text(&o, t, text);
		ck_assert_str_eq(text, "0");
	}
}
END_TEST

START_TEST(what_is_no_number_is_refused)
{
	static const char *const texts[] = {"",   " ",   "x",   "nan",   "inf",  "0x10", "5 ",
					    "1e", "--5", "5,0", "\"5\"", "true", "null"};
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
		must_refuse("epsilon", texts[i], "from 0 to 100");
		must_refuse("cap-first", texts[i], "a whole number from 1");
	}
	must_refuse("cap-first", "2.5", "a whole number from 1");
	must_refuse("cap-first", "1e99", "a whole number from 1");
}
END_TEST

START_TEST(an_unknown_name_is_told_where_the_list_is)
{
	must_refuse("luck", "1", "there is no option 'luck'; proofctl help solve");
	must_refuse("", "1", "there is no option ''");
	must_refuse("Epsilon", "1", "there is no option 'Epsilon'");
}
END_TEST

START_TEST(the_default_is_not_told_and_numbers_come_back_exactly)
{
	static const char *const reals[] = {"0.1", "0.25", "1e-07", "0.33333333333333331", "99.999999999999986"};
	struct pn_options o;
	struct pd_fail fail;
	const struct pn_tunable *t;
	char text[PN_TUNABLE_TEXT];
	pn_options_init(&o);
	for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++)
		ck_assert(!pn_option_text(&o, t, text));
	for (unsigned i = 0; i < sizeof reals / sizeof *reals; i++) {
		ck_assert(!pn_option_set(&o, "epsilon", reals[i], &fail));
		ck_assert(o.epsilon == strtod(reals[i], NULL));
		ck_assert(pn_option_text(&o, pn_tunable_at(0), text));
		ck_assert(strtod(text, NULL) == o.epsilon);
	}
	ck_assert(!pn_option_set(&o, "cap-last", "5e2", &fail));
	ck_assert_uint_eq(o.cap_last, 500);
}
END_TEST

static uint64_t nodes_with(const char *game, enum pn_algorithm algorithm, const char *with, const char *name,
			   const char *text, int value)
{
	struct game *g;
	struct pd_fail fail;
	struct pd_claim claim = {.value = true};
	struct pn_options o;
	struct pn_solver *solver;
	struct factbase base;
	struct pn_answer answer;
	struct pn_progress p;
	unsigned leaves;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	pn_options_init(&o);
	o.algorithm = algorithm;
	o.memory = 8 << 20;
	ck_assert(!with || !pn_option_set(&o, with, "20", &fail));
	ck_assert(!name || !pn_option_set(&o, name, text, &fail));
	ck_assert(!game_open(game, NULL, &g, &fail));
	g->rules->start(g, state);
	ck_assert(!pn_solver_new(&(struct pn_solver_setup){g, state, &claim, &o, NULL, NULL}, &solver, &fail));
	factbase_init(&base);
	ck_assert_int_eq(solve_all(solver, 100000, &base), PN_ANSWERED);
	pn_solver_answer(solver, &answer);
	pn_solver_progress(solver, &p);
	ck_assert_int_eq(answer.lo, value);
	ck_assert_int_eq(answer.hi, value);
	ck_assert_uint_eq(base.conflicts, 0);
	ck_assert_msg(!factbase_check(&base, g, &leaves), "%s by %s, %s=%s", game, pn_algorithm_text(algorithm), name,
		      text);
	factbase_fini(&base);
	pn_solver_free(solver);
	game_close(g);
	return p.level1 + p.level2;
}

START_TEST(a_search_ends_with_any_option_at_either_end)
{
	const struct pn_tunable *t;
	for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++)
		for (int a = 0; a <= PN_ALGORITHM_LAST; a++)
			for (int greatest = 0; greatest <= 1; greatest++) {
				char text[PN_TUNABLE_TEXT];
				nodes_with("mnk:3,3,3", (enum pn_algorithm)a, NULL, t->name, end_of(t, greatest, text),
					   0);
			}
}
END_TEST

/* Each does something, by an algorithm that it is for. */
START_TEST(every_option_changes_a_search)
{
	static const struct {
		const char *name, *text;
		enum pn_algorithm algorithm;
		const char *game; /* NULL: connect4:4x4 */
		int value;
		const char *with; /* another option, set to 20 */
	} cases[] = {
		{"patience", "2", PN_PDS},         {"epsilon", "3", PN_DFPN},
		{"mobility", "no", PN_PN},         {"heuristics", "no", PN_PDS_PN},
		{"weak", "yes", PN_PDS},           {"cache", "no", PN_PDS_PN},
		{"cap-first", "10", PN_PDS_PN},    {"cap-last", "10", PN_DFPN_PN},
		{"fraction-a", "0", PN_PDS_PN},    {"fraction-b", "1", PN_PDS_PN},
		{"paper-nodes", "2000", PN_PAPER}, {"table", "64", PN_PDS},
		{"keep-children", "no", PN_PN2},   {"knowledge", "no", PN_PDS, "hex:4", 1},
		{"sibling-limit", "0", PN_PDS_PN}, {"budgets", "1", PN_PDS_PN},
		{"walkers", "3", PN_PDS_PN},       {"widen", "2", PN_DFPN},
		{"deep-r", "0.3", PN_DEEP_PN},     {"deep-e", "5", PN_DEEP_DFPN},
		{"deep-d", "20", PN_DEEP_DFPN},    {"look-ahead", "1", PN_PDS_PN},
		{"playouts", "5", PN_PDS_PN},      {"playout-weight", "2", PN_PDS_PN, NULL, 0, "playouts"},
		{"threat-order", "0", PN_LAMBDA},  {"threat-nodes", "9", PN_LAMBDA},
		{"proof-set", "0", PN_PSS},        {"disproof-set", "0", PN_PSS},
		{"similar", "100", PN_DFPN},       {"alike", "yes", PN_DFPN, "dots:2x2", 2},
	};
	enum { CASES = sizeof cases / sizeof *cases };
	const struct pn_tunable *t;
	for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++) {
		/* of several searches: test_dovetail.c, test_rp.c; of games with cycles: test_closure.c */
		bool found =
			!strcmp(t->name, "dovetail") || !strcmp(t->name, "distance") || !strcmp(t->name, "closure");
		for (unsigned k = 0; k < CASES; k++)
			found |= !strcmp(cases[k].name, t->name);
		ck_assert_msg(found, "no search shows what %s does", t->name);
	}
	for (unsigned i = 0; i < CASES; i++) {
		const char *game = cases[i].game ? cases[i].game : "connect4:4x4";
		const char *with = cases[i].with;
		ck_assert_msg(
			nodes_with(game, cases[i].algorithm, with, cases[i].name, cases[i].text, cases[i].value) !=
				nodes_with(game, cases[i].algorithm, with, NULL, NULL, cases[i].value),
			"%s", cases[i].name);
	}
}
END_TEST

START_TEST(the_page_lists_every_option)
{
	static char page[1 << 18];
	const struct pn_tunable *t;
	FILE *file = fopen(TEST_DATA "/../../proto/PROTOCOL.md", "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_gt(fread(page, 1, sizeof page - 1, file), 0);
	fclose(file);
	for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++) {
		char row[512], values[64], preset[32];
		snprintf(values, sizeof values, "%lld to %lld%s", (long long)t->min, (long long)t->max,
			 t->kind == PN_REAL ? ", real" : "");
		snprintf(preset, sizeof preset, "%lld", (long long)t->preset);
		snprintf(row, sizeof row, "\n| `%s` | %s | %s | %s |\n", t->name,
			 t->kind == PN_YES_NO ? "true, false" : values,
			 t->kind == PN_YES_NO ? t->preset ? "true" : "false"
			 : t->preset < t->min ? "the algorithm's"
					      : preset,
			 t->what);
		ck_assert_msg(strstr(page, row) != NULL, "PROTOCOL.md has no row%s", row);
	}
}
END_TEST

SUITE(options)
{
	tcase_set_timeout(c, 120);
	tcase_add_test(c, both_ends_of_every_range_are_taken_and_nothing_beyond);
	tcase_add_test(c, minus_zero_is_zero);
	tcase_add_test(c, what_is_no_number_is_refused);
	tcase_add_test(c, an_unknown_name_is_told_where_the_list_is);
	tcase_add_test(c, the_default_is_not_told_and_numbers_come_back_exactly);
	tcase_add_test(c, a_search_ends_with_any_option_at_either_end);
	tcase_add_test(c, every_option_changes_a_search);
	tcase_add_test(c, the_page_lists_every_option);
}
