/* Fuzz: what the harnesses share.
 *
 * A harness is tests/fuzz/fuzz_NAME.c and has the one function below. The preset `fuzz` links each with libFuzzer
 * (./dev lab fuzz). In every other build `fuzz_replay NAME` runs the files of tests/fuzz/corpus/NAME: the test
 * fuzz.NAME. A file that once showed a fault stays there. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef PD_FUZZ
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
#define FUZZ(title) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
#else
#include "tests/support/program.h"

/* Runs the files, and those of the directories, of a command line; returns an exit status. */
int fuzz_replay(int (*harness)(const uint8_t *data, size_t size), int argc, char **argv);

/* Followed by the body of a function of `data` and `size` that returns 0. */
#define FUZZ(title)                                                                                                    \
	static int take_##title(const uint8_t *data, size_t size);                                                     \
	PROGRAM(title)                                                                                                 \
	{                                                                                                              \
		return fuzz_replay(take_##title, argc, argv);                                                          \
	}                                                                                                              \
	static int take_##title(const uint8_t *data, size_t size)
#endif

/* What must hold for every input. Never compiled out. */
#define FUZZ_CHECK(condition)                                                                                          \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                  \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)
