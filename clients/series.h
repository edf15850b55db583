/* Series: a number over time, in bounded memory, drawn as one line of text (a sparkline).
 *
 * Times are milliseconds of any clock and never go back. If samples come faster than the memory allows, each one
 * stands for a longer time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	CL_SERIES_MAX = 512,                      /* samples; at least half of them are in use once it has been full */
	CL_SPARK_COLUMNS = 200,                   /* columns of a drawing, at most */
	CL_SPARK_BYTES = 3 * CL_SPARK_COLUMNS + 1 /* bytes of its text, with the terminating zero */
};

struct cl_series {
	double value[CL_SERIES_MAX]; /* from 0 up; may be infinite */
	int64_t at_ms[CL_SERIES_MAX];
	unsigned count;
	int64_t gap_ms; /* between two samples, at least; until then the last one is replaced */
};

/* How a series is drawn: columns of equal time from `from_ms` to `to_ms`, from `low` (the lowest block) to `high`. */
struct cl_spark {
	int64_t from_ms, to_ms;
	double low, high; /* logarithms to the base 2 when `log` is set */
	unsigned columns; /* 1..CL_SPARK_COLUMNS */
	bool log;         /* heights are those of log2(1 + value) */
	bool utf8;        /* Unicode blocks; otherwise ASCII characters */
};

/* Adds a sample; if at_ms is before the last sample, the time of that sample is used instead. */
void cl_series_add(struct cl_series *series, int64_t at_ms, double value);
/* Widens *low..*high to the finite heights of the series from from_ms on; log as in struct cl_spark. */
void cl_series_range(const struct cl_series *series, int64_t from_ms, bool log, double *low, double *high);
/* Draws into `out`. A column shows the last value until its end; it is blank before the first sample. Values above
 * `high` have the highest block. */
void cl_series_draw(const struct cl_series *series, const struct cl_spark *how, char out[CL_SPARK_BYTES]);
