/* proofctl web: makes a page to play against a proof. */
#include "clients/commands.h"
#include "clients/text.h"
#include "clients/web_page.h"
#include "proto/base/print.h"

int cl_cmd_web(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct cl_web *web = malloc(sizeof *web);
	struct cl_text a, b, c;
	int rc = web ? cl_web_make(options, options->words[0], options->words[1], web, fail) : cl_no_memory(fail);
	*exit_code = CL_EXIT_OK;
	if (!rc && cl_given(options, CL_OPT_JSON)) {
		rc = cl_print_members(stdout, fail, PR_S("page", web->page), PR_S("certificate", web->certificate),
				      PR_S("game", web->game), PR_S("claim", web->claim), PR_S("status", web->status),
				      PR_U("positions", web->positions), PR_U("page_bytes", web->page_bytes),
				      PR_U("bytes", web->certificate_bytes), PR_S("sha256", web->sha256));
	} else if (!rc) {
		pd_print(stdout, "%s, %s is %s\n", web->game, web->claim, web->status);
		cl_row(stdout, "page", "%s, %s bytes", web->page, cl_count(&a, (int64_t)web->page_bytes));
		cl_row(stdout, "certificate", "%s, %s bytes, %s", web->certificate,
		       cl_count(&b, (int64_t)web->certificate_bytes),
		       cl_counted(&c, (int64_t)web->positions, "position"));
		cl_row(stdout, "SHA-256", "%s", web->sha256);
	}
	free(web);
	return rc;
}
