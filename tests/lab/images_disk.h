/* Images, the disk: what a power cut may leave of the files of one directory.
 *
 * Since its last sync a file has *pending* changes: writes, cut into pages of 4096 bytes, because the system writes
 * pages back in any order, and lengths. Names are pending until the directory is synced. After a power cut any subset
 * of what is pending may be on the disk, each write whole, or torn at sectors of 512 bytes. A file may also have the
 * length that lost writes gave it, with zeros in their place. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/lab/shadow.h"

enum {
	DISK_FILES = 64,
	DISK_PAGE = 4096,
	DISK_SECTOR = 512,
	DISK_PENDING = 4096, /* at one time, all files together */
	DISK_NAME = 256
};

enum disk_change { DISK_WRITE, DISK_LENGTH, DISK_CREATE, DISK_RENAME, DISK_UNLINK };

struct disk_pending {
	enum disk_change change;
	uint32_t file;
	uint64_t offset, size; /* a write; the length as the offset */
	uint8_t *data;         /* owned */
	char name[DISK_NAME], to[DISK_NAME];
};

struct disk_file {
	uint8_t *bytes; /* durable; owned */
	uint64_t size, capacity;
};

struct disk_name {
	char name[DISK_NAME];
	uint32_t file;
};

struct disk {
	struct disk_file file[DISK_FILES]; /* by number, from 1 */
	struct disk_name name[DISK_FILES]; /* durable */
	unsigned names;
	struct disk_pending pending[DISK_PENDING]; /* in order */
	unsigned count;
	bool made;     /* the directory was made during this record */
	bool rooted;   /* and its own name is durable */
	bool not_told; /* something was done that the record does not have */
};

/* What of it to keep. */
struct disk_choice {
	uint8_t keep[DISK_PENDING]; /* per pending change: 0, 1 */
	int torn;                   /* this write is kept in part; -1: none */
	uint64_t sectors;           /* bit i: its sector i is kept */
	bool lengthened;            /* files are as long as all pending writes would make them */
	bool no_directory;          /* the directory's own name is lost */
	unsigned locks;             /* of LMDB's lock files: 0 none, 1 empty, 2 zeros */
};

/* A directory to begin with, all durable; NULL: none. */
struct disk *disk_new(const char *dir);
void disk_free(struct disk *disk);
/* Takes an event in that changes what is pending. */
void disk_apply(struct disk *disk, const struct shadow_event *e, const uint8_t *data);
/* Writes an image into a new directory. */
void disk_image(const struct disk *disk, const struct disk_choice *choice, const char *dir);
