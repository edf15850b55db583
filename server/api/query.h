/* Query: what is proved about positions.
 *
 * Printed straight into the reply. Small queries run on the loop thread, large ones and lines on a reader thread, with
 * the same functions and a st_reader each. */
#ifndef SV_QUERY_H
#define SV_QUERY_H

#include "proto/base/buf.h"
#include "proto/base/error.h"
#include "proto/base/fact.h"
#include "proto/fastpath.h"
#include "proto/rpc.h"
#include "solver/game.h"

struct st_reader;
struct sv_core;
struct sv_request;

enum { SV_INLINE_POSITIONS = 64 /* queries up to this size are answered on the loop thread */ };

/* fact.query, from any thread with its own reader. The result goes to `buf`. */
int sv_query(struct sv_core *core, struct st_reader *reader, pr_ref params, struct pd_buf *buf, struct pd_fail *fail);
/* The same for a fast query; `line` gets the whole reply line. After a failure what it holds is worth nothing. */
int sv_query_fast(struct sv_core *core, struct st_reader *reader, struct pr_fastpath *query, struct pd_buf *line);
/* fact.line, on a reader thread; PD_E_SHUTDOWN when the answer is not wanted any more. */
int sv_query_line(struct sv_request *request, struct st_reader *reader);

/* What is known of a position: by the rules or by its fact. */
enum sv_source { SV_BY_NONE, SV_BY_RULES, SV_BY_FACT };
struct sv_known {
	enum sv_source source;
	int lo, hi;
	struct pd_fact fact; /* when SV_BY_FACT; made before it is asked for */
};
int sv_known_get(struct st_reader *reader, uint32_t game_id, const struct game *game, const void *state,
		 struct sv_known *out, struct pd_fail *fail);

#endif
