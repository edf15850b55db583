/* Subprocess: another program of this package, run at niceness 19 with limits. It is killed when the thread that
 * started it ends, for whatever reason. It inherits the working directory, but no open file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "proto/base/error.h"

enum { SV_SUBPROCESS_UNSTARTED = 127 /* the exit code when the program cannot be run: its stderr says why */ };

/* A limit of 0 is none. The limits are those of each process: what the program starts inherits them. */
struct sv_subprocess {
	char *const *words;       /* its command line, ended by NULL; the first word is its path */
	char *const *environment; /* ended by NULL; NULL: that of this process */
	int out, err;             /* open files for its stdout and stderr; may be the same one */
	uint64_t memory;          /* bytes of private memory */
	uint64_t address_space;   /* bytes */
	uint64_t file_bytes;      /* bytes of a file that it writes */
	unsigned seconds;         /* processor time, after which SIGXCPU ends it */
};

/* The path of the program `name` in the directory of this process's own program, to be freed; NULL when it is not there
 * or cannot be run, or without memory. */
char *sv_program_beside(const char *name);
/* Starts it. When it fails, no process has been started: PD_E_IO, PD_E_NO_MEMORY. */
int sv_subprocess_start(const struct sv_subprocess *what, pid_t *pid, struct pd_fail *fail);
/* Waits for its end, at most that long; *status as from waitpid. False: it still runs. SIGCHLD must not be ignored. */
bool sv_subprocess_await(pid_t pid, unsigned ms, int *status);
/* Kills it and waits for its end. Returns the status, because it may have ended before. */
int sv_subprocess_kill(pid_t pid);
