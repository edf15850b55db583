/* Certificate digest: whether a certificate that is kept is the one that was written, by the digest in its header
 * (proto/CERTIFICATE.md) and by its name. What it says is not judged: proofcheck does that. */
#pragma once

#include "proto/base/error.h"
#include "server/proofs/certificates/certificate_store.h"

enum sv_damage {
	SV_UNJUDGED, /* gone, not wanted, or no memory */
	SV_FOREIGN,  /* cannot be judged: packed (its digest is of what it unpacks to), or of format 1 */
	SV_SOUND,
	SV_DAMAGED
};

/* Reads the whole file, and leaves its header in *text. `name`: of the certificate. `go_on`: asked again and again;
 * false: unjudged. NULL: always. */
enum sv_damage sv_certificate_judge(const char *path, const char *name, bool (*go_on)(void *ctx), void *ctx,
				    struct sv_certificate_text *text);
/* Judges all certificates of a data directory. `each` returns PD_OK, or else ends this with its error. PD_E_LIMIT,
 * PD_E_NO_MEMORY. */
int sv_certificates_examine(const char *data,
			    int (*each)(void *ctx, const char *path, enum sv_damage damage, struct pd_fail *fail),
			    void *ctx, struct pd_fail *fail);
