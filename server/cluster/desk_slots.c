#include "server/cluster/desk_slots.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/mutex.h"

void sc_desk_free(struct sv_desk *desk)
{
	pthread_cond_destroy(&desk->arrived);
	pd_mutex_fini(&desk->lock);
	free(desk->touched.at);
	free(desk);
}

bool sc_desk_deliver(struct sv_desk *desk, const struct sv_desk_result *result)
{
	pd_mutex_lock(&desk->lock);
	PD_ASSERT(result->slot < desk->slots_max);
	struct sc_slot *slot = &desk->slot[result->slot];
	bool waited = slot->wanted && slot->posted.serial == result->leaf.serial;
	if (waited) {
		slot->wanted = false;
		slot->result = *result;
		slot->ready = true;
		slot->ready_ns = pd_now_ns();
		if (!slot->listed) {
			PD_ASSERT(desk->ready.count < desk->slots_max);
			desk->ready.at[(desk->ready.first + desk->ready.count++) % desk->slots_max] = result->slot;
		}
		slot->listed = true;
		desk->delivered = true;
	}
	pd_mutex_unlock(&desk->lock);
	return waited;
}

void sc_desk_wake(struct sv_desk *desk)
{
	if (desk->delivered)
		pthread_cond_signal(&desk->arrived);
	desk->delivered = false;
}

unsigned sc_desk_take_back(struct sv_desk *desk, uint32_t giver, void (*again)(void *ctx, unsigned slot), void *ctx)
{
	unsigned unsearched = 0;
	pd_mutex_lock(&desk->lock);
	for (unsigned i = 0; i < desk->slots_max; i++) {
		struct sc_slot *slot = &desk->slot[i];
		if (!slot->ready || slot->result.leaf.giver != giver)
			continue;
		unsearched += slot->result.unsearched;
		slot->ready = false; /* it stays listed, and is passed over */
		slot->wanted = true;
		again(ctx, i);
	}
	pd_mutex_unlock(&desk->lock);
	return unsearched;
}
