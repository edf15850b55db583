/* Table: the file with the value of every position of a class, by retrograde analysis (store/TABLES.md). Reading from
 * memory, and packing blocks; files and digests are the callers'.
 *
 * An entry, 16 bits: 0 for a hole, a number without a position; 1 for a draw, the value of infinite play; otherwise
 * 2 + 2 * plies for a win of the player to move and 3 + 2 * plies for a loss, both decided within exactly that many
 * plies with best play, 0 when the game is over. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PD_TABLE_HOLE = 0,
	PD_TABLE_DRAW = 1,
	PD_TABLE_BLOCK = 4096, /* entries of a block; the last may have fewer */
	PD_TABLE_PLIES_MAX = 16000,
	PD_TABLE_DIGEST = 32, /* bytes of the digest, SHA-256 */
	PD_TABLE_GAME = 96,
	PD_TABLE_CLASS = 32,
	PD_TABLE_HEADER_MAX = 1024,
	PD_TABLE_PACKED_MAX = 2 + 3 * 2 * PD_TABLE_BLOCK + 8 + 8 /* bytes of a packed block */
};

static inline uint16_t pd_table_win(unsigned plies)
{
	return (uint16_t)(2 + 2 * plies);
}

static inline uint16_t pd_table_loss(unsigned plies)
{
	return (uint16_t)(3 + 2 * plies);
}

static inline bool pd_table_decided(uint16_t entry)
{
	return entry > PD_TABLE_DRAW;
}

/* Of a decided entry. */
static inline unsigned pd_table_plies(uint16_t entry)
{
	return (entry - 2u) / 2;
}

static inline bool pd_table_wins(uint16_t entry)
{
	return entry % 2 == 0;
}

/* What the header says. */
struct pd_table_head {
	char game[PD_TABLE_GAME];
	uint64_t rules; /* version of the game's rules */
	char class[PD_TABLE_CLASS];
	uint64_t size; /* entries */
	uint64_t wins, losses, draws;
	unsigned longest; /* plies of the longest win or loss */
	uint8_t digest[PD_TABLE_DIGEST];
};

/* A table in memory. All members are borrowed from the bytes, or private. */
struct pd_table {
	struct pd_table_head head;
	const uint8_t *bytes;
	uint64_t size;
	uint64_t signed_size; /* of the header, without the line of the digest, which covers these bytes ... */
	uint64_t body;        /* ... and all from this offset on */
	uint64_t blocks;
	uint64_t name_sum; /* of the line with the digest: another table in its place is not this one */
};

/* Writes the header; `digest` NULL: without the last line and the empty line. Returns its size. */
size_t pd_table_write_head(const struct pd_table_head *head, bool digest, char out[PD_TABLE_HEADER_MAX]);
/* Reads header and index. NULL, or what is wrong. The digest is not computed. */
const char *pd_table_open(struct pd_table *table, const void *bytes, uint64_t size);
/* The bytes may change at any time, as those of a mapped file that somebody writes to: what is got was there, under the
 * header that was opened, or it is damaged. */
/* Unpacks a block; returns the number of its entries, 0 when it is damaged. */
unsigned pd_table_unpack(const struct pd_table *table, uint64_t block, uint16_t out[PD_TABLE_BLOCK]);
/* Gets one entry after verifying the checksum of its block; false when that is damaged. index < head.size. */
bool pd_table_get(const struct pd_table *table, uint64_t index, uint16_t *out);

/* Packs a block of `count` entries, 1..PD_TABLE_BLOCK; returns its size in bytes. */
size_t pd_table_pack(uint64_t block, const uint16_t *entries, unsigned count, uint8_t out[PD_TABLE_PACKED_MAX]);
/* How many blocks a table of so many entries has, and the size of their index in bytes. */
uint64_t pd_table_blocks(uint64_t entries);
uint64_t pd_table_index_size(uint64_t blocks);
/* Writes the index, which ends the file: the offset of the end of each block from the beginning of the first, and a
 * checksum. */
void pd_table_write_index(const uint64_t *ends, uint64_t blocks, uint8_t *out);
