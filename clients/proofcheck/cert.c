#include "clients/proofcheck/cert.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/hash.h"

enum { BLOCK_BYTES_MIN = 12 };

/* --- parts -------------------------------------------------------------------------------- */

bool ck_cert_reach(const struct ck_cert *cert, uint64_t offset, uint64_t size, struct ck_fault *fault)
{
	return !cert->lazy || ck_pack_reach(cert->lazy, offset, size, fault);
}

static bool locate_blocks(struct ck_cert *cert, struct ck_fault *fault)
{
	const struct ck_header *h = &cert->header;
	uint64_t rest = cert->size - cert->body;
	if (h->graph > rest)
		return ck_fault_set(fault, cert->body,
				    "the graph should have %" PRIu64 " bytes, but the file ends earlier", h->graph);
	cert->first_block = cert->body + h->graph;
	rest -= h->graph;
	if (h->blocks > rest / (8 + BLOCK_BYTES_MIN))
		return ck_fault_set(fault, cert->first_block, "the file is too short for %" PRIu64 " blocks",
				    h->blocks);
	cert->index = cert->size - 8 * h->blocks;
	if (!h->blocks && rest)
		return ck_fault_set(fault, cert->first_block,
				    "the header says that there are no blocks, but %" PRIu64 " bytes follow", rest);
	if (h->blocks && !ck_cert_reach(cert, cert->index, 8, fault))
		return false;
	if (h->blocks && ck_block_offset(cert, 0) != cert->first_block)
		return ck_fault_set(fault, cert->index,
				    "the index says that the first block begins at byte %" PRIu64
				    ", but it begins at %" PRIu64,
				    ck_block_offset(cert, 0), cert->first_block);
	PD_ASSERT(cert->body <= cert->first_block && cert->first_block <= cert->index && cert->index <= cert->size);
	return true;
}

enum ck_verdict ck_cert_open(struct ck_cert *cert, const uint8_t *bytes, uint64_t size, struct ck_fault *fault)
{
	memset(cert, 0, sizeof *cert);
	cert->bytes = bytes;
	cert->size = size;
	enum ck_verdict verdict = ck_header_read(bytes, size, &cert->header, &cert->body, fault);
	if (verdict != CK_VERIFIED)
		return verdict;
	if (cert->header.format == CK_FORMAT_PACKED) {
		ck_fault_set(fault, 0, "a packed certificate must be unpacked first");
		return CK_UNKNOWN;
	}
	if (ck_is_compressed(&cert->header)) {
		cert->lazy = &cert->pack;
		if (!ck_pack_open(&cert->pack, bytes, size, cert->body, fault))
			return cert->pack.no_memory ? CK_UNKNOWN : CK_REJECTED;
		cert->bytes = cert->pack.content;
		cert->size = cert->pack.size;
	}
	return locate_blocks(cert, fault) ? CK_VERIFIED : CK_REJECTED;
}

enum ck_verdict ck_cert_prepare(struct ck_cert *cert, struct ck_fault *fault)
{
	uint64_t blocks = cert->header.blocks;
	PD_ASSERT(!cert->prefix);
	if (cert->lazy && !ck_pack_all(cert->lazy, CK_PACK_MEMORY, fault))
		return cert->lazy->no_memory ? CK_UNKNOWN : CK_REJECTED;
	cert->lazy = NULL;
	cert->prefix = malloc((blocks ? blocks : 1) * sizeof *cert->prefix);
	if (cert->prefix)
		return CK_VERIFIED;
	ck_fault_set(fault, cert->index, "there is not enough memory for %" PRIu64 " blocks", blocks);
	return CK_UNKNOWN;
}

void ck_cert_close(struct ck_cert *cert)
{
	free(cert->prefix);
	cert->prefix = NULL;
	free(cert->owned);
	cert->owned = NULL;
	ck_pack_close(&cert->pack);
	cert->lazy = NULL;
}

void ck_cert_digest(const struct ck_cert *cert, char out[33])
{
	const struct ck_header *h = &cert->header;
	XXH3_state_t state;
	PD_ASSERT(cert->body <= cert->size && h->digest_line <= cert->body);
	XXH3_INITSTATE(&state);
	XXH3_128bits_reset(&state);
	XXH3_128bits_update(&state, cert->bytes, h->digest_line);
	XXH3_128bits_update(&state, cert->bytes + cert->body, cert->size - cert->body);
	XXH128_hash_t hash = XXH3_128bits_digest(&state);
	snprintf(out, 33, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64, (uint64_t)hash.low64);
}

