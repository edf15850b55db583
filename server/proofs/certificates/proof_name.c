#include "server/proofs/certificates/proof_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/hash.h"
#include "server/proofs/certificates/certificate.h"
#include "server/proofs/certificates/certificate_store.h"

void sv_proof_name(const char lines[SV_PROOF_LINES][SV_PROOF_LINE], unsigned format, bool tables,
		   char out[SV_PROOF_DIGITS + 1])
{
	enum { TABLES = 16 };
	unsigned kind = format - SV_CERTIFICATE_RULES + (tables ? TABLES : 0);
	struct pd_id name = pd_id_of(lines, (size_t)SV_PROOF_LINES * SV_PROOF_LINE, kind);
	snprintf(out, SV_PROOF_DIGITS + 1, "%016" PRIx64 "%016" PRIx64, name.hi, name.lo);
}

bool sv_proof_is_name(const char *text, size_t size)
{
	return size == SV_PROOF_DIGITS && strspn(text, "0123456789abcdef") >= SV_PROOF_DIGITS;
}

bool sv_proof_is_file(const char *file)
{
	size_t name = strcspn(file, ".");
	return sv_proof_is_name(file, name) && !strcmp(file + name, ".cert");
}

bool sv_proof_has_its_name(const struct sv_certificate_text *text, const char *name)
{
	static const char *const names[SV_PROOF_LINES] = {"game", "rules", "root", "claim", "detail"};
	char lines[SV_PROOF_LINES][SV_PROOF_LINE] = {{0}}, value[SV_PROOF_LINE], plugin[32], own[SV_PROOF_DIGITS + 1];
	for (unsigned i = 0; i < SV_PROOF_LINES; i++) {
		sv_certificate_word(text, names[i], value, sizeof value);
		snprintf(lines[i], sizeof lines[i], "\n%s: %.*s\n", names[i], SV_PROOF_LINE - 16, value);
	}
	sv_certificate_word(text, "plugin", plugin, sizeof plugin);
	if (*plugin)
		snprintf(lines[1] + strlen(lines[1]), sizeof plugin + 16, "plugin: %s\n", plugin);
	unsigned format = sv_certificate_format(text);
	if (format == SV_CERTIFICATE_PACKED)
		format = SV_CERTIFICATE_CARDS;
	for (unsigned tables = 0; tables < 2; tables++) {
		sv_proof_name((const char(*)[SV_PROOF_LINE])lines, format, tables, own);
		if (!strcmp(own, name))
			return true;
	}
	return false;
}
