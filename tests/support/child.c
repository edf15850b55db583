#include "tests/support/child.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DESCRIPTORS = 64 }; /* Check opens its file before the test begins */

/* Check removes its file as soon as it is open. */
static bool is_check_file(int fd)
{
	struct stat st;
	return !fstat(fd, &st) && S_ISREG(st.st_mode) && !st.st_nlink;
}

pid_t fork_child(void)
{
	pid_t pid = fork();
	if (pid)
		return pid;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), replaced = 0;
	for (int fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++)
		if (fd != null && is_check_file(fd))
			replaced += dup2(null, fd) == fd;
	if (!replaced) {
		fprintf(stderr, "child: no file of Check among the descriptors\n");
		_exit(99);
	}
	close(null);
	return 0;
}
