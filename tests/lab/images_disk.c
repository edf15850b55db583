#include "tests/lab/images_disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void give_up(const char *what, const char *name)
{
	fprintf(stderr, "images: cannot %s %s\n", what, name);
	abort();
}

static void *room(void *p, size_t size)
{
	p = realloc(p, size);
	if (!p)
		give_up("allocate", "memory");
	return p;
}

/* --- what is durable ---------------------------------------------------------------------- */

static void set_length(struct disk_file *f, uint64_t size)
{
	if (size > f->capacity) {
		f->capacity = size + size / 2 + DISK_PAGE;
		f->bytes = room(f->bytes, f->capacity);
	}
	if (size > f->size)
		memset(f->bytes + f->size, 0, size - f->size);
	f->size = size;
}

static void put_bytes(struct disk_file *f, uint64_t offset, const uint8_t *data, uint64_t size)
{
	if (offset + size > f->size)
		set_length(f, offset + size);
	memcpy(f->bytes + offset, data, size);
}

static void load(struct disk *disk, const char *dir, const char *name, uint32_t number)
{
	char path[8192];
	struct stat st;
	snprintf(path, sizeof path, "%s/%s", dir, name);
	int fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st))
		give_up("read", path);
	set_length(&disk->file[number], (uint64_t)st.st_size);
	if (read(fd, disk->file[number].bytes, (size_t)st.st_size) != st.st_size)
		give_up("read", path);
	close(fd);
	snprintf(disk->name[disk->names].name, DISK_NAME, "%s", name);
	disk->name[disk->names++].file = number;
}

struct disk *disk_new(const char *dir)
{
	struct disk *disk = room(NULL, sizeof *disk);
	memset(disk, 0, sizeof *disk);
	DIR *names = dir ? opendir(dir) : NULL;
	/* Files that are there get the last numbers; the record's own are known by name when they are opened. */
	uint32_t number = DISK_FILES;
	for (const struct dirent *e; names && (e = readdir(names));)
		if (e->d_name[0] != '.' && !strstr(e->d_name, "-lock"))
			load(disk, dir, e->d_name, --number);
	if (names)
		closedir(names);
	return disk;
}

void disk_free(struct disk *disk)
{
	for (unsigned i = 0; i < DISK_FILES; i++)
		free(disk->file[i].bytes);
	for (unsigned i = 0; i < disk->count; i++)
		free(disk->pending[i].data);
	free(disk);
}

/* --- events ------------------------------------------------------------------------------- */

static struct disk_pending *add_pending(struct disk *disk, enum disk_change change, uint32_t file)
{
	if (disk->count == DISK_PENDING)
		give_up("hold", "too many pending changes");
	struct disk_pending *p = &disk->pending[disk->count++];
	*p = (struct disk_pending){.change = change, .file = file};
	return p;
}

static void add_write(struct disk *disk, uint32_t file, uint64_t offset, const uint8_t *data, uint64_t size)
{
	while (size) {
		uint64_t part = DISK_PAGE - offset % DISK_PAGE;
		if (part > size)
			part = size;
		struct disk_pending *p = add_pending(disk, DISK_WRITE, file);
		p->offset = offset;
		p->size = part;
		p->data = room(NULL, part);
		memcpy(p->data, data, part);
		offset += part;
		data += part;
		size -= part;
	}
}

static void change_names(struct disk_name *name, unsigned *count, const struct disk_pending *p)
{
	const char *gone = p->change == DISK_RENAME ? p->to : p->name;
	unsigned n = 0;
	for (unsigned i = 0; i < *count; i++)
		if (strcmp(name[i].name, gone))
			name[n++] = name[i];
	*count = n;
	if (p->change == DISK_RENAME)
		for (unsigned i = 0; i < n; i++)
			if (!strcmp(name[i].name, p->name))
				snprintf(name[i].name, DISK_NAME, "%s", p->to);
	if (p->change == DISK_CREATE) {
		snprintf(name[n].name, DISK_NAME, "%s", p->name);
		name[n].file = p->file;
		*count = n + 1;
	}
}

static bool is_name(const struct disk_pending *p)
{
	return p->change == DISK_CREATE || p->change == DISK_RENAME || p->change == DISK_UNLINK;
}

/* Makes durable what is pending of a file, or of the names. */
static void settle_file(struct disk *disk, bool names, uint32_t file)
{
	unsigned n = 0;
	for (unsigned i = 0; i < disk->count; i++) {
		struct disk_pending *p = &disk->pending[i];
		if (names != is_name(p) || (!names && p->file != file)) {
			disk->pending[n++] = *p;
			continue;
		}
		if (names)
			change_names(disk->name, &disk->names, p);
		else if (p->change == DISK_WRITE)
			put_bytes(&disk->file[file], p->offset, p->data, p->size);
		else
			set_length(&disk->file[file], p->offset);
		free(p->data);
	}
	disk->count = n;
}

static void note_opened(struct disk *disk, const struct shadow_event *e, const char *name)
{
	if (e->value) {
		snprintf(add_pending(disk, DISK_CREATE, e->file)->name, DISK_NAME, "%.255s", name);
		return;
	}
	/* A file that was there before the record began takes the number that the record gives it. */
	for (unsigned i = 0; i < disk->names; i++) {
		uint32_t number = disk->name[i].file;
		if (!strcmp(disk->name[i].name, name) && number >= DISK_FILES / 2) {
			disk->file[e->file] = disk->file[number];
			disk->file[number] = (struct disk_file){0};
			disk->name[i].file = e->file;
		}
	}
}

