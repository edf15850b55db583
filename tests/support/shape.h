/* Shape: a result against the method table: tests hold every reply of the server to the schema that rpc.discover
 * publishes. */
#pragma once

#include "proto/base/error.h"
#include "proto/doc.h"
#include "proto/methods.h"

/* PD_E_INTERNAL with the member at fault as field ("facts[3].rank") when `value` is not of that shape: a member is
 * missing, unknown, null without leave, of another type, or not one of its choices. */
int shape_check(const struct pr_shape *shape, pr_ref value, struct pd_fail *fail);
