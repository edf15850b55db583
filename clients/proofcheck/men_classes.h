/* Classes of positions of the two chess games, for tables: written from the text at the top of
 * solver/games/chess_classes.h. Members of struct ck_rules. */
#pragma once

#include "clients/proofcheck/chessmen.h"

uint64_t ck_men_class_size(const struct ck_game *game, const char *name);
bool ck_men_class_position(const struct ck_game *game, const char *name, uint64_t index, struct ck_position *out);
bool ck_men_class_index(const struct ck_game *game, const struct ck_position *p, char name[CK_CLASS_NAME],
			uint64_t *index);

#define CK_MEN_CLASSES                                                                                                 \
	.class_size = ck_men_class_size, .class_position = ck_men_class_position, .class_index = ck_men_class_index,   \
	.dominates = ck_men_dominates
