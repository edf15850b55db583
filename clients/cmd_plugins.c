/* proofctl plugins: lists the plug-ins that have crashed, and gives one another chance (server/common/plugins.h). */
#include <inttypes.h>

#include "clients/commands.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"

struct list {
	bool json;
	unsigned count;
};

static void show_crash(void *ctx, const struct sv_plugin_crash *crash)
{
	struct list *list = ctx;
	bool refused = crash->count >= SV_PLUGIN_CRASHES;
	PD_ASSERT(crash->count > 0);
	list->count++;
	if (list->json) {
		struct pd_fail ignored;
		char digest[24];
		snprintf(digest, sizeof digest, "%016" PRIx64, crash->digest);
		cl_print_members(stdout, &ignored, PR_S("file", crash->file), PR_S("digest", digest),
				 PR_S("games", crash->games), PR_U("crashes", crash->count), PR_S("last", crash->last),
				 PR_B("refused", refused));
		return;
	}
	pd_print(stdout, "%s (%s), digest %016" PRIx64 ": %u crash%s, last: %s%s\n", crash->file, crash->games,
		 crash->digest, crash->count, crash->count == 1 ? "" : "es", crash->last,
		 refused ? "; refused until its file changes or --retry names it" : "");
}

int cl_cmd_plugins(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct list list = {.json = cl_given(options, CL_OPT_JSON)};
	const char *data = options->words[0];
	*exit_code = CL_EXIT_OK;
	if (cl_given(options, CL_OPT_RETRY)) {
		int rc = sv_plugins_retry(data, options->text[CL_OPT_RETRY], fail);
		if (!rc && !list.json)
			pd_print(stdout, "%s will be loaded at the next start\n", options->text[CL_OPT_RETRY]);
		return rc;
	}
	int rc = sv_plugins_crashed(data, show_crash, &list, fail);
	if (!rc && !list.count && !list.json)
		pd_print(stdout, "no plug-in has crashed\n");
	return rc;
}
