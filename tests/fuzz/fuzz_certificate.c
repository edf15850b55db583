/* Certificates, compressed ones as well: any bytes give a verdict. With one thread and with two it is the same, and
 * without the digest nothing else changes. What is verified has a text, and its form can be counted. */
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/check.h"
#include "clients/proofcheck/stats.h"
#include "clients/proofcheck/text_form.h"
#include "tests/fuzz/fuzz.h"

/* The text and the figures of any bytes; `good` when they must come out. */
static void describe_position(const uint8_t *data, size_t size, bool good)
{
	static struct ck_stats figures;
	struct ck_fault fault = {.text = ""};
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	if (!out)
		return;
	enum ck_verdict written = ck_text_write(data, size, out, &fault);
	fclose(out);
	FUZZ_CHECK(written == CK_VERIFIED ? length > 0 : !good && fault.text[0]);
	free(text);
	enum ck_verdict counted = ck_stats(data, size, 1, &figures, &fault);
	FUZZ_CHECK(counted == written);
	FUZZ_CHECK(counted != CK_VERIFIED || figures.by_all + figures.sums.leaves <= figures.sums.reasons);
}

FUZZ(certificate)
{
	struct ck_result one, two;
	const struct ck_options alone = {.threads = 1, .digest = false}, together = {.threads = 2, .digest = false},
				whole = {.threads = 1, .digest = true};
	enum ck_verdict verdict = ck_check(data, size, &alone, &one);
	if (verdict != CK_VERIFIED)
		FUZZ_CHECK(one.fault.text[0]);
	FUZZ_CHECK(ck_check(data, size, &together, &two) == verdict);
	FUZZ_CHECK(!strcmp(one.fault.text, two.fault.text) || verdict == CK_VERIFIED);
	FUZZ_CHECK(ck_check(data, size, &whole, &two) != CK_VERIFIED || verdict == CK_VERIFIED);
	describe_position(data, size, verdict == CK_VERIFIED);
	return 0;
}
