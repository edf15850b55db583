#include "server/cluster/nats_module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/assert.h"

#define FILE_NAME "libproofd-nats.so"

/* NULL: the program's own is not known. */
static const char *own_directory(char out[PATH_MAX])
{
	ssize_t size = readlink("/proc/self/exe", out, PATH_MAX - 1);
	out[size > 0 ? size : 0] = 0;
	char *slash = strrchr(out, '/');
	if (!slash)
		return NULL;
	*slash = 0;
	return out;
}

/* NULL: `why` says of which file what is wrong. A file that is not there is passed over. */
static void *load(const char *dir, char why[200])
{
	char path[PATH_MAX + sizeof FILE_NAME];
	int size = dir ? snprintf(path, sizeof path, "%s/" FILE_NAME, dir) : 0;
	if (size <= 0 || (size_t)size >= sizeof path || access(path, F_OK))
		return NULL;
	void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!module)
		snprintf(why, 200, "%s", dlerror());
	return module;
}

static int find(void **out, struct pd_fail *fail)
{
	char own[PATH_MAX], why[200] = "";
	const char *named = getenv("PROOFD_MODULE_DIR");
	if (named && *named) {
		*out = load(named, why);
	} else {
		*out = load(own_directory(own), why);
		if (!*out && !*why)
			*out = load(PD_MODULE_DIR, why);
	}
	if (*out)
		return PD_OK;
	if (*why)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "workers",
				   "workers need " FILE_NAME ", which cannot be loaded: %s", why);
	return pd_fail_set(fail, PD_E_UNSUPPORTED, "workers",
			   "workers need " FILE_NAME
			   ", which is not in %.150s: the package proofd-cluster has it, and a build "
			   "where libnats-dev is installed",
			   named && *named ? named : PD_MODULE_DIR);
}

int sv_nats_open(const struct cn_config *config, struct sv_nats *out, struct pd_fail *fail)
{
	struct sv_nats nats = {0};
	void *code = NULL;
	PD_ASSERT(config->url && config->log);
	int rc = find(&code, fail);
	if (rc)
		return rc;
	const struct cn_module *m = dlsym(code, CN_MODULE_SYMBOL);
	if (!m || m->abi != CN_MODULE_ABI || m->size != sizeof *m || m->config_size != sizeof(struct cn_config) ||
	    m->events_size != sizeof(struct cp_events) || m->fail_size != sizeof(struct pd_fail) ||
	    strcmp(m->version, PD_VERSION) != 0) {
		dlclose(code);
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "workers",
				   FILE_NAME " is of another version than this program (" PD_VERSION
					     "): install both from the same build");
	}
	nats.module = m;
	rc = m->opener(config, &nats.opener, fail);
	if (!rc)
		*out = nats;
	return rc;
}

void sv_nats_close(struct sv_nats *nats)
{
	if (nats->module)
		nats->module->opener_end(&nats->opener);
	*nats = (struct sv_nats){0};
}

const char *sv_nats_where(const struct sv_nats *nats)
{
	PD_ASSERT(nats->module);
	return nats->module->where(&nats->opener);
}
