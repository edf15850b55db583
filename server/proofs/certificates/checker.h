/* Checker: runs proofcheck on a certificate, as a process of its own: to check it, or to unpack it, pack it or put
 * zones into it.
 *
 * The verdict comes from a program that shares no code with this one (C2). It runs at niceness 19 on one thread with
 * limited processor time and address space, and receives only the names of the file and of the directory of tables,
 * PATH, TMPDIR, where it unpacks a large certificate, and a pipe for its output. The calling thread waits for it. */
#pragma once

#include <stdint.h>

#include "proto/base/buf.h"
#include "proto/base/error.h"

struct sv_checker_order {
	const char *program;       /* its path */
	const char *file;          /* the certificate */
	const char *rules;         /* file with the rules of its game; NULL: the checker's own */
	const char *rules_program; /* NAME=COMMAND instead; or NULL */
	const char *tables;        /* directory of the tables that it may cite; or NULL */
	unsigned seconds;          /* of processor time; 0: no limit */
	uint64_t file_bytes;       /* size of the file, which it maps */
	const char *made;          /* the file is not checked but written to this new one; or NULL */
	const char *way;           /* how: "--unpack", "--pack" or "--zones" */
	bool (*go_on)(void *ctx);  /* called several times a second; false ends the program */
	void *ctx;
};

/* Finds the checker: `program`, or proofcheck in the directory of this process's own program. *out is its path, to be
 * freed; NULL when none was named and none is there. PD_E_USAGE with field "proofcheck" when the named one is not a
 * file that may be run. */
int sv_checker_find(const char *program, char **out, struct pd_fail *fail);

/* The file or directory with rules of plug-in games: *out is a copy of its name, to be freed. PD_E_USAGE with field
 * "rules" when there is neither. */
int sv_checker_rules(const char *path, char **out, struct pd_fail *fail);

/* Runs it and appends its output to `said`, at most 64 KiB. PD_E_LIMIT when the time is up, PD_E_SHUTDOWN when `go_on`
 * returns false, PD_E_UNSUPPORTED when it cannot be started, PD_E_IO when it ends without output, or has not written
 * the other file. */
int sv_checker_run(const struct sv_checker_order *order, struct pd_buf *said, struct pd_fail *fail);
