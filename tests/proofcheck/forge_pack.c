#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "proto/base/bytes.h"
#include "tests/proofcheck/forge.h"

/* Forge: the compressed form, implemented from proto/CERTIFICATE.md independently of the checker. */

enum { TRAILER = 16, RATIO = 64, PIECE_MIN = 512, PIECE_MAX = 1 << 24 };

static const char magic[] = "proofd certificate ";

/* The size of the header with its empty line; all bytes if there is none. */
static size_t header_of(const struct pd_buf *file)
{
	for (size_t i = 1; i < file->size; i++)
		if (file->data[i - 1] == '\n' && file->data[i] == '\n')
			return i + 1;
	return file->size;
}

/* Whether the file names a format that is compressed, or one that is not. */
static bool is_format(const struct pd_buf *file, bool compressed)
{
	return file->size > sizeof magic && !memcmp(file->data, magic, sizeof magic - 1) &&
	       memchr(compressed ? "35" : "24", file->data[sizeof magic - 1], 2) && file->data[sizeof magic] == '\n';
}

bool forge_is_packed(const struct pd_buf *file)
{
	return is_format(file, true);
}

void forge_pack(struct pd_buf *file, uint32_t piece)
{
	size_t header = header_of(file), size = file->size - header, room = ZSTD_compressBound(piece);
	struct pd_buf out, index;
	uint8_t trailer[TRAILER], number[4];
	char *frame = malloc(room);
	uint32_t frames = 0;
	if (!frame || !is_format(file, false))
		abort();
	pd_buf_init(&out, SIZE_MAX);
	pd_buf_init(&index, SIZE_MAX);
	pd_buf_put(&out, file->data, header);
	out.data[sizeof magic - 1]++;
	for (size_t at = 0; at < size; at += piece, frames++) {
		size_t part = size - at < piece ? size - at : piece;
		const char *from = file->data + header + at;
		size_t n = ZSTD_compress(frame, room, from, part, 1 + (int)(frames % 9));
		bool good = !ZSTD_isError(n) && n < part && n * RATIO >= part;
		pd_put_le32(number, (uint32_t)(good ? n : part));
		pd_buf_put(&index, number, sizeof number);
		pd_buf_put(&out, good ? frame : from, good ? n : part);
	}
	pd_put_le64(trailer, size);
	pd_put_le32(trailer + 8, piece);
	pd_put_le32(trailer + 12, frames);
	if (index.size)
		pd_buf_put(&out, index.data, index.size);
	pd_buf_put(&out, trailer, sizeof trailer);
	if (out.failed || index.failed)
		abort();
	free(frame);
	pd_buf_fini(&index);
	pd_buf_fini(file);
	*file = out;
}

/* One frame of `size` bytes into `part` bytes. */
static bool unpack_frame(const char *from, size_t size, char *to, size_t part)
{
	if (size == part) {
		memcpy(to, from, size);
		return true;
	}
	return size >= 4 && size < part && size * RATIO >= part && pd_get_le32((const uint8_t *)from) == 0xFD2FB528 &&
	       ZSTD_findFrameCompressedSize(from, size) == size && ZSTD_decompress(to, part, from, size) == part;
}

bool forge_unpack(const struct pd_buf *file, struct pd_buf *out)
{
	size_t at = header_of(file), end = file->size - TRAILER;
	pd_buf_reset(out);
	if (!forge_is_packed(file) || file->size < at + TRAILER)
		return false;
	const uint8_t *trailer = (const uint8_t *)file->data + end;
	uint64_t size = pd_get_le64(trailer), piece = pd_get_le32(trailer + 8), frames = pd_get_le32(trailer + 12);
	if (piece < PIECE_MIN || piece > PIECE_MAX || frames > (end - at) / 4 || size > frames * piece ||
	    size + piece <= frames * piece)
		return false;
	const uint8_t *index = trailer - 4 * frames;
	end -= 4 * frames;
	pd_buf_put(out, file->data, at);
	out->data[sizeof magic - 1]--;
	for (uint64_t i = 0; i < frames; i++) {
		size_t n = pd_get_le32(index + 4 * i), part = size < piece ? size : piece;
		if (!n || n > end - at || n * RATIO < part || !pd_buf_reserve(out, part) ||
		    !unpack_frame(file->data + at, n, out->data + out->size, part))
			return false;
		out->size += part;
		at += n;
		size -= part;
	}
	pd_buf_put(out, "", 0);
	return at == end;
}
