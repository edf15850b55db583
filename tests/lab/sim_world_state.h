/* What the parts of the simulated world share: its clients and what they have asked (private to tests/lab/sim_*.c). */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/api/session_state.h"
#include "server/core.h"
#include "tests/lab/sim_model.h"

enum {
	CLIENTS = 4,
	ASKED = 256, /* requests of a client that are not answered */
	BATCH = 12,
	LINE = 1 << 17,
	TURN_NS = 20000000, /* the loop waits for so long at the most */
	TICK_NS = 100000000,
	IDLE_SECONDS = 20,
	QUIET_SECONDS = 600 /* in which everything has to come to its end */
};

struct sim_question {
	const char *game, *position;
	bool oracle;
	int value;
};
extern struct sim_question questions[SIM_QUESTIONS];

enum kind {
	SUBMIT,
	GET,
	LIST,
	PAUSE,
	RESUME,
	CANCEL,
	SET,
	WATCH,
	UNWATCH,
	HISTORY,
	TREE,
	FACT,
	FACTS,
	BEST_LINE,
	EXPORT,
	READ,
	STATS,
	HELLO,
	SHOW,
	SHUTDOWN,
	KINDS
};

struct sim_kind {
	const char *method;
	unsigned weight;
};
extern const struct sim_kind kinds[KINDS];

struct asked {
	uint64_t id; /* 0: free */
	enum kind kind;
	uint64_t line; /* those of one batch are answered together */
	uint32_t job;
	unsigned question, before;
	int key, priority;
	bool known, alone; /* the job was when it was sent; it is no part of a batch, and answered as soon as it is
			      carried out */
};

struct client {
	struct sv_session *session;
	struct asked asked[ASKED];
	unsigned open;
	size_t backlog; /* it reads nothing while this is more than 0 */
	bool in_call;   /* sv_session_line is under way */
	bool hung_up;
};

struct sim_world {
	const struct sim_epoch *epoch;
	struct sim_model *model;
	struct sv_core *core;
	struct client client[CLIENTS];
	uint64_t next_id, next_line;
	pthread_mutex_t lock;
	pthread_cond_t woken;
	uint64_t idle_ns;    /* since when a job waits although all workers are free; 0: none does */
	bool lost[SIM_JOBS]; /* a client is gone that had asked to change it, and may have got it */
	bool wake, raise;    /* budgets are raised, so that all jobs can end */
	char unsettled[400]; /* a job that is not at rest */
	char text[LINE];
	size_t size;
};
extern struct sim_world w;

/* Checks a line that came for a client against what it has asked. */
void sim_reply_take(void *ctx, const char *line, size_t size);
/* What the model has of a job; its number must be in range. */
struct sim_job *sim_job_of(uint32_t id);