uint64_t ck_block_offset(const struct ck_cert *cert, uint64_t block)
{
	PD_ASSERT(block <= cert->header.blocks);
	return block == cert->header.blocks ? cert->index : pd_get_le64(cert->bytes + cert->index + 8 * block);
}

/* --- records ------------------------------------------------------------------------------ */

static const char unknown_flags[] = "a reason has unknown flags";

/* Reads the card of a reason. NULL on success, else an error message. */
static const char *read_card(const uint8_t **at, const uint8_t *end, struct ck_reason *r)
{
	const uint8_t *p = *at;
	if (r->has_move || r->has_effort)
		return "a reason with a card has no move and no effort";
	if (!(p = ck_varint_read(p, end, &r->theorem)) || r->theorem < 1 || r->theorem > CK_THEOREM_MAX)
		return "the theorem of a card must be a varint from 1 to 65535";
	if (!(p = ck_varint_read(p, end, &r->size)) || r->size > CK_WITNESS_MAX)
		return "the size of a witness must be a varint from 0 to 512";
	if (r->size > (uint64_t)(end - p))
		return "a witness is cut off by the end of the block";
	r->witness = p;
	*at = p + r->size;
	return NULL;
}

const char *ck_reason_read(const uint8_t **at, const uint8_t *end, struct ck_reason *r)
{
	const uint8_t *p = *at;
	uint64_t n;
	if (p == end)
		return "a reason is cut off by the end of the block";
	unsigned flags = *p++;
	if (flags > (CK_FLAG_UPPER | CK_FLAG_RANK | CK_FLAG_MOVE | CK_FLAG_EFFORT | CK_FLAG_CARD))
		return unknown_flags;
	r->upper = flags & CK_FLAG_UPPER;
	r->has_rank = flags & CK_FLAG_RANK;
	r->has_move = flags & CK_FLAG_MOVE;
	r->has_effort = flags & CK_FLAG_EFFORT;
	r->has_card = flags & CK_FLAG_CARD;
	r->rank = r->move = r->effort = r->theorem = r->size = 0;
	r->witness = NULL;
	p = ck_varint_read(p, end, &n);
	if (!p)
		return "the bound of a reason is cut off, or not as short as it can be";
	r->bound = (int64_t)(n >> 1) ^ -(int64_t)(n & 1);
	if (r->has_rank && (!(p = ck_varint_read(p, end, &r->rank)) || r->rank < 1 || r->rank > CK_RANK_MAX))
		return "the rank of a reason must be a varint from 1 to 65534";
	if (r->has_move && (!(p = ck_varint_read(p, end, &r->move)) || r->move > CK_MOVE_MAX))
		return "the move of a reason must be a varint from 0 to 65534";
	if (r->has_effort && (!(p = ck_varint_read(p, end, &r->effort)) || r->effort < 1))
		return "the effort of a reason must be a varint of at least 1";
	const char *why = r->has_card ? read_card(&p, end, r) : NULL;
	if (!why)
		*at = p;
	return why;
}

/* The offsets of a block's first byte and of its end; false when the index is inconsistent there. */
static bool block_span(const struct ck_cert *cert, uint64_t block, uint64_t *begin, uint64_t *end,
		       struct ck_fault *fault)
{
	uint64_t slot = cert->index + 8 * block;
	if (!ck_cert_reach(cert, slot, block + 1 < cert->header.blocks ? 16 : 8, fault))
		return false;
	*begin = ck_block_offset(cert, block);
	*end = ck_block_offset(cert, block + 1);
	if (*begin < cert->first_block || *begin > cert->index || cert->index - *begin < CK_BLOCK_HEAD)
		return ck_fault_set(fault, slot,
				    "the index says that block %" PRIu64 " begins at byte %" PRIu64
				    ", where no block can begin",
				    block, *begin);
	if (!ck_cert_reach(cert, *begin, CK_BLOCK_HEAD, fault))
		return false;
	uint64_t size = pd_get_le32(cert->bytes + *begin);
	if (*end < *begin || *end > cert->index || *end - *begin != size + 4)
		return ck_fault_set(fault, *begin,
				    "block %" PRIu64 " says that it has %" PRIu64
				    " bytes, but the next part begins at byte %" PRIu64,
				    block, size, *end);
	if (size < 2)
		return ck_fault_set(fault, *begin, "block %" PRIu64 " is too short for the count of its records",
				    block);
	return ck_cert_reach(cert, *begin, size + 4, fault);
}

