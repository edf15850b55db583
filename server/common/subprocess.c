#define _GNU_SOURCE /* strerrordesc_np */
#include "server/common/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/spawn.h"

enum { NICE = 19, LOOK_MS = 5 };

extern char **environ;

char *sv_program_beside(const char *name)
{
	char path[PATH_MAX];
	struct stat st;
	ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
	path[size > 0 ? size : 0] = 0;
	char *slash = strrchr(path, '/');
	if (!slash || (size_t)(slash + 1 - path) + strlen(name) >= sizeof path)
		return NULL;
	memcpy(slash + 1, name, strlen(name) + 1);
	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK) ? strdup(path) : NULL;
}

/* A lower limit that this process has itself stays in force. */
static bool set_limit(int which, uint64_t soft, uint64_t hard)
{
	struct rlimit limit;
	if (!soft)
		return true;
	if (getrlimit(which, &limit))
		return false;
	if (limit.rlim_max > hard)
		limit.rlim_max = hard;
	limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
	return !setrlimit(which, &limit);
}

struct start {
	const struct sv_subprocess *what;
	pid_t parent;
};

/* For pd_spawn. */
static void become_program(void *ctx)
{
	const struct start *s = ctx;
	const struct sv_subprocess *w = s->what;
	const struct rlimit none = {0, 0};
	bool good = pd_spawn_files(open("/dev/null", O_RDONLY | O_CLOEXEC), w->out, w->err) &&
		    !prctl(PR_SET_PDEATHSIG, SIGKILL) && getppid() == s->parent &&
		    !setpriority(PRIO_PROCESS, 0, NICE) && !setrlimit(RLIMIT_CORE, &none) &&
		    set_limit(RLIMIT_CPU, w->seconds, (uint64_t)w->seconds + 1) &&
		    set_limit(RLIMIT_FSIZE, w->file_bytes, w->file_bytes);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they reserve terabytes */
	good = good && set_limit(RLIMIT_DATA, w->memory, w->memory) &&
	       set_limit(RLIMIT_AS, w->address_space, w->address_space);
#endif
	if (good)
		execve(w->words[0], w->words, w->environment ? w->environment : environ);
	const char *why = strerrordesc_np(errno);
	if (why && write(STDERR_FILENO, why, strlen(why)) < 0)
		_exit(SV_SUBPROCESS_UNSTARTED);
	_exit(SV_SUBPROCESS_UNSTARTED);
}

int sv_subprocess_start(const struct sv_subprocess *what, pid_t *pid, struct pd_fail *fail)
{
	struct start start = {what, getpid()};
	PD_ASSERT(what->words[0] && what->out > STDERR_FILENO && what->err > STDERR_FILENO);
	*pid = pd_spawn(become_program, &start);
	return *pid < 0 ? pd_fail_errno(fail, "", "run", what->words[0]) : PD_OK;
}

bool sv_subprocess_await(pid_t pid, unsigned ms, int *status)
{
	for (unsigned waited = 0;; waited += LOOK_MS) {
		pid_t ended = waitpid(pid, status, WNOHANG);
		PD_ASSERT(ended == pid || !ended || errno == EINTR);
		if (ended == pid || waited >= ms)
			return ended == pid;
		poll(NULL, 0, LOOK_MS);
	}
}

int sv_subprocess_kill(pid_t pid)
{
	int status;
	kill(pid, SIGKILL);
	while (!sv_subprocess_await(pid, LOOK_MS, &status))
		;
	return status;
}
