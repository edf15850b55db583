#include "server/cluster/known.h"

#include <string.h>

#include "proto/base/assert.h"

void sc_known_add(struct sc_known *known, uint64_t worker, const struct cw_solved *solved)
{
	PD_ASSERT(solved->key_size <= GAME_KEY_MAX);
	struct sc_known_item *item = &known->item[++known->last % SC_KNOWN_MAX];
	*item = (struct sc_known_item){.serial = known->last, .worker = worker, .solved = *solved};
	memcpy(item->key, solved->key, solved->key_size);
	item->solved.key = item->key;
}

/* A heap with the item of least effort on top: moves the one at `at` down to where it belongs. */
static void sink_item(const struct sc_known_item **heap, unsigned count, unsigned at)
{
	const struct sc_known_item *item = heap[at];
	for (;;) {
		unsigned child = 2 * at + 1;
		if (child >= count)
			break;
		if (child + 1 < count && heap[child + 1]->solved.effort < heap[child]->solved.effort)
			child++;
		if (heap[child]->solved.effort >= item->solved.effort)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = item;
}

unsigned sc_known_pick(const struct sc_known *known, uint64_t worker, uint64_t after,
		       const struct sc_known_item *out[CW_SOLVED_MAX])
{
	unsigned count = 0;
	uint64_t first = known->last >= SC_KNOWN_MAX ? known->last - SC_KNOWN_MAX + 1 : 1;
	for (uint64_t serial = after + 1 > first ? after + 1 : first; serial <= known->last; serial++) {
		const struct sc_known_item *item = &known->item[serial % SC_KNOWN_MAX];
		PD_ASSERT(item->serial == serial);
		if (item->worker == worker)
			continue;
		if (count < CW_SOLVED_MAX) {
			out[count++] = item;
			for (unsigned i = count / 2; count == CW_SOLVED_MAX && i-- > 0;)
				sink_item(out, count, i);
		} else if (item->solved.effort > out[0]->solved.effort) {
			out[0] = item;
			sink_item(out, count, 0);
		}
	}
	return count;
}
