#include "proto/base/socket_path.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Removes a socket file on which no process listens any more. */
static int remove_dead(const char *path, const char *option, struct pd_fail *fail)
{
	struct stat st;
	if (lstat(path, &st))
		return PD_OK;
	if (!S_ISSOCK(st.st_mode))
		return pd_fail_set(fail, PD_E_IO, option, "%.200s exists and is not a socket", path);
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return pd_fail_set(fail, PD_E_IO, option, "cannot make a socket: %s", strerror(errno));
	bool dead = connect(fd, (struct sockaddr *)&name, sizeof name) && errno == ECONNREFUSED;
	close(fd);
	if (!dead)
		return pd_fail_set(fail, PD_E_LOCKED, option, "another server uses %.200s", path);
	if (unlink(path))
		return pd_fail_set(fail, PD_E_IO, option, "cannot remove %.200s: %s", path, strerror(errno));
	return PD_OK;
}

/* A user who may write to the directory could replace our socket by another one. */
static int check_directory(const char *path, const char *option, struct pd_fail *fail)
{
	char dir[sizeof((struct sockaddr_un *)0)->sun_path + 1];
	struct stat st;
	const char *slash = strrchr(path, '/');
	snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - path) + (slash == path) : 1, slash ? path : ".");
	if (stat(dir, &st))
		return pd_fail_set(fail, PD_E_IO, option, "%.200s: %s", dir, strerror(errno));
	if (st.st_uid != geteuid() && st.st_uid)
		return pd_fail_set(
			fail, PD_E_USAGE, option,
			"the directory %.200s of the socket belongs to another user, who could replace it; use one "
			"of your own",
			dir);
	mode_t open_to = S_IWOTH | (st.st_gid == getegid() ? 0 : S_IWGRP);
	if ((st.st_mode & open_to) && !(st.st_mode & S_ISVTX))
		return pd_fail_set(
			fail, PD_E_USAGE, option,
			"other users may write to the directory %.200s and replace the socket; use chmod go-w, or "
			"another directory",
			dir);
	return PD_OK;
}

int pd_socket_path_clear(const char *path, const char *option, struct pd_fail *fail)
{
	const size_t most = sizeof((struct sockaddr_un *)0)->sun_path - 1;
	if (!*path || strlen(path) > most)
		return pd_fail_set(fail, PD_E_USAGE, option, "a socket's path has 1 to %zu bytes", most);
	int rc = check_directory(path, option, fail);
	return rc ? rc : remove_dead(path, option, fail);
}
