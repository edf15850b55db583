/* Arguments: the command line of proofcheck. */
#pragma once

#include "clients/proofcheck/browse.h"
#include "clients/proofcheck/show.h"

enum { CK_EXIT_VERIFIED = 0, CK_EXIT_REJECTED = 1, CK_EXIT_USAGE = 2 };

enum ck_task { CK_TASK_CHECK, CK_TASK_SHOW, CK_TASK_STATS, CK_TASK_TEXT, CK_TASK_FROM_TEXT, CK_TASK_UNPACK };

struct ck_arguments {
	enum ck_task task;
	struct ck_report report;
	struct ck_options options;
	const char *second; /* the word after the file: a position or the file to write; NULL: none */
	const char *moves;  /* of --moves; may be NULL */
};

/* Reads the command line; threads and digest have to be set to their defaults. -1: go on; otherwise the exit status,
 * after a message. */
int ck_arguments_read(int argc, char **argv, struct ck_arguments *out);
