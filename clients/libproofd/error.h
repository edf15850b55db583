/* Errors of the C libraries, of libproofd and libproofd-probe alike. */
#ifndef PROOFD_ERROR_H
#define PROOFD_ERROR_H

/* What went wrong, in the caller's memory; filled when a function fails, left alone when it does not. Functions take
 * NULL from callers that do not want to know. */
struct proofd_error {
	int code;          /* as PROTOCOL.md numbers them; 0 for those that only a client has */
	char slug[24];     /* to branch on: "no-such-job", "unreachable", "timeout", "corrupt" */
	char field[64];    /* the parameter, option or file at fault; "" when there is none */
	char message[384]; /* one sentence: what is wrong and what would be right */
};

#endif
