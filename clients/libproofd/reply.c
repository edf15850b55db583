/* Reply: values of JSON, and what the typed structs take from them. */
#include "clients/libproofd/reply.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/job_states.h"
#include "proto/scalar.h"

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

void proofd_reply_free(struct proofd_reply *reply)
{
	if (!reply || atomic_fetch_sub(&reply->users, 1) > 1)
		return;
	pr_doc_free(reply->doc);
	free(reply);
}

proofd_value proofd_result(const struct proofd_reply *reply)
{
	return pc_value(reply->value);
}

char *proofd_json(proofd_value value)
{
	return pr_dump(pc_ref(value), NULL);
}

enum proofd_kind proofd_kind(proofd_value value)
{
	static const enum proofd_kind kinds[] = {
		[PR_MISSING] = PROOFD_MISSING, [PR_NULL] = PROOFD_NULL,     [PR_BOOL] = PROOFD_BOOL,
		[PR_INT] = PROOFD_INT,         [PR_REAL] = PROOFD_REAL,     [PR_STRING] = PROOFD_STRING,
		[PR_ARRAY] = PROOFD_ARRAY,     [PR_OBJECT] = PROOFD_OBJECT,
	};
	return kinds[pr_kind_of(pc_ref(value))];
}

proofd_value proofd_get(proofd_value object, const char *member)
{
	return pc_value(pr_get(pc_ref(object), member));
}

size_t proofd_count(proofd_value array_or_object)
{
	return pr_count(pc_ref(array_or_object));
}

proofd_value proofd_at(proofd_value array, size_t index)
{
	return pc_value(pr_at(pc_ref(array), index));
}

const char *proofd_text(proofd_value value, const char *missing)
{
	return pr_text(pc_ref(value), missing);
}

int64_t proofd_int(proofd_value value, int64_t missing)
{
	return pr_number(pc_ref(value), missing);
}

double proofd_real(proofd_value value, double missing)
{
	return pr_real_of(pc_ref(value), missing);
}

bool proofd_bool(proofd_value value, bool missing)
{
	return pr_bool_of(pc_ref(value), missing);
}

/* --- typed -------------------------------------------------------------------------------- */

static void copy_text(char *out, size_t size, pr_ref object, const char *member)
{
	snprintf(out, size, "%s", pr_get_str(object, member, ""));
}

void proofd_fact_of(proofd_value fact, struct proofd_fact *out)
{
	pr_ref value = pc_ref(fact), error = pr_get(value, "error");
	*out = (struct proofd_fact){.code = (int)pr_get_int(error, "code", 0)};
	copy_text(out->message, sizeof out->message, error, "message");
	if (error)
		return;
	out->lo = (int)pr_get_int(value, "lo", 0);
	out->hi = (int)pr_get_int(value, "hi", 0);
	out->known = strcmp(pr_get_str(value, "source", "none"), "none") != 0;
	out->ranked = pr_kind_of(pr_get(value, "rank")) == PR_INT;
	out->rank = (unsigned)pr_get_int(value, "rank", 0);
	copy_text(out->text, sizeof out->text, value, "text");
	copy_text(out->move, sizeof out->move, value, "move");
	out->effort = (uint64_t)pr_get_int(value, "effort", 0);
	out->job = (uint32_t)pr_get_int(value, "job", 0);
}

/* A number, or "inf". */
static double proof_number(pr_ref object, const char *member)
{
	return pr_kind_of(pr_get(object, member)) == PR_STRING ? INFINITY : pr_get_real(object, member, 0);
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

void proofd_job_of(proofd_value job, struct proofd_job *out)
{
	pr_ref value = pc_ref(job), bounds = pr_get(value, "value"), nodes = pr_get(value, "nodes");
	*out = (struct proofd_job){.job = (uint32_t)pr_get_int(value, "job", 0)};
	copy_text(out->state, sizeof out->state, value, "state");
	out->over = pc_is_over(out->state);
	out->lo = (int)pr_get_int(bounds, "lo", 0);
	out->hi = (int)pr_get_int(bounds, "hi", 0);
	copy_text(out->text, sizeof out->text, bounds, "text");
	out->pn = proof_number(value, "pn");
	out->dn = proof_number(value, "dn");
	out->nodes = pr_get_real(nodes, "level1", 0) + pr_get_real(nodes, "level2", 0);
	out->seconds = pr_get_real(value, "seconds", 0);
	out->rate = pr_get_real(value, "rate", 0);
	out->facts = (uint64_t)pr_get_int(value, "facts", 0);
	copy_text(out->reason, sizeof out->reason, value, "reason");
}

static int find_digit(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;
	return at ? (int)(at - digits) : -1;
}

int64_t pc_decode_base64(const char *text, uint8_t *out)
{
	size_t size = strlen(text), n = 0;
	if (size % 4)
		return -1;
	while (size && text[size - 1] == '=')
		size--;
	uint32_t bits = 0;
	for (size_t i = 0; i < size; i++) {
		int value = find_digit(text[i]);
		if (value < 0)
			return -1;
		bits = bits << 6 | (uint32_t)value;
		if (i % 4)
			out[n++] = (uint8_t)(bits >> (6 - i % 4 * 2));
	}
	return (int64_t)n;
}
