/* Effort: the share of its full work that a test does, in percent.
 *
 * TEST_EFFORT in the environment sets it, 1 to 100; the default is 100. `./dev test` gives the quick tier and the
 * sanitizers a small effort, because they look for other faults than the release build. A long test scales its rounds,
 * strides or sizes by the effort; its assertions stay the same. */
#pragma once

#include <stdbool.h>

/* 1..100. Ends the process on any other TEST_EFFORT. */
unsigned effort(void);
/* That share of `whole` rounds, at least `least`. */
unsigned effort_of(unsigned whole, unsigned least);
/* The step of a long loop that does that share; 1 at full effort. */
unsigned effort_stride(void);
/* Whether to run work that cannot be reduced: from 30 percent on, the effort of the release build with CI set, so that
 * every change runs it. Like tests/support/effort.py. */
bool effort_whole(void);
