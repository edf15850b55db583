/* Suite: the last lines of a file test_NAME.c, which add its tests to a case. */
#pragma once

#include <check.h>

#include "tests/support/program.h"

/* Runs a suite of one case; returns an exit status. Each test runs in a process of its own, unless CK_FORK=no. */
int suite_run(const char *name, void (*add_tests)(TCase *c));

/* Followed by the body of a function that adds tests to the case `c`. */
#define SUITE(title)                                                                                                   \
	static void add_tests_of_##title(TCase *c);                                                                    \
	PROGRAM(title)                                                                                                 \
	{                                                                                                              \
		return suite_run(#title, add_tests_of_##title);                                                        \
	}                                                                                                              \
	static void add_tests_of_##title(TCase *c)
