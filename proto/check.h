/* Check: parameters against the method table, when a request is read (rpc.c). Tests hold every reply to the table
 * (tests/support/shape.h). */
#pragma once

#include "proto/doc.h"
#include "proto/methods.h"

/* `params` is an object, or NULL for none. PD_E_PARAMS with the parameter at fault as field ("budget.nodes",
 * "positions[3]") and what would be right. */
int pr_check_params(const struct pr_method_info *method, pr_ref params, struct pd_fail *fail);
