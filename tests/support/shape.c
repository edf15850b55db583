#include "tests/support/shape.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/json.h"

/* The path of a member from the top of the result. */
struct path {
	char text[128];
};

static struct path path_below(const struct path *outer, const char *name, size_t index, bool item)
{
	struct path path;
	int size = item ? snprintf(path.text, sizeof path.text, "%.100s[%zu]", outer->text, index)
			: snprintf(path.text, sizeof path.text, "%.80s%s%.40s", outer->text, outer->text[0] ? "." : "",
				   name);
	PD_ASSERT(size > 0 && (size_t)size < sizeof path.text);
	return path;
}

static int report_misfit(struct pd_fail *fail, const struct path *path, const char *what)
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
		return report_misfit(fail, path, "must be an array");
	for (size_t i = 0; i < json_array_size(value); i++) {
		const json_t *item = json_array_get(value, i);
		struct path inner = path_below(path, "", i, true);
		int rc = PD_OK;
		if (field->type == PR_T_OBJECTS)
			rc = check_fields(field->shape, item, &inner, fail);
		else if (field->type == PR_T_INTS && !json_is_integer(item))
			rc = report_misfit(fail, &inner, "must be an integer");
		else if (field->type == PR_T_STRINGS && !json_is_string(item))
			rc = report_misfit(fail, &inner, "must be a string");
		if (rc)
			return rc;
	}
	return PD_OK;
}

static int check_field(const struct pr_field *field, const json_t *value, const struct path *path, struct pd_fail *fail)
{
	if (json_is_null(value))
		return field->presence & PR_OR_NULL ? PD_OK : report_misfit(fail, path, "must not be null");
	switch (field->type) {
	case PR_T_STRING:
		if (!json_is_string(value))
			return report_misfit(fail, path, "must be a string");
		return !field->choices || is_choice(field->choices, json_string_value(value))
			       ? PD_OK
			       : report_misfit(fail, path, "is none of its choices");
	case PR_T_INT:
		return json_is_integer(value) ? PD_OK : report_misfit(fail, path, "must be an integer");
	case PR_T_REAL:
		return json_is_number(value) ? PD_OK : report_misfit(fail, path, "must be a number");
	case PR_T_BOOL:
		return json_is_boolean(value) ? PD_OK : report_misfit(fail, path, "must be true or false");
	case PR_T_PROOF_NUMBER:
		return json_is_integer(value) || (json_is_string(value) && !strcmp(json_string_value(value), "inf"))
			       ? PD_OK
			       : report_misfit(fail, path, "must be an integer or \"inf\"");
	case PR_T_DOCUMENT:
		return json_is_object(value) ? PD_OK : report_misfit(fail, path, "must be an object");
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
		return report_misfit(fail, path, "must be an object");
	for (const struct pr_field *field = shape->fields; field->name; field++) {
		const json_t *member = json_object_get(value, field->name);
		struct path inner = path_below(path, field->name, 0, false);
		if (!member && !(field->presence & PR_SOMETIMES))
			return report_misfit(fail, &inner, "is missing");
		int rc = member ? check_field(field, member, &inner, fail) : PD_OK;
		if (rc)
			return rc;
		known += member != NULL;
	}
	return known == json_object_size(value) ? PD_OK : report_misfit(fail, path, "has members outside its schema");
}

int shape_check(const struct pr_shape *shape, pr_ref value, struct pd_fail *fail)
{
	return check_fields(shape, pr_json(value), &(struct path){""}, fail);
}
