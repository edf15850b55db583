/* SVG: drawings of positions and of lines, which a server or a core makes, as files. */
#pragma once

#include "clients/link.h"
#include "clients/options.h"

/* Draws the positions of a line (the result of fact.line) one after the other, and writes them. */
int cl_svg_line(const struct cl_options *options, struct cl_link *link, pr_ref line, struct pd_fail *fail);
