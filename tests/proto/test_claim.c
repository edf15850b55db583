/* Claims: each spelling, and what is refused. */
#include <string.h>

#include "proto/base/claim.h"
#include "tests/support/suite.h"

START_TEST(thresholds_have_two_spellings_and_one_name)
{
	static const struct {
		const char *text, *name;
		int threshold;
	} cases[] = {
		{"first-at-least-1", "first>=1", 1},
		{"first>=1", "first>=1", 1},
		{"first-at-least-0", "first>=0", 0},
		{"first-at-least--3", "first>=-3", -3},
		{"first>=-3", "first>=-3", -3},
		{"first-at-least-007", "first>=7", 7},
		{"first>=-32768", "first>=-32768", INT16_MIN},
		{"first-at-least-32767", "first>=32767", INT16_MAX},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pd_claim claim, again;
		struct pd_fail fail;
		ck_assert_int_eq(pd_claim_parse(cases[i].text, &claim, &fail), PD_OK);
		ck_assert_str_eq(claim.text, cases[i].name);
		ck_assert_int_eq(claim.threshold, cases[i].threshold);
		ck_assert(!claim.value && !claim.refusal);
		ck_assert_int_eq(pd_claim_parse(claim.text, &again, &fail), PD_OK);
		ck_assert_int_eq(again.threshold, claim.threshold);
	}
}
END_TEST

START_TEST(words_are_claims)
{
	static const struct {
		const char *text;
		bool value, refusal;
		int threshold;
	} cases[] = {{"value", true, false, 0},
		     {"first-wins", false, false, 1},
		     {"first-draws", false, false, 0},
		     {"second-wins", false, true, 0},
		     {"second-draws", false, true, 1}};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pd_claim claim;
		ck_assert_int_eq(pd_claim_parse(cases[i].text, &claim, NULL), PD_OK);
		ck_assert_str_eq(claim.text, cases[i].text);
		ck_assert(claim.value == cases[i].value && claim.refusal == cases[i].refusal);
		ck_assert_int_eq(claim.threshold, cases[i].threshold);
	}
}
END_TEST

START_TEST(anything_else_is_refused)
{
	static const char *const texts[] = {
		"",          "first",      "first>=",          "first-at-least-", "first-at-least",
		"first>=+1", "first>= 1",  "first>=1x",        "first>=-",        "first>=32768",
		"first>1",   "FIRST-WINS", "second-at-least-1"};
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct pd_claim claim;
		struct pd_fail fail;
		ck_assert_int_eq(pd_claim_parse(texts[i], &claim, &fail), PD_E_CLAIM);
		ck_assert_str_eq(fail.field, "claim");
		ck_assert_ptr_nonnull(strstr(fail.text, "first-at-least-N"));
	}
}
END_TEST

SUITE(claim)
{
	tcase_add_test(c, thresholds_have_two_spellings_and_one_name);
	tcase_add_test(c, words_are_claims);
	tcase_add_test(c, anything_else_is_refused);
}
