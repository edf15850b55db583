/* Header game: the game and the position that a certificate's header names. */
#pragma once

#include "clients/proofcheck/header.h"

/* Opens the game; `graph` holds the header's `graph` bytes, `body` is their offset in the file. CK_VERIFIED: ck_close
 * follows. CK_UNKNOWN when this program does not know the game or its rules version. */
enum ck_verdict ck_header_open_game(const struct ck_header *header, const uint8_t *graph, uint64_t body,
				    struct ck_game *game, struct ck_fault *fault);
/* Reads the position of the header; false and a fault when it is not a position. */
bool ck_header_read_root(const struct ck_header *header, const struct ck_game *game, struct ck_position *root,
			 struct ck_fault *fault);
