/* Certificates: any bytes give a verdict. With one thread and with two it is the same, and without the digest nothing
 * else changes. */
#include <string.h>

#include "clients/proofcheck/check.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
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
	return 0;
}
