#define _GNU_SOURCE /* memfd_create */
#include "server/common/plugins.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/buf.h"
#include "proto/base/hash.h"
#include "server/common/plugin_call.h"
#include "server/common/plugin_crashes.h"
#include "server/common/program_game.h"
#include "solver/games/game.h"

enum { FILE_BYTES_MAX = 1 << 28, FILES_MAX = 256, GAMES_MAX = 64 /* of one plug-in */ };

static struct sv_plugin *loaded; /* those whose games are registered; set before there are threads */

bool sv_plugins_any(void)
{
	return loaded != NULL;
}

bool sv_plugin_of(const struct game_rules *rules, struct sv_plugin_info *out)
{
	/* By name: a built-in game may have several rules, for large boards, and no plug-in may have its name. */
	for (unsigned i = 0; game_builtin(i); i++)
		if (!strcmp(game_builtin(i)->name, rules->name))
			return false;
	const struct sv_plugin *p = ((const struct sv_plugin_rules *)(const void *)rules)->plugin;
	*out = (struct sv_plugin_info){p->file, p->author, p->digest};
	return true;
}

struct loading {
	const char *dir, *file, *data;
	void (*refused)(void *ctx, const char *sentence);
	void *ctx;
};

static void refuse_plugin(const struct loading *l, const char *why)
{
	char sentence[800];
	snprintf(sentence, sizeof sentence, "the plug-in %.200s/%.120s is refused: %s", l->dir, l->file, why);
	l->refused(l->ctx, sentence);
}

static bool read_file(const char *path, struct pd_buf *out)
{
	char chunk[1 << 14];
	size_t n;
	FILE *file = fopen(path, "rbe");
	if (!file)
		return false;
	while ((n = fread(chunk, 1, sizeof chunk, file)) > 0)
		pd_buf_put(out, chunk, n);
	bool good = !ferror(file) && !out->failed;
	fclose(file);
	return good;
}

/* Loads the bytes that were read, from memory, so that they are the code that runs whatever happens to the file. Where
 * that is not allowed, the file itself. NULL: dlerror says why. *fd stays open as long as the code is loaded (-1: there
 * is none): dlopen takes files of the same name for one file. */
