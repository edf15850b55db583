#include "proto/base/table_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/hash.h"

enum { CHECKSUM = 8, DIGITS_MAX = 20 };

/* --- header ------------------------------------------------------------------------------- */

size_t pd_table_write_head(const struct pd_table_head *h, bool digest, char out[PD_TABLE_HEADER_MAX])
{
	int n = snprintf(out, PD_TABLE_HEADER_MAX,
			 "proofd table 1\ngame: %s\nrules: %" PRIu64 "\nclass: %s\nentries: %" PRIu64 "\nwins: %" PRIu64
			 "\nlosses: %" PRIu64 "\ndraws: %" PRIu64 "\nlongest: %u\n",
			 h->game, h->rules, h->class, h->size, h->wins, h->losses, h->draws, h->longest);
	PD_ASSERT(n > 0 && n + 80 < PD_TABLE_HEADER_MAX);
	if (!digest)
		return (size_t)n;
	n += sprintf(out + n, "digest: ");
	for (unsigned i = 0; i < PD_TABLE_DIGEST; i++)
		n += sprintf(out + n, "%02x", h->digest[i]);
	n += sprintf(out + n, "\n\n");
	return (size_t)n;
}

/* The text of the header that is still to be read, zero-terminated. */
static bool read_line(char **text, const char *name, char *out, size_t room)
{
	size_t size = strlen(name), length;
	if (strncmp(*text, name, size) != 0 || strncmp(*text + size, ": ", 2) != 0)
		return false;
	*text += size + 2;
	length = strcspn(*text, "\n");
	if ((*text)[length] != '\n' || !length || length >= room)
		return false;
	memcpy(out, *text, length);
	out[length] = 0;
	*text += length + 1;
	return true;
}

static bool read_number(char **text, const char *name, uint64_t *out)
{
	char digits[DIGITS_MAX], *end;
	if (!read_line(text, name, digits, sizeof digits) || digits[0] < '0' || digits[0] > '9')
		return false;
	*out = strtoull(digits, &end, 10);
	return !*end;
}

static bool read_digest(char **text, uint8_t out[PD_TABLE_DIGEST])
{
	char hex[2 * PD_TABLE_DIGEST + 1];
	if (!read_line(text, "digest", hex, sizeof hex) || strlen(hex) != sizeof hex - 1 ||
	    strspn(hex, "0123456789abcdef") != sizeof hex - 1)
		return false;
	for (unsigned i = 0; i < PD_TABLE_DIGEST; i++) {
		char byte[3] = {hex[2 * i], hex[2 * i + 1], 0};
		out[i] = (uint8_t)strtoul(byte, NULL, 16);
	}
	return true;
}

static bool read_head(struct pd_table *t, char *text, const char *begin)
{
	struct pd_table_head *h = &t->head;
	char again[PD_TABLE_HEADER_MAX];
	uint64_t longest;
	static const char first[] = "proofd table 1\n";
	if (strncmp(text, first, sizeof first - 1) != 0)
		return false;
	text += sizeof first - 1;
	if (!read_line(&text, "game", h->game, sizeof h->game) || !read_number(&text, "rules", &h->rules) ||
	    !read_line(&text, "class", h->class, sizeof h->class) || !read_number(&text, "entries", &h->size) ||
	    !read_number(&text, "wins", &h->wins) || !read_number(&text, "losses", &h->losses) ||
	    !read_number(&text, "draws", &h->draws) || !read_number(&text, "longest", &longest) ||
	    longest > PD_TABLE_PLIES_MAX)
		return false;
	h->longest = (unsigned)longest;
	t->signed_size = (uint64_t)(text - begin);
	if (!read_digest(&text, h->digest) || *text != '\n')
		return false;
	t->body = (uint64_t)(text + 1 - begin);
	return pd_table_write_head(h, true, again) == t->body && !memcmp(begin, again, (size_t)t->body);
}

uint64_t pd_table_blocks(uint64_t entries)
{
	return (entries + PD_TABLE_BLOCK - 1) / PD_TABLE_BLOCK;
}

