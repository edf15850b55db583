/* proofctl table: builds, lists and verifies tables by retrograde analysis (server/proofs/tables), in this process or
 * by a server. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clients/commands.h"
#include "clients/interrupt.h"
#include "clients/progress.h"
#include "clients/text.h"
#include "proto/base/print.h"
#include "server/proofs/tables/table_build.h"
#include "server/proofs/tables/table_list.h"

enum { CHECKPOINT_S = 10 };

struct report {
	struct cl_progress progress;
	int signal; /* number of the signal that ended the command; 0: none */
};

static bool on_progress(void *ctx, const struct sv_table_progress *p)
{
	static const char *const phases[] = {"moves", "predecessors", "plies", "writing"};
	struct report *r = ctx;
	if (cl_progress_is_due(&r->progress))
		cl_progress_draw(&r->progress, "%s: %s, %u plies, %.0f %%", p->class, phases[p->phase], p->plies,
				 100.0 * (double)p->done / (double)p->all);
	if (!r->signal)
		r->signal = cl_interrupt_take();
	return !r->signal;
}

static void write_hex(const uint8_t *digest, char out[65])
{
	for (unsigned i = 0; i < 32; i++)
		snprintf(out + (size_t)2 * i, 3, "%02x", digest[i]);
}

static int print_table(const struct cl_options *o, const char *game, const struct sv_table_built *t,
		       struct pd_fail *fail)
{
	struct cl_text a, b, c, d;
	char hex[65];
	write_hex(t->digest, hex);
	double bits = 8.0 * (double)t->bytes / (double)(t->wins + t->losses + t->draws + !t->bytes);
	if (cl_given(o, CL_OPT_JSON))
		return cl_print_members(stdout, fail, PR_S("game", game), PR_S("material", t->class),
					PR_U("entries", t->entries), PR_U("wins", t->wins), PR_U("losses", t->losses),
					PR_U("draws", t->draws), PR_U("longest", t->longest), PR_U("bytes", t->bytes),
					PR_R("bits", bits, 3), PR_S("digest", hex));
	pd_print(stdout, "%s of %s\n", t->class, game);
	cl_row(stdout, "positions", "%s: %s won, %s lost, %s drawn for the player to move",
	       cl_count(&a, (int64_t)(t->wins + t->losses + t->draws)), cl_count(&b, (int64_t)t->wins),
	       cl_count(&c, (int64_t)t->losses), cl_count(&d, (int64_t)t->draws));
	cl_row(stdout, "longest", "%s", cl_counted(&a, t->longest, "ply"));
	cl_row(stdout, "size", "%s bytes, %.2f bits a position", cl_count(&a, (int64_t)t->bytes), bits);
	cl_row(stdout, "digest", "%s", hex);
	return PD_OK;
}

struct listing {
	const struct cl_options *options;
	int *exit_code;
};

static void print_damaged(const struct cl_options *o, const char *file, const char *wrong)
{
	struct pd_fail fail;
	if (cl_given(o, CL_OPT_JSON))
		cl_print_members(stdout, &fail, PR_S("file", file), PR_S("reason", wrong));
	else
		pd_print(stdout, "%s cannot be used: %s\n", file, wrong);
}

static int list_table(void *ctx, const char *file, const char *game, const struct sv_table_built *table,
		      const char *wrong)
{
	const struct listing *l = ctx;
	struct pd_fail fail;
	if (!wrong)
		return print_table(l->options, game, table, &fail);
	*l->exit_code = CL_EXIT_FAILED;
	print_damaged(l->options, file, wrong);
	return PD_OK;
}

static int list_checkpoint(void *ctx, const char *game, const char *class, uint64_t bytes)
{
	const struct listing *l = ctx;
	struct cl_text a;
	if (!cl_given(l->options, CL_OPT_JSON))
		pd_print(stdout, "checkpoint of a build of %s of %s: %s bytes\n", class, game,
			 cl_count(&a, (int64_t)bytes));
	return PD_OK;
}

