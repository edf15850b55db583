/* Child: a process that a Check test forks. */
#pragma once

#include <sys/types.h>

/* Like fork, but the child does not write to the file in which Check collects results: a child that is killed while it
 * writes an assertion would leave half a message there, and the whole suite would fail. A failing assertion ends the
 * child with status 1. Ends the program if that file is not found. */
pid_t fork_child(void);
