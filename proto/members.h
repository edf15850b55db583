/* Members: the members of an object that is printed by the million, such as a fact in a reply.
 *
 * out.h handles the key, room and comma of each member separately. Here keys are literals that the compiler joins
 * with the comma and the colon, and members gather in a small text that goes to the printer as a whole, which takes a
 * third of the instructions. What is printed is the same. */
#pragma once

#include "proto/base/assert.h"
#include "proto/out.h"
#include "proto/plain.h"

enum { PR_MEMBERS_BYTES = 256, PR_MEMBERS_NUMBER = 21 };

struct pr_members {
	struct pr_out *out; /* borrowed; its innermost level is the object */
	size_t size;
	char text[PR_MEMBERS_BYTES]; /* members, each with a comma before it */
};

static inline void pr_members_begin(struct pr_members *members, struct pr_out *out)
{
	members->out = out;
	members->size = 0;
}

/* Puts the gathered members to `out`. Call it before anything else is put there, and at the end. */
static inline void pr_members_flush(struct pr_members *members)
{
	pr_put_members(members->out, members->text, members->size);
	members->size = 0;
}

/* Puts the key, and makes room for a value of `room` bytes after it. */
static inline __attribute__((always_inline)) char *pr_members_key(struct pr_members *members, const char *key,
								  size_t size, size_t room)
{
	PD_ASSERT(size + room <= sizeof members->text);
	if (members->size + size + room > sizeof members->text)
		pr_members_flush(members);
	char *p = members->text + members->size;
	memcpy(p, key, size);
	return p + size;
}

static inline void pr_members_end_at(struct pr_members *members, const char *end)
{
	members->size = (size_t)(end - members->text);
}

static inline char *pr_members_digits(char *p, uint64_t value)
{
	unsigned digits = 1;
	for (uint64_t limit = 10; value >= limit; limit *= 10)
		if (++digits == PR_MEMBERS_NUMBER - 1)
			break;
	for (char *digit = p + digits; digit-- > p; value /= 10)
		*digit = (char)('0' + value % 10);
	return p + digits;
}

static inline __attribute__((always_inline)) void pr_members_uint(struct pr_members *members, const char *key,
								  size_t size, uint64_t value)
{
	char *p = pr_members_key(members, key, size, PR_MEMBERS_NUMBER);
	pr_members_end_at(members, pr_members_digits(p, value));
}

static inline __attribute__((always_inline)) void pr_members_int(struct pr_members *members, const char *key,
								 size_t size, int64_t value)
{
	char *p = pr_members_key(members, key, size, PR_MEMBERS_NUMBER);
	if (value < 0)
		*p++ = '-';
	pr_members_end_at(members, pr_members_digits(p, value < 0 ? 0 - (uint64_t)value : (uint64_t)value));
}

/* `name` is the key alone, for a text that is long or not plain. */
static inline __attribute__((always_inline)) void pr_members_str(struct pr_members *members, const char *key,
								 size_t size, const char *name, const char *text)
{
	enum { LONG = 128 };
	size_t length = strlen(text);
	if (length > LONG || !pr_plain(text, length)) {
		pr_members_flush(members);
		pr_strn(members->out, name, text, length);
		return;
	}
	char *p = pr_members_key(members, key, size, length + 2);
	*p++ = '"';
	p = pr_copy(p, text, length);
	*p++ = '"';
	pr_members_end_at(members, p);
}

static inline __attribute__((always_inline)) void pr_members_null(struct pr_members *members, const char *key,
								  size_t size)
{
	enum { BYTES = 4 };
	char *p = pr_members_key(members, key, size, BYTES);
	memcpy(p, "null", BYTES);
	pr_members_end_at(members, p + BYTES);
}

/* A comma, the key and a colon, and how many bytes that is. */
#define PR_MEMBER(key) ",\"" key "\":", sizeof(",\"" key "\":") - 1

#define PR_MEMBER_UINT(members, key, value) pr_members_uint(members, PR_MEMBER(key), value)
#define PR_MEMBER_INT(members, key, value)  pr_members_int(members, PR_MEMBER(key), value)
#define PR_MEMBER_STR(members, key, text)   pr_members_str(members, PR_MEMBER(key), key, text)
#define PR_MEMBER_NULL(members, key)        pr_members_null(members, PR_MEMBER(key))
