#include "clients/proofcheck/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/buf.h"
#include "proto/base/hash.h"

enum { FILE_BYTES_MAX = 1 << 28 };

static int digest_of(const char *path, uint64_t *out, struct pd_fail *fail)
{
	char chunk[1 << 14];
	size_t n;
	struct pd_buf code;
	FILE *file = fopen(path, "rbe");
	if (!file)
		return pd_fail_set(fail, errno == ENOENT ? PD_E_NOT_FOUND : PD_E_IO, "rules", "%.200s: %s", path,
				   strerror(errno));
	pd_buf_init(&code, FILE_BYTES_MAX);
	while ((n = fread(chunk, 1, sizeof chunk, file)) > 0)
		pd_buf_put(&code, chunk, n);
	bool good = !ferror(file) && !code.failed && code.size;
	fclose(file);
	*out = good ? pd_hash64(code.data, code.size) : 0;
	pd_buf_fini(&code);
	return good ? PD_OK
		    : pd_fail_set(fail, PD_E_IO, "rules", "%.200s cannot be read, is empty, or is too large", path);
}

/* The name of a missing member; NULL: none. */
static const char *missing_member(const struct ck_rules *r)
{
	return !r->name          ? "name"
	       : !r->open        ? "open"
	       : !r->read        ? "read"
	       : !r->print       ? "print"
	       : !r->encode      ? "encode"
	       : !r->decode      ? "decode"
	       : !r->over        ? "over"
	       : !r->first_moves ? "first_moves"
	       : !r->moves       ? "moves"
	       : !r->play        ? "play"
				 : NULL;
}

static int check_plugin(const char *path, const struct ck_plugin *p, struct pd_fail *fail)
{
	if (!p)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "rules",
				   "%.120s exports no `proofd_checker_plugin` (CK_PLUGIN in proofd/checker.h)", path);
	if (p->abi != CK_ABI)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "rules",
				   "%.120s was compiled for ABI %u; this program has ABI %u. Compile it again", path,
				   (unsigned)p->abi, CK_ABI);
	if (p->size != sizeof *p || p->rules_size < offsetof(struct ck_rules, grid) ||
	    p->rules_size > sizeof(struct ck_rules) || p->game_size != sizeof(struct ck_game) ||
	    p->position_size != sizeof(struct ck_position) || p->fail_size != sizeof(struct pd_fail))
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "rules",
				   "%.120s has structs of other sizes than this program. Compile it again", path);
	if (!p->rules || !p->rules[0] || !p->author)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "rules", "%.120s lists no games, or no author", path);
	for (unsigned i = 0; p->rules[i]; i++) {
		const char *missing = missing_member(p->rules[i]);
		if (missing)
			return pd_fail_set(fail, PD_E_UNSUPPORTED, "rules", "%.120s has a game without `%s`", path,
					   missing);
		if (ck_rules_named(p->rules[i]->name, strlen(p->rules[i]->name)))
			return pd_fail_set(fail, PD_E_UNSUPPORTED, "rules",
					   "%.120s has a game '%.60s', which is built in", path, p->rules[i]->name);
	}
	return PD_OK;
}

/* Copies the rules of the file into structs of this program's size; NULL if there is not enough memory. The copies live
 * as long as the process. */
static const struct ck_rules *const *copy_rules(const struct ck_plugin *plugin)
{
	size_t count = 0;
	while (plugin->rules[count])
		count++;
	struct ck_rules *copies = calloc(count, sizeof *copies);
	const struct ck_rules **list = calloc(count + 1, sizeof *list);
	for (size_t i = 0; copies && list && i < count; i++) {
		memcpy(&copies[i], plugin->rules[i], plugin->rules_size); /* structs only grow at the end */
		list[i] = &copies[i];
	}
	if (copies && list)
		return list;
	free(copies);
	free(list);
	return NULL;
}

int ck_plugin_load(const char *file, struct ck_source *out, struct pd_fail *fail)
{
	uint64_t digest;
	char path[4096];
	int rc = digest_of(file, &digest, fail);
	if (rc)
		return rc;
	/* Without a slash dlopen would search the directories of libraries. */
	snprintf(path, sizeof path, "%s%s", strchr(file, '/') ? "" : "./", file);
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		const char *why = dlerror();
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "rules", "%.280s", why ? why : "it cannot be loaded");
	}
	const struct ck_plugin *plugin = dlsym(handle, "proofd_checker_plugin");
	const struct ck_rules *const *rules = NULL;
	rc = check_plugin(file, plugin, fail);
	if (!rc && !(rules = copy_rules(plugin)))
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "rules", "there is not enough memory for the rules of %.120s",
				 file);
	if (rc) {
		dlclose(handle);
		return rc;
	}
	ck_rules_add(rules);
	*out = (struct ck_source){file, plugin->author, digest};
	return PD_OK;
}
