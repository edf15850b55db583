/* Show: the output of the program, as text and as JSON. */
#ifndef CK_SHOW_H
#define CK_SHOW_H

#include <stdbool.h>

#include "clients/proofcheck/check.h"
#include "clients/proofcheck/plugin.h"

struct ck_report {
	const char *file;
	struct ck_source rules; /* of --rules; file NULL: none were given */
	unsigned threads;
	bool json, quiet;
};

/* Prints the verdict to stdout: one word and a few lines of text, or one line of JSON. */
void ck_show(const struct ck_report *report, const struct ck_result *result);

/* Draws and clears the progress bar on stderr. */
void ck_show_progress(uint64_t positions, uint64_t all);
void ck_hide_progress(void);

#endif
