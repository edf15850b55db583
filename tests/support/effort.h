/* Effort: how much of its whole work a test does, in percent.
 *
 * TEST_EFFORT in the environment says so, 1 to 100; without it a test does all. `./dev test` gives the quick tier and
 * the sanitizers a small effort: they look for other faults than the release build, which does everything. A test that
 * takes long scales its rounds, its strides or the size of its questions by what stands here, and asserts the same. */
#pragma once

#include <stdbool.h>

/* 1..100. Ends the process when TEST_EFFORT is something else. */
unsigned effort(void);
/* That share of `whole` rounds, at least `least`. */
unsigned effort_of(unsigned whole, unsigned least);
/* The step with which that share of a long loop is taken: 1 when all is done. */
unsigned effort_stride(void);
/* Whether what has no smaller share is done: from 30 on, which is what the release build does where CI is set. So what
 * the quick tier and the sanitizers leave out is done on every change. tests/support/effort.py says the same. */
bool effort_whole(void);
