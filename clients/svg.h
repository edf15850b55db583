/* SVG: drawings of positions and of lines, which a server or a core makes, as files. */
#ifndef CL_SVG_H
#define CL_SVG_H

#include "clients/link.h"
#include "clients/options.h"
#include "proto/doc.h"

/* PD_E_USAGE when --svg - and --json both want stdout. */
int cl_svg_check(const struct cl_options *options, struct pd_fail *fail);
/* True when the drawing goes to stdout, so that nothing else may. */
bool cl_svg_alone(const struct cl_options *options);
/* Writes a document to the file that --svg names. PD_E_IO. */
int cl_svg_write(const struct cl_options *options, const char *svg, size_t size, struct pd_fail *fail);
/* Draws the positions of a line (the result of fact.line) one after the other, and writes them. */
int cl_svg_line(const struct cl_options *options, struct cl_link *link, pr_ref line, struct pd_fail *fail);

#endif
