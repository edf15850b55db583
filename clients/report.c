#include "clients/report.h"

#include "clients/ask.h"
#include "clients/text.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"

int cl_report_exit(int code)
{
	switch (code) {
	case PD_E_USAGE:
	case PD_E_PARSE:
	case PD_E_REQUEST:
	case PD_E_METHOD:
	case PD_E_PARAMS:
	case PD_E_GAME:
	case PD_E_POSITION:
	case PD_E_MOVE:
	case PD_E_CLAIM:
	case PD_E_ALGORITHM:
	case PD_E_NO_JOB:
		return CL_EXIT_USAGE;
	default:
		return CL_EXIT_FAILED;
	}
}

/* The option or word of the command line for a parameter of the protocol. */
static void name_of(const char *field, char *out, size_t size)
{
	static const struct {
		const char *field, *name;
	} words[] = {{"options", "--option"}, {"game", "GAME"}, {"job", "JOB"}};
	if (!strcmp(field, "budget") || !strncmp(field, "budget.", 7))
		field = strstr(field, "seconds") ? "seconds" : "nodes";
	snprintf(out, size, "%s", field);
	for (unsigned i = 0; i < CL_OPTION_COUNT; i++)
		if (!strcmp(field, cl_option_info((enum cl_option)i)->name))
			snprintf(out, size, "--%s", field);
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(field, words[i].field))
			snprintf(out, size, "%s", words[i].name);
}

static void print_text(const struct pd_fail *fail)
{
	struct cl_ink ink = cl_ink_of(stderr);
	char name[80];
	name_of(fail->field, name, sizeof name);
	pd_print(stderr, "%sproofctl:%s ", ink.bad, ink.off);
	if (fail->code != PD_E_USAGE && name[0] && !strstr(fail->text, name))
		pd_print(stderr, "%s: ", name);
	pd_print(stderr, "%s\n", fail->text);
}

void cl_report(const struct pd_fail *fail, bool json)
{
	PD_ASSERT(fail->code != PD_OK);
	fflush(stdout);
	struct pd_fail ignored;
	if (!json)
		print_text(fail);
	else if (cl_print_members(stderr, &ignored, PR_OPEN_OBJECT("error"), PR_U("code", (unsigned)fail->code),
				  PR_S("message", fail->text), PR_OPEN_OBJECT("data"),
				  PR_S("slug", pd_error_slug(fail->code)),
				  PR_S("field", fail->field[0] ? fail->field : NULL), PR_CLOSE, PR_CLOSE))
		fputs("{}\n", stderr);
}

bool cl_report_go_on(const struct cl_options *options, int rc, struct pd_fail *fail, int *exit_code)
{
	if (!rc)
		return true;
	if (options->word_count < 2 || rc == PD_E_UNREACHABLE)
		return false;
	fail->code = rc;
	cl_report(fail, cl_given(options, CL_OPT_JSON));
	*exit_code = CL_EXIT_FAILED;
	return true;
}
