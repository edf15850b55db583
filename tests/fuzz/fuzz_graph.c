/* Graph files: text that is no graph is refused with a place; a graph opens as a game, and every node can be reached by
 * its name and walked from. */
#include <string.h>

#include "proto/graph_json.h"
#include "solver/board.h"
#include "solver/game.h"
#include "tests/fuzz/fuzz.h"

enum { NODES_WALKED = 200 };

static struct pd_graph *parsed;

static int give(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail)
{
	(void)ctx, (void)name, (void)fail;
	*out = parsed;
	parsed = NULL;
	return PD_OK;
}

static void walk(const struct game *g, const char *name)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX], child[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX];
	char text[GAME_TEXT_MAX];
	struct pd_fail fail;
	int value;
	FUZZ_CHECK(!g->rules->parse(g, name, state, &fail));
	FUZZ_CHECK(g->rules->print(g, state, text, sizeof text) < sizeof text && !strcmp(text, name));
	game_picture(g, state, text, sizeof text);
	unsigned count = g->rules->moves(g, state, moves);
	FUZZ_CHECK(count <= g->moves_max && g->rules->terminal(g, state, &value) == !count);
	for (unsigned i = 0; i < count && i < NODES_WALKED; i++) {
		memcpy(child, state, g->state_size);
		g->rules->play(g, child, moves[i]);
		FUZZ_CHECK(g->rules->print(g, child, text, sizeof text) < sizeof text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct game_host host = {NULL, give};
	char *names[NODES_WALKED];
	unsigned count = 0;
	struct pd_fail fail = {0};
	struct game *g;
	int rc = pr_graph_parse((const char *)data, size, &parsed, &fail);
	if (rc) {
		FUZZ_CHECK(fail.code == rc && fail.text[0]);
		return 0;
	}
	for (; count < parsed->node_count && count < NODES_WALKED; count++)
		FUZZ_CHECK(names[count] = strdup(parsed->nodes[count].name));
	if (!game_open("andor:fuzz", &host, &g, &fail)) {
		for (unsigned i = 0; i < count; i++)
			walk(g, names[i]);
		game_close(g);
	}
	while (count)
		free(names[--count]);
	return 0;
}
