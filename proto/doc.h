/* Doc: a JSON document that was read, and a borrowed view of its values.
 *
 * The one window on jansson for code outside proto/: job records, replies in a client, configuration. Getters take a default and
 * return it when the member is missing or of another type, so that readers of old records need no special cases; whoever must tell the
 * difference asks pr_has or pr_type. */
#ifndef PR_DOC_H
#define PR_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"

struct pr_doc;                       /* owns everything that was read */
typedef const struct pr_value *pr_ref; /* borrowed; NULL is a missing value and may be passed to every getter */

enum pr_kind { PR_MISSING, PR_NULL, PR_BOOL, PR_INT, PR_REAL, PR_STRING, PR_ARRAY, PR_OBJECT };

/* Parses one JSON value; nesting at most 32, duplicate keys refused, integers beyond 64 bits refused. PD_E_PARSE with the place. */
int pr_doc_parse(const char *text, size_t size, struct pr_doc **out, struct pd_fail *fail);
void pr_doc_free(struct pr_doc *doc);
pr_ref pr_doc_root(const struct pr_doc *doc);

enum pr_kind pr_kind_of(pr_ref value);
pr_ref pr_get(pr_ref object, const char *key);
bool pr_has(pr_ref object, const char *key);
const char *pr_get_str(pr_ref object, const char *key, const char *missing);
int64_t pr_get_int(pr_ref object, const char *key, int64_t missing);
double pr_get_real(pr_ref object, const char *key, double missing); /* integers count */
bool pr_get_bool(pr_ref object, const char *key, bool missing);

size_t pr_count(pr_ref array_or_object);
pr_ref pr_at(pr_ref array, size_t index);
const char *pr_text(pr_ref string, const char *missing);
int64_t pr_number(pr_ref number, int64_t missing);
/* Walks an object's members in the order in which they were written: index 0..pr_count-1. */
pr_ref pr_member(pr_ref object, size_t index, const char **key);
/* Dumps a value as compact JSON; to be freed with free(). */
char *pr_dump(pr_ref value, size_t *size);

#endif
