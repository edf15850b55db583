/* Read gate: see read_gate.h. */
#include "store/read_gate.h"

#include "proto/base/assert.h"
#include "proto/base/mutex.h"

void st_read_gate_init(struct st_read_gate *gate)
{
	pd_mutex_init(&gate->lock, PD_LOCK_READ_GATE);
	pthread_cond_init(&gate->opened, NULL);
	LIST_INIT(&gate->list);
	atomic_init(&gate->shut, false);
	atomic_init(&gate->repairing, false);
}

void st_read_gate_fini(struct st_read_gate *gate)
{
	PD_ASSERT(LIST_EMPTY(&gate->list)); /* an open read transaction would outlive its environment */
	pthread_cond_destroy(&gate->opened);
	pd_mutex_fini(&gate->lock);
}
