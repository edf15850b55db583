/* Out: JSON, printed straight into a buffer.
 *
 * Replies are built in the order in which they are sent, so a printer that keeps track of commas suffices; it is ten
 * times as fast as building a tree and dumping it. In an object every put takes a key; in an array and at
 * the top the key is NULL. Strings are checked to be UTF-8 and escaped. Bad bytes become U+FFFD; code that prints a
 * request then refuses it (pr_out_check), so that two different texts never become one. Wrong nesting is asserted. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "proto/base/buf.h"
#include "proto/base/error.h"
#include "proto/ref.h"

enum { PR_OUT_DEPTH = 16 };

struct pr_out {
	struct pd_buf *buf; /* borrowed; its `failed` reports overflow */
	unsigned depth;
	char closer[PR_OUT_DEPTH];   /* '}' or ']' of each open level */
	bool some[PR_OUT_DEPTH + 1]; /* that level is not empty */
	const char *array;           /* borrowed: the key of the array opened last; NULL: none */
	const char *broken; /* borrowed: the key of the first string that is not UTF-8; NULL: all strings are */
};

void pr_out_init(struct pr_out *out, struct pd_buf *buf);
void pr_open_object(struct pr_out *out, const char *key);
void pr_open_array(struct pr_out *out, const char *key);
void pr_close(struct pr_out *out);
/* A NULL text prints null. */
void pr_str(struct pr_out *out, const char *key, const char *text);
void pr_strn(struct pr_out *out, const char *key, const char *text, size_t size);
void pr_int(struct pr_out *out, const char *key, int64_t value);
void pr_uint(struct pr_out *out, const char *key, uint64_t value);
/* Infinities and NaN, which JSON cannot write, print null. */
void pr_real(struct pr_out *out, const char *key, double value, int decimals);
void pr_bool(struct pr_out *out, const char *key, bool value);
void pr_null(struct pr_out *out, const char *key);
/* `json` is already one complete JSON value. */
void pr_raw(struct pr_out *out, const char *key, const char *json, size_t size);

/* Several members of an object in one call: pr_members(out, PR_U("job", id), PR_IF(known, PR_R("seconds", s, 3))). */
enum pr_item_kind {
	PR_ITEM_NULL,
	PR_ITEM_STR,
	PR_ITEM_INT,
	PR_ITEM_UINT,
	PR_ITEM_REAL,
	PR_ITEM_BOOL,
	PR_ITEM_JSON,
	PR_ITEM_OBJECT,
	PR_ITEM_ARRAY,
	PR_ITEM_CLOSE,
	PR_ITEM_ABSENT
};
struct pr_item {
	const char *key;
	enum pr_item_kind kind;
	int decimals; /* of a real number */
	union {
		const char *text;
		int64_t integer;
		uint64_t count;
		double real;
		bool yes;
		pr_ref json;
	};
};
#define PR_S(name, value) ((struct pr_item){.key = (name), .kind = PR_ITEM_STR, .text = (value)})
#define PR_I(name, value) ((struct pr_item){.key = (name), .kind = PR_ITEM_INT, .integer = (value)})
#define PR_U(name, value) ((struct pr_item){.key = (name), .kind = PR_ITEM_UINT, .count = (value)})
#define PR_R(name, value, digits)                                                                                      \
	((struct pr_item){.key = (name), .kind = PR_ITEM_REAL, .decimals = (digits), .real = (value)})
#define PR_B(name, value) ((struct pr_item){.key = (name), .kind = PR_ITEM_BOOL, .yes = (value)})
#define PR_J(name, value) ((struct pr_item){.key = (name), .kind = PR_ITEM_JSON, .json = (value)})
/* What follows, up to PR_CLOSE, is in an object or an array; the elements of an array have the key NULL. */
#define PR_OPEN_OBJECT(name) ((struct pr_item){.key = (name), .kind = PR_ITEM_OBJECT})
#define PR_OPEN_ARRAY(name)  ((struct pr_item){.key = (name), .kind = PR_ITEM_ARRAY})
#define PR_CLOSE             ((struct pr_item){.kind = PR_ITEM_CLOSE})
/* Left out when the value is NULL, 0 or false. */
#define PR_OPT(there, item)   ((there) ? (item) : (struct pr_item){.kind = PR_ITEM_ABSENT})
#define PR_OPT_S(name, value) PR_OPT((value) != NULL, PR_S(name, value))
#define PR_OPT_I(name, value) PR_OPT((value) != 0, PR_I(name, value))
#define PR_OPT_B(name, value) PR_OPT(value, PR_B(name, value))
/* null unless `there`. */
#define PR_IF(there, item) ((there) ? (item) : (struct pr_item){.key = (item).key})
/* Items, and how many there are: two arguments. */
#define PR_ITEMS(...)                                                                                                  \
	(const struct pr_item[]){__VA_ARGS__}, sizeof((const struct pr_item[]){__VA_ARGS__}) / sizeof(struct pr_item)
#define pr_members(out, ...) pr_put_items(out, PR_ITEMS(__VA_ARGS__))
void pr_put_items(struct pr_out *out, const struct pr_item *items, size_t count);
/* `text` holds members of the innermost level, which is an object, each with a comma before it (members.h). */
void pr_put_members(struct pr_out *out, const char *text, size_t size);

/* PD_E_PARAMS with the member as field when a string was not UTF-8. */
int pr_out_check(const struct pr_out *out, struct pd_fail *fail);

/* memcpy for tokens, most of which are a few bytes long: two pieces that may overlap, because the call would cost more
 * than the copy. Returns the end of the copy. */
static inline char *pr_copy(char *to, const char *from, size_t size)
{
	if (size > 16) {
		memcpy(to, from, size);
	} else if (size >= 8) {
		memcpy(to, from, 8);
		memcpy(to + size - 8, from + size - 8, 8);
	} else if (size >= 4) {
		memcpy(to, from, 4);
		memcpy(to + size - 4, from + size - 4, 4);
	} else if (size) {
		to[0] = from[0];
		to[size / 2] = from[size / 2];
		to[size - 1] = from[size - 1];
	}
	return to + size;
}
