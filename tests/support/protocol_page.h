/* Protocol page: the part of proto/PROTOCOL.md that is made from the method table. */
#pragma once

#include "proto/base/buf.h"

/* The lines between which that part stands. */
#define PROTOCOL_PAGE_BEGIN "<!-- Made from proto/methods.def by `./dev protocol`; do not edit. -->\n"
#define PROTOCOL_PAGE_END   "<!-- End of what is made from proto/methods.def. -->\n"

/* Appends that part, without those lines. */
void protocol_page_print(struct pd_buf *out);
