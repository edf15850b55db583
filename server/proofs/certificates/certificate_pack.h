/* Certificate pack: the frames of a compressed certificate (format 3 of proto/CERTIFICATE.md).
 *
 * What follows the header is cut into pieces of equal size, and each becomes a frame of zstd: one piece can be unpacked
 * without the others. A piece that zstd makes no smaller, or smaller than the format allows, is written as it is. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/base/buf.h"

enum {
	SV_PACK_PIECE = 1 << 18, /* bytes of a piece: larger ones compress no better by much */
	SV_PACK_RATIO = 64       /* bytes of content for one byte of a frame, at most */
};

struct sv_pack {
	void *context;     /* owned: zstd's */
	char *piece;       /* owned: content that is not written yet */
	char *frame;       /* owned */
	size_t used, room; /* bytes in `piece`; bytes that `frame` can take */
	struct pd_buf index;
	uint64_t content, written; /* bytes */
	bool no_memory;            /* why a function failed; else errno says it */
};

/* False without memory; sv_pack_fini follows in any case. */
bool sv_pack_init(struct sv_pack *pack);
void sv_pack_fini(struct sv_pack *pack);
bool sv_pack_put(struct sv_pack *pack, FILE *file, const void *data, size_t size);
/* Writes what is left and the index. */
bool sv_pack_end(struct sv_pack *pack, FILE *file);
