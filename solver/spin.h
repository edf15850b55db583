/* Spin: a pause for loops that wait for a lock that another thread holds for a few nanoseconds. */
#pragma once

static inline void spin_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}
