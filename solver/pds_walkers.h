/* Walkers: several searches of the PDS family (pds.h) that take turns on one search thread.
 *
 * They share transposition table, cache, level-2 tree and fact buffer. They see each other as threads do (group.h): by
 * virtual proof numbers, and by the positions that one of them solves. A search that has gone into a hard part of the
 * tree then keeps no other from an easier one, which shortens the longest searches. A walker hands over after each leaf
 * that level 2 has evaluated, so a search repeats node for node (P4).
 *
 * Dovetailing (option `dovetail`; after Hoki, Kaneko, Kishimoto and Ito, "Parallel dovetailing and its application to
 * depth-first proof-number search", ICGA Journal 2013): the searches of all threads and walkers, k of them, are
 * independent, and the first answer is the answer. Each is a personality: the options with another seed and other
 * settings. Its entries in the common table have names of their own (`name_space` in question.h). A walker's turn ends
 * after `dovetail` nodes, or with the leaf that is evaluated then. So k walkers that share nothing make at most
 * k (least + dovetail + a leaf) nodes, where `least` is what the quickest of them makes alone. With the option `cache`
 * they share positions that are solved: these have an entry under the common name as well. */
#pragma once

#include "solver/engine.h"

/* The options of search `number` of a group, from 0, where the searches are independent. Number 0 has those asked for;
 * each other one has a seed of its own, and in turn also no limit by siblings, 1+epsilon, a larger level-2 budget. */
void pds_personality(const struct pn_options *options, unsigned number, struct pn_options *out);

/* An engine of `count` searches, each made by `create`; at least 2. NULL when memory cannot be had. */
struct pn_engine *pds_walkers_create(const struct pn_engine_setup *setup, unsigned count,
				     struct pn_engine *(*create)(const struct pn_engine_setup *setup));
