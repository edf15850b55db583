/* Tokens: what clients over TCP show, the roles that they get for it, and the names under which their jobs are counted.
 *
 * A file has a line `ROLE TOKEN` or `ROLE:NAME TOKEN` for each, ROLE being query, submit or admin; blank lines and
 * lines that begin with # are ignored. A file with a single such line without a role gives it the role admin. A token
 * has SV_TOKEN_MIN to SV_TOKEN_MAX bytes, including blanks inside. A NAME is 1 to SV_CLIENT_MAX letters, digits, dots,
 * hyphens or underscores; several tokens may have the same name; the name of a token without one is that of its
 * role. */
#pragma once

#include "proto/base/error.h"
#include "proto/methods.h"

enum { SV_TOKEN_MIN = 16, SV_TOKEN_MAX = 256, SV_TOKENS_MAX = 64, SV_CLIENT_MAX = 32 /* bytes of a name */ };

struct sv_token {
	enum pr_role role;
	char name[SV_CLIENT_MAX + 1];
	size_t size;
	char text[SV_TOKEN_MAX]; /* `size` bytes, then zeros */
};

struct sv_tokens {
	unsigned count; /* at least 1 */
	struct sv_token item[SV_TOKENS_MAX];
};

/* Reads the text of a file. PD_E_USAGE with the field token-file, and *out is then not valid. */
int sv_tokens_parse(const char *text, size_t size, struct sv_tokens *out, struct pd_fail *fail);
/* Reads the file; `secret`: it must not be open to other users. PD_E_USAGE with the field token-file; *out is then
 * unchanged. */
int sv_tokens_read(const char *path, bool secret, struct sv_tokens *out, struct pd_fail *fail);
/* The token that was given, or NULL. Every token is compared whole, so that the time taken reveals nothing.
 * Borrowed. */
const struct sv_token *sv_tokens_find(const struct sv_tokens *tokens, const char *given);
