/* Repeats: what is written of lines that come again and again, and what is told about the others. */
#include <stdio.h>
#include <string.h>

#include "proto/base/repeats.h"
#include "tests/support/suite.h"

static struct pd_repeats repeats;
static char told[PD_REPEAT_SAMPLE + 60];

static bool tell_line(uint64_t now, bool all)
{
	return pd_repeat_tell(&repeats, now, all, told, sizeof told);
}

START_TEST(the_same_line_comes_once_a_minute)
{
	unsigned said = 0;
	for (uint64_t i = 0; i < 1000000; i++)
		said += pd_repeat_may(&repeats, "no room: %s", "no room: here", 1 + i);
	ck_assert_uint_eq(said, 1);
	ck_assert(!tell_line(PD_REPEAT_NS, false));
	ck_assert(tell_line(PD_REPEAT_NS + 1, false));
	ck_assert_str_eq(told, "999999 more lines like this in the last minute: no room: here");
	ck_assert(!tell_line(PD_REPEAT_NS + 1, false));
	ck_assert(pd_repeat_may(&repeats, "no room: %s", "no room: here", PD_REPEAT_NS + 2));
	ck_assert(!tell_line(PD_REPEAT_NS + 3, true)); /* nothing was left out */
}
END_TEST

START_TEST(lines_of_one_format_that_differ_are_few)
{
	char text[40];
	unsigned said = 0;
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(text, sizeof text, "client %u is late", i);
		said += pd_repeat_may(&repeats, "client %u is late", text, 1 + i);
		said += pd_repeat_may(&repeats, "%s", text, 1 + i); /* each is a family */
	}
	ck_assert_uint_eq(said, PD_REPEAT_TEXTS + 1000);
	ck_assert(pd_repeat_may(&repeats, "another", "another", 2000));
	ck_assert(!pd_repeat_may(&repeats, "another", "another", 2001));
	ck_assert(tell_line(2002, true));
	ck_assert(tell_line(2002, true) || strstr(told, "another"));
}
END_TEST

START_TEST(there_is_room_for_some_families)
{
	char text[40];
	for (unsigned turn = 0; turn < 2; turn++)
		for (unsigned i = 0; i < PD_REPEAT_FAMILIES; i++) {
			snprintf(text, sizeof text, "family %u", i);
			ck_assert(pd_repeat_may(&repeats, text, text, 1 + i) == !turn);
		}
	ck_assert(pd_repeat_may(&repeats, "one more", "one more", 1000)); /* in the place of the oldest */
	ck_assert(pd_repeat_may(&repeats, "family 0", "family 0", 1001));
	ck_assert(!pd_repeat_may(&repeats, "family 9", "family 9", 1002));
}
END_TEST

START_TEST(a_long_line_is_told_of_in_part)
{
	static char text[2000];
	memset(text, 'x', sizeof text - 1);
	ck_assert(pd_repeat_may(&repeats, "x", text, 1));
	ck_assert(!pd_repeat_may(&repeats, "x", text, 2));
	ck_assert(tell_line(3, true));
	ck_assert_uint_eq(strlen(strchr(told, ':')), PD_REPEAT_SAMPLE + 1);
}
END_TEST

SUITE(repeats)
{
	tcase_add_test(c, the_same_line_comes_once_a_minute);
	tcase_add_test(c, lines_of_one_format_that_differ_are_few);
	tcase_add_test(c, there_is_room_for_some_families);
	tcase_add_test(c, a_long_line_is_told_of_in_part);
}
