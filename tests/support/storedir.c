#include "tests/support/storedir.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static void give_up(const char *what, const char *path)
{
	fprintf(stderr, "cannot %s %s\n", what, path);
	abort();
}

static const char *usual_directory(void)
{
	const char *base = getenv("TMPDIR");
	return base && *base ? base : "/tmp";
}

const char *storedir_quick(void)
{
	static const char memory[] = "/dev/shm";
	const unsigned long long room = 256 << 20; /* the default of a container is 64 MB */
	struct statvfs at;
	bool good =
		!access(memory, W_OK) && !statvfs(memory, &at) && (unsigned long long)at.f_bavail * at.f_frsize > room;
	return good ? memory : usual_directory();
}

void storedir_new(char *path, size_t size)
{
	snprintf(path, size, "%s/proofd-test-XXXXXX", usual_directory());
	if (!mkdtemp(path))
		give_up("create", path);
}

void storedir_remove(const char *path)
{
	DIR *dir = opendir(path);
	if (!dir)
		return;
	for (struct dirent *e; (e = readdir(dir));) {
		char file[4096];
		snprintf(file, sizeof file, "%s/%s", path, e->d_name);
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			unlink(file);
	}
	closedir(dir);
	rmdir(path);
}

static void copy_file(const char *from, const char *to)
{
	char buffer[1 << 16];
	size_t n;
	FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
	if (!in || !out)
		give_up("copy", from);
	while ((n = fread(buffer, 1, sizeof buffer, in)))
		if (fwrite(buffer, 1, n, out) != n)
			give_up("write", to);
	fclose(in);
	if (fclose(out))
		give_up("write", to);
}

void storedir_copy(const char *from, char *path, size_t size)
{
	static const char *const names[] = {"work.mdb", "facts.mdb"};
	storedir_new(path, size);
	for (unsigned i = 0; i < 2; i++) {
		char a[4096], b[4096];
		snprintf(a, sizeof a, "%s/%s", from, names[i]);
		snprintf(b, sizeof b, "%s/%s", path, names[i]);
		copy_file(a, b);
	}
}