static void *load_code(const char *path, const struct pd_buf *code, int *fd)
{
	char name[40];
	void *handle = NULL;
	*fd = memfd_create("proofd-plug-in", MFD_CLOEXEC);
	if (*fd >= 0 && write(*fd, code->data, code->size) == (ssize_t)code->size) {
		snprintf(name, sizeof name, "/proc/self/fd/%d", *fd);
		handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	}
	if (!handle && *fd >= 0) {
		close(*fd);
		*fd = -1;
	}
	return handle ? handle : dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* The sizes tell which header it was compiled with. NULL: it fits. */
static const char *find_misfit(const struct game_plugin *p, char out[240])
{
	if (!p)
		return "it exports no `proofd_game_plugin` (GAME_PLUGIN in proofd/game.h)";
	if (p->abi != GAME_ABI) {
		snprintf(out, 240, "it was compiled for ABI %u; this program has ABI %u. Compile it again",
			 (unsigned)p->abi, GAME_ABI);
		return out;
	}
	if (p->size != sizeof *p || p->game_size != sizeof(struct game) || p->fail_size != sizeof(struct pd_fail)) {
		snprintf(out, 240,
			 "its structs have other sizes (%u, %u, %u bytes) than those of this program (%zu, %zu, %zu). "
			 "Compile it again",
			 (unsigned)p->size, (unsigned)p->game_size, (unsigned)p->fail_size, sizeof *p,
			 sizeof(struct game), sizeof(struct pd_fail));
		return out;
	}
	if (!p->rules || !p->rules[0])
		return "it lists no games";
	return p->author ? NULL : "its author is NULL; \"\" would do";
}

/* Prepares the note that is written when the plug-in crashes. */
static void make_note(struct sv_plugin *plugin)
{
	int n = snprintf(plugin->note, sizeof plugin->note, "crash\t%016" PRIx64 "\t%s\t%s\t", plugin->digest,
			 plugin->file, plugin->games[0] ? plugin->games : "-");
	PD_ASSERT(n > 0 && (size_t)n < sizeof plugin->note);
	plugin->note_size = (size_t)n;
}

/* Registers all games, or refuses those that do not fit. True when at least one was registered. */
static bool add_games(const struct loading *l, struct sv_plugin *plugin, const struct game_plugin *p)
{
	bool any = false;
	struct pd_fail fail;
	for (unsigned i = 0; p->rules[i] && i < GAMES_MAX; i++) {
		struct sv_plugin_rules *rules = calloc(1, sizeof *rules);
		int rc = rules ? PD_OK : pd_fail_set(&fail, PD_E_NO_MEMORY, "", "no memory for it");
		if (!rc && sv_plugin_wrap(rules, plugin, p->rules[i]))
			rc = game_register(&rules->shown, &fail);
		else if (!rc)
			rc = pd_fail_set(&fail, PD_E_UNSUPPORTED, "game",
					 "its rules have ABI %u and %u bytes; this program takes ABI %u and up to %zu "
					 "bytes. Compile it again",
					 (unsigned)p->rules[i]->abi, (unsigned)p->rules[i]->size, GAME_ABI,
					 sizeof(struct game_rules));
		if (rc) {
			refuse_plugin(l, fail.text);
			free(rules);
			continue;
		}
		size_t used = strlen(plugin->games);
		snprintf(plugin->games + used, sizeof plugin->games - used, "%s%s", any ? "," : "", rules->shown.name);
		any = true;
	}
	return any;
}

/* Loads what was read, unless it does not fit. False: nothing of it is in use. */
static bool load_plugin(const struct loading *l, struct sv_plugin *plugin, const char *path, const struct pd_buf *code)
{
	char sentence[240];
	int fd;
	make_note(plugin);
	struct sv_plugin *before = sv_plugin_enter(plugin, "(while it is loaded)");
	void *handle = load_code(path, code, &fd);
	sv_plugin_leave(before);
	const char *why = handle ? NULL : dlerror();
	if (!handle) {
		refuse_plugin(l, why ? why : "it cannot be loaded");
		return false;
	}
	const struct game_plugin *p = dlsym(handle, "proofd_game_plugin");
	why = find_misfit(p, sentence);
	if (!why)
		plugin->author = p->author;
	if (!why && add_games(l, plugin, p))
		return true;
	if (why)
		refuse_plugin(l, why);
	dlclose(handle);
	if (fd >= 0)
		close(fd);
	return false;
}

/* Looks for a plug-in among those that have crashed too often. */
struct verdict {
	uint64_t digest;
	struct sv_plugin_crash crash; /* count 0: it has not */
};

static void find_crash(void *ctx, const struct sv_plugin_crash *crash)
{
	struct verdict *v = ctx;
	if (crash->digest == v->digest)
		v->crash = *crash;
}

/* True when it has crashed too often; its games are then refused by name. */
static bool is_banned(const struct loading *l, uint64_t digest)
{
	struct verdict v = {.digest = digest};
	struct pd_fail fail;
	char why[320], *rest = NULL;
	if (!l->data)
		return false;
	if (sv_plugins_crashed(l->data, find_crash, &v, &fail)) {
		refuse_plugin(l, fail.text);
		return true;
	}
	if (v.crash.count < SV_PLUGIN_CRASHES)
		return false;
	snprintf(why, sizeof why,
		 "the plug-in %.100s has crashed %u times (last: %.60s); it is tried again when its file has changed, "
		 "or "
		 "after `proofctl plugins`",
		 l->file, v.crash.count, v.crash.last);
	refuse_plugin(l, why);
	for (char *game = strtok_r(v.crash.games, ",", &rest); game; game = strtok_r(NULL, ",", &rest))
		if (game_name_good(game))
			game_refuse(game, why);
	return true;
}

static bool is_loaded(uint64_t digest)
{
	const struct sv_plugin *p = loaded;
	while (p && p->digest != digest)
		p = p->next;
	return p != NULL;
}

static void load_file(const struct loading *l)
{
	char path[4096];
	struct pd_buf code;
	pd_buf_init(&code, FILE_BYTES_MAX);
	struct sv_plugin *plugin = calloc(1, sizeof *plugin);
	bool readable =
		snprintf(path, sizeof path, "%s/%s", l->dir, l->file) < (int)sizeof path && read_file(path, &code);
	bool used = false;
	if (!plugin || !readable || !code.size) {
		refuse_plugin(l, plugin ? "the file cannot be read, is empty, or is larger than 256 MB" : "no memory");
	} else if (strlen(l->file) >= sizeof plugin->file || strcspn(l->file, "\t\n\r") != strlen(l->file)) {
		refuse_plugin(l, "the name of its file is too long, or has control characters");
	} else {
		uint64_t digest = pd_hash64(code.data, code.size);
		plugin->digest = digest ? digest : 1;
		snprintf(plugin->file, sizeof plugin->file, "%s", l->file);
		used = !is_loaded(plugin->digest) && !is_banned(l, plugin->digest) &&
		       load_plugin(l, plugin, path, &code);
	}
	pd_buf_fini(&code);
	if (used) {
		make_note(plugin);
		plugin->next = loaded;
		loaded = plugin;
	} else {
		free(plugin);
	}
}

static int is_plugin(const struct dirent *entry)
{
	size_t size = strlen(entry->d_name);
	return size > 3 && entry->d_name[0] != '.' && !strcmp(entry->d_name + size - 3, ".so");
}

int sv_plugins_load(const struct sv_game_dirs *dirs, const char *data, void (*refused)(void *ctx, const char *sentence),
		    void *ctx, struct pd_fail *fail)
{
	int rc = sv_programs_load(dirs, refused, ctx, fail);
	for (unsigned i = 0; !rc && i < dirs->count; i++) {
		struct dirent **entries;
		int count = scandir(dirs->dir[i], &entries, is_plugin, alphasort);
		if (count < 0)
			return pd_fail_set(fail, errno == ENOENT ? PD_E_NOT_FOUND : PD_E_IO, "game-dir",
					   "the directory of plug-ins %.200s cannot be read: %s", dirs->dir[i],
					   strerror(errno));
		sv_plugin_catch();
		for (int j = 0; j < count; j++) {
			struct loading l = {dirs->dir[i], entries[j]->d_name, data, refused, ctx};
			if (j < FILES_MAX)
				load_file(&l);
			else if (j == FILES_MAX)
				refuse_plugin(&l, "there are more files than this program loads (256)");
			free(entries[j]);
		}
		free(entries);
	}
	return rc;
}
