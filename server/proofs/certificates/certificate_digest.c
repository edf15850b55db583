#include "server/proofs/certificates/certificate_digest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/hash.h"
#include "server/proofs/certificates/certificate.h"
#include "server/proofs/certificates/proof_name.h"
#include "store/files.h"

enum {
	PIECE_MIN = 512, /* bytes of a piece of a compressed certificate */
	PIECE_MAX = 1 << 24,
	PLAIN_PIECE = 1 << 20,
	TRAILER = 16,
	DIGITS = 32
};

struct judging {
	int fd;
	uint64_t at, end; /* of the file, behind the header */
	bool (*go_on)(void *ctx);
	void *ctx;
	XXH3_state_t *digest;
	enum sv_damage reason; /* why it ended early */
};

static bool end_early(struct judging *j, enum sv_damage reason)
{
	j->reason = reason;
	return false;
}

/* Reads bytes that have to be there. */
static bool read_bytes(struct judging *j, uint64_t at, void *out, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pread(j->fd, (char *)out + done, size - done, (off_t)(at + done));
		if (n == 0 || (n < 0 && errno != EINTR))
			return end_early(j, SV_DAMAGED);
		done += n > 0 ? (size_t)n : 0;
	}
	return !j->go_on || j->go_on(j->ctx) || end_early(j, SV_UNJUDGED);
}

static bool add_plain(struct judging *j)
{
	uint8_t *piece = malloc(PLAIN_PIECE);
	bool good = piece || end_early(j, SV_UNJUDGED);
	while (good && j->at < j->end) {
		size_t size = j->end - j->at < PLAIN_PIECE ? (size_t)(j->end - j->at) : PLAIN_PIECE;
		good = read_bytes(j, j->at, piece, size);
		if (good)
			XXH3_128bits_update(j->digest, piece, size);
		j->at += size;
	}
	free(piece);
	return good;
}

/* Unpacks the next frame, of `size` bytes, to `want` bytes. */
static bool add_frame(struct judging *j, size_t size, size_t want, uint8_t *from, uint8_t *to)
{
	if (!size || size > want || size > j->end - j->at)
		return end_early(j, SV_DAMAGED);
	if (!read_bytes(j, j->at, from, size))
		return false;
	j->at += size;
	if (size < want && ZSTD_decompress(to, want, from, size) != want)
		return end_early(j, SV_DAMAGED);
	XXH3_128bits_update(j->digest, size < want ? to : from, want);
	return true;
}

static bool add_compressed(struct judging *j)
{
	uint8_t trailer[TRAILER], size[4];
	if (j->end - j->at < TRAILER)
		return end_early(j, SV_DAMAGED);
	if (!read_bytes(j, j->end - TRAILER, trailer, TRAILER))
		return false;
	uint64_t content = pd_get_le64(trailer), piece = pd_get_le32(trailer + 8), count = pd_get_le32(trailer + 12);
	j->end -= TRAILER;
	if (piece < PIECE_MIN || piece > PIECE_MAX || content > count * piece || content + piece <= count * piece ||
	    4 * count > j->end - j->at)
		return end_early(j, SV_DAMAGED);
	uint64_t sizes = j->end -= 4 * count;
	uint8_t *from = malloc(piece), *to = malloc(piece);
	bool good = (from && to) || end_early(j, SV_UNJUDGED);
	for (uint64_t i = 0; good && i < count; i++) {
		size_t want = i + 1 < count ? (size_t)piece : (size_t)(content - i * piece);
		good = read_bytes(j, sizes + 4 * i, size, sizeof size) &&
		       add_frame(j, pd_get_le32(size), want, from, to);
	}
	free(from);
	free(to);
	return good && (j->at == j->end || end_early(j, SV_DAMAGED));
}

