/* proofctl table: builds, lists and verifies tables by retrograde analysis (server/proofs/tables). */
#include <inttypes.h>
#include <stdlib.h>

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
		return cl_print_members(stdout, fail, PR_S("game", game), PR_S("class", t->class),
					PR_U("entries", t->entries), PR_U("wins", t->wins), PR_U("losses", t->losses),
					PR_U("draws", t->draws), PR_U("longest", t->longest), PR_U("bytes", t->bytes),
					PR_R("bits", bits, 3), PR_S("digest", hex));
	pd_print(stdout, "%s of %s\n", t->class, game);
	cl_row(stdout, "positions", "%s: %s won, %s lost, %s drawn for the player to move",
	       cl_count(&a, (int64_t)(t->wins + t->losses + t->draws)), cl_count(&b, (int64_t)t->wins),
	       cl_count(&c, (int64_t)t->losses), cl_count(&d, (int64_t)t->draws));
	cl_row(stdout, "longest", "%u plies", t->longest);
	cl_row(stdout, "size", "%s bytes, %.2f bits a position", cl_count(&a, (int64_t)t->bytes), bits);
	cl_row(stdout, "digest", "%s", hex);
	return PD_OK;
}

static int list_table(void *ctx, const char *game, const struct sv_table_built *table)
{
	struct pd_fail fail;
	return print_table(ctx, game, table, &fail);
}

/* Builds or verifies the classes that the words name, or all with so many men. */
static int work_on(const struct cl_options *o, struct sv_table_order *order, bool verify, struct pd_fail *fail)
{
	struct sv_table_built built;
	int rc = PD_OK;
	for (unsigned i = 2; i < o->word_count && !rc; i++) {
		char class[GAME_CLASS_NAME];
		bool men = o->words[i][0] >= '0' && o->words[i][0] <= '9';
		for (unsigned n = 0; !rc; n++) {
			order->class = o->words[i];
			if (men) {
				int more = sv_table_class_at(order->game, (unsigned)strtoul(o->words[i], NULL, 10), n,
							     class, fail);
				if (more <= 0) {
					rc = more ? fail->code : PD_OK;
					break;
				}
				order->class = class;
			}
			rc = (verify ? sv_table_verify : sv_table_build)(order, &built, fail);
			if (!rc && !verify && built.replaced)
				pd_print(stderr, "proofctl: damaged tables that were built again: %u\n",
					 built.replaced);
			rc = rc ? rc : print_table(o, order->game, &built, fail);
			if (!men)
				break;
		}
	}
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
	if (!dir)
		return pd_fail_set(fail, PD_E_USAGE, "data", "name the data directory of the tables: --data DIR");
	if (!list && !verify && strcmp(what, "build") != 0)
		return pd_fail_set(fail, PD_E_USAGE, "", "proofctl table takes build, list or verify, not '%.40s'",
				   what);
	if (list)
		return sv_tables_list(dir, list_table, (void *)(uintptr_t)options, fail);
	if (options->word_count < 3)
		return pd_fail_set(fail, PD_E_USAGE, "",
				   "name a game and a class, as in proofctl table %s "
				   "chess-mate KRvK --data DIR",
				   what);
	order.game = options->words[1];
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
