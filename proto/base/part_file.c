#include "proto/base/part_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int pd_part_open(const char *part, FILE **out, struct pd_fail *fail)
{
	struct stat opened, named;
	int fd;
	for (;;) {
		fd = open(part, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
		if (fd < 0)
			return pd_fail_errno(fail, "file", "write", part);
		if (flock(fd, LOCK_EX | LOCK_NB)) {
			close(fd);
			return pd_fail_set(fail, PD_E_BUSY, "file", "another process is writing %.200s", part);
		}
		if (!fstat(fd, &opened) && !stat(part, &named) && opened.st_ino == named.st_ino &&
		    opened.st_dev == named.st_dev)
			break;
		close(fd); /* it was renamed or removed before it was locked */
	}
	*out = fdopen(fd, "r+b");
	if (*out)
		return PD_OK;
	int rc = pd_fail_errno(fail, "file", "write", part);
	close(fd);
	return rc;
}
