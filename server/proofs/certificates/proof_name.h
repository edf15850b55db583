/* Proof name: how the certificates that a server keeps are named: a hash of what they prove, in hexadecimal digits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "solver/games/game.h"

struct sv_certificate_text;

enum {
	SV_PROOF_DIGITS = 32,
	SV_PROOF_LINES = 5, /* of the header, that are hashed: game, rules, root, claim, detail */
	SV_PROOF_LINE = GAME_NAME_MAX + 2 * GAME_KEY_MAX + 16
};

/* The name, which also depends on the format and on whether tables may be cited: the header does not say these. All
 * bytes of the lines count. */
void sv_proof_name(const char lines[SV_PROOF_LINES][SV_PROOF_LINE], unsigned format, bool tables,
		   char out[SV_PROOF_DIGITS + 1]);
/* True when the text has the form of a name. */
bool sv_proof_is_name(const char *text, size_t size);
/* True for NAME.cert, and not for what an interrupted export left. */
bool sv_proof_is_file(const char *file);
/* True when the certificate proves the answer that its name is a hash of; a packed one has the name of the plain one
 * with cards. */
bool sv_proof_has_its_name(const struct sv_certificate_text *text, const char *name);
