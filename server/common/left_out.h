/* Left out: what a copy of a data directory lacks because it is damaged. */
#pragma once

#include <stdint.h>

struct sv_left_out {
	uint32_t count;
	char text[500]; /* "experiment 3: its suite is damaged; table ...", as many as fit; "": none */
};
/* Adds "WHAT: WHY". */
void sv_left_out_add(struct sv_left_out *out, const char *what, const char *why);
