/* Proof methods: certificates made and read, proofs shown as trees. */
#include "server/api/methods.h"

#include "proto/base/assert.h"
#include "server/api/session_state.h"
#include "server/common/core_parts.h"
#include "server/common/open_games.h"
#include "server/common/position.h"
#include "server/proofs/certificates/citation.h"
#include "server/proofs/certificates/proof.h"
#include "solver/games/board_picture.h"
#include "server/proofs/certificates/proof_verify.h"
#include "server/proofs/answers/proof_tree_print.h"
#include "store/store.h"

enum { DOT_BYTES_MAX = 14 << 20, DOT_NODE_BYTES = 200 };

/* Other clients may use an export: it continues when its client leaves, and when its client cancels it while another
 * one waits for the same export. */
static bool export_wanted(void *ctx)
{
	struct sv_request *r = ctx;
	return !sv_read_request_cancelled(r->core, r->queued) || sv_read_request_awaited(r->core, SV_PROOFS, r->queued);
}

int sv_method_proof_export(struct sv_request *r)
{
	PD_ASSERT(!r->on_loop);
	return sv_proof_export(r->core, r->params, export_wanted, r, &r->json, &r->fail);
}

int sv_method_proof_cancel(struct sv_request *r)
{
	PD_ASSERT(r->on_loop);
	unsigned count = r->session ? sv_read_queues_cancel(r->core, &r->session->client) : 0;
	pd_buf_printf(&r->json, "{\"cancelled\":%u}", count);
	return PD_OK;
}

int sv_method_proof_read(struct sv_request *r)
{
	PD_ASSERT(!r->on_loop);
	return sv_proof_read(r->core, r->params, sv_request_wanted, r, &r->json, &r->fail);
}

int sv_method_proof_cite(struct sv_request *r)
{
	PD_ASSERT(!r->on_loop);
	return sv_proof_cite(r->core, r->params, sv_request_wanted, r, &r->json, &r->fail);
}

int sv_method_proof_list(struct sv_request *r)
{
	PD_ASSERT(!r->on_loop);
	unsigned waiting = sv_read_queue_waiting(r->core, SV_PROOFS);
	return sv_proof_list(r->core, r->params, waiting, &r->json, &r->fail);
}

int sv_method_proof_remove(struct sv_request *r)
{
	PD_ASSERT(!r->on_loop);
	return sv_proof_remove(r->core, r->params, &r->json, &r->fail);
}

int sv_method_proof_verify(struct sv_request *r)
{
	PD_ASSERT(!r->on_loop);
	return sv_proof_verify(r->core, r->params, sv_request_wanted, r, &r->json, &r->fail);
}

static int print_tree(struct sv_request *r, const struct sv_tree *tree, const char *notation)
{
	const char *dot = pr_get_str(r->params, "dot", NULL);
	struct pd_buf graph;
	int rc = PD_OK;
	pr_members(&r->out, PR_OPEN_OBJECT(NULL), PR_S("game", tree->game->name));
	sv_tree_print(tree, notation, &r->out);
	if (dot) {
		pd_buf_init(&graph, DOT_BYTES_MAX);
		sv_tree_dot(tree, notation, !strcmp(dot, "boards"), &graph);
		if (graph.failed)
			rc = pd_fail_set(&r->fail, PD_E_LIMIT, "nodes_max",
					 "the graph would be too long; ask for fewer nodes");
		else
			pr_strn(&r->out, "dot", graph.data, graph.size);
		pd_buf_fini(&graph);
	}
	pr_close(&r->out);
	return rc;
}

/* About how many bytes `dot` adds to a node, estimated from the root. */
static size_t dot_bytes(const struct sv_request *r, const struct game *game, const void *root)
{
	const char *dot = pr_get_str(r->params, "dot", NULL);
	char text[GAME_TEXT_MAX];
	if (!dot)
		return 0;
	size_t picture = strcmp(dot, "boards") ? game->rules->print(game, root, text, sizeof text)
					       : game_picture(game, root, text, sizeof text);
	return DOT_NODE_BYTES + picture + picture / 4;
}

static int make_tree(struct sv_request *r, struct game *game)
{
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
	const char *notation;
	struct st_reader *reader;
	struct sv_tree tree;
	int rc = sv_position_notation(game, r->params, &notation, &r->fail);
	rc = rc ? rc : sv_position_read(game, r->params, root, NULL, &r->fail);
	rc = rc ? rc : sv_request_reader(r, &reader);
	if (rc)
		return rc;
	const struct sv_tree_order order = {
		.reader = reader,
		.game_id = st_game_find(sv_store(r->core), game->name, game_version(game)),
		.game = game,
		.state = root,
		.claim = pr_get_str(r->params, "claim", NULL),
		.depth = (unsigned)pr_get_int(r->params, "depth", PR_PROOF_DEPTH),
		.nodes = (unsigned)pr_get_int(r->params, "nodes_max", PR_PROOF_NODES),
		.node_bytes = dot_bytes(r, game, root),
		.all = pr_get_bool(r->params, "all", false),
		.go_on = sv_request_wanted,
		.ctx = r,
	};
	rc = sv_tree_make(&order, &tree, &r->fail);
	rc = rc ? rc : print_tree(r, &tree, notation);
	sv_tree_fini(&tree);
	return rc;
}

int sv_method_proof_tree(struct sv_request *r)
{
	struct game *game;
	PD_ASSERT(!r->on_loop);
	int rc = sv_game_get(r->core, pr_get_str(r->params, "game", ""), &game, &r->fail);
	if (rc)
		return rc;
	rc = make_tree(r, game);
	sv_game_put(r->core, game);
	return rc;
}
