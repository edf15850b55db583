#include "server/proofs/certificates/known_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/base/assert.h"
#include "server/common/core_parts.h"

static bool look_at_file(const char *name, const char *path, struct sv_known_file *out)
{
	struct stat st;
	*out = (struct sv_known_file){.damage = SV_UNJUDGED};
	if (stat(path, &st))
		return false;
	snprintf(out->name, sizeof out->name, "%s", name);
	out->bytes = (uint64_t)st.st_size;
	out->inode = st.st_ino;
	out->changed_ns = st.st_ctim.tv_sec * INT64_C(1000000000) + st.st_ctim.tv_nsec;
	return true;
}

/* Under the lock: the slot of the file. *same: it holds what is known of the file, which has not changed since. */
static struct sv_known_file *find_slot(struct sv_core *core, const struct sv_known_file *file, bool *same)
{
	char digits[9];
	PD_ASSERT(sv_locked(core));
	snprintf(digits, sizeof digits, "%.8s", file->name);
	struct sv_known_file *slot = &sv_known_files(core)->slot[strtoul(digits, NULL, 16) % SV_KNOWN_FILES];
	*same = slot->changed_ns == file->changed_ns && slot->bytes == file->bytes && slot->inode == file->inode &&
		!strcmp(slot->name, file->name);
	return slot;
}

bool sv_known_find(struct sv_core *core, const char *name, const char *path, struct sv_known_file *out)
{
	bool same;
	if (!look_at_file(name, path, out))
		return false;
	sv_lock(core);
	const struct sv_known_file *slot = find_slot(core, out, &same);
	if (same)
		*out = *slot;
	sv_unlock(core);
	return true;
}

void sv_known_keep(struct sv_core *core, const struct sv_known_file *file)
{
	bool same;
	sv_lock(core);
	*find_slot(core, file, &same) = *file;
	sv_unlock(core);
}

enum sv_damage sv_known_damage(struct sv_core *core, const char *name, const char *path, bool (*go_on)(void *ctx),
			       void *ctx)
{
	struct sv_known_file file;
	if (!sv_known_find(core, name, path, &file) || file.damage != SV_UNJUDGED)
		return file.damage;
	if (go_on && !go_on(ctx))
		return SV_UNJUDGED;
	struct sv_certificate_text *text = malloc(sizeof *text);
	if (text)
		file.damage = sv_certificate_judge(path, name, go_on, ctx, text);
	if (file.damage != SV_UNJUDGED)
		sv_known_keep(core, &file);
	free(text);
	return file.damage;
}

int sv_known_refuse_damaged(struct sv_core *core, const char *name, const char *path, bool (*go_on)(void *ctx),
			    void *ctx, struct pd_fail *fail)
{
	return sv_known_damage(core, name, path, go_on, ctx) == SV_DAMAGED
		       ? pd_fail_set(fail, PD_E_CORRUPT, "proof",
				     "that certificate is damaged; proof.export with the same question makes it again")
		       : PD_OK;
}

void sv_known_touch(struct sv_core *core, const char *name, const char *path)
{
	struct sv_known_file before, after;
	bool same;
	bool there = look_at_file(name, path, &before);
	sv_certificates_touch(path);
	if (!there || !look_at_file(name, path, &after))
		return;
	sv_lock(core);
	struct sv_known_file *slot = find_slot(core, &before, &same);
	if (same && after.inode == before.inode && after.bytes == before.bytes)
		slot->changed_ns = after.changed_ns;
	sv_unlock(core);
}
