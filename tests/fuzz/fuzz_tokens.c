/* Token files. A refusal says what it is about; what is taken has roles and names, and each token is found again. */
#include <string.h>

#include "server/common/tokens.h"
#include "tests/fuzz/fuzz.h"

static void check_token(const struct sv_tokens *tokens, const struct sv_token *token)
{
	char given[SV_TOKEN_MAX + 2] = "";
	FUZZ_CHECK(token->size >= SV_TOKEN_MIN && token->size <= SV_TOKEN_MAX);
	FUZZ_CHECK(token->role > PR_ROLE_NONE && token->role <= PR_ROLE_ADMIN);
	FUZZ_CHECK(memchr(token->name, 0, sizeof token->name) && token->name[0]);
	memcpy(given, token->text, token->size);
	FUZZ_CHECK(strlen(given) == token->size);
	FUZZ_CHECK(sv_tokens_find(tokens, given) == token);
	/* One byte more, or another one, is another token. */
	given[token->size] = 'x';
	const struct sv_token *other = sv_tokens_find(tokens, given);
	FUZZ_CHECK(other != token);
	given[token->size] = 0;
	given[0] ^= 1;
	FUZZ_CHECK(sv_tokens_find(tokens, given) != token);
}

FUZZ(tokens)
{
	static struct sv_tokens tokens;
	struct pd_fail fail = {0};
	if (sv_tokens_parse((const char *)data, size, &tokens, &fail)) {
		FUZZ_CHECK(!strcmp(fail.field, "token-file") && !strncmp(fail.text, "--token-file: ", 14));
		return 0;
	}
	FUZZ_CHECK(tokens.count >= 1 && tokens.count <= SV_TOKENS_MAX);
	for (unsigned i = 0; i < tokens.count; i++)
		check_token(&tokens, &tokens.item[i]);
	return 0;
}
