/* Doc: a JSON document that was read, and a borrowed view of its values.
 *
 * Code outside proto/ uses it for job records, replies in a client and configuration, and sees nothing of jansson.
 * Getters take a default and return it when the member is missing or of another type, so that readers of old records
 * need no special cases; callers that must tell the difference use pr_has or pr_kind_of. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/ref.h"

struct pr_doc; /* owns everything that was read */

enum pr_kind { PR_MISSING, PR_NULL, PR_BOOL, PR_INT, PR_REAL, PR_STRING, PR_ARRAY, PR_OBJECT };

/* Parses one JSON value; duplicate keys, integers beyond 64 bits, bad UTF-8 and NUL characters are refused. On failure
 * PD_E_PARSE with the place, PD_E_LIMIT when it is nested deeper than PR_DEPTH_MAX, PD_E_NO_MEMORY. */
int pr_doc_parse(const char *text, size_t size, struct pr_doc **out, struct pd_fail *fail);
void pr_doc_free(struct pr_doc *doc);
/* A new object: the members of `base` without `less`, replaced and extended by those of `over`. Copies, so that the new
 * document may be freed on another thread. PD_E_NO_MEMORY. */
int pr_doc_merge(pr_ref base, const char *less, pr_ref over, struct pr_doc **out, struct pd_fail *fail);
pr_ref pr_doc_root(const struct pr_doc *doc);
/* The document becomes an object with one member, `key`, whose value is the former document. PD_E_NO_MEMORY. */
int pr_doc_wrap(struct pr_doc *doc, const char *key, struct pd_fail *fail);

enum pr_kind pr_kind_of(pr_ref value);
pr_ref pr_get(pr_ref object, const char *key);
bool pr_has(pr_ref object, const char *key);
const char *pr_get_str(pr_ref object, const char *key, const char *missing);
int64_t pr_get_int(pr_ref object, const char *key, int64_t missing); /* 1e6 and 2.0 count, 2.5 does not */
double pr_get_real(pr_ref object, const char *key, double missing);  /* integers count */
bool pr_get_bool(pr_ref object, const char *key, bool missing);
/* A number of bytes: an integer, or text that pr_size_parse reads. */
uint64_t pr_get_size(pr_ref object, const char *key, uint64_t missing);

/* Reads "4096", "512K", "512M", "2G", "1T" (powers of 1024; "MB" and "MiB" mean the same as "M", in any case of
 * letters). PD_E_PARAMS, no field, when it is not a size or does not fit in 63 bits. */
int pr_size_parse(const char *text, uint64_t *out, struct pd_fail *fail);

size_t pr_count(pr_ref array_or_object);
pr_ref pr_at(pr_ref array, size_t index);
const char *pr_text(pr_ref string, const char *missing);
int64_t pr_number(pr_ref number, int64_t missing);
double pr_real_of(pr_ref number, double missing); /* integers count */
bool pr_bool_of(pr_ref truth, bool missing);
/* Walks an object's members in the order in which they were written: index 0..pr_count-1. Costs time in proportion to
 * index. */
pr_ref pr_member(pr_ref object, size_t index, const char **key);
/* Whether the values are equal; the order of an object's members does not matter. */
bool pr_equal(pr_ref a, pr_ref b);
/* Dumps a value as compact JSON, zero-terminated; to be freed with free(). NULL when memory runs out. `size` may be
 * NULL. */
char *pr_dump(pr_ref value, size_t *size);
