#include "server/cluster/desk.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/mutex.h"
#include "proto/cluster/wire.h"
#include "server/cluster/desk_slots.h"
#include "server/cluster/dispatch.h"
#include "server/cluster/state.h"

static struct sv_desk *new_desk(unsigned slots)
{
	struct sv_desk *d = calloc(1, sizeof *d + slots * sizeof *d->slot);
	unsigned *lists = calloc(3 * (size_t)slots, sizeof *lists);
	if (!d || !lists) {
		free(lists);
		free(d);
		return NULL;
	}
	pd_mutex_init(&d->lock, PD_LOCK_DESK);
	pd_cond_init(&d->arrived);
	d->touched.at = lists;
	d->changed.at = lists + slots;
	d->ready.at = lists + 2 * slots;
	d->slots_max = slots;
	return d;
}

int sv_desk_open(struct sv_cluster *cluster, const struct sv_desk_setup *setup, struct sv_desk **out,
		 struct pd_fail *fail)
{
	PD_ASSERT(setup->slots_max);
	struct sv_desk *d = new_desk(setup->slots_max);
	if (!d)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a job's leaves on other machines");
	int rc = sc_games_get(&cluster->games, setup->game->name, setup->rules, &d->game, fail);
	if (rc) {
		sc_desk_free(d);
		return rc;
	}
	d->cluster = cluster;
	d->options = (setup->weak ? CW_WEAK : 0) | (setup->mobility ? CW_MOBILITY : 0) |
		     (setup->heuristics ? CW_HEURISTICS : 0) | (setup->knowledge ? CW_KNOWLEDGE : 0);
	d->seed = setup->seed;
	d->prompt = setup->prompt;
	atomic_init(&d->priority, setup->priority);
	atomic_init(&d->wanted, 0);
	for (unsigned i = 0; i < d->slots_max; i++)
		atomic_init(&d->slot[i].worker, 0);
	sc_tasks_init(&d->waiting);
	atomic_fetch_add(&cluster->desk_count, 1);
	sc_inbox_desk(&cluster->inbox, d, false);
	*out = d;
	return PD_OK;
}

void sv_desk_close(struct sv_desk *desk)
{
	if (!desk)
		return;
	sc_inbox_desk(&desk->cluster->inbox, desk, true);
}

void sv_desk_priority(struct sv_desk *desk, int priority)
{
	if (atomic_exchange(&desk->priority, priority) != priority)
		sc_inbox_desk(&desk->cluster->inbox, desk, false);
}

unsigned sv_desk_wanted(const struct sv_desk *desk)
{
	return atomic_load_explicit(&desk->wanted, memory_order_relaxed);
}

uint64_t sv_desk_grain(const struct sv_desk *desk)
{
	return atomic_load_explicit(&desk->game->grain, memory_order_relaxed);
}

static struct sc_slot *touch_slot(struct sv_desk *desk, unsigned index)
{
	PD_ASSERT(index < desk->slots_max);
	struct sc_slot *slot = &desk->slot[index];
	if (!slot->touched)
		desk->touched.at[desk->touched.count++] = index;
	slot->touched = true;
	return slot;
}

void sv_desk_post(struct sv_desk *desk, unsigned slot, const struct pn_leaf_task *task)
{
	struct sc_slot *s = touch_slot(desk, slot);
	PD_ASSERT(task->key_size && task->key_size <= GAME_KEY_MAX);
	s->mine = *task;
	s->out = true;
}

void sv_desk_cancel(struct sv_desk *desk, unsigned slot)
{
	touch_slot(desk, slot)->out = false;
}

void sv_desk_flush(struct sv_desk *desk)
{
	if (!desk->touched.count)
		return;
	pd_mutex_lock(&desk->lock);
	for (unsigned i = 0; i < desk->touched.count; i++) {
		struct sc_slot *slot = &desk->slot[desk->touched.at[i]];
		slot->touched = false;
		if (slot->out && (slot->wanted || slot->ready) && slot->posted.serial == slot->mine.serial)
			continue; /* cancelled and posted again, the same leaf */
		slot->posted = slot->mine;
		slot->wanted = slot->out;
		slot->ready = false;
		if (!slot->changed)
			desk->changed.at[desk->changed.count++] = desk->touched.at[i];
		slot->changed = true;
	}
	pd_mutex_unlock(&desk->lock);
	desk->touched.count = 0;
	if (!desk->prompt || !sc_dispatch_now(desk->cluster, desk))
		sc_inbox_desk(&desk->cluster->inbox, desk, false);
}

bool sv_desk_take(struct sv_desk *desk, struct sv_desk_result *out)
{
	bool taken = false;
	pd_mutex_lock(&desk->lock);
	while (desk->ready.count && !taken) {
		struct sc_slot *slot = &desk->slot[desk->ready.at[desk->ready.first]];
		desk->ready.first = (desk->ready.first + 1) % desk->slots_max;
		desk->ready.count--;
		slot->listed = false;
		taken = slot->ready && slot->out && slot->mine.serial == slot->result.leaf.serial;
		slot->ready = false;
		if (taken) {
			*out = slot->result;
			desk->takes++;
			desk->takes_ns += pd_now_ns() - slot->ready_ns;
			slot->out = false;
		}
	}
	pd_mutex_unlock(&desk->lock);
	return taken;
}

void sv_desk_wait(struct sv_desk *desk, uint64_t ns)
{
	uint64_t until_ns = pd_now_ns() + ns;
	pd_mutex_lock(&desk->lock);
	while (!desk->ready.count && pd_mutex_wait_until(&desk->lock, &desk->arrived, until_ns))
		;
	pd_mutex_unlock(&desk->lock);
}

void sv_desk_worker(const struct sv_desk *desk, unsigned slot, char out[64])
{
	PD_ASSERT(slot < desk->slots_max);
	uint64_t worker = atomic_load_explicit(&desk->slot[slot].worker, memory_order_relaxed);
	sc_board_name(&desk->cluster->board, worker, out);
}
