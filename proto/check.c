/* Check: see check.h. The first fault found is reported: unknown parameters first, then those of the table in its
 * order. */
#include "proto/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/buf.h"
#include "proto/json.h"

/* Where in the parameters we are: "" at the top, "budget." inside budget, "positions[2]." inside an item. */
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
			 : param->type == PR_T_INTS    ? " integers"
			 : param->type == PR_T_OBJECTS ? " objects"
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

static int check_ints(const struct pr_param *param, const json_t *value, struct place at, struct pd_fail *fail)
{
	if (!json_is_array(value))
		return refuse(fail, at, param->name, "must be an array of integers");
	size_t count = json_array_size(value);
	if ((int64_t)count < param->min || (int64_t)count > param->max)
		return refuse_range(fail, at, param, "an array of");
	for (size_t i = 0; i < count; i++) {
		int64_t number;
		char name[64];
		if (pr_json_integer(json_array_get(value, i), &number) && number >= 1 && number <= UINT32_MAX)
			continue;
		snprintf(name, sizeof name, "%s[%zu]", param->name, i);
		return refuse(fail, at, name, "must be an integer from 1 to 4294967295");
	}
	return PD_OK;
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
		return refuse(fail, at, param->name,
			      param->type == PR_T_MOVES ? "must be a string or an array of strings"
							: "must be a string, an array of strings, true or false");
	return (int64_t)json_string_length(value) <= param->max
		       ? PD_OK
		       : refuse(fail, at, param->name, "is too long; records have at most 16384 bytes");
}

static int check_members(const struct pr_param *list, const json_t *object, struct place at, struct pd_fail *fail);

static int check_objects(const struct pr_param *param, const json_t *value, struct place at, struct pd_fail *fail)
{
	char name[64];
	PD_ASSERT(param->members && !at.outer[0]);
	if (!json_is_array(value))
		return refuse(fail, at, param->name, "must be an array of objects");
	size_t count = json_array_size(value);
	if ((int64_t)count < param->min || (int64_t)count > param->max)
		return refuse_range(fail, at, param, "an array of");
	for (size_t i = 0; i < count; i++) {
		const json_t *item = json_array_get(value, i);
		snprintf(name, sizeof name, "%.30s[%zu]", param->name, i);
		if (!json_is_object(item))
			return refuse(fail, at, name, "must be an object");
		int rc = check_members(param->members, item, (struct place){name, "."}, fail);
		if (rc)
			return rc;
	}
	return PD_OK;
}

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
		return json_is_object(value) ? PD_OK : refuse(fail, at, param->name, "must be an object");
	case PR_T_OBJECT:
		if (!json_is_object(value))
			return refuse(fail, at, param->name, "must be an object");
		/* The table has objects one level deep, so the name alone is the place. */
		PD_ASSERT(param->members && !at.outer[0]);
		return check_members(param->members, value, (struct place){param->name, "."}, fail);
	}
	return PD_OK;
}

/* At the top a name may be that of a member of one of the objects, left out of it. */
static int refuse_unknown(const struct pr_param *list, const char *key, struct place at, struct pd_fail *fail)
{
	char what[240] = "is not known here; it takes";
	size_t used = strlen(what);
	for (const struct pr_param *outer = list; outer->name && !at.outer[0]; outer++)
		for (const struct pr_param *p = outer->type == PR_T_OBJECT ? outer->members : NULL; p && p->name; p++)
			if (!strcmp(p->name, key)) {
				snprintf(what, sizeof what, "is not known here; it is a member of '%s'", outer->name);
				return refuse(fail, at, key, what);
			}
	for (const struct pr_param *p = list; p->name && used < sizeof what; p++)
		used += (size_t)snprintf(what + used, sizeof what - used, "%s%s", p == list ? " " : ", ", p->name);
	return refuse(fail, at, key, list->name ? what : "is not known here; the method takes none");
}

