/* Spawn: starts a process without the copy of the page tables that a fork makes, which takes long in a process with
 * large tables. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Starts a process in which `become` runs. Until it becomes a program it shares the memory of this process, which waits
 * (vfork), except under ThreadSanitizer, where it has a copy. So `become` makes nothing but system calls, writes only
 * what is meant for the caller, and does not return: it ends by execve or _exit. Its signals have their default
 * actions, and none is blocked. -1 with errno. */
pid_t pd_spawn(void (*become)(void *ctx), void *ctx);

/* For `become`: these open files become stdin, stdout and stderr, and all others are closed. False with errno. */
bool pd_spawn_files(int in, int out, int err);