bool ck_walk_begin(const struct ck_cert *cert, uint64_t block, struct ck_walk *w, struct ck_fault *fault)
{
	uint64_t begin, end;
	if (!block_span(cert, block, &begin, &end, fault))
		return false;
	w->base = cert->bytes;
	w->next = cert->bytes + begin + CK_BLOCK_HEAD;
	w->end = cert->bytes + end;
	w->left = pd_get_le16(cert->bytes + begin + 4);
	w->cards = ck_has_cards(&cert->header);
	w->record.key_size = 0;
	w->record.reason = NULL;
	w->record.reasons = 0;
	return (w->left > 0 && w->left <= CK_BLOCK_RECORDS_MAX) ||
	       ck_fault_set(fault, begin + 4, "block %" PRIu64 " has %u records; it should have 1 to %d", block,
			    w->left, CK_BLOCK_RECORDS_MAX);
}

/* Reads the key of the record that follows w->record. NULL on success, else an error message. */
static const char *read_key(struct ck_walk *w)
{
	struct ck_record *r = &w->record;
	uint64_t shared, rest;
	const uint8_t *p = ck_varint_read(w->next, w->end, &shared);
	p = p ? ck_varint_read(p, w->end, &rest) : NULL;
	if (!p || rest > (uint64_t)(w->end - p))
		return "the key of a record is cut off by the end of the block, or its lengths are not as short as "
		       "they can be";
	if (shared > r->key_size)
		return "a key shares more bytes with the one before it than that one has";
	if (rest > CK_KEY_MAX || shared + rest > CK_KEY_MAX)
		return "a key is longer than any key can be";
	if (!rest || (shared < r->key_size && p[0] < r->key[shared]))
		return "a key is not greater than the one before it";
	if (shared < r->key_size && p[0] == r->key[shared])
		return "a key shares more bytes with the one before it than the record says";
	memcpy(r->key + shared, p, rest);
	r->key_size = (size_t)(shared + rest);
	w->next = p + rest;
	return NULL;
}

/* Reads the number of a record's reasons. */
static const uint8_t *read_count(const uint8_t *p, const uint8_t *end, unsigned *out)
{
	uint64_t n = 0;
	p = ck_varint_read(p, end, &n);
	*out = (unsigned)n;
	return p && n && n <= CK_REASONS_MAX ? p : NULL;
}

bool ck_walk_next(struct ck_walk *w, bool *wrong, struct ck_fault *fault)
{
	struct ck_record *r = &w->record;
	const char *why = NULL;
	PD_ASSERT(w->next <= w->end);
	*wrong = false;
	r->start = w->next;
	r->offset = (uint64_t)(w->next - w->base);
	if (!w->left && w->next == w->end)
		return false;
	if (!w->left)
		why = "bytes follow the last record of a block";
	else if (!(why = read_key(w)) && !(r->reason = read_count(w->next, w->end, &r->reasons)))
		why = "a record has no reasons, or their number is not as short as it can be";
	*wrong = why;
	if (why)
		return ck_fault_set(fault, r->offset, "%s", why);
	PD_ASSERT(w->left > 0 && r->key_size >= 1 && r->key_size <= CK_KEY_MAX && r->reasons >= 1);
	w->left--;
	w->next = r->reason;
	struct ck_reason reason;
	for (unsigned i = 0; i < r->reasons; i++) {
		uint64_t offset = (uint64_t)(w->next - w->base);
		bool card = w->next < w->end && *w->next >= CK_FLAG_CARD;
		why = card && !w->cards ? unknown_flags : ck_reason_read(&w->next, w->end, &reason);
		*wrong = why;
		if (why)
			return ck_fault_set(fault, offset, "%s", why);
	}
	return true;
}

/* --- order and look-up -------------------------------------------------------------------- */

static int compare_keys(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
	int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
	return order ? order : (a_size > b_size) - (a_size < b_size);
}

static uint64_t prefix_of(const uint8_t *key, size_t size)
{
	uint64_t n = 0;
	for (size_t i = 0; i < 8; i++)
		n = n << 8 | (i < size ? key[i] : 0);
	return n;
}

/* Reads the first key of a block into w->record. */
static bool read_first_key(const struct ck_cert *cert, uint64_t block, struct ck_walk *w, struct ck_fault *fault)
{
	if (!ck_walk_begin(cert, block, w, fault))
		return false;
	const char *why = read_key(w);
	return !why || ck_fault_set(fault, (uint64_t)(w->next - w->base), "%s", why);
}

