/* Lock order: every mutex and read-write lock of the tree, outermost first.
 *
 * A thread that holds a lock takes only locks of lower rows. Two locks of the same row (two desks, two shards) are
 * never held together. Debug and sanitizer builds assert both (mutex.h). X(row, what it guards) */
#pragma once

#define PD_LOCKS(X)                                                                                                    \
	/* programs beside the server */                                                                               \
	X(CHECK, "proofcheck: what its threads have checked (clients/proofcheck/check.c)")                             \
	X(PROBE_OPEN, "libproofd-probe: the directories that the process has open (clients/probe/probe.c)")            \
	X(PROBE_REFRESH, "libproofd-probe: one thread looks for new files of a directory (clients/probe/probe.c)")     \
	X(PROBE, "libproofd-probe: the readers of a directory (clients/probe/probe.c)")                                \
	X(VERIFY, "verification of a directory: its sums and reports (server/proofs/maintenance/verify.h)")            \
	X(SMALL_PROOF, "a small proof that threads find together (server/proofs/certificates/small_proof.h)")          \
	X(FACT_QUEUE, "facts on their way to the threads that verify (server/proofs/maintenance/verify.c)")            \
	/* the server */                                                                                               \
	X(ROUND, "the state of a cluster (server/cluster/state.h)")                                                    \
	X(LIES, "the list of workers that gave false results (server/proofs/maintenance/lies.h)")                      \
	X(TABLE_ORDERS, "files with the orders of tables (server/proofs/tables/table_jobs.c)")                         \
	X(EXPERIMENTS, "the experiments and their files (server/experiments/experiments.c)")                           \
	X(CORE, "jobs, queues and completions of a core (server/common/core_state.h)")                                 \
	X(SENDING, "what a worker sends, and its session (server/worker/worker_state.h)")                              \
	X(TASKS, "the tasks that a worker has in hand (server/worker/tasks.h)")                                        \
	X(SHARED_CACHES, "the caches that a worker's threads share (server/worker/shared_caches.h)")                   \
	X(OPEN_GAMES, "the list of open games (server/common/open_games.h)")                                           \
	X(PROGRAM, "processes and answers of a program with the rules of a game (proto/program.c)")                    \
	X(PLUGIN_VARIANTS, "the rules that plug-ins make for their games (server/common/plugin_call.c)")               \
	X(SERIES, "the samples of what the server did, and their file (server/common/sample_file.h)")                  \
	X(PLUGIN_WATCH, "the end of the thread that watches plug-ins (server/common/plugin_watch.c)")                  \
	/* the cluster */                                                                                              \
	X(CLUSTER_GAMES, "games of the cluster (server/cluster/games.h)")                                              \
	X(JUDGE, "cases of the judge (server/cluster/judge.c)")                                                        \
	X(DESK, "leaves between a run and the cluster (server/cluster/desk_slots.h)")                                  \
	X(INBOX, "messages to the cluster's thread (server/cluster/inbox.h)")                                          \
	X(BOARD, "the figures that the cluster shows (server/cluster/board.h)")                                        \
	X(NATS_EVENT, "one event of the connection to NATS at a time (server/cluster/nats/nats_port.c)")               \
	X(NATS_PORT, "the state of the connection to NATS (server/cluster/nats/nats_port.c)")                          \
	X(NATS_USING, "the sockets of the connection to NATS (server/cluster/nats/nats_loop.h)")                       \
	X(NATS_DOOR, "what wakes the loop of NATS (server/cluster/nats/nats_loop.h)")                                  \
	X(UNIX_PORT, "what waits to be sent to workers on this machine (server/cluster/unix_port.c)")                  \
	/* the search */                                                                                               \
	X(SEARCH_TREE, "the tree that several search threads share (solver/tree_rp.c)")                                \
	/* the store */                                                                                                \
	X(MEMORY_STORE, "jobs of a store without files (store/memory_store.c)")                                        \
	X(STORE, "figures and game numbers of a store (store/store_state.h)")                                          \
	X(APPLYING, "one batch goes into the memtable at a time (store/memtable.h)")                                   \
	X(SHARD, "a shard of the memtable, a read-write lock (store/memtable.h)")                                      \
	X(READ_GATE, "the readers of a file (store/env.h)")                                                            \
	X(LOG, "the log (proto/base/log.c)")

enum pd_lock {
#define X(row, what) PD_LOCK_##row,
	PD_LOCKS(X)
#undef X
};
