/* Events and known positions of the simulation. */
#include <stdlib.h>

#include "tests/bench/simulate.h"

/* --- events: a heap with the earliest on top ------------------------------------------------------- */

static bool before(const struct sim_event *a, const struct sim_event *b)
{
	return a->time < b->time || (a->time == b->time && a->order < b->order);
}

void sim_events_put(struct sim_events *events, const struct sim_event *event)
{
	if (events->count == events->room) {
		events->room = events->room ? 2 * events->room : 1024;
		events->heap = realloc(events->heap, events->room * sizeof *events->heap);
		if (!events->heap)
			sim_fail("events", "there is no memory for them");
	}
	struct sim_event e = *event;
	unsigned at = events->count++;
	e.order = ++events->order;
	for (; at && before(&e, &events->heap[(at - 1) / 2]); at = (at - 1) / 2)
		events->heap[at] = events->heap[(at - 1) / 2];
	events->heap[at] = e;
}

bool sim_events_take(struct sim_events *events, struct sim_event *out)
{
	if (!events->count)
		return false;
	*out = events->heap[0];
	struct sim_event last = events->heap[--events->count];
	unsigned at = 0, child;
	while ((child = 2 * at + 1) < events->count) {
		if (child + 1 < events->count && before(&events->heap[child + 1], &events->heap[child]))
			child++;
		if (!before(&events->heap[child], &last))
			break;
		events->heap[at] = events->heap[child];
		at = child;
	}
	events->heap[at] = last;
	return true;
}

/* --- known positions -------------------------------------------------------------------------------- */

void sim_known_init(struct sim_known *known, unsigned room)
{
	*known = (struct sim_known){.room = room};
	if (!room)
		return;
	known->item = malloc(room * sizeof *known->item);
	known->sorted = malloc(room * sizeof *known->sorted);
	if (!known->item || !known->sorted)
		sim_fail("known positions", "there is no memory for them");
}

void sim_known_fini(struct sim_known *known)
{
	free(known->item);
	free(known->sorted);
}

void sim_known_add(struct sim_known *known, unsigned machine, const struct pn_leaf_solved *solved)
{
	struct sim_known_item *item = &known->item[++known->last % known->room];
	*item = (struct sim_known_item){known->last, machine, *solved};
}

static int by_effort(const void *a, const void *b)
{
	const struct sim_known_item *x = *(const struct sim_known_item *const *)a,
				    *y = *(const struct sim_known_item *const *)b;
	if (x->solved.reason.effort != y->solved.reason.effort)
		return x->solved.reason.effort < y->solved.reason.effort ? 1 : -1;
	return (x->serial > y->serial) - (x->serial < y->serial);
}

unsigned sim_known_pick(struct sim_known *known, unsigned machine, uint64_t after,
			struct pn_leaf_solved out[PN_LEAF_SOLVED_MAX])
{
	unsigned count = 0;
	uint64_t first = known->last >= known->room ? known->last - known->room + 1 : 1;
	if (!known->room)
		return 0;
	for (uint64_t serial = after + 1 > first ? after + 1 : first; serial <= known->last; serial++) {
		const struct sim_known_item *item = &known->item[serial % known->room];
		if (item->machine != machine)
			known->sorted[count++] = item;
	}
	if (count > PN_LEAF_SOLVED_MAX)
		qsort(known->sorted, count, sizeof(const struct sim_known_item *), by_effort);
	count = count < PN_LEAF_SOLVED_MAX ? count : PN_LEAF_SOLVED_MAX;
	for (unsigned i = 0; i < count; i++)
		out[i] = known->sorted[i]->solved;
	return count;
}