uint64_t pd_table_index_size(uint64_t blocks)
{
	return 8 * blocks + CHECKSUM;
}

void pd_table_write_index(const uint64_t *ends, uint64_t blocks, uint8_t *out)
{
	for (uint64_t i = 0; i < blocks; i++)
		pd_put_le64(out + 8 * i, ends[i]);
	pd_put_le64(out + 8 * blocks, pd_hash64(out, 8 * (size_t)blocks));
}

/* Of the line with the digest, which tells tables apart. */
static uint64_t sum_name(const struct pd_table *t, const void *head)
{
	return pd_hash64((const uint8_t *)head + t->signed_size, (size_t)(t->body - t->signed_size));
}

const char *pd_table_open(struct pd_table *t, const void *bytes, uint64_t size)
{
	char text[PD_TABLE_HEADER_MAX + 1] = "";
	size_t head = size < PD_TABLE_HEADER_MAX ? (size_t)size : PD_TABLE_HEADER_MAX;
	*t = (struct pd_table){.bytes = bytes, .size = size};
	memcpy(text, bytes, head);
	if (!read_head(t, text, text))
		return "this is not the header of a table that this program reads";
	t->name_sum = sum_name(t, text);
	if (!t->head.size || t->head.size > UINT32_MAX)
		return "its number of entries is out of range";
	t->blocks = pd_table_blocks(t->head.size);
	uint64_t index = pd_table_index_size(t->blocks), room = size - t->body;
	if (room < index)
		return "it is too short";
	const uint8_t *at = t->bytes + (size - index);
	if (pd_get_le64(at + index - CHECKSUM) != pd_hash64(at, (size_t)index - CHECKSUM))
		return "its index is damaged";
	uint64_t before = 0;
	for (uint64_t i = 0; i < t->blocks; i++) {
		uint64_t end = pd_get_le64(at + 8 * i);
		if (end < before || end - before > PD_TABLE_PACKED_MAX || end - before < 2 + 2 + CHECKSUM)
			return "its index is damaged";
		before = end;
	}
	return before == room - index ? NULL : "its length is wrong";
}

/* --- blocks ------------------------------------------------------------------------------- */

/* A block: u16 number of different entries, these entries, ascending, u16 each; for each number of the block the place
 * of its entry among them, in as few bits as the last of these needs, lowest bits of a byte first, padded to a byte;
 * the checksum of all that, with the number of the block as its seed. */
struct block {
	const uint8_t *palette, *bits;
	unsigned different, width, count;
};

static unsigned bits_needed(unsigned different)
{
	unsigned width = 0;
	while (1u << width < different)
		width++;
	return width;
}

/* Where a block is, and its size without the checksum; NULL: the index has changed. */
static const uint8_t *find_block(const struct pd_table *t, uint64_t number, size_t *size)
{
	PD_ASSERT(number < t->blocks);
	uint64_t index_size = pd_table_index_size(t->blocks), room = t->size - t->body - index_size;
	const uint8_t *index = t->bytes + (t->size - index_size);
	uint64_t begin = number ? pd_get_le64(index + 8 * (number - 1)) : 0, end = pd_get_le64(index + 8 * number);
	if (begin > end || end > room || end - begin < 2 + 2 + CHECKSUM || end - begin > PD_TABLE_PACKED_MAX)
		return NULL;
	*size = (size_t)(end - begin) - CHECKSUM;
	return t->bytes + t->body + begin;
}

/* Takes a block of that size apart; false when its parts have another size. */
static bool read_block(const struct pd_table *t, uint64_t number, const uint8_t *at, size_t size, struct block *out)
{
	uint64_t left = t->head.size - number * PD_TABLE_BLOCK;
	*out = (struct block){.palette = at + 2, .different = pd_get_le16(at)};
	out->count = left < PD_TABLE_BLOCK ? (unsigned)left : PD_TABLE_BLOCK;
	out->width = bits_needed(out->different);
	out->bits = out->palette + 2 * (size_t)out->different;
	return out->different && size == 2 + 2 * (size_t)out->different + (out->width * out->count + 7) / 8;
}

