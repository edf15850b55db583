/* World of the simulation: clients that ask a core at random, and what they may expect.
 *
 * What was promised to anybody is kept in a model that outlives the process: a job that was acknowledged is there after
 * a crash and asks the same, one that was seen solved or cancelled stays so, one whose pause was acknowledged does not
 * run until somebody resumes it, bounds of facts only grow, and both contain the true value. Each request is answered
 * once unless its session has ended. */
#ifndef LAB_SIM_WORLD_H
#define LAB_SIM_WORLD_H

#include <stdbool.h>
#include <stdint.h>

enum { SIM_JOBS = 2000, SIM_KEYS = 6, SIM_QUESTIONS = 8 };

struct sim_job {
	bool known;     /* its number was told to a client */
	bool looked_at; /* in this epoch */
	unsigned question;
	int over;         /* 1: seen solved, 2: seen cancelled */
	bool paused;      /* a pause was acknowledged, without a resume since */
	unsigned resumes; /* sent so far */
	bool cancels;     /* one was sent */
	unsigned sets;    /* sent so far */
	bool set;         /* the last one was acknowledged */
	int priority;
};

struct sim_model {
	struct sim_job job[SIM_JOBS];
	uint32_t key[SIM_KEYS]; /* the job that was told last under the key */
	struct {
		bool solved;
		int lo, hi;
	} fact[SIM_QUESTIONS];
	/* What the runs have come across. */
	uint64_t digest, steps, requests, replies, refused, jobs, solved, crashes, cuts, closes, closed_ns_max, faults,
		virtual_ns;
};

enum sim_end { SIM_CRASH, SIM_CLOSE, SIM_QUIET };

struct sim_epoch {
	const char *data;        /* directory; NULL: in memory */
	enum sim_end end;        /* CRASH: never comes back by itself */
	unsigned turns;          /* of the loop, about */
	bool last;               /* everything is resumed, and has to come to its end */
	struct sim_model *model; /* shared between processes */
};

/* The truth about the games that are asked, by plain minimax; before the simulation begins. */
void sim_world_init(void);
/* One life of a server, within a simulation that has begun. Ends the process when something is wrong. */
void sim_world_run(const struct sim_epoch *epoch);

#endif
