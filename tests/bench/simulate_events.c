/* Events of the simulation. */
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
			sim_fail("memory", "there is not enough for the events to come");
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
