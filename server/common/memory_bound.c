#include "server/common/memory_bound.h"
#include <errno.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	PATH_BYTES = 4096,
	RESERVE = 16 << 20 /* bytes for what is not measured before it is allocated: checkpoints, commits, queries */
};

const char *sv_size_text(uint64_t bytes, char out[SV_SIZE_TEXT])
{
	static const char units[] = "KMGT";
	int unit = -1;
	while (bytes >= 100 * 1024 && unit < 3) {
		bytes >>= 10;
		unit++;
	}
	while (bytes && bytes % 1024 == 0 && unit < 3) {
		bytes >>= 10;
		unit++;
	}
	snprintf(out, SV_SIZE_TEXT, "%llu%.1s", (unsigned long long)bytes, unit < 0 ? "" : units + unit);
	return out;
}

/* The number in a file; UINT64_MAX when there is none ("max"), or no such file; 0: it cannot be read now. */
static uint64_t limit_in(const char *directory, const char *name)
{
	char path[PATH_BYTES + 64], text[32] = "";
	snprintf(path, sizeof path, "%s/%s", directory, name);
	FILE *file = fopen(path, "re");
	if (!file)
		return pd_error_of_errno(errno) == PD_E_NO_MEMORY ? 0 : UINT64_MAX;
	char *end = text;
	unsigned long long bytes = fgets(text, sizeof text, file) ? strtoull(text, &end, 10) : 0;
	fclose(file);
	return end > text ? bytes : UINT64_MAX;
}

/* The least limit from a group up to the root of its hierarchy. Inside a container the path may be the host's:
 * directories that do not exist are skipped. */
static uint64_t least_of_groups(const char *mount, const char *group, const char *const *names)
{
	char path[PATH_BYTES];
	uint64_t least = UINT64_MAX;
	size_t root = strlen(mount);
	if (snprintf(path, sizeof path, "%s%s", mount, group) >= (int)sizeof path)
		path[root] = 0;
	for (;;) {
		for (unsigned i = 0; names[i]; i++) {
			uint64_t limit = limit_in(path, names[i]);
			least = limit < least ? limit : least;
		}
		char *slash = strrchr(path + root, '/');
		if (!slash)
			return least;
		*slash = 0;
	}
}

/* Whether a list of controllers, separated by commas, has "memory". */
static bool has_memory(const char *controllers)
{
	for (const char *p = controllers; *p; p += *p == ',') {
		size_t n = strcspn(p, ",");
		if (n == 6 && !memcmp(p, "memory", n))
			return true;
		p += n;
	}
	return false;
}

uint64_t sv_memory_groups(const char *groups, const char *root)
{
	static const char *const second[] = {"memory.max", "memory.high", NULL}, *const first[] = {
											 "memory.limit_in_bytes", NULL};
	char line[PATH_BYTES], mount[PATH_BYTES];
	uint64_t least = UINT64_MAX;
	FILE *file = fopen(groups, "re");
	if (!file)
		return pd_error_of_errno(errno) == PD_E_NO_MEMORY ? 0 : UINT64_MAX;
	while (fgets(line, sizeof line, file)) { /* NUMBER:CONTROLLERS:PATH */
		char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!group)
			continue;
		*controllers++ = *group++ = 0;
		group[strcspn(group, "\n")] = 0;
		uint64_t limit = UINT64_MAX, other = UINT64_MAX;
		if (has_memory(controllers)) {
			snprintf(mount, sizeof mount, "%.2000s/memory", root);
			limit = least_of_groups(mount, group, first);
		} else if (!*controllers) { /* v2, alone or next to v1 */
			limit = least_of_groups(root, group, second);
			snprintf(mount, sizeof mount, "%.2000s/unified", root);
			other = least_of_groups(mount, group, second);
		}
		limit = other < limit ? other : limit;
		least = limit < least ? limit : least;
	}
	fclose(file);
	return least;
}

uint64_t sv_memory_own_groups(void)
{
	return sv_memory_groups("/proc/self/cgroup", "/sys/fs/cgroup");
}

static uint64_t machine_bytes(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_C(1) << 30;
}

