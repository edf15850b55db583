#include "store/tables.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/log.h"
#include "store/files.h"
#include "store/guard.h"

enum { SIGNED_PIECE = 1 << 20 /* bytes */ };

struct st_table_file {
	struct pd_table table;
	struct st_maps maps;
	atomic_bool damaged; /* a block could not be read */
};

void st_table_name(const char *game, const char *class, const char *suffix, char out[ST_TABLE_NAME])
{
	int n = snprintf(out, ST_TABLE_NAME, "%s.%s%s", game, class, suffix);
	PD_ASSERT(n > 0 && n < ST_TABLE_NAME);
	for (; *out; out++)
		if (!isalnum((unsigned char)*out) && *out != '.' && *out != '-')
			*out = '_';
}

/* --- one file ----------------------------------------------------------------------------- */

/* A call in the map. */
struct call {
	struct st_table_file *file;
	const char *wrong;
	uint64_t at; /* number of an entry, number of a block, or an offset */
	uint16_t *entries;
	unsigned count;
	size_t size;
	uint8_t *bytes;
};

static int open_call(void *arg)
{
	struct call *c = arg;
	const struct st_map *map = &c->file->maps.data;
	c->wrong = pd_table_open(&c->file->table, map->base, map->size);
	return 0;
}

static int get_call(void *arg)
{
	struct call *c = arg;
	c->count = pd_table_get(&c->file->table, c->at, c->entries);
	return 0;
}

static int unpack_call(void *arg)
{
	struct call *c = arg;
	c->count = pd_table_unpack(&c->file->table, c->at, c->entries);
	return 0;
}

static int copy_call(void *arg)
{
	struct call *c = arg;
	memcpy(c->bytes, c->file->table.bytes + c->at, c->size);
	return 0;
}

static int map_table(const char *path, struct st_table_file *f, struct pd_fail *fail)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	if (fd < 0 || fstat(fd, &st)) {
		int rc = pd_fail_errno(fail, "tables", "read", path);
		if (fd >= 0)
			close(fd);
		return rc;
	}
	void *at = st.st_size > 0 ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
	int rc = at == MAP_FAILED && st.st_size > 0 ? pd_fail_errno(fail, "tables", "map", path) : PD_OK;
	close(fd);
	if (rc == PD_E_NO_MEMORY)
		return rc;
	if (at == MAP_FAILED)
		return pd_fail_set(fail, PD_E_CORRUPT, "tables", "%.300s is empty or cannot be mapped", path);
	f->maps.data = (struct st_map){at, (size_t)st.st_size};
	return PD_OK;
}

int st_table_open(const char *path, struct st_table_file **out, struct pd_fail *fail)
{
	struct st_table_file *f = calloc(1, sizeof *f);
	struct call c = {.file = f};
	if (!f)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a table");
	st_guard_install();
	int rc = map_table(path, f, fail);
	if (!rc && st_guard_call(&f->maps, open_call, &c))
		c.wrong = "its pages cannot be read";
	if (!rc && c.wrong)
		rc = pd_fail_set(fail, PD_E_CORRUPT, "tables", "the table %.300s is damaged: %s", path, c.wrong);
	if (rc)
		st_table_close(f);
	else
		*out = f;
	return rc;
}

void st_table_close(struct st_table_file *f)
{
	if (f && f->maps.data.base)
		munmap((void *)(uintptr_t)f->maps.data.base, f->maps.data.size);
	free(f);
}

const struct pd_table_head *st_table_head(const struct st_table_file *f)
{
	return &f->table.head;
}

uint64_t st_table_bytes(const struct st_table_file *f)
{
	return f->maps.data.size;
}

bool st_table_named(const struct st_table_file *f, const char *name)
{
	char own[ST_TABLE_NAME];
	st_table_name(f->table.head.game, f->table.head.class, ST_TABLE_SUFFIX, own);
	return !strcmp(own, name);
}

static void report_damage(struct st_table_file *f, uint64_t block)
{
	if (!atomic_exchange(&f->damaged, true))
		pd_log(PD_LOG_ERROR,
		       "block %llu of the table %s of %s is damaged: searches do without it; build the table again",
		       (unsigned long long)block, f->table.head.class, f->table.head.game);
}

bool st_table_get(void *file, uint64_t index, uint16_t *entry)
{
	struct st_table_file *f = file;
	struct call c = {.file = f, .at = index, .entries = entry};
	PD_ASSERT(index < f->table.head.size);
	if (!st_guard_call(&f->maps, get_call, &c) && c.count)
		return true;
	report_damage(f, index / PD_TABLE_BLOCK);
	return false;
}

unsigned st_table_unpack(struct st_table_file *f, uint64_t block, uint16_t out[PD_TABLE_BLOCK])
{
	struct call c = {.file = f, .at = block, .entries = out};
	if (!st_guard_call(&f->maps, unpack_call, &c) && c.count)
		return c.count;
	report_damage(f, block);
	return 0;
}

int st_table_signed(struct st_table_file *f, void (*part)(void *ctx, const void *bytes, size_t size), void *ctx,
		    struct pd_fail *fail)
{
	const struct pd_table *t = &f->table;
	struct call c = {.file = f, .bytes = malloc(SIGNED_PIECE)};
	int rc = c.bytes ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to read a table");
	for (uint64_t from = 0; !rc && from < t->size; from = c.at + c.size) {
		uint64_t end = from < t->signed_size ? t->signed_size : t->size;
		c.at = from == t->signed_size ? t->body : from;
		c.size = end - c.at < SIGNED_PIECE ? (size_t)(end - c.at) : SIGNED_PIECE;
		if (st_guard_call(&f->maps, copy_call, &c))
			rc = pd_fail_set(fail, PD_E_CORRUPT, "tables", "pages of the table %s cannot be read",
					 t->head.class);
		else
			part(ctx, c.bytes, c.size);
	}
	free(c.bytes);
	return rc;
}

/* --- the directory ------------------------------------------------------------------------ */

static bool has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), k = strlen(suffix);
	return name[0] != '.' && n > k && !strcmp(name + n - k, suffix);
}

static int list_call(void *ctx, const char *path, const char *name, const char *suffix,
		     int (*each)(void *ctx, const char *path, const char *name), struct pd_fail *fail)
{
	char full[ST_PATH];
	if (!has_suffix(name, suffix))
		return PD_OK;
	int rc = st_path(full, path, name, "", fail);
	return rc ? rc : each(ctx, full, name);
}

int st_tables_each(const char *dir, const char *suffix, int (*each)(void *ctx, const char *path, const char *name),
		   void *ctx, struct pd_fail *fail)
{
	char path[ST_PATH];
	struct dirent **names;
	int rc = st_path(path, dir, ST_TABLES, "", fail);
	if (rc)
		return rc;
	int count = scandir(path, &names, NULL, alphasort);
	if (count < 0)
		return errno == ENOENT || errno == ENOTDIR ? PD_OK : pd_fail_errno(fail, "data", "read", path);
	for (int i = 0; i < count; i++) {
		if (!rc)
			rc = list_call(ctx, path, names[i]->d_name, suffix, each, fail);
		free(names[i]);
	}
	free(names);
	return rc;
}
