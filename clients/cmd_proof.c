/* proofctl proof-tree, proofs: a proof shown from its root down, and the certificates that a server keeps. */
#include <inttypes.h>

#include "clients/commands.h"
#include "clients/drawing.h"
#include "clients/show.h"
#include "proto/base/print.h"

enum { INDENT = 2, DEPTH_SHOWN = 1000, REASONS_SHOWN = 8 };

struct shown {
	pr_ref nodes;
	bool *printed; /* owned; for each node: whether it was printed */
	struct cl_ink ink;
};

/* What gives the bounds of a leaf: theorems, or a search. */
static void print_leaf(const struct shown *s, pr_ref node)
{
	struct cl_text text;
	pr_ref theorems = pr_get(node, "theorems");
	size_t bounds = 0, told = pr_count(theorems);
	bounds += pr_kind_of(pr_get(node, "lower")) == PR_INT;
	bounds += pr_kind_of(pr_get(node, "upper")) == PR_INT;
	fputs("  ", stdout);
	for (size_t i = 0; i < told; i++)
		pd_print(stdout, "%s%s", i ? ", " : "", cl_theorem_name(&text, pr_at(theorems, i), false));
	if (told < bounds)
		pd_print(stdout, "%s%ssearch of %s%s", told ? ", " : "", s->ink.dim,
			 cl_counted(&text, pr_get_int(node, "effort", 0), "node"), s->ink.off);
}

/* "3  second wins, 4" after a move. */
static void print_what(const struct shown *s, pr_ref node)
{
	const char *kind = pr_get_str(node, "kind", "");
	pd_print(stdout, "  %s", pr_get_str(node, "text", "?"));
	if (pr_kind_of(pr_get(node, "rank")) == PR_INT && strcmp(kind, "end") != 0)
		pd_print(stdout, ", %" PRId64, pr_get_int(node, "rank", 0));
	if (!strcmp(kind, "end"))
		fputs(", the game is over", stdout);
	if (!strcmp(kind, "leaf"))
		print_leaf(s, node);
	if (!strcmp(kind, "aside"))
		pd_print(stdout, "  %snot part of the proof%s", s->ink.dim, s->ink.off);
}

/* Prints the line of a node and those of the nodes below it. */
static void print_below(struct shown *s, size_t id, const char *move, int depth)
{
	pr_ref node = pr_at(s->nodes, id), moves = pr_get(node, "moves");
	bool again = s->printed[id] && pr_count(moves);
	pd_print(stdout, "%*s%s%s%s  %s#%zu%s", INDENT * depth, "", s->ink.bold, move, s->ink.off, s->ink.dim, id,
		 s->ink.off);
	print_what(s, node);
	pd_print(stdout, "%s\n", again ? "  (see above)" : "");
	s->printed[id] = true;
	if (again || depth > DEPTH_SHOWN)
		return;
	for (size_t i = 0; i < pr_count(moves); i++) {
		size_t to = (size_t)pr_get_int(pr_at(moves, i), "to", 0);
		if (to < pr_count(s->nodes))
			print_below(s, to, pr_get_str(pr_at(moves, i), "move", "?"), depth + 1);
	}
	if (pr_get_int(node, "more", 0))
		pd_print(stdout, "%*s%s%" PRId64 " more%s\n", INDENT * (depth + 1), "", s->ink.dim,
			 pr_get_int(node, "more", 0), s->ink.off);
}

/* Prints the sentences of the theorems in the tree, each once. */
static void print_reasons(pr_ref nodes)
{
	const char *said[REASONS_SHOWN];
	size_t count = 0;
	for (size_t i = 0; i < pr_count(nodes) && count < REASONS_SHOWN; i++) {
		pr_ref theorem = pr_at(pr_get(pr_at(nodes, i), "theorems"), 0);
		const char *text = pr_get_str(theorem, "text", "");
		struct cl_text name;
		size_t same = 0;
		while (same < count && strcmp(said[same], text) != 0)
			same++;
		if (!*text || same < count)
			continue;
		said[count++] = text;
		cl_row(stdout, cl_theorem_name(&name, theorem, false), "%s", text);
	}
}

static int print_tree(pr_ref tree, struct pd_fail *fail)
{
	struct shown s = {.nodes = pr_get(tree, "nodes"), .ink = cl_ink_of(stdout)};
	size_t count = pr_count(s.nodes);
	s.printed = calloc(count + 1, sizeof *s.printed);
	if (!s.printed || !count) {
		free(s.printed);
		return cl_no_memory(fail);
	}
	const char *position = pr_get_str(pr_at(s.nodes, 0), "position", "");
	pd_print(stdout, "%s%s is %s%s\n", s.ink.bold, pr_get_str(tree, "claim", "?"), pr_get_str(tree, "status", "?"),
		 s.ink.off);
	print_below(&s, 0, position, 0);
	print_reasons(s.nodes);
	free(s.printed);
	return PD_OK;
}

