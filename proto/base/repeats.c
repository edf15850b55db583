#include "proto/base/repeats.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/hash.h"

static uint64_t hash_of(const char *text)
{
	return pd_hash64(text, strlen(text));
}

/* Whether to end a family before another one: those that left nothing out come first, then the oldest. */
static bool ends_before(const struct pd_repeat_family *f, const struct pd_repeat_family *other)
{
	return !f->more == !other->more ? f->since_ns < other->since_ns : !f->more;
}

static struct pd_repeat_family *find_family(struct pd_repeats *repeats, uint64_t family)
{
	struct pd_repeat_family *end = repeats->families + PD_REPEAT_FAMILIES, *first = repeats->families;
	for (struct pd_repeat_family *f = repeats->families; f < end; f++) {
		if (f->since_ns && f->family == family)
			return f;
		if (ends_before(f, first))
			first = f;
	}
	*first = (struct pd_repeat_family){.family = family};
	return first;
}

bool pd_repeat_may(struct pd_repeats *repeats, const char *format, const char *text, uint64_t now)
{
	uint64_t hash = hash_of(text);
	struct pd_repeat_family *f = find_family(repeats, format[0] == '%' ? hash : hash_of(format));
	bool said = f->said == PD_REPEAT_TEXTS;
	if (!f->since_ns)
		f->since_ns = now;
	for (unsigned i = 0; i < f->said; i++)
		said = said || f->text[i] == hash;
	if (!said) {
		f->text[f->said++] = hash;
		return true;
	}
	f->more++;
	snprintf(f->sample, sizeof f->sample, "%s", text);
	return false;
}

bool pd_repeat_tell(struct pd_repeats *repeats, uint64_t now, bool all, char *out, size_t room)
{
	for (struct pd_repeat_family *f = repeats->families; f < repeats->families + PD_REPEAT_FAMILIES; f++) {
		if (!f->since_ns || (!all && now - f->since_ns < PD_REPEAT_NS))
			continue;
		f->since_ns = 0;
		if (!f->more)
			continue;
		snprintf(out, room, "%u more lines like this in the last minute: %s", f->more, f->sample);
		return true;
	}
	return false;
}
