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

static bool same_param(const struct pr_param *a, const struct pr_param *b)
{
	return !strcmp(a->name, b->name) && a->type == b->type && a->required == b->required && a->min == b->min &&
	       a->max == b->max && !strcmp(a->doc, b->doc) && !a->preset == !b->preset &&
	       (!a->preset || !strcmp(a->preset, b->preset));
}

/* The number of methods before `end` with that parameter. */
static unsigned count_users(const struct pr_param *param, unsigned end)
{
	unsigned users = 0;
	for (unsigned i = 0; i < end; i++)
		for (const struct pr_param *p = pr_method_info((enum pr_method)i)->params; p->name; p++)
			users += same_param(p, param);
	return users;
}

static bool is_common(const struct pr_param *param)
{
	return count_users(param, PR_METHOD_COUNT) > 1;
}

/* A parameter, and below it its members. */
static void print_param(struct pd_buf *out, const struct pr_param *param, int indent)
{
	pd_buf_printf(out, "%*s* `%s` (", indent, "", param->name);
	print_param_type(out, param);
	if (param->preset)
		pd_buf_printf(out, ", default `%s`", param->preset);
	pd_buf_printf(out, "%s): %s\n", param->required ? ", required" : "", param->doc);
	for (const struct pr_param *member = param->members; member && member->name; member++)
		print_param(out, member, indent + 2);
}

static void print_common_params(struct pd_buf *out)
{
	pd_buf_puts(out, "\n### Common parameters\n\nSeveral methods take these:\n");
	for (unsigned i = 0; i < PR_METHOD_COUNT; i++)
		for (const struct pr_param *p = pr_method_info((enum pr_method)i)->params; p->name; p++)
			if (is_common(p) && !count_users(p, i))
				print_param(out, p, 0);
}

/* The common parameters by name, then the method's own in full. */
static void print_params(struct pd_buf *out, const struct pr_param *params)
{
	unsigned common = 0, own = 0;
	pd_buf_puts(out, "Parameters:");
	for (const struct pr_param *p = params; p->name; p++) {
		if (is_common(p))
			pd_buf_printf(out, "%s `%s`", common++ ? "," : "", p->name);
		else
			own++;
	}
	pd_buf_puts(out, !own ? ". " : common ? " and\n" : "\n");
	for (const struct pr_param *p = params; p->name; p++)
		if (!is_common(p))
			print_param(out, p, 0);
	if (own)
		pd_buf_puts(out, "\n");
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

/* Neighbours that differ only in their names are described together. */
static bool same_but_name(const struct pr_field *a, const struct pr_field *b)
{
	return b->name && a->type == b->type && a->presence == b->presence && a->shape == b->shape &&
	       a->choices == b->choices && !strcmp(a->doc, b->doc);
}

/* The members of an object, each with its own members below it. */
static void print_fields(struct pd_buf *out, const struct pr_field *fields, int indent)
{
	for (const struct pr_field *field = fields; field->name; field++) {
		pd_buf_printf(out, "%*s* `%s`", indent, "", field->name);
		for (; same_but_name(field, field + 1); field++)
			pd_buf_printf(out, ", `%s`", field[1].name);
		pd_buf_puts(out, " (");
		print_field_type(out, field);
		pd_buf_printf(out, "): %s\n", field->doc);
		if (field->shape && !field->shape->name)
			print_fields(out, field->shape->fields, indent + 2);
	}
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
	pd_buf_printf(out, "\n### `%s`\n\n%c%s. Role: `%s`. Served by %s.%s%s\n", info->name,
		      toupper((unsigned char)info->summary[0]), info->summary + 1, pr_role_text(info->role),
		      threads[info->thread], info->note ? " " : "", info->note ? info->note : "");
	if (info->params->name)
		pd_buf_printf(out, "Example: `%s`. ", info->example);
	if (info->params->name)
		print_params(out, info->params);
	else
		pd_buf_puts(out, "No parameters. ");
	if (info->result->name) {
		pd_buf_printf(out, "Result: *%s*.\n", info->result->name);
	} else {
		pd_buf_puts(out, "Result:\n");
		print_fields(out, info->result->fields, 0);
	}
}

/* Every method, by the least role that may call it. */
static void print_roles(struct pd_buf *out)
{
	pd_buf_puts(out, "\n### Methods by role\n\n| role | methods |\n| --- | --- |\n");
	for (unsigned role = 0; role < PR_ROLE_COUNT; role++) {
		const char *before = "";
		pd_buf_printf(out, "| `%s` | ", pr_role_text((enum pr_role)role));
		for (unsigned i = 0; i < PR_METHOD_COUNT; i++)
			if (pr_method_info((enum pr_method)i)->role == role) {
				pd_buf_printf(out, "%s`%s`", before, pr_method_info((enum pr_method)i)->name);
				before = ", ";
			}
		pd_buf_puts(out, " |\n");
	}
}

void protocol_page_print(struct pd_buf *out)
{
	const struct pr_shape *shape;
	print_roles(out);
	print_common_params(out);
	for (unsigned i = 0; i < PR_METHOD_COUNT; i++)
		print_method(out, pr_method_info((enum pr_method)i));
	pd_buf_puts(out, "\n## Shapes\n\nObjects that occur in several results.\n");
	for (unsigned i = 0; (shape = pr_shape_at(i)) != NULL; i++) {
		pd_buf_printf(out, "\n### *%s*\n\n%s\n", shape->name, shape->doc);
		print_fields(out, shape->fields, 0);
	}
	pd_buf_puts(out, "\n");
}
