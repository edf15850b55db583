#include "server/proofs/answers/proof_tree_print.h"

#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/board_picture.h"

static const char *const kinds[] = {[SV_TREE_END] = "end",
				    [SV_TREE_MOVE] = "move",
				    [SV_TREE_REPLIES] = "replies",
				    [SV_TREE_LEAF] = "leaf",
				    [SV_TREE_ASIDE] = "aside"};

/* A position of the tree, aligned as the rules require. */
struct position {
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
};

static void state_of(const struct sv_tree *tree, uint32_t index, struct position *out)
{
	size_t size = tree->game->state_size;
	PD_ASSERT(index < tree->count && size <= sizeof out->state);
	memcpy(out->state, tree->states.data + index * size, size);
}

static const struct sv_tree_edge *edge_at(const struct sv_tree *tree, uint32_t index)
{
	PD_ASSERT(index < tree->edges.size / sizeof(struct sv_tree_edge));
	return (const struct sv_tree_edge *)(const void *)tree->edges.data + index;
}

/* The reason that is reported of a node; NULL: none. Of two reasons it is the one with the larger rank, except for an
 * aside that one side wins: then it is the winner's, as in fact.query. */
static const struct pd_reason *reported_reason(const struct game *g, const struct sv_tree_node *node)
{
	bool aside = node->kind == SV_TREE_ASIDE;
	const struct pd_reason *lo = (aside ? node->lo > g->value_min : node->has_lo) ? &node->lower : NULL;
	const struct pd_reason *hi = (aside ? node->hi < g->value_max : node->has_hi) ? &node->upper : NULL;
	if (!lo || !hi)
		return lo ? lo : hi;
	if (aside && (node->lo > 0 || node->hi < 0))
		return node->lo > 0 ? lo : hi;
	return lo->rank > hi->rank ? lo : hi;
}

/* The effort that is reported: of an aside that of its reason, else the larger one of the reasons in the proof. */
static uint32_t effort_of(const struct sv_tree_node *node, const struct pd_reason *reason)
{
	if (node->over || !reason)
		return 0;
	if (node->kind == SV_TREE_ASIDE)
		return reason->effort;
	uint32_t lo = node->has_lo ? node->lower.effort : 0, hi = node->has_hi ? node->upper.effort : 0;
	return lo > hi ? lo : hi;
}

static void print_known(const struct sv_tree *tree, const struct sv_tree_node *node, struct pr_out *out)
{
	const struct game *g = tree->game;
	char words[64];
	const struct pd_reason *reason = reported_reason(g, node);
	unsigned rank = node->over ? 0 : reason ? reason->rank : PD_RANK_NONE;
	game_value_text(game_words(g), game_scale(g), (struct game_interval){node->lo, node->hi}, words, sizeof words);
	pr_members(out, PR_I("lo", node->lo), PR_I("hi", node->hi), PR_S("text", words),
		   PR_S("source", node->over ? "rules"
				  : reason   ? "fact"
					     : "none"),
		   PR_IF(node->has_lo, PR_I("lower", node->lower.bound)),
		   PR_IF(node->has_hi, PR_I("upper", node->upper.bound)),
		   PR_IF(rank != PD_RANK_NONE, PR_U("rank", rank)), PR_U("effort", effort_of(node, reason)));
}

static void print_node(const struct sv_tree *tree, uint32_t index, const char *notation, struct pr_out *out)
{
	const struct game *g = tree->game;
	const struct sv_tree_node *node = sv_tree_node(tree, index);
	struct position p;
	struct game_told told[2];
	char text[GAME_TEXT_MAX];
	state_of(tree, index, &p);
	pr_open_object(out, NULL);
	pr_members(out, PR_U("id", index), PR_S("position", tree->texts.data + node->text), PR_U("depth", node->depth),
		   PR_S("kind", kinds[node->kind]),
		   PR_IF(!node->over, PR_B("first_to_move", g->rules->first_to_move(g, p.state))));
	print_known(tree, node, out);
	pr_open_array(out, "moves");
	for (uint32_t i = 0; i < node->edges; i++) {
		const struct sv_tree_edge *edge = edge_at(tree, node->first_edge + i);
		game_move_text(g, p.state, edge->move, notation, text, sizeof text);
		pr_members(out, PR_OPEN_OBJECT(NULL), PR_S("move", text), PR_U("to", edge->to),
			   PR_B("proof", edge->proof), PR_CLOSE);
	}
	pr_close(out);
	sv_theorems_print(g, told, sv_tree_theorems(g, p.state, node, told), out);
	pr_uint(out, "more", node->more);
	pr_close(out);
}

