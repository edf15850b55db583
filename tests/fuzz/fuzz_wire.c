/* Messages of the cluster: any bytes may be decoded, and what decodes is written as a message that says the same. */
#include <string.h>

#include "proto/cluster/wire.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/wire_again.h"

FUZZ(wire)
{
	struct pd_buf one, two;
	pd_buf_init(&one, CW_MESSAGE_MAX);
	pd_buf_init(&two, CW_MESSAGE_MAX);
	if (wire_again(data, size, &one)) {
		FUZZ_CHECK(wire_again((const uint8_t *)one.data, one.size, &two));
		FUZZ_CHECK(one.size == two.size && memcmp(one.data, two.data, one.size) == 0);
	}
	pd_buf_fini(&one);
	pd_buf_fini(&two);
	return 0;
}
