/* Check: parameters, and results, against the method table.
 *
 * Parameters are checked when a request is read (rpc.c). Results are checked by tests, which hold every reply of the
 * server to the schema that rpc.discover publishes. */
#ifndef PR_CHECK_H
#define PR_CHECK_H

#include "proto/base/error.h"
#include "proto/doc.h"
#include "proto/methods.h"

/* `params` is an object, or NULL for none. PD_E_PARAMS with the parameter at fault as field ("budget.nodes",
 * "positions[3]") and what would be right. */
int pr_check_params(const struct pr_method_info *method, pr_ref params, struct pd_fail *fail);

/* PD_E_INTERNAL with the member at fault as field ("facts[3].rank") when `value` is not of that shape: a member is
 * missing, unknown, null without leave, of another type, or not one of its choices. */
int pr_check_shape(const struct pr_shape *shape, pr_ref value, struct pd_fail *fail);

#endif
