/* Writes a large AND/OR graph in the format of lines (proto/GRAPH.md), and computes what it is worth:
 * bench graph LAYERS WIDTH CHILDREN SEED FILE.
 *
 * Behind the root n0 are LAYERS layers of WIDTH nodes. A node's children are different random nodes of the next layer;
 * First moves in the root, and the sides take turns. The nodes of the last layer are ends, won by First with the
 * probability that, in a tree, all other nodes of his have as well: neither side is favoured. Children follow
 * from the seed by a hash, so none is stored, and values are computed from the last layer back, a byte a node.
 *
 * Prints JSON: nodes, edges, and the root's value. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/program.h"
#include "tests/support/walk.h"

enum { CHILDREN_MAX = 64 };

struct plan {
	uint32_t layers, width, children;
	uint64_t seed;
};

/* Nodes are numbered layer by layer; the root is 0. */
static uint32_t first_of(const struct plan *p, uint32_t layer)
{
	return layer ? 1 + (layer - 1) * p->width : 0;
}

static void children_of(const struct plan *p, uint32_t node, uint32_t layer, uint32_t out[CHILDREN_MAX])
{
	uint64_t random = p->seed * UINT64_C(0x9e3779b97f4a7c15) + node;
	for (uint32_t k = 0; k < p->children; k++) {
		uint32_t child, j = 0;
		do {
			child = first_of(p, layer + 1) + walk_below(&random, p->width);
			for (j = 0; j < k && out[j] != child; j++)
				;
		} while (j < k);
		out[k] = child;
	}
}

/* The probability p with p = 1 - (1 - p^c)^c: a win at c moves of First whose c answers are all wins. */
static double open_share(double c)
{
	double low = 1e-6, high = 1 - 1e-6;
	for (int i = 0; i < 100; i++) {
		double p = (low + high) / 2;
		if (1 - pow(1 - pow(p, c), c) > p)
			high = p;
		else
			low = p;
	}
	return low;
}

/* Ends in the place of OR nodes are wins with that probability, in the place of AND nodes losses. */
static bool end_is_win(const struct plan *p, uint32_t node, double share)
{
	uint64_t random = ~p->seed * UINT64_C(0x9e3779b97f4a7c15) + node;
	bool hit = (double)(walk_random(&random) >> 11) < share * 0x1p53;
	return p->layers % 2 == 0 ? hit : !hit;
}

static void find_values(const struct plan *p, uint8_t *value)
{
	uint32_t child[CHILDREN_MAX];
	double share = open_share(p->children);
	for (uint32_t i = 0; i < p->width; i++)
		value[first_of(p, p->layers) + i] = end_is_win(p, first_of(p, p->layers) + i, share);
	for (uint32_t layer = p->layers; layer-- > 0;)
		for (uint32_t i = 0; i < (layer ? p->width : 1); i++) {
			uint32_t node = first_of(p, layer);
			bool first = layer % 2 == 0, win = !first;
			children_of(p, node + i, layer, child);
			for (uint32_t k = 0; k < p->children && win != first; k++)
				win = value[child[k]];
			value[node + i] = win;
		}
}

static void write_graph(const struct plan *p, const uint8_t *value, FILE *out)
{
	uint32_t child[CHILDREN_MAX];
	for (uint32_t layer = 0; layer <= p->layers; layer++)
		for (uint32_t i = 0; i < (layer ? p->width : 1); i++) {
			uint32_t node = first_of(p, layer) + i;
			if (layer == p->layers) {
				fprintf(out, "n%" PRIu32 " = %d\n", node, value[node] ? 1 : -1);
				continue;
			}
			children_of(p, node, layer, child);
			fprintf(out, "n%" PRIu32 " %s", node, layer % 2 ? "and" : "or");
			for (uint32_t k = 0; k < p->children; k++)
				fprintf(out, " n%" PRIu32, child[k]);
			fputc('\n', out);
		}
}

static uint64_t parse_number(const char *text, uint64_t least, uint64_t most)
{
	char *end;
	errno = 0;
	uint64_t n = strtoull(text, &end, 10);
	if (errno || *end || n < least || n > most) {
		fprintf(stderr, "%s is no number from %" PRIu64 " to %" PRIu64 "\n", text, least, most);
		exit(2);
	}
	return n;
}

PROGRAM(graph)
{
	if (argc != 6) {
		fprintf(stderr, "usage: bench graph LAYERS WIDTH CHILDREN SEED FILE\n");
		return 2;
	}
	struct plan p = {.layers = (uint32_t)parse_number(argv[1], 1, 1000),
			 .width = (uint32_t)parse_number(argv[2], 1, UINT32_C(200000000)),
			 .children = (uint32_t)parse_number(argv[3], 1, CHILDREN_MAX),
			 .seed = parse_number(argv[4], 0, UINT64_MAX)};
	uint64_t nodes = 1 + (uint64_t)p.layers * p.width;
	uint64_t edges = p.children * (1 + (uint64_t)(p.layers - 1) * p.width);
	if (p.children > p.width || nodes > UINT64_C(268435454)) {
		fprintf(stderr,
			"a layer has at least as many nodes as a node has children, and all have at most 2^28 - 2\n");
		return 2;
	}
	uint8_t *value = malloc(nodes);
	FILE *out = fopen(argv[5], "w");
	if (!value || !out) {
		perror(argv[5]);
		return 1;
	}
	find_values(&p, value);
	write_graph(&p, value, out);
	if (ferror(out) | fclose(out)) {
		perror(argv[5]);
		return 1;
	}
	printf("{\"nodes\": %" PRIu64 ", \"edges\": %" PRIu64 ", \"value\": %d}\n", nodes, edges, value[0] ? 1 : -1);
	free(value);
	return 0;
}
