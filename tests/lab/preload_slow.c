/* Preload slow: put before the C library (LD_PRELOAD), it makes each sync of a file take longer, by a random time up to
 * LAB_SLOW_US microseconds. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void nap(void)
{
	const char *most = getenv("LAB_SLOW_US");
	struct timespec now, wait = {0};
	clock_gettime(CLOCK_MONOTONIC, &now);
	long us = most ? atol(most) : 0;
	if (us <= 0)
		return;
	us = now.tv_nsec / 7 % us;
	wait.tv_sec = us / 1000000;
	wait.tv_nsec = us % 1000000 * 1000;
	nanosleep(&wait, NULL);
}

int fsync(int fd)
{
	nap();
	return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	nap();
	return (int)syscall(SYS_fdatasync, fd);
}
