#include "clients/proofcheck/opening.h"

#include <string.h>

#include "clients/proofcheck/packed.h"

enum ck_verdict ck_open_file(struct ck_cert *cert, const uint8_t *bytes, uint64_t size, struct ck_fault *fault)
{
	struct ck_header header;
	uint64_t body;
	struct pd_buf content;
	enum ck_verdict verdict = ck_header_read(bytes, size, &header, &body, fault);
	if (verdict != CK_VERIFIED || header.format != CK_FORMAT_PACKED)
		return ck_cert_open(cert, bytes, size, fault);
	memset(cert, 0, sizeof *cert);
	cert->header = header;
	pd_buf_init(&content, SIZE_MAX / 2);
	verdict = ck_packed_read(bytes, size, &header, body, &content, fault);
	if (verdict != CK_VERIFIED) {
		pd_buf_fini(&content);
		return verdict;
	}
	verdict = ck_cert_open(cert, (const uint8_t *)content.data, content.size, fault);
	cert->owned = content.data;
	cert->header = header; /* it borrows from the file; only the format differs */
	return verdict;
}
