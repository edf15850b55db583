/* Graph files, in JSON and in lines: text that is no graph is refused with a place; a graph is the same in both formats
 * and opens as a game, and every node can be reached by its name and walked from. */
#include <string.h>

#include "proto/graph_file.h"
#include "solver/games/board_picture.h"
#include "solver/games/game.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/graph.h"

enum { NODES_WALKED = 200 };

static struct pd_graph *parsed;

static int give_graph(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail)
{
	*out = parsed;
	parsed = NULL;
	return PD_OK;
}

static void walk_graph(const struct game *g, const char *name)
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

/* Prints the graph in one of the formats and reads it again. */
static void read_again(bool (*print)(const struct pd_graph *, struct pd_buf *))
{
	struct pd_graph *again;
	struct pd_buf text;
	struct pd_fail fail;
	pd_buf_init(&text, PR_GRAPH_JSON_BYTES_MAX);
	if (print(parsed, &text)) {
		FUZZ_CHECK(!pr_graph_parse(text.data, text.size, &again, &fail));
		FUZZ_CHECK(graph_equal(parsed, again));
		pd_graph_free(again);
	}
	pd_buf_fini(&text);
}

/* Reads text in pieces of a few bytes, and compares. */
struct pieces {
	const uint8_t *data;
	size_t size, at;
};

static int read_piece(void *ctx, bool again, char *to, size_t size, size_t *got, struct pd_fail *fail)
{
	struct pieces *p = ctx;
	p->at = again ? 0 : p->at;
	size_t most = 1 + p->at % 7, left = p->size - p->at;
	*got = most < size ? most : size;
	*got = *got < left ? *got : left;
	memcpy(to, p->data + p->at, *got);
	p->at += *got;
	return PD_OK;
}

static void read_in_pieces(const uint8_t *data, size_t size, bool lines)
{
	struct pieces pieces = {data, size, 0};
	struct pr_graph_source source = {.read = read_piece, .ctx = &pieces};
	struct pd_graph *again;
	struct pd_fail fail;
	int rc = pr_graph_lines_read(&source, &again, &fail);
	FUZZ_CHECK(!lines || !rc == (parsed != NULL));
	if (rc)
		return;
	FUZZ_CHECK(!lines || graph_equal(parsed, again));
	pd_graph_free(again);
}

FUZZ(graph)
{
	static const struct game_host host = {NULL, give_graph};
	char *names[NODES_WALKED];
	unsigned count = 0;
	struct pd_fail fail = {0};
	struct game *g;
	parsed = NULL;
	int rc = pr_graph_parse((const char *)data, size, &parsed, &fail);
	size_t blanks = 0;
	while (blanks < size && strchr(" \t\r\n", data[blanks]) && data[blanks])
		blanks++;
	read_in_pieces(data, size, blanks == size || data[blanks] != '{');
	if (rc) {
		FUZZ_CHECK(fail.code == rc && fail.text[0]);
		return 0;
	}
	read_again(graph_print_lines);
	read_again(graph_print_json);
	for (; count < parsed->node_count && count < NODES_WALKED; count++)
		FUZZ_CHECK(names[count] = strdup(pd_graph_name(parsed, count)));
	if (!game_open("andor:fuzz", &host, &g, &fail)) {
		for (unsigned i = 0; i < count; i++)
			walk_graph(g, names[i]);
		game_close(g);
	}
	while (count)
		free(names[--count]);
	return 0;
}
