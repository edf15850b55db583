#include "clients/libproofd/reply.h"

#include <limits.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/job_states.h"

struct proofd_reply *pc_reply_new(struct pr_doc *doc, pr_ref value)
{
	struct proofd_reply *reply = malloc(sizeof *reply);
	if (!reply) {
		pr_doc_free(doc);
		return NULL;
	}
	atomic_init(&reply->users, 1);
	reply->doc = doc;
	reply->value = value;
	return reply;
}

struct pr_doc *pc_reply_take(struct proofd_reply *reply, pr_ref *value)
{
	struct pr_doc *doc = reply->doc;
	PD_ASSERT(atomic_load(&reply->users) == 1);
	*value = reply->value;
	free(reply);
	return doc;
}

struct proofd_reply *pc_reply_share(struct proofd_reply *reply)
{
	atomic_fetch_add(&reply->users, 1);
	return reply;
}

void pc_reply_free(struct proofd_reply *reply)
{
	if (!reply || atomic_fetch_sub(&reply->users, 1) > 1)
		return;
	pr_doc_free(reply->doc);
	free(reply);
}

bool pc_is_over(const char *state)
{
#define X(name, text, over)                                                                                            \
	if (!strcmp(state, text))                                                                                      \
		return over;
	PR_JOB_STATES(X)
#undef X
	return false;
}

int64_t pc_decode_base64(const char *text, uint8_t *out)
{
	size_t size = strlen(text);
	int n = size <= INT_MAX ? EVP_DecodeBlock(out, (const unsigned char *)text, (int)size) : -1;
	return n <= 0 ? n : n - (text[size - 1] == '=') - (text[size - 2] == '=');
}
