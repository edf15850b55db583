/* Check: see check.h. The first fault found is the one that is told; the order is: unknown parameters, then the table's
 * order. */
#include "proto/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/buf.h"
#include "proto/json.h"

/* Where in the parameters we are: "" at the top, "budget." inside budget. */
struct place {
	const char *outer;
	const char *dot;
};

static int refuse(struct pd_fail *fail, struct place at, const char *name, const char *what)
{
	char field[64];
	snprintf(field, sizeof field, "%s%s%.40s", at.outer, at.dot, name);
	return pd_fail_set(fail, PD_E_PARAMS, field, "parameter '%s' %s", field, what);
}

static int refuse_range(struct pd_fail *fail, struct place at, const struct pr_param *param, const char *noun)
{
	char what[160];
	if (param->type == PR_T_REAL)
		snprintf(what, sizeof what, "must be %s from %g to %g", noun, (double)param->min / 1000,
			 (double)param->max / 1000);
	else
		snprintf(what, sizeof what, "must be %s%s%" PRId64 " to %" PRId64 "%s", noun, *noun ? " from " : "",
			 param->min, param->max,
			 param->type == PR_T_STRING    ? " bytes long"
			 : param->type == PR_T_STRINGS ? " strings"
						       : "");
	return refuse(fail, at, param->name, what);
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
	return refuse(fail, at, param->name, what);
}

static int check_string(const struct pr_param *param, const json_t *value, struct place at, struct pd_fail *fail)
{
	if (!json_is_string(value))
		return refuse(fail, at, param->name, "must be a string");
	int64_t size = (int64_t)json_string_length(value);
	if (param->choices)
		return check_choice(param, json_string_value(value), at, fail);
	if (size < param->min || size > param->max)
		return refuse_range(fail, at, param, "");
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
			return refuse(fail, at, param->name,
				      "must be a number of bytes, or text like \"512M\" or \"2G\"");
		number = (int64_t)size;
	} else if (!pr_json_integer(value, &number)) {
		return refuse_range(fail, at, param, param->type == PR_T_SIZE ? "a size in bytes" : "an integer");
	}
	if (number < param->min || number > param->max)
		return refuse_range(fail, at, param, param->type == PR_T_SIZE ? "a size in bytes" : "an integer");
	return PD_OK;
}

static int check_strings(const struct pr_param *param, const json_t *value, struct place at, struct pd_fail *fail)
{
	if (!json_is_array(value))
		return refuse(fail, at, param->name, "must be an array of strings");
	size_t count = json_array_size(value);
	if ((int64_t)count < param->min || (int64_t)count > param->max)
		return refuse_range(fail, at, param, "an array of");
	for (size_t i = 0; i < count; i++)
		if (!json_is_string(json_array_get(value, i))) {
			char name[64];
			snprintf(name, sizeof name, "%s[%zu]", param->name, i);
			return refuse(fail, at, name, "must be a string");
		}
	return PD_OK;
}

static int check_members(const struct pr_param *list, const json_t *object, struct place at, struct pd_fail *fail);

static int check_value(const struct pr_param *param, const json_t *value, struct place at, struct pd_fail *fail)
{
	switch (param->type) {
	case PR_T_STRING:
		return check_string(param, value, at, fail);
	case PR_T_INT:
	case PR_T_REAL:
	case PR_T_SIZE:
		return check_number(param, value, at, fail);
	case PR_T_BOOL:
		return json_is_boolean(value) ? PD_OK : refuse(fail, at, param->name, "must be true or false");
	case PR_T_STRINGS:
		return check_strings(param, value, at, fail);
	case PR_T_OPTIONS:
		return json_is_object(value) ? PD_OK : refuse(fail, at, param->name, "must be an object");
	case PR_T_OBJECT:
		if (!json_is_object(value))
			return refuse(fail, at, param->name, "must be an object");
		/* The table has objects one level deep, so the name alone is the place. */
		return check_members(param->members, value, (struct place){param->name, "."}, fail);
	}
	return PD_OK;
}

static int refuse_unknown(const struct pr_param *list, const char *key, struct place at, struct pd_fail *fail)
{
	char what[240] = "is not known here; it takes";
	size_t used = strlen(what);
	for (const struct pr_param *p = list; p->name && used < sizeof what; p++)
		used += (size_t)snprintf(what + used, sizeof what - used, "%s%s", p == list ? " " : ", ", p->name);
	return refuse(fail, at, key, list->name ? what : "is not known here; the method takes none");
}

static int check_members(const struct pr_param *list, const json_t *object, struct place at, struct pd_fail *fail)
{
	size_t known = 0;
	for (const struct pr_param *p = list; p->name; p++)
		known += json_object_get(object, p->name) != NULL;
	const char *key;
	json_t *value;
	if (known < json_object_size(object)) /* somewhere there is one that we do not know */
		json_object_foreach((json_t *)object, key, value)
		{
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
			rc = refuse(fail, at, p->name, "is missing");
		if (rc)
			return rc;
	}
	return PD_OK;
}

int pr_check_params(const struct pr_method_info *method, pr_ref params, struct pd_fail *fail)
{
	return check_members(method->params, pr_json(params), (struct place){"", ""}, fail);
}
