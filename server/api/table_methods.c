/* Table methods: tables by retrograde analysis, built and listed. */
#include "server/api/methods.h"

#include "proto/base/assert.h"
#include "server/proofs/tables/table_jobs.h"

int sv_method_table_build(struct sv_request *r)
{
	PD_ASSERT(!r->on_loop);
	pr_open_object(&r->out, NULL);
	int rc = sv_table_jobs_order(r->core, pr_get_str(r->params, "game", ""), pr_get_str(r->params, "material", ""),
				     (unsigned)pr_get_int(r->params, "threads", 1), &r->out, &r->fail);
	pr_close(&r->out);
	return rc;
}

int sv_method_table_cancel(struct sv_request *r)
{
	PD_ASSERT(!r->on_loop);
	pr_open_object(&r->out, NULL);
	int rc = sv_table_jobs_cancel(r->core, pr_get_str(r->params, "game", ""), pr_get_str(r->params, "material", ""),
				      pr_get_bool(r->params, "discard", false), &r->out, &r->fail);
	pr_close(&r->out);
	return rc;
}

int sv_method_table_list(struct sv_request *r)
{
	PD_ASSERT(!r->on_loop);
	pr_open_object(&r->out, NULL);
	int rc = sv_table_jobs_print(r->core, pr_get_str(r->params, "game", NULL), &r->out, &r->fail);
	pr_close(&r->out);
	return rc;
}
