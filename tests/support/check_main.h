/* Check main: the last lines of every Check program. Each test case runs in a process of its own (CK_FORK), unless
 * CK_FORK=no. */
#ifndef CHECK_MAIN_H
#define CHECK_MAIN_H

#include <check.h>

/* Runs the suite; returns what main should return. */
int check_main(Suite *suite);

#endif
