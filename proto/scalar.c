/* Scalar: see scalar.h. */
#include "proto/scalar.h"

#include "proto/json.h"

double pr_real_of(pr_ref number, double missing)
{
	const json_t *value = pr_json(number);
	return json_is_number(value) ? json_number_value(value) : missing;
}

bool pr_bool_of(pr_ref truth, bool missing)
{
	const json_t *value = pr_json(truth);
	return json_is_boolean(value) ? json_is_true(value) : missing;
}
