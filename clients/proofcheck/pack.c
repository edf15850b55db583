#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "clients/proofcheck/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"

enum { TRAILER = 16 };

static bool no_room(struct ck_pack *p, struct ck_fault *fault)
{
	p->no_memory = true;
	return ck_fault_set(fault, 0, "there is not enough memory to unpack %" PRIu64 " bytes", p->size);
}

/* Bytes of content in a frame. */
static uint64_t piece_of(const struct ck_pack *p, uint64_t frame)
{
	uint64_t rest = p->size - p->header - frame * p->piece;
	PD_ASSERT(frame < p->frames && rest >= 1);
	return rest < p->piece ? rest : p->piece;
}

/* Reads the size of each frame; `index` is the offset of the first size. */
static bool read_index(struct ck_pack *p, uint64_t index, struct ck_fault *fault)
{
	uint64_t at = p->header;
	for (uint64_t i = 0; i < p->frames; i++) {
		uint64_t slot = index + 4 * i, size = pd_get_le32(p->bytes + slot), piece = piece_of(p, i);
		p->at[i] = at;
		if (!size || size > piece || size > index - at)
			return ck_fault_set(fault, slot,
					    "the index says that frame %" PRIu64 " has %" PRIu64
					    " bytes, where it can have 1 to %" PRIu64,
					    i, size, piece < index - at ? piece : index - at);
		if (piece > size * CK_PACK_RATIO)
			return ck_fault_set(fault, slot,
					    "frame %" PRIu64 " has %" PRIu64 " bytes, too few for %" PRIu64
					    " bytes of content: the limit is 1 for %d",
					    i, size, piece, CK_PACK_RATIO);
		at += size;
	}
	p->at[p->frames] = at;
	return at == index ||
	       ck_fault_set(fault, at, "%" PRIu64 " bytes are between the last frame and the index", index - at);
}

/* Copies the header to the content, where it names the format before. */
static void copy_header(struct ck_pack *p)
{
	memcpy(p->content, p->bytes, (size_t)p->header);
	p->content[CK_FORMAT_DIGIT]--;
}

