/* Site chess: answers in the form of lila-tablebase, for games that are like chess. */
#pragma once

#include "proto/out.h"

/* Prints what fact.probe says of one position twice, with moves in the game's own notation and in SAN.
 *
 * Categories are for the side to move; a value that is no draw of chess (no mate can be forced) is "unknown". Distances
 * of tablebases (dtz, dtm, dtw, dtc) are null, because a proof only bounds them: `plies` is that bound, as in *fact*.
 * `checkmate` is true only where a mate is certain; `stalemate` and `insufficient_material` are null. */
void nt_site_chess(struct pr_out *out, pr_ref own, pr_ref san);