static int check_members(const struct pr_param *list, const json_t *object, struct place at, struct pd_fail *fail)
{
	size_t known = 0;
	PD_ASSERT(list);
	for (const struct pr_param *p = list; p->name; p++)
		known += json_object_get(object, p->name) != NULL;
	const char *key;
	json_t *value;
	if (known < json_object_size(object)) /* one of them is not in the list */
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

/* --- results ------------------------------------------------------------------------------ */

/* The path of a member from the top of the result. */
struct path {
	char text[128];
};

static struct path below(const struct path *outer, const char *name, size_t index, bool item)
{
	struct path path;
	int size = item ? snprintf(path.text, sizeof path.text, "%.100s[%zu]", outer->text, index)
			: snprintf(path.text, sizeof path.text, "%.80s%s%.40s", outer->text, outer->text[0] ? "." : "",
				   name);
	PD_ASSERT(size > 0 && (size_t)size < sizeof path.text);
	return path;
}

static int misfit(struct pd_fail *fail, const struct path *path, const char *what)
{
	return pd_fail_set(fail, PD_E_INTERNAL, path->text, "member '%s' of the result %s", path->text, what);
}

static int check_fields(const struct pr_shape *shape, const json_t *value, const struct path *path,
			struct pd_fail *fail);

static bool is_choice(const char *const *choices, const char *text)
{
	while (*choices && strcmp(*choices, text))
		choices++;
	return *choices;
}

static int check_items(const struct pr_field *field, const json_t *value, const struct path *path, struct pd_fail *fail)
{
	if (!json_is_array(value))
		return misfit(fail, path, "must be an array");
	for (size_t i = 0; i < json_array_size(value); i++) {
		const json_t *item = json_array_get(value, i);
		struct path inner = below(path, "", i, true);
		int rc = PD_OK;
		if (field->type == PR_T_OBJECTS)
			rc = check_fields(field->shape, item, &inner, fail);
		else if (field->type == PR_T_INTS && !json_is_integer(item))
			rc = misfit(fail, &inner, "must be an integer");
		else if (field->type == PR_T_STRINGS && !json_is_string(item))
			rc = misfit(fail, &inner, "must be a string");
		if (rc)
			return rc;
	}
	return PD_OK;
}

static int check_field(const struct pr_field *field, const json_t *value, const struct path *path, struct pd_fail *fail)
{
	if (json_is_null(value))
		return field->presence & PR_OR_NULL ? PD_OK : misfit(fail, path, "must not be null");
	switch (field->type) {
	case PR_T_STRING:
		if (!json_is_string(value))
			return misfit(fail, path, "must be a string");
		return !field->choices || is_choice(field->choices, json_string_value(value))
			       ? PD_OK
			       : misfit(fail, path, "is none of its choices");
	case PR_T_INT:
		return json_is_integer(value) ? PD_OK : misfit(fail, path, "must be an integer");
	case PR_T_REAL:
		return json_is_number(value) ? PD_OK : misfit(fail, path, "must be a number");
	case PR_T_BOOL:
		return json_is_boolean(value) ? PD_OK : misfit(fail, path, "must be true or false");
	case PR_T_PROOF_NUMBER:
		return json_is_integer(value) || (json_is_string(value) && !strcmp(json_string_value(value), "inf"))
			       ? PD_OK
			       : misfit(fail, path, "must be an integer or \"inf\"");
	case PR_T_DOCUMENT:
		return json_is_object(value) ? PD_OK : misfit(fail, path, "must be an object");
	case PR_T_OBJECT:
		return check_fields(field->shape, value, path, fail);
	case PR_T_STRINGS:
	case PR_T_INTS:
	case PR_T_OBJECTS:
		return check_items(field, value, path, fail);
	case PR_T_MOVES:
	case PR_T_MOVES_OR_BOOL:
	case PR_T_OPTIONS:
	case PR_T_SIZE:
		PD_ASSERT(!"a type of parameters only");
		break;
	}
	return PD_OK;
}

static int check_fields(const struct pr_shape *shape, const json_t *value, const struct path *path,
			struct pd_fail *fail)
{
	size_t known = 0;
	PD_ASSERT(shape && shape->fields);
	if (!json_is_object(value))
		return misfit(fail, path, "must be an object");
	for (const struct pr_field *field = shape->fields; field->name; field++) {
		const json_t *member = json_object_get(value, field->name);
		struct path inner = below(path, field->name, 0, false);
		if (!member && !(field->presence & PR_SOMETIMES))
			return misfit(fail, &inner, "is missing");
		int rc = member ? check_field(field, member, &inner, fail) : PD_OK;
		if (rc)
			return rc;
		known += member != NULL;
	}
	return known == json_object_size(value) ? PD_OK : misfit(fail, path, "has members that are not in its schema");
}

int pr_check_shape(const struct pr_shape *shape, pr_ref value, struct pd_fail *fail)
{
	return check_fields(shape, pr_json(value), &(struct path){""}, fail);
}
