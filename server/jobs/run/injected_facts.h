/* Injected facts: what sub-jobs (queue/dependency.h) have found about their own positions, handed to the search of
 * their parent between two rounds (pn_solver_inject). */
#pragma once

struct sv_job;
struct sv_run;

/* Under the lock, when a run begins: its table is older than the facts of its sub-jobs. */
void sv_injected_facts_begin(struct sv_job *job);
/* The run's leader, between two rounds, without the lock: injects what is new. Where a fact cannot be read, the run's
 * lookup has failed. */
void sv_injected_facts_take(struct sv_run *run);
