#define _GNU_SOURCE /* the numbers of system calls */
#include "proto/base/spawn.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void reset_signals(void)
{
	struct sigaction usual = {.sa_handler = SIG_DFL};
	sigset_t nothing;
	sigemptyset(&nothing);
	for (int i = 1; i < NSIG; i++)
		sigaction(i, &usual, NULL);
	sigprocmask(SIG_SETMASK, &nothing, NULL);
}

pid_t pd_spawn(void (*become)(void *ctx), void *ctx)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* a handler must not run in the child */
	pid_t pid = vfork();                         /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
	if (!pid) {
		reset_signals();
		become(ctx);
		abort();
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pid;
}

bool pd_spawn_files(int in, int out, int err)
{
	return dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0 &&
	       !syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
}
