/* Forge: certificates in memory: made, read, corrupted and written.
 *
 * A second implementation of proto/CERTIFICATE.md that shares nothing with the checker: the tests make true
 * certificates from the truth about small games, corrupt them, and decide independently which verdict is right. It uses
 * the games of solver/games/game.h and keeps all records in one list. Without memory it aborts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/buf.h"
#include "solver/games/game.h"

/* Whether claims hold in positions; *distance as in tests/support/retro.h, RETRO_NEVER if no end can be forced. */
struct truth;
struct truth *truth_new(const struct game *game, const void *state);
void truth_free(struct truth *truth);
bool truth_holds(struct truth *truth, const void *state, int threshold, unsigned *distance);
/* Whether the position is reachable from that of truth_new. */
bool truth_knows(struct truth *truth, const void *state);

enum { FORGE_WITNESS_MAX = 96 }; /* bytes of the longest witness here */

struct forge_reason {
	unsigned flags; /* as in the file */
	int64_t bound;
	uint64_t rank, move, effort, theorem;
	unsigned size; /* of the witness */
	uint8_t witness[FORGE_WITNESS_MAX];
};

struct forge_record {
	uint8_t key[GAME_KEY_MAX];
	size_t key_size;
	bool opens; /* a block begins here */
	unsigned count;
	struct forge_reason reason[16];
};

/* X(name): the lines of the header */
/* clang-format off */
#define FORGE_LINES(X) \
	X(game) X(rules) X(engine) X(position) X(root) X(claim) X(status) X(lo) X(hi) X(detail) \
	X(positions) X(reasons) X(leaves) X(cards) X(blocks) X(graph) X(digest)
/* clang-format on */

enum forge_line {
#define X(name) FORGE_##name,
	FORGE_LINES(X)
#undef X
		FORGE_LINE_COUNT
};

struct forge {
	unsigned format;              /* 4: with cards; else 2 */
	char *line[FORGE_LINE_COUNT]; /* owned */
	char *graph;                  /* owned; the graph's bytes */
	size_t graph_size;
	struct forge_record *record; /* owned */
	size_t count, capacity;
};

void forge_fini(struct forge *forge);
void forge_copy(struct forge *to, const struct forge *from);
void forge_set(struct forge *forge, enum forge_line line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The JSON of a random graph with nodes n0 (its root), n1, ..., mostly with cycles; to be freed. */
char *forge_graph(uint64_t *seed);

/* Makes a true certificate for the claim ("value", "first>=N", ...) at the position. One in `leaves` reasons gets an
 * effort instead of the records below it; 0: none does. `graph` is the JSON of the game's graph, or NULL. */
void forge_make(struct forge *forge, const struct game *game, const char *position, const char *claim,
		struct truth *truth, unsigned leaves, const char *graph, uint64_t *seed);
/* The same of format 4, for a game with theorems: most reasons that one gives have a card. */
void forge_make_cards(struct forge *forge, const struct game *game, const char *position, const char *claim,
		      struct truth *truth, unsigned leaves, uint64_t *seed);

/* Sets the counts of the header to those of the records. */
void forge_fit(struct forge *forge);
/* Sets which records open blocks, at random. */
void forge_cut(struct forge *forge, uint64_t *seed);
/* Writes the file as it is; `fit` corrects the digest (only). */
void forge_write(struct forge *forge, bool fit, struct pd_buf *out);
/* Reads a file; false if its form is wrong, or if writing it again gives other bytes. */
bool forge_read(struct forge *forge, const void *bytes, size_t size);

/* Compresses a file of format 2 or 4 (`piece` bytes of content in a frame), and unpacks a file of format 3 or 5; false
 * when its form is wrong. */
bool forge_is_packed(const struct pd_buf *file);
void forge_pack(struct pd_buf *file, uint32_t piece);
bool forge_unpack(const struct pd_buf *file, struct pd_buf *out);

enum forge_finding { FORGE_TRUE, FORGE_FALSE, FORGE_EITHER };
/* Decides naively whether a certificate of the game is valid. FORGE_EITHER: true, but the checker's search may fail to
 * find it, or the witness of a card may not show it. `truth` may be NULL; then efforts and cards give FORGE_EITHER. */
enum forge_finding forge_judge(struct forge *forge, const struct game *game, struct truth *truth, char why[200]);
