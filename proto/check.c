/* Check: see check.h. The first fault found is reported: unknown parameters first, then those of the table in its
 * order. */
#include "proto/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/json.h"

/* A place in the parameters: "" at the top, "budget." inside budget, "positions[2]." inside an item. */
struct place {
	const char *outer;
	const char *dot;
};

static int refuse_param(struct pd_fail *fail, struct place at, const char *name, const char *what)
{
	char field[64];
	snprintf(field, sizeof field, "%s%s%.40s", at.outer, at.dot, name);
	return pd_fail_set(fail, PD_E_PARAMS, field, "parameter '%s' %s", field, what);
}

static int refuse_item(struct pd_fail *fail, struct place at, const struct pr_param *param, size_t index,
		       const char *what)
{
	char name[64];
	snprintf(name, sizeof name, "%.30s[%zu]", param->name, index);
	return refuse_param(fail, at, name, what);
}

static int refuse_range(struct pd_fail *fail, struct place at, const struct pr_param *param, const char *noun)
{
	char what[160];
	if (param->type == PR_T_REAL)
		snprintf(what, sizeof what, "must be %s from %g to %g", noun, (double)param->min / 1000,
			 (double)param->max / 1000);
	else if (param->type == PR_T_STRING)
		snprintf(what, sizeof what, "must be %" PRId64 " to %" PRId64 " bytes long", param->min, param->max);
	else
		snprintf(what, sizeof what, "must be %s from %" PRId64 " to %" PRId64, noun, param->min, param->max);
	return refuse_param(fail, at, param->name, what);
}

static int check_choice(const struct pr_param *param, const char *text, struct place at, struct pd_fail *fail)
{
	char what[200] = "must be one of";
	size_t used = strlen(what);
	for (const char *const *choice = param->choices; *choice; choice++) {
		if (!strcmp(*choice, text))
			return PD_OK;
		used += (size_t)snprintf(what + used, sizeof what - used, "%s%s", choice == param->choices ? " " : ", ",
					 *choice);
		if (used >= sizeof what)
			used = sizeof what - 1;
	}
	return refuse_param(fail, at, param->name, what);
}

static int check_string(const struct pr_param *param, const json_t *value, struct place at, struct pd_fail *fail)
{
	if (!json_is_string(value))
		return refuse_param(fail, at, param->name, "must be a string");
	int64_t size = (int64_t)json_string_length(value);
	if (param->choices)
		return check_choice(param, json_string_value(value), at, fail);
	if (size < param->min || size > param->max)
		return refuse_range(fail, at, param, NULL);
	return PD_OK;
}

static int check_number(const struct pr_param *param, const json_t *value, struct place at, struct pd_fail *fail)
{
	if (param->type == PR_T_REAL) {
		double real = json_number_value(value);
		if (!json_is_number(value) || real * 1000 < (double)param->min || real * 1000 > (double)param->max)
			return refuse_range(fail, at, param, "a number");
		return PD_OK;
	}
	int64_t number;
	uint64_t size;
	if (param->type == PR_T_SIZE && json_is_string(value)) {
		if (pr_size_parse(json_string_value(value), &size, NULL))
			return refuse_param(fail, at, param->name,
					    "must be a number of bytes, or text like \"512M\" or \"2G\"");
		number = (int64_t)size;
	} else if (!pr_json_integer(value, &number)) {
		return refuse_range(fail, at, param, param->type == PR_T_SIZE ? "a size in bytes" : "an integer");
	}
	if (number < param->min || number > param->max)
		return refuse_range(fail, at, param, param->type == PR_T_SIZE ? "a size in bytes" : "an integer");
	return PD_OK;
}

/* Checks that the value is an array of as many items as the table allows; `items`: what the message calls them. */
static int check_list(const struct pr_param *param, const json_t *value, const char *items, struct place at,
		      struct pd_fail *fail)
{
	enum { THOUSAND = 1000 };
	char what[64], most[32];
	int64_t count = (int64_t)json_array_size(value), max = param->max;
	if (json_is_array(value) && count >= param->min && count <= max)
		return PD_OK;
	PD_ASSERT(param->min < THOUSAND && max < THOUSAND * THOUSAND);
	if (max < THOUSAND)
		snprintf(most, sizeof most, "%" PRId64, max);
	else
		snprintf(most, sizeof most, "%" PRId64 ",%03" PRId64, max / THOUSAND, max % THOUSAND);
	if (json_is_array(value))
		snprintf(what, sizeof what, "must be an array of %" PRId64 " to %s %s", param->min, most, items);
	else
		snprintf(what, sizeof what, "must be an array of %s", items);
	return refuse_param(fail, at, param->name, what);
}

static int check_strings(const struct pr_param *param, const json_t *value, struct place at, struct pd_fail *fail)
{
	int rc = check_list(param, value, "strings", at, fail);
	for (size_t i = 0; !rc && i < json_array_size(value); i++)
		if (!json_is_string(json_array_get(value, i)))
			rc = refuse_item(fail, at, param, i, "must be a string");
	return rc;
}

static int check_ints(const struct pr_param *param, const json_t *value, struct place at, struct pd_fail *fail)
{
	int rc = check_list(param, value, "integers", at, fail);
	int64_t number;
	for (size_t i = 0; !rc && i < json_array_size(value); i++)
		if (!pr_json_integer(json_array_get(value, i), &number) || number < 1 || number > UINT32_MAX)
			rc = refuse_item(fail, at, param, i, "must be an integer from 1 to 4294967295");
	return rc;
}

