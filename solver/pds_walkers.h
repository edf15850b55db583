/* Walkers: several searches of the PDS family (pds.h) that take turns on one search thread.
 *
 * They share transposition table, cache, level-2 tree and fact buffer. They see each other as threads do (group.h): by
 * virtual proof numbers, and by the positions that one of them solves. A search that has gone into a hard part of the
 * tree then keeps no other from an easier one, which shortens the longest searches. A walker hands over after each leaf
 * that level 2 has evaluated, so a search repeats node for node (P4). */
#pragma once

#include "solver/engine.h"

/* An engine of `count` searches, each made by `create`; at least 2. NULL when memory cannot be had. */
struct pn_engine *pds_walkers_create(const struct pn_engine_setup *setup, unsigned count,
				     struct pn_engine *(*create)(const struct pn_engine_setup *setup));
