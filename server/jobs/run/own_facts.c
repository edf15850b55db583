#include "server/jobs/run/own_facts.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/hash.h"

enum {
	NODES_LEAST = 1 << 14, /* level-1 nodes between two barriers, while a run is young */
	NODES_MOST = 1 << 19,  /* the same, later: about half a second of search */
	LEVEL2_FACTOR = 16,
	RUN_SHARE = 16,     /* the nodes of a run divided by this are the gap between two barriers */
	NODES_PER_WORD = 4, /* nodes of a gap for each word; a filter covers two gaps, so it has 8 bits a node */
	WORDS_MOST = NODES_MOST / NODES_PER_WORD
};

/* Empties a filter and sizes it for what is found in twice that many nodes. A small filter stays in the processor's
 * caches. */
static void size_filter(struct sv_own_filter *filter, uint64_t nodes)
{
	uint64_t words = 1;
	for (filter->shift = 64; words < nodes / NODES_PER_WORD; words *= 2)
		filter->shift--;
	PD_ASSERT(words > 1 && words <= WORDS_MOST);
	memset(filter->words, 0, words * sizeof *filter->words);
}

bool sv_own_facts_init(struct sv_own_facts *own, bool level2)
{
	*own = (struct sv_own_facts){.factor = level2 ? LEVEL2_FACTOR : 1};
	own->due = (uint64_t)NODES_LEAST * own->factor;
	own->found.words = malloc(WORDS_MOST * sizeof *own->found.words);
	own->taken.words = malloc(WORDS_MOST * sizeof *own->taken.words);
	if (!own->found.words || !own->taken.words)
		return false;
	size_filter(&own->found, NODES_LEAST);
	size_filter(&own->taken, NODES_LEAST);
	return true;
}

void sv_own_facts_fini(struct sv_own_facts *own)
{
	free(own->found.words);
	free(own->taken.words);
	*own = (struct sv_own_facts){0};
}

/* Three bits of one word. The hash has no seed, so it is the same in each repetition of a search. */
static uint64_t *place_of(const struct sv_own_filter *filter, uint64_t hash, uint64_t *bits)
{
	*bits = UINT64_C(1) << (hash & 63) | UINT64_C(1) << (hash >> 6 & 63) | UINT64_C(1) << (hash >> 12 & 63);
	return &filter->words[hash >> filter->shift];
}

static bool has_place(const struct sv_own_filter *filter, uint64_t hash)
{
	uint64_t bits, word = *place_of(filter, hash, &bits);
	return (word & bits) == bits;
}

void sv_own_facts_add(struct sv_own_facts *own, const uint8_t *key, size_t size)
{
	uint64_t bits;
	*place_of(&own->found, pd_hash64(key, size), &bits) |= bits;
}

bool sv_own_facts_hide(const struct sv_own_facts *own, const uint8_t *key, size_t size)
{
	uint64_t hash = pd_hash64(key, size);
	return has_place(&own->found, hash) || has_place(&own->taken, hash);
}

void sv_own_facts_pass(struct sv_own_facts *own, uint64_t nodes)
{
	struct sv_own_filter passed = own->taken;
	uint64_t gap = nodes / own->factor / RUN_SHARE;
	PD_ASSERT(nodes >= own->due);
	gap = gap < NODES_LEAST ? NODES_LEAST : gap < NODES_MOST ? gap : NODES_MOST;
	if (own->writing) {
		size_filter(&own->taken, NODES_LEAST);
	} else {
		own->taken = own->found;
		own->found = passed;
		size_filter(&own->found, gap);
	}
	own->writing = !own->writing;
	own->due = nodes + gap * own->factor;
}