static int check_moves(const struct pr_param *param, const json_t *value, struct place at, struct pd_fail *fail)
{
	static const struct pr_param list = {.type = PR_T_STRINGS, .max = PR_MOVES_MAX};
	struct pr_param named = list;
	named.name = param->name;
	if (json_is_array(value))
		return check_strings(&named, value, at, fail);
	if (param->type == PR_T_MOVES_OR_BOOL && json_is_boolean(value))
		return PD_OK;
	if (!json_is_string(value))
		return refuse_param(fail, at, param->name,
				    param->type == PR_T_MOVES ? "must be a string or an array of strings"
							      : "must be a string, an array of strings, true or false");
	return (int64_t)json_string_length(value) <= param->max
		       ? PD_OK
		       : refuse_param(fail, at, param->name, "is too long; records have at most 16384 bytes");
}

static int check_members(const struct pr_param *list, const json_t *object, struct place at, struct pd_fail *fail);

static int check_objects(const struct pr_param *param, const json_t *value, struct place at, struct pd_fail *fail)
{
	char name[64];
	PD_ASSERT(param->members && !at.outer[0]); /* arrays of objects stand at the top only */
	int rc = check_list(param, value, "objects", at, fail);
	for (size_t i = 0; !rc && i < json_array_size(value); i++) {
		const json_t *item = json_array_get(value, i);
		snprintf(name, sizeof name, "%.30s[%zu]", param->name, i);
		rc = json_is_object(item) ? check_members(param->members, item, (struct place){name, "."}, fail)
					  : refuse_param(fail, at, name, "must be an object");
	}
	return rc;
}

static int check_value(const struct pr_param *param, const json_t *value, struct place at, struct pd_fail *fail)
{
	char outer[64];
	switch (param->type) {
	case PR_T_STRING:
		return check_string(param, value, at, fail);
	case PR_T_INT:
	case PR_T_REAL:
	case PR_T_SIZE:
		return check_number(param, value, at, fail);
	case PR_T_BOOL:
		return json_is_boolean(value) ? PD_OK : refuse_param(fail, at, param->name, "must be true or false");
	case PR_T_STRINGS:
		return check_strings(param, value, at, fail);
	case PR_T_MOVES:
	case PR_T_MOVES_OR_BOOL:
		return check_moves(param, value, at, fail);
	case PR_T_INTS:
		return check_ints(param, value, at, fail);
	case PR_T_OBJECTS:
		return check_objects(param, value, at, fail);
	case PR_T_PROOF_NUMBER:
	case PR_T_DOCUMENT:
		PD_ASSERT(!"a type of results only");
		break;
	case PR_T_OPTIONS:
		return json_is_object(value) ? PD_OK : refuse_param(fail, at, param->name, "must be an object");
	case PR_T_OBJECT:
		if (!json_is_object(value))
			return refuse_param(fail, at, param->name, "must be an object");
		PD_ASSERT(param->members);
		snprintf(outer, sizeof outer, "%s%s%.30s", at.outer, at.dot, param->name);
		return check_members(param->members, value, (struct place){outer, "."}, fail);
	}
	return PD_OK;
}

/* An unknown name at the top may be that of a member of one of the objects. */
static int refuse_unknown(const struct pr_param *list, const char *key, struct place at, struct pd_fail *fail)
{
	char what[240] = "is not known here; it takes";
	size_t used = strlen(what);
	for (const struct pr_param *outer = list; outer->name && !at.outer[0]; outer++)
		for (const struct pr_param *p = outer->type == PR_T_OBJECT ? outer->members : NULL; p && p->name; p++)
			if (!strcmp(p->name, key)) {
				snprintf(what, sizeof what, "is not known here; it is a member of '%s'", outer->name);
				return refuse_param(fail, at, key, what);
			}
	for (const struct pr_param *p = list; p->name && used < sizeof what; p++)
		used += (size_t)snprintf(what + used, sizeof what - used, "%s%s", p == list ? " " : ", ", p->name);
	return refuse_param(fail, at, key, list->name ? what : "is not known here; the method takes none");
}

static int check_members(const struct pr_param *list, const json_t *object, struct place at, struct pd_fail *fail)
{
	size_t known = 0;
	PD_ASSERT(list);
	for (const struct pr_param *p = list; p->name; p++)
		known += json_object_get(object, p->name) != NULL;
	const char *key;
	json_t *value;
	if (known < json_object_size(object)) /* some member is not in the list */
		json_object_foreach((json_t *)object, key, value) {
			const struct pr_param *p = list;
			while (p->name && strcmp(p->name, key))
				p++;
			if (!p->name)
				return refuse_unknown(list, key, at, fail);
		}
	for (const struct pr_param *p = list; p->name; p++) {
		value = json_object_get(object, p->name);
		int rc = PD_OK;
		if (value)
			rc = check_value(p, value, at, fail);
		else if (p->required)
			rc = refuse_param(fail, at, p->name, "is missing");
		if (rc)
			return rc;
	}
	return PD_OK;
}

int pr_check_params(const struct pr_method_info *method, pr_ref params, struct pd_fail *fail)
{
	return check_members(method->params, pr_json(params), (struct place){"", ""}, fail);
}