/* Copies a block and takes the copy apart, because the bytes may change under the reader. False when it is damaged, or
 * when the header is that of another table, whose blocks may have the same places and right checksums. */
static bool copy_block(const struct pd_table *t, uint64_t number, uint8_t copy[PD_TABLE_PACKED_MAX], struct block *out)
{
	size_t size;
	const uint8_t *at = find_block(t, number, &size);
	if (!at)
		return false;
	memcpy(copy, at, size + CHECKSUM);
	return XXH3_64bits_withSeed(copy, size, number) == pd_get_le64(copy + size) &&
	       sum_name(t, t->bytes) == t->name_sum && read_block(t, number, copy, size, out);
}

static bool block_entry(const struct block *b, unsigned i, uint16_t *out)
{
	unsigned bit = i * b->width, place = 0;
	for (unsigned k = 0; k < b->width + bit % 8; k += 8)
		place |= (unsigned)b->bits[bit / 8 + k / 8] << k;
	place = place >> bit % 8 & ((1u << b->width) - 1);
	if (place >= b->different)
		return false;
	*out = pd_get_le16(b->palette + 2 * (size_t)place);
	return true;
}

unsigned pd_table_unpack(const struct pd_table *t, uint64_t number, uint16_t out[PD_TABLE_BLOCK])
{
	uint8_t copy[PD_TABLE_PACKED_MAX];
	struct block b;
	if (!copy_block(t, number, copy, &b))
		return 0;
	for (unsigned i = 0; i < b.count; i++)
		if (!block_entry(&b, i, &out[i]))
			return 0;
	return b.count;
}

bool pd_table_get(const struct pd_table *t, uint64_t index, uint16_t *out)
{
	uint8_t copy[PD_TABLE_PACKED_MAX];
	struct block b;
	PD_ASSERT(index < t->head.size);
	return copy_block(t, index / PD_TABLE_BLOCK, copy, &b) &&
	       block_entry(&b, (unsigned)(index % PD_TABLE_BLOCK), out);
}

static int compare_entries(const void *a, const void *b)
{
	return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

/* Lists the different entries in ascending order; returns how many. */
static unsigned list_different(const uint16_t *entries, unsigned count, uint16_t *out)
{
	uint64_t there[UINT16_MAX / 64 + 1] = {0};
	unsigned different = 0;
	for (unsigned i = 0; i < count; i++)
		there[entries[i] / 64] |= UINT64_C(1) << entries[i] % 64;
	for (unsigned word = 0; word <= UINT16_MAX / 64; word++)
		for (uint64_t set = there[word]; set; set &= set - 1)
			out[different++] = (uint16_t)(64 * word + (unsigned)__builtin_ctzll(set));
	return different;
}

size_t pd_table_pack(uint64_t number, const uint16_t *entries, unsigned count, uint8_t out[PD_TABLE_PACKED_MAX])
{
	uint16_t palette[PD_TABLE_BLOCK];
	PD_ASSERT(count && count <= PD_TABLE_BLOCK);
	unsigned different = list_different(entries, count, palette), width = bits_needed(different);
	uint8_t *p = out + 2, *end;
	pd_put_le16(out, (uint16_t)different);
	for (unsigned i = 0; i < different; i++, p += 2)
		pd_put_le16(p, palette[i]);
	end = p + (width * count + 7) / 8;
	memset(p, 0, (size_t)(end - p));
	for (unsigned i = 0; i < count; i++) {
		const uint16_t *at = bsearch(&entries[i], palette, different, sizeof *palette, compare_entries);
		unsigned place = (unsigned)(at - palette), bit = i * width;
		for (unsigned k = 0; k < width; k++)
			p[(bit + k) / 8] |= (uint8_t)((place >> k & 1) << (bit + k) % 8);
	}
	pd_put_le64(end, XXH3_64bits_withSeed(out, (size_t)(end - out), number));
	return (size_t)(end + CHECKSUM - out);
}
