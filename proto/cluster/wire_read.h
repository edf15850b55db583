/* Wire, reading: cw_open, then the bodies. */
#pragma once

#include "proto/base/error.h"
#include "proto/cluster/wire.h"

struct cw_seal;

/* A message that is being read: its envelope, and the bytes that are not read yet. */
struct cw_reader {
	struct cw_envelope envelope;
	const uint8_t *at, *end;
};

/* Reads the envelope and verifies the seal, if there is one and `seal` is not NULL. PD_E_PARSE for bytes that are not
 * a message, and for a wrong seal; PD_E_UNSUPPORTED for another major version (envelope.major and .worker are then
 * set). */
int cw_open(struct cw_reader *reader, const uint8_t *data, size_t size, const struct cw_seal *seal,
	    struct pd_fail *fail);

/* One body each: 1 and *out, 0 when there is no more, -1 when the bytes are not such a body (*fail; *out is undefined).
 * Texts are UTF-8 without control characters; task numbers are not 0, except in cw_refuse; of a result, the members
 * that do not go with `solved` are 0 or PD_NO_MOVE. The caller checks what numbers and keys mean. The structs are
 * large: the caller keeps one. */
int cw_next_hello(struct cw_reader *reader, struct cw_hello *out, struct pd_fail *fail);
int cw_next_task(struct cw_reader *reader, struct cw_task *out,
		 struct pd_fail *fail); /* skips other bodies, as all of these do */
int cw_next_known(struct cw_reader *reader, struct cw_known *out, struct pd_fail *fail);
/* The same body as it is, borrowed: what is in it is not looked at. For cw_put_shared. False: there is none. */
bool cw_next_shared(struct cw_reader *reader, const uint8_t **body, size_t *size);
int cw_next_result(struct cw_reader *reader, struct cw_result *out, struct pd_fail *fail);
int cw_next_heartbeat(struct cw_reader *reader, struct cw_heartbeat *out, struct pd_fail *fail);
int cw_next_cancel(struct cw_reader *reader, uint64_t *id, struct pd_fail *fail);
int cw_next_refuse(struct cw_reader *reader, struct cw_refuse *out, struct pd_fail *fail);
/* How many bytes a second of known positions the worker may send. */
int cw_next_sharing(struct cw_reader *reader, uint64_t *rate, struct pd_fail *fail);
/* Checks the fields from `at` to `end`: NULL when each is whole, none is a seal, and no more than CW_BATCH_MAX have the
 * same tag; else what is wrong, as a sentence. */
const char *cw_bodies_fit(const uint8_t *at, const uint8_t *end);

/* Prints a text from another machine for logs, clients and terminals; anything but printable ASCII becomes '?'. */
void cw_text_print(const struct cw_text *from, char *to, size_t room);
