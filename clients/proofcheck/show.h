/* Show: the output of the program, as text and as JSON. */
#pragma once

#include <stdbool.h>

#include "clients/proofcheck/check.h"
#include "clients/proofcheck/plugin.h"

struct ck_report {
	const char *file;
	struct ck_source rules; /* the rules given with --rules; file NULL: none */
	unsigned threads;
	bool json, quiet;
	char sha256[65]; /* of the file; "": not computed */
};

/* A number or a time in words. */
struct ck_words {
	char text[48];
};

/* 1,234,567 */
struct ck_words ck_count(uint64_t n);
/* 9.87 s, 2 min 05 s, 3 h 02 min, 2 days 3 h */
struct ck_words ck_duration(double seconds);

/* Prints the verdict to stdout: one word and a few lines of text, or one line of JSON. */
void ck_show(const struct ck_report *report, const struct ck_result *result);

/* Draws and clears the progress bar on stderr. */
void ck_show_progress(uint64_t positions, uint64_t all);
void ck_hide_progress(void);
