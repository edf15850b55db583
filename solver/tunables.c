#include "solver/tunables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"

void pn_options_init(struct pn_options *options)
{
	*options = (struct pn_options){.algorithm = PN_PDS_PN,
				       .detail = PN_FRONTIER,
				       .memory = UINT64_C(512) << 20,
				       .threads = 1,
#define X(member, name, kind, min, max, preset, what) .member = (preset),
				       PN_TUNABLES(X)
#undef X
	};
}

/* --- tunables ----------------------------------------------------------------------------- */

static const struct pn_tunable tunables[] = {
#define X(member, name, kind, min, max, preset, what)                                                                  \
	{name, kind, min, max, preset, what, offsetof(struct pn_options, member)},
	PN_TUNABLES(X)
#undef X
};

enum { TUNABLES = sizeof tunables / sizeof *tunables };

/* Members are as wide as their kind says. */
#define X(member, name, kind, min, max, preset, what)                                                                  \
	_Static_assert(sizeof((struct pn_options *)NULL)->member == ((kind) == PN_REAL    ? sizeof(double)             \
								     : (kind) == PN_WHOLE ? sizeof(uint32_t)           \
											  : sizeof(bool)),             \
		       name);
PN_TUNABLES(X)
#undef X

const struct pn_tunable *pn_tunable_at(unsigned index)
{
	return index < TUNABLES ? &tunables[index] : NULL;
}

static double value_of(const struct pn_options *options, const struct pn_tunable *t)
{
	const char *at = (const char *)options + t->offset;
	PD_ASSERT(t->offset < sizeof *options);
	switch (t->kind) {
	case PN_WHOLE:
		return *(const uint32_t *)(const void *)at;
	case PN_REAL:
		return *(const double *)(const void *)at;
	case PN_YES_NO:
		break;
	}
	return *(const bool *)(const void *)at;
}

static void put_value(struct pn_options *options, const struct pn_tunable *t, double value)
{
	char *at = (char *)options + t->offset;
	PD_ASSERT(t->offset < sizeof *options && value >= (double)t->min && value <= (double)t->max);
	switch (t->kind) {
	case PN_WHOLE:
		*(uint32_t *)(void *)at = (uint32_t)value;
		return;
	case PN_REAL:
		*(double *)(void *)at = value;
		return;
	case PN_YES_NO:
		*(bool *)(void *)at = value > 0;
		return;
	}
}

bool pn_option_text(const struct pn_options *options, const struct pn_tunable *t, char out[PN_TUNABLE_TEXT])
{
	double value = value_of(options, t);
	if (t->kind == PN_YES_NO) {
		snprintf(out, PN_TUNABLE_TEXT, "%s", value > 0 ? "true" : "false");
	} else {
		snprintf(out, PN_TUNABLE_TEXT, "%.15g", value);
		if (strtod(out, NULL) != value) /* more digits, so that the text reads back as the same number */
			snprintf(out, PN_TUNABLE_TEXT, "%.17g", value);
	}
	return value != (double)t->preset;
}

static int refuse_value(const struct pn_tunable *t, const char *text, struct pd_fail *fail)
{
	if (t->kind == PN_YES_NO)
		return pd_fail_set(fail, PD_E_PARAMS, "options", "option '%s' takes yes or no, not '%.40s'", t->name,
				   text);
	return pd_fail_set(fail, PD_E_PARAMS, "options", "option '%s' takes %s from %lld to %lld, not '%.40s'", t->name,
			   t->kind == PN_WHOLE ? "a whole number" : "a number", (long long)t->min, (long long)t->max,
			   text);
}

/* Reads a value of the tunable; false when the text is not a value. */
static bool read_value(const struct pn_tunable *t, const char *text, double *out)
{
	if (t->kind == PN_YES_NO) {
		*out = !strcmp(text, "yes") || !strcmp(text, "true");
		return *out > 0 || !strcmp(text, "no") || !strcmp(text, "false");
	}
	char *end;
	if (!*text || strspn(text, "+-0123456789.eE") != strlen(text)) /* strtod accepts more than is allowed here */
		return false;
	*out = strtod(text, &end);
	if (*end || !(*out >= (double)t->min && *out <= (double)t->max))
		return false;
	if (*out == 0)
		*out = 0; /* not -0, which is written differently */
	return t->kind == PN_REAL || *out == floor(*out);
}

int pn_option_set(struct pn_options *options, const char *name, const char *text, struct pd_fail *fail)
{
	for (unsigned i = 0; i < TUNABLES; i++) {
		double value;
		if (strcmp(tunables[i].name, name) != 0)
			continue;
		if (!read_value(&tunables[i], text, &value))
			return refuse_value(&tunables[i], text, fail);
		put_value(options, &tunables[i], value);
		return PD_OK;
	}
	return pd_fail_set(fail, PD_E_PARAMS, "options",
			   "there is no option '%.40s'; proofctl help solve and PROTOCOL.md list them all", name);
}
