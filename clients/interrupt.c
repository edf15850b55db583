#include "clients/interrupt.h"

#include <signal.h>
#include <time.h>

#include "proto/base/assert.h"

static sigset_t both_signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	return set;
}

void cl_interrupt_hold(void)
{
	sigset_t set = both_signals();
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int cl_interrupt_take(void)
{
	sigset_t set = both_signals();
	struct timespec now = {0, 0};
	int number = sigtimedwait(&set, NULL, &now);
	if (number <= 0)
		return 0;
	PD_ASSERT(number == SIGINT || number == SIGTERM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return number;
}
