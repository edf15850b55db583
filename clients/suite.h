/* Suite: questions, variants of options, seeds and limits, as the files of `proofctl suite run` have them (SUITE.md).
 * Every question is asked of every variant with every seed: these are the runs of the suite. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/doc.h"

enum {
	CL_SUITE_QUESTIONS = 10000,
	CL_SUITE_VARIANTS = 64,
	CL_SUITE_SEEDS = 100,
	CL_DIGEST_TEXT = 33 /* 32 hexadecimal digits and a zero */
};

enum cl_known {
	CL_KNOWN_NOTHING,
	CL_KNOWN_VALUE, /* the value of the position, from First's view */
	CL_KNOWN_TRUTH  /* whether the claim holds */
};

/* Texts are borrowed from the suite's documents. */
struct cl_question_line {
	const char *name, *game;
	const char *position, *claim, *source; /* NULL: not given */
	enum cl_known known;
	int64_t value;  /* of CL_KNOWN_TRUTH: 0 or 1 */
	int64_t degree; /* of difficulty, from 1; 0: not given */
};

struct cl_variant_line {
	const char *name;
	const char *algorithm, *detail; /* NULL: the default */
	pr_ref options;                 /* search options: an object, or missing */
};

/* What a run may use. */
struct cl_limits {
	int64_t nodes;       /* 0: no limit */
	double seconds, cpu; /* 0: no limit */
	char memory[24];     /* as --memory takes it */
};

/* One thread owns it. */
struct cl_suite {
	char name[64]; /* "": none */
	struct cl_question_line *questions;
	struct cl_variant_line *variants;
	int64_t seeds[CL_SUITE_SEEDS];
	unsigned question_count, variant_count, seed_count;
	struct cl_limits limits;
	char digest[CL_DIGEST_TEXT]; /* of all lines */
	char asked[CL_DIGEST_TEXT];  /* of the questions and limits: runs of suites that share it can be compared */
	struct pr_doc **docs;        /* owned */
	unsigned doc_count;
};

/* Reads files one after the other as one suite, and checks every line but not whether games and positions exist. The
 * caller passes *out to cl_suite_fini, also after a failure. PD_E_USAGE with file and line; PD_E_IO, PD_E_NO_MEMORY. */
int cl_suite_read(const char *const *paths, unsigned count, struct cl_suite *out, struct pd_fail *fail);
void cl_suite_fini(struct cl_suite *suite);

/* Index of the question or variant of that name; -1: none. */
int cl_suite_question(const struct cl_suite *suite, const char *name);
int cl_suite_variant(const struct cl_suite *suite, const char *name);

/* Whether an answer with these bounds and this status (as in the *answer* object) contradicts what is known. */
bool cl_suite_wrong(const struct cl_question_line *question, int64_t lo, int64_t hi, const char *status);

/* The digest of bytes. */
void cl_digest(const void *data, size_t size, char out[CL_DIGEST_TEXT]);
