/* Child: a program that answers a line on its stdin with a line on its stdout.
 *
 * It has the niceness of the thread that starts it, reads nothing from this process but its stdin, and ends when that
 * is closed. A seccomp filter keeps it from sockets, from changing files, and from other processes. It dumps no core,
 * and has at most PD_CHILD_FILES open files, limited memory (RLIMIT_DATA), and processor time that each question
 * renews, so that a loop ends even when this process has been killed. What it last wrote to stderr becomes part of the
 * reason of a failure. None of this needs root. */
#pragma once

#include "proto/base/buf.h"
#include "proto/base/error.h"

enum { PD_CHILD_FILES = 64, PD_CHILD_WORDS = 32 };

struct pd_child;

/* What one answer may take. */
struct pd_child_limits {
	size_t memory;    /* bytes of private memory */
	size_t answer;    /* bytes of one line */
	unsigned seconds; /* for one answer; 0: no limit */
};

/* Starts a program. The command is words separated by spaces, without a shell; the first is looked up in PATH. Its
 * environment is PATH, HOME, LANG=C.UTF-8, and what makes Python and Node find modules. PD_E_UNSUPPORTED with a
 * sentence when it cannot be started, or not in the sandbox; PD_E_NO_MEMORY. */
int pd_child_start(const char *command, const struct pd_child_limits *limits, struct pd_child **out,
		   struct pd_fail *fail);
/* Sends a line, and waits for one, which replaces `answer`, without its newline. PD_E_IO with a sentence when the
 * program has ended, does not answer in time, or says more than a line or than the limit; it can only be ended then. */
int pd_child_ask(struct pd_child *child, const char *line, size_t size, struct pd_buf *answer, struct pd_fail *fail);
/* Kills it and what it has started, and frees it. NULL is fine. */
void pd_child_end(struct pd_child *child);
