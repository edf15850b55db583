#include "proto/base/standard.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void pd_standard_open(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		/* open returns the lowest free number, which is `fd`. */
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
			return;
}

void pd_standard_umask(void)
{
	umask(umask(0) | S_IWGRP | S_IWOTH);
}

/* The first extension that the build uses and the processor lacks, such as "AVX2"; NULL: none. The compiler defines a
 * macro for each extension that it may use. */
static const char *find_lacking(void)
{
#if defined __SSE4_2__
	if (!__builtin_cpu_supports("sse4.2"))
		return "SSE4.2";
#endif
#if defined __POPCNT__ && defined __x86_64__
	if (!__builtin_cpu_supports("popcnt"))
		return "POPCNT";
#endif
#if defined __AVX2__
	if (!__builtin_cpu_supports("avx2"))
		return "AVX2";
#endif
#if defined __BMI2__
	if (!__builtin_cpu_supports("bmi2"))
		return "BMI2";
#endif
#if defined __AVX512F__
	if (!__builtin_cpu_supports("avx512f"))
		return "AVX-512";
#endif
	return NULL;
}

void pd_standard_processor(const char *program)
{
	const char *lacks = find_lacking();
	if (!lacks)
		return;
	fprintf(stderr, "%s: this build uses %s, which the processor does not have; use another build\n", program,
		lacks);
	exit(2);
}
