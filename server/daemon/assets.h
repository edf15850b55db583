/* Assets: the files of the page (clients/web), which are part of the program. assets.cmake makes the table of them. */
#ifndef DM_ASSETS_H
#define DM_ASSETS_H

#include <stddef.h>

struct dm_asset {
	const char *path; /* "/index.html" */
	const char *type; /* of the content, for HTTP */
	const char *tag;  /* another one when the content is another: a digest in quotation marks */
	const unsigned char *data;
	size_t size;
};

/* All of them; a row without a path is the last. */
extern const struct dm_asset dm_assets[];

/* The file at a path of `size` bytes; "/" is "/index.html". NULL when there is none. */
const struct dm_asset *dm_asset_find(const char *path, size_t size);

#endif
