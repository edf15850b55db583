/* study: variations with comments and marks that the server keeps with a game: listed, printed as files, kept, changed,
 * removed. */
#include "clients/ask.h"

#include <stdio.h>
#include <string.h>

#include "clients/commands.h"
#include "clients/table.h"
#include "clients/text.h"
#include "proto/base/print.h"

struct study_call {
	const struct cl_options *options;
	struct cl_link *link;
	int64_t number; /* of the study that the second word names; 0: it names a game, or there is none */
	const char *word;
};

static int print_list(const struct study_call *c, struct pd_fail *fail)
{
	static const struct cl_column columns[] = {{"study", 6, 0, 0, true},   {"revision", 8, 0, 0, true},
						   {"moves", 6, 0, 0, true},   {"game", 14, 0, 0, false},
						   {"client", 8, 0, 0, false}, {"title", 30, 0, 0, false}};
	struct cl_table table;
	struct cl_text text;
	pr_ref result;
	int rc = cl_ask_given(c->link, c->options, PR_STUDY_LIST, &result, fail, PR_OPT_S("game", c->word));
	if (rc || cl_given(c->options, CL_OPT_JSON))
		return rc ? rc : cl_print_json(result, fail);
	pr_ref studies = pr_get(result, "studies");
	cl_table_begin(&table, stdout, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < pr_count(studies); i++) {
		pr_ref study = pr_at(studies, i);
		static const char *const numbers[] = {"study", "revision", "moves"};
		for (unsigned n = 0; n < sizeof numbers / sizeof *numbers; n++)
			cl_table_cell(&table, cl_count(&text, pr_get_int(study, numbers[n], 0)));
		cl_table_cell(&table, pr_get_str(study, "game", ""));
		cl_table_cell(&table, pr_get_str(study, "client", ""));
		cl_table_cell(&table, pr_get_str(study, "title", ""));
	}
	return PD_OK;
}

static int print_study(const struct study_call *c, struct pd_fail *fail)
{
	const struct cl_options *o = c->options;
	const char *form = cl_given(o, CL_OPT_PGN) ? "pgn" : cl_given(o, CL_OPT_SGF) ? "sgf" : NULL;
	bool json = cl_given(o, CL_OPT_JSON);
	pr_ref result;
	int rc = cl_ask(c->link, "study.get", &result, fail, PR_I("study", c->number),
			PR_OPT_S("record", form || json ? form : "moves"));
	if (rc || json)
		return rc ? rc : cl_print_json(result, fail);
	if (!form)
		pd_print(stdout, "%s, revision %lld: %s\n", pr_get_str(result, "game", ""),
			 (long long)pr_get_int(result, "revision", 0), pr_get_str(result, "title", ""));
	pd_print_lines(stdout, pr_get_str(result, "record", ""));
	return PD_OK;
}

/* Keeps a new study, or changes one. */
static int put_study(const struct study_call *c, struct pd_fail *fail)
{
	char game[256];
	pr_ref result;
	int rc = c->number ? cl_ask(c->link, "study.get", &result, fail, PR_I("study", c->number)) : PD_OK;
	if (rc)
		return rc;
	snprintf(game, sizeof game, "%s", c->number ? pr_get_str(result, "game", "") : c->word);
	rc = cl_ask_given(c->link, c->options, PR_STUDY_PUT, &result, fail, PR_S("game", game),
			  PR_OPT_I("study", c->number));
	if (rc || cl_given(c->options, CL_OPT_JSON))
		return rc ? rc : cl_print_json(result, fail);
	pd_print(stdout, "study %lld, revision %lld\n", (long long)pr_get_int(result, "study", 0),
		 (long long)pr_get_int(result, "revision", 0));
	return PD_OK;
}

static int remove_study(const struct study_call *c, struct pd_fail *fail)
{
	return cl_ask_given(c->link, c->options, PR_STUDY_REMOVE, NULL, fail, PR_I("study", c->number));
}

static const struct study_verb {
	const char *name, *takes; /* what its second word is */
	int (*run)(const struct study_call *c, struct pd_fail *fail);
	bool number, needed;
} verbs[] = {
	{"list", "a game, or nothing", print_list, false, false},
	{"show", "the number of a study", print_study, true, true},
	{"keep", "a game", put_study, false, true},
	{"change", "the number of a study", put_study, true, true},
	{"remove", "the number of a study", remove_study, true, true},
};

int cl_cmd_study(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct study_call c = {.options = options, .word = options->word_count > 1 ? options->words[1] : NULL};
	const struct study_verb *verb = verbs, *end = verbs + sizeof verbs / sizeof *verbs;
	*exit_code = CL_EXIT_OK;
	while (verb < end && strcmp(verb->name, options->words[0]) != 0)
		verb++;
	if (verb == end)
		return pd_fail_set(fail, PD_E_USAGE, "study", "use list, show, keep, change or remove, not '%.40s'",
				   options->words[0]);
	if (verb->needed && !c.word)
		return pd_fail_set(fail, PD_E_USAGE, "study", "study %s needs %s", verb->name, verb->takes);
	int rc = verb->number ? cl_job_number(c.word, &c.number, fail) : PD_OK;
	rc = rc ? rc : cl_open(options, &c.link, fail);
	rc = rc ? rc : verb->run(&c, fail);
	cl_link_close(c.link);
	return rc;
}
