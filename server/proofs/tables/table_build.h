/* Table build: makes the table of a class of positions by retrograde analysis, and those that it rests on.
 *
 * Each position is a number (struct game_classes). A first pass generates the moves of every position: it finds what
 * is over, and what moves into other classes are worth, whose tables are built before. A second pass makes lists of
 * predecessors from the moves inside the class. Then distances are settled in rising order, ply by ply: a position that
 * is lost decides its predecessors at once, one that is won takes a move from each of its predecessors, and a
 * predecessor without a move left is lost. What is never settled is a draw: infinite play, or an end that is worth as
 * much.
 *
 * Memory: 8 bytes an entry, 4 for each move inside the class, 2 an entry for the tables of the classes that moves lead
 * to. A checkpoint (4 bytes an entry) is written next to the tables between two plies; a build that was killed
 * continues from it. */
#pragma once

#include "proto/base/table_format.h"
#include "server/proofs/tables/table_types.h"

/* Builds the tables of the class and of all classes that its moves lead to, unless they exist and are sound.
 * PD_E_UNSUPPORTED for a game without tables, PD_E_PARAMS with field "material", or "memory" when a class does not fit;
 * PD_E_NO_SPACE, before it starts or when the disk is full; PD_E_BUSY while another process builds a class;
 * PD_E_FORMAT when a table of another game has the name; PD_E_SHUTDOWN when go_on has stopped it. */
int sv_table_build(const struct sv_table_order *order, struct sv_table_built *out, struct pd_fail *fail);
/* The names of game and class as the table has them. */
int sv_table_names(const struct sv_table_order *order, char game[PD_TABLE_GAME], char class[PD_TABLE_CLASS],
		   struct pd_fail *fail);
/* The bytes of memory that a build would take, from a sample of positions. The errors that sv_table_build has before it
 * starts. */
int sv_table_plan(const struct sv_table_order *order, uint64_t *memory, struct pd_fail *fail);
/* Deletes the checkpoints that builds of the class, and of those that it rests on, have left; *gone: how many. Another
 * build keeps those of the classes that it is building; PD_E_BUSY if it is building this class itself. */
int sv_table_discard(const struct sv_table_order *order, unsigned *gone, struct pd_fail *fail);
/* Verifies a table: checksums, digest, counts, and each entry against those of its successors, so that a table which
 * passes together with those it rests on is right (solver/games/THEOREMS.md, T101). PD_E_CORRUPT names the first entry
 * that is wrong. Only dir, game, class, threads and go_on of the order are used. */
int sv_table_verify(const struct sv_table_order *order, struct sv_table_built *out, struct pd_fail *fail);