void sv_tree_print(const struct sv_tree *tree, const char *notation, struct pr_out *out)
{
	PD_ASSERT(tree->count);
	pr_members(out, PR_S("claim", tree->claim.claim), PR_S("status", tree->claim.status));
	pr_open_array(out, "nodes");
	for (uint32_t i = 0; i < tree->count; i++)
		print_node(tree, i, notation, out);
	pr_close(out);
	pr_uint(out, "more", tree->more);
}

/* --- Graphviz ----------------------------------------------------------------------------- */

/* Escapes a text for a string in quotes. Its lines are aligned to the left. */
static void put_quoted(struct pd_buf *out, const char *text)
{
	for (const char *at = text; *at; at++)
		if (*at == '\n')
			pd_buf_puts(out, "\\l");
		else if (*at == '"' || *at == '\\')
			pd_buf_printf(out, "\\%c", *at);
		else
			pd_buf_put(out, at, 1);
}

/* Light colours, which also differ in lightness. */
static const char *colour_of(const struct sv_tree_node *node)
{
	if (node->lo > 0)
		return "#cfe3f7";
	if (node->hi < 0)
		return "#f6b98f";
	return node->lo == 0 && node->hi == 0 ? "#eeeeee" : "#ffffff";
}

static void dot_node(const struct sv_tree *tree, uint32_t index, bool boards, struct pd_buf *out)
{
	const struct game *g = tree->game;
	const struct sv_tree_node *node = sv_tree_node(tree, index);
	const struct pd_reason *reason = reported_reason(g, node);
	struct position p;
	struct game_told told[2];
	char text[GAME_TEXT_MAX], words[64];
	state_of(tree, index, &p);
	if (boards)
		game_picture(g, p.state, text, sizeof text);
	game_value_text(game_words(g), game_scale(g), (struct game_interval){node->lo, node->hi}, words, sizeof words);
	pd_buf_printf(out, "  n%u [label=\"", index);
	put_quoted(out, boards ? text : tree->texts.data + node->text);
	pd_buf_puts(out, boards ? "" : "\\l");
	put_quoted(out, words);
	if (!node->over && reason && reason->rank != PD_RANK_NONE)
		pd_buf_printf(out, ", %u", reason->rank);
	unsigned theorems = sv_tree_theorems(g, p.state, node, told);
	for (unsigned i = 0; i < theorems; i++)
		pd_buf_printf(out, "\\ltheorem %u", told[i].theorem.number);
	if (node->kind == SV_TREE_LEAF && !theorems)
		pd_buf_printf(out, "\\lsearch of %lu nodes", (unsigned long)effort_of(node, reason));
	pd_buf_printf(out, "\\l\", fillcolor=\"%s\"%s%s];\n", colour_of(node),
		      !node->over && !g->rules->first_to_move(g, p.state) ? ", shape=ellipse" : "",
		      node->kind == SV_TREE_LEAF    ? ", style=\"filled,dashed\""
		      : node->kind == SV_TREE_ASIDE ? ", style=\"filled,dotted\""
		      : node->kind == SV_TREE_END   ? ", peripheries=2"
						    : "");
	if (node->more)
		pd_buf_printf(out,
			      "  m%u [label=\"%u more\", shape=plaintext, style=\"\"];\n  n%u -> m%u [style=dashed];\n",
			      index, node->more, index, index);
}

static void dot_edges(const struct sv_tree *tree, uint32_t index, const char *notation, struct pd_buf *out)
{
	const struct game *g = tree->game;
	const struct sv_tree_node *node = sv_tree_node(tree, index);
	struct position p;
	char text[GAME_TEXT_MAX];
	state_of(tree, index, &p);
	for (uint32_t i = 0; i < node->edges; i++) {
		const struct sv_tree_edge *edge = edge_at(tree, node->first_edge + i);
		game_move_text(g, p.state, edge->move, notation, text, sizeof text);
		pd_buf_printf(out, "  n%u -> n%u [label=\"", index, edge->to);
		put_quoted(out, text);
		pd_buf_printf(out, "\"%s];\n", edge->proof ? "" : ", style=dotted");
	}
}

void sv_tree_dot(const struct sv_tree *tree, const char *notation, bool boards, struct pd_buf *out)
{
	PD_ASSERT(tree->count);
	pd_buf_puts(out, "digraph proof {\n  graph [labelloc=t, label=\"");
	put_quoted(out, tree->game->name);
	pd_buf_printf(out, ", %s: %s\"];\n", tree->claim.claim, tree->claim.status);
	pd_buf_puts(out, "  node [shape=box, style=filled, fontname=\"monospace\", fontsize=10];\n"
			 "  edge [fontname=\"sans-serif\", fontsize=10];\n");
	for (uint32_t i = 0; i < tree->count; i++)
		dot_node(tree, i, boards, out);
	for (uint32_t i = 0; i < tree->count; i++)
		dot_edges(tree, i, notation, out);
	pd_buf_puts(out, "}\n");
}
