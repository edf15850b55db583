/* Model of the simulation: what the clients were promised and have seen; it outlives the process. */
#pragma once

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
	bool crashed;     /* it was seen failed, because proofd ended three times in a row while it ran */
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
	uint64_t digest, steps, requests, replies, refused, jobs, solved, crashes, cuts, closes, closed_ns_max, faults;
};
