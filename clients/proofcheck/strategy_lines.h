/* Strategy lines: plays out strategies in games of lines, such as Connect Four and m,n,k, some hundred times as fast as
 * the rules alone would (strategy_play.h does that). It keeps the squares on which a side would complete a line, and
 * plays the same policy. Boards of at most CK_SET_MAX squares, lines of two or more. */
#pragma once

#include "clients/proofcheck/strategy.h"
#include "clients/proofcheck/key_table.h"

struct ck_lines;

/* A card to be played out, and the result. */
struct ck_line_task {
	struct ck_policy *policy;
	uint32_t strategy; /* its number; the same for the same weights and bound, unless ck_lines_forget was called */
	bool (*stop)(void *ctx); /* may be NULL */
	void *ctx;
	unsigned entered;       /* positions with M to move, without the remembered ones */
	unsigned plies;         /* of the longest line */
	bool large;             /* failed: more than CK_STRATEGY_POSITIONS positions */
	struct ck_position end; /* failed for another reason: lost, or W to move without a safe move */
};

/* NULL if the game is not one of lines, its board is too large, or there is not enough memory. */
struct ck_lines *ck_lines_new(const struct ck_game *game);
void ck_lines_free(struct ck_lines *l);
/* Whether a line of W reaches the bound and one of M does not: ck_lines_play requires it. */
bool ck_lines_decide(const struct ck_policy *policy);
enum ck_play ck_lines_play(struct ck_lines *l, struct ck_line_task *task, const struct ck_position *p);
/* The positions that are remembered. */
struct ck_table *ck_lines_table(struct ck_lines *l);
