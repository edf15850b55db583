#include "server/common/left_out.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

void sv_left_out_add(struct sv_left_out *out, const char *what, const char *why)
{
	size_t used = strlen(out->text), room = sizeof out->text - used;
	int size = snprintf(out->text + used, room, "%s%s: %.250s", used ? "; " : "", what, why);
	if (size < 0 || (size_t)size >= room)
		out->text[used] = 0;
	out->count++;
}
