/* Repeats: repeated warnings and errors become one line a minute in the log, with a count.
 *
 * Lines of one format are a family. In the minute after its first line a family may have PD_REPEAT_TEXTS different
 * lines; the others are counted, and the count is logged at the end of the minute. (For a format that begins with a
 * conversion, such as "%s", the text itself is the family.) When the table of families is full, one ends early: the one
 * whose minute began first, preferably one that left nothing out. */
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

/* Whether to write a line at `now` (monotonic, not 0); else it is counted. Before this, call pd_repeat_tell
 * until it returns false. */
bool pd_repeat_may(struct pd_repeats *repeats, const char *format, const char *text, uint64_t now);
/* Ends a family whose minute is over (all: any family), and composes a line about the lines that it left out; false
 * when there is no such family. */
bool pd_repeat_tell(struct pd_repeats *repeats, uint64_t now, bool all, char *out, size_t room);
