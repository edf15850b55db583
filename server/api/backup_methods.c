/* Backup methods: a copy of the data directory while the server runs. */
#include "server/api/methods.h"

#include "proto/base/assert.h"
#include "server/proofs/backups/backup.h"

int sv_method_server_backup(struct sv_request *r)
{
	const char *name = pr_get_str(r->params, "name", NULL);
	PD_ASSERT(r->on_loop);
	int rc = name ? sv_backup_start(r->core, name, &r->fail) : PD_OK;
	if (rc)
		return rc;
	pr_open_object(&r->out, NULL);
	sv_backup_print(r->core, &r->out);
	pr_close(&r->out);
	return PD_OK;
}
