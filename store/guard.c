#include "store/guard.h"

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

struct guard {
	sigjmp_buf jump;
	const struct st_maps *maps;
	struct guard *outer;
};

enum {
	FIRST_PAGES = 1 << 16, /* addresses of members of a structure at NULL */
	BEHIND = 1 << 20       /* an offset in a damaged page may lead this far beyond a map */
};

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE};
enum { SIGNALS = sizeof signals / sizeof *signals };

static struct sigaction previous[SIGNALS];
static _Thread_local struct guard *volatile current; /* of the innermost guarded call; NULL: none */

static bool is_inside(const struct st_map *map, uintptr_t address)
{
	uintptr_t base = (uintptr_t)map->base;
	return map->base && address >= base && address - base < map->size + BEHIND;
}

static bool is_ours(const struct guard *guard, int number, const siginfo_t *info)
{
	uintptr_t address = (uintptr_t)info->si_addr;
	if (info->si_code <= 0)
		return false; /* sent by a process */
	return number == SIGFPE || !guard->maps || !guard->maps->data.base || address < FIRST_PAGES ||
	       is_inside(&guard->maps->data, address) || is_inside(&guard->maps->lock, address);
}

static void pass_on(int number, siginfo_t *info, void *context)
{
	for (unsigned i = 0; i < SIGNALS; i++) {
		if (signals[i] != number)
			continue;
		if (previous[i].sa_flags & SA_SIGINFO) {
			previous[i].sa_sigaction(number, info, context);
		} else if (previous[i].sa_handler == SIG_DFL || previous[i].sa_handler == SIG_IGN) {
			/* The fault recurs when this returns, and then ends the process as if it had not been
			 * caught. */
			signal(number, SIG_DFL);
			if (info->si_code <= 0)
				raise(number);
		} else {
			previous[i].sa_handler(number);
		}
	}
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	struct guard *guard = current;
	if (guard && is_ours(guard, number, info))
		siglongjmp(guard->jump, 1);
	pass_on(number, info, context);
}

static void install_handlers(void)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	action.sa_sigaction = on_fault;
	sigemptyset(&action.sa_mask);
	for (unsigned i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &action, &previous[i]);
}

void st_guard_install(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, install_handlers);
}

struct st_map st_map_find(const char *path, size_t least)
{
	struct st_map map = {NULL, 0};
	struct stat st;
	char line[4400];
	FILE *in = stat(path, &st) ? NULL : fopen("/proc/self/maps", "re");
	/* By inode and size: on some file systems the device in this list is not the one that fstat reports. */
	while (in && fgets(line, sizeof line, in)) {
		uintptr_t start, end;
		uint64_t inode;
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %" SCNu64, &start, &end, &inode) == 3 &&
		    inode == (uint64_t)st.st_ino && end - start >= least && end - start > map.size)
			map = (struct st_map){(const char *)start, end - start};
	}
	if (in)
		fclose(in);
	return map;
}

int st_guard_call(const struct st_maps *maps, int (*call)(void *arg), void *arg)
{
	struct guard guard;
	guard.maps = maps;
	guard.outer = current;
	if (sigsetjmp(guard.jump, 0)) {
		current = current->outer;
		return ST_DAMAGED;
	}
	current = &guard;
	int rc = call(arg);
	current = guard.outer;
	return rc;
}

void st_guard_leave(void)
{
	struct guard *guard = current;
	if (guard)
		siglongjmp(guard->jump, 1);
}
