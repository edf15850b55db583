/* Proof: the methods proof.export, proof.read, proof.list and proof.remove, which make, deliver and keep certificates
 * for clients.
 *
 * `proof.export` runs on a read thread, one export at a time, and keeps the certificate as a file in the data directory
 * (certificate_store.h), named by a hash of what it proves. A certificate never becomes false, so the same request is
 * answered from the file, and a client that lost its connection continues with `proof.read` at any offset. A retraction
 * removes all files (retraction.h). */
#pragma once

#include "proto/rpc.h"
#include "solver/games/game.h"

struct sv_core;

/* The certificate that is being made, for proof.list. Under the core's lock. */
struct sv_making {
	bool now; /* false: none is being made, and the other members mean nothing */
	char game[GAME_NAME_MAX], position[GAME_TEXT_MAX];
	char claim[24]; /* "": the strongest that is proved */
	bool frontier;
	uint64_t positions; /* gathered so far */
	const char *step; /* gathers positions, searches leaves again, or writes the file: gathers, searches, writes */
	double done;      /* of the step, 0 to 1; 0 while it gathers, because the number of positions is not known */
	uint64_t begin_ns;
};

/* Makes the certificate unless it exists, and prints the reply's result to *json. Unbounded running time; PD_E_SHUTDOWN
 * as soon as `wanted` returns false. */
int sv_proof_export(struct sv_core *core, pr_ref params, bool (*wanted)(void *ctx), void *ctx, struct pd_buf *json,
		    struct pd_fail *fail);
/* Prints one piece of a certificate, in base64, to *json. PD_E_CORRUPT when the certificate is damaged; it is read as a
 * whole for that, while `wanted` returns true. */
int sv_proof_read(struct sv_core *core, pr_ref params, bool (*wanted)(void *ctx), void *ctx, struct pd_buf *json,
		  struct pd_fail *fail);
/* proof.list and proof.remove. `waiting`: exports that wait for their turn. */
int sv_proof_list(struct sv_core *core, pr_ref params, unsigned waiting, struct pd_buf *json, struct pd_fail *fail);
int sv_proof_remove(struct sv_core *core, pr_ref params, struct pd_buf *json, struct pd_fail *fail);

/* Writes bytes in base64 to `out`, which has room for size / 3 * 4 + 5 bytes. */
void sv_encode_base64(const uint8_t *bytes, size_t size, char *out);

/* The file of the parameter `proof`, which need not be there. PD_E_PARAMS with that field when it is not a name;
 * the second one: PD_E_STATE for a core that only reads. */
int sv_proof_read_path(struct sv_core *core, pr_ref params, char *path, size_t size, struct pd_fail *fail);
int sv_proof_path(struct sv_core *core, pr_ref params, char *path, size_t size, struct pd_fail *fail);
/* Reports that there is no such file: PD_E_PARAMS. */
int sv_proof_missing(struct pd_fail *fail);
