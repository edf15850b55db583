/* Result: the result of a call, and the function that gets it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct pd_fail;

/* The array of answers in the result of fact.probe. */
struct sv_answers {
	size_t at, size; /* where its text is in the result; size 0: it is another method */
	int code;        /* of the error in the first answer; 0: it has none */
	bool exact;      /* there is one answer, and its value is known exactly */
};

/* Borrowed for the completion. */
struct sv_result {
	const char *json; /* the result object as text; NULL: the call failed */
	size_t size;
	struct sv_answers answers;
	const struct pd_fail *fail; /* why; NULL: it succeeded */
	bool unread;                /* it failed because the text of its parameters could not be read */
	bool ended;                 /* the session has ended: free what you own, and touch nothing else */
};

/* Must not end the session. */
typedef void sv_completed(void *ctx, const struct sv_result *result);
