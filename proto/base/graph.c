/* The index is a hash table with open addressing. A slot is 0, or the node's index plus one with four bits of the
 * name's hash above, so that only one of sixteen other names is compared. The hash has a secret seed
 * (pd_bucket_hash), so that no file can make its names collide. */
#include "proto/base/graph.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/fail.h"
#include "proto/base/random.h"
#include "proto/base/utf8.h"

enum {
	INDEX_BITS = 28,
	INDEX_MASK = (1 << INDEX_BITS) - 1,
	SLOTS_MIN = 16,
	BATCH = 16 /* names looked up together */
};

bool pd_graph_is_name(const char *text, size_t size)
{
	const unsigned char *p = (const unsigned char *)text;
	if (!size || size > PD_GRAPH_NAME_MAX)
		return false;
	for (size_t i = 0; i < size;) {
		if (p[i] <= ' ' || p[i] == '/' || p[i] == 0x7f)
			return false;
		size_t bytes = pd_utf8_length(text + i, size - i);
		if (!bytes)
			return false;
		i += bytes;
	}
	return true;
}

/* Makes room for half as many items again, but at most `most` items in all. Returns the array; NULL when memory runs
 * out, and the array is then unchanged. */
static void *grow_array(void *array, size_t *room, size_t item, size_t most)
{
	size_t more = *room + *room / 2 + PD_GRAPH_NAME_MAX + 1;
	more = more < most ? more : most;
	void *larger = realloc(array, more * item);
	*room = larger ? more : *room;
	return larger;
}

int pd_graph_append(struct pd_graph *g, const char *name, size_t size)
{
	PD_ASSERT(size <= PD_GRAPH_NAME_MAX);
	if (g->node_count == PD_GRAPH_NODES_MAX || PD_GRAPH_NAMES_BYTES_MAX - g->names_size <= size)
		return PD_E_LIMIT;
	if (g->node_count == g->node_room) {
		void *larger = grow_array(g->nodes, &g->node_room, sizeof *g->nodes, PD_GRAPH_NODES_MAX);
		if (!larger)
			return PD_E_NO_MEMORY;
		g->nodes = larger;
	}
	/* Comparing may read PD_GRAPH_NAME_MAX bytes beyond the last name. */
	while (g->names_room < (size_t)g->names_size + size + 1 + PD_GRAPH_NAME_MAX) {
		char *larger = grow_array(g->names, &g->names_room, 1, SIZE_MAX);
		if (!larger)
			return PD_E_NO_MEMORY;
		g->names = larger;
	}
	g->nodes[g->node_count++] = (struct pd_graph_node){.name = g->names_size};
	memcpy(g->names + g->names_size, name, size);
	memset(g->names + g->names_size + size, 0, 1 + PD_GRAPH_NAME_MAX);
	g->names_size += (uint32_t)size + 1;
	return PD_OK;
}

int pd_graph_add_child(struct pd_graph *g, uint32_t child)
{
	if (g->child_count == PD_GRAPH_EDGES_MAX)
		return PD_E_LIMIT;
	if (g->child_count == g->child_room) {
		void *larger = grow_array(g->children, &g->child_room, sizeof *g->children, PD_GRAPH_EDGES_MAX);
		if (!larger)
			return PD_E_NO_MEMORY;
		g->children = larger;
	}
	g->children[g->child_count++] = child;
	return PD_OK;
}

static uint32_t tag_of(uint64_t hash)
{
	return (uint32_t)(hash >> (64 - (32 - INDEX_BITS))) << INDEX_BITS;
}

/* The slot of a name: the one that has it, or the free one where it belongs. */
static uint32_t *slot_of(const struct pd_graph *g, const char *name, size_t size, uint64_t hash)
{
	uint32_t at = (uint32_t)hash & g->slot_mask, tag = tag_of(hash);
	for (; g->slots[at]; at = (at + 1) & g->slot_mask) {
		if ((g->slots[at] ^ tag) >> INDEX_BITS)
			continue;
		const char *known = pd_graph_name(g, (g->slots[at] & INDEX_MASK) - 1);
		if (!memcmp(known, name, size) && !known[size])
			break;
	}
	PD_DEBUG_ASSERT(at <= g->slot_mask);
	return &g->slots[at];
}

/* Makes an index of `slots` slots, a power of two, for the nodes so far. */
static int make_index(struct pd_graph *g, uint32_t slots, uint32_t *at)
{
	uint32_t *fresh = calloc(slots, sizeof *fresh);
	PD_ASSERT(slots > g->node_count && !(slots & (slots - 1)));
	if (!fresh)
		return PD_E_NO_MEMORY;
	free(g->slots);
	g->slots = fresh;
	g->slot_mask = slots - 1;
	for (uint32_t i = 0; i < g->node_count; i++) {
		const char *name = pd_graph_name(g, i);
		size_t size = strlen(name);
		uint64_t hash = pd_bucket_hash(name, size);
		uint32_t *slot = slot_of(g, name, size, hash);
		if (*slot) {
			*at = i;
			return PD_E_CONFLICT;
		}
		*slot = tag_of(hash) | (i + 1);
	}
	return PD_OK;
}

/* At most three quarters of the slots may be in use. */
static bool is_full(uint32_t slots, uint32_t nodes)
{
	return slots - slots / 4 <= nodes;
}

