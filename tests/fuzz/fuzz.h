/* Fuzz: what the harnesses share.
 *
 * A harness is tests/fuzz/fuzz_NAME.c and has the one function below. The preset `fuzz` links it with libFuzzer (./dev
 * lab fuzz); every other build links it with replay.c, which runs the files of tests/fuzz/corpus/NAME through it: the
 * test fuzz.NAME. A file that once showed a fault stays there. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold for every input. Never compiled out. */
#define FUZZ_CHECK(condition)                                                                                          \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                  \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)

#endif
