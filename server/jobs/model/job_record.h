/* Job record: a job as its record on disk describes it, and how the record is written and read.
 *
 * A record on disk is one JSON object of version 1. Members that are missing take defaults; unknown members are left
 * out when the record is written again. */
#pragma once

#include "server/jobs/model/job_spec.h"
#include "server/jobs/model/job_state.h"

/* The resource that a paused job waits for; then it goes on by itself (queue/quota.h). */
enum sv_hold { SV_HOLD_NONE, SV_HOLD_DISK, SV_HOLD_MEMORY, SV_HOLD_COUNT };

/* Whether a job failed because a fact that it found contradicts a stored one: its last checkpoint is lost. If that may
 * be due to facts that are retracted, it goes on (proofs/maintenance/retraction.h). */
enum sv_contradiction {
	SV_NO_CONTRADICTION,
	SV_CONTRADICTION,          /* whatever is false is stored */
	SV_CONTRADICTION_OF_LEAVES /* or it was in the lost checkpoint, which had leaves of workers */
};

/* Of a job in the index: under the core's lock. The writer updates it after each commit. What a run notes for its end
 * (reason, result, hold, crashes, time of the end), and what job.set changes of a running job, may be ahead of the disk
 * until the run's next record is written. */
struct sv_record {
	uint32_t id;
	struct sv_spec spec;
	enum sv_state state;
	struct pn_progress progress;
	double seconds;                                /* searched, over all restarts */
	double cpu;                                    /* processor seconds of its searches, likewise */
	int64_t submitted_ms, started_ms, finished_ms; /* since 1970; 0: not yet */
	unsigned restarts;
	unsigned crashes;     /* crashes in a row that it may have caused (crashes.h) */
	bool stopped_cleanly; /* a clean stop of the server ended its run */
	bool ran_before;      /* it ran before a restart and not since: it goes before others of its priority */
	char *engines;    /* owned; versions of this program that worked on it, separated by spaces; NULL: none yet */
	char reason[200]; /* why it is paused, exhausted or failed; "" for none */
	char *result;     /* owned; the answer as JSON; NULL: none yet */
	uint64_t turn;    /* of jobs of equal priority the one with the smallest turn goes first (queue/scheduler.h) */
	enum sv_hold on_hold; /* it is paused until there is room again */
	bool anyway;          /* it does not wait for jobs that have ended unsolved (queue/dependency.h) */
	bool alone;           /* it goes on although its parent is solved (queue/dependency.h) */
	enum sv_contradiction contradiction; /* of a failed job */
	bool table_lost; /* its transposition table on disk is damaged; it is dropped when the job is resumed */
	bool damaged;    /* not on disk: the record could not be read, and stays as it is until the job is cancelled */
};

/* A change of a record, applied once it is on disk. */
struct sv_change {
	int priority;
	struct sv_budget budget;
	int64_t finished_ms; /* when the job ended; 0: unchanged */
	bool clear;          /* the last run's end is forgotten: reason, result and time */
	bool tableless;      /* the transposition table is dropped */
	bool anyway, alone;  /* as in the record; false: unchanged */
	const char *reason;  /* static, or the task's; NULL: unchanged */
};

/* A queued job that has never run. Takes over the spec's strings. */
struct sv_record sv_record_new(const struct sv_spec *spec);
void sv_record_fini(struct sv_record *record);
/* Resets the record to that of a job that never ran: no progress, no result; queued, unless it is paused, cancelled or
 * has failed. Only for a process that has the directory to itself: job_state.h has no such arrow. */
void sv_record_restart(struct sv_record *record);
/* A change that changes nothing; and applies a change. A cleared result is not freed, because `record` may be a
 * copy. */
struct sv_change sv_change_none(const struct sv_record *record);
void sv_record_change(struct sv_record *record, const struct sv_change *change);

/* Appends the bytes that are stored. */
void sv_record_write(const struct sv_record *record, struct pd_buf *buf);
/* `bytes` NULL: the store says that the record is damaged. On failure there is nothing to free. */
int sv_record_read(uint32_t id, const void *bytes, size_t size, struct sv_record *out, struct pd_fail *fail);
/* Makes a substitute for a record that cannot be read: failed, with the reason. False without memory. */
bool sv_record_unreadable(uint32_t id, const struct pd_fail *why, struct sv_record *out);
/* Appends an event of a job's history. */
void sv_record_event(const struct pn_progress *progress, const char *what, struct pd_buf *buf);

/* Notes that a version of the program works on the job (false without memory); and whether a version has. */
bool sv_record_engine_add(struct sv_record *record, const char *version);
bool sv_record_engine_has(const struct sv_record *record, const char *version);
