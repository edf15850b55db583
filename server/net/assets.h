/* Assets: the files of the page (clients/web), which are part of the program. assets.cmake makes the table of them.
 *
 * The page itself, "/index.html", is the only file whose address stays. All others are in one folder, which is named by
 * a digest of their names and contents: what was fetched from an address never changes, and no version of the page can
 * meet the files of another one, because these are not there. */
#ifndef NT_ASSETS_H
#define NT_ASSETS_H

#include <stdbool.h>
#include <stddef.h>

struct nt_asset {
	const char *path; /* "/index.html", "/DIGEST/main.mjs" */
	const char *type; /* of the content, for HTTP */
	const char *tag;  /* another one when the content is another: a digest in quotation marks */
	const unsigned char *data;
	size_t size;
	bool fixed; /* its address names its content */
};

/* All of them; a row without a path is the last. */
extern const struct nt_asset nt_assets[];

/* The file at a path of `size` bytes; "/" is "/index.html". NULL when there is none. */
const struct nt_asset *nt_asset_find(const char *path, size_t size);

#endif
