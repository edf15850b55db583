#define _GNU_SOURCE /* close_range, strerrordesc_np */
#include "server/common/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/assert.h"

enum { NICE = 19, LOOK_MS = 5, UNSTARTED = 127 };

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

static bool set_limit(int which, uint64_t most)
{
	const struct rlimit limit = {most, most};
	return !most || !setrlimit(which, &limit);
}

/* In the child, which must do nothing but system calls. */
static _Noreturn void become_program(const struct sv_subprocess *what, pid_t parent)
{
	const struct rlimit none = {0, 0};
	struct sigaction usual = {.sa_handler = SIG_DFL};
	sigset_t nothing;
	sigemptyset(&nothing);
	for (int i = 1; i < NSIG; i++)
		sigaction(i, &usual, NULL);
	sigprocmask(SIG_SETMASK, &nothing, NULL);
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	bool good = dup2(in, STDIN_FILENO) >= 0 && dup2(what->out, STDOUT_FILENO) >= 0 &&
		    dup2(what->err, STDERR_FILENO) >= 0 && !syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0) &&
		    !prctl(PR_SET_PDEATHSIG, SIGKILL) && getppid() == parent && !setpriority(PRIO_PROCESS, 0, NICE) &&
		    !setrlimit(RLIMIT_CORE, &none) && set_limit(RLIMIT_CPU, what->seconds) &&
		    set_limit(RLIMIT_FSIZE, what->file_bytes);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they reserve terabytes */
	good = good && set_limit(RLIMIT_DATA, what->memory);
#endif
	if (good)
		execve(what->words[0], what->words, environ);
	const char *why = strerrordesc_np(errno);
	if (why && write(STDERR_FILENO, why, strlen(why)) < 0)
		_exit(UNSTARTED);
	_exit(UNSTARTED);
}

int sv_subprocess_start(const struct sv_subprocess *what, pid_t *pid, struct pd_fail *fail)
{
	pid_t parent = getpid();
	sigset_t all, before;
	PD_ASSERT(what->words[0] && what->out > STDERR_FILENO && what->err > STDERR_FILENO);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* a handler must not run in the child */
	pid_t child = vfork(); /* does not copy the page tables; NOLINT(clang-analyzer-security.insecureAPI.vfork) */
	if (!child)
		become_program(what, parent);
	int rc = child < 0 ? pd_fail_errno(fail, "", "run", what->words[0]) : PD_OK;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	*pid = child;
	return rc;
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

void sv_subprocess_kill(pid_t pid)
{
	int status;
	kill(pid, SIGKILL);
	while (!sv_subprocess_await(pid, LOOK_MS, &status))
		;
}
