/* Shape: compares results with the method table, so that tests check every reply against the published schema. */
#pragma once

#include "proto/base/error.h"
#include "proto/doc.h"
#include "proto/methods.h"

/* PD_E_INTERNAL with the member at fault as field ("facts[3].rank") when `value` does not have that shape: a member is
 * missing, unknown, null where that is not allowed, of another type, or not one of its choices. */
int shape_check(const struct pr_shape *shape, pr_ref value, struct pd_fail *fail);