/* Whether the digest in the header is that of the certificate, as one of a format. */
static bool has_digest(struct judging j, const struct sv_certificate_text *text, unsigned format,
		       enum sv_damage *reason)
{
	static const char first[] = "proofd certificate ", line[] = "\ndigest: ";
	char found[DIGITS + 2];
	XXH128_canonical_t bytes;
	size_t size = strlen(text->lines), last = sizeof line - 1 + DIGITS + 1;
	*reason = SV_DAMAGED;
	if (size < last + sizeof first || memcmp(text->lines + size - last, line, sizeof line - 1) != 0)
		return false;
	bool packed = format == SV_CERTIFICATE_RULES + 1 || format == SV_CERTIFICATE_CARDS + 1;
	char plain = (char)('0' + format - packed);
	j.at = size + 1;
	XXH3_128bits_reset(j.digest);
	XXH3_128bits_update(j.digest, text->lines, sizeof first - 1);
	XXH3_128bits_update(j.digest, &plain, 1);
	XXH3_128bits_update(j.digest, text->lines + sizeof first, size - last + 1 - sizeof first);
	if (j.at > j.end || !(packed ? add_compressed(&j) : add_plain(&j))) {
		*reason = j.reason;
		return false;
	}
	XXH128_canonicalFromHash(&bytes, XXH3_128bits_digest(j.digest));
	for (unsigned i = 0; i < sizeof bytes.digest; i++)
		snprintf(found + 2 * i, 3, "%02x", bytes.digest[i]);
	found[DIGITS] = '\n';
	return !memcmp(text->lines + size - DIGITS - 1, found, DIGITS + 1);
}

static enum sv_damage judge_file(const struct judging *j, const struct sv_certificate_text *text)
{
	enum sv_damage reason;
	unsigned format = sv_certificate_format(text);
	if (format >= SV_CERTIFICATE_RULES && format < SV_CERTIFICATE_PACKED)
		return has_digest(*j, text, format, &reason) ? SV_SOUND : reason;
	if (format != SV_CERTIFICATE_FIRST && format != SV_CERTIFICATE_PACKED)
		return SV_DAMAGED;
	for (format = SV_CERTIFICATE_RULES; format < SV_CERTIFICATE_PACKED; format++) /* or is it that digit? */
		if (has_digest(*j, text, format, &reason))
			return SV_DAMAGED;
		else if (reason == SV_UNJUDGED)
			return SV_UNJUDGED;
	return SV_FOREIGN;
}

enum sv_damage sv_certificate_judge(const char *path, const char *name, bool (*go_on)(void *ctx), void *ctx,
				    struct sv_certificate_text *text)
{
	struct judging j = {.go_on = go_on, .ctx = ctx, .reason = SV_DAMAGED};
	enum sv_damage damage = SV_UNJUDGED;
	j.fd = open(path, O_RDONLY | O_CLOEXEC);
	j.digest = XXH3_createState();
	if (j.fd >= 0 && j.digest && sv_certificate_text_read(path, text)) {
		j.end = text->bytes;
		bool named = sv_certificate_format(text) == SV_CERTIFICATE_FIRST || sv_proof_has_its_name(text, name);
		damage = named ? judge_file(&j, text) : SV_DAMAGED;
	}
	if (j.fd >= 0)
		close(j.fd);
	XXH3_freeState(j.digest);
	return damage;
}

/* Says why a certificate could not be judged; PD_OK: it is gone. */
static int report_unjudged(const char *path, struct pd_fail *fail)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? PD_OK : pd_fail_errno(fail, "proofs", "read", path);
	close(fd);
	return pd_fail_set(fail, PD_E_NO_MEMORY, "proofs", "no memory to read %.200s, or too many open files", path);
}

int sv_certificates_examine(const char *data,
			    int (*each)(void *ctx, const char *path, enum sv_damage damage, struct pd_fail *fail),
			    void *ctx, struct pd_fail *fail)
{
	char directory[ST_PATH], path[ST_PATH], name[SV_PROOF_DIGITS + 1];
	size_t count = 0;
	uint64_t bytes;
	struct sv_kept *found = NULL;
	int rc = st_path(directory, data, "proofs", "", fail);
	rc = rc ? rc : sv_certificates_list(directory, &found, &count, &bytes, fail);
	struct sv_certificate_text *text = malloc(sizeof *text);
	if (!rc && !text)
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to read certificates");
	for (size_t i = 0; !rc && i < count; i++) {
		if (!sv_proof_is_file(found[i].name))
			continue;
		snprintf(name, sizeof name, "%.*s", SV_PROOF_DIGITS, found[i].name);
		rc = st_path(path, directory, found[i].name, "", fail);
		enum sv_damage damage = rc ? SV_UNJUDGED : sv_certificate_judge(path, name, NULL, NULL, text);
		if (!rc && damage == SV_UNJUDGED)
			rc = report_unjudged(path, fail);
		rc = rc ? rc : each(ctx, path, damage, fail);
	}
	free(found);
	free(text);
	return rc;
}
