#include "clients/suite_stats.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/random.h"

enum { SAMPLES = 2000, TAIL = SAMPLES / 40 /* 2.5 % */ };

static int compare_values(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void sort_values(double *values, unsigned count)
{
	PD_ASSERT(count);
	qsort(values, count, sizeof *values, compare_values);
}

double cl_median(double *values, unsigned count)
{
	sort_values(values, count);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

double cl_percentile_90(double *values, unsigned count)
{
	sort_values(values, count);
	return values[(9 * (size_t)count + 9) / 10 - 1];
}

struct cl_interval cl_median_interval(double *values, unsigned count)
{
	unsigned out = 0; /* values to leave out on either side */
	sort_values(values, count);
	/* Fewer than k values lie below the median with the probability of fewer than k heads. */
	double sum = 0;
	for (unsigned k = 0; k < count; k++) {
		sum += exp(lgamma(count + 1.0) - lgamma(k + 1.0) - lgamma(count - k + 1.0) - count * log(2));
		if (sum > 0.025)
			break;
		out = k + 1;
	}
	if (!out)
		return (struct cl_interval){0, INFINITY};
	return (struct cl_interval){values[out - 1], values[count - out]};
}

double cl_geometric_mean(const double *values, unsigned count)
{
	double sum = 0;
	for (unsigned i = 0; i < count; i++) {
		PD_ASSERT(values[i] > 0 && isfinite(values[i]));
		sum += log(values[i]);
	}
	return count ? exp(sum / count) : NAN;
}

struct cl_interval cl_geometric_interval(const double *values, unsigned count)
{
	double means[SAMPLES];
	uint64_t state = 0;
	if (count < 2)
		return (struct cl_interval){0, INFINITY};
	for (unsigned i = 0; i < SAMPLES; i++) {
		double sum = 0;
		for (unsigned j = 0; j < count; j++)
			sum += log(values[pd_random_next(&state) % count]);
		means[i] = exp(sum / count);
	}
	sort_values(means, SAMPLES);
	return (struct cl_interval){means[TAIL], means[SAMPLES - 1 - TAIL]};
}
