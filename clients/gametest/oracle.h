/* Oracle: the value of a position that leads to few others, by retrograde analysis on exact keys. It is meant to be
 * obviously right: every legal move is tried, nothing is pruned, and nothing comes from the optional members. */
#pragma once

#include "clients/gametest/law.h"

struct gt_oracle;

/* NULL when more than `most` positions can be reached, or there is not enough memory. */
struct gt_oracle *cl_gt_oracle_new(struct gt *t, const struct gt_state *root, unsigned most);
void cl_gt_oracle_free(struct gt_oracle *o);
unsigned cl_gt_oracle_positions(const struct gt_oracle *o);
/* What First gets at the root with best play. */
int cl_gt_oracle_root(const struct gt_oracle *o);
/* The same for a position given by its key; false when the root does not lead to it. */
bool cl_gt_oracle_value(const struct gt_oracle *o, const uint8_t *key, size_t size, int *value);
