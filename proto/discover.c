/* Discover: the OpenRPC document (spec.open-rpc.org, 1.2.6), printed from the method table and the error list, so that
 * it cannot disagree with what the server does. */
#include "proto/methods.h"
#include "proto/out.h"
#include "proto/rpc.h"

static void put_schema(struct pr_out *out, const char *key, const struct pr_param *param,
		       const struct pr_param *options);

static void put_number(struct pr_out *out, const struct pr_param *param)
{
	if (param->type == PR_T_REAL) {
		pr_str(out, "type", "number");
		pr_real(out, "minimum", (double)param->min / 1000, 3);
		pr_real(out, "maximum", (double)param->max / 1000, 3);
	} else {
		pr_str(out, "type", "integer");
		pr_int(out, "minimum", param->min);
		pr_int(out, "maximum", param->max);
	}
}

static void put_string(struct pr_out *out, const struct pr_param *param)
{
	pr_str(out, "type", "string");
	if (param->choices) {
		pr_open_array(out, "enum");
		for (const char *const *choice = param->choices; *choice; choice++)
			pr_str(out, NULL, *choice);
		pr_close(out);
		return;
	}
	pr_int(out, "minLength", param->min ? 1 : 0); /* a character may take several bytes */
	pr_int(out, "maxLength", param->max);
}

static void put_strings(struct pr_out *out, const struct pr_param *param)
{
	pr_str(out, "type", "array");
	pr_int(out, "minItems", param->min);
	pr_int(out, "maxItems", param->max);
	pr_open_object(out, "items");
	pr_str(out, "type", "string");
	pr_close(out);
}

static void put_size(struct pr_out *out, const struct pr_param *param)
{
	pr_open_array(out, "oneOf");
	pr_open_object(out, NULL);
	put_number(out, param);
	pr_close(out);
	pr_open_object(out, NULL);
	pr_str(out, "type", "string");
	pr_str(out, "pattern", "^[0-9]+([KMGTkmgt]([Ii][Bb])?)?[Bb]?$");
	pr_close(out);
	pr_close(out);
}

static void put_object(struct pr_out *out, const struct pr_param *members)
{
	pr_str(out, "type", "object");
	pr_bool(out, "additionalProperties", false);
	pr_open_object(out, "properties");
	for (const struct pr_param *member = members; member->name; member++)
		put_schema(out, member->name, member, members);
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
		put_strings(out, param);
		break;
	case PR_T_OBJECT:
		put_object(out, param->members);
		break;
	case PR_T_OPTIONS:
		put_object(out, options);
		break;
	case PR_T_SIZE:
		put_size(out, param);
		break;
	}
	pr_close(out);
}

static void put_method(struct pr_out *out, const struct pr_method_info *info, const struct pr_param *options)
{
	pr_open_object(out, NULL);
	pr_str(out, "name", info->name);
	pr_str(out, "summary", info->summary);
	pr_str(out, "paramStructure", "by-name");
	pr_open_array(out, "params");
	for (const struct pr_param *param = info->params; param->name; param++) {
		pr_open_object(out, NULL);
		pr_str(out, "name", param->name);
		pr_str(out, "description", param->doc);
		pr_bool(out, "required", param->required);
		put_schema(out, "schema", param, options);
		pr_close(out);
	}
	pr_close(out);
	pr_open_object(out, "result");
	pr_str(out, "name", "result");
	pr_str(out, "description", info->result);
	pr_open_object(out, "schema");
	pr_str(out, "type", "object");
	pr_close(out);
	pr_close(out);
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
	pr_open_object(out, "components");
	pr_open_object(out, "errors");
	for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++) {
		if (errors[i].code == PD_OK)
			continue;
		pr_open_object(out, errors[i].slug);
		pr_int(out, "code", errors[i].code);
		pr_str(out, "message", pd_error_meaning(errors[i].code));
		pr_close(out);
	}
	pr_close(out);
	pr_close(out);
}

void pr_discover(struct pd_buf *out, const char *version, const struct pr_param *options)
{
	struct pr_out printer;
	pr_out_init(&printer, out);
	pr_open_object(&printer, NULL);
	pr_str(&printer, "openrpc", "1.2.6");
	pr_open_object(&printer, "info");
	pr_str(&printer, "title", "proofd");
	pr_str(&printer, "version", version);
	pr_str(&printer, "description", "A proof server for two-player games. JSON-RPC 2.0, one message a line.");
	pr_close(&printer);
	pr_open_array(&printer, "methods");
	for (unsigned i = 0; i < PR_METHOD_COUNT; i++)
		put_method(&printer, pr_method_info((enum pr_method)i), options);
	pr_close(&printer);
	put_errors(&printer);
	pr_close(&printer);
}
