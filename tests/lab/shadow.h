/* Shadow: the record that tests/lab/preload_shadow.c keeps of what a program does to the files of one directory, and
 * tests/lab/images.c reads.
 *
 * The record is a file of events, each a head and then `size` bytes. A file has a number, given when its name is first
 * opened. An event is written when the call has returned and before another thread can make one. LMDB's lock files are
 * left out: they say nothing that has to outlive the machine. */
#pragma once

#include <stdint.h>

enum shadow_kind {
	SHADOW_OPEN = 1,   /* file; value: 1 when the call created it; data: the name in the directory */
	SHADOW_WRITE,      /* file; value: offset; data */
	SHADOW_WRITE_SYNC, /* likewise, through a descriptor that syncs each write */
	SHADOW_TRUNCATE,   /* file; value: the length */
	SHADOW_SYNC,       /* file */
	SHADOW_SYNC_DIR,   /* the names in the directory; value: 1 for the directory that holds it */
	SHADOW_RENAME,     /* data: the old name, a zero, the new name */
	SHADOW_UNLINK,     /* data: the name */
	SHADOW_MKDIR,      /* the directory itself */
	SHADOW_MARK,       /* data: what the program wrote to the descriptor SHADOW_MARKS */
	SHADOW_UNKNOWN     /* something was done that cannot be recorded; data: what */
};

struct shadow_event {
	uint32_t kind, file;
	int64_t value;
	uint64_t size;
};

enum { SHADOW_MARKS = 977 }; /* a descriptor that is never opened */

#define SHADOW_DIR "LAB_SHADOW_DIR" /* the environment names the directory, absolute, and the record */
#define SHADOW_LOG "LAB_SHADOW_LOG"
