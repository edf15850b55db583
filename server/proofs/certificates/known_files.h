/* Known files: what a server has found out about the certificates that it keeps, so that a file is read once and not
 * with each request: whether it is damaged, and its SHA-256. It holds as long as the file does not change. */
#pragma once

#include <stdint.h>

#include "server/proofs/certificates/certificate_digest.h"
#include "server/proofs/certificates/proof_name.h"

struct sv_core;

enum { SV_KNOWN_FILES = 1024 };

struct sv_known_file {
	char name[SV_PROOF_DIGITS + 1], sha256[65]; /* sha256 "": not known */
	uint64_t bytes, inode;
	int64_t changed_ns; /* of the file, since 1970; 0: the slot is empty */
	enum sv_damage damage;
};

/* A name has one slot. Under the core's lock. */
struct sv_known_files {
	struct sv_known_file slot[SV_KNOWN_FILES];
};

/* Whether that certificate is damaged; reads the file if that is not known, as long as `go_on` (NULL: always). */
enum sv_damage sv_known_damage(struct sv_core *core, const char *name, const char *path, bool (*go_on)(void *ctx),
			       void *ctx);
/* PD_E_CORRUPT with field "proof" when it is. */
int sv_known_refuse_damaged(struct sv_core *core, const char *name, const char *path, bool (*go_on)(void *ctx),
			    void *ctx, struct pd_fail *fail);
/* Fills in what is known of the file, and what identifies it. False when it is not there. */
bool sv_known_find(struct sv_core *core, const char *name, const char *path, struct sv_known_file *out);
/* Keeps what has been found out since. */
void sv_known_keep(struct sv_core *core, const struct sv_known_file *file);
/* Updates the time of last use of a certificate; what is known of it stays. */
void sv_known_touch(struct sv_core *core, const char *name, const char *path);
