/* Assets: the files of the page (clients/web), which are compiled in. assets.cmake makes their table.
 *
 * Only the page itself, "/index.html", has a fixed address. All others are in one folder named by a digest of their
 * names and contents: content at an address never changes, and files of different versions never mix. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct nt_asset {
	const char *path; /* "/index.html", "/DIGEST/main.mjs" */
	const char *type; /* Content-Type */
	const char *tag;  /* ETag: a digest in quotation marks */
	const unsigned char *data;
	size_t size;
	bool fixed; /* its address contains the digest */
};

/* All of them; the last row has no path. */
extern const struct nt_asset nt_assets[];

/* The file at a path of `size` bytes; "/" is "/index.html". NULL: there is none. */
const struct nt_asset *nt_asset_find(const char *path, size_t size);
