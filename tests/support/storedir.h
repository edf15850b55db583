/* Storedir: temporary data directories for tests. */
#pragma once

#include <stddef.h>

/* Creates an empty directory and writes its path; ends the program on failure. */
void storedir_new(char *path, size_t size);
/* The parent of directories that need no disk: in memory if there is room, otherwise TMPDIR or /tmp. */
const char *storedir_quick(void);
/* Removes the directory and the files in it. */
void storedir_remove(const char *path);
/* Copies the files of a directory into a new one. */
void storedir_copy(const char *from, char *path, size_t size);