int pd_graph_index(struct pd_graph *g, uint32_t *at)
{
	uint32_t slots = SLOTS_MIN;
	while (is_full(slots, g->node_count))
		slots *= 2;
	return make_index(g, slots, at);
}

int pd_graph_add(struct pd_graph *g, const char *name, size_t size)
{
	uint32_t at = 0;
	int rc = PD_OK;
	if (!g->slots || is_full(g->slot_mask + 1, g->node_count))
		rc = make_index(g, g->slots ? 2 * (g->slot_mask + 1) : SLOTS_MIN, &at);
	PD_ASSERT(rc != PD_E_CONFLICT && size <= PD_GRAPH_NAME_MAX);
	if (rc)
		return rc;
	uint64_t hash = pd_bucket_hash(name, size);
	uint32_t *slot = slot_of(g, name, size, hash);
	if (*slot)
		return PD_E_CONFLICT;
	rc = pd_graph_append(g, name, size);
	if (!rc)
		*slot = tag_of(hash) | g->node_count;
	return rc;
}

void pd_graph_find_all(const struct pd_graph *g, struct pd_graph_word *words, unsigned count)
{
	PD_DEBUG_ASSERT(g->slots);
	for (unsigned begin = 0; begin < count; begin += BATCH) {
		unsigned end = begin + BATCH < count ? begin + BATCH : count;
		for (unsigned i = begin; i < end; i++) {
			words[i].hash = pd_bucket_hash(words[i].text, words[i].size);
			__builtin_prefetch(&g->slots[(uint32_t)words[i].hash & g->slot_mask]);
		}
		for (unsigned i = begin; i < end; i++) {
			words[i].node = g->slots[(uint32_t)words[i].hash & g->slot_mask] & INDEX_MASK;
			__builtin_prefetch(&g->nodes[words[i].node ? words[i].node - 1 : 0]);
		}
		for (unsigned i = begin; i < end; i++)
			if (words[i].node)
				__builtin_prefetch(pd_graph_name(g, words[i].node - 1));
		for (unsigned i = begin; i < end; i++) {
			struct pd_graph_word *w = &words[i];
			bool possible = w->size && w->size <= PD_GRAPH_NAME_MAX && !memchr(w->text, 0, w->size);
			uint32_t found = possible ? *slot_of(g, w->text, w->size, w->hash) & INDEX_MASK : 0;
			w->node = found ? found - 1 : PD_GRAPH_NONE;
		}
	}
}

uint32_t pd_graph_find(const struct pd_graph *g, const char *name, size_t size)
{
	if (!size || size > PD_GRAPH_NAME_MAX || memchr(name, 0, size))
		return PD_GRAPH_NONE;
	uint32_t found = *slot_of(g, name, size, pd_bucket_hash(name, size)) & INDEX_MASK;
	return found ? found - 1 : PD_GRAPH_NONE;
}

static uint64_t mix_hash(uint64_t digest, uint64_t more)
{
	uint8_t bytes[16];
	pd_put_le64(bytes, digest);
	pd_put_le64(bytes + 8, more);
	return pd_hash64(bytes, sizeof bytes);
}

uint64_t pd_graph_digest(const struct pd_graph *g)
{
	uint64_t d = mix_hash(g->node_count, g->root);
	d = mix_hash(d, (uint64_t)(int64_t)g->value_min);
	d = mix_hash(d, (uint64_t)(int64_t)g->value_max);
	d = mix_hash(d, (uint64_t)(int64_t)g->infinite_value);
	for (uint32_t i = 0; i < g->node_count; i++) {
		const struct pd_graph_node *n = &g->nodes[i];
		const char *name = pd_graph_name(g, i);
		d = mix_hash(d, pd_hash64(name, strlen(name)));
		d = mix_hash(d, (uint64_t)n->count << 2 | (uint64_t)n->terminal << 1 | n->first_moves);
		d = mix_hash(d, (uint64_t)(int64_t)n->value);
		for (uint32_t k = 0; k < n->count; k++)
			d = mix_hash(d, g->children[n->child + k]);
	}
	return d;
}

/* An array that cannot be made smaller stays as it is. */
static void *shrink_array(void *array, size_t bytes)
{
	void *smaller = realloc(array, bytes ? bytes : 1);
	return smaller ? smaller : array;
}

void pd_graph_trim(struct pd_graph *g)
{
	g->node_room = g->node_count;
	g->child_room = g->child_count;
	g->names_room = (size_t)g->names_size + PD_GRAPH_NAME_MAX;
	g->nodes = shrink_array(g->nodes, g->node_room * sizeof *g->nodes);
	g->children = shrink_array(g->children, g->child_room * sizeof *g->children);
	g->names = shrink_array(g->names, g->names_room);
}

uint64_t pd_graph_bytes(const struct pd_graph *g)
{
	uint64_t slots = g->slots ? (uint64_t)g->slot_mask + 1 : 0;
	return sizeof *g + (uint64_t)g->node_count * sizeof *g->nodes + g->names_size +
	       ((uint64_t)g->child_count + slots) * sizeof(uint32_t);
}

void pd_graph_free(struct pd_graph *graph)
{
	if (!graph)
		return;
	free(graph->nodes);
	free(graph->children);
	free(graph->names);
	free(graph->slots);
	free(graph);
}