/* Deletes the checkpoints of the classes that the words name. */
static int discard_here(const struct cl_options *o, struct sv_table_order *order, struct pd_fail *fail)
{
	unsigned gone;
	int rc = PD_OK;
	for (unsigned i = 2; i < o->word_count && !rc; i++) {
		order->class = o->words[i];
		rc = sv_table_discard(order, &gone, fail);
		if (!rc)
			pd_print(stdout, "%s of %s: checkpoints deleted: %u\n", o->words[i], order->game, gone);
	}
	return rc;
}

/* Builds or verifies one class. */
static int work_on_class(const struct cl_options *o, struct sv_table_order *order, const char *class, bool verify,
			 struct pd_fail *fail)
{
	struct sv_table_built built;
	uint64_t memory;
	order->class = class;
	/* The plan refuses what does not fit before anything is built. */
	int rc = verify ? sv_table_verify(order, &built, fail) : sv_table_plan(order, &memory, fail);
	if (!rc && !verify)
		rc = sv_table_build(order, &built, fail);
	if (!rc && !verify && built.replaced)
		pd_print(stderr, "proofctl: damaged tables that were built again: %u\n", built.replaced);
	return rc ? rc : print_table(o, order->game, &built, fail);
}

/* Builds or verifies all classes with so many men; `word` is that number. */
static int work_on_men(const struct cl_options *o, struct sv_table_order *order, const char *word, bool verify,
		       struct pd_fail *fail)
{
	char class[GAME_CLASS_NAME];
	/* A longer number or other characters: 0 men, which no class has. */
	unsigned men = strlen(word) <= 3 && word[strspn(word, "0123456789")] == 0 ? (unsigned)atoi(word) : 0, n = 0;
	int more, rc = PD_OK;
	while (!rc && (more = sv_table_class_at(order->game, men, n, class, fail))) {
		rc = more < 0 ? fail->code : work_on_class(o, order, class, verify, fail);
		n++;
	}
	return rc || n ? rc
		       : pd_fail_set(fail, PD_E_PARAMS, "material",
				     "%s has no classes with '%.20s' men; a number of men is one such as 2 or 3",
				     order->game, word);
}

/* Builds or verifies the classes that the words name, or all with so many men. */
static int work_on(const struct cl_options *o, struct sv_table_order *order, bool verify, struct pd_fail *fail)
{
	int rc = PD_OK;
	for (unsigned i = 2; i < o->word_count && !rc; i++) {
		const char *word = o->words[i];
		rc = (*word >= '0' && *word <= '9' ? work_on_men : work_on_class)(o, order, word, verify, fail);
	}
	return rc;
}

/* --- by a server -------------------------------------------------------------------------- */

static int print_build(const struct cl_options *o, pr_ref b, struct pd_fail *fail)
{
	struct cl_text a;
	const char *state = pr_get_str(b, "state", "?"), *reason = pr_get_str(b, "reason", NULL);
	if (cl_given(o, CL_OPT_JSON))
		return cl_print_json(b, fail);
	pd_print(stdout, "%s of %s: %s, %s%s%s\n", pr_get_str(b, "material", "?"), pr_get_str(b, "game", "?"), state,
		 cl_duration(&a, pr_get_real(b, "seconds", 0)), reason ? ": " : "", reason ? reason : "");
	if (pr_has(b, "building"))
		cl_row(stdout, "building", "%s, %s, %" PRId64 " plies", pr_get_str(b, "building", ""),
		       pr_get_str(b, "phase", ""), pr_get_int(b, "plies", 0));
	if (pr_has(b, "discarded"))
		cl_row(stdout, "checkpoints", "%" PRId64 " deleted", pr_get_int(b, "discarded", 0));
	return PD_OK;
}

static void print_listed(pr_ref t)
{
	struct cl_text a, b, c, d;
	int64_t positions = pr_get_int(t, "positions", 0), bytes = pr_get_int(t, "bytes", 0);
	pd_print(stdout, "%s of %s\n", pr_get_str(t, "material", "?"), pr_get_str(t, "game", "?"));
	cl_row(stdout, "positions", "%s: %s won, %s lost, %s drawn for the player to move", cl_count(&a, positions),
	       cl_count(&b, pr_get_int(t, "wins", 0)), cl_count(&c, pr_get_int(t, "losses", 0)),
	       cl_count(&d, pr_get_int(t, "draws", 0)));
	cl_row(stdout, "longest", "%" PRId64 " plies", pr_get_int(t, "longest", 0));
	cl_row(stdout, "size", "%s bytes, %.2f bits a position", cl_count(&a, bytes),
	       8.0 * (double)bytes / (double)(positions + !positions));
	cl_row(stdout, "digest", "%s", pr_get_str(t, "digest", ""));
}

