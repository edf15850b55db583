#include "proto/base/claim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	if (!strncmp(text, "first>=", 7) && text[7] && strchr("-0123456789", text[7])) {
		char *end;
		errno = 0;
		long n = strtol(text + 7, &end, 10);
		if (!*end && !errno && end != text + 7 && n >= INT16_MIN && n <= INT16_MAX) {
			*out = (struct pd_claim){.threshold = (int16_t)n};
			snprintf(out->text, sizeof out->text, "first>=%ld", n);
			return PD_OK;
		}
	}
	return pd_fail_set(
		fail, PD_E_CLAIM, "claim",
		"'%.40s' is not a claim; use value, first-wins, second-wins, first-draws, second-draws or first>=N",
		text);
}
