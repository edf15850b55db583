#include "server/jobs/model/run_phase.h"

#include "proto/base/assert.h"

#define BIT(phase) (1U << SV_PHASE_##phase)

/* Where each phase may lead. */
static const unsigned arrows[] = {
	[SV_PHASE_REST] = BIT(SUBMITTING) | BIT(CHANGING) | BIT(SEARCHING),
	[SV_PHASE_SUBMITTING] = BIT(REST),
	[SV_PHASE_CHANGING] = BIT(REST) | BIT(REMOVED),
	[SV_PHASE_SEARCHING] = BIT(ENDING) | BIT(BROKEN) | BIT(CLOSING) | BIT(REST),
	[SV_PHASE_ENDING] = BIT(BROKEN) | BIT(CLOSING) | BIT(REST),
	[SV_PHASE_CLOSING] = BIT(REST) | BIT(BROKEN),
	[SV_PHASE_BROKEN] = BIT(CLOSING),
	[SV_PHASE_REMOVED] = 0,
};

bool sv_phase_arrow(enum sv_phase from, enum sv_phase to)
{
	PD_ASSERT(from <= SV_PHASE_REMOVED && to <= SV_PHASE_REMOVED);
	return arrows[from] >> to & 1;
}

bool sv_phase_owned(enum sv_phase phase)
{
	return phase >= SV_PHASE_SEARCHING && phase <= SV_PHASE_BROKEN;
}
