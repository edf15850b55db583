#include "tests/support/effort.h"

#include <stdio.h>
#include <stdlib.h>

unsigned effort(void)
{
	const char *text = getenv("TEST_EFFORT");
	char *end;
	if (!text || !*text)
		return 100;
	unsigned long percent = strtoul(text, &end, 10);
	if (*end || percent < 1 || percent > 100) {
		fprintf(stderr, "TEST_EFFORT is \"%s\"; it is a number of percent from 1 to 100\n", text);
		exit(2);
	}
	return (unsigned)percent;
}

unsigned effort_of(unsigned whole, unsigned least)
{
	unsigned share = (unsigned)((unsigned long long)whole * effort() / 100);
	return share < least ? least : share;
}

bool effort_whole(void)
{
	enum { OF_CI = 30 }; /* run_release in ./dev */
	return effort() >= OF_CI;
}

unsigned effort_stride(void)
{
	return 100 / effort();
}
