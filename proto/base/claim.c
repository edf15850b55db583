#include "proto/base/claim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"

/* Reads first-at-least-N or first>=N; false when the text is neither. Both get the name first>=N. */
static bool read_threshold(const char *text, struct pd_claim *out)
{
	static const char *const prefixes[] = {"first-at-least-", "first>="};
	for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		size_t size = strlen(prefixes[i]);
		const char *number = text + size;
		char *end;
		if (strncmp(text, prefixes[i], size) != 0 || !*number || !strchr("-0123456789", *number))
			continue;
		errno = 0;
		long n = strtol(number, &end, 10);
		if (end == number || *end || errno || n < INT16_MIN || n > INT16_MAX)
			return false;
		*out = (struct pd_claim){.threshold = (int16_t)n};
		int length = snprintf(out->text, sizeof out->text, "first>=%ld", n);
		PD_ASSERT(length > 0 && (size_t)length < sizeof out->text);
		return true;
	}
	return false;
}

int pd_claim_parse(const char *text, struct pd_claim *out, struct pd_fail *fail)
{
	static const struct {
		const char *text;
		struct pd_claim claim;
	} named[] = {
		{"value", {.value = true}},
		{"first-wins", {.threshold = 1}},
		{"first-draws", {.threshold = 0}},
		{"second-wins", {.threshold = 0, .refusal = true}},
		{"second-draws", {.threshold = 1, .refusal = true}},
	};
	for (unsigned i = 0; i < sizeof named / sizeof *named; i++)
		if (!strcmp(text, named[i].text)) {
			*out = named[i].claim;
			snprintf(out->text, sizeof out->text, "%s", text);
			return PD_OK;
		}
	if (read_threshold(text, out))
		return PD_OK;
	return pd_fail_set(fail, PD_E_CLAIM, "claim",
			   "'%.40s' is not a claim; use value, first-wins, second-wins, first-draws, second-draws or "
			   "first-at-least-N",
			   text);
}
