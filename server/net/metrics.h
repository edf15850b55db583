/* Metrics: the figures of the server in the text format of Prometheus, version 0.0.4. The table is metrics.def. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/buf.h"
#include "server/core.h"
#include "server/net/conn.h"

#define NT_METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* What the metrics are made of; all borrowed. */
struct nt_view {
	const struct sv_figures *core;
	const struct nt_conns *conns;
	int64_t start_ms; /* when the process began, since 1970 */
	bool ready;
};

/* Appends all metrics. The number of lines is bounded: one per method and result, and SV_JOB_FIGURES_MAX jobs. */
void nt_metrics_write(const struct nt_view *view, struct pd_buf *out);
/* Appends the rows of the table in METRICS.md. */
void nt_metrics_describe(struct pd_buf *out);