static void written_through(struct disk *disk, const struct shadow_event *e, const uint8_t *data)
{
	for (unsigned i = 0; i < disk->count; i++) {
		const struct disk_pending *p = &disk->pending[i];
		if (p->change == DISK_WRITE && p->file == e->file && p->offset < (uint64_t)e->value + e->size &&
		    (uint64_t)e->value < p->offset + p->size)
			disk->not_told = true; /* which of two changes of one place is later would matter */
	}
	put_bytes(&disk->file[e->file], (uint64_t)e->value, data, e->size);
}

void disk_apply(struct disk *disk, const struct shadow_event *e, const uint8_t *data)
{
	char text[2 * DISK_NAME] = "";
	if (e->file >= DISK_FILES)
		give_up("number", "too many files");
	if (e->kind == SHADOW_OPEN || e->kind == SHADOW_RENAME || e->kind == SHADOW_UNLINK)
		memcpy(text, data, e->size < sizeof text ? e->size : sizeof text - 1);
	switch ((enum shadow_kind)e->kind) {
	case SHADOW_OPEN:
		note_opened(disk, e, text);
		break;
	case SHADOW_WRITE:
		add_write(disk, e->file, (uint64_t)e->value, data, e->size);
		break;
	case SHADOW_WRITE_SYNC:
		written_through(disk, e, data);
		break;
	case SHADOW_TRUNCATE:
		add_pending(disk, DISK_LENGTH, e->file)->offset = (uint64_t)e->value;
		break;
	case SHADOW_SYNC:
		settle_file(disk, false, e->file);
		break;
	case SHADOW_SYNC_DIR:
		if (e->value)
			disk->rooted = true;
		else
			settle_file(disk, true, 0);
		break;
	case SHADOW_RENAME: {
		struct disk_pending *p = add_pending(disk, DISK_RENAME, e->file);
		snprintf(p->name, DISK_NAME, "%.*s", DISK_NAME - 1, text);
		snprintf(p->to, DISK_NAME, "%.*s", DISK_NAME - 1, text + strlen(text) + 1);
		break;
	}
	case SHADOW_UNLINK:
		snprintf(add_pending(disk, DISK_UNLINK, e->file)->name, DISK_NAME, "%.*s", DISK_NAME - 1, text);
		break;
	case SHADOW_MKDIR:
		disk->made = true;
		break;
	case SHADOW_UNKNOWN:
		disk->not_told = true;
		break;
	case SHADOW_MARK:
		break;
	}
}

/* --- images ------------------------------------------------------------------------------- */

static void write_at(int fd, const void *data, uint64_t size, uint64_t offset)
{
	if (pwrite(fd, data, size, (off_t)offset) != (ssize_t)size)
		give_up("write", "an image");
}

static void write_sectors(int fd, const struct disk_pending *p, uint64_t sectors)
{
	/* Sectors are those of the disk; a page has eight. */
	for (uint64_t at = 0; at < p->size;) {
		uint64_t place = p->offset + at, part = DISK_SECTOR - place % DISK_SECTOR;
		if (part > p->size - at)
			part = p->size - at;
		if (sectors >> (place % DISK_PAGE / DISK_SECTOR) & 1)
			write_at(fd, p->data + at, part, place);
		at += part;
	}
}

static void image_file(const struct disk *disk, const struct disk_choice *choice, const char *path, uint32_t file)
{
	uint64_t longest = disk->file[file].size;
	struct stat st;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (fd < 0)
		give_up("create", path);
	write_at(fd, disk->file[file].bytes, disk->file[file].size, 0);
	for (unsigned i = 0; i < disk->count; i++) {
		const struct disk_pending *p = &disk->pending[i];
		if (p->file != file || is_name(p))
			continue;
		if (p->change == DISK_LENGTH ? choice->lengthened || p->offset > longest
					     : p->offset + p->size > longest)
			longest = p->change == DISK_LENGTH ? p->offset : p->offset + p->size;
		if ((int)i == choice->torn && p->change == DISK_WRITE)
			write_sectors(fd, p, choice->sectors);
		else if (choice->keep[i] && p->change == DISK_WRITE)
			write_at(fd, p->data, p->size, p->offset);
		else if (choice->keep[i] && ftruncate(fd, (off_t)p->offset))
			give_up("lengthen", path);
	}
	if (choice->lengthened && !fstat(fd, &st) && (uint64_t)st.st_size < longest && ftruncate(fd, (off_t)longest))
		give_up("lengthen", path);
	close(fd);
}

static void image_lock(const char *dir, const char *name, unsigned how)
{
	static const char zeros[8192];
	char path[8192];
	snprintf(path, sizeof path, "%.4000s/%.255s-lock", dir, name);
	int fd = how && strstr(name, ".mdb") ? open(path, O_RDWR | O_CREAT, 0644) : -1;
	if (fd < 0)
		return;
	if (how == 2)
		write_at(fd, zeros, sizeof zeros, 0);
	close(fd);
}

void disk_image(const struct disk *disk, const struct disk_choice *choice, const char *dir)
{
	struct disk_name name[DISK_FILES + 1];
	char path[8192];
	unsigned count = disk->names;
	if (choice->no_directory)
		return;
	memcpy(name, disk->name, sizeof disk->name);
	for (unsigned i = 0; i < disk->count; i++)
		if (is_name(&disk->pending[i]) && choice->keep[i])
			change_names(name, &count, &disk->pending[i]);
	if (mkdir(dir, 0755))
		give_up("make", dir);
	for (unsigned i = 0; i < count; i++) {
		snprintf(path, sizeof path, "%.4000s/%.255s", dir, name[i].name);
		image_file(disk, choice, path, name[i].file);
		image_lock(dir, name[i].name, choice->locks);
	}
}
