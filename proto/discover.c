#include "proto/discover.h"

#include <stdio.h>

#include "proto/base/assert.h"
#include "proto/out.h"

#define STRING_ITEMS "{\"type\":\"string\"}"

static void put_schema(struct pr_out *out, const char *key, const struct pr_param *param,
		       const struct pr_param *options);

static void put_json(struct pr_out *out, const char *key, const char *json)
{
	pr_raw(out, key, json, strlen(json));
}

static void put_number(struct pr_out *out, const struct pr_param *param)
{
	bool real = param->type == PR_T_REAL;
	pr_str(out, "type", real ? "number" : "integer");
	for (unsigned i = 0; i < 2; i++) {
		const char *key = i ? "maximum" : "minimum";
		int64_t bound = i ? param->max : param->min;
		if (real)
			pr_real(out, key, (double)bound / 1000, 3);
		else
			pr_int(out, key, bound);
	}
}

/* A string; `choices`: all that is allowed, NULL: any. */
static void put_choices(struct pr_out *out, const char *const *choices)
{
	pr_str(out, "type", "string");
	if (!choices)
		return;
	pr_open_array(out, "enum");
	while (*choices)
		pr_str(out, NULL, *choices++);
	pr_close(out);
}

static void put_string(struct pr_out *out, const struct pr_param *param)
{
	put_choices(out, param->choices);
	if (param->choices)
		return;
	pr_int(out, "minLength", param->min ? 1 : 0); /* a character may take several bytes */
	pr_int(out, "maxLength", param->max);
}

static void put_array(struct pr_out *out, const struct pr_param *param, const char *items)
{
	pr_str(out, "type", "array");
	pr_int(out, "minItems", param->min);
	pr_int(out, "maxItems", param->max);
	if (items)
		put_json(out, "items", items);
}

/* Opens an array of alternatives and the first one, which is an object; the caller closes both. */
static void open_one_of(struct pr_out *out)
{
	pr_open_array(out, "oneOf");
	pr_open_object(out, NULL);
}

static void put_size(struct pr_out *out, const struct pr_param *param)
{
	open_one_of(out);
	put_number(out, param);
	pr_close(out);
	put_json(out, NULL, "{\"type\":\"string\",\"pattern\":\"^[0-9]+([KMGTkmgt]([Ii][Bb])?)?[Bb]?$\"}");
	pr_close(out);
}

static void put_moves(struct pr_out *out, const struct pr_param *param)
{
	static const struct pr_param list = {.type = PR_T_STRINGS, .max = PR_MOVES_MAX};
	open_one_of(out);
	put_string(out, param);
	pr_close(out);
	pr_open_object(out, NULL);
	put_array(out, &list, STRING_ITEMS);
	pr_close(out);
	if (param->type == PR_T_MOVES_OR_BOOL)
		put_json(out, NULL, "{\"type\":\"boolean\"}");
	pr_close(out);
}

static void put_object(struct pr_out *out, const struct pr_param *members, const struct pr_param *options)
{
	pr_str(out, "type", "object");
	pr_bool(out, "additionalProperties", false);
	pr_open_object(out, "properties");
	for (const struct pr_param *member = members; member->name; member++)
		put_schema(out, member->name, member, options);
	pr_close(out);
}

static void put_schema(struct pr_out *out, const char *key, const struct pr_param *param,
		       const struct pr_param *options)
{
	pr_open_object(out, key);
	pr_str(out, "description", param->doc);
	switch (param->type) {
	case PR_T_STRING:
		put_string(out, param);
		break;
	case PR_T_INT:
	case PR_T_REAL:
		put_number(out, param);
		break;
	case PR_T_BOOL:
		pr_str(out, "type", "boolean");
		break;
	case PR_T_STRINGS:
		put_array(out, param, STRING_ITEMS);
		break;
	case PR_T_OBJECT:
		put_object(out, param->members, options);
		break;
	case PR_T_OPTIONS:
		put_object(out, options, NULL);
		break;
	case PR_T_SIZE:
		put_size(out, param);
		break;
	case PR_T_MOVES:
	case PR_T_MOVES_OR_BOOL:
		put_moves(out, param);
		break;
	case PR_T_INTS:
		put_array(out, param, "{\"type\":\"integer\",\"minimum\":1,\"maximum\":4294967295}");
		break;
	case PR_T_OBJECTS:
		put_array(out, param, NULL);
		pr_open_object(out, "items");
		put_object(out, param->members, options);
		pr_close(out);
		break;
	case PR_T_PROOF_NUMBER:
	case PR_T_DOCUMENT:
		PD_ASSERT(!"a type of results only");
	}
	if (param->preset)
		put_json(out, "default", param->preset);
	pr_close(out);
}

static void put_shape(struct pr_out *out, const char *key, const struct pr_shape *shape);

/* A named shape by reference, an unnamed one in full. */
static void put_shape_or_ref(struct pr_out *out, const char *key, const struct pr_shape *shape)
{
	char ref[64];
	PD_ASSERT(shape && shape->fields);
	if (!shape->name) {
		put_shape(out, key, shape);
		return;
	}
	snprintf(ref, sizeof ref, "#/components/schemas/%s", shape->name);
	pr_members(out, PR_OPEN_OBJECT(key), PR_S("$ref", ref), PR_CLOSE);
}