static int put_tree(const struct cl_options *options, struct pr_out *out, struct pd_fail *fail)
{
	if (cl_given(options, CL_OPT_DOT))
		pr_str(out, "dot", "boards");
	return cl_put_game(options, out, fail);
}

int cl_cmd_proof_tree(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	static const struct cl_call call = {PR_PROOF_TREE, .put = put_tree};
	struct cl_link *link = NULL;
	pr_ref tree;
	*exit_code = CL_EXIT_OK;
	int rc = cl_drawing_check(options, CL_OPT_DOT, fail);
	if (!rc)
		rc = cl_call(options, &call, &link, &tree, fail);
	if (!rc && cl_given(options, CL_OPT_DOT))
		rc = cl_drawing_write(options, CL_OPT_DOT, pr_get_str(tree, "dot", ""), fail);
	if (!rc && cl_given(options, CL_OPT_JSON))
		rc = cl_print_json(tree, fail);
	else if (!rc && !cl_drawing_is_stdout(options, CL_OPT_DOT))
		rc = print_tree(tree, fail);
	cl_link_close(link);
	return rc;
}

static void print_proofs(pr_ref list)
{
	static const struct cl_column columns[] = {
		{"proof", 32, 0, 0, false},     {"question", 40, 12, 1, false}, {"status", 9, 0, 2, false},
		{"detail", 8, 0, 4, false},     {"positions", 14, 0, 3, true},  {"size", 10, 0, 5, true},
		{"last used", 19, 0, 6, false},
	};
	struct cl_table table;
	struct cl_text text;
	pr_ref proofs = pr_get(list, "proofs"), making = pr_at(pr_get(list, "making"), 0);
	cl_table_begin(&table, stdout, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < pr_count(proofs); i++) {
		pr_ref proof = pr_at(proofs, i);
		cl_table_cell(&table, pr_get_str(proof, "proof", "?"));
		cl_table_cell(&table, cl_question(&text, proof));
		cl_table_cell(&table,
			      pr_get_bool(proof, "damaged", false) ? "damaged" : pr_get_str(proof, "status", "?"));
		cl_table_cell(&table, pr_get_str(proof, "detail", "?"));
		cl_table_cell(&table, cl_count(&text, pr_get_int(proof, "positions", 0)));
		cl_table_cell(&table, cl_bytes(&text, pr_get_int(proof, "bytes", 0)));
		cl_table_cell(&table, cl_when(&text, pr_get_int(proof, "used", 0)));
	}
	if (making)
		pd_print(stdout, "being made: %s, %s so far\n", pr_get_str(making, "game", "?"),
			 cl_counted(&text, pr_get_int(making, "positions", 0), "position"));
}

/* A verdict against the certificate is not an error of the call; the exit code is 1. */
static int call_one(const struct cl_options *options, struct cl_link *link, const char *proof, int *exit_code,
		    struct pd_fail *fail)
{
	bool verify = !strcmp(options->words[0], "verify");
	pr_ref result;
	int rc = cl_ask(link, verify ? "proof.verify" : "proof.remove", &result, fail, PR_S("proof", proof));
	if (rc)
		return rc;
	if (cl_given(options, CL_OPT_JSON))
		rc = cl_print_json(result, fail);
	else
		pd_print(stdout, "%s  %s\n", proof, verify ? pr_get_str(result, "text", "?") : "removed");
	if (verify && strcmp(pr_get_str(result, "verdict", ""), "verified") != 0)
		*exit_code = CL_EXIT_FAILED;
	return rc;
}

int cl_cmd_proofs(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	static const struct cl_call list = {PR_PROOF_LIST, .print = print_proofs};
	const char *what = options->word_count ? options->words[0] : NULL;
	struct cl_link *link;
	if (what && strcmp(what, "verify") != 0 && strcmp(what, "remove") != 0)
		return pd_fail_set(fail, PD_E_USAGE, "proofs", "the first word must be verify or remove, not '%.40s'",
				   what);
	if (what && options->word_count < 2)
		return pd_fail_set(fail, PD_E_USAGE, "proofs", "name the certificates; `proofctl proofs` lists them");
	if (!what)
		return cl_command_call(options, &list, exit_code, fail);
	int rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	for (unsigned i = 1; !rc && i < options->word_count; i++)
		rc = call_one(options, link, options->words[i], exit_code, fail);
	cl_link_close(link);
	return rc;
}
