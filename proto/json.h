/* JSON: how proto/ itself reads JSON. Private to its sources, because jansson's types are visible here. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/ref.h"

/* Parses as pr_doc_parse does; the caller owns the value (json_decref). NULL on failure. */
json_t *pr_json_load(const char *text, size_t size, struct pd_fail *fail);

/* A pr_ref is a json_t in disguise. */
static inline json_t *pr_json(pr_ref value)
{
	return (json_t *)value;
}

static inline pr_ref pr_ref_of(const json_t *value)
{
	return (pr_ref)value;
}

/* True for integers, and for reals whose value is exactly an integer. */
static inline bool pr_json_integer(const json_t *value, int64_t *out)
{
	if (json_is_integer(value)) {
		*out = json_integer_value(value);
		return true;
	}
	double real = json_is_real(value) ? json_real_value(value) : 0.5;
	const double exact = 9007199254740992.0; /* 2^53; larger doubles skip integers */
	if (!(real >= -exact && real <= exact) || real != (double)(int64_t)real)
		return false;
	*out = (int64_t)real;
	return true;
}
