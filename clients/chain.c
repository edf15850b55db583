#include "clients/chain.h"

#include <inttypes.h>

#include "clients/ask.h"
#include "clients/show.h"
#include "proto/base/print.h"
#include "solver/games/game.h"

enum { STEPS_MAX = 12, POSITION_BYTES = 2100, SENTENCE_BYTES = 4096 };

/* "draw within 15 plies" */
static void add_bound(struct pd_buf *out, pr_ref node)
{
	pd_buf_printf(out, "%s", pr_get_str(node, "text", "?"));
	if (pr_kind_of(pr_get(node, "rank")) == PR_INT && pr_get_int(node, "rank", 0))
		pd_buf_printf(out, " within %" PRId64 " plies", pr_get_int(node, "rank", 0));
}

/* The reason for a position without moves below it in the proof. */
static void add_leaf(struct pd_buf *out, pr_ref node)
{
	struct cl_text text;
	pr_ref theorems = pr_get(node, "theorems");
	for (size_t i = 0; i < pr_count(theorems); i++)
		pd_buf_printf(out, "%s%s: %s", i ? " " : "", cl_theorem_name(&text, pr_at(theorems, i), true),
			      pr_get_str(pr_at(theorems, i), "text", "?"));
	if (!pr_count(theorems))
		pd_buf_printf(out, "A search of %s found this; it was not kept, and `proofctl check` repeats it.",
			      cl_counted(&text, pr_get_int(node, "effort", 0), "node"));
}

/* Writes the moves of the proof with what holds after each; the chain continues after the one that takes longest. */
static pr_ref add_moves(struct pd_buf *out, pr_ref nodes, pr_ref node)
{
	pr_ref moves = pr_get(node, "moves"), longest = NULL;
	bool all = !strcmp(pr_get_str(node, "kind", ""), "replies");
	pd_buf_printf(out, "%s %s", pr_get_bool(node, "first_to_move", false) ? "First" : "Second",
		      all ? "can do no better, move by move: " : "plays ");
	for (size_t i = 0; i < pr_count(moves); i++) {
		pr_ref move = pr_at(moves, i), after = pr_at(nodes, (size_t)pr_get_int(move, "to", 0));
		pd_buf_printf(out, "%s%s: ", i ? "; " : "", pr_get_str(move, "move", "?"));
		add_bound(out, after);
		if (!longest || pr_get_int(after, "rank", 0) >
					pr_get_int(pr_at(nodes, (size_t)pr_get_int(longest, "to", 0)), "rank", 0))
			longest = move;
	}
	if (all && pr_get_int(node, "more", 0))
		pd_buf_printf(out, "; and %" PRId64 " more", pr_get_int(node, "more", 0));
	pd_buf_printf(out, ".");
	return longest;
}

/* Explains one position, and replaces its text and the move that led to it ("": none) by those of the next one. False
 * at the end of the chain. */
static bool explain_node(pr_ref nodes, char move[32], char position[POSITION_BYTES])
{
	struct pd_buf text;
	pr_ref node = pr_at(nodes, 0), next = NULL;
	const char *kind = pr_get_str(node, "kind", "");
	pd_buf_init(&text, SENTENCE_BYTES);
	if (*move)
		pd_buf_printf(&text, "After %s: ", move);
	add_bound(&text, node);
	pd_buf_printf(&text, ". ");
	if (!strcmp(kind, "end"))
		pd_buf_printf(&text, "The game is over.");
	else if (!strcmp(kind, "leaf"))
		add_leaf(&text, node);
	else
		next = add_moves(&text, nodes, node);
	pd_print(stdout, "  %-9s ", *move ? "then" : "why");
	cl_wrap_lines(stdout, text.data ? text.data : "", 12, 12, cl_width(stdout));
	pd_buf_fini(&text);
	if (next)
		snprintf(move, 32, "%s", pr_get_str(next, "move", ""));
	if (next)
		snprintf(position, POSITION_BYTES, "%s",
			 pr_get_str(pr_at(nodes, (size_t)pr_get_int(next, "to", 0)), "position", ""));
	return next != NULL;
}

int cl_explain(struct cl_link *link, const struct cl_options *options, const char *start, struct pd_fail *fail)
{
	char position[POSITION_BYTES], move[32] = "";
	bool more = true;
	pr_ref tree;
	int rc = cl_ask_given(link, options, PR_POSITION_SHOW, &tree, fail, PR_S("game", options->words[0]),
			      PR_OPT_S("position", *start ? start : NULL));
	snprintf(position, sizeof position, "%s", rc ? "" : pr_get_str(tree, "position", ""));
	for (unsigned i = 0; !rc && more && i < STEPS_MAX; i++) {
		rc = cl_ask(link, "proof.tree", &tree, fail, PR_S("game", options->words[0]),
			    PR_S("position", position), PR_U("depth", 1));
		if (rc == PD_E_NO_FACT && !i)
			cl_row(stdout, "why", "nothing is proved here yet");
		more = !rc && explain_node(pr_get(tree, "nodes"), move, position);
	}
	if (!rc && more)
		cl_row(stdout, "then", "... `proofctl proof-tree` shows the rest");
	return rc == PD_E_NO_FACT ? PD_OK : rc;
}
