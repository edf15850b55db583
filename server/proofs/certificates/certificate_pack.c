#include "server/proofs/certificates/certificate_pack.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"

enum { LEVEL = 9 };

static bool no_memory(struct sv_pack *p)
{
	p->no_memory = true;
	return false;
}

bool sv_pack_init(struct sv_pack *p)
{
	*p = (struct sv_pack){.room = ZSTD_compressBound(SV_PACK_PIECE)};
	pd_buf_init(&p->index, SIZE_MAX / 2);
	p->context = ZSTD_createCCtx();
	p->piece = malloc(SV_PACK_PIECE);
	p->frame = malloc(p->room);
	if (!p->context || !p->piece || !p->frame ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(p->context, ZSTD_c_compressionLevel, LEVEL)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(p->context, ZSTD_c_checksumFlag, 1)))
		return no_memory(p);
	return true;
}

void sv_pack_fini(struct sv_pack *p)
{
	ZSTD_freeCCtx(p->context);
	free(p->piece);
	free(p->frame);
	pd_buf_fini(&p->index);
}

static bool write_bytes(struct sv_pack *p, FILE *file, const void *data, size_t size)
{
	p->written += size;
	return !size || fwrite(data, 1, size, file) == size;
}

static bool end_piece(struct sv_pack *p, FILE *file)
{
	uint8_t bytes[4];
	PD_ASSERT(p->used >= 1 && p->used <= SV_PACK_PIECE);
	size_t size = ZSTD_compress2(p->context, p->frame, p->room, p->piece, p->used);
	if (ZSTD_isError(size)) /* with room for any frame, only memory can fail */
		return no_memory(p);
	bool good = size < p->used && size * SV_PACK_RATIO >= p->used;
	size = good ? size : p->used;
	pd_put_le32(bytes, (uint32_t)size);
	pd_buf_put(&p->index, bytes, sizeof bytes);
	p->content += p->used;
	p->used = 0;
	if (p->index.failed)
		return no_memory(p);
	return write_bytes(p, file, good ? p->frame : p->piece, size);
}

bool sv_pack_put(struct sv_pack *p, FILE *file, const void *data, size_t size)
{
	const char *from = data;
	while (size) {
		size_t part = SV_PACK_PIECE - p->used < size ? SV_PACK_PIECE - p->used : size;
		memcpy(p->piece + p->used, from, part);
		p->used += part;
		from += part;
		size -= part;
		if (p->used == SV_PACK_PIECE && !end_piece(p, file))
			return false;
	}
	return true;
}

bool sv_pack_end(struct sv_pack *p, FILE *file)
{
	uint8_t trailer[16];
	if (p->used && !end_piece(p, file))
		return false;
	PD_ASSERT(p->index.size / 4 <= UINT32_MAX);
	pd_put_le64(trailer, p->content);
	pd_put_le32(trailer + 8, SV_PACK_PIECE);
	pd_put_le32(trailer + 12, (uint32_t)(p->index.size / 4));
	return write_bytes(p, file, p->index.data, p->index.size) && write_bytes(p, file, trailer, sizeof trailer);
}
