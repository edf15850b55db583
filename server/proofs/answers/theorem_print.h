/* Theorem print: what theorems of a game say of a position, as the *theorem* objects of PROTOCOL.md. */
#pragma once

#include "proto/out.h"
#include "solver/games/theorem_text.h"

/* Prints `theorems`, a list; nothing when there are none. */
void sv_theorems_print(const struct game *game, const struct game_told *told, unsigned count, struct pr_out *out);

/* About how many bytes a theorem takes there at most. */
size_t sv_theorem_bytes(const struct game_told *told);