bool ck_block_survey(struct ck_cert *cert, uint64_t block, struct ck_sums *sums, struct ck_fault *fault)
{
	struct ck_walk w, next;
	bool wrong;
	PD_ASSERT(block < cert->header.blocks);
	if (!ck_walk_begin(cert, block, &w, fault))
		return false;
	for (bool first = true; ck_walk_next(&w, &wrong, fault); first = false) {
		if (first)
			cert->prefix[block] = prefix_of(w.record.key, w.record.key_size);
		const uint8_t *p = w.record.reason;
		struct ck_reason r = {.has_effort = false};
		for (unsigned i = 0; i < w.record.reasons && !ck_reason_read(&p, w.end, &r); i++) {
			sums->leaves += r.has_effort;
			sums->cards += r.has_card;
			sums->effort = ck_add_capped(sums->effort, r.effort);
		}
		sums->reasons += w.record.reasons;
		sums->positions++;
	}
	if (wrong)
		return false;
	if (block + 1 == cert->header.blocks)
		return true;
	if (!read_first_key(cert, block + 1, &next, fault))
		return false;
	return compare_keys(w.record.key, w.record.key_size, next.record.key, next.record.key_size) < 0 ||
	       ck_fault_set(fault, ck_block_offset(cert, block + 1),
			    "the first key of block %" PRIu64 " is not greater than the one before it", block + 1);
}

static void note_broken(const struct ck_cert *cert, const struct ck_fault *fault)
{
	if (cert->broken && !cert->broken->text[0])
		*cert->broken = *fault;
}

/* Whether the block has the right form, in a certificate that was not surveyed. */
static bool block_is_sound(const struct ck_cert *cert, uint64_t block)
{
	struct ck_walk w;
	struct ck_fault fault;
	bool wrong = false;
	if (!cert->broken)
		return true;
	bool good = ck_walk_begin(cert, block, &w, &fault);
	while (good && ck_walk_next(&w, &wrong, &fault))
		continue;
	if (!good || wrong)
		note_broken(cert, &fault);
	return good && !wrong;
}

/* True when the block's first key is greater than the key. */
static bool begins_after(const struct ck_cert *cert, uint64_t block, const uint8_t *key, size_t size, uint64_t prefix)
{
	struct ck_walk w;
	struct ck_fault fault;
	if (cert->prefix && cert->prefix[block] != prefix)
		return cert->prefix[block] > prefix;
	if (read_first_key(cert, block, &w, &fault))
		return compare_keys(w.record.key, w.record.key_size, key, size) > 0;
	note_broken(cert, &fault);
	return false;
}

static const uint8_t *skip_reasons(const uint8_t *p, const uint8_t *end, unsigned count)
{
	struct ck_reason r;
	while (count--)
		if (ck_reason_read(&p, end, &r))
			return NULL;
	return p;
}

/* Looks up a key in a block without decoding every key. `same` is the length of the common prefix of the key and the
 * previous record, whose key is smaller. A record that shares more than that with its predecessor differs from the key
 * at the same byte in the same way, so it is also smaller; one that shares less is greater than the key. */
static bool find_in_block(const uint8_t *p, const uint8_t *end, unsigned records, const uint8_t *key, size_t size,
			  const uint8_t **reason, unsigned *count)
{
	uint64_t same = 0, shared, rest;
	while (records--) {
		if (!(p = ck_varint_read(p, end, &shared)) || !(p = ck_varint_read(p, end, &rest)) ||
		    rest >= (uint64_t)(end - p) || shared < same)
			return false;
		const uint8_t *bytes = p;
		unsigned n;
		p = read_count(p + rest, end, &n);
		if (!p)
			return false;
		if (shared == same) {
			size_t i = 0;
			while (i < rest && same < size && bytes[i] == key[same]) {
				i++;
				same++;
			}
			if (i == rest && same == size) {
				*reason = p;
				*count = n;
				return true;
			}
			if (i < rest && (same == size || bytes[i] > key[same]))
				return false;
		}
		p = skip_reasons(p, end, n);
		if (!p)
			return false;
	}
	return false;
}

bool ck_cert_find(const struct ck_cert *cert, const uint8_t *key, size_t size, const uint8_t **reason, unsigned *count,
		  const uint8_t **end)
{
	uint64_t low = 0, high = cert->header.blocks, prefix = prefix_of(key, size), begin, past;
	struct ck_fault fault;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (begins_after(cert, middle, key, size, prefix))
			high = middle;
		else
			low = middle + 1;
	}
	if (!low || !block_is_sound(cert, low - 1) || !block_span(cert, low - 1, &begin, &past, &fault))
		return false;
	*end = cert->bytes + past;
	return find_in_block(cert->bytes + begin + CK_BLOCK_HEAD, *end, pd_get_le16(cert->bytes + begin + 4), key, size,
			     reason, count);
}
