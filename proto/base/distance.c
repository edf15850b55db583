#include "proto/base/distance.h"

#include <string.h>

static unsigned least_of(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;
	return m < c ? m : c;
}

unsigned pd_distance(const char *a, const char *b)
{
	enum { LETTERS = 24 };
	unsigned row[3][LETTERS + 1]; /* the row before the last one, the last one, this one */
	size_t n = strlen(a), m = strlen(b);
	if (n > LETTERS || m > LETTERS)
		return LETTERS;
	for (unsigned j = 0; j <= m; j++)
		row[1][j] = j;
	for (unsigned i = 1; i <= n; i++) {
		row[2][0] = i;
		for (unsigned j = 1; j <= m; j++) {
			unsigned best =
				least_of(row[1][j] + 1, row[2][j - 1] + 1, row[1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = least_of(best, row[0][j - 2] + 1, best);
			row[2][j] = best;
		}
		memcpy(row[0], row[1], sizeof row[0]);
		memcpy(row[1], row[2], sizeof row[1]);
	}
	return row[1][m];
}
