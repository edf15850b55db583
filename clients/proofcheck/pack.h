/* Pack: a compressed certificate (formats 3 and 5 of proto/CERTIFICATE.md) as the certificate of format 2 or 4 that it
 * stands for.
 *
 * The content gets a range of memory of its full size, which is filled frame by frame: all frames for a check, or only
 * those that are read. Unfilled memory takes no room. Content larger than CK_PACK_MEMORY is unpacked to a temporary
 * file without a name (in TMPDIR, by default /var/tmp). Nothing in the file is trusted: no frame writes more than its
 * piece of the content, and no content is larger than CK_PACK_RATIO times the file. */
#pragma once

#include "clients/proofcheck/header.h"

enum {
	CK_PACK_RATIO = 64,      /* bytes of content for one byte of a frame, at most */
	CK_PACK_PIECE_MIN = 512, /* bytes of content in a frame */
	CK_PACK_PIECE_MAX = 1 << 24
};
#define CK_PACK_MEMORY (UINT64_C(1) << 30) /* bytes */

struct ck_pack {
	const uint8_t *bytes; /* borrowed: the file */
	uint8_t *content;     /* owned: the header, then the content of the frames; NULL: not open */
	uint64_t size;        /* of the content, bytes */
	uint64_t header;      /* bytes of the content's header */
	uint64_t piece, frames;
	uint64_t *at;  /* owned: offset of each frame in the file, and the end of the last one */
	uint8_t *done; /* owned: 1 for each frame that is unpacked */
	void *context; /* owned: zstd's */
	bool no_memory;
};

/* Reads the index at the end of the file; `header` is the size of the file's header. False and a fault when the file
 * does not have this form, or for lack of memory (no_memory). ck_pack_close follows in any case. */
bool ck_pack_open(struct ck_pack *pack, const uint8_t *bytes, uint64_t size, uint64_t header, struct ck_fault *fault);
void ck_pack_close(struct ck_pack *pack);

/* Unpacks the frames that hold `size` bytes of the content from `offset` on. False and a fault when one is damaged. */
bool ck_pack_reach(struct ck_pack *pack, uint64_t offset, uint64_t size, struct ck_fault *fault);
/* Unpacks everything, content of more than `most` bytes to a temporary file. False and a fault when a frame is damaged,
 * or there is no room for the content (no_memory). */
bool ck_pack_all(struct ck_pack *pack, uint64_t most, struct ck_fault *fault);
