#include "server/proofs/tables/table_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/proofs/tables/table_list.h"
#include "store/files.h"
#include "store/tables.h"

enum { PIECE = 1 << 20 /* bytes */ };

struct copying {
	const char *folder; /* the new one */
	struct sv_tables_copied *out;
	struct pd_fail *fail;
};

static int fail_damaged(const char *path, const char *wrong, struct pd_fail *fail)
{
	char why[200];
	snprintf(why, sizeof why, "%.199s", wrong); /* it may be the text of `fail` */
	return pd_fail_set(fail, PD_E_CORRUPT, "tables", "the table %.200s: %s; build the table again", path, why);
}

/* Copies all bytes from one descriptor to the other and syncs them. PD_E_CORRUPT when they cannot be read. */
static int copy_bytes(int from, int to, const char *path, const char *field, struct pd_fail *fail)
{
	uint8_t *piece = malloc(PIECE);
	ssize_t size;
	if (!piece)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to copy a file");
	while ((size = read(from, piece, PIECE)) > 0 && st_write_all(to, piece, (size_t)size))
		;
	int rc = size || fsync(to) ? pd_fail_errno(fail, field, "copy", path) : PD_OK;
	free(piece);
	return size < 0 ? PD_E_CORRUPT : rc;
}

int sv_copy_file(const char *path, const char *folder, const char *field, struct pd_fail *fail)
{
	char target[ST_PATH];
	int rc = st_path(target, folder, strrchr(path, '/') + 1, "", fail);
	if (rc)
		return rc;
	if (mkdir(folder, 0700) && errno != EEXIST)
		return pd_fail_errno(fail, field, "make", folder);
	int from = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (from < 0) {
		rc = pd_fail_errno(fail, field, "copy", path);
		return rc == PD_E_NOT_FOUND || rc == PD_E_NO_MEMORY ? rc : PD_E_CORRUPT;
	}
	int to = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	rc = to < 0 ? pd_fail_errno(fail, field, "copy", path) : copy_bytes(from, to, path, field, fail);
	if (to >= 0 && close(to) && !rc)
		rc = pd_fail_errno(fail, field, "write", target);
	close(from);
	if (rc == PD_E_CORRUPT)
		unlink(target);
	return rc;
}

/* A damaged table; `why` may be the text of c->fail. */
static int leave_out(struct copying *c, const char *path, const char *why)
{
	char name[ST_TABLE_NAME + 16];
	if (!c->out)
		return fail_damaged(path, why, c->fail);
	snprintf(name, sizeof name, "table %s", strrchr(path, '/') + 1);
	sv_left_out_add(&c->out->left_out, name, why);
	return PD_OK;
}

static int take_table(void *ctx, const char *path, const char *wrong)
{
	struct copying *c = ctx;
	int rc = wrong ? PD_E_CORRUPT : sv_copy_file(path, c->folder, "tables", c->fail);
	if (rc == PD_E_CORRUPT)
		return leave_out(c, path, wrong ? wrong : c->fail->text);
	if (c->out)
		c->out->tables += !rc;
	return rc == PD_E_NOT_FOUND && access(path, F_OK) ? PD_OK : rc; /* it was removed meanwhile */
}

/* A table may have changed after it was found sound, and before it was copied. */
static int verify_copy(void *ctx, const char *path, const char *wrong)
{
	struct copying *c = ctx;
	char why[200];
	if (!wrong)
		return PD_OK;
	if (c->out && unlink(path))
		return pd_fail_errno(c->fail, "tables", "remove", path);
	if (c->out)
		c->out->tables--;
	snprintf(why, sizeof why, "its copy: %.180s", wrong);
	return leave_out(c, path, why);
}

int sv_tables_copy(const char *from, const char *to, struct sv_tables_copied *out, struct pd_fail *fail)
{
	char folder[ST_PATH];
	struct copying c = {folder, out, fail};
	if (out)
		*out = (struct sv_tables_copied){0};
	if (st_path(folder, to, ST_TABLES, "", fail))
		return fail->code;
	st_remove_directory(folder);
	if (sv_tables_examine(from, take_table, &c, fail) || sv_tables_examine(to, verify_copy, &c, fail))
		return fail->code;
	if (access(folder, F_OK))
		return PD_OK;
	return st_own_like(folder, from, fail) ? fail->code : st_sync_directory(folder, fail);
}
