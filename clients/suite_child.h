/* Suite child: a program run as a child process, its output in files without names, its processor time and memory from
 * the kernel. The process is killed when this one ends. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "proto/base/buf.h"
#include "proto/base/error.h"

struct cl_child {
	pid_t pid; /* 0: none is running */
	int out, err;
	uint64_t start_ns;
};

struct cl_child_end {
	int exit;   /* code; -1: a signal ended it */
	int signal; /* its number; 0: none */
	double cpu, seconds;
	int64_t peak; /* bytes, resident, at most; not less than this process had at the start of the child */
};

/* SIGCHLD is blocked from here on, and awaited by cl_child_await. */
void cl_child_hold(void);
/* Starts `argv[0]`; PD_E_IO, PD_E_NOT_FOUND. */
int cl_child_start(char *const *argv, struct cl_child *child, struct pd_fail *fail);
/* Waits for the end of a child, at most about a tenth of a second; its index, or -1. Its output is still to be read. */
int cl_child_await(struct cl_child *children, unsigned count, struct cl_child_end *end);
/* Appends what the child wrote to stdout and to stderr, and closes the files. */
void cl_child_output(struct cl_child *child, struct pd_buf *out, struct pd_buf *err);
/* Kills the children that are running, and waits for them. */
void cl_child_kill(struct cl_child *children, unsigned count);
