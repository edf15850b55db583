/* Suite statistics: medians, intervals and means of what runs took. Costs are at least 0; INFINITY stands for a run
 * without an answer, which took more than any that has one. */
#pragma once

#include <stdbool.h>

/* An interval in which a quantity lies with a probability of at least 95 %. */
struct cl_interval {
	double low, high;
};

/* The values are sorted, `count` of them, at least one. The median of an even number is the mean of the two in the
 * middle. */
double cl_median(double *values, unsigned count);
/* The least value that at least 90 % of the values do not exceed; sorts them. */
double cl_percentile_90(double *values, unsigned count);
/* The interval of the median of which these are a sample, by order statistics (binomial, no assumption about the
 * distribution): the narrowest that leaves out as many values on both sides. It sorts the values. With fewer than six
 * values there is none, and it is 0 to INFINITY. */
struct cl_interval cl_median_interval(double *values, unsigned count);
/* The geometric mean of positive, finite values; NAN when there are none. */
double cl_geometric_mean(const double *values, unsigned count);
/* Its interval: from the 2.5th to the 97.5th percentile of 2,000 samples of as many values, drawn with replacement by a
 * generator that always begins alike (bootstrap). With fewer than two values 0 to INFINITY. */
struct cl_interval cl_geometric_interval(const double *values, unsigned count);
