#include "server/cluster/transport.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/assert.h"

/* The directory of this program; NULL: unknown. */
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

/* Loads a module; NULL: it does not exist, or `why` says why it cannot be loaded. */
static void *load_from(const char *dir, const char *file, char why[200])
{
	char path[PATH_MAX];
	int size = dir ? snprintf(path, sizeof path, "%s/%s", dir, file) : 0;
	if (size <= 0 || (size_t)size >= sizeof path || access(path, F_OK))
		return NULL;
	void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!module)
		snprintf(why, 200, "%s", dlerror());
	return module;
}

static int find_module(const char *file, void **out, struct pd_fail *fail)
{
	char own[PATH_MAX], why[200] = "";
	const char *named = getenv("PROOFD_MODULE_DIR");
	if (named && *named) {
		*out = load_from(named, file, why);
	} else {
		*out = load_from(own_directory(own), file, why);
		if (!*out && !*why)
			*out = load_from(PD_MODULE_DIR, file, why);
	}
	if (*out)
		return PD_OK;
	if (*why)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "workers", "workers need %s, which cannot be loaded: %s",
				   file, why);
	return pd_fail_set(fail, PD_E_UNSUPPORTED, "workers",
			   "workers need %s, which is not in %.150s: install the package proofd-cluster, or build with "
			   "libnats-dev installed",
			   file, named && *named ? named : PD_MODULE_DIR);
}

static int load_module(const char *file, const struct cp_transport **out, struct pd_fail *fail)
{
	void *code = NULL;
	int rc = find_module(file, &code, fail);
	if (rc)
		return rc;
	const struct cp_transport *t = dlsym(code, CP_TRANSPORT_SYMBOL);
	if (!t || t->abi != CP_TRANSPORT_ABI || t->size != sizeof *t || t->config_size != sizeof(struct cp_config) ||
	    t->events_size != sizeof(struct cp_events) || t->fail_size != sizeof(struct pd_fail) ||
	    strcmp(t->version, PD_VERSION) != 0) {
		dlclose(code);
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "workers",
				   "%s is of another version than this program (" PD_VERSION
				   "): install both from the same build",
				   file);
	}
	*out = t;
	return PD_OK;
}

#define MODULE(scheme, file)
#define BUILT_IN(scheme, name) extern const struct cp_transport sv_transport_##name;
#include "server/cluster/transports.def"
#undef MODULE
#undef BUILT_IN

static const struct {
	const char *scheme, *module;
	const struct cp_transport *built_in;
} transports[] = {
#define MODULE(scheme, file)   {scheme, file, NULL},
#define BUILT_IN(scheme, name) {scheme, NULL, &sv_transport_##name},
#include "server/cluster/transports.def"
};

static bool has_scheme(const char *url, const char *scheme)
{
	size_t size = strlen(scheme);
	return !strncmp(url, scheme, size) && !strncmp(url + size, "://", 3);
}

int sv_transport_open(const struct cp_config *config, struct sv_transport *out, struct pd_fail *fail)
{
	struct sv_transport transport = {.type = NULL};
	PD_ASSERT(config->url && config->log);
	size_t i = sizeof transports / sizeof *transports - 1;
	while (i && !has_scheme(config->url, transports[i].scheme))
		i--;
	transport.type = transports[i].built_in;
	int rc = transport.type ? PD_OK : load_module(transports[i].module, &transport.type, fail);
	if (!rc)
		rc = transport.type->opener(config, &transport.opener, fail);
	if (!rc)
		*out = transport;
	return rc;
}

void sv_transport_close(struct sv_transport *transport)
{
	if (transport->type)
		transport->type->end(&transport->opener);
	*transport = (struct sv_transport){.type = NULL};
}

const char *sv_transport_where(const struct sv_transport *transport)
{
	PD_ASSERT(transport->type);
	return transport->type->where(&transport->opener);
}
