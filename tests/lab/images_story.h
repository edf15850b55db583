/* Images, the story: what the program does whose writes are recorded, and what its store should hold after each step.
 *
 * Step number i is a function of (seed, i): a checkpoint of tests/support/storemodel.h, or now and then a rewrite of
 * all facts. Between steps facts are maintained, which changes nothing. So a store that was cut off is compared with a
 * replay. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/support/storemodel.h"

enum { STORY_CUTS = 64 };

struct story {
	uint64_t seed;
	unsigned cut[STORY_CUTS]; /* after how many steps the store was opened again, rising */
	unsigned cuts;
};

/* What a mark in the record says: a letter and a number. */
enum story_mark {
	STORY_OPENING = 'o', /* the store is opened after that many steps */
	STORY_OPENED = 'O',
	STORY_BEGIN = 'b',    /* step n begins */
	STORY_DONE = 'B',     /* n steps are done, and so acknowledged */
	STORY_MAINTAIN = 'm', /* maintenance begins */
	STORY_REST = 'M'      /* and has ended */
};

bool story_is_rewrite(const struct story *story, unsigned step);
/* The model after a number of steps, and after one more. */
struct model *story_replay(const struct story *story, unsigned steps);
void story_advance(const struct story *story, struct model *model, unsigned step);

/* The program that is recorded: opens `dir`, takes a number of steps from number `first` on, and ends without closing
 * anything. */
int story_tell(const struct story *story, const char *dir, unsigned first, unsigned steps);

/* Opens an image of a moment when `done` steps were acknowledged, and one more had begun if `open`; before and after
 * are the models of the two. Goes on with a step and opens once more if `on`. Returns the number of steps that the
 * image has, or -1 and a text. */
int story_judge(const struct story *story, const char *dir, unsigned done, bool open, const struct model *before,
		const struct model *after, bool on, char *text, unsigned size);