static int list_of_server(const struct cl_options *o, struct cl_link *link, int *exit_code, struct pd_fail *fail)
{
	const struct listing l = {o, exit_code};
	pr_ref result;
	int rc = cl_ask(link, "table.list", &result, fail, PR_OPT_S("game", o->word_count > 1 ? o->words[1] : NULL));
	if (rc || cl_given(o, CL_OPT_JSON))
		return rc ? rc : cl_print_json(result, fail);
	pr_ref tables = pr_get(result, "tables"), builds = pr_get(result, "builds");
	pr_ref damaged = pr_get(result, "damaged"), left = pr_get(result, "checkpoints");
	for (size_t i = 0; i < pr_count(tables); i++)
		print_listed(pr_at(tables, i));
	for (size_t i = 0; i < pr_count(damaged); i++)
		list_table((void *)(uintptr_t)&l, pr_get_str(pr_at(damaged, i), "file", ""), NULL, NULL,
			   pr_get_str(pr_at(damaged, i), "reason", ""));
	for (size_t i = 0; i < pr_count(left); i++)
		list_checkpoint((void *)(uintptr_t)&l, pr_get_str(pr_at(left, i), "game", ""),
				pr_get_str(pr_at(left, i), "material", ""),
				(uint64_t)pr_get_int(pr_at(left, i), "bytes", 0));
	for (size_t i = 0; i < pr_count(builds) && !rc; i++)
		rc = print_build(o, pr_at(builds, i), fail);
	return rc;
}

/* The state of a build among those of the list; NULL: it is not there. */
static pr_ref find_build(pr_ref result, const char *game, const char *class)
{
	pr_ref builds = pr_get(result, "builds");
	for (size_t i = pr_count(builds); i-- > 0;)
		if (!strcmp(pr_get_str(pr_at(builds, i), "game", ""), game) &&
		    !strcmp(pr_get_str(pr_at(builds, i), "material", ""), class))
			return pr_at(builds, i);
	return NULL;
}

static void draw_build(struct cl_progress *progress, pr_ref b)
{
	int64_t all = pr_get_int(b, "all", 0);
	if (cl_progress_is_due(progress))
		cl_progress_draw(progress, "%s: %s, %" PRId64 " plies, %.0f %%",
				 pr_get_str(b, "building", pr_get_str(b, "material", "?")),
				 pr_get_str(b, "phase", pr_get_str(b, "state", "?")), pr_get_int(b, "plies", 0),
				 all ? 100.0 * (double)pr_get_int(b, "done", 0) / (double)all : 0.0);
}

/* Orders a class, and follows the build to its end; Ctrl-C leaves it to the server. */
static int build_by_server(const struct cl_options *o, struct cl_link *link, const char *class, int *exit_code,
			   struct pd_fail *fail)
{
	struct cl_progress progress;
	char game[PD_TABLE_GAME], name[PD_TABLE_CLASS];
	pr_ref result, b;
	int signal = 0, rc = cl_ask_given(link, o, PR_TABLE_BUILD, &result, fail, PR_S("game", o->words[1]),
					  PR_S("material", class));
	if (rc)
		return rc;
	snprintf(game, sizeof game, "%s", pr_get_str(result, "game", ""));
	snprintf(name, sizeof name, "%s", pr_get_str(result, "material", ""));
	cl_progress_begin(&progress);
	for (;;) {
		rc = cl_ask(link, "table.list", &result, fail, PR_S("game", game));
		b = rc ? NULL : find_build(result, game, name);
		if (!b || (strcmp(pr_get_str(b, "state", ""), "queued") != 0 &&
			   strcmp(pr_get_str(b, "state", ""), "running") != 0))
			break;
		draw_build(&progress, b);
		signal = cl_interrupt_take();
		if (signal)
			break;
		nanosleep(&(struct timespec){.tv_nsec = CL_LOOK_MS * 1000000L}, NULL);
	}
	cl_progress_end(&progress);
	if (!rc && b)
		rc = print_build(o, b, fail);
	if (signal)
		*exit_code = CL_EXIT_SIGNAL + signal;
	else if (!rc && (!b || strcmp(pr_get_str(b, "state", ""), "complete") != 0))
		*exit_code = CL_EXIT_FAILED;
	return rc;
}

