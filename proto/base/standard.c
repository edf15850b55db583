#include "proto/base/standard.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

void pd_standard_open(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		/* It gets the lowest number that is free, which is `fd`. */
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
			return;
}

void pd_standard_umask(void)
{
	umask(umask(0) | S_IWGRP | S_IWOTH);
}
