/* Query: what is proved about positions.
 *
 * Results are printed straight into the reply. Small queries run on the loop thread, large ones and lines on a reader
 * thread, with the same functions and a st_reader each. */
#pragma once

#include "proto/fastpath.h"

struct st_reader;
struct sv_core;
struct sv_request;

/* fact.query, from any thread with its own reader. The result goes to `buf`. With the loop thread's reader it returns
 * PN_KNOWN_LATER (known.h) if it takes more look-ups than that thread makes; the contents of `buf` are then not
 * valid. */
int sv_query(struct sv_core *core, struct st_reader *reader, pr_ref params, struct pd_buf *buf, struct pd_fail *fail);
/* Likewise for a fast query; `line` gets the whole reply line. After a failure its contents are not valid. */
int sv_query_fast(struct sv_core *core, struct st_reader *reader, struct pr_fastpath *query, struct pd_buf *line);
/* fact.line, on a reader thread; PD_E_SHUTDOWN when the answer is no longer wanted. */
int sv_query_line(struct sv_request *request, struct st_reader *reader);
