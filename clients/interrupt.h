/* Interrupt: Ctrl-C and SIGTERM, polled by a command.
 *
 * The signals are blocked, so that they do not end threads of a core in this process, and polled between two waits.
 * After the first one the command ends in good order; the signals are then unblocked, so that a second Ctrl-C ends the
 * process at once. No handler and no global state are needed. */
#pragma once

enum { CL_LOOK_MS = 100 }; /* milliseconds between two polls, at most */

/* Blocks SIGINT and SIGTERM in this thread and in those that it starts. */
void cl_interrupt_hold(void);
/* SIGINT or SIGTERM if one has arrived (both are then unblocked), else 0. */
int cl_interrupt_take(void);
