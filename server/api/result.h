/* Result: what a call came to, and who hears of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct pd_fail;

/* Borrowed for the completion. */
struct sv_result {
	const char *json; /* the result object as text; NULL: the call failed */
	size_t size;
	const struct pd_fail *fail; /* why; NULL: it succeeded */
	bool unread;                /* it failed because the text of its parameters could not be read */
	bool ended;                 /* the session has ended: free your own, and touch nothing else */
};

/* Must not end the session. */
typedef void sv_completed(void *ctx, const struct sv_result *result);
