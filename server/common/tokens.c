#include "server/common/tokens.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"

enum { FILE_MAX = 64 << 10 /* bytes */ };

/* The bytes of a client's name. */
static const char name_bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static int refuse_line(struct pd_fail *fail, unsigned line, const char *what)
{
	return pd_fail_set(fail, PD_E_USAGE, "token-file", "--token-file: line %u: %s", line, what);
}

/* `like`: its role and name. */
static int add_token(struct sv_tokens *tokens, const struct sv_token *like, const char *text, size_t size,
		     unsigned line, struct pd_fail *fail)
{
	if (size < SV_TOKEN_MIN || size > SV_TOKEN_MAX || memchr(text, 0, size))
		return pd_fail_set(fail, PD_E_USAGE, "token-file",
				   "--token-file: line %u: a token has %d to %d bytes, none of them zero", line,
				   (int)SV_TOKEN_MIN, (int)SV_TOKEN_MAX);
	if (tokens->count == SV_TOKENS_MAX)
		return pd_fail_set(fail, PD_E_USAGE, "token-file", "--token-file: there are more than %d tokens",
				   (int)SV_TOKENS_MAX);
	struct sv_token *token = &tokens->item[tokens->count++];
	*token = *like;
	token->size = size;
	memcpy(token->text, text, size);
	for (unsigned i = 0; i + 1 < tokens->count; i++)
		if (tokens->item[i].size == size && !memcmp(tokens->item[i].text, text, size))
			return refuse_line(fail, line, "this token is repeated");
	return PD_OK;
}

/* The first word of a line, ROLE or ROLE:NAME; false when it is neither. A wrong name is left empty. */
static bool read_who(const char *word, size_t size, struct sv_token *out)
{
	const char *colon = memchr(word, ':', size);
	size_t role = colon ? (size_t)(colon - word) : size, name = size - role;
	if (!pr_role_find(word, role, &out->role))
		return false;
	if (!colon)
		snprintf(out->name, sizeof out->name, "%s", pr_role_text(out->role));
	else if (name <= SV_CLIENT_MAX + 1)
		memcpy(out->name, colon + 1, name - 1);
	if (strspn(out->name, name_bytes) != strlen(out->name) || (colon && strlen(out->name) != name - 1))
		out->name[0] = 0;
	return true;
}

/* One line, which is neither blank nor a comment. *bare: it has no role. */
static int read_line(struct sv_tokens *tokens, const char *text, size_t size, unsigned line, bool *bare,
		     struct pd_fail *fail)
{
	struct sv_token who = {.role = PR_ROLE_ADMIN, .name = "admin"}, said = {0};
	size_t word = 0, skip = 0;
	while (word < size && !is_blank(text[word]))
		word++;
	if (read_who(text, word, &said)) {
		who = said;
		while (size && is_blank(text[size - 1]))
			size--;
		for (skip = word; skip < size && is_blank(text[skip]);)
			skip++;
	}
	if (*bare || (!skip && tokens->count))
		return refuse_line(
			fail, line,
			"a file of several tokens has lines `ROLE TOKEN` or `ROLE:NAME TOKEN`, ROLE being query, "
			"submit or admin");
	*bare = !skip;
	if (!who.name[0])
		return refuse_line(
			fail, line,
			"the NAME of `ROLE:NAME TOKEN` has 1 to 32 letters, digits, dots, hyphens or underscores");
	return add_token(tokens, &who, text + skip, size - skip, line, fail);
}

int sv_tokens_parse(const char *text, size_t size, struct sv_tokens *out, struct pd_fail *fail)
{
	bool bare = false;
	unsigned line = 0;
	int rc = PD_OK;
	out->count = 0;
	for (size_t at = 0, next; !rc && at < size; at = next) {
		const char *end = memchr(text + at, '\n', size - at);
		size_t length = end ? (size_t)(end - text) - at : size - at, blank = 0;
		next = at + length + 1;
		line++;
		while (blank < length && is_blank(text[at + blank]))
			blank++;
		if (blank < length && text[at + blank] != '#')
			rc = read_line(out, text + at, length, line, &bare, fail);
	}
	if (!rc && !out->count)
		rc = pd_fail_set(fail, PD_E_USAGE, "token-file",
				 "--token-file: it has no token; write lines `ROLE TOKEN`, like: admin %s",
				 "0123456789abcdef");
	return rc;
}

int sv_tokens_read(const char *path, bool secret, struct sv_tokens *out, struct pd_fail *fail)
{
	struct stat st;
	char *text = malloc(FILE_MAX + 1);
	struct sv_tokens *tokens = calloc(1, sizeof *tokens);
	if (!text || !tokens) {
		free(text);
		free(tokens);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "token-file", "no memory for the tokens");
	}
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = PD_OK;
	ssize_t size = fd < 0 || fstat(fd, &st) ? -1 : read(fd, text, FILE_MAX + 1);
	int why = errno;
	if (fd >= 0)
		close(fd);
	if (size < 0)
		rc = pd_fail_set(fail, PD_E_USAGE, "token-file", "--token-file: %.200s cannot be read: %s", path,
				 strerror(why));
	else if (secret && (st.st_mode & (S_IRWXG | S_IRWXO)))
		rc = pd_fail_set(fail, PD_E_USAGE, "token-file",
				 "--token-file: other users may read %.200s; use chmod 600", path);
	else if (size > FILE_MAX)
		rc = pd_fail_set(fail, PD_E_USAGE, "token-file", "--token-file: %.200s is longer than %d bytes", path,
				 (int)FILE_MAX);
	else
		rc = sv_tokens_parse(text, (size_t)size, tokens, fail);
	if (!rc)
		*out = *tokens;
	PD_ASSERT(rc || out->count);
	free(text);
	free(tokens);
	return rc;
}

const struct sv_token *sv_tokens_find(const struct sv_tokens *tokens, const char *given)
{
	unsigned char padded[SV_TOKEN_MAX] = {0};
	size_t size = strlen(given), found = tokens->count;
	PD_ASSERT(tokens->count && tokens->count <= SV_TOKENS_MAX);
	if (size > SV_TOKEN_MAX)
		return NULL;
	memcpy(padded, given, size);
	for (size_t i = 0; i < tokens->count; i++) {
		const volatile struct sv_token *token = &tokens->item[i];
		size_t differ = token->size ^ size;
		for (unsigned j = 0; j < SV_TOKEN_MAX; j++)
			differ |= (unsigned char)token->text[j] ^ padded[j];
		size_t same = (size_t)0 - (size_t)!differ; /* all ones, or zero */
		found = (found & ~same) | (i & same);
	}
	return found < tokens->count ? &tokens->item[found] : NULL;
}
