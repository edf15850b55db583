/* Repeats: warnings and errors that come again and again are one line a minute in the log, with a count.
 *
 * Lines of one format are a family. In the minute after its first line a family may have PD_REPEAT_TEXTS lines, all of
 * them different; the others are counted, and the count is told when the minute is over. (Of a format that begins with
 * a conversion, such as "%s", the text itself is the family.) When there are more families than there is room for, one
 * ends early: of those that left nothing out, if there are any, the one whose minute began first. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PD_REPEAT_TEXTS = 10, PD_REPEAT_FAMILIES = 64, PD_REPEAT_SAMPLE = 200 };
#define PD_REPEAT_NS UINT64_C(60000000000)

struct pd_repeats {
	struct pd_repeat_family {
		uint64_t family, since_ns; /* since_ns 0: none */
		uint64_t text[PD_REPEAT_TEXTS];
		unsigned said, more;           /* lines written; lines left out */
		char sample[PD_REPEAT_SAMPLE]; /* the last one that was left out, or its beginning */
	} families[PD_REPEAT_FAMILIES];
};

/* Whether a line is to be written at `now` (monotonic, not 0); else it is counted. Call pd_repeat_tell before, until it
 * has nothing to say. */
bool pd_repeat_may(struct pd_repeats *repeats, const char *format, const char *text, uint64_t now);
/* Ends a family whose minute is over (all: any family), and composes a line about what was left out of it; false when
 * there is no such family. */
bool pd_repeat_tell(struct pd_repeats *repeats, uint64_t now, bool all, char *out, size_t room);
