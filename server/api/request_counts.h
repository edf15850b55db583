/* Request counts: how the calls of clients were answered, since the start. The loop thread's. */
#pragma once

#include "proto/base/fail.h"
#include "proto/methods.h"

/* The possible results of a call: the rows of PD_ERRORS, in their order; PD_OK is row 0. */
#define SV_COUNT_ROW(...) +1
enum { SV_RESULT_COUNT = 0 PD_ERRORS(SV_COUNT_ROW) };

struct sv_request_counts {
	uint64_t answered[PR_METHOD_COUNT][SV_RESULT_COUNT];
	uint64_t refused; /* lines and calls answered with an error when they were read: not JSON, unknown method, wrong
			     parameters, no room */
	uint64_t wrong_tokens;
};

/* The row of a code in PD_ERRORS, or of PD_E_INTERNAL for an unknown code; and the code of a row. */
unsigned sv_result_row(int code);
int sv_result_code(unsigned row);
