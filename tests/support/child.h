/* Child: a process that a Check test forks. */
#pragma once

#include <sys/types.h>

/* As fork, but the child does not write to the file in which Check gathers the results of the test: a child that is
 * killed while an assertion is being noted would leave half a message there, and the whole suite would fail. An
 * assertion that fails in the child ends it with code 1. Ends the program when there is no such file. */
pid_t fork_child(void);
