/* Classes of positions on a chessboard, for tables (struct game_classes of game_rules.h).
 *
 * A class is named by the men of two sides, A and B, as in KRvK or BBvP; letters K Q R B N P in this order. In
 * chess-mate A is First. In antichess, where the colours are equal, A is the side with more men; with as many, the side
 * with more men of the first kind of which the numbers differ. No castling rights, 2 to CHESS_CLASS_MEN men, some of
 * each side.
 *
 * The number of a position. Swap the colours and turn the board upside down where A is Black, so that A moves up. If in
 * antichess both sides have the same men, A is the side to move. A *group* is the men of one side and kind; the groups
 * are those of A, then of B, in the order of the letters. The men of a group stand on squares that are numbered 0 to
 * n-1: a1 = 0 to h8 = 63 for pieces (n = 64). With pawns of one side only a2 = 0 to h7 = 47 (n = 48). With pawns of
 * both sides n = 56: from a1 = 0 for A, from a2 = 0 for B; a pawn that can be captured en passant then counts as
 * standing on the first row of its side, on its file. For squares s1 < s2 < ... < sk of a group its number is
 * C(s1, 1) + C(s2, 2) + ... + C(sk, k), below C(n, k). The *lead* is the first group of one man. With pawns on the
 * board the position is mirrored so that the lead is on files a to d, where its number is row * 4 + file, rows counted
 * from the first of its squares. Without pawns the position is turned and mirrored so that the lead is in the triangle
 * a1 - d1 - d4, and its number is its place in a1 b1 c1 d1 b2 c2 d2 c3 d3 d4. The number of the position begins with
 * the turn, 0 for A and 1 for B (0 if both sides have the same men in antichess); then for each group it is multiplied
 * by how many numbers the group can have, and the number of the group is added. Of all images that these rules allow,
 * that with the smallest number counts (a lead on the diagonal; positions without a lead). */
#pragma once

#include "solver/games/chessboard.h"

enum { CHESS_CLASS_MEN = 5 };

extern const struct game_classes chess_classes;
