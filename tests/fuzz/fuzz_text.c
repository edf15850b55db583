/* Texts of certificates: any bytes are refused with a place, or make a file; its text makes the same file again. */
#include <string.h>
#include <unistd.h>

#include "clients/proofcheck/text_form.h"
#include "tests/fuzz/fuzz.h"

enum { SIZE_MAX_READ = 1 << 20 };

/* Reads a text and returns the file that it makes; NULL when it is refused. To be freed. */
static uint8_t *read_text(const void *text, size_t length, size_t *size)
{
	struct ck_text_fault fault = {.line = 0, .text = ""};
	char path[] = "/tmp/proofd-fuzz-XXXXXX";
	int place = mkstemp(path);
	FILE *in = fmemopen((void *)(uintptr_t)text, length, "rb");
	uint8_t *bytes = NULL;
	FUZZ_CHECK(place >= 0 && in);
	if (ck_text_read(in, path, false, &fault)) {
		FILE *file = fopen(path, "rb");
		bytes = malloc(SIZE_MAX_READ);
		FUZZ_CHECK(file && bytes);
		*size = fread(bytes, 1, SIZE_MAX_READ, file);
		fclose(file);
	} else {
		FUZZ_CHECK(fault.text[0] && fault.line && fault.column);
	}
	fclose(in);
	close(place);
	unlink(path);
	return bytes;
}

FUZZ(text)
{
	struct ck_fault fault;
	size_t made, again, length = 0;
	uint8_t *first = size ? read_text(data, size, &made) : NULL, *second;
	char *text = NULL;
	if (!first)
		return 0;
	FILE *out = open_memstream(&text, &length);
	FUZZ_CHECK(out && ck_text_write(first, made, out, &fault) == CK_VERIFIED);
	fclose(out);
	second = read_text(text, length, &again);
	FUZZ_CHECK(second && again == made && !memcmp(first, second, made));
	free(text);
	free(first);
	free(second);
	return 0;
}
