#include "tests/support/protocol_page.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/methods.h"

/* --- parameters --------------------------------------------------------------------------- */

static void print_range(struct pd_buf *out, const struct pr_param *param, const char *unit)
{
	if (param->max == INT64_MAX)
		pd_buf_printf(out, ", from %" PRId64, param->min);
	else
		pd_buf_printf(out, ", %" PRId64 " to %" PRId64 "%s", param->min, param->max, unit);
}

static void print_choices(struct pd_buf *out, const char *const *choices)
{
	for (const char *const *choice = choices; *choice; choice++)
		pd_buf_printf(out, "%s`%s`", choice == choices ? "" : ", ", *choice);
}

static void print_param_type(struct pd_buf *out, const struct pr_param *param)
{
	switch (param->type) {
	case PR_T_STRING:
		if (param->choices) {
			print_choices(out, param->choices);
		} else {
			pd_buf_puts(out, "string");
			print_range(out, param, " bytes");
		}
		break;
	case PR_T_INT:
		pd_buf_puts(out, "integer");
		print_range(out, param, "");
		break;
	case PR_T_SIZE:
		pd_buf_puts(out, "bytes, or text like `\"512M\"`");
		print_range(out, param, "");
		break;
	case PR_T_REAL:
		pd_buf_printf(out, "number, %g to %g", (double)param->min / 1000, (double)param->max / 1000);
		break;
	case PR_T_BOOL:
		pd_buf_puts(out, "boolean");
		break;
	case PR_T_STRINGS:
		pd_buf_puts(out, "array of strings");
		print_range(out, param, "");
		break;
	case PR_T_INTS:
		pd_buf_printf(out, "array of at most %lld integers", (long long)param->max);
		break;
	case PR_T_OBJECTS:
		pd_buf_printf(out, "array of %lld to %lld objects", (long long)param->min, (long long)param->max);
		break;
	case PR_T_MOVES:
		pd_buf_puts(out, "string, or array of strings");
		break;
	case PR_T_MOVES_OR_BOOL:
		pd_buf_puts(out, "string, array of strings, or boolean");
		break;
	default:
		pd_buf_puts(out, "object");
	}
}

static void print_params(struct pd_buf *out, const char *outer, const struct pr_param *params)
{
	for (const struct pr_param *param = params; param->name; param++) {
		pd_buf_printf(out, "| `%s%s` | ", outer, param->name);
		print_param_type(out, param);
		if (param->required)
			pd_buf_puts(out, " | required");
		else if (param->preset)
			pd_buf_printf(out, " | `%s`", param->preset);
		else
			pd_buf_puts(out, " | none");
		pd_buf_printf(out, " | %s |\n", param->doc);
		if (param->members) {
			char inner[64];
			snprintf(inner, sizeof inner, "%.30s%.30s%s.", outer, param->name,
				 param->type == PR_T_OBJECTS ? "[]" : "");
			print_params(out, inner, param->members);
		}
	}
}

/* --- results ------------------------------------------------------------------------------ */

static void print_field_type(struct pd_buf *out, const struct pr_field *field)
{
	static const char *const words[] = {
		[PR_T_STRING] = "string",
		[PR_T_INT] = "integer",
		[PR_T_REAL] = "number",
		[PR_T_BOOL] = "boolean",
		[PR_T_OBJECT] = "object",
		[PR_T_STRINGS] = "array of strings",
		[PR_T_INTS] = "array of integers",
		[PR_T_OBJECTS] = "array",
		[PR_T_DOCUMENT] = "object",
		[PR_T_PROOF_NUMBER] = "integer or `\"inf\"`",
	};
	PD_ASSERT(words[field->type]);
	if (field->choices)
		print_choices(out, field->choices);
	else if (field->shape && field->shape->name)
		pd_buf_printf(out, "%s*%s*", field->type == PR_T_OBJECTS ? "array of " : "", field->shape->name);
	else
		pd_buf_puts(out, words[field->type]);
	if (field->presence & PR_OR_NULL)
		pd_buf_puts(out, ", or null");
	if (field->presence & PR_SOMETIMES)
		pd_buf_puts(out, "; optional");
}

static void print_fields(struct pd_buf *out, const char *outer, const struct pr_field *fields)
{
	for (const struct pr_field *field = fields; field->name; field++) {
		pd_buf_printf(out, "| `%s%s` | ", outer, field->name);
		print_field_type(out, field);
		pd_buf_printf(out, " | %s |\n", field->doc);
		if (field->shape && !field->shape->name) {
			char inner[128];
			snprintf(inner, sizeof inner, "%.60s%.40s%s.", outer, field->name,
				 field->type == PR_T_OBJECTS ? "[]" : "");
			print_fields(out, inner, field->shape->fields);
		}
	}
}

static void print_shape(struct pd_buf *out, const struct pr_shape *shape)
{
	pd_buf_puts(out, "| member | type | meaning |\n| --- | --- | --- |\n");
	print_fields(out, "", shape->fields);
}

/* --- the page ----------------------------------------------------------------------------- */

static void print_method(struct pd_buf *out, const struct pr_method_info *info)
{
	static const char *const threads[] = {
		[PR_LOOP] = "the event loop",
		[PR_LOOP_OR_QUERIES] = "the event loop while it is small, else the read queue of queries",
		[PR_QUERIES] = "the read queue of queries",
		[PR_LINES] = "the read queue of best play",
		[PR_PROOFS] = "the read queue of exports",
		[PR_TREES] = "the read queue of trees",
		[PR_CHECKS] = "the read queue of checks",
	};
	pd_buf_printf(out, "\n### `%s`\n\n%c%s. Role: `%s`. Served by %s.%s%s\n\n", info->name,
		      toupper((unsigned char)info->summary[0]), info->summary + 1, pr_role_text(info->role),
		      threads[info->thread], info->note ? " " : "", info->note ? info->note : "");
	if (info->params->name) {
		pd_buf_puts(out, "| parameter | type | default | meaning |\n| --- | --- | --- | --- |\n");
		print_params(out, "", info->params);
		pd_buf_puts(out, "\n");
	} else {
		pd_buf_puts(out, "No parameters. ");
	}
	if (info->params->name)
		pd_buf_printf(out, "Example: `%s`\n\n", info->example);
	if (info->result->name) {
		pd_buf_printf(out, "Result: *%s*.\n", info->result->name);
	} else {
		pd_buf_puts(out, "Result:\n\n");
		print_shape(out, info->result);
	}
}

void protocol_page_print(struct pd_buf *out)
{
	const struct pr_shape *shape;
	for (unsigned i = 0; i < PR_METHOD_COUNT; i++)
		print_method(out, pr_method_info((enum pr_method)i));
	pd_buf_puts(out, "\n## Shapes\n\nObjects that occur in several results.\n");
	for (unsigned i = 0; (shape = pr_shape_at(i)) != NULL; i++) {
		pd_buf_printf(out, "\n### *%s*\n\n%s\n\n", shape->name, shape->doc);
		print_shape(out, shape);
	}
	pd_buf_puts(out, "\n");
}
