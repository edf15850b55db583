/* Ref: a value of a JSON document (doc.h), without the type of the library that read it. */
#pragma once

enum { PR_DEPTH_MAX = 32 }; /* nesting of a document */

typedef const struct pr_value *pr_ref; /* borrowed; NULL is a missing value and may be passed to every getter */
