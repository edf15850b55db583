/* Ask: opens the link that a command line asks for, and makes calls over it. */
#pragma once

#include <stdio.h>

#include "clients/link.h"
#include "clients/options.h"
#include "proto/methods.h"
#include "proto/out.h"

/* Loads the plug-ins of --game-dir, or of $PROOFD_GAME_DIR, into this process; refusals go to stderr. `data` is the
 * data directory that records which plug-ins have crashed; NULL: none. */
int cl_plugins_load(const struct cl_options *options, const char *data, struct pd_fail *fail);
/* Opens the link that the options ask for, in this order: --data (a core in this process that only reads the directory;
 * a server may have it open), --socket, --server, $PROOFD_SERVER (HOST:PORT or a path), 127.0.0.1:4590. */
int cl_open(const struct cl_options *options, struct cl_link **out, struct pd_fail *fail);
/* The same for calls that need no facts: when no server or directory is named, a core in this process on an empty
 * store. */
int cl_open_rules(const struct cl_options *options, struct cl_link **out, struct pd_fail *fail);

/* Calls a method with parameters that are items of proto/out.h; `result` (which may be NULL) as from cl_link_call. */
#define cl_ask(link, method, result, fail, ...) cl_ask_items(link, method, result, fail, PR_ITEMS(__VA_ARGS__))
int cl_ask_items(struct cl_link *link, const char *method, pr_ref *result, struct pd_fail *fail,
		 const struct pr_item *items, size_t count);
/* The same, also with the options that were given (cl_put_given). */
#define cl_ask_given(link, options, method, result, fail, ...)                                                         \
	cl_ask_given_items(link, &(const struct cl_given_call){options, method, PR_ITEMS(__VA_ARGS__)}, result, fail)
struct cl_given_call {
	const struct cl_options *options;
	enum pr_method method;
	const struct pr_item *items;
	size_t count;
};
int cl_ask_given_items(struct cl_link *link, const struct cl_given_call *call, pr_ref *result, struct pd_fail *fail);
/* Prints an object of such items as a line. */
#define cl_print_members(file, fail, ...) cl_print_items(file, fail, PR_ITEMS(__VA_ARGS__))
int cl_print_items(FILE *file, struct pd_fail *fail, const struct pr_item *items, size_t count);

/* JSON under construction, for what cl_ask and cl_print_members cannot express. Begin it, fill it through `out`, and
 * finish it with one of the other functions. */
struct cl_json {
	struct pd_buf buf;
	struct pr_out out;
};
void cl_json_begin(struct cl_json *json);
/* Calls a method with these parameters. */
int cl_json_call(struct cl_json *json, struct cl_link *link, const char *method, pr_ref *result, struct pd_fail *fail);
/* The same, without waiting for the reply: for cl_link_receive. */
int cl_json_send(struct cl_json *json, struct cl_link *link, const char *method, int64_t *id, struct pd_fail *fail);
/* Prints the object as a line. */
int cl_json_print(struct cl_json *json, FILE *file, struct pd_fail *fail);

/* Puts every parameter of a method for which an option of the same name is given; --nodes and the other budgets go into
 * `budget`, -O into `options`. */
void cl_put_given(const struct cl_options *options, enum pr_method method, struct pr_out *out);
/* The text of the position that --position and --moves give, for commands that open the game in this process; the moves
 * are played by a core on an empty store. The caller frees it. */
int cl_position_text(const struct cl_options *options, char **out, struct pd_fail *fail);

/* A command that is one call, or one for each job that the words name. */
struct cl_call {
	enum pr_method method;
	bool rules; /* the call needs no facts */
	bool each;  /* one call for each job */
	bool gap;   /* prints an empty line after each of several jobs */
	/* Puts the parameters that cl_put_given does not; NULL: none. */
	int (*put)(const struct cl_options *options, struct pr_out *out, struct pd_fail *fail);
	void (*print)(pr_ref result); /* without --json */
};
/* Opens the link and calls the method; the caller closes *link, also after a failure. */
int cl_call(const struct cl_options *options, const struct cl_call *call, struct cl_link **link, pr_ref *result,
	    struct pd_fail *fail);
/* For `put`: each puts the game, or the job, that the first word names. */
int cl_put_game(const struct cl_options *options, struct pr_out *out, struct pd_fail *fail);
int cl_put_job(const struct cl_options *options, struct pr_out *out, struct pd_fail *fail);
/* Calls a method; when it is refused because of how `*link` reaches the server, and the server's own Unix socket can be
 * reached from here, calls it over that socket: `*link` is then a link to it (the old one is closed). */
int cl_call_local(const struct cl_options *options, struct cl_link **link, const char *method, const char *name,
		  pr_ref *result, struct pd_fail *fail);

/* The tunables that --option sets; the others have their defaults. PD_E_PARAMS with the field "options", as from a
 * server. */
int cl_tunables(const struct cl_options *options, struct pn_options *out, struct pd_fail *fail);
/* PD_E_USAGE unless every word is a job number. */
int cl_job_numbers(const struct cl_options *options, struct pd_fail *fail);
/* Reads a word as a job number. */
int cl_job_number(const char *word, int64_t *out, struct pd_fail *fail);
/* Calls each(ctx, job) for at most `limit` jobs, newest first, until it returns false. Unless `state` is NULL, only for
 * jobs in that state. */
int cl_jobs_each(struct cl_link *link, const char *state, int64_t limit, bool (*each)(void *ctx, pr_ref job), void *ctx,
		 struct pd_fail *fail);

/* Prints a value as one line of JSON on stdout. */
int cl_print_json(pr_ref value, struct pd_fail *fail);
