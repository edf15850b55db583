/* Pages: for programs that watch the server, on --monitor and on --http.
 *
 *   /metrics   all figures in the text format of Prometheus (METRICS.md)
 *   /healthz   200 while the process answers and the store can be written, else 503: the operator is needed
 *   /readyz    200 while new jobs can be taken, else 503 with a line for each reason */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "server/core.h"
#include "server/net/conn.h"

enum { NT_PAGE_MAX = 1 << 20 /* bytes of a page */ };

struct nt_page {
	unsigned status;
	const char *type; /* of the content; static */
	struct pd_buf body;
};

struct nt_pages {
	const struct nt_conns *conns; /* borrowed; their core is asked */
	int64_t start_ms;
	bool stopping; /* set by the server */
	struct sv_figures figures;
};

void nt_pages_init(struct nt_pages *pages, const struct nt_conns *conns);
/* Makes the page of a path; false for another path. Afterwards pd_buf_fini of its body. */
bool nt_pages_answer(struct nt_pages *pages, const char *path, struct nt_page *page);

/* Appends one line for each reason why new jobs are not taken (`ready`) and why the server is not healthy. */
void nt_pages_reasons(const struct sv_figures *figures, struct pd_buf *ready, struct pd_buf *health);
