#include "server/proofs/certificates/certificate_head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/base/assert.h"
#include "server/proofs/certificates/certificate.h"

bool sv_certificate_text_read(const char *path, struct sv_certificate_text *out)
{
	struct stat st;
	FILE *file = fopen(path, "rbe");
	if (!file)
		return false;
	size_t size = fread(out->lines, 1, SV_CERTIFICATE_HEAD_MAX, file);
	bool good = size > 0 && !fstat(fileno(file), &st) && S_ISREG(st.st_mode);
	fclose(file);
	if (!good)
		return false;
	PD_ASSERT(size <= SV_CERTIFICATE_HEAD_MAX);
	out->lines[size] = 0;
	char *end = strstr(out->lines, "\n\n");
	if (end)
		end[1] = 0;
	out->bytes = (uint64_t)st.st_size;
	return true;
}

bool sv_certificate_is_packed(const struct sv_certificate_text *text)
{
	static const char first[] = "proofd certificate ";
	return !strncmp(text->lines, first, sizeof first - 1) &&
	       strtoul(text->lines + sizeof first - 1, NULL, 10) == SV_CERTIFICATE_FORMAT_PACKED;
}

void sv_certificate_word(const struct sv_certificate_text *text, const char *name, char *out, size_t size)
{
	char begin[32];
	int length = snprintf(begin, sizeof begin, "\n%s: ", name);
	PD_ASSERT(length > 0 && length < (int)sizeof begin && size);
	const char *at = strstr(text->lines, begin);
	at = at ? at + length : "";
	snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
}

uint64_t sv_certificate_number(const struct sv_certificate_text *text, const char *name)
{
	char word[32];
	sv_certificate_word(text, name, word, sizeof word);
	return strtoull(word, NULL, 10);
}
