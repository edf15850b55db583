#include "clients/series.h"

#include <math.h>

#include "proto/base/assert.h"

enum { LEVELS = 8 };

/* Keeps every second sample, including the last, and halves the rate from now on. */
static void thin_samples(struct cl_series *s)
{
	unsigned kept = 0;
	PD_ASSERT(s->count == CL_SERIES_MAX && s->count % 2 == 0);
	for (unsigned i = 1; i < s->count; i += 2) {
		s->value[kept] = s->value[i];
		s->at_ms[kept++] = s->at_ms[i];
	}
	int64_t even = (s->at_ms[kept - 1] - s->at_ms[0]) / (CL_SERIES_MAX / 2);
	s->count = kept;
	s->gap_ms = 2 * s->gap_ms > even ? 2 * s->gap_ms : even;
}

void cl_series_add(struct cl_series *s, int64_t at_ms, double value)
{
	PD_ASSERT(s->count <= CL_SERIES_MAX);
	if (s->count && at_ms < s->at_ms[s->count - 1])
		at_ms = s->at_ms[s->count - 1];
	bool close = s->count > 1 && at_ms - s->at_ms[s->count - 2] < s->gap_ms;
	if (!close && s->count == CL_SERIES_MAX)
		thin_samples(s);
	unsigned at = close ? s->count - 1 : s->count++;
	s->value[at] = value >= 0 ? value : 0;
	s->at_ms[at] = at_ms;
}

static double sample_height(double value, bool log)
{
	return log ? log2(1 + value) : value;
}

void cl_series_range(const struct cl_series *s, int64_t from_ms, bool log, double *low, double *high)
{
	for (unsigned i = 0; i < s->count; i++) {
		double h = sample_height(s->value[i], log);
		bool seen = i + 1 == s->count || s->at_ms[i + 1] > from_ms;
		if (!seen || !isfinite(h))
			continue;
		*low = h < *low ? h : *low;
		*high = h > *high ? h : *high;
	}
}

static unsigned level_of(double h, double low, double high)
{
	if (h >= high)
		return high > low || isinf(h) ? LEVELS - 1 : 0;
	if (h <= low)
		return 0;
	unsigned level = (unsigned)(LEVELS * (h - low) / (high - low));
	return level < LEVELS ? level : LEVELS - 1;
}

void cl_series_draw(const struct cl_series *s, const struct cl_spark *how, char out[CL_SPARK_BYTES])
{
	static const char ascii[] = "_.:-=+*#";
	double step = (double)(how->to_ms - how->from_ms) / how->columns;
	unsigned next = 0; /* the first sample after the column */
	PD_ASSERT(how->columns && how->columns <= CL_SPARK_COLUMNS && how->to_ms >= how->from_ms);
	for (unsigned i = 0; i < how->columns; i++) {
		double end = (double)how->from_ms + step * (i + 1);
		while (next < s->count && ((double)s->at_ms[next] <= end || i + 1 == how->columns))
			next++;
		if (!next) {
			*out++ = ' ';
			continue;
		}
		unsigned level = level_of(sample_height(s->value[next - 1], how->log), how->low, how->high);
		if (how->utf8) { /* U+2581 to U+2588 */
			*out++ = '\xe2';
			*out++ = '\x96';
			*out++ = (char)(0x81 + level);
		} else {
			*out++ = ascii[level];
		}
	}
	*out = 0;
}