/* The members of a schema that say what values are allowed, except null. */
static void put_type(struct pr_out *out, const struct pr_field *field)
{
	static const char *const words[] = {
		[PR_T_INT] = "integer",   [PR_T_REAL] = "number", [PR_T_BOOL] = "boolean",  [PR_T_DOCUMENT] = "object",
		[PR_T_STRINGS] = "array", [PR_T_INTS] = "array",  [PR_T_OBJECTS] = "array",
	};
	PD_ASSERT(field->type < sizeof words / sizeof *words);
	if (words[field->type])
		pr_str(out, "type", words[field->type]);
	switch (field->type) {
	case PR_T_STRING:
		put_choices(out, field->choices);
		break;
	case PR_T_PROOF_NUMBER:
		put_json(out, "oneOf", "[{\"type\":\"integer\",\"minimum\":0},{\"const\":\"inf\"}]");
		break;
	case PR_T_OBJECT:
		pr_open_array(out, "allOf"); /* other members next to a $ref are ignored */
		put_shape_or_ref(out, NULL, field->shape);
		pr_close(out);
		break;
	case PR_T_STRINGS:
		put_json(out, "items", STRING_ITEMS);
		break;
	case PR_T_INTS:
		put_json(out, "items", "{\"type\":\"integer\"}");
		break;
	case PR_T_OBJECTS:
		put_shape_or_ref(out, "items", field->shape);
		break;
	default:
		PD_ASSERT(words[field->type]); /* the other types are of parameters only */
	}
}

static void put_field(struct pr_out *out, const struct pr_field *field)
{
	pr_open_object(out, field->name);
	pr_str(out, "description", field->doc);
	if (field->presence & PR_OR_NULL) {
		pr_open_array(out, "anyOf");
		pr_open_object(out, NULL);
		put_type(out, field);
		pr_close(out);
		put_json(out, NULL, "{\"type\":\"null\"}");
		pr_close(out);
	} else {
		put_type(out, field);
	}
	pr_close(out);
}

static void put_shape(struct pr_out *out, const char *key, const struct pr_shape *shape)
{
	pr_members(out, PR_OPEN_OBJECT(key), PR_OPT_S("description", shape->doc), PR_S("type", "object"),
		   PR_B("additionalProperties", false), PR_OPEN_ARRAY("required"));
	for (const struct pr_field *field = shape->fields; field->name; field++)
		if (!(field->presence & PR_SOMETIMES))
			pr_str(out, NULL, field->name);
	pr_close(out);
	pr_open_object(out, "properties");
	for (const struct pr_field *field = shape->fields; field->name; field++)
		put_field(out, field);
	pr_close(out);
	pr_close(out);
}

static void put_method(struct pr_out *out, const struct pr_method_info *info, const struct pr_param *options)
{
	pr_members(out, PR_OPEN_OBJECT(NULL), PR_S("name", info->name), PR_S("summary", info->summary),
		   PR_OPT_S("description", info->note), PR_S("paramStructure", "by-name"), PR_OPEN_ARRAY("params"));
	for (const struct pr_param *param = info->params; param->name; param++) {
		pr_members(out, PR_OPEN_OBJECT(NULL), PR_S("name", param->name), PR_S("description", param->doc),
			   PR_B("required", param->required));
		put_schema(out, "schema", param, options);
		pr_close(out);
	}
	pr_members(out, PR_CLOSE, PR_OPEN_OBJECT("result"), PR_S("name", "result"));
	put_shape_or_ref(out, "schema", info->result);
	pr_close(out);
	pr_str(out, "x-role", pr_role_text(info->role));
	put_json(out, "x-example", info->example);
	pr_close(out);
}

static void put_errors(struct pr_out *out)
{
	static const struct {
		const char *slug;
		int code;
	} errors[] = {
#define X(name, number, slug, meaning) {slug, number},
		PD_ERRORS(X)
#undef X
	};
	pr_open_object(out, "errors");
	for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++)
		if (errors[i].code != PD_OK)
			pr_members(out, PR_OPEN_OBJECT(errors[i].slug), PR_I("code", errors[i].code),
				   PR_S("message", pd_error_meaning(errors[i].code)), PR_CLOSE);
	pr_close(out);
}

static void put_components(struct pr_out *out)
{
	const struct pr_shape *shape;
	pr_open_object(out, "components");
	pr_open_object(out, "schemas");
	for (unsigned i = 0; (shape = pr_shape_at(i)) != NULL; i++)
		put_shape(out, shape->name, shape);
	pr_close(out);
	put_errors(out);
	pr_close(out);
}

void pr_discover(struct pd_buf *out, const char *version, const struct pr_param *options)
{
	struct pr_out printer;
	pr_out_init(&printer, out);
	pr_members(&printer, PR_OPEN_OBJECT(NULL), PR_S("openrpc", "1.2.6"), PR_OPEN_OBJECT("info"),
		   PR_S("title", "proofd"), PR_S("version", version),
		   PR_S("description", "A proof server for two-player games. JSON-RPC 2.0, one message a line."),
		   PR_CLOSE, PR_OPEN_ARRAY("methods"));
	for (unsigned i = 0; i < PR_METHOD_COUNT; i++)
		put_method(&printer, pr_method_info((enum pr_method)i), options);
	pr_close(&printer);
	put_components(&printer);
	pr_close(&printer);
}
