/* Errors of the C libraries, of libproofd and libproofd-probe alike. */
#pragma once

/* An error, in the caller's memory; set only if a function fails. May be NULL where it is not needed. */
struct proofd_error {
	int code;          /* as in PROTOCOL.md; 0 for errors that only a client has */
	char slug[24];     /* for programs: "no-such-job", "unreachable", "timeout", "corrupt" */
	char field[64];    /* the parameter, option or file at fault; "" when there is none */
	char message[384]; /* one sentence: what is wrong and what would be right */
};
