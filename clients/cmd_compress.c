/* proofctl compress: finds a small proof of what a certificate claims (server/proofs/certificates/compress.h). */
#include <inttypes.h>

#include "clients/commands.h"
#include "clients/interrupt.h"
#include "clients/small_file.h"
#include "clients/text.h"
#include "proto/base/print.h"

static void print_text(const struct cl_small *small, const char *file)
{
	const struct sv_compressed *d = &small->done;
	struct cl_text a, b, c;
	pd_print(stdout, "%s is %s\n", d->claim, d->status);
	cl_row(stdout, "file", "%s, %s bytes", file, cl_count(&a, (int64_t)d->bytes));
	cl_row(stdout, "positions", "%s; %s strategies are used %s times, theorems %s times",
	       cl_count(&a, (int64_t)d->positions), cl_count(&b, (int64_t)d->strategies),
	       cl_count(&c, (int64_t)d->uses), cl_count(&(struct cl_text){{0}}, (int64_t)(d->cards - d->uses)));
	cl_row(stdout, "time", "%s", cl_duration(&a, small->seconds));
	cl_row(stdout, "check it", "proofcheck %s", file);
}

int cl_cmd_compress(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	const char *file = options->words[1];
	struct cl_small small;
	int rc = cl_plugins_load(options, NULL, fail);
	if (rc)
		return rc;
	cl_interrupt_hold();
	rc = cl_small_make(options, options->words[0], file, &small, fail);
	*exit_code = small.exit_code;
	if (rc || small.exit_code)
		return rc;
	const struct sv_compressed *d = &small.done;
	if (cl_given(options, CL_OPT_JSON))
		return cl_print_members(stdout, fail, PR_S("file", file), PR_S("claim", d->claim),
					PR_S("status", d->status), PR_U("positions", d->positions),
					PR_U("reasons", d->reasons), PR_U("cards", d->cards),
					PR_U("strategies", d->strategies), PR_U("uses", d->uses),
					PR_U("nodes", d->nodes), PR_U("bytes", d->bytes));
	print_text(&small, file);
	return PD_OK;
}
