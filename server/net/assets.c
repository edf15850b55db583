#include "server/net/assets.h"

#include <string.h>

#include "proto/base/assert.h"

const struct nt_asset *nt_asset_find(const char *path, size_t size)
{
	static const char index[] = "/index.html";
	PD_ASSERT(path);
	if (size == 1 && path[0] == '/') {
		path = index;
		size = sizeof index - 1;
	}
	for (const struct nt_asset *asset = nt_assets; asset->path; asset++)
		if (strlen(asset->path) == size && !memcmp(asset->path, path, size))
			return asset;
	return NULL;
}
