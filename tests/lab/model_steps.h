/* Steps: what a random sequence of calls of store.h is made of. */
#pragma once

#include <stdint.h>

enum { STEPS_MAX = 200 };

enum kind {
	BEGIN,
	COMMIT,
	ABORT,
	JOB_NEW,
	JOB_PUT,
	EVENT,
	QUESTION,
	TABLE,
	SNAPSHOT_START,
	SNAPSHOT_PUT,
	SNAPSHOT_END,
	TABLE_DROP,
	GAME,
	FACT,
	FACT_LONG,
	CONFLICT,
	FAULT_PUT,
	FAULT_COMMIT,
	FAULT_OFF,
	MAINTAIN,
	REWRITE,
	REWRITE_FAILS,
	REOPEN,
	CRASH,
	COMPARE,
	READER_OPEN,
	READER_LOOK,
	READER_CLOSE,
	KINDS
};

/* A step: one call, or a few of a kind. It is left out where it makes no sense, so that every part of a list is a list.
 */
struct step {
	enum kind kind;
	uint32_t a, b, n, salt;
};

/* Draws the sequence of a seed; returns how many steps it has, at most STEPS_MAX. */
unsigned steps_draw(uint64_t seed, struct step *steps);
/* A line that looks like the call. */
void step_print(const struct step *step);
