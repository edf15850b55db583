#include "server/api/request_counts.h"

#include "proto/base/assert.h"

static const int codes[] = {
#define X(name, ...) name,
	PD_ERRORS(X)
#undef X
};

unsigned sv_result_row(int code)
{
	unsigned internal = 0;
	for (unsigned row = 0; row < SV_RESULT_COUNT; row++) {
		if (codes[row] == code)
			return row;
		if (codes[row] == PD_E_INTERNAL)
			internal = row;
	}
	PD_ASSERT(internal); /* row 0 is PD_OK */
	return internal;
}

int sv_result_code(unsigned row)
{
	PD_ASSERT(row < SV_RESULT_COUNT);
	return codes[row];
}
