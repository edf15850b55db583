/* Prints the OpenRPC document of rpc.discover during the build, for clients/stubs.py. */
#include <stdio.h>

#include "proto/discover.h"
#include "server/jobs/model/job_spec.h"

int main(void)
{
	struct pd_buf out;
	pd_buf_init(&out, PR_REPLY_MAX);
	pr_discover(&out, PD_VERSION, sv_option_params());
	bool written = !out.failed && fwrite(out.data, 1, out.size, stdout) == out.size && !fflush(stdout);
	pd_buf_fini(&out);
	return written ? 0 : 1;
}
