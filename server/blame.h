/* Blame: whose fault a contradiction between two facts is.
 *
 * A fact that a worker gave may be false; so may one that a search of this server derived from facts of workers. So
 * where a worker gave one of two facts that contradict each other, that fact is searched again. Unless the search
 * confirms it, its worker lied. If it is confirmed, the other fact rests on a lie, and nobody knows whose: what all
 * workers gave is retracted, at most SC_RETRACTIONS_MAX times before an hour passes without a lie, because otherwise a
 * fault of the search itself would make the server start again and again. */
#pragma once

#include "server/jobs/model/job_hooks.h"

/* Records who lied (lies.h). True: facts will be retracted, and the contradiction may go with them. On the writer's
 * thread, for up to some seconds. */
bool sv_blame(struct sv_core *core, const struct sv_conflict *what);
