/* Storedir: temporary data directories for tests. */
#pragma once

#include <stddef.h>

/* Creates an empty directory and writes its path; ends the program when it cannot. */
void storedir_new(char *path, size_t size);
/* Where directories are made whose disk is not the point: in memory where it has room for them, else TMPDIR or /tmp. */
const char *storedir_quick(void);
/* Removes the directory and the files in it. */
void storedir_remove(const char *path);
/* Copies the files of one directory into another, new one. */
void storedir_copy(const char *from, char *path, size_t size);
