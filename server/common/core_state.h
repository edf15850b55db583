/* Core state: the struct that holds all parts of a core: configuration, store, the lock, and a pointer to each room's
 * part. Most files need some of the parts only, and get them from core_parts.h. core.c allocates and ends all parts.
 *
 * Threads: the loop thread calls core.h and owns sessions, calls and watches. A search thread owns the run of its job.
 * The writer owns the store's batches. Readers answer large queries. What they share is guarded by `lock`; a thread
 * holds it for short stretches, and never while it searches, reads or writes the store. */
#pragma once

#include "server/common/completion.h"
#include "server/common/config.h"
#include "server/common/memory_bound.h"
#include "proto/base/mutex.h"

struct st_reader;
struct st_store;
struct sv_backup;
struct sv_cluster;
struct sv_experiments;
struct sv_finished;
struct sv_job_hooks;
struct sv_job_index;
struct sv_known_files;
struct sv_lies;
struct sv_making;
struct sv_open_games;
struct sv_plugin_watch;
struct sv_pulses;
struct sv_read_queues;
struct sv_search_threads;
struct sv_series;
struct sv_sessions;
struct sv_table_jobs;
struct sv_tokens;
struct sv_writer;

/* Strings that `config` points to. All owned; constant while the core is open. */
struct sv_core_paths {
	char *data, *graphs, *backup_dir, *rules, *proofcheck, *experiments;
};

/* The host's callbacks (core.h). The loop thread's, except `wake`, which is constant and any thread's. */
struct sv_core_host {
	void (*wake)(void *ctx);
	void *wake_ctx;
	void (*finished)(void *ctx, const struct sv_finished *finished); /* api/finished.h; NULL: none */
	void *finished_ctx;
	char *socket; /* owned; its path, for server.hello; NULL: none */
};

struct sv_core {
	struct sv_config config; /* its strings are those of `paths` */
	struct sv_core_paths paths;
	struct sv_core_host host;
	struct sv_tokens *tokens; /* owned; NULL: none. The loop thread's */
	struct st_store *store;
	struct st_reader *reader; /* the loop thread's */
	uint64_t identity;        /* the key that searches name positions with; no reply ever contains it */
	uint64_t start_ns;
	bool stopping; /* the loop thread's: server.shutdown was answered */

	struct pd_mutex lock;              /* guards the rest, unless the parts' headers say otherwise */
	struct sv_completions completions; /* for the loop thread */
	bool closing;                      /* readers end what they are doing */
	struct sv_bound bound;             /* its `bytes` follow the control group */

	struct sv_plugin_watch *plugin_watch;     /* common/plugins.h; NULL: there is nothing to watch */
	struct sv_pulses *pulses;                 /* common/pulse.h; atomic */
	struct sv_cluster *cluster;               /* cluster/cluster.h; owned; NULL: everything is searched here */
	struct sv_experiments *experiments;       /* experiments/experiments.h; owned; a lock of its own; NULL: none */
	struct sv_backup *backup;                 /* proofs/backups/backup.h; owned */
	struct sv_table_jobs *table_jobs;         /* proofs/tables/table_jobs.h; owned */
	struct sv_making *making;                 /* proofs/certificates/proof.h */
	struct sv_known_files *known_files;       /* proofs/certificates/known_files.h */
	struct sv_lies *lies;                     /* proofs/maintenance/lies.h; a lock of its own */
	struct sv_series *series;                 /* common/sample_file.h; a lock of its own */
	struct sv_open_games *games;              /* common/open_games.h; a lock of its own */
	const struct sv_job_hooks *hooks;         /* jobs/model/job_hooks.h: what jobs call in the rooms above */
	struct sv_job_index *index;               /* jobs/index/job_index.h */
	struct sv_writer *writer;                 /* jobs/write/task.h */
	struct sv_search_threads *search_threads; /* jobs/index/search_threads.h */
	struct sv_sessions *sessions;             /* api/session_state.h; the loop thread's */
	struct sv_read_queues *read_queues;       /* api/read_queue.h */
};
