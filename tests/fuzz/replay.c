/* Replay: runs files, and those of directories, through a harness. */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/fuzz.h"

static unsigned files;
static int (*take)(const uint8_t *data, size_t size);

static void run_file(const char *path)
{
	struct stat st;
	FILE *file = fopen(path, "rb");
	uint8_t *data = file && !fstat(fileno(file), &st) ? malloc((size_t)st.st_size + 1) : NULL;
	if (!data || fread(data, 1, (size_t)st.st_size, file) != (size_t)st.st_size) {
		fprintf(stderr, "%s cannot be read\n", path);
		exit(2);
	}
	fclose(file);
	take(data, (size_t)st.st_size);
	free(data);
	files++;
}

static void run_path(const char *path)
{
	char name[4096];
	DIR *dir = opendir(path);
	const struct dirent *entry;
	if (!dir) {
		run_file(path);
		return;
	}
	while ((entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.' &&
		    snprintf(name, sizeof name, "%s/%s", path, entry->d_name) < (int)sizeof name)
			run_file(name);
	closedir(dir);
}

int fuzz_replay(int (*harness)(const uint8_t *data, size_t size), int argc, char **argv)
{
	take = harness;
	for (int i = 1; i < argc; i++)
		run_path(argv[i]);
	printf("%u inputs\n", files);
	return files ? 0 : 1;
}