static int work_by_server(const struct cl_options *o, const char *what, int *exit_code, struct pd_fail *fail)
{
	struct cl_link *link;
	pr_ref result;
	bool discard = !strcmp(what, "discard"), cancel = discard || !strcmp(what, "cancel");
	*exit_code = CL_EXIT_OK;
	int rc = cl_open(o, &link, fail);
	if (rc)
		return rc;
	if (!strcmp(what, "list"))
		rc = list_of_server(o, link, exit_code, fail);
	cl_interrupt_hold();
	for (unsigned i = 2; i < o->word_count && !rc && *exit_code == CL_EXIT_OK; i++) {
		if (!cancel) {
			rc = build_by_server(o, link, o->words[i], exit_code, fail);
			continue;
		}
		rc = cl_ask(link, "table.cancel", &result, fail, PR_S("game", o->words[1]),
			    PR_S("material", o->words[i]), PR_B("discard", discard));
		rc = rc ? rc : print_build(o, result, fail);
		if (!rc && !discard && !cl_given(o, CL_OPT_JSON))
			pd_print(stdout,
				 "Its checkpoint stays for a later build; `proofctl table discard` deletes it.\n");
	}
	cl_link_close(link);
	return rc;
}

int cl_cmd_table(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct report report = {0};
	const char *what = options->words[0], *dir = options->text[CL_OPT_DATA];
	struct sv_table_order order = {
		.dir = dir,
		.threads = cl_threads(options),
		.memory = cl_given(options, CL_OPT_MEMORY) ? (uint64_t)options->whole[CL_OPT_MEMORY] : 0,
		.checkpoint_s = cl_given(options, CL_OPT_CHECKPOINT) ? options->real[CL_OPT_CHECKPOINT] : CHECKPOINT_S,
		.go_on = on_progress,
		.ctx = &report,
	};
	bool list = !strcmp(what, "list"), verify = !strcmp(what, "verify");
	bool cancel = !strcmp(what, "cancel"), discard = !strcmp(what, "discard");
	const struct listing listing = {options, exit_code};
	if (!list && !verify && !cancel && !discard && strcmp(what, "build") != 0)
		return pd_fail_set(fail, PD_E_USAGE, "",
				   "proofctl table takes build, list, verify, cancel or discard, not '%.40s'", what);
	if (dir ? cancel : verify)
		return pd_fail_set(fail, PD_E_USAGE, "data",
				   dir ? "cancel is for builds of a server: leave out --data"
				       : "name the data directory of the tables: --data DIR");
	*exit_code = CL_EXIT_OK;
	if (list && dir) {
		void *ctx = (void *)(uintptr_t)&listing;
		int rc = sv_tables_list(dir, list_table, ctx, fail);
		return rc ? rc : sv_tables_unfinished(dir, list_checkpoint, ctx, fail);
	}
	if (options->word_count < 3 && !list)
		return pd_fail_set(fail, PD_E_USAGE, "",
				   "name a game and a class, as in proofctl table %s chess-mate KRvK", what);
	if (!dir)
		return work_by_server(options, what, exit_code, fail);
	order.game = options->words[1];
	if (discard)
		return discard_here(options, &order, fail);
	if (order.threads > SV_TABLE_THREADS_MAX)
		order.threads = SV_TABLE_THREADS_MAX;
	cl_progress_begin(&report.progress);
	cl_interrupt_hold();
	int rc = work_on(options, &order, verify, fail);
	cl_progress_end(&report.progress);
	if (report.signal)
		*exit_code = CL_EXIT_SIGNAL + report.signal;
	if (rc == PD_E_SHUTDOWN && report.signal) {
		pd_print(stderr, "proofctl: %s\n", fail->text);
		return PD_OK;
	}
	return rc;
}
