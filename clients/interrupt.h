/* Interrupt: Ctrl-C and SIGTERM as something that a command asks about.
 *
 * The signals are blocked, so that no thread of an embedded core dies of them, and looked for between two waits. The
 * first one is told to the command, which ends in good order; from then on they do again what signals do, so that a
 * second Ctrl-C ends the process at once. No handler and no global state are needed. */
#ifndef CL_INTERRUPT_H
#define CL_INTERRUPT_H

enum { CL_LOOK_MS = 100 }; /* how long a command that holds signals may wait between two looks */

/* Blocks SIGINT and SIGTERM in this thread and in those that it starts. */
void cl_interrupt_hold(void);
/* SIGINT or SIGTERM when one has come (both are then let go), else 0. */
int cl_interrupt_take(void);

#endif
