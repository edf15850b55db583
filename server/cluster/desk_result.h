/* The result of a leaf, as a desk (desk.h) hands it to its run. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "solver/leaf_task.h"

struct sv_desk_result {
	unsigned slot;
	struct pn_leaf_result leaf;
	uint64_t cpu_ns;
	bool unsearched; /* it is solved, and was not searched again */
};
