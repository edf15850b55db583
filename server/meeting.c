#include "server/meeting.h"

#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/log.h"

static void say(enum pd_log_level level, const char *sentence)
{
	pd_log(level, "%s", sentence);
}

int sv_meeting_open(const struct sv_meeting_options *options, struct sv_meeting *out, struct pd_fail *fail)
{
	const struct cn_config config = {.url = options->url,
					 .tls_ca = options->tls_ca,
					 .tls_cert = options->tls_cert,
					 .tls_key = options->tls_key,
					 .creds = options->creds,
					 .program = options->program,
					 .log = say};
	struct sv_meeting meeting = {.sealed = options->key != NULL};
	PD_ASSERT(options->url && options->program);
	int rc = options->key ? cw_seal_read("worker-key", options->key, &meeting.seal, fail) : PD_OK;
	if (!rc)
		rc = sv_nats_open(&config, &meeting.nats, fail);
	if (!rc)
		*out = meeting;
	explicit_bzero(&meeting.seal, sizeof meeting.seal);
	return rc;
}

void sv_meeting_close(struct sv_meeting *meeting)
{
	sv_nats_close(&meeting->nats);
	explicit_bzero(meeting, sizeof *meeting);
}
