/* Subprocess: another program of this package, run at niceness 19 with limits. It is killed when the thread that
 * started it ends, however that comes. It inherits environment and working directory, but no open file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "proto/base/error.h"

/* A limit that is 0 is none. They are those of each process: what it starts inherits them. */
struct sv_subprocess {
	char *const *words;  /* its command line, ended by NULL; the first is its path */
	int out, err;        /* open files for its stdout and stderr */
	uint64_t memory;     /* bytes of private memory */
	uint64_t file_bytes; /* bytes of a file that it writes */
	unsigned seconds;    /* processor time */
};

/* The path of the program `name` in the directory of this process's own program, to be freed; NULL when it is not there
 * or cannot be run, or without memory. */
char *sv_program_beside(const char *name);
/* PD_E_IO. A program that cannot be run ends with exit code 127, and its stderr says why. */
int sv_subprocess_start(const struct sv_subprocess *what, pid_t *pid, struct pd_fail *fail);
/* Waits for its end, at most that long; *status as from waitpid. False: it runs still. */
bool sv_subprocess_await(pid_t pid, unsigned ms, int *status);
/* Kills it, and waits for its end. */
void sv_subprocess_kill(pid_t pid);
