/* Picture request: pictures of running searches (solver/picture.h), made by the run itself between two rounds.
 *
 * A reader thread makes a request and waits. The run's leader makes one picture at a stop, which also serves other
 * requests with the same order. The pause before the next picture is SV_PICTURE_SHARE times as long as this one took,
 * but at most a second, so that pictures take about 1/SV_PICTURE_SHARE of the search time. */
#pragma once

#include <sys/queue.h>

#include "solver/picture.h"
#include "solver/solver.h"

struct sv_core;
struct sv_job;
struct sv_run;

enum { SV_PICTURE_SHARE = 100, SV_PICTURE_WAIT_S = 3 };

enum { SV_PICTURE_NAME = 64 };
/* The worker of a node. After the last worker of an array, `name` is empty. */
struct sv_picture_names {
	uint32_t node; /* index in the picture */
	char name[SV_PICTURE_NAME];
};

struct sv_picture_request {
	struct pn_picture_order order;  /* set by the requester */
	struct pn_picture picture;      /* freed by the requester */
	struct pn_progress progress;    /* when the picture was made */
	struct sv_picture_names *names; /* freed by the requester; workers of nodes with a `waiting`; NULL: none */
	struct pd_fail fail;            /* code 0: it was made */
	bool taken, done;
	TAILQ_ENTRY(sv_picture_request) link;
};

/* Without the lock: asks the run of that job and waits. True when it has answered, with a picture or with
 * request->fail. False when no run searches, when it waits for the disk, or when SV_PICTURE_WAIT_S have passed. */
bool sv_picture_ask(struct sv_core *core, uint32_t job, struct sv_picture_request *request);

/* Under the lock: a picture is to be made now. */
bool sv_picture_due(const struct sv_job *job);
/* The run's leader, between two rounds, without the lock: makes one. */
void sv_picture_take(struct sv_run *run);
/* Under the lock: the run is over; refuses the requests that wait. */
void sv_picture_end(struct sv_core *core, struct sv_job *job);
