/* Scalar: a number or a truth value by itself; doc.h has getters for those that are members. Both return `missing` for
 * a value of another kind. */
#pragma once

#include <stdbool.h>

#include "proto/ref.h"

double pr_real_of(pr_ref number, double missing); /* integers count */
bool pr_bool_of(pr_ref truth, bool missing);
