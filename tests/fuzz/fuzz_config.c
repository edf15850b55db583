/* Configuration files. A refusal says file and line. */
#include <string.h>

#include "server/daemon/options.h"
#include "tests/fuzz/fuzz.h"

FUZZ(config)
{
	struct dm_options options = {0};
	struct pd_fail fail = {0};
	if (dm_options_config(&options, (const char *)data, size, &fail))
		FUZZ_CHECK(!strncmp(fail.text, "proofd.conf:", 12));
	dm_options_fini(&options);
	return 0;
}