/* Reserves memory for the content, with its header. */
static bool reserve_content(struct ck_pack *p, struct ck_fault *fault)
{
	void *at =
		mmap(NULL, (size_t)p->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return no_room(p, fault);
	p->content = at;
	copy_header(p);
	return true;
}

bool ck_pack_open(struct ck_pack *p, const uint8_t *bytes, uint64_t size, uint64_t header, struct ck_fault *fault)
{
	PD_ASSERT(header > CK_FORMAT_DIGIT && header <= size && bytes[CK_FORMAT_DIGIT] % 2 == '3' % 2);
	*p = (struct ck_pack){.bytes = bytes, .header = header};
	if (size - header < TRAILER)
		return ck_fault_set(fault, header, "the file ends before its last %d bytes", TRAILER);
	const uint8_t *trailer = bytes + size - TRAILER;
	uint64_t content = pd_get_le64(trailer), room = (size - header - TRAILER) / 4;
	p->piece = pd_get_le32(trailer + 8);
	p->frames = pd_get_le32(trailer + 12);
	if (p->piece < CK_PACK_PIECE_MIN || p->piece > CK_PACK_PIECE_MAX)
		return ck_fault_set(fault, size - 8,
				    "the piece of a frame has %" PRIu64 " bytes; it should have %d to %d", p->piece,
				    CK_PACK_PIECE_MIN, CK_PACK_PIECE_MAX);
	if (p->frames > room || content / p->piece + (content % p->piece != 0) != p->frames)
		return ck_fault_set(fault, size - TRAILER,
				    "%" PRIu64 " bytes of content in pieces of %" PRIu64 " do not make %" PRIu64
				    " frames",
				    content, p->piece, p->frames);
	p->size = header + content;
	p->at = malloc((p->frames + 1) * sizeof *p->at);
	p->done = calloc(p->frames + 1, 1);
	p->context = ZSTD_createDCtx();
	if (!p->at || !p->done || !p->context)
		return no_room(p, fault);
	return read_index(p, size - TRAILER - 4 * p->frames, fault) && reserve_content(p, fault);
}

void ck_pack_close(struct ck_pack *p)
{
	if (p->content)
		munmap(p->content, (size_t)p->size);
	free(p->at);
	free(p->done);
	ZSTD_freeDCtx(p->context);
	*p = (struct ck_pack){0};
}

/* Unpacks a frame; NULL on success, else an error message. A frame as long as its content is stored uncompressed. */
static const char *unpack_frame(struct ck_pack *p, uint64_t frame)
{
	size_t size = (size_t)(p->at[frame + 1] - p->at[frame]), piece = (size_t)piece_of(p, frame);
	const uint8_t *from = p->bytes + p->at[frame];
	uint8_t *to = p->content + p->header + frame * p->piece;
	if (size == piece) {
		memcpy(to, from, size);
		return NULL;
	}
	if (size < 4 || pd_get_le32(from) != ZSTD_MAGICNUMBER)
		return "it does not begin like a zstd frame";
	size_t whole = ZSTD_findFrameCompressedSize(from, size);
	if (ZSTD_isError(whole))
		return ZSTD_getErrorName(whole);
	if (whole != size)
		return "the zstd frame is shorter than the index says";
	size_t got = ZSTD_decompressDCtx(p->context, to, piece, from, size);
	if (ZSTD_isError(got))
		return ZSTD_getErrorName(got);
	return got == piece ? NULL : "it has less content than its piece";
}

static bool unpack_once(struct ck_pack *p, uint64_t frame, struct ck_fault *fault)
{
	if (p->done[frame])
		return true;
	const char *why = unpack_frame(p, frame);
	p->done[frame] = !why;
	return !why || ck_fault_set(fault, p->at[frame], "frame %" PRIu64 " cannot be unpacked: %s", frame, why);
}

bool ck_pack_reach(struct ck_pack *p, uint64_t offset, uint64_t size, struct ck_fault *fault)
{
	PD_ASSERT(offset <= p->size && size <= p->size - offset);
	uint64_t begin = offset > p->header ? offset - p->header : 0,
		 end = offset + size > p->header ? offset + size - p->header : 0;
	for (uint64_t i = begin / p->piece; i * p->piece < end; i++)
		if (!unpack_once(p, i, fault))
			return false;
	return true;
}

/* Replaces the memory by a mapped temporary file. */
static bool move_to_file(struct ck_pack *p, struct ck_fault *fault)
{
	const char *place = getenv("TMPDIR");
	char name[4096];
	int n = snprintf(name, sizeof name, "%s/proofcheck-XXXXXX", place && *place ? place : "/var/tmp");
	int fd = n < (int)sizeof name ? mkstemp(name) : -1, error = fd < 0 ? errno : 0;
	if (fd >= 0) {
		unlink(name);
		error = posix_fallocate(fd, 0, (off_t)p->size);
		if (!error && mmap(p->content, (size_t)p->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
				   0) == MAP_FAILED)
			error = errno;
		close(fd);
	}
	if (!error) {
		copy_header(p);
		memset(p->done, 0, p->frames);
		return true;
	}
	p->no_memory = true;
	return ck_fault_set(fault, 0,
			    "there is not enough room to unpack %" PRIu64
			    " bytes in %.200s: %s; set TMPDIR to another directory",
			    p->size, place && *place ? place : "/var/tmp", strerror(error));
}

bool ck_pack_all(struct ck_pack *p, uint64_t most, struct ck_fault *fault)
{
	if (p->size > most && !move_to_file(p, fault))
		return false;
	for (uint64_t i = 0; i < p->frames; i++)
		if (!unpack_once(p, i, fault))
			return false;
	return true;
}
