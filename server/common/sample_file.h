/* Sample file: what the server did over the last year. Samples of its figures, one a minute for a day and, as their
 * means, one an hour for a year, are in the file `series` of the data directory (store/FORMAT.md). The file keeps its
 * size: a sample has the slot that its time names, and replaces the one of a day or a year before.
 *
 * The loop thread takes a sample and hands it over; the writer thread writes it, without a sync. A sample that is not
 * written whole is a gap. A server that only reads shows what the directory has. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/mutex.h"
#include "proto/series_values.h"

enum {
	SV_SERIES_POINTS = 1440, /* the most that a range has */
	SV_SERIES_ROOM = 24,     /* values of a record; the last are for later versions */
	SV_MINUTE_MS = 60000
};

#define X(name, text, decimals, doc) SV_SERIES_##name,
enum sv_series_value { PR_SERIES(X) SV_SERIES_VALUES };
#undef X

/* What happened in one minute, or the means of a longer time. */
struct sv_sample {
	int64_t number;                 /* of the minute, hour or half day since 1970 */
	double value[SV_SERIES_VALUES]; /* in the order of PR_SERIES; NAN: not known */
};

/* What only grows, and when it was read. */
struct sv_series_counters {
	uint64_t ns; /* of pd_now_ns; 0: never */
	double nodes, cpu_s, calls, queries, failed, commits, commit_ms;
};

struct sv_series {
	struct pd_mutex lock; /* held while the file is read or written; the loop thread only tries it */
	const char *data;     /* borrowed */
	bool read_only;
	bool failing;
	atomic_bool waiting; /* there is a sample to write */
	struct sv_sample next;
	/* The loop thread's: */
	struct sv_series_counters before; /* of the last sample */
	int64_t minute;                   /* since 1970, in which the last sample was taken */
};

/* A range of time up to now, in points that are `step_ms` long, and the samples of those that have one. */
struct sv_series_view {
	int64_t first_ms, last_ms, step_ms; /* since 1970; the beginnings of the first and the last point */
	unsigned count;
	struct sv_sample sample[SV_SERIES_POINTS]; /* oldest first */
};

void sv_series_init(struct sv_series *s);
/* `data`: the directory, borrowed; NULL: in memory, where nothing is kept. */
void sv_series_open(struct sv_series *s, const char *data, bool read_only);
void sv_series_close(struct sv_series *s);
/* The loop thread: hands a sample of one minute to the writer. False when the file is in use: try again later. */
bool sv_series_post(struct sv_series *s, const struct sv_sample *sample);
/* The writer: writes the sample that waits, if any. What fails is logged, once until it succeeds. */
void sv_series_write(struct sv_series *s);
/* Reads the samples of a range. PD_E_NO_MEMORY. Without a file, or with a damaged one, there are none. */
int sv_series_read(struct sv_series *s, enum pr_series_range range, int64_t now_ms, struct sv_series_view *out,
		   struct pd_fail *fail);