/* Bytes mapped and bytes in memory. */
static void read_usage(uint64_t *mapped, uint64_t *resident)
{
	unsigned long long pages = 0, present = 0;
	uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);
	FILE *file = fopen("/proc/self/statm", "re");
	if (file && fscanf(file, "%llu %llu", &pages, &present) != 2)
		pages = present = 0;
	if (file)
		fclose(file);
	*mapped = pages * size;
	*resident = present * size;
}

static void take_less(struct sv_bound *bound, uint64_t bytes, const char *by)
{
	if (bytes < bound->bytes) {
		bound->bytes = bytes;
		bound->by = by;
	}
}

struct sv_bound sv_memory_bound(void)
{
	struct sv_bound bound = {machine_bytes(), "the machine's memory", 0};
	struct rlimit limit;
	uint64_t mapped, resident;
	if (!getrlimit(RLIMIT_DATA, &limit) && limit.rlim_cur != RLIM_INFINITY)
		take_less(&bound, limit.rlim_cur, "RLIMIT_DATA");
	if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY) {
		read_usage(&mapped, &resident);
		take_less(&bound, limit.rlim_cur > mapped ? limit.rlim_cur - mapped : 0, "RLIMIT_AS");
	}
	bound.without_groups = bound.bytes;
	uint64_t groups = sv_memory_own_groups();
	if (groups)
		take_less(&bound, groups, "the limit of the control group");
	return bound;
}

int sv_memory_share(const struct sv_bound *bound, uint64_t wanted, uint64_t *out, struct pd_fail *fail)
{
	char least[SV_SIZE_TEXT], most[SV_SIZE_TEXT], text[SV_SIZE_TEXT];
	*out = wanted ? wanted : bound->bytes / 4 * 3;
	if (!wanted || (wanted >= SV_JOB_MEMORY_MIN && wanted <= bound->bytes))
		return PD_OK;
	return pd_fail_set(fail, PD_E_PARAMS, "memory", "the memory for all jobs can be %s to %s here (%s), not %s",
			   sv_size_text(SV_JOB_MEMORY_MIN, least), sv_size_text(bound->bytes, most), bound->by,
			   sv_size_text(wanted, text));
}

int sv_memory_job(uint64_t bytes, uint64_t most, struct pd_fail *fail)
{
	char texts[3][SV_SIZE_TEXT];
	if (bytes >= SV_JOB_MEMORY_MIN && bytes <= most)
		return PD_OK;
	return pd_fail_set(fail, PD_E_PARAMS, "memory", "a job can have %s to %s of memory here, not %s",
			   sv_size_text(SV_JOB_MEMORY_MIN, texts[0]), sv_size_text(most, texts[1]),
			   sv_size_text(bytes, texts[2]));
}

uint64_t sv_memory_resident(void)
{
	uint64_t mapped, resident;
	read_usage(&mapped, &resident);
	return resident;
}

uint64_t sv_memory_own(void)
{
	char text[128]; /* three numbers of up to 20 digits; without stdio, because searches ask for each slice */
	unsigned long long pages = 0, present = 0, shared = 0;
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[size > 0 ? size : 0] = 0;
	if (sscanf(text, "%llu %llu %llu", &pages, &present, &shared) != 3)
		return 0;
	return present > shared ? (present - shared) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

uint64_t sv_memory_quota(uint64_t bound)
{
	uint64_t transient = bound / 4 < RESERVE ? bound / 4 : RESERVE;
	return bound - (bound / 16 > transient ? bound / 16 : transient);
}

#ifdef __GLIBC__
int malloc_trim(size_t pad); /* as in <malloc.h> */
#endif

void sv_memory_trim(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

bool sv_memory_short(uint64_t bound)
{
	char line[128];
	unsigned long long total = 0, left = UINT64_MAX;
	FILE *file = fopen("/proc/meminfo", "re");
	while (file && fgets(line, sizeof line, file)) {
		sscanf(line, "MemTotal: %llu", &total);
		sscanf(line, "MemAvailable: %llu", &left);
	}
	if (file)
		fclose(file);
	return left < total / 8 || sv_memory_resident() >= bound / 4;
}
